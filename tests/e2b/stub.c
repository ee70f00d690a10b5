/* stub.c - what stands in node's place in a sandbox, so that thousands of runs cost little: it
 * speaks the wire in segments, and finds its way again when it broke.
 *
 * Started as the launch line starts node: "-e STAGE0 MARK DIGEST SIZE FOLDER", the streams on 3 and
 * 4. Makes CALLS calls, one after another, checks each answer, and returns their sum. Knows no JSON
 * beyond what it says itself, and no program. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IN = 3, OUT = 4, CALLS = 3, LINE_MOST = 300, STREAM_MOST = 16 * 1024 };
enum { ARG_MARK = 3, ARG_DIGEST, ARGS_LEAST };

static char hello[512];
static const char *mark;
/* The two streams, from their beginning. */
static char said[STREAM_MOST], heard[STREAM_MOST];
static size_t said_len, acked, heard_len, taken;
static unsigned long epoch;

static void leave(const char *why)
{
    (void)fprintf(stderr, "stub: %s\n", why);
    exit(9);
}

/* --- Bytes ------------------------------------------------------------------------------------ */

static char read_byte(void)
{
    static char room[4096];
    static ssize_t at, got;

    while (at == got) {
        at = 0;
        got = read(IN, room, sizeof(room));
        if (got < 0 && errno == EINTR)
            got = 0;
        else if (got <= 0)
            exit(0); /* Home is gone, and so is this. */
    }
    return room[at++];
}

static void read_line(char line[static LINE_MOST])
{
    size_t len = 0;

    for (char byte = read_byte(); byte != '\n'; byte = read_byte()) {
        if (len + 1 == LINE_MOST)
            leave("a long line");
        line[len++] = byte;
    }
    line[len] = '\0';
}

static void put(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t count = write(OUT, bytes, len);
        if (count < 0 && errno != EINTR)
            exit(0);
        bytes += count > 0 ? count : 0;
        len -= count > 0 ? (size_t)count : 0;
    }
}

/* --- Segments --------------------------------------------------------------------------------- */

static void put_from(size_t offset)
{
    char piece[STREAM_MOST + 64];

    if (offset == said_len)
        return;
    int len = snprintf(piece, sizeof(piece), "seg %zu %zu\n%.*s\n", offset, said_len - offset,
                       (int)(said_len - offset), said + offset);
    put(piece, (size_t)len);
}

static void say(const char *header, const char *payload)
{
    size_t from = said_len;
    int len = snprintf(said + said_len, sizeof(said) - said_len, "%s %zu\n%s\n", header,
                       strlen(payload), payload);

    said_len += (size_t)len;
    put_from(from);
}

static void say_resumed(void)
{
    char line[128];
    int len = snprintf(line, sizeof(line), "resumed %s %lu %zu\n", mark, epoch, heard_len);

    put(line, (size_t)len);
}

static void take_piece(size_t offset, size_t len)
{
    if (offset + len > sizeof(heard))
        leave("a long stream");
    /* Behind a gap it goes by; what was taken already is written over by the same. */
    for (size_t i = 0; i < len; i++) {
        char byte = read_byte();
        if (offset <= heard_len)
            heard[offset + i] = byte;
    }
    (void)read_byte();
    if (offset <= heard_len && offset + len > heard_len)
        heard_len = offset + len;
}

/* One line of home's, and what belongs to it. */
static void listen_to_home(void)
{
    char line[LINE_MOST];
    unsigned long first = 0, second = 0;

    read_line(line);
    int words = sscanf(line, "%*s %lu %lu", &first, &second);
    if (words == 2 && strncmp(line, "seg ", 4) == 0) {
        take_piece(first, second);
    } else if (words == 1 && strncmp(line, "ack ", 4) == 0) {
        acked = first > acked ? first : acked;
    } else if (words == 2 && strncmp(line, "resume ", 7) == 0 && first > epoch) {
        epoch = first;
        acked = second > acked ? second : acked;
        if (second == 0)
            put(hello, strlen(hello));
        say_resumed();
        put_from(second);
    }
}

/* --- Frames ----------------------------------------------------------------------------------- */

static char next_byte(void)
{
    while (taken == heard_len)
        listen_to_home();
    return heard[taken++];
}

static void next_line(char line[static LINE_MOST])
{
    size_t len = 0;

    for (char byte = next_byte(); byte != '\n' && len + 1 < LINE_MOST; byte = next_byte())
        line[len++] = byte;
    line[len] = '\0';
}

static void go(void)
{
    while (acked < said_len)
        listen_to_home();
    exit(0);
}

static void wait_for(const char *wanted, const char *payload)
{
    char line[LINE_MOST];

    for (next_line(line); strcmp(line, wanted) != 0; next_line(line)) {
        if (strncmp(line, "stop ", 5) == 0)
            go();
        if (strncmp(line, "ping ", 5) != 0)
            leave("another frame than the expected one");
    }
    next_line(line);
    if (strcmp(line, payload) != 0)
        leave("another payload than the expected one");
}

static void read_boot(void)
{
    char line[LINE_MOST];

    read_line(line);
    if (strncmp(line, "boot ", 5) != 0)
        leave("no boot");
    for (unsigned long left = strtoul(line + 5, NULL, 10) + 1; left > 0; left--)
        (void)read_byte();
    read_line(line);
}

static void say_hello(const char *digest)
{
    char payload[256];

    (void)snprintf(
        payload, sizeof(payload),
        "{\"protocol\":1,\"node\":\"v20.0.0\",\"pid\":%d,\"group\":%d,\"digest\":\"%s\"}",
        (int)getpid(), (int)getpgrp(), digest);
    (void)snprintf(hello, sizeof(hello), "hello %s %zu\n%s\n", mark, strlen(payload), payload);
    put(hello, strlen(hello));
}

int main(int argc, char **argv)
{
    char header[64], wanted[64], payload[64];
    int sum = 0;

    if (argc < ARGS_LEAST)
        leave("stub -e STAGE0 MARK DIGEST");
    mark = argv[ARG_MARK];
    read_boot();
    say_hello(argv[ARG_DIGEST]);
    say_resumed();
    for (int i = 1; i <= CALLS; i++) {
        (void)snprintf(header, sizeof(header), "call %d 0 0", i);
        (void)snprintf(payload, sizeof(payload), "{\"n\":%d}", i);
        (void)snprintf(wanted, sizeof(wanted), "reply %d ok %zu", i, strlen(payload));
        say(header, payload);
        wait_for(wanted, payload);
        sum += i;
    }
    (void)snprintf(payload, sizeof(payload), "%d", sum);
    say("done ok", payload);
    wait_for("", ""); /* Until it is asked to leave. */
    return 0;
}
