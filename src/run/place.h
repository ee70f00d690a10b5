/* place.h - inside of a place: a road, and the runs that go along it. */
#ifndef ERRAND_PLACE_H
#define ERRAND_PLACE_H

#include "base/base.h"
#include "run/source.h"

#include <errand/transport.h>

enum { PLACE_PROMPT = 512 };

enum place_state {
    PLACE_OPENING, /* Runs wait for the road. */
    PLACE_OPEN,
    PLACE_FAILED,  /* error says why; every run is told. */
    PLACE_CLOSING, /* Waits for its runs to end, then for the road to close. */
    PLACE_CLOSED
};

struct errand_place {
    struct source source;
    errand_loop *loop;
    errand_road *road;
    char *name;
    char *node; /* Or NULL. */
    errand_delivery delivery;
    bool reattaches; /* The way to its processes may break and be found again. */
    bool cut_off;    /* It was made without a network. */
    enum place_state state;
    errand_error error;
    const char *error_code;    /* A literal. */
    char prompt[PLACE_PROMPT]; /* Of the question that was handed out last. */
    errand_run *runs;          /* Linked by next_of_place. */
    size_t runs_going;
    struct transfer *transfers; /* Linked by next_of_place. */
    size_t transfers_going;
    uint64_t transfers_begun;
    bool close_asked, closed_told;
};

/* A run of this place has ended: a closing place may go on. With the lock held. */
void errand__place_run_ended(errand_place *place);

#endif
