/* SPDX-License-Identifier: Apache-2.0
 * wire_align - realigns two streams of frames after their first difference.
 * A frame that only one capture has shifts all later numbers. Numbers are therefore compared by
 * their increments (MSN, SQ head, sequence numbers of iSCSI), and commands by their counterparts:
 * the hosts' requests are aligned first, and references to "#7" in other streams are translated to
 * its counterpart.
 * The alignment is the longest common subsequence (Myers 1986) up to WIRE_ALIGN_EDITS frames that
 * only one side has; later frames are paired in order.
 * Owner: the caller. Errors: none. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_ALIGN_H
#define STORMGLASS_REPORTS_WIRE_WIRE_ALIGN_H

#include "reports/wire/wire_trace.h"

enum { WIRE_ALIGN_EDITS = 2000 };

/* Numbers of frames. missing: only in the first capture; extra: only in the second; different: both
 * have a frame there, with different words; reordered: in both, at different positions. */
struct wire_counts {
    uint32_t equal, reordered, missing, extra, different;
};

/* For each command of the second capture's connection, from 1, the number of its counterpart in the
 * first; 0: none. */
struct wire_numbers {
    uint32_t *first;
    uint32_t count;
};

struct wire_aligned {
    const struct wire_trace *trace;
    const struct wire_line *lines;
    uint32_t count;
};

/* `commands`: the streams are the hosts' requests, and `numbers` is filled in; otherwise it is an
 * input. */
struct wire_counts wire_align(const struct wire_aligned side[2], bool commands,
                              struct wire_numbers *numbers);

void wire_numbers_fini(struct wire_numbers *numbers);

#endif
