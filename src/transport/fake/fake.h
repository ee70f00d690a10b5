/* fake.h - a road whose far side is a script: what errand/fake.h is made of. */
#ifndef ERRAND_TRANSPORT_FAKE_H
#define ERRAND_TRANSPORT_FAKE_H

#include <errand/transport.h>

#include "base/base.h"

/* EINVAL names the line of the script. script is copied. */
errand_status errand__fake_road_new(errand_road **out, const char *script,
                                    errand_error *err) ERRAND_CHECKED;

#endif
