/* test_descendants.c - who is found, by which sign, and who is never touched. */
#include "test.h"

#include "transport/descendants.h"
#include "transport/procfs.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 20000 };

typedef void find_fn(struct kinfolk *folk, const struct kinship *of);
static find_fn *const ways[] = {errand__descendants_find, errand__descendants_scan};

/* --- A family ------------------------------------------------------------------------------ */

/* A pipe by which members tell their pids to the test. */
static int told[2];

static void tell_pid(void)
{
    pid_t pid = getpid();

    if (write(told[1], &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
        _exit(1);
}

static pid_t hear_pid(void)
{
    struct pollfd fd = {told[0], POLLIN, 0};
    pid_t pid = 0;

    assert_int_equal(poll(&fd, 1, PATIENCE_MS), 1);
    assert_int_equal(read(told[0], &pid, sizeof(pid)), sizeof(pid));
    return pid;
}

static _Noreturn void rest(void)
{
    (void)poll(NULL, 0, 2 * PATIENCE_MS); /* A failed test leaves nobody for ever. */
    _exit(0);
}

/* What a member does after its birth. */
typedef void member_fn(void);

static pid_t start_leader(struct kinship *of, uint64_t mark, member_fn *live)
{
    struct proc_facts facts;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        struct rlimit limit;
        (void)setsid();
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        if (mark != 0 && getrlimit(RLIMIT_LOCKS, &limit) == 0) {
            limit.rlim_cur = mark;
            (void)setrlimit(RLIMIT_LOCKS, &limit);
        }
        live();
        rest();
    }
    assert_true(errand__proc_facts(pid, &facts));
    *of = (struct kinship){.leader = pid, .start = facts.start, .mark = mark};
    return pid;
}

static void end(pid_t pid)
{
    (void)kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* A zombie, so that its number stays its own. */
static void end_without_reaping(pid_t pid)
{
    siginfo_t info;

    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
}

static bool found(struct kinfolk *folk, pid_t pid)
{
    for (size_t i = 0; i < folk->count; i++) {
        if (kin_list(folk)[i].pid == pid)
            return true;
    }
    return false;
}

static void assert_family(const struct kinship *of, const pid_t *pids, size_t count)
{
    for (size_t way = 0; way < COUNT(ways); way++) {
        struct kinfolk folk = {0};
        ways[way](&folk, of);
        assert_int_equal(folk.count, count);
        for (size_t i = 0; i < count; i++)
            assert_true(found(&folk, pids[i]));
        errand__descendants_deinit(&folk);
    }
}

/* A process is a zombie a little before the threads that a sanitizer gave it are gone. */
static void wait_until_alone(const struct kinship *of)
{
    size_t count = 1;

    for (int i = 0; i < PATIENCE_MS && count > 0; i++) {
        struct kinfolk folk = {0};
        ways[0](&folk, of);
        count = folk.count;
        errand__descendants_deinit(&folk);
        (void)usleep(1000);
    }
}

/* --- Members ------------------------------------------------------------------------------- */

static void live_alone(void)
{
    tell_pid();
}

static void be_child(void)
{
    if (fork() != 0)
        return;
    tell_pid();
    rest();
}

static void be_grandchild_in_own_session(void)
{
    if (fork() != 0)
        return;
    tell_pid();
    if (fork() != 0)
        rest();
    (void)setsid();
    tell_pid();
    rest();
}

static void be_orphan(void)
{
    if (fork() != 0)
        return;
    pid_t parent = getpid();
    if (fork() != 0)
        _exit(0);
    (void)setsid();
    while (getppid() == parent)
        (void)usleep(1000);
    tell_pid();
    rest();
}

static void be_in_own_group(void)
{
    if (fork() != 0)
        return;
    (void)setpgid(0, 0);
    tell_pid();
    rest();
}

static void leave_a_zombie(void)
{
    if (fork() == 0) {
        tell_pid();
        _exit(0);
    }
}

static void be_named(void)
{
    if (fork() != 0)
        return;
    (void)prctl(PR_SET_NAME, "a) S 1 (b\n", 0, 0, 0);
    tell_pid();
    rest();
}

static void be_many(void)
{
    for (int i = 0; i < KIN_MOST + 50; i++) {
        pid_t pid = fork();
        if (pid == 0)
            rest();
        if (pid < 0)
            break;
    }
    tell_pid();
}

static void *wait_for_ever(void *unused)
{
    tell_pid();
    rest();
    return unused;
}

/* The main thread ends and another one stays: such a process looks like a zombie. */
static void be_headless(void)
{
    pthread_t thread;

    if (fork() != 0)
        return;
    if (pthread_create(&thread, NULL, wait_for_ever, NULL) != 0)
        _exit(1);
    pthread_exit(NULL);
}

/* --- Tests --------------------------------------------------------------------------------- */

static void test_descendants__nobody(void **state)
{
    struct kinship of;
    pid_t leader = start_leader(&of, 0, live_alone);

    (void)state;
    assert_int_equal(hear_pid(), leader);
    assert_family(&of, NULL, 0);
    end_without_reaping(leader);
    assert_family(&of, NULL, 0);
    end(leader);
}

static void test_descendants__below_a_living_leader(void **state)
{
    static member_fn *const members[] = {be_child, be_grandchild_in_own_session, be_orphan,
                                         be_in_own_group};
    static const size_t counts[] = {1, 2, 1, 1};
    pid_t pids[2];

    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) {
        struct kinship of;
        pid_t leader = start_leader(&of, 0, members[i]);
        for (size_t j = 0; j < counts[i]; j++)
            pids[j] = hear_pid();
        assert_family(&of, pids, counts[i]);
        for (size_t j = 0; j < counts[i]; j++)
            (void)kill(pids[j], SIGKILL);
        end(leader);
    }
}

static void test_descendants__after_the_death_of_the_leader(void **state)
{
    struct kinship of;

    (void)state;
    /* By its session, which it still has in another group. */
    pid_t leader = start_leader(&of, 0, be_in_own_group);
    pid_t pid = hear_pid();
    end_without_reaping(leader);
    assert_family(&of, &pid, 1);
    (void)kill(pid, SIGKILL);
    end(leader);

    /* By the mark alone; without it there is no sign. */
    leader = start_leader(&of, 0x123456789abcdULL, be_orphan);
    pid = hear_pid();
    end_without_reaping(leader);
    assert_family(&of, &pid, 1);
    of.mark ^= 1;
    assert_family(&of, NULL, 0);
    of.mark = 0;
    assert_family(&of, NULL, 0);
    (void)kill(pid, SIGKILL);
    end(leader);
}

static void test_descendants__who_was_known_stays_known(void **state)
{
    struct kinship of;
    struct kinfolk folk = {0};
    pid_t leader = start_leader(&of, 0, be_orphan);
    pid_t pid = hear_pid();

    (void)state;
    errand__descendants_find(&folk, &of);
    assert_true(found(&folk, pid));
    end_without_reaping(leader);
    errand__descendants_find(&folk, &of);
    assert_int_equal(folk.count, 1);
    assert_true(found(&folk, pid));
    assert_true(errand__descendants_kill(&kin_list(&folk)[0]));
    for (int i = 0; i < PATIENCE_MS && folk.count > 0; i++) {
        (void)usleep(1000);
        errand__descendants_find(&folk, &of);
    }
    assert_int_equal(folk.count, 0);
    errand__descendants_deinit(&folk);
    end(leader);
}

static void test_descendants__zombies_are_gone_and_the_headless_are_not(void **state)
{
    struct kinship of;
    struct proc_facts facts = {0};
    pid_t leader = start_leader(&of, 0, leave_a_zombie);
    pid_t pid = hear_pid();

    (void)state;
    for (int i = 0; i < PATIENCE_MS && facts.state != 'Z'; i++) {
        assert_true(errand__proc_facts(pid, &facts));
        (void)usleep(1000);
    }
    wait_until_alone(&of);
    assert_family(&of, NULL, 0);
    end(leader);

    leader = start_leader(&of, 0, be_headless);
    pid = hear_pid();
    facts.state = 'R';
    for (int i = 0; i < PATIENCE_MS && facts.state != 'Z'; i++) {
        assert_true(errand__proc_facts(pid, &facts));
        (void)usleep(1000);
    }
    assert_int_equal(facts.state, 'Z');
    assert_family(&of, &pid, 1);
    (void)kill(pid, SIGKILL);
    end(leader);
}

static void test_descendants__a_name_can_t_mislead(void **state)
{
    struct kinship of;
    struct proc_facts facts;
    pid_t leader = start_leader(&of, 0, be_named);
    pid_t pid = hear_pid();

    (void)state;
    assert_true(errand__proc_facts(pid, &facts));
    assert_int_equal(facts.parent, leader);
    assert_string_equal(facts.name, "a)?S?1?(b?");
    assert_family(&of, &pid, 1);
    (void)kill(pid, SIGKILL);
    end(leader);
}

static void test_descendants__a_crowd_has_an_end(void **state)
{
    struct kinship of;
    pid_t leader = start_leader(&of, 0, be_many);

    (void)state;
    (void)hear_pid();
    for (size_t way = 0; way < COUNT(ways); way++) {
        struct kinfolk folk = {0};
        ways[way](&folk, &of);
        assert_int_equal(folk.count, KIN_MOST);
        errand__descendants_deinit(&folk);
    }
    (void)kill(-leader, SIGKILL);
    end(leader);
}

static void test_descendants__only_the_one_that_was_meant_is_killed(void **state)
{
    struct kinship of;
    struct proc_facts facts;
    pid_t leader = start_leader(&of, 0, live_alone);

    (void)state;
    assert_int_equal(hear_pid(), leader);
    assert_true(errand__proc_facts(leader, &facts));
    struct kin kin = {.pid = leader, .group = leader, .start = facts.start + 1};
    assert_false(errand__descendants_kill(&kin)); /* A later process of that number. */
    (void)usleep(20000);
    assert_int_equal(waitpid(leader, NULL, WNOHANG), 0);
    kin.start = facts.start;
    assert_true(errand__descendants_kill(&kin));
    assert_int_equal(waitpid(leader, NULL, 0), leader);
    assert_false(errand__descendants_kill(&kin));
}

static void test_descendants__only_children_of_ours_are_buried(void **state)
{
    struct kinship of;
    pid_t leader = start_leader(&of, 0, live_alone);
    struct kin kin = {.pid = leader, .start = of.start};

    (void)state;
    assert_int_equal(hear_pid(), leader);
    errand__descendants_bury(&kin); /* It lives. */
    assert_int_equal(waitpid(leader, NULL, WNOHANG), 0);
    end_without_reaping(leader);
    kin.start++;
    errand__descendants_bury(&kin); /* It is somebody else. */
    siginfo_t info = {0};
    assert_int_equal(waitid(P_PID, (id_t)leader, &info, WEXITED | WNOWAIT | WNOHANG), 0);
    assert_int_equal(info.si_pid, leader);
    kin.start--;
    errand__descendants_bury(&kin);
    assert_int_equal(waitpid(leader, NULL, WNOHANG), -1);
}

static void test_descendants__who_holds_a_pipe(void **state)
{
    struct kinship of;
    struct stat facts;
    struct kin list[4];
    pid_t leader = start_leader(&of, 0, live_alone);

    (void)state;
    assert_int_equal(hear_pid(), leader);
    assert_int_equal(fstat(told[1], &facts), 0);
    const ino_t inodes[] = {0, facts.st_ino};
    assert_int_equal(errand__descendants_holders(list, COUNT(list), &of, inodes, 2), 1);
    assert_int_equal(list[0].pid, leader);
    assert_int_equal(errand__descendants_holders(list, COUNT(list), &of, inodes, 1), 0);
    assert_int_equal(errand__descendants_holders(list, 0, &of, inodes, 2), 0);
    end(leader);
}

static void test_descendants__a_host_that_adopts(void **state)
{
    struct kinship of;

    (void)state;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    pid_t leader = start_leader(&of, 0xabcdef0123ULL, be_orphan);
    pid_t pid = hear_pid();
    pid_t other = fork(); /* Another child of the host, without any sign. */
    if (other == 0)
        rest();
    end_without_reaping(leader);
    assert_family(&of, &pid, 1);
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, NULL, 0), pid); /* It is a child of ours by now. */
    end(other);
    end(leader);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

/* Looks while no more than so many descriptors can be opened. */
static void find_with_room(find_fn *find, rlim_t room, struct kinfolk *folk,
                           const struct kinship *of)
{
    struct rlimit before, few;
    int lowest = dup(STDIN_FILENO);

    assert_true(lowest >= 0);
    assert_int_equal(close(lowest), 0);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = (rlim_t)lowest + room;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    find(folk, of);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Who has no descriptor to look with has not seen that nobody is there. */
static void test_descendants__not_seen_is_not_gone(void **state)
{
    struct kinship of;
    pid_t leader = start_leader(&of, 0x123456789abcdULL, be_orphan);
    pid_t pid = hear_pid();

    (void)state;
    for (int dead = 0; dead < 2; dead++) {
        for (size_t way = 0; way < COUNT(ways); way++) {
            struct kinfolk folk = {0};
            for (rlim_t room = 0; room < 3; room++) {
                find_with_room(ways[way], room, &folk, &of);
                assert_true(folk.blind || found(&folk, pid));
                assert_true(room > 0 || folk.blind);
            }
            ways[way](&folk, &of);
            assert_false(folk.blind);
            assert_int_equal(folk.count, 1);
            /* Once known, it stays so. */
            find_with_room(ways[way], 0, &folk, &of);
            assert_true(found(&folk, pid));
            errand__descendants_deinit(&folk);
        }
        if (dead == 0)
            end_without_reaping(leader);
    }
    (void)kill(pid, SIGKILL);
    end(leader);
}

static int open_pipe(void **state)
{
    (void)state;
    return pipe(told);
}

static int close_pipe(void **state)
{
    (void)state;
    return close(told[0]) | close(told[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descendants__nobody),
        cmocka_unit_test(test_descendants__below_a_living_leader),
        cmocka_unit_test(test_descendants__after_the_death_of_the_leader),
        cmocka_unit_test(test_descendants__who_was_known_stays_known),
        cmocka_unit_test(test_descendants__zombies_are_gone_and_the_headless_are_not),
        cmocka_unit_test(test_descendants__a_name_can_t_mislead),
        cmocka_unit_test(test_descendants__a_crowd_has_an_end),
        cmocka_unit_test(test_descendants__only_the_one_that_was_meant_is_killed),
        cmocka_unit_test(test_descendants__only_children_of_ours_are_buried),
        cmocka_unit_test(test_descendants__who_holds_a_pipe),
        cmocka_unit_test(test_descendants__a_host_that_adopts),
        cmocka_unit_test(test_descendants__not_seen_is_not_gone),
    };
    return cmocka_run_group_tests(tests, open_pipe, close_pipe);
}
