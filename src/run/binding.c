/* binding.c - the words that are taken: by the language, by the engine, by the bridge. */
#include "run/binding.h"

#include "base/err.h"

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

bool errand__binding_is_identifier(const char *name)
{
    size_t len = strlen(name);

    if (len == 0 || len > BINDING_LEN_MOST || !is_letter(name[0]))
        return false;
    for (size_t i = 1; i < len; i++) {
        if (!is_letter(name[i]) && (name[i] < '0' || name[i] > '9'))
            return false;
    }
    return true;
}

errand_status errand__binding_check(const char *what, const char *name, errand_error *err)
{
    if (name == NULL || !errand__binding_is_identifier(name))
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

const char *errand__binding_class_of(const errand_namespace *space)
{
    return space->error_class == NULL ? "ToolError" : space->error_class;
}

const char *errand__binding_member_of(const errand_namespace *space)
{
    return space->error_member == NULL ? "tool" : space->error_member;
}
