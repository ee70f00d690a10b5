/* procfs.c - reads small files of /proc; every size and count has an end. */
#include "transport/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    PATH_ROOM = 64,
    TASKS_MOST = 1024, /* Threads of a process whose children are looked at. */
    FDS_MOST = 4096    /* Descriptors of a process that are looked at. */
};

bool errand__proc_lacked(int why)
{
    return why == EMFILE || why == ENFILE || why == ENOMEM;
}

/* The head of a file as text; 0: there is none, and errno may say why. */
static size_t read_head(const char *path, char *text, size_t room)
{
    errno = 0;
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;

    while (fd >= 0 && len + 1 < room) {
        ssize_t got = read(fd, text + len, room - 1 - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    text[len] = '\0';
    return len;
}

static bool take_number(const char **at, uint64_t *number)
{
    char *end = NULL;

    errno = 0;
    *number = strtoull(*at, &end, 10);
    if (end == *at || errno != 0)
        return false;
    *at = end;
    return true;
}

static void keep_name(char name[static 16], const char *from, const char *to)
{
    size_t len = 0;

    for (; from < to && len < 15; from++)
        name[len++] = (char)(*from > ' ' && *from < 0x7f ? *from : '?');
    name[len] = '\0';
}

/* "PID (NAME) S PARENT GROUP SESSION …", and the 22nd word is the start. The name may hold
 * blanks and parentheses. */
bool errand__proc_facts(pid_t pid, struct proc_facts *out)
{
    enum { PARENT = 4, GROUP, SESSION, THREADS = 20, START = 22 };
    char path[PATH_ROOM], text[1024];
    uint64_t words[START + 1] = {0};

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (read_head(path, text, sizeof(text)) == 0)
        return false;
    const char *open_at = strchr(text, '(');
    const char *at = strrchr(text, ')');
    if (open_at == NULL || at == NULL || at[1] != ' ' || at[2] == '\0')
        return false;
    *out = (struct proc_facts){.pid = pid, .state = at[2]};
    keep_name(out->name, open_at + 1, at);
    at += 3;
    for (size_t i = PARENT; i <= START; i++) {
        if (!take_number(&at, &words[i]))
            return false;
    }
    out->parent = (pid_t)words[PARENT];
    out->group = (pid_t)words[GROUP];
    out->session = (pid_t)words[SESSION];
    out->threads = words[THREADS];
    out->start = words[START];
    return true;
}

uint64_t errand__proc_mark(pid_t pid)
{
    static const char title[] = "Max file locks";
    char path[PATH_ROOM], text[2048];
    uint64_t mark = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
    (void)read_head(path, text, sizeof(text));
    const char *at = strstr(text, title);
    if (at == NULL)
        return 0;
    at += sizeof(title) - 1;
    return take_number(&at, &mark) ? mark : 0;
}

/* --- Folders of numbers ---------------------------------------------------------------- */

/* The next entry of folder that is a number; -1: no more. */
static long next_number(DIR *folder)
{
    for (;;) {
        const struct dirent *entry = readdir(folder);
        if (entry == NULL)
            return -1;
        if (isdigit((unsigned char)entry->d_name[0]))
            return strtol(entry->d_name, NULL, 10);
    }
}

size_t errand__proc_all(pid_t *pids, size_t pids_max)
{
    errno = 0;
    DIR *folder = opendir("/proc");
    size_t count = 0;

    for (long pid = 0; folder != NULL && count < pids_max && (pid = next_number(folder)) > 0;)
        pids[count++] = (pid_t)pid;
    if (folder != NULL)
        (void)closedir(folder);
    return count;
}

/* Appends the children of one thread; false: the system does not list them. */
static bool children_of_task(pid_t pid, long task, pid_t *pids, size_t pids_max, size_t *count)
{
    char path[PATH_ROOM], text[16 * 1024];
    uint64_t number = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%ld/children", (int)pid, task);
    if (read_head(path, text, sizeof(text)) == 0)
        return errand__proc_lacked(errno) || access(path, F_OK) == 0 || errno != ENOENT;
    /* A cut number at the end of a very long list may name a stranger: it is not taken. */
    char *last = strrchr(text, ' ');
    if (last != NULL)
        *last = '\0';
    for (const char *at = text; *count < pids_max && take_number(&at, &number);)
        pids[(*count)++] = (pid_t)number;
    return true;
}

ssize_t errand__proc_children(pid_t pid, pid_t *pids, size_t pids_max)
{
    char path[PATH_ROOM];
    size_t count = 0;
    bool told = false;
    int why = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    errno = 0;
    DIR *folder = opendir(path);
    if (folder == NULL)
        return 0; /* Gone, or not to be seen. */
    for (size_t i = 0; i < TASKS_MOST; i++) {
        long task = next_number(folder);
        if (task < 0)
            break;
        told |= children_of_task(pid, task, pids, pids_max, &count);
        why = errand__proc_lacked(errno) ? errno : why;
    }
    (void)closedir(folder);
    errno = why;
    return told ? (ssize_t)count : -1;
}

/* --- Who holds a pipe ------------------------------------------------------------------ */

static bool is_one_of(const char *link, const ino_t *inodes, size_t count)
{
    uint64_t inode = 0;
    const char *at = strchr(link, '[');

    if (at == NULL || (strncmp(link, "socket:", 7) != 0 && strncmp(link, "pipe:", 5) != 0))
        return false;
    at++;
    if (!take_number(&at, &inode))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (inodes[i] != 0 && inodes[i] == (ino_t)inode)
            return true;
    }
    return false;
}

bool errand__proc_holds(pid_t pid, const ino_t *inodes, size_t count)
{
    char path[PATH_ROOM], link[PATH_ROOM];
    bool holds = false;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    for (size_t i = 0; i < FDS_MOST && !holds; i++) {
        long fd = next_number(folder);
        if (fd < 0)
            break;
        (void)snprintf(path, sizeof(path), "%ld", fd);
        ssize_t len = readlinkat(dirfd(folder), path, link, sizeof(link) - 1);
        link[len < 0 ? 0 : len] = '\0';
        holds = is_one_of(link, inodes, count);
    }
    (void)closedir(folder);
    return holds;
}
