/* talk.h - what is asked of a host's file service for one file, and in which order.
 *
 * Knows the service's requests and no driver; how the file gets on stands in struct ssh_file. */
#ifndef ERRAND_SSH_TALK_H
#define ERRAND_SSH_TALK_H

#include "transport/ssh/file.h"

/* The service is up. */
void errand__ssh_talk_begin(struct ssh_file *file);
/* false: that is no answer to what was asked. */
bool errand__ssh_talk_hear(struct ssh_file *file, struct sftp_answer *answer);
/* Asks for what can be asked for by now. */
void errand__ssh_talk_go_on(struct ssh_file *file);

/* Of a put, at most SFTP_PIECE bytes. true: all of them are under way. */
bool errand__ssh_talk_send(struct ssh_file *file, errand_span bytes);
/* Of a get, what comes next, until it is taken back; empty: it is not there yet. */
errand_span errand__ssh_talk_lend(struct ssh_file *file);
/* What was lent, if anything, has been used. */
void errand__ssh_talk_take_back(struct ssh_file *file);

/* A get: all of it was lent, and there is no more. */
bool errand__ssh_talk_has_all(const struct ssh_file *file);
/* Then. */
void errand__ssh_talk_end(struct ssh_file *file);
/* It is cancelled, and clears up. */
void errand__ssh_talk_stop(struct ssh_file *file);
/* What can't be cleared in time is asked for, and not waited for. */
void errand__ssh_talk_abandon(struct ssh_file *file);

#endif
