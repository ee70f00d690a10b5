/* road.h - the ways to a process over which every scenario runs. */
#ifndef CONFORMANCE_ROAD_H
#define CONFORMANCE_ROAD_H

#include "scenario.h"

#include <errand/transport.h>

/* Room for the words of an address. */
enum { ADDRESS_MAX = 1024 };

struct road {
    const char *name;
    const char *about;
    errand_delivery delivery;
    bool names_node; /* The place is told where node is; else it looks. */
    /* Each run is recorded, and has to give the same text another way too. NULL: it is not. */
    bool (*again)(errand_span record, const char *text, const struct scenario *scenario);
    void (*address)(char out[static ADDRESS_MAX], const char *node);
    /* Starts what the road needs, and says what else the place has to know. NULL: nothing. */
    void (*begin)(errand_place_options *options);
    void (*end)(void);
    /* How many runs there are at once; 0: as many as there may be. Where a start takes long, many
     * of them together take longer than a scenario's limits. */
    size_t at_once;
    bool segments;                            /* Both streams go in segments. */
    errand_road *(*wrap)(errand_road *inner); /* NULL: as it is. */
};

const struct road *road_named(const char *name);
void roads_list(void);

/* The node binaries to test with: ERRAND_TEST_NODES, else the node on PATH. index from 0;
 * NULL: no more. */
char *test_node(size_t index);

#endif
