/* main.c - which subcommand. */
#include "base/base.h"
#include "cli/cmd.h"
#include "cli/ending.h"
#include "cli/near.h"
#include "cli/say.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

static const struct cmd {
    const char *name;
    int (*run)(int argc, char **argv);
} cmds[] = {{"run", cmd_run},       {"check", cmd_check},     {"doctor", cmd_doctor},
            {"replay", cmd_replay}, {"sandbox", cmd_sandbox}, {"tools", cmd_tools}};

static const char help[] =
    "Usage: errand run [options] PROGRAM|-    run a program elsewhere\n"
    "       errand check [options] PROGRAM|-  say what is wrong with a program\n"
    "       errand doctor [--on PLACE]        say what a place lacks, and what to do\n"
    "       errand replay [--json] RECORD     show a recorded run again\n"
    "       errand sandbox list|info|... [ID] look after sandboxes of an E2B service\n"
    "       errand tools [--dts] [options]    list tools, or declare them for editors\n"
    "\n"
    "errand runs JavaScript or TypeScript, the body of an async function, in another\n"
    "place and answers its calls here: await tools.NAME(argument) runs a command of\n"
    "yours. The value comes to standard output as JSON, logs to standard error.\n"
    "\n"
    "  errand run -e 'return (await tools.city({name: \"Turin\"})).people' \\\n"
    "      --tool city='jq \"{people: 850000}\"'\n"
    "\n"
    "Places (--on): local (default), local?jail, exec:ARGV, shell:ARGV,\n"
    "docker://NAME, podman://NAME, docker+run://IMAGE, podman+run://IMAGE,\n"
    "k8s://NAMESPACE/POD[/CONTAINER], ssh://[USER@]HOST[:PORT], e2b://TEMPLATE,\n"
    "e2b:ID\n"
    "\n"
    "Exit codes: 0 a value; 1 the program's own ending; 2 usage; 3 a limit; 4 the\n"
    "place or the road; 5 protocol; 130, 143, 129 cancelled by that signal\n"
    "\n"
    "errand COMMAND --help tells the options of a command; --version, the version.\n";

/* A descriptor that nobody gave us must not become a file of ours by chance. It is opened the
 * wrong way round, so that using it still fails. */
static void hold_standard_fds(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    }
}

static int unknown(const char *word)
{
    const char *names[COUNT(cmds)];

    for (size_t i = 0; i < COUNT(cmds); i++)
        names[i] = cmds[i].name;
    const char *meant = near_word(word, names, COUNT(names));
    if (meant != NULL)
        return say(EXIT_USAGE, "no command %s; did you mean %s?", word, meant);
    return say(EXIT_USAGE, "no command %s; there are run, check, doctor, replay, sandbox and tools",
               word);
}

static int print_out(const char *text)
{
    if (fputs(text, stdout) == EOF || fflush(stdout) == EOF)
        return say(EXIT_USAGE, "standard output: %s", strerrorname_np(errno));
    return EXIT_FINE;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return say(
            EXIT_USAGE,
            "a command is missing: run, check, doctor, replay, sandbox or tools; see --help");
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        return print_out(help);
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        (void)printf("errand %s\n", errand_version());
        return print_out("");
    }
    for (size_t i = 0; i < COUNT(cmds); i++) {
        if (strcmp(word, cmds[i].name) == 0)
            return cmds[i].run(argc - 2, argv + 2);
    }
    return unknown(word);
}

/* What is said is UTF-8 whatever the locale; how wide it gets, only one of UTF-8 knows. */
static void choose_locale(void)
{
    (void)setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        (void)setlocale(LC_CTYPE, "C.UTF-8");
}

int main(int argc, char **argv)
{
    hold_standard_fds();
    choose_locale();
    signals_ignore_writes();
    return dispatch(argc, argv);
}
