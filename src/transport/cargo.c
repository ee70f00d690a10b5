/* cargo.c - one table of what can go wrong with a file, however it travels. */
#include "transport/cargo.h"

#include "base/err.h"

#include <errno.h>
#include <unistd.h>

static const struct {
    const char *code, *words;
    int os_errno;
    const char *heard; /* As commands say it, in the C locale. */
} faults[] = {
    {"not_found", "no such file over there", ENOENT, "No such file"},
    {"no_folder", "no such folder over there", ENOTDIR, "Directory nonexistent"},
    {"denied", "permission denied over there", EACCES, "ermission denied"},
    {"denied", "not permitted over there", EPERM, "not permitted"},
    {"denied", "read-only over there", EROFS, "Read-only file system"},
    {"is_folder", "that is a folder over there", EISDIR, "s a directory"},
    {"no_file", "that is no regular file over there", EINVAL, NULL},
    {"no_space", "no space left over there", ENOSPC, "No space left"},
    {"no_space", "over quota over there", EDQUOT, "uota exceeded"},
    {"no_space", "too large for the file system over there", EFBIG, "File too large"},
    {"name_too_long", "a name over there can't be that long", ENAMETOOLONG, "name too long"},
    {"too_large", "larger than it may be", 0, NULL},
    {"changed", "it holds more or less than its size says", 0, "it-changed"},
    {"stalled", "nothing moves any more", 0, NULL},
    {"cancelled", "cancelled", 0, NULL},
    {"lost", "the far side ended early", 0, NULL},
    {"failed", "it failed over there", 0, NULL},
};

const char *errand__cargo_code(int os_errno)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        if (os_errno != 0 && faults[i].os_errno == os_errno)
            return faults[i].code;
    }
    return "failed";
}

const char *errand__cargo_code_named(errand_span text)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        if (span_is(text, faults[i].code))
            return faults[i].code;
    }
    return NULL;
}

const char *errand__cargo_code_heard(const char *text)
{
    for (size_t i = 0; i < COUNT(faults); i++) {
        if (faults[i].heard != NULL && strstr(text, faults[i].heard) != NULL)
            return faults[i].code;
    }
    return NULL;
}

static const char *words_of(const char *code)
{
    size_t i = 0;

    while (i + 1 < COUNT(faults) && strcmp(faults[i].code, code) != 0)
        i++;
    return faults[i].words;
}

/* The next time it may get through. */
static bool passes_by(const char *code)
{
    return strcmp(code, "changed") == 0 || strcmp(code, "stalled") == 0 ||
           strcmp(code, "lost") == 0;
}

errand_status errand__cargo_fail(errand_error *err, const char *path, bool put, const char *code,
                                 const char *detail)
{
    bool more = detail != NULL && detail[0] != '\0';

    (void)errand__fail(err, ERRAND_EIO, 0, "%s %.100s: %s%s%.80s", put ? "put" : "get", path,
                       words_of(code), more ? ": " : "", more ? detail : "");
    if (passes_by(code))
        errand__err_retryable(err, 0);
    return ERRAND_EIO;
}

bool errand__cargo_goes_on(int fd, uint64_t at)
{
    char byte = 0;
    ssize_t got = 0;

    do
        got = pread(fd, &byte, 1, (off_t)at);
    while (got < 0 && errno == EINTR);
    return got > 0;
}

uint32_t errand__cargo_mode(const char *letters)
{
    uint32_t mode = 0;

    /* As ls -l writes them, behind the letter of the kind. */
    if (strlen(letters) < 10)
        return 0644;
    for (int i = 0; i < 9; i++) {
        char letter = letters[1 + i];
        mode = mode << 1 | (letter != '-' && letter != 'S' && letter != 'T' ? 1u : 0u);
    }
    return mode;
}
