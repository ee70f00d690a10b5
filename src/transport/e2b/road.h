/* road.h - one sandbox, what goes on in it, and what is asked of whom. */
#ifndef ERRAND_E2B_ROAD_H
#define ERRAND_E2B_ROAD_H

#include <errand/transport.h>

#include "transport/e2b/config.h"
#include "transport/e2b/control.h"
#include "transport/e2b/diary.h"
#include "transport/e2b/envd.h"
#include "transport/e2b/opening.h"
#include "transport/e2b/order.h"
#include "transport/e2b/patience.h"

struct e2b_run;
struct e2b_file;

struct e2b_road {
    errand_road base;
    struct e2b_config config;
    struct e2b_http http;
    struct e2b_control control;
    struct e2b_sandbox sandbox;
    struct e2b_envd envd;
    struct e2b_diary diary;
    struct bell bell; /* Part of http's epoll: the road itself has something to do. */
    struct e2b_opening opening;
    bool opened, dead; /* dead: it is known that the sandbox is not there any more. */
    int64_t now_us;    /* Of the last call. */
    int64_t told_us;   /* The instant that was last said to the driver. */
    struct e2b_run *runs;
    struct e2b_order *orders;
    struct e2b_file *files;
    struct e2b_exchange *refresh; /* NULL: none under way. */
    int64_t refresh_us, expires_us;
    bool closing;
    struct e2b_exchange *kill;
    struct e2b_patience kill_patience;
    int64_t kill_us, close_due_us;
    errand_error error;
    const char *code; /* Why open failed. */
};

/* Lets what was just asked for move at once, and the driver know when it will be late. */
void errand__e2b_road_push(struct e2b_road *road);
/* A new order, which the road tends. NULL: no memory. */
struct e2b_order *errand__e2b_road_order(struct e2b_road *road, enum e2b_order_kind kind,
                                         uint32_t pid, const char *mark, struct bell *owner);
/* Nobody waits for it any more. NULL is fine. */
void errand__e2b_road_disown(struct e2b_road *road, struct e2b_order *order);
/* Whether it is because of its end that the sandbox is not there any more. */
bool errand__e2b_road_expired(const struct e2b_road *road);

#endif
