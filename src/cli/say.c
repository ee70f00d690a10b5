/* say.c - one line on standard error. */
#include "cli/say.h"
#include "base/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_MAX_BYTES = 1024 };

int say(int code, const char *format, ...)
{
    char line[LINE_MAX_BYTES] = "errand: ";
    size_t head = strlen(line);
    va_list args;

    va_start(args, format);
    int written = vsnprintf(line + head, sizeof(line) - head - 1, format, args);
    va_end(args);
    if (written < 0)
        return code;
    size_t len = strlen(line);
    for (size_t i = head; i < len; i++) {
        if ((unsigned char)line[i] < 0x20 || line[i] == 0x7f)
            line[i] = ' ';
    }
    line[len++] = '\n';
    /* Nobody is left to be told when standard error is gone. */
    ssize_t ignored = write(STDERR_FILENO, line, len);
    (void)ignored;
    return code;
}
