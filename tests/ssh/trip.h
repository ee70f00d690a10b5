/* trip.h - one program to a host and back, and all that came of it. */
#ifndef SSH_TEST_TRIP_H
#define SSH_TEST_TRIP_H

#include "base/base.h"

enum { TRIP_TEXT = 512, TRIP_ASKS = 8 };

struct trip {
    /* What to do. */
    const char *address;
    errand_ssh_options ssh;
    errand_limits limits;
    const char *node;
    errand_delivery delivery;
    const char *program;
    const char *answers[TRIP_ASKS]; /* In order; NULL declines. */
    /* What came of it. */
    errand_status status; /* Of errand_execute(). */
    errand_kind kind;
    char code[64], limit[64], value[TRIP_TEXT], message[TRIP_TEXT], warning[TRIP_TEXT],
        noise[TRIP_TEXT];
    bool abandoned;
    unsigned asks;
    char kinds[TRIP_TEXT], prompts[TRIP_TEXT]; /* Of the questions, with commas. */
    int64_t open_us, boot_us;
};

/* With the defaults of everything; node is sshd_node(). */
struct trip trip_to(const char *address);
void trip_go(struct trip *trip);
/* Goes, and fails the test unless the value is text, or the code is. */
void trip_brings(struct trip *trip, const char *text);
void trip_fails(struct trip *trip, const char *code, const char *words);

#endif
