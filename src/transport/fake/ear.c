/* ear.c - the frames of docs/protocol.md, section 3, a byte at a time where it must be.
 *
 * The boot frame is looked for, not counted to: what stands before it is for a shell, and
 * changes with the launch line. */
#include "transport/fake/ear.h"
#include "base/err.h"
#include "transport/fake/script.h"

#include <inttypes.h>

enum {
    WORDS_MAX = 4,
    EXCERPT_MAX = 80,
    NUMBER_DIGITS = 16 /* 2^53 has as many. */
};
#define NUMBER_MAX ((UINT64_C(1) << 53) - 1)

struct header {
    errand_span words[WORDS_MAX];
    size_t count;
};

void errand__fake_ear_init(struct fake_ear *ear)
{
    *ear = (struct fake_ear){.listening = FAKE_LISTEN_BOOT};
    errand__buf_init(&ear->answers, FAKE_ANSWERS_MAX * sizeof(struct fake_answer));
}

void errand__fake_ear_deinit(struct fake_ear *ear)
{
    errand__buf_deinit(&ear->answers);
}

static size_t answers_count(const struct fake_ear *ear)
{
    return errand__buf_peek(&ear->answers).len / sizeof(struct fake_answer);
}

/* The queue is bytes; the copy is what keeps alignment out of it. */
static struct fake_answer answer_at(const struct fake_ear *ear, size_t index)
{
    struct fake_answer answer;
    memcpy(&answer, errand__buf_peek(&ear->answers).ptr + index * sizeof(answer), sizeof(answer));
    return answer;
}

static void forget_taken(struct fake_ear *ear)
{
    while (answers_count(ear) > 0 && answer_at(ear, 0).id == 0)
        errand__buf_consume(&ear->answers, sizeof(struct fake_answer));
}

static size_t find_answer(const struct fake_ear *ear, uint64_t id)
{
    size_t count = answers_count(ear);

    for (size_t i = 0; i < count; i++) {
        if (answer_at(ear, i).id == id)
            return i;
    }
    return count;
}

bool errand__fake_ear_has_answer(const struct fake_ear *ear, uint64_t id)
{
    return id != 0 && find_answer(ear, id) < answers_count(ear);
}

bool errand__fake_ear_answer(struct fake_ear *ear, uint64_t id, struct fake_answer *out)
{
    if (!errand__fake_ear_has_answer(ear, id))
        return false;
    size_t index = find_answer(ear, id);
    *out = answer_at(ear, index);
    char *slot = ear->answers.bytes + ear->answers.start + index * sizeof(*out);
    memset(slot, 0, sizeof(*out));
    forget_taken(ear);
    return true;
}

static errand_status keep_answer(struct fake_ear *ear, errand_error *err)
{
    if (find_answer(ear, ear->answer.id) < answers_count(ear))
        return errand__fail(err, ERRAND_EINVAL, 0, "fake: home answered call %" PRIu64 " twice",
                            ear->answer.id);
    if (answers_count(ear) == FAKE_ANSWERS_MAX)
        errand__buf_consume(&ear->answers, sizeof(ear->answer));
    if (errand__buf_push(&ear->answers, span_of(&ear->answer, sizeof(ear->answer))) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "fake: no memory");
    return ERRAND_OK;
}

static bool number_of(errand_span word, uint64_t *number)
{
    if (word.len == 0 || word.len > NUMBER_DIGITS || (word.len > 1 && word.ptr[0] == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < word.len; i++) {
        if (word.ptr[i] < '0' || word.ptr[i] > '9')
            return false;
        *number = *number * 10 + (uint64_t)(word.ptr[i] - '0');
    }
    return *number <= NUMBER_MAX;
}

/* false: not words with single spaces between them. */
static bool split(errand_span line, struct header *header)
{
    *header = (struct header){.count = 0};
    for (;;) {
        const char *blank = memchr(line.ptr, ' ', line.len);
        size_t len = blank == NULL ? line.len : (size_t)(blank - line.ptr);
        if (len == 0 || header->count == WORDS_MAX)
            return false;
        header->words[header->count++] = span_head(line, len);
        if (blank == NULL)
            return true;
        line = span_after(line, len + 1);
        if (line.len == 0)
            return false;
    }
}

static errand_status not_a_frame(errand_span line, errand_error *err)
{
    return errand__fail(err, ERRAND_EINVAL, 0, "fake: home sent what is no frame: %.*s",
                        line.len < EXCERPT_MAX ? (int)line.len : EXCERPT_MAX, line.ptr);
}

static bool begin_reply(struct fake_ear *ear, const struct header *header)
{
    struct fake_answer answer = {.hash = FAKE_HASH_FIRST};

    if (header->count != 4 || !number_of(header->words[1], &answer.id) || answer.id == 0 ||
        !number_of(header->words[3], &answer.size))
        return false;
    answer.ok = span_is(header->words[2], "ok");
    if (!answer.ok && !span_is(header->words[2], "error"))
        return false;
    ear->answer = answer;
    ear->left = answer.size;
    ear->hearing = FAKE_HEARD_REPLY;
    ear->listening = FAKE_LISTEN_PAYLOAD;
    return true;
}

static bool begin_asset(struct fake_ear *ear, const struct header *header)
{
    if (header->count != 3 || !number_of(header->words[2], &ear->left))
        return false;
    ear->hearing = FAKE_HEARD_ASSET;
    ear->listening = FAKE_LISTEN_PAYLOAD;
    return true;
}

/* The line that follows the first write: half of the mark and a full stop. */
static bool is_half(const struct fake_ear *ear, errand_span line)
{
    return !ear->half && line.len == FAKE_MARK_LEN / 2 + 1 && line.ptr[line.len - 1] == '.';
}

static errand_status header_over(struct fake_ear *ear, errand_error *err)
{
    errand_span line = span_of(ear->header, ear->header_len);
    struct header header;
    uint64_t number = 0;

    ear->header_len = 0;
    if (is_half(ear, line)) {
        ear->half = true;
        return ERRAND_OK;
    }
    if (!split(line, &header))
        return not_a_frame(line, err);
    if (span_is(header.words[0], "reply") && begin_reply(ear, &header)) {
        if (ear->answer.id > ear->call_last)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "fake: home answered call %" PRIu64 ", which was never made",
                                ear->answer.id);
        return ERRAND_OK;
    }
    if (span_is(header.words[0], "asset") && begin_asset(ear, &header))
        return ERRAND_OK;
    if (header.count != 2 || !number_of(header.words[1], &number))
        return not_a_frame(line, err);
    if (span_is(header.words[0], "stop")) {
        ear->stopped = true;
        ear->stop_ms = number;
    } else if (span_is(header.words[0], "ping")) {
        ear->pings++;
        ear->ping = number;
    } else {
        return not_a_frame(line, err);
    }
    return ERRAND_OK;
}

/* Looks for "boot SIZE" and a line break, wherever it stands. */
static void seek_boot(struct fake_ear *ear, char byte)
{
    static const char word[] = "boot ";
    const size_t word_len = sizeof(word) - 1;

    if (ear->boot_matched < word_len) {
        if (byte == word[ear->boot_matched])
            ear->boot_matched++;
        else
            ear->boot_matched = byte == word[0];
        ear->left = 0;
        return;
    }
    if (byte >= '0' && byte <= '9' && ear->boot_matched < word_len + NUMBER_DIGITS) {
        ear->left = ear->left * 10 + (uint64_t)(byte - '0');
        ear->boot_matched++;
        return;
    }
    if (byte == '\n' && ear->boot_matched > word_len && ear->left > 0) {
        ear->hearing = FAKE_HEARD_BOOT;
        ear->listening = FAKE_LISTEN_PAYLOAD;
    }
    ear->boot_matched = byte == word[0];
}

/* How many bytes at the head are no part of it; most of what comes before is a packed runner. */
static size_t before_boot(const struct fake_ear *ear, errand_span bytes)
{
    if (ear->boot_matched > 0)
        return 0;
    const char *first = memchr(bytes.ptr, 'b', bytes.len);
    return first == NULL ? bytes.len : (size_t)(first - bytes.ptr);
}

static errand_status hear_header(struct fake_ear *ear, char byte, errand_error *err)
{
    if (byte == '\n') {
        ear->listening = FAKE_LISTEN_HEADER;
        return header_over(ear, err);
    }
    if (byte < 0x20 || byte == 0x7f || ear->header_len == FAKE_HEADER_MAX)
        return not_a_frame(span_of(ear->header, ear->header_len), err);
    ear->header[ear->header_len++] = byte;
    return ERRAND_OK;
}

static errand_status payload_over(struct fake_ear *ear, char byte, errand_error *err)
{
    if (byte != '\n')
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "fake: a payload from home is longer than its header says");
    ear->listening = FAKE_LISTEN_HEADER;
    switch (ear->hearing) {
    case FAKE_HEARD_BOOT:
        ear->booted = true;
        return ERRAND_OK;
    case FAKE_HEARD_REPLY:
        return keep_answer(ear, err);
    case FAKE_HEARD_ASSET:
        ear->assets++;
        return ERRAND_OK;
    }
    return ERRAND_OK;
}

/* Takes a part of bytes, at least one, and moves on. */
static errand_status step(struct fake_ear *ear, errand_span bytes, size_t *used, errand_error *err)
{
    *used = 1;
    switch (ear->listening) {
    case FAKE_LISTEN_BOOT:
        *used = before_boot(ear, bytes);
        if (*used == 0)
            seek_boot(ear, bytes.ptr[(*used)++]);
        return ERRAND_OK;
    case FAKE_LISTEN_HEADER:
        if (ear->half && ear->header_len == 0 && ear->runner_left > 0) {
            *used = ear->runner_left < bytes.len ? (size_t)ear->runner_left : bytes.len;
            ear->runner_left -= *used;
            return ERRAND_OK;
        }
        return hear_header(ear, bytes.ptr[0], err);
    case FAKE_LISTEN_PAYLOAD:
        if (ear->left == 0)
            return payload_over(ear, bytes.ptr[0], err);
        *used = ear->left < bytes.len ? (size_t)ear->left : bytes.len;
        if (ear->hearing == FAKE_HEARD_REPLY)
            ear->answer.hash = errand__fake_hash(ear->answer.hash, span_head(bytes, *used));
        ear->left -= *used;
        return ERRAND_OK;
    }
    return ERRAND_OK;
}

errand_status errand__fake_ear_hear(struct fake_ear *ear, errand_span bytes, errand_error *err)
{
    ear->total += bytes.len;
    while (bytes.len > 0) {
        size_t used = 0;
        errand_status status = step(ear, bytes, &used, err);
        if (status != ERRAND_OK)
            return status;
        bytes = span_after(bytes, used);
    }
    return ERRAND_OK;
}
