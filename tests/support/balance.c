/* balance.c - by what the kernel lists of this process. */
#include "test.h"

#include "balance.h"
#include "transport/orphans.h"

#include <dirent.h>
#include <stdio.h>

enum { PATIENCE_MS = 20000 };

size_t balance_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    assert_non_null(folder);
    while (readdir(folder) != NULL)
        count++;
    assert_int_equal(closedir(folder), 0);
    return count;
}

static size_t count_children(void)
{
    char text[65536] = "";
    size_t count = 0;
    FILE *file = fopen("/proc/thread-self/children", "re");

    assert_non_null(file);
    size_t len = fread(text, 1, sizeof(text) - 1, file);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < len; i++)
        count += text[i] == ' ';
    return count;
}

struct balance balance_now(void)
{
    return (struct balance){balance_descriptors(), count_children()};
}

void assert_balance(const struct balance *before)
{
    /* On a busy machine who was killed at the end of a road dies after it: the next call buries. */
    errand__orphans_bury(PATIENCE_MS);
    assert_int_equal(balance_descriptors(), before->descriptors);
    assert_int_equal(count_children(), before->children);
}
