/* stored.c - an object of two members, "set" and "delete", within the limits of the runner. */
#include "core/stored.h"
#include "core/json.h"

static bool no(const char **why, const char *text)
{
    *why = text;
    return false;
}

static uint64_t units_of(errand_span text)
{
    uint64_t units = 0;

    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        units += (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
    }
    return units;
}

/* Of the text that a JSON string stands for. */
static uint64_t units_of_string(errand_span string)
{
    uint64_t units = units_of(string) - 2;

    for (size_t i = 1; i + 1 < string.len; i++) {
        if (string.ptr[i] != '\\')
            continue;
        units -= string.ptr[i + 1] == 'u' ? 5 : 1;
        i++;
    }
    return units;
}

static bool check_set(errand_span set, uint64_t *all, const char **why)
{
    struct json_members members;
    errand_span key;
    errand_span value;

    if (!errand__json_is_object(set))
        return no(why, "a store that sets what is no object");
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value)) {
        uint64_t units = units_of(value);
        if (units > STORED_VALUE_MAX)
            return no(why, "a stored value over its size");
        *all += units + units_of_string(key);
    }
    return true;
}

static bool check_delete(errand_span array, uint64_t *all, const char **why)
{
    struct json_members elements;
    errand_span key;

    if (array.len == 0 || array.ptr[0] != '[')
        return no(why, "a store that deletes what is no array");
    errand__json_elements_init(&elements, array);
    while (errand__json_elements_next(&elements, &key)) {
        if (!errand__json_is_string(key))
            return no(why, "a store that deletes what is no key");
        *all += units_of_string(key);
    }
    return true;
}

bool errand__stored_check(errand_span json, const char **why)
{
    struct json_members members;
    errand_span key;
    errand_span value;
    unsigned sets = 0;
    unsigned deletes = 0;
    uint64_t all = 0;
    bool right = errand__json_is_object(json);

    *why = "a store of another shape";
    if (right)
        errand__json_members_init(&members, json);
    while (right && errand__json_members_next(&members, &key, &value)) {
        if (errand__json_string_is(key, "set"))
            right = ++sets == 1 && check_set(value, &all, why);
        else
            right = errand__json_string_is(key, "delete") && ++deletes == 1 &&
                    check_delete(value, &all, why);
    }
    if (!right || sets != 1 || deletes != 1)
        return false;
    return all <= STORED_MAX || no(why, "a store over its size");
}
