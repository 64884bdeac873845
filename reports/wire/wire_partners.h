/* SPDX-License-Identifier: Apache-2.0
 * wire_partners - which connection of one capture is which of the other, and their streams side by
 * side. The order of connections made at the same time depends on timing, so connections with the
 * same frames are paired first; then, where there are few candidates, those with the most equal
 * frames; the rest in order. Only connections to the same port and NVMe queue are paired.
 * Owner: the caller frees the partners. Errors: none. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_PARTNERS_H
#define STORMGLASS_REPORTS_WIRE_WIRE_PARTNERS_H

#include "reports/wire/wire_align.h"
#include "reports/wire/wire_trace.h"

/* The same stream in both captures. */
struct wire_pair {
    const struct wire_line *line[2];
    uint32_t count[2];
    uint32_t equal; /* equal lines from the start */
};

enum { WIRE_ALONE = UINT32_MAX }; /* no partner */

/* A stream of connection `a` of the first capture and `b` of the second. */
struct wire_pair wire_pair_up(const struct wire_trace *const side[2], uint32_t a, uint32_t b,
                              unsigned stream);

static inline bool wire_pair_parted(const struct wire_pair *pair)
{
    return pair->equal < pair->count[0] || pair->equal < pair->count[1];
}

/* Equal frames and others of a pair. Call for the host's requests before all other streams, which
 * refer to commands. */
struct wire_counts wire_pair_count(const struct wire_trace *const side[2],
                                   const struct wire_pair *pair, unsigned stream,
                                   struct wire_numbers *numbers);

/* By connection of the first capture, the one of the second, or WIRE_ALONE. */
uint32_t *wire_find_partners(const struct wire_trace *const side[2]);

#endif
