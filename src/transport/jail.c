/* jail.c - the command that runs another one under bubblewrap, away from the rest of this machine.
 *
 * What is inside: this machine's files, to be read alone, but for those of users, of services that
 * run and of others' work (home folders, /run, /tmp); an empty home folder, which is the working
 * directory, and an empty /tmp, both gone with the process; its own processes; no network but
 * where asked for; no capabilities, no environment and no keys of ours. Where node stands in a
 * folder that is hidden, it is shown, and of what stands around it as little as it needs.
 *
 * It dies with us, and with it all that is in it: its first process is the kernel's way to that. */
#include "transport/jail.h"

#include "base/err.h"
#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JAIL_CLIENT "bwrap"

enum { PATH_ROOM = PATH_MAX + 64 };

/* Where others' work, secrets and sockets are; and all homes. */
#define HOMES "/home"
static const char *const hidden[] = {"/tmp", "/var/tmp", "/run", HOMES, "/root"};

/* What version managers keep in a home folder. */
static const char *const managers[] = {
    ".nvm", ".volta", ".local/share/fnm", ".fnm", ".asdf", ".local/share/mise", ".local/bin", "n"};

/* --- The address ------------------------------------------------------------------------- */

bool errand__jail_address(const char *address)
{
    return span_starts(span_text(address), SPAN_LITERAL("local?"));
}

errand_status errand__jail_parse(struct jail *jail, const char *address, errand_error *err)
{
    const char *word = address + strlen("local?");
    bool asked = false;

    *jail = (struct jail){0};
    for (;;) {
        errand_span name = span_of(word, strcspn(word, "&"));
        if (span_is(name, "jail"))
            asked = true;
        else if (span_is(name, "network"))
            jail->network = true;
        else
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "place: local has no parameter \"%.*s\"; it can be local?jail or "
                                "local?jail&network",
                                (int)(name.len > 40 ? 40 : name.len), name.ptr);
        if (word[name.len] == '\0')
            break;
        word += name.len + 1;
    }
    if (!asked)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "place: local has a network as it is; network goes with local?jail");
    return ERRAND_OK;
}

/* --- What is there ------------------------------------------------------------------------ */

/* The first of that name on PATH, as a path. */
static bool find_on_path(const char *name, char path[static PATH_ROOM])
{
    const char *folders = getenv("PATH");

    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t len = strcspn(at, ":");
        int size =
            snprintf(path, PATH_ROOM, "%.*s/%s", (int)(len > PATH_MAX ? PATH_MAX : len), at, name);
        if (len > 0 && size > 0 && size < PATH_ROOM && access(path, X_OK) == 0)
            return true;
        at += at[len] == ':' ? len + 1 : len;
    }
    return false;
}

errand_status errand__jail_ready(errand_error *err)
{
    char path[PATH_ROOM];

    if (find_on_path(JAIL_CLIENT, path))
        return ERRAND_OK;
    return errand__fail(err, ERRAND_EIO, 0,
                        "local?jail: bubblewrap (%s) is not on PATH: install the package "
                        "bubblewrap, or take another place",
                        JAIL_CLIENT);
}

/* --- The words ----------------------------------------------------------------------------- */

/* Paths without links: bubblewrap hides what a path leads to, and knows no other path there. */
struct shut {
    char home[PATH_MAX];
    char homes[PATH_MAX];                  /* Or empty. */
    char folders[COUNT(hidden)][PATH_MAX]; /* Empty: there is none. */
};

struct writing {
    struct words *words;
    errand_status status; /* Of the first that went wrong. */
    errand_error *err;
};

static void add(struct writing *writing, const char *word)
{
    if (writing->status == ERRAND_OK)
        writing->status = errand__words_add(writing->words, word, writing->err);
}

static void add_all(struct writing *writing, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        add(writing, words[i]);
}

/* Shows a folder that may not be there, at its own place. */
static void show(struct writing *writing, const char *path)
{
    add_all(writing, (const char *const[]){"--ro-bind-try", path, path, NULL});
}

static bool is_below(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool is_hidden(const struct shut *shut, const char *path)
{
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (shut->folders[i][0] != '\0' && is_below(path, shut->folders[i]))
            return true;
    }
    return is_below(path, shut->home);
}

/* Takes the last part off. */
static void up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash != NULL)
        *slash = '\0';
}

static bool ends_in_bin(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && strcmp(slash, "/bin") == 0;
}

/* Whether a folder is a home or one that was hidden whole, or one around them. */
static bool holds_secrets(const struct shut *shut, const char *folder)
{
    size_t len = strlen(shut->homes);

    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (is_below(shut->folders[i], folder))
            return true;
    }
    return is_below(shut->home, folder) ||
           (len > 0 && is_below(folder, shut->homes) && strchr(folder + len + 1, '/') == NULL);
}

/* Shows a program where all else is hidden: with the folder called bin that it is in, else it
 * alone, since what stands beside it may be anything. */
static void show_program(struct writing *writing, const struct shut *shut, const char *path)
{
    char folder[PATH_ROOM];

    (void)snprintf(folder, sizeof(folder), "%s", path);
    up(folder);
    if (is_hidden(shut, folder))
        show(writing, ends_in_bin(folder) && !holds_secrets(shut, folder) ? folder : path);
}

/* Node brings its own libraries and modules along: what stands beside its bin folder. */
static void show_node(struct writing *writing, const struct shut *shut, const char *given)
{
    char path[PATH_ROOM], target[PATH_MAX];

    if (given == NULL && !find_on_path("node", path))
        return;
    if (given != NULL && snprintf(path, sizeof(path), "%s", given) >= PATH_ROOM)
        return;
    if (realpath(path, target) != NULL) {
        show_program(writing, shut, target);
        up(target);
        bool beside = ends_in_bin(target);
        up(target);
        if (beside && is_hidden(shut, target) && !holds_secrets(shut, target))
            show(writing, target);
    }
    show_program(writing, shut, path);
}

/* A home is one that is there, and is not the root of all; else /tmp. */
static void shut_all(struct shut *shut)
{
    const char *home = getenv("HOME");

    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (realpath(hidden[i], shut->folders[i]) == NULL)
            shut->folders[i][0] = '\0';
    }
    if (realpath(HOMES, shut->homes) == NULL)
        shut->homes[0] = '\0';
    if (home == NULL || home[0] != '/' || realpath(home, shut->home) == NULL ||
        shut->home[1] == '\0')
        memcpy(shut->home, "/tmp", sizeof("/tmp"));
}

errand_status errand__jail_words(struct words *words, const struct jail *jail, errand_error *err)
{
    struct writing writing = {words, ERRAND_OK, err};
    struct shut shut;

    shut_all(&shut);
    const char *home = shut.home;

    add_all(&writing, (const char *const[]){JAIL_CLIENT, "--unshare-all", "--die-with-parent",
                                            "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc",
                                            "/proc", "--dev", "/dev", NULL});
    /* What is the system's in /proc belongs to root, and for its owner bubblewrap leaves it open:
     * a word in /proc/sys/kernel/core_pattern would be run out here. */
    if (geteuid() == 0)
        add_all(&writing, (const char *const[]){"--remount-ro", "/proc", NULL});
    if (jail->network)
        add(&writing, "--share-net");
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (shut.folders[i][0] != '\0')
            add_all(&writing, (const char *const[]){"--tmpfs", shut.folders[i], NULL});
    }
    add_all(&writing, (const char *const[]){"--tmpfs", home, NULL});
    if (jail->network)
        show(&writing, "/run/systemd/resolve");
    for (size_t i = 0; i < COUNT(managers); i++) {
        char path[PATH_ROOM];
        int len = snprintf(path, sizeof(path), "%s/%s", home, managers[i]);
        if (len < 0 || (size_t)len >= sizeof(path))
            continue;
        show(&writing, path);
    }
    show_node(&writing, &shut, jail->node);
    add_all(&writing, (const char *const[]){"--chdir", home, "--setenv", "HOME", home, "--unsetenv",
                                            "TMPDIR", "--", NULL});
    return writing.status;
}
