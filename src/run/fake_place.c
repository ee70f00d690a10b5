/* fake_place.c - the public side of errand/fake.h: a made-up road put into a place. */
#include <errand/fake.h>

#include "base/err.h"
#include "run/world.h"
#include "transport/fake/fake.h"

errand_status errand_fake_loop_new(errand_loop **out, errand_error *err)
{
    errand__err_clear(err);
    *out = NULL;
    return errand__loop_new_made_up(out, err);
}

errand_status errand_fake_place_open(errand_place **out, errand_loop *loop, const char *script,
                                     errand_error *err)
{
    errand_road *road = NULL;

    errand__err_clear(err);
    *out = NULL;
    errand_status status = errand__fake_road_new(&road, script, err);
    if (status != ERRAND_OK)
        return status;
    return errand_place_open_road(out, loop, road, "fake", NULL, err);
}
