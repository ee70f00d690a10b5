/* scenarios.c - plays every scenario of a folder, whole, in crumbs and over a way that breaks, and
 * compares the stories.
 *
 *     scenarios [--breaks] FOLDER [NAME...]       UPDATE=1 rewrites what is expected
 *
 * --breaks: the way breaks everywhere, and not here and there.
 */
#include "breaks.h"
#include "play.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { PATH_ROOM = 1024 };

static void show_difference(const char *expected, const char *got)
{
    unsigned line = 1;

    while (*expected != '\0' && *expected == *got) {
        line += *expected == '\n';
        expected++;
        got++;
    }
    (void)fprintf(stderr, "  they differ in line %u, behind: expected \"%.*s\", got \"%.*s\"\n",
                  line, (int)strcspn(expected, "\n"), expected, (int)strcspn(got, "\n"), got);
}

/* "12ms run 3 noise ..." */
static bool is_noise(const char *line)
{
    line += strcspn(line, " \n");
    if (strncmp(line, " run ", 5) != 0)
        return false;
    line += 5;
    line += strspn(line, "0123456789");
    return strncmp(line, " noise", 6) == 0;
}

/* How noise comes in pieces depends on how it was cut; the outcome tells the sum. */
static char *without_noise(const char *text)
{
    char *kept = malloc(strlen(text) + 1);
    char *to = kept;

    if (kept == NULL)
        abort();
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        len += text[len] == '\n';
        if (!is_noise(text)) {
            memcpy(to, text, len);
            to += len;
        }
        text += len;
    }
    *to = '\0';
    return kept;
}

static bool compare(const char *name, const char *how, const char *expected,
                    const struct story *story)
{
    const char *got = story->text == NULL ? "" : story->text;

    if (strcmp(expected, got) == 0)
        return true;
    (void)fprintf(stderr, "%s (%s): another story:\n%s", name, how, got);
    show_difference(expected, got);
    return false;
}

static bool compare_crumbs(const char *name, const struct story *whole, struct story *crumbs)
{
    char *expected = without_noise(whole->text);
    char *got = without_noise(crumbs->text);
    struct story kept = {.text = got};
    bool same = compare(name, "in crumbs", expected, &kept);

    free(expected);
    free(got);
    return same;
}

static bool run_one(const char *folder, const char *name, unsigned turn, bool update)
{
    char path[PATH_ROOM];
    struct scenario scenario;
    struct story whole = {.text = NULL};
    struct story crumbs = {.text = NULL};

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    bool ok = scenario_load(&scenario, path);
    if (ok) {
        ok = play(&scenario, (struct manner){.crumbs = false}, &whole);
        if (update)
            ok = scenario_rewrite(&scenario, path, whole.text) && ok;
        else
            ok = compare(name, "whole", scenario_expected(&scenario), &whole) && ok;
    }
    if (ok && !scenario.whole)
        ok = play(&scenario, (struct manner){.crumbs = true}, &crumbs) &&
             compare_crumbs(name, &whole, &crumbs);
    if (ok)
        ok = breaks_change_nothing(&scenario, turn, &whole);
    if (!ok)
        (void)fprintf(stderr, "FAILED %s\n", name);
    story_deinit(&whole);
    story_deinit(&crumbs);
    scenario_deinit(&scenario);
    return ok;
}

static int is_scenario(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);
    return len > 9 && strcmp(entry->d_name + len - 9, ".scenario") == 0;
}

static bool wanted(const char *name, char **names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strstr(name, names[i]) != NULL)
            return true;
    }
    return count == 0;
}

int main(int argc, char **argv)
{
    const char *update = getenv("UPDATE");
    struct dirent **entries = NULL;
    int played = 0;
    int failed = 0;

    if (argc > 1 && strcmp(argv[1], "--breaks") == 0) {
        breaks_everywhere();
        argc--;
        argv++;
    }
    if (argc < 2) {
        (void)fprintf(stderr, "usage: scenarios [--breaks] FOLDER [NAME...]\n");
        return 2;
    }
    int count = scandir(argv[1], &entries, is_scenario, alphasort);
    for (int i = 0; i < count; i++) {
        if (wanted(entries[i]->d_name, argv + 2, argc - 2)) {
            played++;
            failed += !run_one(argv[1], entries[i]->d_name, (unsigned)i,
                               update != NULL && update[0] == '1');
        }
        free(entries[i]);
    }
    free(entries);
    (void)printf("%d scenarios, %d failed; %u times over a way that breaks\n", played, failed,
                 breaks_played());
    return played > 0 && failed == 0 ? 0 : 1;
}
