/* choice.h - options whose value is one of a few words, which several subcommands have.
 *
 * EINVAL, and one line that says which words there are: it is none of them. */
#ifndef ERRAND_CHOICE_H
#define ERRAND_CHOICE_H

#include "base/base.h"

errand_status choice_accept(errand_accept *choice, const char *word,
                            errand_error *err) ERRAND_CHECKED;
errand_status choice_delivery(errand_delivery *choice, const char *word,
                              errand_error *err) ERRAND_CHECKED;
errand_status choice_failures(errand_failures *choice, const char *word,
                              errand_error *err) ERRAND_CHECKED;
errand_status choice_globals(errand_globals *choice, const char *word,
                             errand_error *err) ERRAND_CHECKED;
errand_status choice_language(errand_language *choice, const char *word,
                              errand_error *err) ERRAND_CHECKED;
errand_status choice_network(errand_network *choice, const char *word,
                             errand_error *err) ERRAND_CHECKED;
errand_status choice_values(errand_values *choice, const char *word,
                            errand_error *err) ERRAND_CHECKED;

#endif
