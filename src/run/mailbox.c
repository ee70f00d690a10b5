/* mailbox.c - a bounded queue between two threads; it knows no run. */
#include "run/mailbox.h"

#include "base/mem.h"

void errand__mailbox_init(struct mailbox *mailbox, size_t cap)
{
    *mailbox = (struct mailbox){.cap = cap};
    mailbox->end = &mailbox->first;
    (void)pthread_mutex_init(&mailbox->lock, NULL);
    (void)pthread_cond_init(&mailbox->arrived, NULL);
}

void errand__mailbox_deinit(struct mailbox *mailbox)
{
    while (mailbox->first != NULL) {
        struct letter *next = mailbox->first->next;
        errand__mem_free(mailbox->first);
        mailbox->first = next;
    }
    (void)pthread_cond_destroy(&mailbox->arrived);
    (void)pthread_mutex_destroy(&mailbox->lock);
}

/* The one span that an event of these types carries. */
static errand_span *span_in(errand_event *event)
{
    switch (event->type) {
    case ERRAND_EVENT_LOG:
        return &event->as.log.text;
    case ERRAND_EVENT_CALL:
        return &event->as.call.args;
    case ERRAND_EVENT_NOISE:
        return &event->as.noise;
    case ERRAND_EVENT_ITEM:
        return &event->as.item.json;
    case ERRAND_EVENT_STARTED:
    case ERRAND_EVENT_CALL_OVER:
    case ERRAND_EVENT_END:
    case ERRAND_EVENT_TRANSFER_OVER:
    case ERRAND_EVENT_PLACE_CLOSED:
    case ERRAND_EVENT_ASK:
    case ERRAND_EVENT_ANSWER:
        return NULL;
    }
    return NULL;
}

static struct letter *letter_of(const errand_event *event)
{
    errand_event copy = *event;
    const errand_span *span = span_in(&copy);
    size_t len = span == NULL ? 0 : span->len;
    struct letter *letter = errand__mem_new(1, sizeof(*letter) + len);

    if (letter == NULL)
        return NULL;
    letter->event = copy;
    letter->size = sizeof(*letter) + len;
    if (copy.type == ERRAND_EVENT_LOG)
        letter->event.as.log.json = SPAN_EMPTY; /* The text says it. */
    if (len > 0) {
        char *bytes = (char *)(letter + 1);
        memcpy(bytes, span->ptr, len);
        *span_in(&letter->event) = span_of(bytes, len);
    }
    return letter;
}

errand_status errand__mailbox_put(struct mailbox *mailbox, const errand_event *event, bool *full)
{
    struct letter *letter = letter_of(event);

    if (letter == NULL)
        return ERRAND_ENOMEM;
    (void)pthread_mutex_lock(&mailbox->lock);
    *mailbox->end = letter;
    mailbox->end = &letter->next;
    mailbox->bytes += letter->size;
    *full = mailbox->bytes > mailbox->cap;
    (void)pthread_cond_signal(&mailbox->arrived);
    (void)pthread_mutex_unlock(&mailbox->lock);
    return ERRAND_OK;
}

bool errand__mailbox_has_room(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    bool has_room = mailbox->bytes <= mailbox->cap / 2;
    (void)pthread_mutex_unlock(&mailbox->lock);
    return has_room;
}

void errand__mailbox_close(struct mailbox *mailbox)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    mailbox->closed = true;
    (void)pthread_cond_signal(&mailbox->arrived);
    (void)pthread_mutex_unlock(&mailbox->lock);
}

struct letter *errand__mailbox_take(struct mailbox *mailbox, bool *drained)
{
    (void)pthread_mutex_lock(&mailbox->lock);
    while (mailbox->first == NULL && !mailbox->closed)
        (void)pthread_cond_wait(&mailbox->arrived, &mailbox->lock);
    struct letter *letter = mailbox->first;
    size_t before = mailbox->bytes;
    if (letter != NULL) {
        mailbox->first = letter->next;
        if (mailbox->first == NULL)
            mailbox->end = &mailbox->first;
        mailbox->bytes -= letter->size;
    }
    *drained = before > mailbox->cap / 2 && mailbox->bytes <= mailbox->cap / 2;
    (void)pthread_mutex_unlock(&mailbox->lock);
    return letter;
}
