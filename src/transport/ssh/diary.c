/* diary.c - a ring of lines under a lock. */
#include "transport/ssh/diary.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void errand__ssh_diary_init(struct ssh_diary *diary, int wake_fd)
{
    *diary = (struct ssh_diary){.wake_fd = wake_fd};
    (void)pthread_mutex_init(&diary->lock, NULL);
}

void errand__ssh_diary_deinit(struct ssh_diary *diary)
{
    (void)pthread_mutex_destroy(&diary->lock);
}

/* Names and comments of keys come from elsewhere. */
static void make_printable(char *line)
{
    for (; *line != '\0'; line++) {
        unsigned char c = (unsigned char)*line;
        *line = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
    }
}

void errand__ssh_diary_note(struct ssh_diary *diary, const char *format, ...)
{
    uint64_t one = 1;
    va_list args;

    (void)pthread_mutex_lock(&diary->lock);
    if (diary->count == SSH_DIARY_LINES) {
        diary->first = (diary->first + 1) % SSH_DIARY_LINES;
        diary->count--;
    }
    char *line = diary->lines[(diary->first + diary->count++) % SSH_DIARY_LINES];
    va_start(args, format);
    (void)vsnprintf(line, SSH_DIARY_LINE, format, args);
    va_end(args);
    make_printable(line);
    (void)!write(diary->wake_fd, &one, sizeof(one));
    (void)pthread_mutex_unlock(&diary->lock);
}

bool errand__ssh_diary_take(struct ssh_diary *diary, char line[static SSH_DIARY_LINE])
{
    (void)pthread_mutex_lock(&diary->lock);
    bool any = diary->count > 0;
    if (any) {
        memcpy(line, diary->lines[diary->first], SSH_DIARY_LINE);
        diary->first = (diary->first + 1) % SSH_DIARY_LINES;
        diary->count--;
    }
    (void)pthread_mutex_unlock(&diary->lock);
    return any;
}
