/* near.c - edit distance with swaps of neighbours, as typing errors go. */
#include "cli/near.h"
#include "base/base.h"

enum { WORD_MAX = 48 }; /* Longer words are not typed by hand. */

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

static size_t distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
    size_t rows[3][WORD_MAX + 1];

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *now = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
            now[j] = least(above[j] + 1, now[j - 1] + 1, above[j - 1] + same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], two_above[j - 2] + 1, now[j]);
        }
    }
    return rows[a_len % 3][b_len];
}

const char *near_word(const char *word, const char *const *words, size_t count)
{
    size_t len = strlen(word);
    size_t best = len < 4 ? 2 : 1 + len / 3;
    const char *nearest = NULL;

    if (len == 0 || len > WORD_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = words[i] == NULL ? 0 : strlen(words[i]);
        if (other == 0 || other > WORD_MAX)
            continue;
        size_t far = distance(word, len, words[i], other);
        if (far < best) {
            best = far;
            nearest = words[i];
        }
    }
    return nearest;
}
