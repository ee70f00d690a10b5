/* post.c - blocking ways around a loop, for tests. */
#include "post.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 60000, PIECE = 64 * 1024 };

static errand_event next(struct post *post)
{
    const errand_event *event = NULL;
    errand_error error = {0};

    if (errand_loop_next(post->loop, PATIENCE_MS, &event, &error) != ERRAND_OK)
        fail_msg("nothing happens any more: %s", error.text);
    return *event;
}

char *post_ask(struct post *post, const char *program)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_error error = {0};
    errand_run *run = NULL;

    options.program = span_text(program);
    options.language = ERRAND_LANGUAGE_JS;
    if (errand_run_start(&run, post->place, &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    errand_event event = next(post);
    while (event.type != ERRAND_EVENT_END)
        event = next(post);
    const errand_outcome *end = event.as.end;
    if (end->kind != ERRAND_KIND_VALUE)
        fail_msg("%s: %.*s", end->code, (int)end->message.len, end->message.ptr);
    char *json = strndup(end->value.ptr == NULL ? "" : end->value.ptr, end->value.len);
    errand_run_free(run);
    return json;
}

void post_expect(struct post *post, const char *program, const char *json)
{
    char *value = post_ask(post, program);

    assert_string_equal(value, json);
    free(value);
}

void post_open(struct post *post, const char *address, const char *root)
{
    errand_place_options options = ERRAND_PLACE_OPTIONS_INIT;
    errand_ssh_options ssh = ERRAND_SSH_OPTIONS_INIT;
    errand_error error = {0};
    char program[512];

    (void)snprintf(post->here, sizeof(post->here), "/tmp/errand-files-XXXXXX");
    assert_non_null(mkdtemp(post->here));
    assert_int_equal(errand_loop_new(&post->loop, &error), ERRAND_OK);
    options.node = post->node[0] == '\0' ? NULL : post->node;
    ssh.config_file = post->config;
    options.ssh = post->config[0] == '\0' ? NULL : &ssh;
    if (errand_place_open(&post->place, post->loop, address, &options, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    (void)snprintf(program, sizeof(program), "return require('fs').mkdtempSync('%s/errand-there-')",
                   root);
    char *folder = post_ask(post, program);
    assert_true(strlen(folder) > 2 && strlen(folder) < sizeof(post->there));
    (void)snprintf(post->there, sizeof(post->there), "%.*s", (int)strlen(folder) - 2, folder + 1);
    free(folder);
}

static int remove_one(const char *path, const struct stat *facts, int flag, struct FTW *where)
{
    (void)facts, (void)flag, (void)where;
    return remove(path);
}

void post_close(struct post *post)
{
    char program[512];

    (void)snprintf(program, sizeof(program),
                   "require('fs').rmSync('%s', { recursive: true, force: true })", post->there);
    free(post_ask(post, program));
    errand_place_close(post->place);
    while (next(post).type != ERRAND_EVENT_PLACE_CLOSED)
        continue;
    errand_place_free(post->place);
    errand_loop_free(post->loop);
    (void)nftw(post->here, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

struct posted post_wait(struct post *post, uint64_t id)
{
    errand_event event = next(post);

    while (event.type != ERRAND_EVENT_TRANSFER_OVER || event.as.transfer_over.id != id)
        event = next(post);
    struct posted posted = {.ok = event.as.transfer_over.ok != 0,
                            .bytes = event.as.transfer_over.bytes};
    (void)snprintf(posted.code, sizeof(posted.code), "%s", event.as.transfer_over.code);
    (void)snprintf(posted.error, sizeof(posted.error), "%s", event.as.transfer_over.error);
    assert_true(posted.ok == (posted.code[0] == '\0'));
    assert_true(posted.ok == (posted.error[0] == '\0'));
    assert_null(strchr(posted.error, '\n'));
    return posted;
}

struct posted post_put(struct post *post, const char *local, const char *remote)
{
    errand_error error = {0};
    uint64_t id = 0;

    if (errand_place_put(post->place, local, remote, NULL, &id, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    return post_wait(post, id);
}

struct posted post_get(struct post *post, const char *remote, const char *local)
{
    errand_error error = {0};
    uint64_t id = 0;

    if (errand_place_get(post->place, remote, local, NULL, &id, &error) != ERRAND_OK)
        fail_msg("%s", error.text);
    return post_wait(post, id);
}

const char *post_path(const char *folder, const char *name)
{
    static char paths[POST_PATHS][1024];
    static unsigned next_path;
    char *path = paths[next_path++ % COUNT(paths)];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

/* Never the same for two pieces in a row, and of all values. */
static void fill(char *piece, size_t at)
{
    for (size_t i = 0; i < PIECE; i++)
        piece[i] = (char)((at + i) * 31 + ((at + i) >> 8) * 7 + (at >> 16));
}

void post_write(const char *path, size_t size, unsigned mode)
{
    static char piece[PIECE];
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t count = size - at < PIECE ? size - at : PIECE;
        fill(piece, at);
        assert_int_equal(write(fd, piece, count), count);
    }
    assert_int_equal(fchmod(fd, (mode_t)mode), 0);
    assert_int_equal(close(fd), 0);
}

void post_check(const char *path, size_t size, unsigned mode)
{
    static char piece[PIECE], got[PIECE];
    struct stat facts = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0 && fstat(fd, &facts) == 0);
    assert_int_equal(facts.st_size, size);
    assert_int_equal(facts.st_mode & 07777, mode);
    for (size_t at = 0; at < size; at += PIECE) {
        size_t count = size - at < PIECE ? size - at : PIECE;
        fill(piece, at);
        assert_int_equal(read(fd, got, count), count);
        assert_memory_equal(got, piece, count);
    }
    assert_int_equal(close(fd), 0);
}
