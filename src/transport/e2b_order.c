/* e2b_order.c - the shell text, and its answer. It may be said twice without harm, so it is tried
 * again whatever became of the first. Knows no run. */
#include "transport/e2b_order.h"

#include "base/mem.h"

#include <stdio.h>

/* What the shell exits with. */
enum { LEADERLESS = 3, STAYS = 9 };

enum { TIMEOUT_US = 8 * 1000 * 1000 };

/* $0: the signal or CLEAR. $1: the leader. $2: the mark. What belongs to it is found by group, by
 * session, by the mark among its words, and by who its parent is; of a zombie nothing is left.
 * CONT, since who is stopped can't hear. A sleep may know whole seconds alone. */
static const char script[] =
    "g=$1;m=$2;\n"
    "look(){ l=;for d in /proc/[0-9]*;do q=${d#/proc/};[ \"$q\" = $$ ]&&continue\n"
    "s=;read -r s <\"$d/stat\" 2>/dev/null||continue\n"
    "r=${s##*) };n=${s#*(};n=${n%)*};set -- $r;[ \"$1\" = Z ]&&continue\n"
    "k=;if [ \"$3\" = \"$g\" ];then k=g;elif [ \"$4\" = \"$g\" ];then k=e\n"
    "else case \" $l \" in *\" $2 \"*)k=e;;*)[ -z \"$m\" ]||{ c=;read -r c <\"$d/cmdline\"\n"
    "case $c in *\"$m\"*)k=e;;esac;} 2>/dev/null;;esac;fi\n"
    "[ -z \"$k\" ]||l=\"$l $q\"\n"
    "[ \"$k\" != e ]||case \" $e \" in *\" $q \"*);;*)e=\"$e $q\";echo \"$n ($q)\";;esac;done;}\n"
    "e=;if [ \"$0\" != CLEAR ];then\n"
    "kill -s \"$0\" -- \"-$g\" 2>/dev/null||kill -s \"$0\" \"$g\" 2>/dev/null\n"
    "kill -s CONT -- \"-$g\" 2>/dev/null||kill -s CONT \"$g\" 2>/dev/null\n"
    "s=;read -r s 2>/dev/null <\"/proc/$g/stat\";case ${s##*) } in ''|Z*)exit 3;;esac;exit 0;fi\n"
    "if [ ! -r /proc/self/stat ];then kill -s KILL -- \"-$g\" 2>/dev/null;exit 0;fi\n"
    "i=0;while [ $i -lt 60 ];do look;[ -n \"$l\" ]||exit 0\n"
    "kill -s KILL $l 2>/dev/null;i=$((i+1));[ $i -lt 2 ]||sleep 0.03 2>/dev/null||sleep 1;done\n"
    "exit 9";

static const char *const kinds[] = {"TERM", "KILL", "CLEAR"};

static void begin(struct e2b_order *order)
{
    char pid[16];

    (void)snprintf(pid, sizeof(pid), "%u", (unsigned)order->pid);
    const char *args[] = {"-c", script, kinds[order->kind], pid, order->mark, NULL};
    const struct e2b_start start = {.cmd = "/bin/sh", .args = args, .input = false};
    errand__e2b_stream_deinit(&order->stream);
    order->words_len = 0;
    order->again_us = TIME_NEVER;
    errand__e2b_stream_init(&order->stream, order->envd,
                            errand__e2b_envd_start(order->envd, &start, false, order->bell));
}

struct e2b_order *errand__e2b_order_new(const struct e2b_envd *envd, enum e2b_order_kind kind,
                                        uint32_t pid, const char *mark, int64_t now_us)
{
    struct e2b_order *order = errand__mem_new(1, sizeof(*order));

    if (order == NULL)
        return NULL;
    order->envd = envd;
    order->kind = kind;
    order->pid = pid;
    order->due_us = now_us + TIMEOUT_US;
    order->again_us = now_us;
    (void)snprintf(order->mark, sizeof(order->mark), "%s", mark);
    errand__e2b_patience_init(&order->patience, order->due_us);
    return order;
}

void errand__e2b_order_free(struct e2b_order *order)
{
    if (order == NULL)
        return;
    errand__e2b_stream_deinit(&order->stream);
    errand__mem_free(order);
}

/* A name a line becomes one line of names. */
static void hear(struct e2b_order *order, errand_span bytes)
{
    for (size_t i = 0; i < bytes.len && order->words_len + 3 < sizeof(order->words); i++) {
        char c = bytes.ptr[i];
        if (c == '\n') {
            order->words[order->words_len++] = ',';
            c = ' ';
        }
        order->words[order->words_len++] = (unsigned char)c < ' ' || c == 0x7f ? '?' : c;
    }
    order->words[order->words_len] = '\0';
}

static void conclude(struct e2b_order *order, const struct e2b_event *end)
{
    int exit_code = -1, exit_signal = 0;

    errand__e2b_event_exit(end, &exit_code, &exit_signal);
    order->leaderless = exit_code == LEADERLESS;
    if (exit_code == 0 || exit_code == LEADERLESS)
        order->end = E2B_ORDER_DONE;
    else
        order->end = exit_code == STAYS ? E2B_ORDER_STAYS : E2B_ORDER_FAILED;
    size_t len = order->words_len;
    if (len >= 2 && order->words[len - 2] == ',')
        order->words[len - 2] = '\0';
}

static void try_again(struct e2b_order *order, int64_t now_us)
{
    order->again_us = order->stream.failure.retryable || order->stream.failure.unsure
                          ? errand__e2b_patience_next(&order->patience, now_us)
                          : TIME_NEVER;
    if (order->again_us == TIME_NEVER)
        order->end = E2B_ORDER_FAILED;
}

static void follow(struct e2b_order *order, int64_t now_us)
{
    struct e2b_event event;
    enum e2b_stream_news news = E2B_STREAM_EVENT;

    while (order->end == E2B_ORDER_GOING && news == E2B_STREAM_EVENT) {
        news = errand__e2b_stream_next(&order->stream, now_us, &event);
        if (news == E2B_STREAM_OVER)
            try_again(order, now_us);
        else if (event.type == E2B_EVENT_OUT)
            hear(order, event.bytes);
        else if (event.type == E2B_EVENT_END)
            conclude(order, &event);
    }
}

bool errand__e2b_order_turn(struct e2b_order *order, int64_t now_us)
{
    if (order->end != E2B_ORDER_GOING)
        return true;
    if (now_us >= order->due_us)
        order->end = E2B_ORDER_FAILED;
    else if (order->again_us != TIME_NEVER && now_us >= order->again_us)
        begin(order);
    if (order->end == E2B_ORDER_GOING && order->again_us == TIME_NEVER)
        follow(order, now_us);
    if (order->end != E2B_ORDER_GOING)
        errand__e2b_bell_ring(order->owner);
    return order->end != E2B_ORDER_GOING;
}

int64_t errand__e2b_order_due(const struct e2b_order *order)
{
    if (order->end != E2B_ORDER_GOING)
        return TIME_NEVER;
    return order->again_us < order->due_us ? order->again_us : order->due_us;
}
