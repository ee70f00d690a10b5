/* declare.c - what a program may call, as declarations of TypeScript.
 *
 * For whoever writes the program: a person, an editor, a model. The same namespaces give the same
 * bytes. */
#include <errand/errand.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "run/abouts.h"
#include "run/binding.h"
#include "run/names.h"
#include "run/schema.h"
#include "run/shown.h"
#include "run/typescript.h"

#include <stdlib.h>

enum { DECLARATIONS_MOST = 256 * 1024 * 1024 };

static const char failure_types[] =
    "type ToolFailure = { code: string; message: string; status?: number; retryable?: boolean; "
    "details?: unknown; suggestions?: Array<string>; };\n"
    "type ToolResult<T> = { ok: true; data: T; } | { ok: false; error: ToolFailure; };\n";

/* A text that grows; the first thing that goes wrong stays. */
struct page {
    struct buf out;
    errand_status status;
};

static void add(struct page *page, const char *text)
{
    if (page->status == ERRAND_OK)
        page->status = errand__buf_push(&page->out, span_text(text));
}

static void add_line(struct page *page, size_t indent)
{
    if (page->status == ERRAND_OK)
        page->status = errand__ts_line(&page->out, indent);
}

static void add_key(struct page *page, const char *key)
{
    if (page->status == ERRAND_OK)
        page->status = errand__ts_key(&page->out, key);
}

static void add_type(struct page *page, const char *schema, size_t indent)
{
    if (page->status == ERRAND_OK)
        page->status = errand__schema_type(&page->out, schema, indent);
}

static const errand_about *about_of(const errand_namespace *space, size_t k)
{
    static const errand_about nothing = {0};

    return space->abouts == NULL ? &nothing : &space->abouts[k];
}

static void add_comment(struct page *page, const errand_about *about, size_t indent)
{
    const char *words = about->description;

    if (words == NULL || words[strspn(words, " \t\r\n")] == '\0' || page->status != ERRAND_OK)
        return;
    page->status = errand__ts_comment(&page->out, span_text(words), indent);
    add_line(page, indent);
}

/* (args: T): Promise<R>; */
static void add_signature(struct page *page, const errand_namespace *space, size_t k, size_t indent)
{
    const errand_about *about = about_of(space, k);

    add(page, "(");
    if (space->spread) {
        add(page, "...args: ");
        if (errand__schema_is_list(about->input_schema))
            add_type(page, about->input_schema, indent);
        else
            add(page, "Array<unknown>");
    } else {
        add(page, about->input_schema == NULL ? "args?: " : "args: ");
        add_type(page, about->input_schema, indent);
    }
    add(page, space->failures == ERRAND_FAILURES_VALUE ? "): Promise<ToolResult<" : "): Promise<");
    add_type(page, about->output_schema, indent);
    add(page, space->failures == ERRAND_FAILURES_VALUE ? ">>;" : ">;");
}

static void add_member(struct page *page, const errand_namespace *space, size_t k, const char *name)
{
    add_line(page, 1);
    add_comment(page, about_of(space, k), 1);
    add_key(page, name);
    add_signature(page, space, k, 1);
}

static size_t count_functions(const errand_namespace *space)
{
    size_t count = 0;

    while (space->functions != NULL && space->functions[count] != NULL)
        count++;
    return count;
}

static void begin_object(struct page *page, errand_span name)
{
    add(page, "\ndeclare const ");
    if (page->status == ERRAND_OK)
        page->status = errand__buf_push(&page->out, name);
    add(page, ": {");
}

static void add_space(struct page *page, const errand_namespace *space)
{
    struct shown shown = {0};
    bool any = false;

    if (page->status == ERRAND_OK)
        page->status = errand__shown_init(&shown, space);
    begin_object(page, span_text(space->name));
    for (size_t k = 0; page->status == ERRAND_OK && k < shown.count; k++) {
        if (shown.names[k] == NULL)
            continue;
        any = true;
        add_member(page, space, k, shown.names[k]);
    }
    add(page, any ? "\n};\n" : "};\n");
    errand__shown_deinit(&shown);
}

/* --- Bare functions --------------------------------------------------------------------------- */

/* One of a bare namespace. */
struct global {
    const errand_namespace *space;
    size_t k;
    errand_span head; /* What stands before its dot, or all. */
    size_t at, first; /* Its place among all, and that of the first with that head. */
};

static int by_head(const void *left, const void *right)
{
    const struct global *a = left;
    const struct global *b = right;
    size_t len = a->head.len < b->head.len ? a->head.len : b->head.len;
    int order = memcmp(a->head.ptr, b->head.ptr, len);

    if (order != 0)
        return order;
    if (a->head.len != b->head.len)
        return a->head.len < b->head.len ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

static int by_first(const void *left, const void *right)
{
    const struct global *a = left;
    const struct global *b = right;

    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return a->at < b->at ? -1 : 1;
}

/* Those that go into one object stand together, at the place of the first of them. */
static void arrange(struct global *globals, size_t count)
{
    qsort(globals, count, sizeof(*globals), by_head);
    for (size_t i = 0; i < count; i++) {
        bool same = i > 0 && span_equal(globals[i].head, globals[i - 1].head);
        globals[i].first = same ? globals[i - 1].first : globals[i].at;
    }
    qsort(globals, count, sizeof(*globals), by_first);
}

static const char *name_of(const struct global *global)
{
    return global->space->functions[global->k];
}

static void add_globals(struct page *page, const struct global *globals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct global *global = &globals[i];
        const char *name = name_of(global);
        if (name[global->head.len] == '\0') {
            add(page, "\n");
            add_comment(page, about_of(global->space, global->k), 0);
            add(page, "declare function ");
            add(page, errand__shown_own(name));
            add_signature(page, global->space, global->k, 0);
            add(page, "\n");
            continue;
        }
        if (global->at == global->first)
            begin_object(page, global->head);
        add_member(page, global->space, global->k, errand__shown_own(name + global->head.len + 1));
        if (i + 1 == count || globals[i + 1].first != global->first)
            add(page, "\n};\n");
    }
}

static void add_bare(struct page *page, const errand_namespace *namespaces, size_t count)
{
    size_t total = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++)
        total += namespaces[i].bare ? count_functions(&namespaces[i]) : 0;
    AUTO_FREE struct global *globals = errand__mem_new(total + 1, sizeof(*globals));
    if (globals == NULL) {
        page->status = ERRAND_ENOMEM;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t functions = namespaces[i].bare ? count_functions(&namespaces[i]) : 0;
        for (size_t k = 0; k < functions; k++, at++) {
            const char *name = namespaces[i].functions[k];
            globals[at] = (struct global){.space = &namespaces[i], .k = k, .at = at};
            globals[at].head = span_of(name, strcspn(name, "."));
        }
    }
    arrange(globals, total);
    add_globals(page, globals, total);
}

/* --- Types that all share --------------------------------------------------------------------- */

static bool throws(const errand_namespace *space)
{
    return space->failures == ERRAND_FAILURES_THROW && count_functions(space) > 0;
}

static bool throws_before(const errand_namespace *namespaces, size_t i, bool with_member)
{
    for (size_t j = 0; j < i; j++) {
        if (throws(&namespaces[j]) &&
            strcmp(errand__binding_class_of(&namespaces[j]),
                   errand__binding_class_of(&namespaces[i])) == 0 &&
            (!with_member || strcmp(errand__binding_member_of(&namespaces[j]),
                                    errand__binding_member_of(&namespaces[i])) == 0))
            return true;
    }
    return false;
}

static void add_class(struct page *page, const errand_namespace *namespaces, size_t count, size_t i)
{
    add(page, "declare class ");
    add(page, errand__binding_class_of(&namespaces[i]));
    add(page, " extends Error {");
    for (size_t j = i; j < count; j++) {
        if (!throws(&namespaces[j]) ||
            strcmp(errand__binding_class_of(&namespaces[j]),
                   errand__binding_class_of(&namespaces[i])) != 0 ||
            throws_before(namespaces, j, true))
            continue;
        add(page, "\n  ");
        add(page, errand__binding_member_of(&namespaces[j]));
        add(page, "?: string;");
    }
    add(page, "\n  code?: string;\n  data?: unknown;\n}\n");
}

static void add_shared(struct page *page, const errand_namespace *namespaces, size_t count)
{
    bool values = false;

    for (size_t i = 0; i < count; i++)
        values = values || (namespaces[i].failures == ERRAND_FAILURES_VALUE &&
                            count_functions(&namespaces[i]) > 0);
    if (values)
        add(page, failure_types);
    for (size_t i = 0; i < count; i++) {
        if (throws(&namespaces[i]) && !throws_before(namespaces, i, false))
            add_class(page, namespaces, count, i);
    }
}

/* --- All of it -------------------------------------------------------------------------------- */

static errand_status check(const errand_namespace *namespaces, size_t count, errand_error *err)
{
    errand_status status = errand__names_check(namespaces, count, err);

    for (size_t i = 0; status == ERRAND_OK && i < count; i++) {
        if (namespaces[i].failures > ERRAND_FAILURES_VALUE)
            status = errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: failures: no such way (%d)",
                                  namespaces[i].name, (int)namespaces[i].failures);
    }
    return status == ERRAND_OK ? errand__abouts_check(namespaces, count, err) : status;
}

errand_status errand_declarations(const errand_namespace *namespaces, size_t count, char **out,
                                  errand_error *err)
{
    struct page page = {.status = ERRAND_OK};

    errand__err_clear(err);
    *out = NULL;
    errand_status status = check(namespaces, count, err);
    if (status != ERRAND_OK)
        return status;
    errand__buf_init(&page.out, DECLARATIONS_MOST);
    add_shared(&page, namespaces, count);
    for (size_t i = 0; i < count; i++) {
        if (!namespaces[i].bare)
            add_space(&page, &namespaces[i]);
    }
    add_bare(&page, namespaces, count);
    errand_span text = errand__buf_peek(&page.out);
    if (text.len > 0 && text.ptr[0] == '\n')
        text = span_after(text, 1);
    if (page.status == ERRAND_OK)
        *out = errand__mem_copy(text.ptr, text.len);
    errand__buf_deinit(&page.out);
    if (*out != NULL)
        return ERRAND_OK;
    return errand__fail(err, page.status == ERRAND_ELIMIT ? ERRAND_ELIMIT : ERRAND_ENOMEM, 0,
                        page.status == ERRAND_ELIMIT ? "declarations: over 256 MiB"
                                                     : "declarations: out of memory");
}

void errand_declarations_free(char *declarations)
{
    errand__mem_free(declarations);
}
