/* SPDX-License-Identifier: Apache-2.0
 * wire_compare - two captures of the same scenario, frame by frame.
 * Connections to the same port and of the same NVMe queue are paired: those with the same frames,
 * for who of several connects first is timing, and what is left in the order of the CM REQs.
 * Of each, what a side said of one kind (CM, requests, answers) must be the same frames in the same
 * order.  How requests and answers of the two sides lie between each other is timing: it is
 * printed, and no difference.  So are tags, which Linux begins at a random place (wire_words.h).
 * The end of a connection is compared where both captures have it.
 * Behind the first difference of a stream its frames are laid against each other again
 * (wire_align.h) and counted: equal, reordered, missing, extra, different. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_COMPARE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_COMPARE_H

#include "reports/wire/wire_align.h"
#include "reports/wire/wire_trace.h"

struct wire_comparison {
    const struct wire_trace *side[2];
    const char *name[2];
    uint32_t *partner;    /* in the second capture, of each connection of the first */
    uint32_t connections; /* that have a partner */
    uint32_t streams, streams_parted;
    struct wire_counts *counts; /* of each stream of the first capture's connections */
    struct wire_counts all;     /* of all connections that have a partner */
    uint32_t tags_apart; /* frames up to the first difference that differ behind WIRE_WORDS_APART */
    uint32_t ended[2];   /* connections whose end only this capture has */
    uint32_t orders_equal; /* connections whose streams also lie between each other alike */
    bool parted;           /* the first place, by the frame's number in the first capture */
    uint32_t at_connection, at_stream, at_index;
};

enum { WIRE_ALONE = UINT32_MAX }; /* no partner */

/* The traces and names outlive the comparison. */
struct wire_comparison wire_compare(const struct wire_trace *const side[2],
                                    const char *const name[2]);

void wire_compare_fini(struct wire_comparison *comparison);

/* No difference: as many connections, and each stream the same. */
bool wire_compare_equal(const struct wire_comparison *comparison);

void wire_compare_text(const struct wire_comparison *comparison, FILE *out);
void wire_compare_json(const struct wire_comparison *comparison, FILE *out);

#endif
