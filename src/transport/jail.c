/* jail.c - the command that runs another one under bubblewrap, away from the rest of this machine.
 *
 * What is inside: this machine's files, to be read alone, but for those of users, of services that
 * run and of others' work (home folders, /run, /tmp); an empty home folder, which is the working
 * directory, and an empty /tmp, both gone with the process; its own processes; no network but
 * where asked for; no capabilities. Where node stands in a folder that is hidden, its folder is
 * shown.
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

/* Where others' work, secrets and sockets are. */
static const char *const hidden[] = {"/tmp", "/var/tmp", "/run", "/home", "/root"};

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

static bool is_hidden(const char *path, const char *home)
{
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (is_below(path, hidden[i]))
            return true;
    }
    return is_below(path, home);
}

/* Takes the last part off. */
static void up(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash != NULL)
        *slash = '\0';
}

/* Node brings its own libraries and modules along: what stands beside its bin folder. */
static void show_node(struct writing *writing, const char *given, const char *home)
{
    char path[PATH_ROOM], target[PATH_MAX];

    if (given == NULL && !find_on_path("node", path))
        return;
    if (given != NULL && snprintf(path, sizeof(path), "%s", given) >= PATH_ROOM)
        return;
    if (realpath(path, target) != NULL) {
        up(target);
        if (strcmp(strrchr(target, '/') == NULL ? "" : strrchr(target, '/'), "/bin") == 0)
            up(target);
        if (is_hidden(target, home) && strcmp(target, home) != 0)
            show(writing, target);
    }
    up(path);
    if (is_hidden(path, home) && strcmp(path, home) != 0)
        show(writing, path);
}

/* One that is there, and is not the root of all; else /tmp. */
static const char *home_folder(void)
{
    const char *home = getenv("HOME");

    return home != NULL && home[0] == '/' && home[1] != '\0' && access(home, F_OK) == 0 ? home
                                                                                        : "/tmp";
}

errand_status errand__jail_words(struct words *words, const struct jail *jail, errand_error *err)
{
    struct writing writing = {words, ERRAND_OK, err};
    const char *home = home_folder();

    add_all(&writing, (const char *const[]){JAIL_CLIENT, "--unshare-all", "--die-with-parent",
                                            "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc",
                                            "/proc", "--dev", "/dev", NULL});
    if (jail->network)
        add(&writing, "--share-net");
    for (size_t i = 0; i < COUNT(hidden); i++) {
        if (access(hidden[i], F_OK) == 0)
            add_all(&writing, (const char *const[]){"--tmpfs", hidden[i], NULL});
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
    show_node(&writing, jail->node, home);
    add_all(&writing, (const char *const[]){"--chdir", home, "--setenv", "HOME", home, "--unsetenv",
                                            "TMPDIR", "--", NULL});
    return writing.status;
}
