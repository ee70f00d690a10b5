/* choice.c - the words, by option. */
#include "cli/choice.h"
#include "base/err.h"

#include <stdio.h>

struct word {
    const char *word;
    int value;
};

static const struct word languages[] = {
    {"js", ERRAND_LANGUAGE_JS}, {"ts", ERRAND_LANGUAGE_TS}, {"auto", ERRAND_LANGUAGE_AUTO}};
static const struct word accepts[] = {{"lenient", ERRAND_ACCEPT_LENIENT},
                                      {"exact", ERRAND_ACCEPT_EXACT}};
static const struct word deliveries[] = {{"auto", ERRAND_DELIVERY_AUTO},
                                         {"stdin", ERRAND_DELIVERY_STDIN},
                                         {"file", ERRAND_DELIVERY_FILE}};
static const struct word failures[] = {{"throw", ERRAND_FAILURES_THROW},
                                       {"value", ERRAND_FAILURES_VALUE}};
static const struct word values[] = {
    {"strict", ERRAND_VALUES_STRICT}, {"json", ERRAND_VALUES_JSON}, {"rich", ERRAND_VALUES_RICH}};
static const struct word globals[] = {{"node", ERRAND_GLOBALS_NODE}, {"pure", ERRAND_GLOBALS_PURE}};
static const struct word networks[] = {{"place", ERRAND_NETWORK_PLACE},
                                       {"off", ERRAND_NETWORK_OFF}};

static errand_status pick(int *value, const char *option, const char *word,
                          const struct word *words, size_t count, errand_error *err)
{
    char all[64] = "";
    size_t used = 0;

    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i].word, word) == 0) {
            *value = words[i].value;
            return ERRAND_OK;
        }
        const char *glue = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        int len = snprintf(all + used, sizeof(all) - used, "%s%s", glue, words[i].word);
        used += (size_t)len;
    }
    return errand__fail(err, ERRAND_EINVAL, 0, "%s %s: wants %s", option, word, all);
}

errand_status choice_accept(errand_accept *choice, const char *word, errand_error *err)
{
    int value = ERRAND_ACCEPT_LENIENT;
    errand_status status = pick(&value, "--accept", word, accepts, COUNT(accepts), err);
    *choice = (errand_accept)value;
    return status;
}

errand_status choice_delivery(errand_delivery *choice, const char *word, errand_error *err)
{
    int value = ERRAND_DELIVERY_AUTO;
    errand_status status = pick(&value, "--delivery", word, deliveries, COUNT(deliveries), err);
    *choice = (errand_delivery)value;
    return status;
}

errand_status choice_failures(errand_failures *choice, const char *word, errand_error *err)
{
    int value = ERRAND_FAILURES_THROW;
    errand_status status = pick(&value, "--failures", word, failures, COUNT(failures), err);
    *choice = (errand_failures)value;
    return status;
}

errand_status choice_globals(errand_globals *choice, const char *word, errand_error *err)
{
    int value = ERRAND_GLOBALS_NODE;
    errand_status status = pick(&value, "--globals", word, globals, COUNT(globals), err);
    *choice = (errand_globals)value;
    return status;
}

errand_status choice_language(errand_language *choice, const char *word, errand_error *err)
{
    int value = ERRAND_LANGUAGE_AUTO;
    errand_status status = pick(&value, "--language", word, languages, COUNT(languages), err);
    *choice = (errand_language)value;
    return status;
}

errand_status choice_network(errand_network *choice, const char *word, errand_error *err)
{
    int value = ERRAND_NETWORK_PLACE;
    errand_status status = pick(&value, "--network", word, networks, COUNT(networks), err);
    *choice = (errand_network)value;
    return status;
}

errand_status choice_values(errand_values *choice, const char *word, errand_error *err)
{
    int value = ERRAND_VALUES_STRICT;
    errand_status status = pick(&value, "--values", word, values, COUNT(values), err);
    *choice = (errand_values)value;
    return status;
}
