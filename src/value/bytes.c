/* bytes.c - one table. */
#include "value/bytes.h"

static const struct bytes_type {
    errand_bytes_type type;
    const char *name;
    size_t width;
} types[] = {
    {ERRAND_BYTES_UINT8_ARRAY, "Uint8Array", 1},
    {ERRAND_BYTES_ARRAY_BUFFER, "ArrayBuffer", 1},
    {ERRAND_BYTES_DATA_VIEW, "DataView", 1},
    {ERRAND_BYTES_BUFFER, "Buffer", 1},
    {ERRAND_BYTES_INT8_ARRAY, "Int8Array", 1},
    {ERRAND_BYTES_UINT8_CLAMPED_ARRAY, "Uint8ClampedArray", 1},
    {ERRAND_BYTES_INT16_ARRAY, "Int16Array", 2},
    {ERRAND_BYTES_UINT16_ARRAY, "Uint16Array", 2},
    {ERRAND_BYTES_INT32_ARRAY, "Int32Array", 4},
    {ERRAND_BYTES_UINT32_ARRAY, "Uint32Array", 4},
    {ERRAND_BYTES_FLOAT16_ARRAY, "Float16Array", 2},
    {ERRAND_BYTES_FLOAT32_ARRAY, "Float32Array", 4},
    {ERRAND_BYTES_FLOAT64_ARRAY, "Float64Array", 8},
    {ERRAND_BYTES_BIGINT64_ARRAY, "BigInt64Array", 8},
    {ERRAND_BYTES_BIGUINT64_ARRAY, "BigUint64Array", 8},
};

const char *errand_bytes_type_name(errand_bytes_type type)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return "unknown";
}

bool errand__bytes_type_of(errand_span name, errand_bytes_type *type)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        if (span_is(name, types[i].name)) {
            *type = types[i].type;
            return true;
        }
    }
    return false;
}

size_t errand__bytes_width(errand_bytes_type type)
{
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].type == type)
            return types[i].width;
    }
    return 0;
}
