/* cmd.h - the subcommands and the exit codes that they share. */
#ifndef ERRAND_CMD_H
#define ERRAND_CMD_H

/* What errand_outcome_exit_code() does not say. */
enum {
    EXIT_FINE = 0,
    EXIT_USAGE = 2,   /* Also: something at home could not be read or written. */
    EXIT_PLACE = 4,   /* The place or the road. */
    EXIT_SIGNAL = 128 /* And the signal's number. */
};

/* Each gets the words behind its own name, and returns the exit code. */
int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_sandbox(int argc, char **argv);
int cmd_tools(int argc, char **argv);

#endif
