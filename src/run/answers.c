/* answers.c - what the caller says to a run, from any thread. */
#include "run/run.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "core/json.h"
#include "core/utf8.h"
#include "run/loop.h"
#include "run/trace.h"

#include <sys/random.h>

enum { DEFECT_ID_LEN = 8, DEFECT_LINE_MOST = 400 };

/* Works on the run with the lock held, then lets the loop send what came of it. */
static int64_t enter(errand_run *run)
{
    errand__loop_lock(run->loop);
    return errand__loop_now(run->loop);
}

static void leave(errand_run *run)
{
    if (!run->ended)
        errand__loop_ready(&run->source);
    errand__loop_unlock(run->loop);
}

/* With the lock held. */
static errand_status take_answer(errand_run *run, int64_t now_us, uint64_t call, bool ok,
                                 errand_span json, errand_error *err)
{
    errand_status status = errand__core_answer(run->core, now_us, call, ok, json, err);

    if (status == ERRAND_OK || status == ERRAND_ELIMIT)
        errand__record_answer(&run->record, now_us, call, ok, json);
    return status;
}

static errand_status answer(errand_run *run, uint64_t call, bool ok, errand_span json,
                            errand_error *err)
{
    if (json.ptr == NULL && json.len > 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "reply: no bytes at its pointer");
    errand_status status = take_answer(run, enter(run), call, ok, json, err);
    leave(run);
    return status;
}

errand_status errand_run_reply(errand_run *run, uint64_t call, errand_span json, errand_error *err)
{
    errand__err_clear(err);
    return answer(run, call, true, json, err);
}

static errand_status push_string(struct buf *out, errand_span text)
{
    size_t len = errand__json_encoded_len(text);
    AUTO_FREE char *json = errand__mem_new(len + 1, 1);

    if (json == NULL)
        return ERRAND_ENOMEM;
    (void)errand__json_encode(json, text);
    return errand__buf_push(out, span_of(json, len));
}

/* {"message":…,"name":…,"code":…,"data":…} */
static errand_status error_object(struct buf *out, const char *message, const char *name,
                                  const char *code, errand_span data)
{
    const struct {
        const char *key;
        const char *text;
    } members[] = {{"{\"message\":", message}, {",\"name\":", name}, {",\"code\":", code}};

    for (size_t i = 0; i < COUNT(members); i++) {
        if (members[i].text == NULL)
            continue;
        errand_status status = errand__buf_push(out, span_text(members[i].key));
        if (status == ERRAND_OK)
            status = push_string(out, span_text(members[i].text));
        if (status != ERRAND_OK)
            return status;
    }
    errand_status status = ERRAND_OK;
    if (data.len > 0) {
        status = errand__buf_push(out, SPAN_LITERAL(",\"data\":"));
        if (status == ERRAND_OK)
            status = errand__buf_push(out, data);
    }
    return status == ERRAND_OK ? errand__buf_push(out, SPAN_LITERAL("}")) : status;
}

/* An error has that many members. NOLINTNEXTLINE(readability-function-size) */
errand_status errand_run_reject(errand_run *run, uint64_t call, const char *message,
                                const char *name, const char *code, errand_span data,
                                errand_error *err)
{
    struct buf json;
    size_t wrong = 0;

    errand__err_clear(err);
    if (data.ptr == NULL && data.len > 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "reject: no bytes at the pointer of data");
    /* Alone: inside of the object, what is none might make one with other members of it. */
    if (data.len > 0 && !errand__json_valid(data, &wrong))
        return errand__fail(err, ERRAND_EINVAL, 0, "reject: the data is no JSON text at byte %zu",
                            wrong);
    errand__buf_init(&json, SIZE_MAX / 2); /* The core knows the cap. */
    errand_status status = error_object(&json, message == NULL ? "" : message, name, code, data);
    if (status == ERRAND_OK)
        status = answer(run, call, false, errand__buf_peek(&json), err);
    else
        (void)errand__fail(err, status, 0, "reject: out of memory");
    errand__buf_deinit(&json);
    return status;
}

/* A word that tells one defect from another, and nothing else. */
static void name_defect(char id[DEFECT_ID_LEN + 1], uint64_t call)
{
    uint32_t word = 0;

    if (getrandom(&word, sizeof(word), GRND_NONBLOCK) != (ssize_t)sizeof(word))
        word = (uint32_t)call;
    for (size_t i = 0; i < DEFECT_ID_LEN; i++)
        id[i] = "0123456789abcdef"[word >> (4 * i) & 15u];
    id[DEFECT_ID_LEN] = '\0';
}

errand_status errand_run_defect(errand_run *run, uint64_t call, const char *detail, char *id,
                                errand_error *err)
{
    char json[] = "{\"message\":\"Internal tool error [00000000]\",\"code\":\"internal\"}";
    char word[DEFECT_ID_LEN + 1];
    char line[DEFECT_LINE_MOST];

    errand__err_clear(err);
    name_defect(word, call);
    memcpy(strchr(json, '[') + 1, word, DEFECT_ID_LEN);
    if (id != NULL)
        memcpy(id, word, sizeof(word));
    size_t len = errand__utf8_clean_line(line, sizeof(line), span_text(detail));
    /* Under one lock: once that is let go, the run may end on another thread, and be freed. */
    int64_t now_us = enter(run);
    errand_status status = take_answer(run, now_us, call, false, span_text(json), err);
    if (status == ERRAND_OK || status == ERRAND_ELIMIT)
        errand__trace(&run->plan, now_us, "run", "call %llu failed at home [%s]: %.*s",
                      (unsigned long long)call, word, (int)len, line);
    leave(run);
    return status;
}

static errand_status hold(errand_run *run, uint64_t call, bool held, errand_error *err)
{
    errand__err_clear(err);
    int64_t now_us = enter(run);
    errand_status status = errand__core_hold(run->core, now_us, call, held, err);
    if (status == ERRAND_OK)
        errand__record_hold(&run->record, now_us, call, held);
    leave(run);
    return status;
}

errand_status errand_run_hold(errand_run *run, uint64_t call, errand_error *err)
{
    return hold(run, call, true, err);
}

errand_status errand_run_resume(errand_run *run, uint64_t call, errand_error *err)
{
    return hold(run, call, false, err);
}

void errand__run_cancel(errand_run *run, int64_t now_us, errand_span reason)
{
    if (run->ended)
        return;
    errand__record_cancel(&run->record, now_us, reason);
    errand__core_cancel(run->core, now_us, reason);
    errand__loop_ready(&run->source);
}

void errand_run_cancel(errand_run *run, const char *reason)
{
    int64_t now_us = enter(run);
    errand__run_cancel(run, now_us, span_text(reason == NULL ? "cancelled" : reason));
    leave(run);
}

void errand__run_pause(errand_run *run, bool paused)
{
    (void)enter(run);
    run->paused = paused;
    leave(run);
}

void *errand_run_user(const errand_run *run)
{
    return run->plan.user;
}

const char *errand_run_phase(errand_run *run)
{
    (void)enter(run);
    const char *name = errand__core_phase_name(errand__core_phase(run->core));
    errand__loop_unlock(run->loop);
    return name;
}

size_t errand_run_calls_open(errand_run *run)
{
    (void)enter(run);
    size_t count = errand__core_calls_open(run->core);
    errand__loop_unlock(run->loop);
    return count;
}
