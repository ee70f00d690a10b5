/* brittle.h - a road around another one whose way to a process breaks again and again.
 *
 * As in a sandbox behind a proxy: the process lives on, what it says meanwhile is read by nobody,
 * and of what home sent some pieces arrive and others do not, but each as a whole. */
#ifndef ERRAND_TEST_BRITTLE_H
#define ERRAND_TEST_BRITTLE_H

#include <errand/transport.h>

/* inner is taken; it breaks where seed says, at most so many times a process, each time once some
 * of the process's next bytes were read: fewer than every. */
errand_road *brittle_road_new(errand_road *inner, unsigned seed, unsigned times, unsigned every);
/* How often a way broke so far, in this program. */
unsigned brittle_breaks(void);

#endif
