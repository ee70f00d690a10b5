/* show_launch.c - prints what starts a runner, and what it may ask for, as one JSON object each,
 * for the tests in JavaScript.
 *
 *   show_launch MARK stdin|file[,offline] HEAP_MB [NODE]
 *   show_launch parts
 */
#include "base/mem.h"
#include "run/launch.h"

#include <stdio.h>
#include <stdlib.h>

static void show_hex(const char *name, errand_span bytes, const char *end)
{
    static const char digits[] = "0123456789abcdef";

    printf("\"%s\":\"", name);
    for (size_t i = 0; i < bytes.len; i++) {
        (void)putchar(digits[(unsigned char)bytes.ptr[i] >> 4]);
        (void)putchar(digits[bytes.ptr[i] & 15]);
    }
    printf("\"%s", end);
}

static void show_parts(void)
{
    printf("{");
    show_hex("runner", errand__runner, ",");
    printf("\"assets\":{");
    for (size_t i = 0; i < errand__assets_count; i++) {
        printf("%s\"%s\":{\"digest\":\"%s\",", i > 0 ? "," : "", errand__assets[i].name.ptr,
               errand__assets_sha256[i]);
        show_hex("payload", errand__assets[i].payload, "}");
    }
    printf("}}\n");
}

int main(int argc, char **argv)
{
    struct launch launch;
    errand_error err = {0};
    if (argc == 2 && strcmp(argv[1], "parts") == 0) {
        show_parts();
        return 0;
    }
    if (argc < 4 || strlen(argv[1]) != LAUNCH_MARK_LEN)
        return 2;
    const struct launch_wishes wishes = {
        .file = strncmp(argv[2], "file", 4) == 0,
        .offline = strstr(argv[2], ",offline") != NULL,
        .heap_mb = strtoull(argv[3], NULL, 10),
        .node = argc > 4 ? argv[4] : NULL,
    };
    if (errand__launch_init(&launch, argv[1], &wishes, &err) < 0) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    printf("{");
    show_hex("line", span_text(launch.line), ",");
    show_hex("head", span_of(launch.head, launch.head_len), ",");
    show_hex("tail", span_of(launch.tail, launch.tail_len), ",");
    printf("\"digest\":\"%s\"}\n", errand__runner_sha256);
    errand__launch_deinit(&launch);
    return 0;
}
