/* SPDX-License-Identifier: Apache-2.0
 * wire_compare - compares two captures of the same scenario frame by frame.
 * Connections to the same port and NVMe queue are paired (wire_partners.h).
 * In each pair, the frames of one side and kind (CM, requests, responses) must be the same in the
 * same order. How requests and responses of the two sides interleave depends on timing; it is
 * printed without counting as a difference. The same applies to command tags, which Linux starts at
 * a random value (wire_words.h). The end of a connection is compared if both captures have it.
 * After the first difference of a stream, its frames are realigned (wire_align.h) and counted:
 * equal, reordered, missing, extra, different. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_COMPARE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_COMPARE_H

#include "reports/wire/wire_partners.h"

struct wire_comparison {
    const struct wire_trace *side[2];
    const char *name[2];
    uint32_t *partner;    /* by connection of the first capture: the one in the second */
    uint32_t connections; /* number of connections with a partner */
    uint32_t streams, streams_parted;
    struct wire_counts *counts; /* by stream of the first capture's connections */
    struct wire_counts all;     /* over all connections with a partner */
    uint32_t tags_apart; /* frames before the first difference that differ after WIRE_WORDS_APART */
    uint32_t ended[2];   /* connections whose end only this capture has */
    uint32_t orders_equal; /* connections whose streams also interleave in the same way */
    bool parted;           /* first difference, by the frame's number in the first capture */
    uint32_t at_connection, at_stream, at_index;
};

/* Traces and names must outlive the comparison. */
struct wire_comparison wire_compare(const struct wire_trace *const side[2],
                                    const char *const name[2]);

void wire_compare_fini(struct wire_comparison *comparison);

/* No difference: the same number of connections, and all streams equal, read to their ends. */
bool wire_compare_equal(const struct wire_comparison *comparison);

void wire_compare_text(const struct wire_comparison *comparison, FILE *out);
void wire_compare_json(const struct wire_comparison *comparison, FILE *out);
/* One line for each stream of a connection that both captures have. */
void wire_compare_csv(const struct wire_comparison *c, FILE *out);

#endif
