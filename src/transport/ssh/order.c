/* order.c - orders and the answers to them. */
#include "transport/ssh/order.h"

#include "base/mem.h"

enum { PATIENCE_US = 60 * 1000 * 1000, /* The run that waits has a limit of its own. */ };

static const char *const words[] = {
    [SSH_ORDER_TERM] = "TERM", [SSH_ORDER_KILL] = "KILL", [SSH_ORDER_CLEAR] = "C"};

struct ssh_order *errand__ssh_order_new(struct ssh_link *link, enum ssh_order_kind kind,
                                        int64_t pid, const char *brand, int64_t now_us)
{
    struct ssh_order *order = errand__mem_new(1, sizeof(*order));

    if (order == NULL)
        return NULL;
    order->link = link;
    order->id = ++link->orders;
    order->due_us = now_us + PATIENCE_US;
    const char *more = kind == SSH_ORDER_CLEAR ? brand : "";
    if (!errand__ssh_warden_tell(&link->warden, order->id, words[kind], pid, more))
        order->end = SSH_ORDER_FAILED;
    return order;
}

bool errand__ssh_order_is_over(struct ssh_order *order, int64_t now_us)
{
    bool vain = errand__ssh_link_is_dead(order->link) || now_us >= order->due_us ||
                order->link->warden.tried >= SSH_WARDEN_TRIES;

    if (order->end == SSH_ORDER_GOING && vain)
        order->end = SSH_ORDER_FAILED;
    return order->end != SSH_ORDER_GOING;
}

void errand__ssh_order_answered(struct ssh_order *order, const struct ssh_link *link, unsigned id,
                                int status)
{
    for (; order != NULL; order = order->next) {
        if (order->link != link || order->id != id || order->end != SSH_ORDER_GOING)
            continue;
        bool done = status == 0 || status > SSH_WARDEN_STRAYS;
        order->strays = done && status != 0 ? status - SSH_WARDEN_STRAYS : 0;
        order->end = done ? SSH_ORDER_DONE : SSH_ORDER_STAYS;
    }
}
