/* names.c - the words that are taken: by the language, by the engine, by the bridge. */
#include "run/names.h"

#include "base/err.h"
#include "core/utf8.h"
#include "run/bare.h"
#include "run/name_set.h"

enum {
    NAMES_LEN_MOST = 256,        /* Of one name; it travels in every stack. */
    NAMES_FUNCTIONS_MOST = 65536 /* Of one namespace. */
};

/* Reserved in strict code, where async functions may be awaited; and names that strict code
 * may not bind. */
static const char *const reserved[] = {
    "arguments", "await",      "break",   "case",    "catch",      "class",     "const",
    "continue",  "debugger",   "default", "delete",  "do",         "else",      "enum",
    "eval",      "export",     "extends", "false",   "finally",    "for",       "function",
    "if",        "implements", "import",  "in",      "instanceof", "interface", "let",
    "new",       "null",       "package", "private", "protected",  "public",    "return",
    "static",    "super",      "switch",  "this",    "throw",      "true",      "try",
    "typeof",    "undefined",  "var",     "void",    "while",      "with",      "yield",
};

/* Globals of node 18 to 26, and what the runner adds. */
static const char *const globals[] = {
    "ALL_TOOLS",
    "AbortController",
    "AbortSignal",
    "AggregateError",
    "Array",
    "ArrayBuffer",
    "AsyncDisposableStack",
    "Atomics",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Blob",
    "Boolean",
    "BroadcastChannel",
    "Buffer",
    "ByteLengthQueuingStrategy",
    "CloseEvent",
    "CompressionStream",
    "CountQueuingStrategy",
    "Crypto",
    "CryptoKey",
    "CustomEvent",
    "DOMException",
    "DataView",
    "Date",
    "DecompressionStream",
    "DisposableStack",
    "ErrorEvent",
    "Error",
    "EvalError",
    "Event",
    "EventSource",
    "EventTarget",
    "File",
    "FinalizationRegistry",
    "Float16Array",
    "Float32Array",
    "Float64Array",
    "FormData",
    "Function",
    "Headers",
    "Infinity",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Intl",
    "Iterator",
    "JSON",
    "Map",
    "Math",
    "MessageChannel",
    "MessageEvent",
    "MessagePort",
    "NaN",
    "Navigator",
    "Number",
    "Object",
    "Performance",
    "PerformanceEntry",
    "PerformanceMark",
    "PerformanceMeasure",
    "PerformanceObserver",
    "PerformanceObserverEntryList",
    "PerformanceResourceTiming",
    "Promise",
    "Proxy",
    "QuotaExceededError",
    "RangeError",
    "ReadableByteStreamController",
    "ReadableStream",
    "ReadableStreamBYOBReader",
    "ReadableStreamBYOBRequest",
    "ReadableStreamDefaultController",
    "ReadableStreamDefaultReader",
    "ReferenceError",
    "Reflect",
    "RegExp",
    "Request",
    "Response",
    "Set",
    "SharedArrayBuffer",
    "Storage",
    "String",
    "SubtleCrypto",
    "SuppressedError",
    "Symbol",
    "SyntaxError",
    "Temporal",
    "TextDecoder",
    "TextDecoderStream",
    "TextEncoder",
    "TextEncoderStream",
    "TransformStream",
    "TransformStreamDefaultController",
    "TypeError",
    "URL",
    "URLPattern",
    "URLSearchParams",
    "URIError",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakMap",
    "WeakRef",
    "WeakSet",
    "WebAssembly",
    "WebSocket",
    "WritableStream",
    "WritableStreamDefaultController",
    "WritableStreamDefaultWriter",
    "atob",
    "btoa",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURI",
    "decodeURIComponent",
    "emit",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "exit",
    "exports",
    "fetch",
    "file",
    "global",
    "globalThis",
    "image",
    "input",
    "isFinite",
    "isNaN",
    "load",
    "localStorage",
    "module",
    "navigator",
    "parseFloat",
    "parseInt",
    "performance",
    "process",
    "queueMicrotask",
    "require",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "signal",
    "store",
    "structuredClone",
    "text",
    "unescape",
    "__dirname",
    "__filename",
};

static const char *const error_properties[] = {
    "name", "message", "stack", "cause", "code", "data", "constructor", "toString", "__proto__",
};

static bool is_one_of(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0)
            return true;
    }
    return false;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

bool errand__name_is_identifier(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > NAMES_LEN_MOST || !is_letter(name[0]))
        return false;
    for (size_t i = 1; i < len; i++) {
        if (!is_letter(name[i]) && (name[i] < '0' || name[i] > '9'))
            return false;
    }
    return true;
}

static errand_status check_binding(const char *what, const char *name, errand_error *err)
{
    if (name == NULL || !errand__name_is_identifier(name))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "%s: \"%.64s\" is not a usable identifier; letters, digits, _ and $",
                            what, name == NULL ? "" : name);
    if (is_one_of(name, reserved, COUNT(reserved)))
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: \"%s\" is a reserved word", what, name);
    if (is_one_of(name, globals, COUNT(globals)))
        return errand__fail(err, ERRAND_EINVAL, 0, "%s: \"%s\" would shadow a global of node", what,
                            name);
    return ERRAND_OK;
}

/* --- Functions ---------------------------------------------------------------------------- */

/* A namespace that had a then would be taken for a promise. */
static const char *shown_as(const char *function)
{
    return strcmp(function, "then") == 0 ? "then_" : function;
}

static errand_status check_each(const errand_namespace *space, size_t count, struct name_set *seen,
                                errand_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = space->functions[i];
        size_t len = strlen(name);
        if (len == 0 || len > NAMES_LEN_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "namespace %s: a function's name has 1 to %d bytes, not %zu",
                                space->name, NAMES_LEN_MOST, len);
        if (!errand__utf8_valid(span_of(name, len), NULL))
            return errand__fail(err, ERRAND_EINVAL, 0,
                                "namespace %s: the name of function %zu is not UTF-8", space->name,
                                i + 1);
        if (!errand__name_set_put(seen, span_text(shown_as(name))))
            return errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: two functions are called %s",
                                space->name, shown_as(name));
    }
    return ERRAND_OK;
}

static errand_status check_functions(const errand_namespace *space, errand_error *err)
{
    size_t count = 0;

    while (space->functions != NULL && space->functions[count] != NULL) {
        if (++count > NAMES_FUNCTIONS_MOST)
            return errand__fail(err, ERRAND_EINVAL, 0, "namespace %s: over %d functions",
                                space->name, NAMES_FUNCTIONS_MOST);
    }
    struct name_set seen;
    if (errand__name_set_init(&seen, count) != ERRAND_OK)
        return errand__fail(err, ERRAND_ENOMEM, 0, "namespace %s: out of memory", space->name);
    errand_status status = check_each(space, count, &seen, err);
    errand__name_set_deinit(&seen);
    return status;
}

/* --- Namespaces --------------------------------------------------------------------------- */

static const char *class_of(const errand_namespace *space)
{
    return space->error_class == NULL ? NAMES_ERROR_CLASS : space->error_class;
}

static errand_status check_member(const errand_namespace *space, errand_error *err)
{
    const char *member = space->error_member;

    if (member == NULL)
        return ERRAND_OK;
    if (!errand__name_is_identifier(member) ||
        is_one_of(member, error_properties, COUNT(error_properties)))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "namespace %s: error member property \"%.64s\" is not usable",
                            space->name, member);
    return ERRAND_OK;
}

/* Two namespaces may share an error class; nothing else may have one name. */
static errand_status check_against(const errand_namespace *space, const errand_namespace *earlier,
                                   errand_error *err)
{
    if (strcmp(space->name, earlier->name) == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "duplicate namespace \"%s\"", space->name);
    if (strcmp(space->name, class_of(earlier)) == 0 || strcmp(class_of(space), earlier->name) == 0)
        return errand__fail(
            err, ERRAND_EINVAL, 0, "namespace \"%s\" and an error class have one name",
            strcmp(space->name, class_of(earlier)) == 0 ? space->name : earlier->name);
    return ERRAND_OK;
}

errand_status errand__names_check(const errand_namespace *namespaces, size_t count,
                                  errand_error *err)
{
    if (count > 0 && namespaces == NULL)
        return errand__fail(err, ERRAND_EINVAL, 0, "namespaces: %zu, but none at their pointer",
                            count);
    for (size_t i = 0; i < count; i++) {
        const errand_namespace *space = &namespaces[i];
        errand_status status = check_binding("namespace", space->name, err);
        if (status == ERRAND_OK)
            status = check_binding("error class", class_of(space), err);
        if (status == ERRAND_OK && strcmp(space->name, class_of(space)) == 0)
            status =
                errand__fail(err, ERRAND_EINVAL, 0,
                             "namespace \"%s\" and its error class have one name", space->name);
        if (status == ERRAND_OK)
            status = check_member(space, err);
        if (status == ERRAND_OK)
            status = check_functions(space, err);
        for (size_t j = 0; status == ERRAND_OK && j < i; j++)
            status = check_against(space, &namespaces[j], err);
        if (status != ERRAND_OK)
            return status;
    }
    return errand__bare_check(namespaces, count, check_binding, err);
}
