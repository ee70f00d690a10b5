/* cmd.h - the subcommands. */
#ifndef ERRAND_CMD_H
#define ERRAND_CMD_H

/* Each gets the words behind its own name, and returns the exit code (cli/ending.h). */
int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_sandbox(int argc, char **argv);
int cmd_tools(int argc, char **argv);

#endif
