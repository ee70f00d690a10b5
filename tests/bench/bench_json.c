/* bench_json.c - how fast the validator goes over payloads, beside copying and searching. */
#include "core/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { SIZE = 64 << 20, ROUNDS = 5 };

/* Processor time: a busy machine counts less. */
static double now_s(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static bool validate(errand_span text)
{
    return errand__json_valid(text, NULL);
}

static bool search(errand_span text)
{
    return memchr(text.ptr, '\n', text.len) == NULL;
}

static bool copy(errand_span text)
{
    static char *to;

    if (to == NULL)
        to = malloc(SIZE);
    if (to == NULL)
        exit(1);
    memcpy(to, text.ptr, text.len);
    /* So that the copy is not optimised away. */
    return *(volatile char *)(to + text.len / 2) == text.ptr[text.len / 2];
}

/* The best of some rounds: what the machine can do, not what else it did. */
static double rate(errand_span text, bool (*work)(errand_span))
{
    double best = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double start = now_s();
        if (!work(text)) {
            (void)fprintf(stderr, "bench_json: a text that should be valid is not\n");
            exit(1);
        }
        double mb_s = (double)text.len / 1e6 / (now_s() - start);
        best = mb_s > best ? mb_s : best;
    }
    return best;
}

static size_t put(char *room, size_t len, const char *text)
{
    errand_span piece = span_text(text);

    memcpy(room + len, piece.ptr, piece.len);
    return len + piece.len;
}

/* As many of piece as fit between open and close. */
static errand_span repeat(char *room, const char *open, const char *piece, const char *close)
{
    size_t len = put(room, 0, open);

    while (len + strlen(piece) + 8 < SIZE)
        len = put(room, len, piece);
    return span_of(room, put(room, len, close));
}

static void print_line(const char *name, double mb_s)
{
    (void)printf("%-34s %8.0f MB/s\n", name, mb_s);
}

int main(void)
{
    static const struct {
        const char *name, *open, *piece, *close;
    } texts[] = {
        {"one plain string", "\"", "x", "\""},
        {"a string with an escape a line", "\"",
         "The quick brown fox jumps over the lazy dog and then some more.\\n", "\""},
        {"a string of accents", "\"", "d\xc3\xa9j\xc3\xa0 vu ", "\""},
        {"a string of three-byte letters", "\"", "\xe6\xbc\xa2\xe5\xad\x97", "\""},
        {"an array of numbers", "[0", ",-12.5e3", "]"},
        {"an array of small objects", "[0", ",{\"id\":12345,\"name\":\"weather\",\"ok\":true}",
         "]"},
    };
    char *room = malloc(SIZE + 8);

    if (room == NULL)
        return 1;
    errand_span plain = repeat(room, "\"", "x", "\"");
    print_line("floor: memcpy", rate(plain, copy));
    print_line("floor: memchr", rate(plain, search));
    for (size_t i = 0; i < COUNT(texts); i++) {
        errand_span text = repeat(room, texts[i].open, texts[i].piece, texts[i].close);
        print_line(texts[i].name, rate(text, validate));
    }
    free(room);
    return 0;
}
