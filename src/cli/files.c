/* files.c - hands files to the library, a few at a time; the first that fails ends the rest. */
#include "cli/files.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Up to the colon that parts the words; the rest stands behind it, or is NULL. */
static char *take_name(const char *words, const char **rest)
{
    char *name = need_new(strlen(words) + 1, 1);
    size_t len = 0;

    *rest = NULL;
    while (*words != '\0' && *words != ':') {
        words += words[0] == '\\' && words[1] == ':';
        name[len++] = *words++;
    }
    if (*words == ':')
        *rest = words + 1;
    return name;
}

errand_status files_add(struct files *files, bool put, const char *words, errand_error *err)
{
    const char *option = put ? "--put" : "--get", *wants = put ? "LOCAL:REMOTE" : "REMOTE:LOCAL";
    const char *rest = NULL, *end = NULL;

    if (files->count == FILES_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--put and --get: more than %d files",
                            FILES_MAX);
    AUTO_FREE char *first = take_name(words, &rest);
    AUTO_FREE char *second = rest == NULL ? NULL : take_name(rest, &end);
    if (second == NULL || first[0] == '\0' || second[0] == '\0')
        return errand__fail(err, ERRAND_EINVAL, 0, "%s %.150s: wants %s", option, words, wants);
    if (end != NULL)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "%s %.150s: a colon too many; one of a name is written \\:", option,
                            words);
    if (strcmp(put ? first : second, "-") == 0)
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "%s %.150s: wants a file here; one that is named - is ./-", option,
                            words);
    files->list = need_resize(files->list, (files->count + 1) * sizeof(*files->list));
    struct file *file = &files->list[files->count++];
    *file = (struct file){.put = put};
    file->local = put ? steal(&first) : steal(&second);
    file->remote = put ? steal(&second) : steal(&first);
    return ERRAND_OK;
}

static errand_status check_put(const char *path, errand_error *err)
{
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    char byte = 0;

    if (fd < 0 || fstat(fd, &facts) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "put %.150s", path);
    if (!S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "put %.150s: %s", path,
                            S_ISDIR(facts.st_mode) ? "that is a folder"
                                                   : "that is no regular file");
    if (pread(fd, &byte, 1, facts.st_size) > 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "put %.150s: it holds more than its size says",
                            path);
    return ERRAND_OK;
}

static errand_status check_get(const char *path, errand_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash == NULL ? 0 : (size_t)(slash - path) + 1;
    AUTO_FREE char *folder = need_new(len + 2, 1);
    struct stat facts;

    memcpy(folder, len == 0 ? "." : path, len == 0 ? 1 : len);
    if (path[len] == '\0' || (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)))
        return errand__fail(err, ERRAND_EINVAL, 0, "get %.150s: that is a folder", path);
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
        return errand__fail(err, ERRAND_EINVAL, 0, "get %.150s: that is no regular file", path);
    if (access(folder, W_OK | X_OK) != 0)
        return errand__fail(err, ERRAND_EINVAL, errno, "get %.150s", path);
    return ERRAND_OK;
}

errand_status files_check(const struct files *files, errand_error *err)
{
    errand_status status = ERRAND_OK;

    for (size_t i = 0; i < files->count && status == ERRAND_OK; i++)
        status = files->list[i].put ? check_put(files->list[i].local, err)
                                    : check_get(files->list[i].local, err);
    return status;
}

bool files_any_puts(const struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        if (files->list[i].put)
            return true;
    }
    return false;
}

void files_deinit(struct files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        errand__mem_free(files->list[i].local);
        errand__mem_free(files->list[i].remote);
    }
    errand__mem_free(files->list);
    *files = (struct files){0};
}

static void report(struct files *files, const struct file *file, const struct printed_file *what,
                   struct print *print)
{
    bool first = !what->ok && !files->failed;

    if (first) {
        files->failed = true;
        (void)snprintf(files->error, sizeof(files->error), "%s", what->error);
    }
    /* Of a put, these are the words that the run ends with. */
    if (!first || !file->put || print->json)
        print_file(print, file->put, file->local, file->remote, what);
}

static void start_some(struct files *files, errand_place *place, struct print *print,
                       int64_t now_us)
{
    while (files->next < files->count && files->going < FILES_AT_ONCE && !files->failed) {
        struct file *file = &files->list[files->next++];
        errand_error err = {0};
        if (file->put != files->put)
            continue;
        errand_status status =
            file->put ? errand_place_put(place, file->local, file->remote, NULL, &file->id, &err)
                      : errand_place_get(place, file->remote, file->local, NULL, &file->id, &err);
        if (status == ERRAND_OK)
            files->going++;
        else
            report(files, file,
                   &(struct printed_file){.code = "local_file", .error = err.text, .at_us = now_us},
                   print);
    }
}

void files_start(struct files *files, bool put, errand_place *place, struct print *print,
                 int64_t now_us)
{
    files->put = put;
    files->next = 0;
    files->failed = false;
    start_some(files, place, print, now_us);
}

bool files_event(struct files *files, const errand_event *event, struct print *print)
{
    size_t i = 0;

    if (event->type != ERRAND_EVENT_TRANSFER_OVER)
        return false;
    while (i < files->count && files->list[i].id != event->as.transfer_over.id)
        i++;
    if (i == files->count)
        return false;
    files->going--;
    report(files, &files->list[i],
           &(struct printed_file){.ok = event->as.transfer_over.ok != 0,
                                  .bytes = event->as.transfer_over.bytes,
                                  .code = event->as.transfer_over.code,
                                  .error = event->as.transfer_over.error,
                                  .at_us = event->at_us},
           print);
    start_some(files, event->place, print, event->at_us);
    return true;
}

bool files_are_over(const struct files *files)
{
    return files->going == 0 && (files->failed || files->next == files->count);
}

void files_cancel(struct files *files, errand_place *place)
{
    files->next = files->count;
    for (size_t i = 0; i < files->count; i++) {
        if (files->list[i].id != 0)
            errand_place_transfer_cancel(place, files->list[i].id);
    }
}
