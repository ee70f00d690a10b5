/* cloud.h - the test server of tests/e2b-server, started for one program and gone with it. */
#ifndef E2B_TEST_CLOUD_H
#define E2B_TEST_CLOUD_H

#include <errand/errand.h>

#include <stdbool.h>
#include <sys/types.h>

enum { CLOUD_TEXT = 256, CLOUD_ANSWER = 256 * 1024 };

struct cloud {
    pid_t pid;
    int input; /* It ends with this pipe. */
    char api_url[CLOUD_TEXT], sandbox_url[CLOUD_TEXT], admin_url[CLOUD_TEXT], key[CLOUD_TEXT];
    char envd_url[CLOUD_TEXT]; /* With --standalone; else empty. */
};

/* words: more words of its command line, NULL-terminated, or NULL. The environment of this process
 * leads there afterwards. A server that does not start fails the test. */
void cloud_start(struct cloud *cloud, const char *const *words);
void cloud_end(struct cloud *cloud);
/* Asks its admin port; the answer is borrowed until the next call. body may be NULL. */
const char *cloud_ask(const struct cloud *cloud, const char *method, const char *path,
                      const char *body);
/* Orders a fault, as tests/e2b-server/README.md has them; '…' in place of "…". */
void cloud_fault(const struct cloud *cloud, const char *order);
void cloud_no_faults(const struct cloud *cloud);
/* How often faults have struck. */
unsigned cloud_hits(const struct cloud *cloud);
/* How many sandboxes there are, and the id of the first: borrowed until the next call. */
unsigned cloud_sandboxes(const struct cloud *cloud, const char **id);
/* How many requests of this RPC the journal has. */
unsigned cloud_count(const struct cloud *cloud, const char *rpc);
/* Where node is. */
const char *cloud_node(void);
/* The options that lead there. */
errand_e2b_options cloud_options(const struct cloud *cloud);

#endif
