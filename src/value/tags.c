/* tags.c - the table. */
#include "value/tags.h"

#include "core/json.h"

static const struct tag tags[] = {
    {"undefined", ERRAND_VALUE_UNDEFINED, {{NULL, TAG_NONE}}},
    {"number", ERRAND_VALUE_NUMBER, {{"value", TAG_TEXT}}},
    {"bigint", ERRAND_VALUE_BIGINT, {{"value", TAG_TEXT}}},
    {"date", ERRAND_VALUE_DATE, {{"value", TAG_NUMBER_OR_NULL}}},
    {"regexp", ERRAND_VALUE_REGEXP, {{"source", TAG_TEXT}, {"flags", TAG_TEXT}}},
    {"map", ERRAND_VALUE_MAP, {{"entries", TAG_ARRAY}}},
    {"set", ERRAND_VALUE_SET, {{"values", TAG_ARRAY}}},
    {"error",
     ERRAND_VALUE_ERROR,
     {{"name", TAG_TEXT}, {"message", TAG_TEXT}, {"stack", TAG_OPTIONAL_TEXT}}},
    {"bytes", ERRAND_VALUE_BYTES, {{"type", TAG_TEXT}, {"base64", TAG_TEXT}}},
    {"blob", ERRAND_VALUE_BLOB, {{"type", TAG_TEXT}, {"base64", TAG_TEXT}}},
    {"file",
     ERRAND_VALUE_FILE,
     {{"name", TAG_TEXT}, {"type", TAG_TEXT}, {"modified", TAG_NUMBER}, {"base64", TAG_TEXT}}},
    {"object", ERRAND_VALUE_OBJECT, {{"value", TAG_OBJECT}}},
};

const struct tag *errand__tag_find(errand_span string)
{
    for (size_t i = 0; i < COUNT(tags); i++) {
        if (errand__json_string_is(string, tags[i].name))
            return &tags[i];
    }
    return NULL;
}
