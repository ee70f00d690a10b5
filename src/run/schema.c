/* schema.c - a schema is taken apart into steps on a stack of our own, the next one on top; so no
 * depth of a schema is a depth of ours. Whoever wrote it may mean ill: output, references and
 * steps are counted. */
#include "run/schema.h"

#include "base/mem.h"
#include "run/typescript.h"

#include <jansson.h>
#include <stdlib.h>

enum {
    SCHEMA_TYPE_MOST = 16000, /* Characters. */
    SCHEMA_REFS_MOST = 32,
    SCHEMA_DEPTH_MOST = 100, /* Readers of TypeScript descend by calls. */
    SCHEMA_STEPS_MOST = 1 << 20,
    SCHEMA_POINTER_MOST = 1024
};

enum step_kind {
    STEP_TEXT,    /* text, as it is. */
    STEP_KEY,     /* text, as a key. */
    STEP_COMMENT, /* text, as a comment. */
    STEP_LINE,    /* A line break. */
    STEP_LITERAL, /* schema is a value. */
    STEP_SCHEMA,
    STEP_REF,    /* text says to what. */
    STEP_UNION,  /* schema is an array of schemas. */
    STEP_OWN,    /* What the schema itself says, without what it is combined with. */
    STEP_OBJECT, /* Of a schema that describes one. */
    STEP_ARRAY,
    STEP_LEAVE /* A reference has been rendered. */
};

struct step {
    enum step_kind kind;
    const char *text;
    const json_t *schema;
    size_t indent;
    bool tight; /* A union wants parentheses here. */
};

struct render {
    struct buf out;
    struct step *steps;
    size_t count, room;
    const json_t *root;
    const char *open[SCHEMA_REFS_MOST]; /* References being rendered. */
    size_t open_count, refs;
    errand_status status; /* ELIMIT: too much for a type. */
};

/* --- Steps ------------------------------------------------------------------------------------ */

static void push(struct render *render, struct step step)
{
    if (render->status != ERRAND_OK)
        return;
    if (render->count == SCHEMA_STEPS_MOST) {
        render->status = ERRAND_ELIMIT;
        return;
    }
    if (render->count == render->room) {
        size_t room = render->room == 0 ? 64 : render->room * 2;
        struct step *steps = errand__mem_resize(render->steps, room * sizeof(*steps));
        if (steps == NULL) {
            render->status = ERRAND_ENOMEM;
            return;
        }
        render->steps = steps;
        render->room = room;
    }
    render->steps[render->count++] = step;
}

static void push_text(struct render *render, const char *text)
{
    push(render, (struct step){.kind = STEP_TEXT, .text = text});
}

/* Steps are pushed in the order in which they are to be done: the first on top. */
static void turn(struct render *render, size_t from)
{
    for (size_t i = from, j = render->count; i + 1 < j; i++) {
        struct step step = render->steps[i];
        render->steps[i] = render->steps[--j];
        render->steps[j] = step;
    }
}

/* --- References ------------------------------------------------------------------------------- */

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* One word of a JSON pointer inside a URI fragment, decoded in place. */
static void decode_word(char *word)
{
    char *out = word;

    for (const char *in = word; *in != '\0'; in++) {
        if (in[0] == '%' && hex_of(in[1]) >= 0 && hex_of(in[2]) >= 0) {
            *out++ = (char)(unsigned char)(hex_of(in[1]) * 16 + hex_of(in[2]));
            in += 2;
        } else {
            *out++ = *in;
        }
    }
    *out = '\0';
    out = word;
    for (const char *in = word; *in != '\0'; in++) {
        bool escaped = in[0] == '~' && (in[1] == '0' || in[1] == '1');
        if (escaped)
            in++;
        *out++ = *in;
        if (escaped)
            out[-1] = *in == '0' ? '~' : '/';
    }
    *out = '\0';
}

static const json_t *child_of(const json_t *parent, const char *word)
{
    if (json_is_object(parent))
        return json_object_get(parent, word);
    if (json_is_array(parent) && word[0] >= '0' && word[0] <= '9')
        return json_array_get(parent, strtoul(word, NULL, 10));
    return NULL;
}

/* NULL: not in this document. */
static const json_t *resolve(const json_t *root, const char *ref)
{
    char pointer[SCHEMA_POINTER_MOST];
    const json_t *at = root;
    size_t len = strlen(ref);

    if (strcmp(ref, "#") == 0)
        return root;
    if (strncmp(ref, "#/", 2) != 0 || len >= sizeof(pointer))
        return NULL;
    memcpy(pointer, ref, len + 1);
    for (char *word = pointer + 2; at != NULL && word != NULL;) {
        char *next = strchr(word, '/');
        if (next != NULL)
            *next++ = '\0';
        decode_word(word);
        at = child_of(at, word);
        word = next;
    }
    return at;
}

static void expand_ref(struct render *render, const struct step *step)
{
    const char *ref = step->text;
    const json_t *target = resolve(render->root, ref);
    bool open = strcmp(ref, "#") == 0;

    for (size_t i = 0; i < render->open_count; i++)
        open = open || strcmp(render->open[i], ref) == 0;
    if (target == NULL || open || render->refs == SCHEMA_REFS_MOST) {
        push_text(render, "unknown");
        return;
    }
    render->refs++;
    render->open[render->open_count++] = ref;
    push(render, (struct step){STEP_SCHEMA, NULL, target, step->indent, step->tight});
    push(render, (struct step){.kind = STEP_LEAVE});
}

/* --- Combinations ----------------------------------------------------------------------------- */

/* Whether it says what a value is like, and not only which members it has to have. */
static bool has_shape(const json_t *schema)
{
    static const char *const words[] = {"$ref",
                                        "const",
                                        "enum",
                                        "anyOf",
                                        "oneOf",
                                        "allOf",
                                        "type",
                                        "items",
                                        "prefixItems",
                                        "properties",
                                        "additionalProperties"};

    for (size_t i = 0; i < COUNT(words); i++) {
        if (json_object_get(schema, words[i]) != NULL)
            return true;
    }
    return json_is_boolean(schema);
}

static bool any_shape(const json_t *schemas)
{
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        if (has_shape(json_array_get(schemas, i)))
            return true;
    }
    return false;
}

static bool has_members(const json_t *schema)
{
    return json_object_size(json_object_get(schema, "properties")) > 0 ||
           json_is_object(json_object_get(schema, "additionalProperties"));
}

static bool says_own(const json_t *schema, bool combined)
{
    static const char *const words[] = {
        "type", "items", "prefixItems", "properties", "additionalProperties", "patternProperties"};
    const char *type = json_string_value(json_object_get(schema, "type"));

    /* "It is an object" is no news beside what says which. */
    if (combined && (type == NULL || strcmp(type, "object") == 0))
        return has_members(schema);
    for (size_t i = 0; i < COUNT(words); i++) {
        if (json_object_get(schema, words[i]) != NULL)
            return true;
    }
    return false;
}

static void push_part(struct render *render, size_t *parts, struct step step)
{
    if ((*parts)++ > 0)
        push_text(render, " & ");
    push(render, step);
}

static size_t count_all(const json_t *all)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(all); i++)
        count += has_shape(json_array_get(all, i)) ? 1 : 0;
    return count;
}

/* The parts of which the type is the intersection. */
static void expand_parts(struct render *render, const struct step *step)
{
    const json_t *schema = step->schema;
    const char *ref = json_string_value(json_object_get(schema, "$ref"));
    const json_t *any = json_object_get(schema, "anyOf");
    const json_t *one = json_object_get(schema, "oneOf");
    const json_t *all = json_object_get(schema, "allOf");
    size_t combined = count_all(all);
    combined += ref != NULL ? 1 : 0;
    combined += any_shape(any) ? 1 : 0;
    combined += any_shape(one) ? 1 : 0;
    bool own = says_own(schema, combined > 0);
    bool tight = step->tight || combined + (own ? 1 : 0) > 1;
    size_t parts = 0;

    if (own)
        push_part(render, &parts, (struct step){STEP_OWN, NULL, schema, step->indent, tight});
    if (ref != NULL)
        push_part(render, &parts, (struct step){STEP_REF, ref, NULL, step->indent, tight});
    if (any_shape(any))
        push_part(render, &parts, (struct step){STEP_UNION, NULL, any, step->indent, tight});
    if (any_shape(one))
        push_part(render, &parts, (struct step){STEP_UNION, NULL, one, step->indent, tight});
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *part = json_array_get(all, i);
        if (has_shape(part))
            push_part(render, &parts, (struct step){STEP_SCHEMA, NULL, part, step->indent, tight});
    }
    if (parts == 0)
        push_text(render, "unknown");
}

static void expand_list(struct render *render, const json_t *list, enum step_kind kind,
                        const struct step *step)
{
    size_t count = json_array_size(list);
    bool guarded = step->tight && count > 1;

    if (count == 0)
        push_text(render, "never");
    if (guarded)
        push_text(render, "(");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            push_text(render, " | ");
        push(render, (struct step){kind, NULL, json_array_get(list, i), step->indent,
                                   step->tight && count == 1});
    }
    if (guarded)
        push_text(render, ")");
}

static void expand_schema(struct render *render, const struct step *step)
{
    const json_t *schema = step->schema;
    const json_t *constant = json_object_get(schema, "const");
    const json_t *list = json_object_get(schema, "enum");
    bool nullable = json_is_true(json_object_get(schema, "nullable"));

    if (!json_is_object(schema)) {
        push_text(render, json_is_false(schema) ? "never" : "unknown");
        return;
    }
    if (nullable && step->tight)
        push_text(render, "(");
    struct step inner = *step;
    inner.tight = step->tight && !nullable;
    if (constant != NULL)
        push(render, (struct step){.kind = STEP_LITERAL, .schema = constant});
    else if (json_is_array(list))
        expand_list(render, list, STEP_LITERAL, &inner);
    else
        expand_parts(render, &inner);
    if (nullable)
        push_text(render, step->tight ? " | null)" : " | null");
}

/* --- What a schema says itself ---------------------------------------------------------------- */

static void push_type(struct render *render, const char *type, const struct step *step)
{
    static const struct {
        const char *word, *type;
    } types[] = {{"string", "string"},
                 {"number", "number"},
                 {"integer", "number"},
                 {"boolean", "boolean"},
                 {"null", "null"}};

    for (size_t i = 0; type != NULL && i < COUNT(types); i++) {
        if (strcmp(types[i].word, type) == 0) {
            push_text(render, types[i].type);
            return;
        }
    }
    if (type != NULL && strcmp(type, "object") == 0)
        push(render, (struct step){STEP_OBJECT, NULL, step->schema, step->indent, false});
    else if (type != NULL && strcmp(type, "array") == 0)
        push(render, (struct step){STEP_ARRAY, NULL, step->schema, step->indent, false});
    else
        push_text(render, "unknown");
}

/* By what it says of members, where it says no type. */
static const char *guess_type(const json_t *schema)
{
    bool list =
        json_object_get(schema, "items") != NULL || json_object_get(schema, "prefixItems") != NULL;

    return list ? "array" : "object";
}

static void expand_own(struct render *render, const struct step *step)
{
    const json_t *type = json_object_get(step->schema, "type");
    size_t count = json_array_size(type);

    if (!json_is_array(type)) {
        push_type(render, type == NULL ? guess_type(step->schema) : json_string_value(type), step);
        return;
    }
    if (count == 0)
        push_text(render, "never");
    if (count > 1 && step->tight)
        push_text(render, "(");
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            push_text(render, " | ");
        push_type(render, json_string_value(json_array_get(type, i)), step);
    }
    if (count > 1 && step->tight)
        push_text(render, ")");
}

static void expand_array(struct render *render, const struct step *step)
{
    const json_t *items = json_object_get(step->schema, "items");
    const json_t *tuple = json_object_get(step->schema, "prefixItems");
    const json_t *rest = items;

    if (json_is_array(items)) {
        tuple = items;
        rest = json_object_get(step->schema, "additionalItems");
    }
    if (!json_is_array(tuple)) {
        push_text(render, "Array<");
        if (items == NULL)
            push_text(render, "unknown");
        else
            push(render, (struct step){STEP_SCHEMA, NULL, items, step->indent, false});
        push_text(render, ">");
        return;
    }
    push_text(render, "[");
    for (size_t i = 0; i < json_array_size(tuple); i++) {
        if (i > 0)
            push_text(render, ", ");
        push(render,
             (struct step){STEP_SCHEMA, NULL, json_array_get(tuple, i), step->indent, false});
    }
    if (json_is_object(rest)) {
        push_text(render, json_array_size(tuple) > 0 ? ", ...Array<" : "...Array<");
        push(render, (struct step){STEP_SCHEMA, NULL, rest, step->indent, false});
        push_text(render, ">");
    }
    push_text(render, "]");
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of an object's members in order, NULL at their end; NULL: no memory. */
static const char **sorted_names(const json_t *object)
{
    const char **names = errand__mem_new(json_object_size(object) + 1, sizeof(*names));
    size_t count = 0;

    if (names == NULL)
        return NULL;
    for (void *at = json_object_iter((json_t *)(uintptr_t)object); at != NULL;
         at = json_object_iter_next((json_t *)(uintptr_t)object, at))
        names[count++] = json_object_iter_key(at);
    qsort(names, count, sizeof(*names), by_name);
    return names;
}

/* The names of the list as members, since there may be as many as the object has. */
static json_t *set_of(const json_t *list)
{
    json_t *set = json_object();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (word != NULL)
            (void)json_object_set_new(set, word, json_true());
    }
    return set;
}

static const char *description_of(const json_t *schema)
{
    const char *text = json_string_value(json_object_get(schema, "description"));

    return text == NULL || text[strspn(text, " \t\r\n")] == '\0' ? NULL : text;
}

static bool any_described(const json_t *properties)
{
    const json_t *schema = NULL;
    const char *name = NULL;

    json_object_foreach((json_t *)(uintptr_t)properties, name, schema)
    {
        if (description_of(schema) != NULL)
            return true;
    }
    return false;
}

/* What separates two members, or one from a brace. */
static void push_gap(struct render *render, bool lines, size_t indent)
{
    if (lines)
        push(render, (struct step){.kind = STEP_LINE, .indent = indent});
    else
        push_text(render, " ");
}

/* The type of members that have no name in the schema; NULL: there are none. */
static const json_t *others_of(const json_t *schema, bool named)
{
    const json_t *any = json_true();
    const json_t *others = json_object_get(schema, "additionalProperties");

    if (others != NULL)
        return json_is_false(others) ? NULL : others;
    if (json_object_get(schema, "patternProperties") != NULL)
        return any;
    return named ? NULL : any;
}

static void push_members(struct render *render, const json_t *schema, size_t indent, bool lines)
{
    const json_t *properties = json_object_get(schema, "properties");
    json_auto_t *required = set_of(json_object_get(schema, "required"));
    AUTO_FREE const char **names = sorted_names(properties);

    if (names == NULL || required == NULL)
        render->status = ERRAND_ENOMEM;
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        const json_t *member = json_object_get(properties, names[i]);
        const char *words = description_of(member);
        push_gap(render, lines, indent);
        if (words != NULL) {
            push(render, (struct step){STEP_COMMENT, words, NULL, indent, false});
            push_gap(render, true, indent);
        }
        push(render, (struct step){.kind = STEP_KEY, .text = names[i]});
        push_text(render, json_object_get(required, names[i]) != NULL ? ": " : "?: ");
        push(render, (struct step){STEP_SCHEMA, NULL, member, indent, false});
        push_text(render, ";");
    }
}

static void expand_object(struct render *render, const struct step *step)
{
    const json_t *properties = json_object_get(step->schema, "properties");
    bool lines = any_described(properties);
    bool named = json_object_size(properties) > 0;
    const json_t *others = others_of(step->schema, named);
    size_t indent = step->indent + (lines ? 1 : 0);

    if (!named && others == NULL) {
        push_text(render, "{}");
        return;
    }
    push_text(render, "{");
    push_members(render, step->schema, indent, lines);
    if (others != NULL) {
        push_gap(render, lines, indent);
        push_text(render, "[key: string]: ");
        /* Such a type would have to hold for the members that have a name too. */
        if (named)
            push_text(render, "unknown");
        else
            push(render, (struct step){STEP_SCHEMA, NULL, others, indent, false});
        push_text(render, ";");
    }
    push_gap(render, lines, step->indent);
    push_text(render, "}");
}

/* --- All of it -------------------------------------------------------------------------------- */

static errand_status push_literal(struct buf *out, const json_t *value)
{
    const size_t flags = JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15);
    size_t len = json_dumpb(value, NULL, 0, flags);
    AUTO_FREE char *text = errand__mem_new(len + 1, 1);

    if (text == NULL || json_dumpb(value, text, len, flags) != len)
        return ERRAND_ENOMEM;
    return errand__buf_push(out, span_of(text, len));
}

static void do_step(struct render *render, const struct step *step)
{
    size_t from = render->count;

    switch (step->kind) {
    case STEP_TEXT:
        render->status = errand__buf_push(&render->out, span_text(step->text));
        break;
    case STEP_KEY:
        render->status = errand__ts_key(&render->out, step->text);
        break;
    case STEP_COMMENT:
        render->status = errand__ts_comment(&render->out, span_text(step->text), step->indent);
        break;
    case STEP_LINE:
        render->status = errand__ts_line(&render->out, step->indent);
        break;
    case STEP_LITERAL:
        render->status = push_literal(&render->out, step->schema);
        break;
    case STEP_SCHEMA:
        expand_schema(render, step);
        break;
    case STEP_REF:
        expand_ref(render, step);
        break;
    case STEP_UNION:
        expand_list(render, step->schema, STEP_SCHEMA, step);
        break;
    case STEP_OWN:
        expand_own(render, step);
        break;
    case STEP_OBJECT:
        expand_object(render, step);
        break;
    case STEP_ARRAY:
        expand_array(render, step);
        break;
    case STEP_LEAVE:
        render->open_count--;
        break;
    }
    turn(render, from);
}

static size_t count_points(errand_span text)
{
    size_t count = 0;

    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80 ? 1 : 0;
    return count;
}

/* Behind the comment or string, quotes and all, that may begin at the head of text. */
static errand_span over_words(errand_span text)
{
    if (span_starts(text, SPAN_LITERAL("/*"))) {
        const char *end = memmem(text.ptr, text.len, "*/", 2);
        return end == NULL ? SPAN_EMPTY : span_after(text, (size_t)(end - text.ptr) + 2);
    }
    if (text.ptr[0] != '"')
        return text;
    size_t len = 1;
    while (len < text.len && text.ptr[len] != '"')
        len += text.ptr[len] == '\\' ? 2 : 1;
    return len < text.len ? span_after(text, len + 1) : SPAN_EMPTY;
}

/* How many brackets are open where most are. */
static size_t measure_depth(errand_span text)
{
    size_t depth = 0;
    size_t most = 0;

    while (text.len > 0) {
        errand_span rest = over_words(text);
        if (rest.len < text.len) {
            text = rest;
            continue;
        }
        depth += strchr("<{[(", text.ptr[0]) != NULL ? 1 : 0;
        depth -= depth > 0 && strchr(">}])", text.ptr[0]) != NULL ? 1 : 0;
        most = depth > most ? depth : most;
        text = span_after(text, 1);
    }
    return most;
}

static void run_steps(struct render *render)
{
    while (render->count > 0 && render->status == ERRAND_OK) {
        struct step step = render->steps[--render->count];
        do_step(render, &step);
    }
    errand_span type = errand__buf_peek(&render->out);
    if (render->status == ERRAND_OK &&
        (count_points(type) > SCHEMA_TYPE_MOST || measure_depth(type) > SCHEMA_DEPTH_MOST))
        render->status = ERRAND_ELIMIT;
}

static json_t *load(const char *schema)
{
    return schema == NULL ? NULL : json_loads(schema, JSON_DECODE_ANY, NULL);
}

errand_status errand__schema_type(struct buf *out, const char *schema, size_t indent)
{
    struct render render = {.status = ERRAND_OK};
    json_auto_t *root = load(schema);

    if (root == NULL)
        return errand__buf_push(out, SPAN_LITERAL("unknown"));
    render.root = root;
    errand__buf_init(&render.out, (size_t)SCHEMA_TYPE_MOST * 4);
    push(&render, (struct step){STEP_SCHEMA, NULL, root, indent, false});
    run_steps(&render);
    errand_status status = render.status;
    if (status == ERRAND_OK)
        status = errand__buf_push(out, errand__buf_peek(&render.out));
    else if (status == ERRAND_ELIMIT)
        status = errand__buf_push(out, SPAN_LITERAL("unknown"));
    errand__buf_deinit(&render.out);
    errand__mem_free(render.steps);
    return status;
}

bool errand__schema_is_list(const char *schema)
{
    json_auto_t *root = load(schema);
    const char *type = json_string_value(json_object_get(root, "type"));

    if (type != NULL)
        return strcmp(type, "array") == 0 && !json_is_true(json_object_get(root, "nullable"));
    return json_object_get(root, "type") == NULL && !any_shape(json_object_get(root, "anyOf")) &&
           (json_object_get(root, "items") != NULL || json_object_get(root, "prefixItems") != NULL);
}
