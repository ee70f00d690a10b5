/* ssh_order.c - the shell lines, free of what login shells read differently, and their answers. */
#include "transport/ssh_order.h"

#include "base/mem.h"

#include <stdio.h>

enum {
    PATIENCE_US = 30 * 1000 * 1000, /* From the moment that it has a channel. */
    QUEUE_US = 60 * 1000 * 1000,    /* Until then. */
    STAYS = 9
};

#define OPEN "exec /bin/sh -c 'k(){ kill -s $1 -- -%lld 2>/dev/null;};"

/* CONT, since who is stopped can't hear. A sleep may know whole seconds alone. */
static const char *const lines[] = {[SSH_ORDER_TERM] = OPEN "k TERM;k CONT;exit 0' </dev/null",
                                    [SSH_ORDER_KILL] = OPEN "k KILL;exit 0' </dev/null",
                                    [SSH_ORDER_CLEAR] = OPEN
                                    "k KILL;i=0;while k 0;do i=$((i+1));[ $i -gt 60 ]&&exit 9;"
                                    "sleep 0.03 2>/dev/null||sleep 1;done;exit 0' </dev/null"};

struct ssh_order *errand__ssh_order_new(struct ssh_link *link, enum ssh_order_kind kind,
                                        int64_t pid, int64_t now_us)
{
    struct ssh_order *order = errand__mem_new(1, sizeof(*order));

    if (order == NULL)
        return NULL;
    order->link = link;
    order->due_us = now_us + QUEUE_US;
    int len = snprintf(order->command, sizeof(order->command), lines[kind], (long long)pid);
    assert(len > 0);
    assert((size_t)len < sizeof(order->command));
    (void)len;
    return order;
}

static void end(struct ssh_order *order, enum ssh_order_end how)
{
    if (order->raw != NULL && order->link != NULL)
        errand__ssh_link_give_back(order->link, order->raw);
    order->raw = NULL;
    order->end = how;
}

static bool is_confirmed(struct ssh_order *order)
{
    if (order->confirmed)
        return true;
    int rc = libssh2_channel_process_startup(order->raw, "exec", 4, order->command,
                                             (unsigned)strlen(order->command));
    order->confirmed = rc == 0;
    if (rc != 0 && rc != LIBSSH2_ERROR_EAGAIN)
        end(order, SSH_ORDER_FAILED);
    return order->confirmed;
}

/* What it prints, if anything, goes by. */
static void listen_to(struct ssh_order *order)
{
    char room[4096];
    ssize_t got = 0;

    do
        got = libssh2_channel_read_ex(order->raw, 0, room, sizeof(room));
    while (got > 0);
    do
        got = libssh2_channel_read_ex(order->raw, 1, room, sizeof(room));
    while (got > 0);
    if (libssh2_channel_eof(order->raw) != 1 || libssh2_channel_wait_closed(order->raw) != 0)
        return;
    int status = libssh2_channel_get_exit_status(order->raw);
    end(order, status == 0 ? SSH_ORDER_DONE : status == STAYS ? SSH_ORDER_STAYS : SSH_ORDER_FAILED);
}

static void take_channel(struct ssh_order *order, int64_t now_us)
{
    order->raw = errand__ssh_link_take(order->link, SSH_USE_ORDER);
    if (order->raw != NULL)
        order->due_us = now_us + PATIENCE_US;
}

bool errand__ssh_order_step(struct ssh_order *order, int64_t now_us)
{
    if (order->end != SSH_ORDER_GOING)
        return true;
    if (order->link == NULL || errand__ssh_link_is_dead(order->link) || now_us >= order->due_us)
        end(order, SSH_ORDER_FAILED);
    else if (order->raw == NULL)
        take_channel(order, now_us);
    if (order->raw != NULL && is_confirmed(order))
        listen_to(order);
    return order->end != SSH_ORDER_GOING;
}

void errand__ssh_order_free(struct ssh_order *order)
{
    end(order, SSH_ORDER_FAILED);
    errand__mem_free(order);
}
