/* proto.h - messages of the process service in their binary form. */
#ifndef ERRAND_E2B_PROTO_H
#define ERRAND_E2B_PROTO_H

#include "base/buf.h"
#include "transport/e2b/event.h"
#include "transport/e2b/message.h"

/* Each appends one message; ELIMIT or ENOMEM as errand__buf_push(). */
errand_status errand__e2b_proto_start(struct buf *out,
                                      const struct e2b_start *start) ERRAND_CHECKED;
/* Connect. */
errand_status errand__e2b_proto_select(struct buf *out, uint32_t pid) ERRAND_CHECKED;
errand_status errand__e2b_proto_input(struct buf *out, uint32_t pid,
                                      errand_span bytes) ERRAND_CHECKED;
errand_status errand__e2b_proto_signal(struct buf *out, uint32_t pid, int number) ERRAND_CHECKED;
/* One response of Start or Connect. false: that is none. */
bool errand__e2b_proto_event(struct e2b_event *out, errand_span bytes);
/* The pid of the process one of whose words holds mark; 0: none does. */
uint32_t errand__e2b_proto_find(errand_span list, errand_span mark);

#endif
