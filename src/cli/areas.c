/* areas.c - words between commas. */
#include "cli/areas.h"
#include "base/err.h"
#include "cli/near.h"

static const char *const areas[] = {"run",  "core", "wire", "exec", "place",
                                    "boot", "ssh",  "e2b",  "all"};

errand_status areas_check(const char *list, errand_error *err)
{
    const char *word = list;

    for (;;) {
        char area[32] = "";
        size_t len = strcspn(word, ",");
        bool known = false;
        memcpy(area, word, len < sizeof(area) ? len : sizeof(area) - 1);
        for (size_t i = 0; i < COUNT(areas); i++)
            known = known || strcmp(areas[i], area) == 0;
        if (!known) {
            const char *meant = near_word(area, areas, COUNT(areas));
            return errand__fail(err, ERRAND_EINVAL, 0, "--trace: '%s' is no area; %s%s", area,
                                meant == NULL
                                    ? "there are run,core,wire,exec,place,boot,ssh,e2b,all"
                                    : "did you mean ",
                                meant == NULL ? "" : meant);
        }
        if (word[len] == '\0')
            return ERRAND_OK;
        word += len + 1;
    }
}

bool areas_hold(const char *list, const char *area)
{
    const char *word = list;
    size_t area_len = strlen(area);

    while (word != NULL && *word != '\0') {
        size_t len = strcspn(word, ",");
        if ((len == area_len && strncmp(word, area, len) == 0) ||
            (len == 3 && strncmp(word, "all", len) == 0))
            return true;
        word += word[len] == ',' ? len + 1 : len;
    }
    return false;
}
