/* SPDX-License-Identifier: Apache-2.0
 * ana - Asymmetric Namespace Access: states, and the log page that tells them.
 * The page is a header and a descriptor of each group with the namespaces in it.
 * Source: base 5.14.1.12 (log page 0Ch), 8.20 (states).
 * Errors: a reader stops where the page ends, and takes no state that the specification does not
 * have. */
#ifndef STORMGLASS_NVME_WIRE_ANA_H
#define STORMGLASS_NVME_WIRE_ANA_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NVME_ANA_HEADER_BYTES = 16,
    NVME_ANA_GROUP_BYTES = 32, /* without its namespaces */
    NVME_ANA_GROUPS_MAX = 128, /* NVMET_MAX_ANAGRPS of Linux */
};

/* X(name, value on the wire, word) */
#define NVME_ANA_STATES(X)                                                                         \
    X(OPTIMIZED, 1, "optimized")                                                                   \
    X(NON_OPTIMIZED, 2, "non-optimized")                                                           \
    X(INACCESSIBLE, 3, "inaccessible")                                                             \
    X(PERSISTENT_LOSS, 4, "persistent-loss")                                                       \
    X(CHANGE, 15, "change")

#define X(name, value, word) NVME_ANA_##name = (value),
enum nvme_ana_state { NVME_ANA_STATES(X) };
#undef X

/* NULL: there is no such state. */
const char *nvme_ana_state_word(unsigned state);

/* The status of a command for a namespace in that state; NVME_STATUS_OK: it is carried out. */
uint16_t nvme_ana_status(enum nvme_ana_state state);

struct nvme_ana_group {
    uint32_t id;
    uint32_t namespaces;
    uint64_t changes;
    uint8_t state;
};

void nvme_ana_put_header(uint64_t changes, uint16_t groups,
                         unsigned char bytes[NVME_ANA_HEADER_BYTES]);
/* The namespaces follow it, 4 bytes each. */
void nvme_ana_put_group(const struct nvme_ana_group *group,
                        unsigned char bytes[NVME_ANA_GROUP_BYTES]);

/* A page that is read group by group. */
struct nvme_ana_page {
    const unsigned char *bytes;
    size_t length, at;
    uint32_t groups_left;
    uint64_t changes;
};

/* False: it has no header. */
bool nvme_ana_read(struct nvme_ana_page *page, const unsigned char *bytes, size_t length);
/* False: there is none left that is whole and has a state. */
bool nvme_ana_next(struct nvme_ana_page *page, struct nvme_ana_group *group);

#endif
