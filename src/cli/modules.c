/* modules.c - reads each when its option is met; knows nothing of what is in them. */
#include "cli/modules.h"
#include "base/err.h"
#include "base/mem.h"
#include "cli/need.h"

errand_status modules_add(struct modules *modules, const char *words, errand_error *err)
{
    const char *equals = strchr(words, '=');
    struct program file = {0};

    if (equals == NULL || equals == words || equals[1] == '\0')
        return errand__fail(err, ERRAND_EINVAL, 0, "--module %s: wants NAME=FILE", words);
    if (strcmp(equals + 1, "-") == 0)
        return errand__fail(err, ERRAND_EINVAL, 0, "--module %s: wants a file", words);
    if (modules->count == MODULES_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "--module: more than %d", MODULES_MAX);
    errand_status status = program_read(&file, "module", equals + 1, err);
    if (status != ERRAND_OK) {
        program_deinit(&file);
        return status;
    }
    size_t name_len = (size_t)(equals - words);
    char *name = need_new(name_len + 1, 1);
    memcpy(name, words, name_len);
    modules->list[modules->count++] =
        (errand_module){.name = name, .source = span_of(file.text, file.len)};
    return ERRAND_OK;
}

void modules_deinit(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        errand__mem_free((void *)modules->list[i].name);
        errand__mem_free((void *)modules->list[i].source.ptr);
    }
    modules->count = 0;
}
