/* On a terminal: the status line, colours, and the question before a tool. The terminal is a
 * pseudo-terminal of ours. */
#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct terminal {
    int fd;
    pid_t pid;
    char text[256 * 1024]; /* What it was shown, NUL-terminated. */
    size_t len;
};

static _Noreturn void be_user(const char *name, const char *line)
{
    (void)setsid();
    int fd = open(name, O_RDWR);
    if (fd < 0 || ioctl(fd, TIOCSCTTY, 0) != 0)
        _exit(126);
    (void)dup2(fd, 0);
    (void)dup2(fd, 1);
    (void)dup2(fd, 2);
    (void)close(fd);
    (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

static void open_terminal(struct terminal *terminal, const char *line)
{
    struct winsize size = {.ws_row = 24, .ws_col = 60};

    terminal->len = 0;
    terminal->text[0] = '\0';
    terminal->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal->fd >= 0);
    assert_int_equal(grantpt(terminal->fd), 0);
    assert_int_equal(unlockpt(terminal->fd), 0);
    const char *name = ptsname(terminal->fd);
    assert_non_null(name);
    assert_int_equal(setenv("TERM", "xterm", 1), 0);
    (void)ioctl(terminal->fd, TIOCSWINSZ, &size);
    terminal->pid = fork();
    assert_true(terminal->pid >= 0);
    if (terminal->pid == 0)
        be_user(name, line);
}

/* Until it shows what is wanted (NULL: until its user has left); false: it never did. */
static bool read_until(struct terminal *terminal, const char *wanted)
{
    int64_t until_ms = now_ms() + 20000;

    while (now_ms() < until_ms) {
        struct pollfd ready = {.fd = terminal->fd, .events = POLLIN};
        if (wanted != NULL && strstr(terminal->text, wanted) != NULL)
            return true;
        if (poll(&ready, 1, 100) <= 0)
            continue;
        ssize_t count = read(terminal->fd, terminal->text + terminal->len,
                             sizeof(terminal->text) - 1 - terminal->len);
        if (count <= 0)
            return wanted == NULL;
        terminal->len += (size_t)count;
        terminal->text[terminal->len] = '\0';
    }
    return false;
}

static void type(const struct terminal *terminal, const char *keys)
{
    assert_int_equal(write(terminal->fd, keys, strlen(keys)), strlen(keys));
}

static int close_terminal(struct terminal *terminal)
{
    int status = 0;

    if (!read_until(terminal, NULL)) {
        (void)kill(terminal->pid, SIGKILL);
        fail_msg("its user never left: %s", terminal->text);
    }
    while (waitpid(terminal->pid, &status, 0) < 0)
        assert_int_equal(errno, EINTR);
    (void)close(terminal->fd);
    assert_nothing_left(2000);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static struct terminal terminal;

#define SLOW "--tool 'a=sleep 1; echo 1' -e 'return tools.a()'"

static void test_terminal__a_status_line_that_goes_away(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run " SLOW);
    assert_int_equal(close_terminal(&terminal), 0);
    assert_true(matches(terminal.text, "local: running, 1 call \\(1 open\\), [0-9.]+ s"));
    /* It is taken away before the value stands there. */
    assert_true(matches(terminal.text, "\r\033\\[K1\r\n$"));
}

static void test_terminal__it_fits_the_terminal(void **state)
{
    (void)state;
    open_terminal(&terminal, "stty cols 12; $E run " SLOW);
    assert_int_equal(close_terminal(&terminal), 0);
    assert_true(matches(terminal.text, "local: runn"));
    assert_false(matches(terminal.text, "local: runni"));
}

static void test_terminal__no_status_line_elsewhere(void **state)
{
    static const char *const lines[] = {"$E run " SLOW " 2>err; cat err", "$E run --quiet " SLOW,
                                        "TERM=dumb $E run " SLOW};
    (void)state;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        open_terminal(&terminal, lines[i]);
        assert_int_equal(close_terminal(&terminal), 0);
        assert_string_equal(terminal.text, "1\r\n");
    }
}

static void test_terminal__colours_unless_unwanted(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run -e 'console.error(\"red\")'");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_non_null(strstr(terminal.text, "\033[31mred\033[0m\r\n"));
    open_terminal(&terminal, "NO_COLOR=1 $E run -e 'console.error(\"red\")'");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_null(strstr(terminal.text, "\033[31m"));
    assert_null(strstr(terminal.text, "\033[2m"));
    assert_non_null(strstr(terminal.text, "red\r\n"));
}

/* What a program says must not move the cursor, clear the screen or hide what it says. */
static void test_terminal__programs_do_not_steer_it(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run --quiet -e 'return \"\\x1b[2J\\x9b2J\\u202e\"'; "
                             "$E run -e 'console.log(\"\\x1b]0;x\\x07\"); "
                             "throw new Error(\"\\x1b[2J\")'");
    assert_int_equal(close_terminal(&terminal), 1);
    assert_null(strstr(terminal.text, "\033[2J"));
    assert_null(strstr(terminal.text, "\033]0"));
    assert_null(strstr(terminal.text, "\xc2\x9b"));
    assert_non_null(strstr(terminal.text, "\"\\u001b[2J\\u009b2J\\u202e\""));
    assert_non_null(strstr(terminal.text, "\\u001b]0;x\\u0007"));
}

/* Nor must its own text, of which a line is shown where it went wrong. The caret stays in place. */
static void test_terminal__program_text_does_not_steer_it(void **state)
{
    (void)state;
    open_terminal(&terminal,
                  "printf '/*\\033]0;x\\007\\302\\2332J\\342\\200\\256*/ null.x' >p.js; "
                  "export LC_ALL=C.UTF-8; $E run --quiet p.js; $E run --quiet p.js 2>err; "
                  "od -An -c err | grep -c 033");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_null(strstr(terminal.text, "\033]0"));
    assert_null(strstr(terminal.text, "\xc2\x9b"));
    assert_null(strstr(terminal.text, "\xe2\x80\xae"));
    assert_non_null(strstr(terminal.text, "     1 | /*\xef\xbf\xbd]0;x\xef\xbf\xbd\xef\xbf\xbd"
                                          "2J\xef\xbf\xbd*/ null.x\r\n"
                                          "       |                     ^\r\n"));
    /* A file gets it as it is. */
    assert_true(matches(terminal.text, "1\r\n$"));
}

static void test_terminal__control_c_cancels(void **state)
{
    (void)state;
    open_terminal(&terminal, "exec $E run --tool 'a=sleep 60' -e 'await tools.a()'");
    assert_true(read_until(&terminal, "1 open"));
    type(&terminal, "\003");
    assert_int_equal(close_terminal(&terminal), 130);
    assert_non_null(strstr(terminal.text, "errand: cancelled by SIGINT"));
}

#define ASKED                                                                 \
    "--tool 'a=cat' --ask a -e 'try { return await tools.a({to: \"all\"}) } " \
    "catch (e) { return e.code }'"

static void test_terminal__yes_lets_it_run(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run " ASKED);
    assert_true(read_until(&terminal, "{\"to\":\"all\"}\r\nAllow it? [y/N] "));
    type(&terminal, "y\n");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_true(matches(terminal.text, "\\{\"to\":\"all\"\\}\r\n$"));
}

static void test_terminal__anything_else_does_not(void **state)
{
    static const char *const keys[] = {"n\n", "\n", "yesno\n", "\004", "maybe\n"};
    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        open_terminal(&terminal, "$E run " ASKED);
        assert_true(read_until(&terminal, "[y/N] "));
        type(&terminal, keys[i]);
        assert_int_equal(close_terminal(&terminal), 0);
        assert_non_null(strstr(terminal.text, "\"approval_denied\""));
    }
}

/* What was typed before the question stood there was not meant for it. */
static void test_terminal__a_yes_in_advance_is_none(void **state)
{
    (void)state;
    open_terminal(&terminal, "echo ready; $E run " ASKED);
    assert_true(read_until(&terminal, "ready"));
    type(&terminal, "y\n");
    assert_true(read_until(&terminal, "[y/N] "));
    pause_ms(300);
    assert_null(strstr(terminal.text, "approval_denied"));
    type(&terminal, "n\n");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_non_null(strstr(terminal.text, "\"approval_denied\""));
}

static void test_terminal__the_wall_waits_for_the_answer(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run --limit wall=5s " ASKED);
    assert_true(read_until(&terminal, "[y/N] "));
    pause_ms(6000);
    type(&terminal, "yes\n");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_null(strstr(terminal.text, "wall_ms"));
}

static void test_terminal__an_answer_has_its_limit(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run --limit approval=500ms " ASKED);
    assert_true(read_until(&terminal, "no longer asked for"));
    assert_int_equal(close_terminal(&terminal), 0);
    assert_non_null(strstr(terminal.text, "\"approval_timeout\""));
}

static void test_terminal__one_question_at_a_time(void **state)
{
    (void)state;
    open_terminal(&terminal, "$E run --tool a=cat --tool b=cat --ask a --ask b -e "
                             "'return Promise.all([tools.a(1), tools.b(2)])'");
    assert_true(read_until(&terminal, "wants to call a with:\r\n  1\r\nAllow it? [y/N] "));
    assert_null(strstr(terminal.text, "to call b"));
    type(&terminal, "y\n");
    assert_true(read_until(&terminal, "wants to call b with:\r\n  2\r\nAllow it? [y/N] "));
    type(&terminal, "y\n");
    assert_int_equal(close_terminal(&terminal), 0);
    assert_non_null(strstr(terminal.text, "[1,2]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terminal__a_status_line_that_goes_away),
        cmocka_unit_test(test_terminal__it_fits_the_terminal),
        cmocka_unit_test(test_terminal__no_status_line_elsewhere),
        cmocka_unit_test(test_terminal__colours_unless_unwanted),
        cmocka_unit_test(test_terminal__programs_do_not_steer_it),
        cmocka_unit_test(test_terminal__program_text_does_not_steer_it),
        cmocka_unit_test(test_terminal__control_c_cancels),
        cmocka_unit_test(test_terminal__yes_lets_it_run),
        cmocka_unit_test(test_terminal__anything_else_does_not),
        cmocka_unit_test(test_terminal__a_yes_in_advance_is_none),
        cmocka_unit_test(test_terminal__the_wall_waits_for_the_answer),
        cmocka_unit_test(test_terminal__an_answer_has_its_limit),
        cmocka_unit_test(test_terminal__one_question_at_a_time),
    };
    return cmocka_run_group_tests(tests, command_setup, command_teardown);
}
