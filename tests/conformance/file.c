/* file.c - whole files as memory, and small texts. */
#include "file.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>

char *file_read(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return NULL;
    char *text = NULL;
    size_t used = 0;
    for (size_t room = 4096;; room *= 2) {
        char *grown = errand__mem_resize(text, room + 1);
        if (grown == NULL)
            break;
        text = grown;
        used += fread(text + used, 1, room - used, file);
        if (used < room)
            break;
    }
    (void)fclose(file);
    if (text != NULL)
        text[used] = '\0';
    if (len != NULL)
        *len = used;
    return text;
}

char *text_of(const char *format, ...)
{
    char buffer[4096];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(buffer, sizeof(buffer), format, args);
    va_end(args);
    assert(len >= 0);
    assert((size_t)len < sizeof(buffer));
    return errand__mem_copy(buffer, (size_t)len);
}
