/* sandboxes.c - errand/e2b.h: asks, and waits for the answer. Knows a clock and the API; knows no
 * loop, no place and no run. */
#include <errand/e2b.h>

#include "base/err.h"
#include "base/mem.h"
#include "run/sized.h"
#include "run/world.h"
#include "transport/e2b/api.h"

#include <poll.h>
#include <stdio.h>

enum {
    PAGE_MOST = 100, /* Sandboxes on a page of a list, as the service has them. */
    PAGES_MOST = 100,
    ALL_MOST = PAGE_MOST * PAGES_MOST,
    WAIT_MOST_US = 90 * 1000 * 1000, /* Of a call, whatever it asks. */
    WORD_MOST = 1024,                /* Of a page: three letters a byte of its name. */
    SECONDS = 1000
};

struct errand_sandboxes {
    struct e2b_sandbox *told; /* As many as shown. */
    errand_sandbox *shown;
    size_t count;
};

/* --- Asking ----------------------------------------------------------------------------------- */

static int64_t now_us(void)
{
    static const struct world real;

    return errand__world_now_us(&real);
}

static errand_status open_api(struct e2b_api *api, const char *id,
                              const errand_e2b_options *options, errand_error *err)
{
    errand_e2b_options given = ERRAND_E2B_OPTIONS_INIT;
    errand_status status = ERRAND_OK;

    errand__err_clear(err);
    if (options != NULL)
        status = errand__sized_copy(&given, sizeof(given), options, "e2b options", err);
    *api = (struct e2b_api){.http = {.poll_fd = -1}};
    return status == ERRAND_OK ? errand__e2b_api_init(api, id, &given, err) : status;
}

static void wait_for(const struct e2b_api *api, int64_t due_us)
{
    struct pollfd ready = {api->http.poll_fd, POLLIN, 0};
    int64_t api_due_us = errand__e2b_api_due(api);
    int64_t left_us = (api_due_us < due_us ? api_due_us : due_us) - now_us();
    int64_t left_ms = left_us <= 0 ? 0 : (left_us + 999) / 1000;

    (void)poll(&ready, 1, left_ms > INT_MAX ? INT_MAX : (int)left_ms);
}

/* due_us: when nobody waits any longer. */
static errand_status ask(struct e2b_api *api, enum e2b_verb verb, const char *word, int64_t due_us,
                         errand_error *err)
{
    errand_status status = errand__e2b_api_ask(api, verb, word, now_us(), err);

    if (status == ERRAND_OK)
        status = errand__e2b_api_step(api, now_us(), err);
    while (status == ERRAND_AGAIN && now_us() < due_us) {
        wait_for(api, due_us);
        status = errand__e2b_api_step(api, now_us(), err);
    }
    if (status != ERRAND_AGAIN)
        return status;
    (void)errand__fail(err, ERRAND_EIO, 0, "e2b: no answer came in time");
    errand__err_retryable(err, 0);
    return ERRAND_EIO;
}

static errand_status check_id(const char *id, errand_error *err)
{
    errand__err_clear(err);
    return id == NULL || id[0] == '\0'
               ? errand__fail(err, ERRAND_EINVAL, 0, "e2b: no sandbox is named")
               : ERRAND_OK;
}

/* timeout_ms: 0 where none is said. */
static errand_status ask_once(enum e2b_verb verb, const char *id, uint64_t timeout_ms,
                              const errand_e2b_options *options, errand_error *err)
{
    struct e2b_api api;
    errand_status status = check_id(id, err);

    if (status != ERRAND_OK)
        return status;
    status = open_api(&api, id, options, err);
    if (timeout_ms != 0)
        api.config.timeout_s = (timeout_ms + SECONDS - 1) / SECONDS;
    if (status == ERRAND_OK)
        status = ask(&api, verb, id, now_us() + WAIT_MOST_US, err);
    errand__e2b_api_deinit(&api);
    return status;
}

/* --- What there is ---------------------------------------------------------------------------- */

/* Where its words lie now: the list may have moved. */
static void show(errand_sandbox *shown, const struct e2b_sandbox *told)
{
    *shown = (errand_sandbox){.id = told->id,
                              .template_id = told->template,
                              .alias = told->alias,
                              .state = told->state,
                              .started_at = told->started_at,
                              .end_at = told->end_at,
                              .envd_version = told->version_text,
                              .metadata = told->metadata == NULL ? "" : told->metadata,
                              .cpu_count = told->cpu_count,
                              .memory_mb = told->memory_mb,
                              .disk_mb = told->disk_mb};
}

/* For so many more. */
static errand_status make_room(errand_sandboxes *list, size_t more, errand_error *err)
{
    size_t room = list->count + more;
    struct e2b_sandbox *told = errand__mem_resize(list->told, room * sizeof(*told));

    if (told == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    list->told = told;
    return ERRAND_OK;
}

static errand_status take_page(errand_sandboxes *list, const struct e2b_api *api, errand_error *err)
{
    /* Older servers know no pages: all are on the first. */
    size_t most = errand__e2b_control_count(errand__e2b_api_answer(api));
    if (most > ALL_MOST - list->count)
        most = ALL_MOST - list->count;
    errand_status status = make_room(list, most, err);
    if (status != ERRAND_OK)
        return status;
    int count =
        errand__e2b_control_list(list->told + list->count, most, errand__e2b_api_answer(api));
    if (count < 0)
        return errand__e2b_api_refuse(api, err);
    list->count += (size_t)count;
    return ERRAND_OK;
}

/* What the path of the next page ends with. false: there is none. */
static bool name_next_page(const struct e2b_api *api, char word[static WORD_MOST])
{
    const char *name = api->exchange->next_page;
    size_t used = (size_t)snprintf(word, WORD_MOST, "&nextToken=");

    for (const char *at = name; *at != '\0' && used + 4 < WORD_MOST; at++)
        used += (size_t)snprintf(word + used, 4, "%%%02X", (unsigned char)*at);
    return name[0] != '\0';
}

static errand_status read_pages(errand_sandboxes *list, struct e2b_api *api, errand_error *err)
{
    char word[WORD_MOST] = "";
    int64_t due_us = now_us() + WAIT_MOST_US;

    for (int page = 0; page < PAGES_MOST; page++) {
        errand_status status = ask(api, E2B_VERB_LIST, word, due_us, err);
        if (status == ERRAND_OK)
            status = take_page(list, api, err);
        if (status != ERRAND_OK || !name_next_page(api, word))
            return status;
    }
    return ERRAND_OK;
}

static errand_status show_all(errand_sandboxes *list, errand_error *err)
{
    list->shown = errand__mem_new(list->count + 1, sizeof(*list->shown));
    if (list->shown == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    for (size_t i = 0; i < list->count; i++)
        show(&list->shown[i], &list->told[i]);
    return ERRAND_OK;
}

/* The list is taken. */
static errand_status hand_out(errand_sandboxes **out, errand_sandboxes *list, errand_status status,
                              errand_error *err)
{
    if (status == ERRAND_OK)
        status = show_all(list, err);
    if (status != ERRAND_OK) {
        errand_sandboxes_free(list);
        return status;
    }
    *out = list;
    return ERRAND_OK;
}

errand_status errand_sandboxes_list(errand_sandboxes **out, const errand_e2b_options *options,
                                    errand_error *err)
{
    struct e2b_api api;

    errand__err_clear(err);
    *out = NULL;
    errand_sandboxes *list = errand__mem_new(1, sizeof(*list));
    if (list == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    errand_status status = open_api(&api, NULL, options, err);
    if (status == ERRAND_OK)
        status = read_pages(list, &api, err);
    errand__e2b_api_deinit(&api);
    return hand_out(out, list, status, err);
}

static errand_status read_one(errand_sandboxes *list, struct e2b_api *api, const char *id,
                              errand_error *err)
{
    errand_status status = ask(api, E2B_VERB_INFO, id, now_us() + WAIT_MOST_US, err);

    if (status == ERRAND_OK)
        status = make_room(list, 1, err);
    if (status != ERRAND_OK)
        return status;
    if (!errand__e2b_sandbox_parse(&list->told[0], errand__e2b_api_answer(api))) {
        errand__e2b_sandbox_deinit(&list->told[0]);
        return errand__e2b_api_refuse(api, err);
    }
    list->count = 1;
    return ERRAND_OK;
}

errand_status errand_sandboxes_find(errand_sandboxes **out, const char *id,
                                    const errand_e2b_options *options, errand_error *err)
{
    struct e2b_api api;
    errand_status status = check_id(id, err);

    *out = NULL;
    if (status != ERRAND_OK)
        return status;
    errand_sandboxes *list = errand__mem_new(1, sizeof(*list));
    if (list == NULL)
        return errand__fail(err, ERRAND_ENOMEM, 0, "e2b: no memory");
    status = open_api(&api, id, options, err);
    if (status == ERRAND_OK)
        status = read_one(list, &api, id, err);
    errand__e2b_api_deinit(&api);
    return hand_out(out, list, status, err);
}

size_t errand_sandboxes_count(const errand_sandboxes *sandboxes)
{
    return sandboxes == NULL ? 0 : sandboxes->count;
}

const errand_sandbox *errand_sandboxes_at(const errand_sandboxes *sandboxes, size_t index)
{
    return index < errand_sandboxes_count(sandboxes) ? &sandboxes->shown[index] : NULL;
}

void errand_sandboxes_free(errand_sandboxes *sandboxes)
{
    if (sandboxes == NULL)
        return;
    for (size_t i = 0; i < sandboxes->count; i++)
        errand__e2b_sandbox_deinit(&sandboxes->told[i]);
    errand__mem_free(sandboxes->told);
    errand__mem_free(sandboxes->shown);
    errand__mem_free(sandboxes);
}

/* --- How it does ------------------------------------------------------------------------------ */

static errand_status read_usage(errand_sandbox_usage *usage, const struct e2b_api *api,
                                errand_error *err)
{
    struct e2b_metrics metrics = {0};
    size_t size = usage->size;

    errand_status status = errand__e2b_control_metrics(&metrics, errand__e2b_api_answer(api));
    if (status != ERRAND_OK)
        return status == ERRAND_AGAIN ? ERRAND_AGAIN : errand__e2b_api_refuse(api, err);
    *usage = (errand_sandbox_usage){.size = size,
                                    .cpu_percent = metrics.cpu_percent,
                                    .cpu_count = metrics.cpu_count,
                                    .memory_used = metrics.memory_used,
                                    .memory_total = metrics.memory_total,
                                    .disk_used = metrics.disk_used,
                                    .disk_total = metrics.disk_total};
    return ERRAND_OK;
}

errand_status errand_sandbox_metrics(errand_sandbox_usage *usage, const char *id,
                                     const errand_e2b_options *options, errand_error *err)
{
    struct e2b_api api;
    errand_status status = check_id(id, err);

    if (status != ERRAND_OK)
        return status;
    if (usage->size < sizeof(*usage))
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: the usage was not set up by its _INIT");
    status = open_api(&api, id, options, err);
    if (status == ERRAND_OK)
        status = ask(&api, E2B_VERB_METRICS, id, now_us() + WAIT_MOST_US, err);
    if (status == ERRAND_OK)
        status = read_usage(usage, &api, err);
    errand__e2b_api_deinit(&api);
    return status;
}

/* --- What becomes of it ----------------------------------------------------------------------- */

static errand_status prolong(enum e2b_verb verb, const char *id, uint64_t timeout_ms,
                             const errand_e2b_options *options, errand_error *err)
{
    errand__err_clear(err);
    if (timeout_ms == 0 || timeout_ms > (uint64_t)INT32_MAX * SECONDS)
        return errand__fail(err, ERRAND_EINVAL, 0, "e2b: the timeout wants 1 to %d seconds",
                            INT32_MAX);
    return ask_once(verb, id, timeout_ms, options, err);
}

errand_status errand_sandbox_timeout(const char *id, uint64_t timeout_ms,
                                     const errand_e2b_options *options, errand_error *err)
{
    return prolong(E2B_VERB_TIMEOUT, id, timeout_ms, options, err);
}

errand_status errand_sandbox_refresh(const char *id, uint64_t timeout_ms,
                                     const errand_e2b_options *options, errand_error *err)
{
    return prolong(E2B_VERB_REFRESH, id, timeout_ms, options, err);
}

errand_status errand_sandbox_pause(const char *id, const errand_e2b_options *options,
                                   errand_error *err)
{
    return ask_once(E2B_VERB_PAUSE, id, 0, options, err);
}

errand_status errand_sandbox_resume(const char *id, const errand_e2b_options *options,
                                    errand_error *err)
{
    return ask_once(E2B_VERB_CONNECT, id, 0, options, err);
}

errand_status errand_sandbox_kill(const char *id, const errand_e2b_options *options,
                                  errand_error *err)
{
    return ask_once(E2B_VERB_KILL, id, 0, options, err);
}
