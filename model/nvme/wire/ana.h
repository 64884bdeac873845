/* SPDX-License-Identifier: Apache-2.0
 * ana - Asymmetric Namespace Access: states and log page.
 * The page has a header and a descriptor of each group with its namespaces.
 * Source: base 5.14.1.12 (log page 0Ch), 8.20 (states). Errors: a reader stops at the end of the
 * page and rejects states that the specification does not define. */
#ifndef STORMGLASS_NVME_WIRE_ANA_H
#define STORMGLASS_NVME_WIRE_ANA_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    NVME_ANA_HEADER_BYTES = 16,
    NVME_ANA_GROUP_BYTES = 32, /* excluding its namespaces */
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

/* NULL: undefined state. */
const char *nvme_ana_state_word(unsigned state);

/* Status of a command to a namespace in that state; NVME_STATUS_OK: the command is executed. */
uint16_t nvme_ana_status(enum nvme_ana_state state);

struct nvme_ana_group {
    uint32_t id;
    uint32_t namespaces;
    uint64_t changes;
    uint8_t state;
};

void nvme_ana_put_header(uint64_t changes, uint16_t groups,
                         unsigned char bytes[NVME_ANA_HEADER_BYTES]);
/* The NSIDs follow the descriptor, 4 bytes each. */
void nvme_ana_put_group(const struct nvme_ana_group *group,
                        unsigned char bytes[NVME_ANA_GROUP_BYTES]);

/* A page that is read group by group. */
struct nvme_ana_page {
    const unsigned char *bytes;
    size_t length, at;
    uint32_t groups_left;
    uint64_t changes;
};

/* Returns false when the header is incomplete. */
bool nvme_ana_read(struct nvme_ana_page *page, const unsigned char *bytes, size_t length);
/* Returns false when no complete descriptor with a valid state is left. */
bool nvme_ana_next(struct nvme_ana_page *page, struct nvme_ana_group *group);

#endif
