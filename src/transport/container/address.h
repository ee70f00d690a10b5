/* address.h - docker://, podman://, k8s://, docker+run://, podman+run://. */
#ifndef ERRAND_CONTAINER_ADDRESS_H
#define ERRAND_CONTAINER_ADDRESS_H

#include "transport/container/container.h"

/* false: address is none of these. */
bool errand__container_address(const char *address);
/* name: the address as understood, the caller's to free. On failure container is empty. */
errand_status errand__container_parse(struct container *container, char **name, const char *address,
                                      errand_error *err) ERRAND_CHECKED;

#endif
