/* items_dir.h - the folder of --items: images and files of a program, under names that are safe.
 *
 * Nothing that is there is ever overwritten, and nothing stands under its name before it is
 * complete. */
#ifndef ERRAND_ITEMS_DIR_H
#define ERRAND_ITEMS_DIR_H

#include "base/buf.h"
#include "cli/item.h"

enum { ITEMS_DIR_FILES_MAX = 10000 };

struct items_dir {
    const char *path; /* NULL: none. */
    int fd;
    unsigned kept, images, others, attempts;
    unsigned highest;  /* Of the numbers that made names free. */
    char *last;        /* Path of the one that was kept last. */
    errand_error why;  /* Of the first that was not. */
    bool failed, told; /* told: it was said. */
};

/* The name under which a file is kept: of name (may be empty) no path, nothing that steers a
 * terminal or a command, and an end by its MIME type where it has none. To be freed. */
char *items_dir_name(errand_span name, errand_span mime, const char *unnamed, unsigned number);
/* Makes the folder where it is missing. EINVAL: it can't be written to. */
errand_status items_dir_open(struct items_dir *dir, const char *path,
                             errand_error *err) ERRAND_CHECKED;
void items_dir_close(struct items_dir *dir);
/* The path of what was kept, until the next; NULL: nothing to keep, or it failed. After the first
 * failure nothing more is kept. */
const char *items_dir_keep(struct items_dir *dir, const struct item_view *item);

#endif
