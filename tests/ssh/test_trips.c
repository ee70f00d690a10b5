/* test_trips.c - how often a first call crosses the road, as told by two roads of which one is
 * longer: whatever is not road takes the same time on both. */
#include "test.h"

#include "delay.h"
#include "sshd.h"
#include "stay.h"

#include <stdio.h>
#include <stdlib.h>

/* Milliseconds each way, and laps, of which the fastest counts. */
enum { SHORT_MS = 10, LONG_MS = 80, LAPS = 3 };
static const double round_trips_ms = 2.0 * (LONG_MS - SHORT_MS);
/* Less than a whole trip: what a busy machine adds, and what is reckoned while something travels,
 * which both do at different times. */
static const double blur = 0.75;

static struct sshd host;
static struct delay roads[2];
static const char *const configs[2] = {"config_short", "config_long"};

static int64_t client_lap(const char *config)
{
    const char *const argv[] = {"ssh", "-F", sshd_file(&host, config), "-T", "box", "true", NULL};
    int64_t began_ms = stay_now_ms();

    assert_true(sshd_command(argv));
    return stay_now_ms() - began_ms;
}

/* Until its first call is here. */
static int64_t first_call(struct stay *stay, int64_t began_ms)
{
    errand_run *run = stay_run(stay, "return await tools.echo(1)", 0);

    (void)stay_await(stay, ERRAND_EVENT_CALL);
    int64_t took_ms = stay_now_ms() - began_ms;
    (void)stay_await(stay, ERRAND_EVENT_END);
    errand_run_free(run);
    return took_ms;
}

static int64_t cold_lap(const char *config)
{
    struct stay stay;
    int64_t began_ms = stay_now_ms();

    stay_begin(&stay, sshd_file(&host, config));
    int64_t took_ms = first_call(&stay, began_ms);
    stay_end(&stay);
    return took_ms;
}

static int64_t warm_lap(const char *config)
{
    struct stay stay;
    int64_t best_ms = INT64_MAX;

    stay_begin(&stay, sshd_file(&host, config));
    (void)first_call(&stay, 0);
    for (int i = 0; i < LAPS; i++) {
        int64_t took_ms = first_call(&stay, stay_now_ms());
        best_ms = took_ms < best_ms ? took_ms : best_ms;
    }
    stay_end(&stay);
    return best_ms;
}

typedef int64_t lap_fn(const char *config);

static double count_trips(lap_fn *lap, int laps)
{
    int64_t best_ms[2] = {INT64_MAX, INT64_MAX};

    for (int i = 0; i < 2 * laps; i++) {
        int64_t took_ms = lap(configs[i % 2]);
        best_ms[i % 2] = took_ms < best_ms[i % 2] ? took_ms : best_ms[i % 2];
    }
    return (double)(best_ms[1] - best_ms[0]) / round_trips_ms;
}

/* Running a program takes no more than "ssh box true", which waits for its end. */
static void test_trips__of_a_first_call_on_a_new_connection(void **state)
{
    (void)state;
    double client = count_trips(client_lap, 2);
    double ours = count_trips(cold_lap, 2);
    print_message("cold: %.2f round trips, ssh box true %.2f\n", ours, client);
    assert_true(client > 4);
    assert_true(ours <= client + blur);
}

/* The request and what is sent with it, then the call: two, since a host lends no window before it
 * has started a command. */
static void test_trips__of_a_first_call_on_an_open_place(void **state)
{
    (void)state;
    double ours = count_trips(warm_lap, 1);
    print_message("warm: %.2f round trips\n", ours);
    assert_true(ours <= 2 + blur);
}

static void write_config(const char *name, unsigned port)
{
    sshd_write(&host, name, 0600,
               "Host box\n HostName 127.0.0.1\n Port %u\n User %s\n IdentityFile %s\n"
               " IdentitiesOnly yes\n IdentityAgent none\n UserKnownHostsFile %s\n"
               " GlobalKnownHostsFile /dev/null\n HostKeyAlias trips\n",
               port, host.user, sshd_file(&host, "id_ed25519"), sshd_file(&host, "known_trips"));
}

static int start(void **state)
{
    (void)state;
    (void)unsetenv("SSH_AUTH_SOCK");
    sshd_start(&host, "");
    sshd_know(&host, "known_trips", "trips", "key_ed25519");
    for (size_t i = 0; i < COUNT(roads); i++) {
        delay_start(&roads[i], host.port, i == 0 ? SHORT_MS : LONG_MS);
        write_config(configs[i], roads[i].port);
    }
    return 0;
}

static int end(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(roads); i++)
        delay_end(&roads[i]);
    sshd_end(&host);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trips__of_a_first_call_on_a_new_connection),
        cmocka_unit_test(test_trips__of_a_first_call_on_an_open_place),
    };
    return cmocka_run_group_tests_name("round trips over ssh", tests, start, end);
}
