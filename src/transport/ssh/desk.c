/* desk.c - one question at a time, under one lock. */
#include "transport/ssh/desk.h"

#include "base/mem.h"

#include <stdatomic.h>
#include <unistd.h>

static atomic_uint_fast64_t last_id;

void errand__ssh_desk_init(struct ssh_desk *desk, int wake_fd)
{
    *desk = (struct ssh_desk){.wake_fd = wake_fd};
    (void)pthread_mutex_init(&desk->lock, NULL);
    (void)pthread_cond_init(&desk->moved, NULL);
}

void errand__ssh_desk_deinit(struct ssh_desk *desk)
{
    errand__ssh_secret_free(desk->answer);
    (void)pthread_mutex_destroy(&desk->lock);
    (void)pthread_cond_destroy(&desk->moved);
}

/* A prompt comes from the far side: it stays one printable line. */
static void set_prompt(struct ssh_desk *desk, errand_span prompt)
{
    size_t len = 0;

    for (size_t i = 0; i < prompt.len && len + 1 < sizeof(desk->prompt); i++) {
        unsigned char c = (unsigned char)prompt.ptr[i];
        desk->prompt[len++] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
    }
    desk->prompt[len] = '\0';
}

char *errand__ssh_desk_ask(struct ssh_desk *desk, const char *kind, errand_span prompt, bool echo)
{
    uint64_t one = 1;
    char *answer = NULL;

    (void)pthread_mutex_lock(&desk->lock);
    desk->id = atomic_fetch_add(&last_id, 1) + 1;
    desk->told = desk->answered = false;
    desk->kind = kind;
    desk->echo = echo;
    set_prompt(desk, prompt);
    if (!desk->closed)
        (void)!write(desk->wake_fd, &one, sizeof(one));
    while (!desk->answered && !desk->closed)
        (void)pthread_cond_wait(&desk->moved, &desk->lock);
    answer = steal(&desk->answer);
    desk->id = 0;
    (void)pthread_mutex_unlock(&desk->lock);
    return answer;
}

bool errand__ssh_desk_next(struct ssh_desk *desk, errand_ask *out)
{
    (void)pthread_mutex_lock(&desk->lock);
    bool asks = desk->id != 0 && !desk->told && !desk->answered && !desk->closed;
    if (asks) {
        desk->told = true;
        *out = (errand_ask){
            .id = desk->id, .kind = desk->kind, .prompt = desk->prompt, .echo = desk->echo};
    }
    (void)pthread_mutex_unlock(&desk->lock);
    return asks;
}

bool errand__ssh_desk_answer(struct ssh_desk *desk, uint64_t id, const char *text)
{
    (void)pthread_mutex_lock(&desk->lock);
    bool stands = desk->id == id && id != 0 && !desk->answered && !desk->closed;
    if (stands) {
        desk->answer = text == NULL ? NULL : errand__ssh_secret_copy(text);
        desk->answered = true;
        (void)pthread_cond_broadcast(&desk->moved);
    }
    (void)pthread_mutex_unlock(&desk->lock);
    return stands;
}

void errand__ssh_desk_close(struct ssh_desk *desk)
{
    (void)pthread_mutex_lock(&desk->lock);
    desk->closed = true;
    (void)pthread_cond_broadcast(&desk->moved);
    (void)pthread_mutex_unlock(&desk->lock);
}

char *errand__ssh_secret_copy(const char *text)
{
    return errand__mem_copy(text, strlen(text));
}

void errand__ssh_secret_free(char *text)
{
    if (text == NULL)
        return;
    explicit_bzero(text, strlen(text));
    errand__mem_free(text);
}
