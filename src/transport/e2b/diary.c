/* diary.c - a ring of lines. */
#include "transport/e2b/diary.h"

#include <stdarg.h>
#include <stdio.h>

/* Much of it comes from elsewhere. */
static void make_printable(char *line)
{
    for (; *line != '\0'; line++) {
        unsigned char c = (unsigned char)*line;
        *line = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
    }
}

void errand__e2b_diary_note(struct e2b_diary *diary, const char *format, ...)
{
    va_list args;

    if (diary->count == E2B_DIARY_LINES) {
        diary->first = (diary->first + 1) % E2B_DIARY_LINES;
        diary->count--;
    }
    char *line = diary->lines[(diary->first + diary->count++) % E2B_DIARY_LINES];
    va_start(args, format);
    (void)vsnprintf(line, E2B_DIARY_LINE, format, args);
    va_end(args);
    make_printable(line);
}

void errand__e2b_diary_note_process(struct e2b_diary *diary, uint32_t pid, const char *what,
                                    const char *words)
{
    errand__e2b_diary_note(diary, "process %u: %s%s%.120s", (unsigned)pid, what,
                           words[0] == '\0' ? "" : ": ", words);
}

const char *errand__e2b_diary_take(struct e2b_diary *diary)
{
    if (diary->count == 0)
        return NULL;
    const char *line = diary->lines[diary->first];
    diary->first = (diary->first + 1) % E2B_DIARY_LINES;
    diary->count--;
    return line;
}
