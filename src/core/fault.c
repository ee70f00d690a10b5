/* fault.c - kinds, codes and which belong together, as tables. */
#include "core/fault.h"
#include "core/json.h"

/* Kinds that a runner may say, and the code that each has when it says none. */
static const struct {
    const char *code;
    errand_kind kind;
    bool alone; /* The kind has this code only, and the code no other kind. */
} kinds[] = {
    {"thrown", ERRAND_KIND_EXCEPTION, false},
    {"compute_timeout", ERRAND_KIND_TIMEOUT, true},
    {"runner_broken", ERRAND_KIND_WORKER_EXIT, false},
    {"invalid_output", ERRAND_KIND_INVALID_OUTPUT, true},
    {"output_limit", ERRAND_KIND_OUTPUT_LIMIT, true},
    {"cancelled", ERRAND_KIND_ABORT, true},
};

/* Those of the two kinds that have several. */
static const char *const codes[] = {
    "thrown",        "syntax_error", "type_error",    "reference_error",
    "range_error",   "tool_error",   "stalled",       "unsupported_syntax",
    "out_of_memory", "exited_early", "runner_broken",
};

static const char *const memory_limits[] = {"heap_mb", "rss_mb"};

static const char *one_of(errand_span string, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (errand__json_string_is(string, texts[i]))
            return texts[i];
    }
    return NULL;
}

static bool no(const char **why, const char *text)
{
    *why = text;
    return false;
}

static bool is_string(errand_span value)
{
    return value.len >= 2 && value.ptr[0] == '"';
}

static bool take_string(errand_span value, errand_span *out, const char **why)
{
    if (!is_string(value))
        return no(why, "an error whose texts are no strings");
    *out = value;
    return true;
}

static bool take_place(errand_span value, uint32_t *out, const char **why)
{
    uint64_t number;

    if (!errand__json_uint(value, UINT32_MAX, &number))
        return no(why, "an error whose place is no number");
    *out = (uint32_t)number;
    return true;
}

/* What the object says of kind, code and limit, before it is known whether they are words. */
struct words {
    errand_span kind, code, limit;
};

static bool take(errand_span key, errand_span value, struct fault *out, struct words *words,
                 const char **why)
{
    const struct {
        const char *name;
        errand_span *string;
    } strings[] = {{"kind", &words->kind}, {"code", &words->code},     {"limit", &words->limit},
                   {"name", &out->name},   {"message", &out->message}, {"stack", &out->stack},
                   {"hint", &out->hint}};

    for (size_t i = 0; i < COUNT(strings); i++) {
        if (errand__json_string_is(key, strings[i].name))
            return take_string(value, strings[i].string, why);
    }
    if (errand__json_string_is(key, "line"))
        return take_place(value, &out->line, why);
    if (errand__json_string_is(key, "column"))
        return take_place(value, &out->column, why);
    return true;
}

static bool take_code(errand_span word, size_t kind, struct fault *out)
{
    if (word.len == 0) {
        out->code = kinds[kind].code;
        return true;
    }
    out->code =
        kinds[kind].alone ? one_of(word, &kinds[kind].code, 1) : one_of(word, codes, COUNT(codes));
    return out->code != NULL;
}

static bool take_limit(errand_span word, struct fault *out)
{
    if (strcmp(out->code, "compute_timeout") == 0)
        out->limit = "compute_ms";
    else if (strcmp(out->code, "output_limit") == 0)
        out->limit = "output_bytes";
    else if (strcmp(out->code, "out_of_memory") == 0)
        out->limit =
            word.len == 0 ? memory_limits[0] : one_of(word, memory_limits, COUNT(memory_limits));
    else
        return word.len == 0;
    return out->limit != NULL && (word.len == 0 || errand__json_string_is(word, out->limit));
}

static bool take_words(const struct words *words, struct fault *out, const char **why)
{
    size_t kind = 0;

    while (kind < COUNT(kinds) &&
           (words->kind.len == 0 ||
            !errand__json_string_is(words->kind, errand_kind_name(kinds[kind].kind))))
        kind++;
    if (kind == COUNT(kinds))
        return no(why, "an error of no known kind");
    out->kind = kinds[kind].kind;
    if (!take_code(words->code, kind, out))
        return no(why, "an error of no known code");
    if (!take_limit(words->limit, out))
        return no(why, "an error of no known limit");
    return true;
}

static bool small(const struct fault *fault, const char **why)
{
    const errand_span strings[] = {fault->name, fault->hint,
                                   fault->stack.len > 0 ? fault->message : SPAN_EMPTY};

    for (size_t i = 0; i < COUNT(strings); i++) {
        if (strings[i].len > FAULT_STRING_MAX + 2)
            return no(why, "an error whose texts are too long");
    }
    return true;
}

bool errand__fault_read(errand_span payload, struct fault *out, const char **why)
{
    struct json_members members;
    struct words words = {0};
    errand_span key;
    errand_span value;

    *out = (struct fault){0};
    if (!errand__json_is_object(payload))
        return no(why, "an error that is no object");
    errand__json_members_init(&members, payload);
    while (errand__json_members_next(&members, &key, &value)) {
        if (!take(key, value, out, &words, why))
            return false;
    }
    return take_words(&words, out, why) && small(out, why);
}

errand_span errand__fault_text(const struct fault *fault)
{
    if (fault->stack.len > 2)
        return fault->stack;
    return fault->message.len > 0 ? fault->message : SPAN_LITERAL("\"\"");
}
