/* launch.c - the shell command that brings a runner to life, and the bytes that follow it.
 *
 * The line is a /bin/sh script and its words, each quoted once with '…': login shells of every
 * kind (sh, bash, zsh, fish, csh, tcsh) read it alike as long as no word holds a single quote, a
 * backslash, an exclamation mark or a line break. csh refuses words of 20,000 characters.
 *
 * The words behind the script: both halves of MARK, the runner's size and digest, stage-0, and
 * the path of node where one was given. Docs/protocol.md, section 6, says what travels when.
 * Knows no transport and no core.
 */
#include "run/launch.h"

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    HALF_LEN = LAUNCH_MARK_LEN / 2,
    /* A startup file that reads a line or two of standard input gets empty ones. */
    PREAMBLE_LINES = 64,
    NODE_PATH_MAX = 1024,
    LINE_MAX_LEN = 8000,
};

/* $0 and $1: the halves of MARK. $2: the runner's size. $3: its digest. $4: stage-0. $5: node or
 * nothing.
 *
 * The protocol moves to descriptors 3 and 4 before anything else, since node has no dup2. Then
 * the lines of standard input are read up to the first half of MARK: what a startup file left of
 * the preamble goes by, and where the half itself was eaten, the last line of home's first write
 * tells. The shell reads a byte at a time here, so what follows is left for node.
 *
 * [^0-9] is no POSIX pattern and [!0-9] is barred, so patterns list what is good. */
static const char script_open[] =
    "exec 3<&0 4>&1 </dev/null 1>&2;m=$0$1;l=;"
    "while IFS= read -r l <&3;do case $l in \"$0\")break;;"
    "\"$0.\")echo \"fail $m stdin_eaten\" >&4;exit 91;;esac;done;"
    "[ \"$l\" = \"$0\" ]||{ echo \"fail $m stdin_closed\" >&4;exit 91;};";

/* Sets k to the number of a version such as 20.11.1, and to 0 for what is none. */
static const char script_version[] =
    "w(){ IFS=.;set -- $1 0 0;IFS=\" \";k=0;for c in \"$1\" \"$2\" \"$3\";do "
    "case $c in [0-9]|[1-9][0-9]|[1-9][0-9][0-9]);;*)c=0;;esac;k=$((k*1000+c));done;};";

/* Sets n to what starts node: as given, on PATH, or the highest of the version managers'. Without
 * $(...), which would fork. */
static const char script_node[] =
    "if [ \"$5\" ];then n=$5;command -v \"$5\" >/dev/null||"
    "{ echo \"fail $m node_not_run $5\" >&4;exit 126;};"
    "else n=node;command -v node >/dev/null||"
    "{ n=;b=-1;for d in \"$HOME\"/.nvm/versions/node/*/bin "
    "\"$HOME\"/.volta/tools/image/node/*/bin "
    "\"$HOME\"/.local/share/fnm/node-versions/*/installation/bin "
    "\"$HOME\"/.fnm/node-versions/*/installation/bin \"$HOME\"/.asdf/installs/nodejs/*/bin "
    "\"$HOME\"/.local/share/mise/installs/node/*/bin \"$HOME\"/n/bin \"$HOME\"/.volta/bin "
    "\"$HOME\"/.local/bin /usr/local/n/versions/node/*/bin /opt/*/bin /usr/local/bin "
    "/opt/homebrew/bin /snap/bin /usr/bin;do [ -x \"$d/node\" ]||continue;"
    "v=${d%/bin};v=${v%/installation};v=${v##*/};v=${v#node};v=${v#-};v=${v#v};w \"${v%%-*}\";"
    "[ \"$k\" -gt \"$b\" ]&&{ b=$k;n=$d/node;};done;};"
    "[ \"$n\" ]||{ echo \"fail $m node_not_found PATH=$PATH, then nvm, volta, fnm, asdf, mise "
    "and n under $HOME, /usr/local, /opt/*/bin, /snap/bin\" >&4;exit 127;};fi;";

/* A group of its own, where it has none: only then can the runner kill its group. setsid forks
 * when the caller leads a group already, so that is looked at first. */
static const char script_session[] =
    "u=;p(){ g=$3;};s=;if read -r l 2>/dev/null </proc/$$/stat;then IFS=\" \";p ${l##*\") \"};"
    "[ \"$g\" = $$ ]||{ command -v setsid >/dev/null&&s=setsid;};fi;";

/* Sets u to what gives node a network without a way out, where a user may do that there: in a user
 * namespace, in which nobody can go back either. An older unshare knows -r alone; and bwrap may be
 * allowed what nobody else is. */
static const char script_offline[] =
    "for c in \"unshare -cn\" \"unshare -rn\" \"bwrap --dev-bind / / --unshare-net --\";do "
    "$c true 2>/dev/null&&{ u=$c;break;};done;";

/* node starts with nothing of this environment but what it needs to run. */
static const char script_exec[] =
    "exec $s $u env -i PATH=\"$PATH\" HOME=\"$HOME\" ${LANG+LANG=\"$LANG\"} "
    "${LC_ALL+LC_ALL=\"$LC_ALL\"} ${TZ+TZ=\"$TZ\"} ${TMPDIR+TMPDIR=\"$TMPDIR\"} "
    "${LD_LIBRARY_PATH+LD_LIBRARY_PATH=\"$LD_LIBRARY_PATH\"} \"$n\" -e \"$4\" \"$m\" \"$3\" \"$2\" "
    "\"${XDG_CACHE_HOME:-$HOME/.cache}/errand\"";

/* Stage-0, the first text that node gets. It parses on any node, since it says node_too_old.
 * r(n) reads exactly n bytes of descriptor 3, through short reads and EAGAIN; b are the packed
 * runner's bytes; only bytes of the digest that the line names are evaluated. F() reads the boot
 * frame and the line behind it, which came in the same write: so the runner has them at once.
 * Where the word crypto stands in its text, node -e loads that module before it begins. */
static const char stage_open[] =
    "var f=require(\"fs\"),P=process,a=P.argv,h=a[2],N=+a[3],U=String.fromCharCode(10),b,B,S,"
    "V=require(\"vm\"),I=(V.constants||{}).USE_MAIN_CONTEXT_DEFAULT_LOADER,"
    "q=function(t){try{f.writeSync(4,\"fail \"+a[1]+\" \"+t+U)}catch(e){}P.exit(91)},"
    "H=function(b){b=require(\"cryp\"+\"to\").createHash(\"sha256\").update(b);"
    "return b.digest(\"hex\")==h},"
    "r=function(n){var b=Buffer.alloc(n),o=0,k;while(n>o)try{k=f.readSync(3,b,o,n-o);"
    "if(k)o+=k;else q(\"stdin_closed\")}catch(e){if(e.code==\"EAGAIN\")"
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,1);"
    "else q(\"stdin_closed \"+e.code)}return b},"
    "L=function(){var s=\"\",c;while((c=r(1)+\"\")>U||U>c)s+=c;return s+U},"
    "F=function(){var s=L(),t=r(+s.split(\" \")[1]+1);"
    "B=Buffer.concat([Buffer.from(s),t,Buffer.from(L())])};"
    "if(18>parseInt(P.versions.node))q(\"node_too_old \"+P.version+\" \"+P.execPath);";

/* The program's thread W takes longer to start than all that is to be done here, so it starts
 * first, and waits for the text that it is to evaluate. Its heap's size stands between the parts.
 * What this thread compiled, that one need not. No engine lets us say what becomes of an import()
 * without that option; and an older one lets no script import() that was compiled so. */
static const char stage_thread[] =
    "var W=new(require(\"worker_threads\").Worker)("
    "\"require(`worker_threads`).parentPort.once(`message`,m=>(m.compiled?"
    "new(require(`vm`).Script)(m.source,{filename:`errand:runner`,cachedData:m.compiled})"
    ".runInThisContext():(0,eval)(m.source))(require,m))\","
    "{eval:true,env:{},stdin:false,stdout:true,stderr:true,trackUnmanagedFds:false,execArgv:"
    "[\"--experimental-vm-modules\"],resourceLimits:{maxOldGenerationSizeMb:";
static const char stage_thread_end[] = "}});";

static const char stage_stdin[] = "b=r(N);";

/* delivery = file. D(d) tells whether d is a folder of ours that nobody else can write to; an
 * earlier run may have, so that what is there may also be a pipe that nobody writes to. What
 * F() reads stands in front of the runner's bytes. */
static const char stage_file[] =
    "var p=[a[4],(P.env.TMPDIR||\"/tmp\")+\"/errand-\"+P.getuid()],"
    "M=function(d){try{f.mkdirSync(d,448)}catch(e){}},"
    "D=function(d){var s;M(require(\"path\").dirname(d));M(d);"
    "try{s=f.lstatSync(d)}catch(e){return false}"
    "return s.isDirectory()&&s.uid==P.getuid()&&0==(s.mode&18)},"
    "C=f.constants,i,d,t,x;F();for(i=0;2>i;i++)if(D(p[i])){d=d||p[i];"
    "try{x=f.openSync(p[i]+\"/\"+h,C.O_RDONLY|C.O_NOFOLLOW|C.O_NONBLOCK);"
    "t=f.fstatSync(x).size==N?f.readFileSync(x):\"\";f.closeSync(x);"
    "if(H(t)){b=t;break}}catch(e){}}"
    "if(b);else{f.writeSync(4,\"want \"+a[1]+U);b=r(N);"
    "if(d&&H(b))try{t=d+\"/\"+h+\".\"+P.pid;"
    "x=f.openSync(t,C.O_WRONLY|C.O_CREAT|C.O_EXCL|C.O_NOFOLLOW,384);"
    "f.writeFileSync(x,b);f.closeSync(x);f.renameSync(t,d+\"/\"+h)}catch(e){}}";

static const char stage_run[] =
    "if(H(b))try{if(B);else F();b=require(\"zlib\").inflateRawSync(b)+\"\";"
    "S=I&&new V.Script(b,{filename:\"errand:runner\"});"
    "(S?S.runInThisContext():(0,eval)(b))(require,{source:b,script:S,mark:a[1],digest:h,"
    "folder:a[4],early:B,thread:W})}"
    "catch(e){q(\"runner_broken \"+String(e&&e.stack||e).split(U).slice(0,3).join(\" | \"))}"
    "else q(\"bad_digest\")";

static errand_status push(struct buf *buf, const char *text)
{
    return errand__buf_push(buf, span_text(text));
}

static errand_status push_all(struct buf *buf, const char *const *texts)
{
    for (size_t i = 0; texts[i] != NULL; i++) {
        errand_status status = push(buf, texts[i]);
        if (status != ERRAND_OK)
            return status;
    }
    return ERRAND_OK;
}

/* Whether path can stand between single quotes in every login shell. */
static bool quotable(const char *path)
{
    for (const unsigned char *p = (const unsigned char *)path; *p != '\0'; p++)
        if (*p < 0x20 || *p == 0x7f || *p == '\'' || *p == '\\' || *p == '!')
            return false;
    return true;
}

static errand_status check_node(const char *node, errand_error *err)
{
    if (node == NULL)
        return ERRAND_OK;
    if (node[0] == '\0')
        return errand__fail(err, ERRAND_EINVAL, 0, "launch: the path of node is empty");
    if (node[0] == '-')
        return errand__fail(err, ERRAND_EINVAL, 0, "launch: the path of node begins with a dash");
    if (strlen(node) > NODE_PATH_MAX)
        return errand__fail(err, ERRAND_EINVAL, 0, "launch: the path of node is over %d bytes long",
                            NODE_PATH_MAX);
    if (!quotable(node))
        return errand__fail(err, ERRAND_EINVAL, 0,
                            "launch: the path of node has a quote, a backslash, an exclamation "
                            "mark or a control character, which not every shell takes alike");
    return ERRAND_OK;
}

/* Moves what buf holds to a block of its own, NUL-terminated. */
static errand_status settle(struct buf *buf, char **text, size_t *len)
{
    errand_span bytes = errand__buf_peek(buf);
    *text = errand__mem_copy(bytes.ptr == NULL ? "" : bytes.ptr, bytes.len);
    if (len != NULL)
        *len = bytes.len;
    errand__buf_deinit(buf);
    return *text == NULL ? ERRAND_ENOMEM : ERRAND_OK;
}

static errand_status write_line(struct launch *launch, const char *mark,
                                const struct launch_wishes *wishes)
{
    char first[HALF_LEN + 1] = {0}, second[HALF_LEN + 1] = {0}, size[24], heap[24];
    memcpy(first, mark, HALF_LEN);
    memcpy(second, mark + HALF_LEN, HALF_LEN);
    (void)snprintf(size, sizeof(size), "%zu", errand__runner.len);
    (void)snprintf(heap, sizeof(heap), "%" PRIu64, wishes->heap_mb);
    const char *const texts[] = {"exec /bin/sh -c '",
                                 script_open,
                                 script_version,
                                 script_node,
                                 script_session,
                                 wishes->offline ? script_offline : "",
                                 script_exec,
                                 "' ",
                                 first,
                                 " ",
                                 second,
                                 " ",
                                 size,
                                 " ",
                                 errand__runner_sha256,
                                 " '",
                                 stage_open,
                                 stage_thread,
                                 heap,
                                 stage_thread_end,
                                 wishes->file ? stage_file : stage_stdin,
                                 stage_run,
                                 "' '",
                                 wishes->node == NULL ? "" : wishes->node,
                                 "'",
                                 NULL};
    struct buf buf;
    errand__buf_init(&buf, LINE_MAX_LEN);
    errand_status status = push_all(&buf, texts);
    errand_status settled = settle(&buf, &launch->line, NULL);
    return status != ERRAND_OK ? status : settled;
}

static errand_status write_head(struct launch *launch, const char *mark, bool file)
{
    char lines[PREAMBLE_LINES + HALF_LEN + 1];
    memset(lines, '\n', sizeof(lines));
    memcpy(lines + PREAMBLE_LINES, mark, HALF_LEN);
    struct buf buf;
    errand__buf_init(&buf, sizeof(lines) + errand__runner.len);
    errand_status status = errand__buf_push(&buf, span_of(lines, sizeof(lines)));
    if (status == ERRAND_OK && !file)
        status = errand__buf_push(&buf, errand__runner);
    errand_status settled = settle(&buf, &launch->head, &launch->head_len);
    return status != ERRAND_OK ? status : settled;
}

static errand_status write_tail(struct launch *launch, const char *mark)
{
    char line[HALF_LEN + 2];
    memcpy(line, mark, HALF_LEN);
    line[HALF_LEN] = '.';
    line[HALF_LEN + 1] = '\n';
    launch->tail = errand__mem_copy(line, sizeof(line));
    launch->tail_len = sizeof(line);
    return launch->tail == NULL ? ERRAND_ENOMEM : ERRAND_OK;
}

errand_status errand__launch_init(struct launch *launch, const char mark[static LAUNCH_MARK_LEN],
                                  const struct launch_wishes *wishes, errand_error *err)
{
    *launch = (struct launch){0};
    errand_status status = check_node(wishes->node, err);
    if (status != ERRAND_OK)
        return status;
    status = write_line(launch, mark, wishes);
    if (status == ERRAND_OK)
        status = write_head(launch, mark, wishes->file);
    if (status == ERRAND_OK)
        status = write_tail(launch, mark);
    if (status != ERRAND_OK) {
        errand__launch_deinit(launch);
        return errand__fail(err, status, 0, "launch: no memory");
    }
    return ERRAND_OK;
}

void errand__launch_deinit(struct launch *launch)
{
    errand__mem_free(launch->line);
    errand__mem_free(launch->head);
    errand__mem_free(launch->tail);
    *launch = (struct launch){0};
}

void errand__launch_forget_bytes(struct launch *launch)
{
    errand__mem_free(launch->head);
    errand__mem_free(launch->tail);
    launch->head = launch->tail = NULL;
    launch->head_len = launch->tail_len = 0;
}
