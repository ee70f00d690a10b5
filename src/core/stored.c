/* stored.c - an object of two members, "set" and "delete", within the limits of the runner. */
#include "core/stored.h"
#include "core/json.h"
#include "core/units.h"

static bool no(const char **why, const char *text)
{
    *why = text;
    return false;
}

/* Whoever keeps it reads it by key, so that each stands there once; strictly rising, that is told
 * without a table that a far side could fill. */
static bool rises(errand_span *last, errand_span key, const char **why)
{
    if (last->len > 0 && errand__units_compare(*last, key) >= 0)
        return no(why, "a store whose keys do not rise");
    *last = key;
    return true;
}

static bool check_set(errand_span set, uint64_t *all, const char **why)
{
    struct json_members members;
    errand_span last = SPAN_EMPTY;
    errand_span key;
    errand_span value;

    if (!errand__json_is_object(set))
        return no(why, "a store that sets what is no object");
    errand__json_members_init(&members, set);
    while (errand__json_members_next(&members, &key, &value)) {
        uint64_t units = errand__units_of(value);
        if (units > STORED_VALUE_MAX)
            return no(why, "a stored value over its size");
        if (!rises(&last, key, why))
            return false;
        *all += units + errand__units_of_string(key);
    }
    return true;
}

static bool check_delete(errand_span array, uint64_t *all, const char **why)
{
    struct json_members elements;
    errand_span last = SPAN_EMPTY;
    errand_span key;

    if (array.len == 0 || array.ptr[0] != '[')
        return no(why, "a store that deletes what is no array");
    errand__json_elements_init(&elements, array);
    while (errand__json_elements_next(&elements, &key)) {
        if (!errand__json_is_string(key))
            return no(why, "a store that deletes what is no key");
        if (!rises(&last, key, why))
            return false;
        *all += errand__units_of_string(key);
    }
    return true;
}

/* Both have passed. */
static bool apart(errand_span set, errand_span array)
{
    struct json_members members;
    struct json_members elements;
    errand_span key = SPAN_EMPTY;
    errand_span gone;
    errand_span value;
    bool more;

    errand__json_members_init(&members, set);
    errand__json_elements_init(&elements, array);
    more = errand__json_members_next(&members, &key, &value);
    while (more && errand__json_elements_next(&elements, &gone)) {
        while (more && errand__units_compare(key, gone) < 0)
            more = errand__json_members_next(&members, &key, &value);
        if (more && errand__units_compare(key, gone) == 0)
            return false;
    }
    return true;
}

bool errand__stored_check(errand_span json, const char **why)
{
    struct json_members members;
    errand_span key;
    errand_span value;
    errand_span set = SPAN_EMPTY;
    errand_span gone = SPAN_EMPTY;
    uint64_t all = 0;
    bool right = errand__json_is_object(json);

    *why = "a store of another shape";
    if (right)
        errand__json_members_init(&members, json);
    while (right && errand__json_members_next(&members, &key, &value)) {
        bool sets = errand__json_string_is(key, "set");
        errand_span *part = sets ? &set : &gone;
        right = part->len == 0 && (sets || errand__json_string_is(key, "delete")) &&
                (sets ? check_set(value, &all, why) : check_delete(value, &all, why));
        *part = value;
    }
    if (!right || set.len == 0 || gone.len == 0)
        return false;
    if (!apart(set, gone))
        return no(why, "a store that sets what it deletes");
    return all <= STORED_MAX || no(why, "a store over its size");
}
