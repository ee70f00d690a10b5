/* api.h - one request after another to the API, outside of any place. Waits for nothing itself. */
#ifndef ERRAND_E2B_API_H
#define ERRAND_E2B_API_H

#include "transport/e2b/control.h"
#include "transport/e2b/patience.h"

struct e2b_api {
    struct e2b_config config;
    struct e2b_diary diary;
    struct e2b_http http;
    struct e2b_control control;
    enum e2b_verb verb;
    char *word; /* Of the path: the sandbox's id, or what page of a list. */
    struct e2b_exchange *exchange;
    struct e2b_patience patience;
    int64_t again_us; /* When it is asked again; TIME_NEVER: it is under way. */
};

/* id: NULL where no sandbox is meant. It is to be deinitialised in any case. */
errand_status errand__e2b_api_init(struct e2b_api *api, const char *id,
                                   const errand_e2b_options *options,
                                   errand_error *err) ERRAND_CHECKED;
void errand__e2b_api_deinit(struct e2b_api *api);
/* word: copied. */
errand_status errand__e2b_api_ask(struct e2b_api *api, enum e2b_verb verb, const char *word,
                                  int64_t now_us, errand_error *err) ERRAND_CHECKED;
/* OK: it was answered, and a success; AGAIN: wait for poll_fd of http, or until due; negative. */
errand_status errand__e2b_api_step(struct e2b_api *api, int64_t now_us,
                                   errand_error *err) ERRAND_CHECKED;
int64_t errand__e2b_api_due(const struct e2b_api *api);
/* What was answered; borrowed until it is asked again. */
errand_span errand__e2b_api_answer(const struct e2b_api *api);
/* An answer that is a success and still makes no sense. */
errand_status errand__e2b_api_refuse(const struct e2b_api *api, errand_error *err) ERRAND_CHECKED;

#endif
