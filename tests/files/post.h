/* post.h - a place, files sent there and fetched, and a program there that looks at them. */
#ifndef FILES_POST_H
#define FILES_POST_H

#include "test.h"

#include <errand/errand.h>

struct post {
    errand_loop *loop;
    errand_place *place;
    char here[64];    /* A fresh folder on this machine. */
    char there[160];  /* A fresh folder over there. */
    char node[512];   /* Or empty. */
    char config[512]; /* Of the ssh client, or empty. */
};

struct posted {
    bool ok;
    uint64_t bytes;
    char code[32];
    char error[256];
};

/* root: a folder over there that may be written to. */
void post_open(struct post *post, const char *address, const char *root);
void post_close(struct post *post);
/* The value of a program over there, as JSON; the caller's to free with free(). */
char *post_ask(struct post *post, const char *program);
void post_expect(struct post *post, const char *program, const char *json);
/* Waits until the transfer is over. */
struct posted post_wait(struct post *post, uint64_t id);
struct posted post_put(struct post *post, const char *local, const char *remote);
struct posted post_get(struct post *post, const char *remote, const char *local);
/* folder/name; static, POST_PATHS at a time. */
enum { POST_PATHS = 64 };
const char *post_path(const char *folder, const char *name);
/* size bytes that depend on their place. */
void post_write(const char *path, size_t size, unsigned mode);
void post_check(const char *path, size_t size, unsigned mode);

#endif
