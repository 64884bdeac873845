/* SPDX-License-Identifier: Apache-2.0
 * wire_align - two streams of frames laid against each other after they parted.
 * A frame that only one capture has moves all numbers behind it.  So numbers are compared by their
 * steps (MSN, SQ head), and commands by the command that they are aligned with: the host's requests
 * are aligned first, and what the other streams say of "#7" is said of its counterpart.
 * The alignment is the longest common subsequence (Myers 1986) up to WIRE_ALIGN_EDITS frames that
 * only one side has; what is behind them is paired in order.
 * Owner: the caller.  Errors: none. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_ALIGN_H
#define STORMGLASS_REPORTS_WIRE_WIRE_ALIGN_H

#include "reports/wire/wire_trace.h"

enum { WIRE_ALIGN_EDITS = 2000 };

/* Frames.  missing: only the first capture has them; extra: only the second; different: both have
 * one there, of other words; reordered: both have it, at another place. */
struct wire_counts {
    uint32_t equal, reordered, missing, extra, different;
};

/* Of each command of the second capture's connection, from 1, the number of its counterpart in the
 * first; 0: it has none. */
struct wire_numbers {
    uint32_t *first;
    uint32_t count;
};

struct wire_aligned {
    const struct wire_trace *trace;
    const struct wire_line *lines;
    uint32_t count;
};

/* `commands`: the streams are the hosts' requests, and `numbers` is filled in; otherwise it is
 * used. */
struct wire_counts wire_align(const struct wire_aligned side[2], bool commands,
                              struct wire_numbers *numbers);

void wire_numbers_fini(struct wire_numbers *numbers);

#endif
