/* stub.c - a far side of a few kilobytes that speaks the wire, so that a thousand fit.
 *
 * Used as the words of an exec: place: "stub file CALLS" or "stub stdin CALLS"; the place
 * appends /bin/sh -c LINE, of which only the mark, the runner's size and its digest are read.
 * Makes CALLS calls, one after another, checks each answer, returns their number, and leaves
 * when its input ends or it is asked to. It knows no JSON beyond what it says itself.
 */
#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HALF = 16, MARK = 32, DIGEST = 64, LINE_MAX_LEN = 300 };

/* What the launch line says. */
struct order {
    char mark[MARK + 1];
    char digest[DIGEST + 1];
    size_t runner_len;
};

struct input {
    char bytes[4096];
    size_t start, end;
};

static void leave(const char *why)
{
    (void)fprintf(stderr, "stub: %s\n", why);
    exit(9);
}

/* --- The launch line ------------------------------------------------------------------- */

static size_t hex_len(const char *text)
{
    size_t len = 0;
    while (isxdigit((unsigned char)text[len]))
        len++;
    return len;
}

/* At "HALF HALF SIZE DIGEST". */
static bool read_order_at(const char *at, struct order *order)
{
    if (hex_len(at) != HALF || at[HALF] != ' ' || hex_len(at + HALF + 1) != HALF)
        return false;
    memcpy(order->mark, at, HALF);
    memcpy(order->mark + HALF, at + HALF + 1, HALF);
    char *end = NULL;
    order->runner_len = strtoul(at + MARK + 2, &end, 10);
    if (*end != ' ' || hex_len(end + 1) != DIGEST)
        return false;
    memcpy(order->digest, end + 1, DIGEST);
    return true;
}

static void read_order(const char *line, struct order *order)
{
    memset(order, 0, sizeof(*order));
    for (const char *at = line; *at != '\0'; at++) {
        if (at[0] == ' ' && read_order_at(at + 1, order))
            return;
    }
    leave("no mark in the launch line");
}

/* --- Bytes ----------------------------------------------------------------------------- */

/* false: the input ended. */
static bool fill(struct input *input)
{
    if (input->start < input->end)
        return true;
    ssize_t got = 0;
    do
        got = read(0, input->bytes, sizeof(input->bytes));
    while (got < 0 && errno == EINTR);
    input->start = 0;
    input->end = got > 0 ? (size_t)got : 0;
    return got > 0;
}

static char read_byte(struct input *input)
{
    if (!fill(input))
        exit(0); /* Home is gone, and so is this. */
    return input->bytes[input->start++];
}

static void read_line(struct input *input, char line[static LINE_MAX_LEN])
{
    size_t len = 0;
    for (char byte = 0; (byte = read_byte(input)) != '\n'; line[len++] = byte) {
        if (len + 1 == LINE_MAX_LEN)
            leave("a long line");
    }
    line[len] = '\0';
}

static void skip(struct input *input, size_t count)
{
    for (; count > 0; count--)
        (void)read_byte(input);
}

static void say(const char *text, size_t len)
{
    while (len > 0) {
        ssize_t put = write(1, text, len);
        if (put < 0 && errno != EINTR)
            exit(0);
        if (put > 0) {
            text += put;
            len -= (size_t)put;
        }
    }
}

/* --- The wire -------------------------------------------------------------------------- */

static void read_boot(struct input *input, const struct order *order, bool file)
{
    char line[LINE_MAX_LEN];
    do
        read_line(input, line);
    while (strncmp(line, order->mark, HALF) != 0);
    skip(input, file ? 0 : order->runner_len);
    read_line(input, line);
    if (strncmp(line, "boot ", 5) != 0)
        leave("no boot");
    skip(input, strtoul(line + 5, NULL, 10) + 1);
    read_line(input, line); /* HALF. */
}

static void say_frame(const char *header, const char *payload)
{
    char frame[512];
    int len = snprintf(frame, sizeof(frame), "%s %zu\n%s\n", header, strlen(payload), payload);
    assert(len > 0);
    assert((size_t)len < sizeof(frame));
    say(frame, (size_t)len);
}

static void say_hello(const struct order *order)
{
    char header[128], payload[256];
    (void)snprintf(header, sizeof(header), "hello %s", order->mark);
    (void)snprintf(payload, sizeof(payload),
                   "{\"protocol\":1,\"node\":\"v20.0.0\",\"pid\":%d,\"group\":%d,"
                   "\"digest\":\"%s\"}",
                   (int)getpid(), (int)getpgrp(), order->digest);
    say_frame(header, payload);
}

/* Reads frames until one is the reply to the call; answers pings, leaves on stop. */
static void read_reply(struct input *input, unsigned long call, const char *payload)
{
    char line[LINE_MAX_LEN], want[128];
    (void)snprintf(want, sizeof(want), "reply %lu ok %zu", call, strlen(payload));
    for (;;) {
        read_line(input, line);
        if (strncmp(line, "stop ", 5) == 0)
            exit(0);
        if (strncmp(line, "ping ", 5) == 0) {
            (void)memcpy(line, "beat", 4);
            strncat(line, "\n", 2);
            say(line, strlen(line));
            continue;
        }
        if (strcmp(line, want) != 0)
            leave("another reply than the expected one");
        read_line(input, line);
        if (strcmp(line, payload) != 0)
            leave("another payload than the expected one");
        return;
    }
}

static void wait_for_stop(struct input *input)
{
    char line[LINE_MAX_LEN];
    do
        read_line(input, line);
    while (strncmp(line, "stop ", 5) != 0);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        leave("stub file|stdin CALLS … LINE");
    struct order order;
    static struct input input;
    read_order(argv[argc - 1], &order);
    read_boot(&input, &order, strcmp(argv[1], "file") == 0);
    say_hello(&order);
    unsigned long calls = strtoul(argv[2], NULL, 10);
    for (unsigned long i = 1; i <= calls; i++) {
        char header[64], payload[64];
        (void)snprintf(header, sizeof(header), "call %lu 0 0", i);
        (void)snprintf(payload, sizeof(payload), "{\"n\":%lu}", i);
        say_frame(header, payload);
        read_reply(&input, i, payload);
    }
    char total[32];
    (void)snprintf(total, sizeof(total), "%lu", calls);
    say_frame("done ok", total);
    wait_for_stop(&input);
    return 0;
}
