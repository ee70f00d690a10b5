/* far.h - a plan's far side as the script of a fake place. */
#ifndef ERRAND_TEST_FAR_H
#define ERRAND_TEST_FAR_H

#include "model.h"

enum { FAR_SCRIPT_MAX = 64 * 1024 };

/* What the model foresees of the answers, the script checks. */
void far_write(const struct plan *plan, const struct model *model, char script[FAR_SCRIPT_MAX]);

#endif
