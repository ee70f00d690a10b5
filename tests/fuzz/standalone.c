/* standalone.c - runs a fuzz target over the files of a folder, as an ordinary test. */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { FILE_MAX = 1 << 20, PATH_LEN = 4096 };

/* Each file as it is, and each of its heads if it is short: cuts are where parsers trip. */
static void run_file(const char *path, uint8_t *bytes)
{
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        perror(path);
        exit(2);
    }
    size_t size = fread(bytes, 1, FILE_MAX, file);
    (void)fclose(file);
    for (size_t len = size > 512 ? size : 0; len <= size; len++) {
        uint8_t *exact = malloc(len == 0 ? 1 : len);
        if (exact == NULL)
            exit(2);
        for (size_t i = 0; i < len; i++)
            exact[i] = bytes[i];
        (void)LLVMFuzzerTestOneInput(exact, len);
        free(exact);
    }
}

int main(int argc, char **argv)
{
    uint8_t *bytes = malloc(FILE_MAX);
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    char path[PATH_LEN];
    size_t count = 0;

    if (folder == NULL || bytes == NULL) {
        (void)fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        free(bytes);
        return 2;
    }
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", argv[1], entry->d_name);
        run_file(path, bytes);
        count++;
    }
    (void)closedir(folder);
    free(bytes);
    (void)printf("%zu files\n", count);
    /* A corpus that is not there has not passed. */
    return count == 0 ? 1 : 0;
}
