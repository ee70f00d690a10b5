/* tools.c - functions at home, at once or later. */
#include "tools.h"

#include "base/mem.h"
#include "file.h"

#include <inttypes.h>
#include <jansson.h>

enum { LATER_MAX = 4096 };

/* What is left to do about a call. */
enum step { STEP_REPLY, STEP_RESUME, STEP_REJECT };

struct later {
    uint64_t call;
    int64_t at_us;
    int64_t then_us; /* Of STEP_RESUME: until its reply. */
    enum step step;
    char *json;
};

struct desk {
    const struct scenario *scenario;
    errand_run *run;
    FILE *notes;
    uint64_t counted;
    struct later later[LATER_MAX];
    size_t later_count;
};

/* One call in the hands of its tool. */
struct question {
    struct desk *desk;
    const struct tool *tool;
    uint64_t call;
    errand_span args;
    json_t *fields; /* args where they are an object, else NULL. */
    int64_t now_us;
};

struct desk *desk_new(const struct scenario *scenario, errand_run *run, FILE *notes)
{
    struct desk *desk = errand__mem_new(1, sizeof(*desk));
    assert(desk != NULL);
    desk->scenario = scenario;
    desk->run = run;
    desk->notes = notes;
    return desk;
}

void desk_free(struct desk *desk)
{
    if (desk == NULL)
        return;
    for (size_t i = 0; i < desk->later_count; i++)
        errand__mem_free(desk->later[i].json);
    errand__mem_free(desk);
}

/* --- Answers --------------------------------------------------------------------------- */

static void reply(const struct question *question, errand_span json)
{
    errand_error err = {0};
    errand_status status = errand_run_reply(question->desk->run, question->call, json, &err);
    if (status < 0)
        (void)fprintf(question->desk->notes, "reply %" PRIu64 " refused %s\n", question->call,
                      errand_status_name(status));
    if (status == ERRAND_EINVAL && errand_run_reject(question->desk->run, question->call, err.text,
                                                     NULL, "refused", SPAN_EMPTY, NULL) < 0)
        (void)fprintf(question->desk->notes, "reply %" PRIu64 " hangs\n", question->call);
}

static void reply_again(const struct question *question, errand_span json)
{
    errand_error err = {0};
    errand_status status = errand_run_reply(question->desk->run, question->call, json, &err);
    (void)fprintf(question->desk->notes, "reply %" PRIu64 " again %s\n", question->call,
                  errand_status_name(status));
}

static void reject(const struct question *question, const char *message, const char *name,
                   const char *code, errand_span data)
{
    errand_error err = {0};
    errand_status status =
        errand_run_reject(question->desk->run, question->call, message, name, code, data, &err);
    if (status < 0)
        (void)fprintf(question->desk->notes, "reject %" PRIu64 " refused %s\n", question->call,
                      errand_status_name(status));
}

static void put_off(const struct question *question, struct later later)
{
    struct desk *desk = question->desk;
    assert(desk->later_count < LATER_MAX);
    later.call = question->call;
    desk->later[desk->later_count++] = later;
}

static int64_t field_us(const struct question *question, const char *name)
{
    return (int64_t)json_number_value(json_object_get(question->fields, name)) * 1000;
}

static size_t field_count(const struct question *question, const char *name)
{
    return (size_t)json_number_value(json_object_get(question->fields, name));
}

/* --- The tools ------------------------------------------------------------------------- */

static void tool_echo(const struct question *question)
{
    reply(question, question->args);
}

static void tool_add(const struct question *question)
{
    double a = json_number_value(json_object_get(question->fields, "a"));
    double b = json_number_value(json_object_get(question->fields, "b"));
    AUTO_FREE char *sum = text_of("%.17g", a + b);
    reply(question, span_text(sum));
}

/* The text of a member of the argument; NULL where there is none. */
static char *field_json(const struct question *question, const char *name)
{
    enum { ROOM = 65536 };
    const json_t *value = json_object_get(question->fields, name);
    if (value == NULL)
        return NULL;
    char *text = errand__mem_resize(NULL, ROOM + 1);
    assert(text != NULL);
    size_t len = json_dumpb(value, text, ROOM, JSON_ENCODE_ANY | JSON_COMPACT);
    assert(len <= ROOM);
    text[len] = '\0';
    return text;
}

static void tool_fail(const struct question *question)
{
    AUTO_FREE char *data = field_json(question, "data");
    const char *message = json_string_value(json_object_get(question->fields, "message"));
    reject(question, message == NULL ? "failed" : message,
           json_string_value(json_object_get(question->fields, "name")),
           json_string_value(json_object_get(question->fields, "code")), span_text(data));
}

static void tool_slow(const struct question *question)
{
    put_off(question, (struct later){
                          .at_us = question->now_us + field_us(question, "ms"),
                          .step = STEP_REPLY,
                          .json = field_json(question, "value"),
                      });
}

static void tool_never(const struct question *question)
{
    (void)question;
}

static void tool_nope(const struct question *question)
{
    errand_error err = {0};
    errand_status status =
        errand_run_reply(question->desk->run, question->call, SPAN_LITERAL("nope"), &err);
    if (status != ERRAND_EINVAL)
        (void)fprintf(question->desk->notes, "no JSON text: %s\n", errand_status_name(status));
    reject(question, "raw-nope", NULL, NULL, SPAN_EMPTY);
}

static void tool_big(const struct question *question)
{
    size_t count = field_count(question, "n");
    AUTO_FREE char *text = errand__mem_resize(NULL, count + 2);
    assert(text != NULL);
    memset(text, 'x', count + 2);
    text[0] = '"';
    text[count + 1] = '"';
    reply(question, span_of(text, count + 2));
}

static void tool_deep(const struct question *question)
{
    size_t count = field_count(question, "n");
    AUTO_FREE char *text = errand__mem_resize(NULL, 2 * count);
    assert(text != NULL);
    memset(text, '[', count);
    memset(text + count, ']', count);
    reply(question, span_of(text, 2 * count));
}

static void tool_nothing(const struct question *question)
{
    reply(question, SPAN_EMPTY);
}

static void hold(const struct question *question)
{
    errand_error err = {0};
    if (errand_run_hold(question->desk->run, question->call, &err) < 0)
        (void)fprintf(question->desk->notes, "hold %" PRIu64 " refused\n", question->call);
}

static void tool_held(const struct question *question)
{
    hold(question);
    put_off(question, (struct later){
                          .at_us = question->now_us + field_us(question, "ms"),
                          .then_us = field_us(question, "then"),
                          .step = STEP_RESUME,
                      });
}

static void tool_denied(const struct question *question)
{
    hold(question);
    put_off(question, (struct later){
                          .at_us = question->now_us + field_us(question, "ms"),
                          .step = STEP_REJECT,
                      });
}

static void tool_twice(const struct question *question)
{
    reply(question, SPAN_LITERAL("1"));
    reply_again(question, SPAN_LITERAL("2"));
}

static void tool_count(const struct question *question)
{
    AUTO_FREE char *text = text_of("%" PRIu64, ++question->desk->counted);
    reply(question, span_text(text));
}

static void tool_answer(const struct question *question)
{
    reply(question, span_text(question->tool->given));
}

static void tool_defect(const struct question *question)
{
    errand_error err = {0};
    char id[9] = "";
    errand_status status =
        errand_run_defect(question->desk->run, question->call, "no such table: secrets", id, &err);
    if (status < 0 || strspn(id, "0123456789abcdef") != 8)
        (void)fprintf(question->desk->notes, "defect %" PRIu64 " refused, id %s\n", question->call,
                      id);
}

static const struct behaviour {
    const char *name;
    void (*answer)(const struct question *question);
} behaviours[] = {
    {"echo", tool_echo},   {"add", tool_add},       {"fail", tool_fail},
    {"slow", tool_slow},   {"never", tool_never},   {"nope", tool_nope},
    {"big", tool_big},     {"deep", tool_deep},     {"nothing", tool_nothing},
    {"held", tool_held},   {"denied", tool_denied}, {"twice", tool_twice},
    {"count", tool_count}, {"answer", tool_answer}, {"defect", tool_defect},
};

void desk_call(struct desk *desk, const errand_event *event, int64_t now_us)
{
    const struct toolbox *box = &desk->scenario->boxes[event->as.call.space_index];
    assert(event->as.call.function_index < box->count);
    struct question question = {
        .desk = desk,
        .tool = &box->tools[event->as.call.function_index],
        .call = event->as.call.id,
        .args = event->as.call.args,
        .now_us = now_us,
    };
    if (question.args.len < 65536)
        question.fields = json_loadb(question.args.ptr, question.args.len, 0, NULL);
    for (size_t i = 0; i < COUNT(behaviours); i++) {
        if (strcmp(behaviours[i].name, question.tool->behaviour) == 0)
            behaviours[i].answer(&question);
    }
    json_decref(question.fields);
}

/* --- Later ----------------------------------------------------------------------------- */

static void forget(struct desk *desk, size_t index)
{
    errand__mem_free(desk->later[index].json);
    desk->later[index] = desk->later[--desk->later_count];
}

void desk_over(struct desk *desk, uint64_t call)
{
    for (size_t i = 0; i < desk->later_count; i++) {
        if (desk->later[i].call != call)
            continue;
        forget(desk, i);
        return;
    }
}

int64_t desk_due(const struct desk *desk)
{
    int64_t due = TIME_NEVER;
    for (size_t i = 0; i < desk->later_count; i++) {
        if (desk->later[i].at_us < due)
            due = desk->later[i].at_us;
    }
    return due;
}

static void resume(struct desk *desk, struct later *later, int64_t now_us)
{
    errand_error err = {0};
    if (errand_run_resume(desk->run, later->call, &err) < 0)
        (void)fprintf(desk->notes, "resume %" PRIu64 " refused\n", later->call);
    later->step = STEP_REPLY;
    later->at_us = now_us + later->then_us;
    later->json = errand__mem_copy("\"approved\"", 10);
}

/* Whether the entry is done with. */
static bool take_step(struct desk *desk, struct later *later, int64_t now_us)
{
    const struct question question = {.desk = desk, .call = later->call, .now_us = now_us};
    switch (later->step) {
    case STEP_REPLY:
        reply(&question, span_text(later->json));
        return true;
    case STEP_REJECT:
        reject(&question, "denied by the owner", "ApprovalError", "approval_denied", SPAN_EMPTY);
        return true;
    case STEP_RESUME:
        resume(desk, later, now_us);
        return false;
    }
    return true;
}

void desk_tick(struct desk *desk, int64_t now_us)
{
    size_t i = 0;
    while (i < desk->later_count) {
        if (desk->later[i].at_us <= now_us && take_step(desk, &desk->later[i], now_us))
            forget(desk, i);
        else
            i++;
    }
}
