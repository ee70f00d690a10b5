/* file.c - a shell looks what stands there, the sandbox's own service carries the bytes, and a
 * shell gives them their permission bits and their name. A download that breaks is taken up where
 * it stopped. Decides nothing about how long is too long, but for its own leaving. */
#include "transport/e2b/file.h"

#include "base/err.h"
#include "base/mem.h"
#include "transport/cargo.h"
#include "transport/e2b/headers.h"
#include "transport/e2b/road.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum {
    CHORE_US = 20 * 1000 * 1000,
    ANSWER_MOST = 64 * 1024,
    HELD_MOST = 1024 * 1024,
    URL_MOST = 3 * (ERRAND_CARGO_PATH_MOST + 64) + 2 * E2B_URL_MOST,
    RESUME_US = 45 * 1000 * 1000,
    NOTHING_THERE = 416,         /* Of HTTP: the part that was asked for is none. */
    SILENT_US = 15 * 1000 * 1000 /* A download without a byte for so long is asked for anew. */
};

/* $0: the path. The first word says what becomes of it; behind the first line stands the folder
 * that relative paths begin in. */
static const char ask_put[] = "f(){ echo \"$1\";exit 1;};p=$0;[ -d \"$p\" ]&&f is_folder\n"
                              "[ -e \"$p\" ]&&{ [ -f \"$p\" ]||f no_file;}\n"
                              "case $p in */*)d=${p%/*};d=${d:-/};;*)d=.;;esac\n"
                              "[ -d \"$d\" ]||f no_folder;[ -w \"$d\" ]||f denied\n"
                              "echo ready;printf %s \"$PWD\"";
static const char ask_get[] =
    "f(){ echo \"$1\";exit 1;};p=$0;[ -e \"$p\" ]||f not_found;[ -d \"$p\" ]&&f is_folder\n"
    "[ -f \"$p\" ]||f no_file;[ -r \"$p\" ]||f denied;n=$(wc -c <\"$p\")||f failed;n=$(echo $n)\n"
    "q=$(LC_ALL=C ls -ldL \"$p\")||q=;echo \"ready $n ${q%% *}\";printf %s \"$PWD\"";
/* $0: permission bits. $1: the file beside. $2: the path. $3: its size. Run twice, the second time
 * finds the name already given. */
static const char finish_put[] =
    "LC_ALL=C;export LC_ALL;if [ ! -e \"$1\" ]&&[ -f \"$2\" ];then\n"
    "n=$(wc -c <\"$2\")&&[ $n -eq \"$3\" ]&&exit 0;fi\n"
    "n=$(wc -c <\"$1\")&&[ $n -eq \"$3\" ]&&chmod \"$0\" \"$1\"&&mv -f \"$1\" \"$2\"";
/* An upload that was broken off goes another way than this, and may make its file behind it. */
static const char clear_put[] = "rm -f \"$0\";sleep 1;rm -f \"$0\"";

static const char boundary[] = "errand-5f0e3a7c91d24b68";

static struct e2b_file *file_of(errand_carrier *self)
{
    return (struct e2b_file *)(void *)self;
}

/* --- Failing ---------------------------------------------------------------------------------- */

static bool begin_chore(struct e2b_file *file, const char *script, const char *const *words)
{
    errand__e2b_chore_deinit(&file->chore);
    if (!errand__e2b_chore_init(&file->chore, &file->road->envd, script, words, &file->bell))
        return false;
    errand__e2b_chore_begin(&file->chore, file->road->now_us, CHORE_US);
    errand__e2b_road_push(file->road);
    return true;
}

static void clear(struct e2b_file *file)
{
    const char *words[] = {file->temporary, NULL};

    errand__e2b_exchange_free(file->exchange);
    file->exchange = NULL;
    file->lent = 0;
    file->stage = E2B_FILE_OVER;
    if (file->temporary != NULL && begin_chore(file, clear_put, words))
        file->stage = E2B_FILE_CLEARING;
}

/* The first cause stands. */
static void fail(struct e2b_file *file, const char *code, const char *detail)
{
    if (file->code != NULL)
        return;
    file->code = code;
    (void)errand__cargo_fail(&file->failure, file->path, file->cargo.put != 0, code, detail);
    clear(file);
}

static void fail_as(struct e2b_file *file, const struct e2b_failure *failure)
{
    const char *code = errand__cargo_code_named(span_text(failure->code));
    bool lost = failure->unsure || failure->retryable;

    fail(file, code != NULL ? code : lost ? "lost" : "failed", failure->error.text);
    if (failure->retryable)
        errand__err_retryable(&file->failure, failure->after_us / 1000);
}

/* --- What stands there ------------------------------------------------------------------------ */

static bool make_absolute(struct e2b_file *file, errand_span folder)
{
    size_t len = strlen(file->path);
    char *path = NULL;

    if (file->path[0] == '/')
        return true;
    path = errand__mem_new(folder.len + len + 2, 1);
    if (path == NULL)
        return false;
    (void)snprintf(path, folder.len + len + 2, "%.*s/%s", (int)folder.len, folder.ptr, file->path);
    errand__mem_free(file->path);
    file->path = path;
    file->cargo.path = path;
    return true;
}

/* Beside it, under a name that nobody guesses. */
static bool name_temporary(struct e2b_file *file)
{
    uint64_t chance = 0;
    const char *slash = strrchr(file->path, '/');
    size_t room = strlen(file->path) + 40;

    (void)!getrandom(&chance, sizeof(chance), 0);
    file->temporary = errand__mem_new(room, 1);
    if (file->temporary == NULL)
        return false;
    (void)snprintf(file->temporary, room, "%.*s/.errand-%016" PRIx64, (int)(slash - file->path),
                   file->path, chance);
    return true;
}

/* "ready", or "ready SIZE LETTERS" of a get; else a word for why not. */
static bool take_first_line(struct e2b_file *file, char *line)
{
    char *end = NULL;

    if (strncmp(line, "ready", 5) != 0) {
        const char *code = errand__cargo_code_named(span_text(line));
        fail(file, code == NULL ? "failed" : code, code == NULL ? file->chore.last : NULL);
        return false;
    }
    if (file->cargo.put != 0)
        return true;
    errno = 0;
    unsigned long long size = strtoull(line + 5, &end, 10);
    if (errno != 0 || *end != ' ')
        fail(file, "failed", "its answer is none");
    else if (size > file->cargo.size)
        fail(file, "too_large", NULL);
    file->cargo.size = size;
    file->cargo.mode = errand__cargo_mode(file->code == NULL ? end + 1 : "");
    return file->code == NULL;
}

static void take_answer(struct e2b_file *file)
{
    errand_span said = errand__buf_peek(&file->chore.said);
    char line[128];
    const char *end = said.len == 0 ? NULL : memchr(said.ptr, '\n', said.len);
    size_t len = end == NULL ? 0 : (size_t)(end - said.ptr);

    if (file->chore.end == E2B_CHORE_FAILED) {
        fail_as(file, &file->chore.failure);
        return;
    }
    if (end == NULL || len >= sizeof(line)) {
        fail(file, "failed", file->chore.last);
        return;
    }
    memcpy(line, said.ptr, len);
    line[len] = '\0';
    if (!take_first_line(file, line))
        return;
    if (!make_absolute(file, span_after(said, len + 1)) ||
        (file->cargo.put != 0 && !name_temporary(file))) {
        fail(file, "failed", "no memory at home");
        return;
    }
    file->stage = E2B_FILE_CARRYING;
}

/* --- Requests --------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '-' || c == '_' || c == '.' || c == '~';
}

/* false: it does not fit. */
static bool make_url(const struct e2b_file *file, char url[static URL_MOST])
{
    const char *path = file->cargo.put != 0 ? file->temporary : file->path;
    const char *user = errand__e2b_envd_user(&file->road->envd);
    int used = snprintf(url, URL_MOST, "%s/files?%s%s%spath=", file->road->envd.url,
                        user == NULL ? "" : "username=", user == NULL ? "" : user,
                        user == NULL ? "" : "&");

    for (; *path != '\0' && used + 4 < URL_MOST; path++)
        used += is_plain(*path) ? snprintf(url + used, 2, "%c", *path)
                                : snprintf(url + used, 4, "%%%02X", (unsigned char)*path);
    return *path == '\0';
}

static bool takes_plain_bodies(const struct e2b_file *file)
{
    return errand__e2b_version_is_least(file->road->sandbox.version, 0, 5, 7);
}

static int form_head(char text[static 256])
{
    return snprintf(text, 256,
                    "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file\"\r\n"
                    "Content-Type: application/octet-stream\r\n\r\n",
                    boundary);
}

static int form_tail(char text[static 64])
{
    return snprintf(text, 64, "\r\n--%s--\r\n", boundary);
}

static bool post(struct e2b_file *file, const char *url, struct e2b_headers *headers)
{
    char head[256] = "", tail[64] = "", type[96];
    bool plain = takes_plain_bodies(file);
    size_t head_len = plain ? 0 : (size_t)form_head(head);
    size_t tail_len = plain ? 0 : (size_t)form_tail(tail);

    (void)snprintf(type, sizeof(type), "multipart/form-data; boundary=%s", boundary);
    errand__e2b_headers_add(headers, "Content-Type", plain ? "application/octet-stream" : type);
    file->tail_sent = plain;
    const struct e2b_request request = {.name = "upload",
                                        .method = "POST",
                                        .url = url,
                                        .headers = headers->list,
                                        .body = span_of(head, head_len),
                                        .body_len = head_len + file->cargo.size + tail_len,
                                        .lone = true,
                                        .answer_most = ANSWER_MOST,
                                        .bell = &file->bell};
    file->exchange = errand__e2b_exchange_new(&file->road->http, &request);
    return file->exchange != NULL;
}

static bool get(struct e2b_file *file, const char *url, struct e2b_headers *headers)
{
    char range[64];
    bool part = file->done > 0;

    (void)snprintf(range, sizeof(range), "bytes=%" PRIu64 "-", file->done);
    errand__e2b_headers_add(headers, "Range", part ? range : NULL);
    errand__e2b_headers_add(headers, "If-Range",
                            part && file->modified[0] != '\0' ? file->modified : NULL);
    const struct e2b_request request = {.name = "download",
                                        .method = "GET",
                                        .url = url,
                                        .headers = headers->list,
                                        .stream = true,
                                        .lone = true,
                                        .answer_most = HELD_MOST,
                                        .bell = &file->bell};
    file->exchange = errand__e2b_exchange_new(&file->road->http, &request);
    return file->exchange != NULL;
}

static void begin_carrying(struct e2b_file *file)
{
    AUTO_FREE char *url = errand__mem_new(URL_MOST, 1);
    struct e2b_headers headers;
    bool begun = false;

    errand__e2b_exchange_free(file->exchange);
    file->exchange = NULL;
    file->again_us = TIME_NEVER;
    file->checked = false;
    if (url == NULL || !make_url(file, url)) {
        fail(file, "failed", "no memory at home");
        return;
    }
    errand__e2b_envd_headers(&file->road->envd, &headers);
    begun = !headers.too_long &&
            (file->cargo.put != 0 ? post(file, url, &headers) : get(file, url, &headers));
    errand__e2b_headers_wipe(&headers);
    if (!begun)
        fail(file, "failed", "no memory at home");
    errand__e2b_road_push(file->road);
}

/* --- Putting ---------------------------------------------------------------------------------- */

static void finish(struct e2b_file *file)
{
    char mode[16], size[24];

    (void)snprintf(mode, sizeof(mode), "%04" PRIo32, file->cargo.mode & 07777);
    (void)snprintf(size, sizeof(size), "%" PRIu64, file->cargo.size);
    const char *words[] = {mode, file->temporary, file->path, size, NULL};
    file->stage = E2B_FILE_FINISHING;
    if (!begin_chore(file, finish_put, words))
        fail(file, "failed", "no memory at home");
}

static void send_tail(struct e2b_file *file)
{
    char tail[64];

    if (file->tail_sent || file->done < file->cargo.size)
        return;
    size_t len = (size_t)form_tail(tail);
    file->tail_sent = errand__e2b_exchange_feed(file->exchange, span_of(tail, len)) == len;
    errand__e2b_road_push(file->road);
}

static void judge(struct e2b_file *file)
{
    struct e2b_secrets secrets = errand__e2b_envd_secrets(&file->road->envd);
    struct e2b_failure failure;

    errand__e2b_error_judge(&failure, file->exchange, E2B_PLANE_FILE, &secrets);
    fail_as(file, &failure);
}

static void put_on(struct e2b_file *file)
{
    send_tail(file);
    if (!file->exchange->over)
        return;
    if (!errand__e2b_envd_worked(file->exchange) || file->done < file->cargo.size) {
        judge(file);
        return;
    }
    errand__e2b_exchange_free(file->exchange);
    file->exchange = NULL;
    finish(file);
}

/* --- Getting ---------------------------------------------------------------------------------- */

/* What is announced is as long as the file was. */
static bool is_as_long(const struct e2b_file *file)
{
    char wanted[24];

    (void)snprintf(wanted, sizeof(wanted), "%" PRIu64, file->cargo.size);
    return file->exchange->length[0] == '\0' || strcmp(file->exchange->length, wanted) == 0;
}

/* The whole of the file that was asked about, or the rest of it. */
static bool is_what_was_asked(struct e2b_file *file)
{
    char wanted[64];

    if (file->done == 0) {
        (void)snprintf(file->modified, sizeof(file->modified), "%s", file->exchange->modified);
        return file->exchange->status == 200 && is_as_long(file);
    }
    (void)snprintf(wanted, sizeof(wanted), "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, file->done,
                   file->cargo.size - 1, file->cargo.size);
    return file->exchange->status == 206 && strcmp(file->exchange->range, wanted) == 0;
}

static void get_later(struct e2b_file *file, const struct e2b_failure *failure, int64_t now_us)
{
    file->again_us =
        failure->retryable ? errand__e2b_patience_next(&file->patience, now_us) : TIME_NEVER;
    if (file->again_us == TIME_NEVER)
        fail_as(file, failure);
}

static void get_again(struct e2b_file *file, int64_t now_us)
{
    struct e2b_failure failure;
    struct e2b_secrets secrets = errand__e2b_envd_secrets(&file->road->envd);
    const struct e2b_exchange *exchange = file->exchange;

    /* A proper end too early, or nothing where the rest should be. */
    if (exchange->result == CURLE_OK &&
        (exchange->status <= 299 || exchange->status == NOTHING_THERE)) {
        fail(file, "changed", NULL);
        return;
    }
    errand__e2b_error_judge(&failure, exchange, E2B_PLANE_FILE, &secrets);
    get_later(file, &failure, now_us);
}

static bool is_silent(const struct e2b_file *file, int64_t now_us)
{
    const struct e2b_exchange *exchange = file->exchange;

    return !exchange->over && !exchange->reading_paused && now_us >= exchange->heard_us + SILENT_US;
}

static void drop_silent(struct e2b_file *file, int64_t now_us)
{
    struct e2b_failure failure;

    errand__e2b_diary_note(&file->road->diary, "download: silent at %" PRIu64 " bytes", file->done);
    errand__e2b_error_set(&failure, "stalled", "the sandbox says nothing any more");
    failure.retryable = true;
    get_later(file, &failure, now_us);
}

/* true: *out has bytes. */
static bool get_on(struct e2b_file *file, int64_t now_us, errand_carrier_notice *out)
{
    struct e2b_exchange *exchange = file->exchange;
    errand_span bytes = errand__buf_peek(&exchange->in);
    uint64_t left = file->cargo.size - file->done;

    if (exchange->status >= 200 && exchange->status <= 299 && bytes.len > 0) {
        /* More than there was counts as another file. */
        if ((!file->checked && !is_what_was_asked(file)) || bytes.len > left) {
            fail(file, "changed", NULL);
            return false;
        }
        file->checked = true;
        file->lent = bytes.len;
        *out = (errand_carrier_notice){.type = ERRAND_CARRIER_BYTES, .bytes = bytes};
        return true;
    }
    if (left == 0) {
        file->stage = E2B_FILE_CHECKING;
        begin_carrying(file);
    } else if (exchange->over) {
        get_again(file, now_us);
    } else if (is_silent(file, now_us)) {
        drop_silent(file, now_us);
    }
    return false;
}

/* There is nothing behind the last byte, and what is told of the file is as it was. */
static bool ends_there(const struct e2b_file *file)
{
    const struct e2b_exchange *exchange = file->exchange;
    char wanted[40];

    if (!exchange->over || exchange->result != CURLE_OK || exchange->status != NOTHING_THERE)
        return false;
    (void)snprintf(wanted, sizeof(wanted), "bytes */%" PRIu64, file->cargo.size);
    return (exchange->range[0] == '\0' || strcmp(exchange->range, wanted) == 0) &&
           (exchange->modified[0] == '\0' || strcmp(exchange->modified, file->modified) == 0);
}

/* All bytes came; whoever writes to it meanwhile may have made it longer since, or other. There is
 * nothing behind its end, or the server knows no parts and says the same as at the beginning. */
static void check_on(struct e2b_file *file, int64_t now_us)
{
    const struct e2b_exchange *exchange = file->exchange;
    bool same = exchange->status == 200 && exchange->length[0] != '\0' && is_as_long(file) &&
                strcmp(exchange->modified, file->modified) == 0;

    if (same || ends_there(file) ||
        (exchange->over && exchange->result == CURLE_OK && exchange->received == 0 &&
         exchange->status >= 200 && exchange->status <= 299))
        file->stage = E2B_FILE_OVER;
    else if (errand__buf_peek(&exchange->in).len > 0 && exchange->status >= 200 &&
             exchange->status <= 299)
        fail(file, "changed", NULL);
    else if (exchange->over)
        get_again(file, now_us);
    else if (is_silent(file, now_us))
        drop_silent(file, now_us);
}

static void take_back(struct e2b_file *file)
{
    if (file->lent == 0)
        return;
    errand__buf_consume(&file->exchange->in, file->lent);
    file->done += file->lent;
    file->lent = 0;
    file->patience.tries = 0;
    errand__e2b_patience_init(&file->patience, file->road->now_us + RESUME_US);
    errand__e2b_exchange_resume(file->exchange);
}

/* --- Steps ------------------------------------------------------------------------------------ */

static void look_at_chore(struct e2b_file *file)
{
    if (file->stage == E2B_FILE_ASKING) {
        take_answer(file);
        return;
    }
    if (file->stage == E2B_FILE_CLEARING) {
        file->stage = E2B_FILE_OVER;
        return;
    }
    if (file->chore.end == E2B_CHORE_FAILED) {
        fail_as(file, &file->chore.failure);
    } else if (file->chore.exit_code != 0) {
        const char *code = errand__cargo_code_heard(file->chore.last);
        fail(file, code == NULL ? "failed" : code, code == NULL ? file->chore.last : NULL);
    } else {
        file->stage = E2B_FILE_OVER;
    }
}

static bool tell_ready(struct e2b_file *file, errand_carrier_notice *out)
{
    if (file->told_ready || file->stage != E2B_FILE_CARRYING)
        return false;
    file->told_ready = true;
    *out = (errand_carrier_notice){
        .type = ERRAND_CARRIER_READY, .size = file->cargo.size, .mode = file->cargo.mode};
    return true;
}

static bool carry_on(struct e2b_file *file, int64_t now_us, errand_carrier_notice *out)
{
    if (file->stage != E2B_FILE_CARRYING && file->stage != E2B_FILE_CHECKING)
        return false;
    if (file->exchange == NULL && file->cargo.put == 0 && file->cargo.size == 0) {
        file->stage = E2B_FILE_OVER;
        return false;
    }
    if (file->exchange == NULL || file->again_us <= now_us)
        begin_carrying(file);
    if (file->exchange == NULL || file->again_us != TIME_NEVER)
        return false;
    if (file->stage == E2B_FILE_CHECKING)
        check_on(file, now_us);
    else if (file->cargo.put == 0)
        return get_on(file, now_us, out);
    else
        put_on(file);
    return false;
}

static bool has_chore(const struct e2b_file *file)
{
    return file->stage == E2B_FILE_ASKING || file->stage == E2B_FILE_FINISHING ||
           file->stage == E2B_FILE_CLEARING;
}

static errand_status file_next(errand_carrier *self, int64_t now_us, errand_scratch scratch,
                               errand_carrier_notice *out, errand_error *err)
{
    struct e2b_file *file = file_of(self);

    (void)scratch; /* Bytes are lent from where they came in. */
    errand__bell_calm(&file->bell);
    file->road->now_us = file->road->http.now_us = now_us;
    take_back(file);
    if (has_chore(file) && errand__e2b_chore_turn(&file->chore, now_us))
        look_at_chore(file);
    if (tell_ready(file, out) || carry_on(file, now_us, out))
        return ERRAND_OK;
    if (file->stage != E2B_FILE_OVER)
        return ERRAND_AGAIN;
    if (file->code != NULL) {
        if (err != NULL)
            *err = file->failure;
        return file->failure.status;
    }
    if (file->told_done)
        return ERRAND_AGAIN;
    file->told_done = true;
    *out = (errand_carrier_notice){.type = ERRAND_CARRIER_DONE};
    return ERRAND_OK;
}

static errand_status file_send(errand_carrier *self, errand_span bytes, size_t *taken,
                               errand_error *err)
{
    struct e2b_file *file = file_of(self);

    (void)err;
    *taken = 0;
    if (file->exchange == NULL || file->stage != E2B_FILE_CARRYING)
        return ERRAND_OK;
    *taken = errand__e2b_exchange_feed(file->exchange, bytes);
    file->done += *taken;
    if (*taken > 0)
        errand__e2b_road_push(file->road);
    return ERRAND_OK;
}

static void file_stop(errand_carrier *self, int64_t now_us)
{
    struct e2b_file *file = file_of(self);

    file->road->now_us = file->road->http.now_us = now_us;
    if (file->stage < E2B_FILE_CLEARING)
        fail(file, "cancelled", NULL);
    errand__bell_ring(&file->bell);
}

static int64_t file_due(const struct e2b_file *file)
{
    const struct e2b_exchange *exchange = file->exchange;

    if (has_chore(file))
        return errand__e2b_chore_due(&file->chore);
    if (file->again_us != TIME_NEVER || file->cargo.put != 0 || exchange == NULL ||
        exchange->over || exchange->reading_paused)
        return file->again_us;
    return exchange->heard_us + SILENT_US;
}

static size_t file_wants(errand_carrier *self, int reading, int writing, struct pollfd *fds,
                         size_t fds_max, int64_t *due_us)
{
    struct e2b_file *file = file_of(self);

    *due_us = TIME_NEVER;
    if (!reading && !writing)
        return 0;
    if (reading)
        *due_us = file_due(file);
    if (fds_max > 0)
        fds[0] = (struct pollfd){file->bell.fd, POLLIN, 0};
    return 1;
}

static void file_free(errand_carrier *self)
{
    struct e2b_file *file = file_of(self);

    if (file == NULL)
        return;
    LIST_DROP(file->road->files, file, next);
    errand__e2b_chore_deinit(&file->chore);
    errand__e2b_exchange_free(file->exchange);
    errand__bell_ring(&file->road->bell);
    errand__bell_deinit(&file->bell);
    errand__mem_free(file->path);
    errand__mem_free(file->temporary);
    errand__mem_free(file);
}

static const char *file_code(errand_carrier *self)
{
    return file_of(self)->code;
}

static const errand_carrier_ops file_ops = {.size = sizeof(errand_carrier_ops),
                                            .next = file_next,
                                            .send = file_send,
                                            .stop = file_stop,
                                            .wants = file_wants,
                                            .free = file_free,
                                            .code = file_code};

errand_status errand__e2b_file_new(errand_carrier **out, struct e2b_road *road,
                                   const errand_cargo *cargo, errand_error *err)
{
    struct e2b_file *file = errand__mem_new(1, sizeof(*file));

    *out = NULL;
    if (file == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    file->base.ops = &file_ops;
    file->road = road;
    file->cargo = *cargo;
    file->again_us = TIME_NEVER;
    file->path = errand__mem_copy(cargo->path, strlen(cargo->path));
    file->cargo.path = file->path;
    errand__e2b_patience_init(&file->patience, road->now_us + RESUME_US);
    file->next = road->files;
    road->files = file;
    const char *words[] = {file->path, NULL};
    if (!errand__bell_init(&file->bell) || file->path == NULL ||
        !begin_chore(file, cargo->put != 0 ? ask_put : ask_get, words)) {
        file_free(&file->base);
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory or no descriptor");
    }
    *out = &file->base;
    return ERRAND_OK;
}
