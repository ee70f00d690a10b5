/* headers.c - lines in a room of their own. */
#include "transport/e2b/headers.h"

#include <stdio.h>

void errand__e2b_headers_init(struct e2b_headers *headers)
{
    headers->list[0] = NULL;
    headers->count = headers->used = 0;
    headers->too_long = false;
    /* An edge answers browsers with pages, and others with what can be understood. */
    errand__e2b_headers_add(headers, "Accept", "application/json");
    char agent[64];
    (void)snprintf(agent, sizeof(agent), "errand/%s", errand_version());
    errand__e2b_headers_add(headers, "User-Agent", agent);
}

void errand__e2b_headers_wipe(struct e2b_headers *headers)
{
    explicit_bzero(headers, sizeof(*headers));
}

void errand__e2b_headers_add(struct e2b_headers *headers, const char *name, const char *value)
{
    size_t room = sizeof(headers->room) - headers->used;

    if (value == NULL)
        return;
    int len = snprintf(headers->room + headers->used, room, "%s: %s", name, value);
    if (len < 0 || (size_t)len >= room || headers->count == E2B_HEADERS_MOST) {
        headers->too_long = true;
        return;
    }
    headers->list[headers->count++] = headers->room + headers->used;
    headers->list[headers->count] = NULL;
    headers->used += (size_t)len + 1;
}
