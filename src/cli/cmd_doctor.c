/* cmd_doctor.c - errand doctor: tries a place step by step, and says what to do where it fails.
 *
 * It runs small programs of its own there; what to do about a failing step stands in advice.c. */
#include "base/err.h"
#include "base/mem.h"
#include "cli/advice.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/need.h"
#include "cli/opt.h"
#include "cli/request.h"
#include "cli/say.h"
#include "cli/secret.h"
#include "cli/text.h"

#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>

enum doctor_option { OPT_ON = 1, OPT_NODE, OPT_IDENTITY, OPT_SSH_CONFIG, OPT_ACCEPT_NEW, OPT_HELP };

static const struct opt doctor_options[] = {
    {OPT_ON, 0, "on", "PLACE", "the place to look at; default: local"},
    {OPT_NODE, 0, "node", "PATH", "node over there; default: it is looked for"},
    {OPT_IDENTITY, 0, "identity", "FILE", "ssh: the private key to log in with, and no other"},
    {OPT_SSH_CONFIG, 0, "ssh-config", "FILE",
     "ssh: in place of ~/.ssh/config and that of the system"},
    {OPT_ACCEPT_NEW, 0, "accept-new-host-key", NULL,
     "ssh: record the key of a host of which none is known"},
    {OPT_HELP, 'h', "help", NULL, "this text"},
};

enum { DOCTOR_FACT = 200 };

static const char clock_program[] =
    "let best = Infinity;\n"
    "for (let i = 0; i < 5; i++) {\n"
    "  const from = performance.now();\n"
    "  await home.clock(Date.now());\n"
    "  best = Math.min(best, performance.now() - from);\n"
    "}\n"
    "return { path: process.execPath, system: `${process.platform} ${process.arch}`, best };\n";

static const char erasable_program[] = "const one: number = 1;\nreturn one satisfies number;\n";
static const char enum_program[] = "enum Kind { One = 1 }\nreturn Kind.One;\n";

struct doctor {
    const char *address;
    errand_place_options place_options;
    errand_ssh_options ssh_options;
    struct secret secret;
    bool help;
    errand_loop *loop;
    errand_place *place; /* NULL: not there. */
    errand_delivery delivery;
    char node[64]; /* "v22.4.1", once a runner spoke. */
    uint64_t stdin_bytes;
    int64_t ahead_ms; /* How far their clock was ahead when they asked. */
    /* What the road told; or empty. */
    char host_key[DOCTOR_FACT], sandbox[DOCTOR_FACT], api_clock[DOCTOR_FACT];
    int failures;
};

struct visit {
    const char *program;
    errand_language language;
    errand_delivery delivery;
};

static const char *const home_functions[] = {"clock", NULL};
static const errand_namespace home = {.name = "home", .functions = home_functions};

/* --- Telling ---------------------------------------------------------------------------------- */

static void tell(const char *verdict, const char *step, const char *words)
{
    struct buf safe;

    errand__buf_init(&safe, TEXT_BYTES_MAX);
    text_guarded(&safe, span_text(words));
    text_add(&safe, span_of("", 1));
    if (words[0] == '\0')
        (void)printf("%-5s %s\n", verdict, step);
    else
        (void)printf("%-5s %-12s %s\n", verdict, step, errand__buf_peek(&safe).ptr);
    (void)fflush(stdout);
    errand__buf_deinit(&safe);
}

static void tell_what_to_do(const char *words)
{
    (void)printf("      what to do: %s\n", words);
    (void)fflush(stdout);
}

static void tell_failure(struct doctor *doctor, const char *step, const char *words,
                         const char *advice)
{
    doctor->failures++;
    tell("FAIL", step, words);
    tell_what_to_do(advice);
}

/* --- Visiting --------------------------------------------------------------------------------- */

static int64_t real_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void answer_clock(struct doctor *doctor, errand_run *run, const errand_event *event)
{
    json_auto_t *theirs =
        json_loadb(event->as.call.args.ptr, event->as.call.args.len, JSON_DECODE_ANY, NULL);

    doctor->ahead_ms = (int64_t)json_number_value(theirs) - real_ms();
    /* A run that is over already needs no answer. */
    (void)!errand_run_reply(run, event->as.call.id, SPAN_EMPTY, NULL);
}

/* Blocks: there is nothing else to do. */
static void answer_question(struct doctor *doctor, const errand_event *event)
{
    errand_place *place = event->place;

    secret_ask(&doctor->secret, place, &event->as.ask, NULL);
    while (doctor->secret.asked != 0) {
        struct pollfd ready = {.fd = doctor->secret.tty, .events = POLLIN};
        (void)poll(&ready, 1, -1);
        secret_step(&doctor->secret, place);
    }
}

/* Facts of a road that are worth a step of their own. */
static void hear_fact(void *ctx, int64_t at_us, const char *area, errand_span line)
{
    struct doctor *doctor = ctx;
    errand_span sandbox = SPAN_LITERAL("sandbox: "), api_clock = SPAN_LITERAL("clock: ");
    errand_span recorded = SPAN_LITERAL("its key is recorded: ");

    (void)at_us;
    if (strcmp(area, "ssh") == 0 && span_starts(line, recorded))
        (void)snprintf(doctor->host_key, sizeof(doctor->host_key), "%.*s", (int)line.len, line.ptr);
    if (strcmp(area, "e2b") != 0)
        return;
    if (span_starts(line, sandbox))
        (void)snprintf(doctor->sandbox, sizeof(doctor->sandbox), "%.*s",
                       (int)(line.len - sandbox.len), line.ptr + sandbox.len);
    if (span_starts(line, api_clock))
        (void)snprintf(doctor->api_clock, sizeof(doctor->api_clock), "%.*s",
                       (int)(line.len - api_clock.len), line.ptr + api_clock.len);
}

/* Minutes: certificates and keys depend on the time. */
static bool is_far(const char *fact)
{
    unsigned seconds = 0;

    /* cert-err34-c: a width keeps the number small. */
    return sscanf(fact, "the API's was %8u s", &seconds) == 1 && /* NOLINT(cert-err34-c) */
           seconds > 300;
}

static void tell_facts(const struct doctor *doctor)
{
    if (doctor->sandbox[0] != '\0')
        tell("ok", "sandbox", doctor->sandbox);
    if (doctor->api_clock[0] != '\0')
        tell(is_far(doctor->api_clock) ? "note" : "ok", "API clock", doctor->api_clock);
}

static void start_run(struct doctor *doctor, errand_run **run, errand_place *place,
                      const struct visit *visit, errand_status *status, errand_error *err)
{
    errand_run_options options = ERRAND_RUN_OPTIONS_INIT;
    errand_limits limits = ERRAND_LIMITS_INIT;

    limits.wall_ms = 60000;
    options.program = span_text(visit->program);
    options.name = "doctor";
    options.language = visit->language;
    options.namespaces = &home;
    options.namespaces_count = 1;
    options.limits = &limits;
    options.trace = hear_fact;
    options.trace_ctx = doctor;
    *status = errand_run_start(run, place, &options, err);
}

/* The outcome lives as long as the run. NULL: the loop itself broke. */
static const errand_outcome *wait_for_end(struct doctor *doctor, errand_run *run, errand_error *err)
{
    for (;;) {
        const errand_event *event = NULL;
        if (errand_loop_next(doctor->loop, -1, &event, err) != ERRAND_OK)
            return NULL;
        if (event->type == ERRAND_EVENT_STARTED)
            (void)snprintf(doctor->node, sizeof(doctor->node), "%.*s",
                           (int)event->as.started.node.len, event->as.started.node.ptr);
        if (event->type == ERRAND_EVENT_CALL)
            answer_clock(doctor, run, event);
        if (event->type == ERRAND_EVENT_ASK)
            answer_question(doctor, event);
        if (event->type == ERRAND_EVENT_END)
            return event->as.end;
    }
}

static void leave(struct doctor *doctor)
{
    const errand_event *event = NULL;

    if (doctor->place == NULL)
        return;
    errand_place_close(doctor->place);
    while (errand_loop_next(doctor->loop, -1, &event, NULL) == ERRAND_OK) {
        if (event->type == ERRAND_EVENT_PLACE_CLOSED)
            break;
    }
    errand_place_free(doctor->place);
    doctor->place = NULL;
}

/* Stays where it is as long as the runner is delivered in the same way: a place may be a container
 * that is started for it. */
static errand_status enter(struct doctor *doctor, errand_delivery delivery, errand_error *err)
{
    errand_place_options options = doctor->place_options;

    if (doctor->place != NULL && doctor->delivery == delivery)
        return ERRAND_OK;
    leave(doctor);
    secret_renew(&doctor->secret);
    doctor->delivery = options.delivery = delivery;
    return errand_place_open(&doctor->place, doctor->loop, doctor->address, &options, err);
}

typedef void (*judge_fn)(struct doctor *doctor, const errand_outcome *outcome);

/* Runs one program and lets judge look at the outcome. */
static errand_status visit_place(struct doctor *doctor, const struct visit *visit, judge_fn judge,
                                 errand_error *err)
{
    errand_run *run = NULL;
    const errand_outcome *outcome = NULL;
    errand_status status = enter(doctor, visit->delivery, err);

    if (status == ERRAND_OK)
        start_run(doctor, &run, doctor->place, visit, &status, err);
    if (status == ERRAND_OK) {
        outcome = wait_for_end(doctor, run, err);
        if (outcome == NULL)
            status = err->status;
        else
            judge(doctor, outcome);
    }
    errand_run_free(run);
    return status;
}

/* --- Judging ---------------------------------------------------------------------------------- */

static void describe(const errand_outcome *outcome, char *words, size_t room)
{
    (void)snprintf(words, room, "%.*s (%s)", (int)outcome->message.len, outcome->message.ptr,
                   outcome->code);
}

static void tell_passed(const struct doctor *doctor, enum stage until)
{
    const char *const *names = advice_stages(doctor->address);

    for (enum stage passed = STAGE_NAME; passed < until; passed++) {
        if (names[passed] != NULL)
            tell("ok", names[passed], passed == STAGE_HOST_KEY ? doctor->host_key : "");
    }
}

/* Where there is a sandbox, its API was reached, and spoke: the way into it is another one. */
static void correct_for_sandbox(const struct doctor *doctor, struct advice *advice)
{
    if (doctor->sandbox[0] == '\0' || advice->stage >= STAGE_DAEMON)
        return;
    if (advice->stage <= STAGE_HOST_KEY)
        advice->words = "the API answers, and the way into sandboxes does not: see "
                        "E2B_SANDBOX_URL and E2B_DOMAIN, a proxy, a firewall; or try again later";
    advice->stage = STAGE_DAEMON;
}

static void judge_failure(struct doctor *doctor, const errand_outcome *outcome)
{
    struct advice advice = advice_for(doctor->address, outcome->code);
    const char *const *names = advice_stages(doctor->address);
    char words[1024];

    if (doctor->node[0] != '\0') /* What the code says of other stages is not what happened. */
        advice = advice_for(doctor->address, NULL);
    correct_for_sandbox(doctor, &advice);
    if (names[advice.stage] == NULL)
        advice.stage = STAGE_START;
    tell_passed(doctor, advice.stage);
    describe(outcome, words, sizeof(words));
    tell_failure(doctor, names[advice.stage], words, advice.words);
}

static void tell_clock(struct doctor *doctor, double best_ms)
{
    char words[160];
    double ahead_ms = (double)doctor->ahead_ms + best_ms / 2;
    bool far = ahead_ms > 2000 || ahead_ms < -2000;

    (void)snprintf(words, sizeof(words), "%.2f ms for a call", best_ms);
    tell("ok", "round trip", words);
    (void)snprintf(words, sizeof(words), "%.0f ms %s", ahead_ms < 0 ? -ahead_ms : ahead_ms,
                   ahead_ms < 0 ? "behind this one" : "ahead of this one");
    tell(far ? "note" : "ok", "clock", words);
}

static void judge_clock(struct doctor *doctor, const errand_outcome *outcome)
{
    char words[512];

    if (outcome->kind != ERRAND_KIND_VALUE) {
        judge_failure(doctor, outcome);
        return;
    }
    json_auto_t *value = json_loadb(outcome->value.ptr, outcome->value.len, 0, NULL);
    const char *path = json_string_value(json_object_get(value, "path"));
    const char *system = json_string_value(json_object_get(value, "system"));
    (void)snprintf(words, sizeof(words), "started in %.1f ms",
                   (double)outcome->timing.open_us / 1000);
    tell_passed(doctor, STAGE_START);
    tell_facts(doctor);
    tell("ok", advice_stages(doctor->address)[STAGE_START], words);
    tell("ok", "shell", "");
    (void)snprintf(words, sizeof(words), "%s at %s, %s; spoke after %.1f ms", doctor->node,
                   path == NULL ? "?" : path, system == NULL ? "?" : system,
                   (double)outcome->timing.boot_us / 1000);
    tell("ok", "node", words);
    tell("ok", "program", "");
    tell_clock(doctor, json_number_value(json_object_get(value, "best")));
}

static void judge_erasable(struct doctor *doctor, const errand_outcome *outcome)
{
    char words[1024] = "types are erased";

    if (outcome->kind == ERRAND_KIND_VALUE) {
        tell("ok", "TypeScript", words);
        return;
    }
    describe(outcome, words, sizeof(words));
    tell_failure(doctor, "TypeScript", words,
                 "node 22.13 or later erases types itself; or build errand with ERRAND_AMARO");
}

static void judge_enum(struct doctor *doctor, const errand_outcome *outcome)
{
    char words[1024] = "enums and their like are compiled";

    (void)doctor;
    if (outcome->kind == ERRAND_KIND_VALUE) {
        tell("ok", "TypeScript", words);
        return;
    }
    /* Programs do without it, so this is no failure. */
    describe(outcome, words, sizeof(words));
    tell("note", "TypeScript", words);
}

/* How much travels when the runner comes along every time. */
static void judge_stdin(struct doctor *doctor, const errand_outcome *outcome)
{
    doctor->stdin_bytes = outcome->bytes_sent;
    if (outcome->kind != ERRAND_KIND_VALUE)
        judge_failure(doctor, outcome);
}

static void judge_file(struct doctor *doctor, const errand_outcome *outcome)
{
    if (outcome->kind != ERRAND_KIND_VALUE)
        judge_failure(doctor, outcome);
}

/* The second time it should be there already. Where it can't be kept, all works and just takes
 * longer; only the bytes tell. */
static void judge_kept(struct doctor *doctor, const errand_outcome *outcome)
{
    if (outcome->kind != ERRAND_KIND_VALUE)
        judge_failure(doctor, outcome);
    else if (outcome->bytes_sent < doctor->stdin_bytes / 2)
        tell("ok", "cache", "--delivery file keeps the runner there");
    else {
        tell("note", "cache",
             "--delivery file can't keep the runner there; --delivery stdin works");
        tell_what_to_do("for the former, make ~/.cache or $TMPDIR there writable for that user");
    }
}

static const struct examination {
    struct visit visit;
    judge_fn judge;
} examinations[] = {
    {{clock_program, ERRAND_LANGUAGE_JS, ERRAND_DELIVERY_AUTO}, judge_clock},
    {{erasable_program, ERRAND_LANGUAGE_TS, ERRAND_DELIVERY_AUTO}, judge_erasable},
    {{enum_program, ERRAND_LANGUAGE_TS, ERRAND_DELIVERY_AUTO}, judge_enum},
    {{"return 1", ERRAND_LANGUAGE_JS, ERRAND_DELIVERY_STDIN}, judge_stdin},
    {{"return 1", ERRAND_LANGUAGE_JS, ERRAND_DELIVERY_FILE}, judge_file},
    {{"return 1", ERRAND_LANGUAGE_JS, ERRAND_DELIVERY_FILE}, judge_kept},
};

static errand_status begin(struct doctor *doctor, errand_error *err)
{
    errand_status status = errand_loop_new(&doctor->loop, err);

    if (status == ERRAND_OK)
        status = enter(doctor, ERRAND_DELIVERY_AUTO, err);
    if (status != ERRAND_OK)
        return status;
    tell("ok", "place", errand_place_name(doctor->place));
    if (strcmp(errand_place_name(doctor->place), "local") == 0)
        tell("note", "place",
             "local isolates nothing: programs may do what you may; local?jail holds them");
    return ERRAND_OK;
}

/* Where the key is missing or no key, nothing was asked of anybody yet. */
static void judge_key(struct doctor *doctor, const errand_error *err)
{
    static const char code[] = "auth_failed";
    struct advice advice = advice_for(doctor->address, code);
    char words[sizeof(err->text) + 32];

    tell("ok", "place", doctor->address);
    (void)snprintf(words, sizeof(words), "%s (%s)", err->text, code);
    tell_failure(doctor, advice_stages(doctor->address)[advice.stage], words, advice.words);
}

static int examine(struct doctor *doctor)
{
    errand_error err = {0};
    errand_status status = begin(doctor, &err);

    if (status == ERRAND_EAUTH) {
        judge_key(doctor, &err);
        status = ERRAND_OK;
    }
    /* Without a runner that speaks at the first there is nothing else to look at. */
    for (size_t i = 0; i < COUNT(examinations) && status == ERRAND_OK; i++) {
        if (i <= 1 && doctor->failures > 0)
            break;
        status = visit_place(doctor, &examinations[i].visit, examinations[i].judge, &err);
    }
    leave(doctor);
    errand_loop_free(doctor->loop);
    secret_deinit(&doctor->secret);
    if (status != ERRAND_OK)
        return say(ending_code_of_status(status), "%s", err.text);
    return doctor->failures > 0 ? EXIT_PLACE : EXIT_FINE;
}

static errand_status parse(struct doctor *doctor, int argc, char **argv, errand_error *err)
{
    struct opt_scan scan = {doctor_options, COUNT(doctor_options), argc, argv, 0, false, NULL};
    const char *of_ssh = NULL;

    for (int option = opt_next(&scan, err); option != OPT_END; option = opt_next(&scan, err)) {
        if (option == OPT_BAD)
            return ERRAND_EINVAL;
        if (option == OPT_WORD)
            return errand__fail(err, ERRAND_EINVAL, 0, "%s: a place is named with --on",
                                scan.value);
        if (option == OPT_ON)
            doctor->address = scan.value;
        if (option == OPT_NODE)
            doctor->place_options.node = scan.value;
        if (option == OPT_IDENTITY || option == OPT_SSH_CONFIG || option == OPT_ACCEPT_NEW)
            of_ssh = doctor_options[option - 1].name;
        if (option == OPT_IDENTITY)
            doctor->ssh_options.identity_file = scan.value;
        if (option == OPT_SSH_CONFIG)
            doctor->ssh_options.config_file = scan.value;
        if (option == OPT_ACCEPT_NEW)
            doctor->ssh_options.accept_new_host_key = 1;
        doctor->help = doctor->help || option == OPT_HELP;
    }
    return doctor->help ? ERRAND_OK : request_suits(doctor->address, "ssh://", of_ssh, err);
}

int cmd_doctor(int argc, char **argv)
{
    struct doctor doctor = {.address = "local",
                            .place_options = ERRAND_PLACE_OPTIONS_INIT,
                            .ssh_options = ERRAND_SSH_OPTIONS_INIT};
    errand_error err = {0};

    doctor.place_options.ssh = &doctor.ssh_options;
    secret_init(&doctor.secret);
    doctor.secret.alone = doctor.secret.recalls = true;
    if (parse(&doctor, argc, argv, &err) != ERRAND_OK)
        return say(EXIT_USAGE, "%s", err.text);
    if (!doctor.help)
        return examine(&doctor);
    (void)fputs("Usage: errand doctor [options]\n"
                "\n"
                "Runs small programs on a place and says, step by step, whether it has what it\n"
                "takes, and what to do where it has not. Exits with 0, or 4 where a step fails.\n"
                "\n",
                stdout);
    opt_print_help(stdout, doctor_options, COUNT(doctor_options));
    return EXIT_FINE;
}
