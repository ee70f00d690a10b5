/* order.c - the shell text, and its answer. Knows no run. */
#include "transport/e2b/order.h"

#include "base/mem.h"
#include "transport/brand.h"

#include <stdio.h>

/* What the shell exits with. */
enum { LEADERLESS = 3, STAYS = 9 };

/* How long is too long to wait for it, others decide. */
enum { TIMEOUT_US = 60 * 1000 * 1000 };

/* $0: the signal or CLEAR. $1: the leader. $2 and $3: the mark, in two so that another shell like
 * this one, whose answer got lost, does not bear it. $4: the brand. What belongs to it is found by
 * group, by session, by the mark among its words, by the brand, and by who its parent is; of a
 * zombie nothing is left. The pattern for the mark does not match itself; neither this shell, its
 * parent nor its children are looked at. CONT, since who is stopped can't hear. A sleep may know
 * whole seconds alone.
 *
 * LOOK: the leader has gone only where nobody bears the mark either, since there are services whose
 * numbers of processes are not those of the system.
 *
 * A shell reads byte by byte, so that a look at each process costs much. One grep says first
 * whether there is anybody; it finds this shell too, which shows that it works. */
static const char script[] =
    "g=$1;m=$2$3;b=$4;[ -z \"$m\" ]||m=\"[${m%\"${m#?}\"}]${m#?}\"\n"
    "look(){ l=;w=;[ -z \"$m\" ]||w=$(grep -ls -- \"$m\" /proc/[0-9]*/cmdline 2>/dev/null)\n"
    "[ -z \"$b\" ]||w=\"$w $(grep -ls \"^Max file locks  *$b \" /proc/[0-9]*/limits "
    "2>/dev/null)\"\n"
    "for d in /proc/[0-9]*;do q=${d#/proc/};[ \"$q\" = $$ ]&&continue\n"
    "[ \"$q\" = $PPID ]&&continue\n"
    "s=;{ read -r s <\"$d/stat\";} 2>/dev/null||continue\n"
    "r=${s##*) };n=${s#*(};n=${n%)*};set -- $r;[ \"$1\" = Z ]&&continue\n"
    "[ \"$2\" = $$ ]&&continue\n"
    "k=;if [ \"$3\" = \"$g\" ];then k=g;elif [ \"$4\" = \"$g\" ];then k=e\n"
    "else case \" $l \" in *\" $2 \"*)k=e;;esac;case $w in *\"/$q/\"*)k=e;;esac;fi\n"
    "[ -z \"$k\" ]||l=\"$l $q\"\n"
    "[ \"$k\" != e ]||case \" $e \" in *\" $q \"*);;*)e=\"$e $q\";echo \"$n ($q)\";;esac;done;}\n"
    "if [ \"$0\" = LOOK ];then [ -r /proc/self/stat ]||exit 0\n"
    "s=;read -r s 2>/dev/null <\"/proc/$g/stat\";case ${s##*) } in ''|Z*);;*)exit 0;;esac\n"
    "[ -z \"$m\" ]||[ -z \"$(grep -ls -- \"$m\" /proc/[0-9]*/cmdline 2>/dev/null)\" ]||exit 0\n"
    "exit 3;fi\n"
    "e=;if [ \"$0\" != CLEAR ];then\n"
    "kill -s \"$0\" -- \"-$g\" 2>/dev/null||kill -s \"$0\" \"$g\" 2>/dev/null\n"
    "kill -s CONT -- \"-$g\" 2>/dev/null||kill -s CONT \"$g\" 2>/dev/null\n"
    "s=;read -r s 2>/dev/null <\"/proc/$g/stat\";case ${s##*) } in ''|Z*)exit 3;;esac;exit 0;fi\n"
    "if [ ! -r /proc/self/stat ];then kill -s KILL -- \"-$g\" 2>/dev/null;exit 0;fi\n"
    "i=0;while [ $i -lt 60 ];do\n"
    "f=$(grep -lsE -- \"^$$ |[)] [^Z] [0-9]+ ($g|[0-9]+ $g) ${m:+|$m}"
    "${b:+|^Max file locks +$b }\" /proc/[0-9]*/stat /proc/[0-9]*/cmdline "
    "${b:+/proc/[0-9]*/limits} 2>/dev/null);[ \"$f\" = \"/proc/$$/stat\" ]&&exit 0\n"
    "look;[ -n \"$l\" ]||exit 0\n"
    "kill -s KILL $l 2>/dev/null;i=$((i+1));[ $i -lt 2 ]||sleep 0.03 2>/dev/null||sleep 1;done\n"
    "exit 9";

static const char *const kinds[] = {"TERM", "KILL", "CLEAR", "LOOK"};

struct e2b_order *errand__e2b_order_new(const struct e2b_envd *envd, enum e2b_order_kind kind,
                                        uint32_t pid, const char *mark, struct bell *bell)
{
    struct e2b_order *order = errand__mem_new(1, sizeof(*order));
    char number[16], head[E2B_ORDER_MARK + 1], brand[BRAND_TEXT];

    if (order == NULL)
        return NULL;
    (void)snprintf(number, sizeof(number), "%u", (unsigned)pid);
    size_t half = strlen(mark) / 2;
    (void)snprintf(head, sizeof(head), "%.*s", (int)half, mark);
    errand__brand_of(brand, mark);
    const char *words[] = {kinds[kind], number, head, mark + half, brand, NULL};
    order->kind = kind;
    if (!errand__e2b_chore_init(&order->chore, envd, script, words, bell)) {
        errand__e2b_order_free(order);
        return NULL;
    }
    errand__e2b_chore_begin(&order->chore, envd->http->now_us, TIMEOUT_US);
    return order;
}

void errand__e2b_order_free(struct e2b_order *order)
{
    if (order == NULL)
        return;
    errand__e2b_chore_deinit(&order->chore);
    errand__mem_free(order);
}

/* A name a line becomes one line of names. */
static void read_names(struct e2b_order *order)
{
    errand_span said = errand__buf_peek(&order->chore.said);
    size_t len = 0;

    for (size_t i = 0; i < said.len && len + 3 < sizeof(order->words); i++) {
        char c = said.ptr[i];
        if (c == '\n' && i + 1 == said.len)
            break;
        if (c == '\n') {
            order->words[len++] = ',';
            c = ' ';
        }
        if ((unsigned char)c < ' ' || c == 0x7f)
            c = '?';
        order->words[len++] = c;
    }
    order->words[len] = '\0';
}

static void conclude(struct e2b_order *order)
{
    int exit_code = order->chore.exit_code;

    order->end = E2B_ORDER_FAILED;
    if (order->chore.end != E2B_CHORE_EXITED)
        return;
    read_names(order);
    order->leaderless = exit_code == LEADERLESS;
    if (exit_code == 0 || exit_code == LEADERLESS)
        order->end = E2B_ORDER_DONE;
    if (exit_code == STAYS)
        order->end = E2B_ORDER_STAYS;
}

bool errand__e2b_order_turn(struct e2b_order *order, int64_t now_us)
{
    if (order->end != E2B_ORDER_GOING)
        return true;
    if (!errand__e2b_chore_turn(&order->chore, now_us))
        return false;
    conclude(order);
    errand__bell_ring(order->owner);
    return true;
}

int64_t errand__e2b_order_due(const struct e2b_order *order)
{
    return errand__e2b_chore_due(&order->chore);
}
