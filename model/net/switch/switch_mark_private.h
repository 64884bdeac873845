/* SPDX-License-Identifier: Apache-2.0
 * switch_mark_private - ECN, and FECN of InfiniBand: which forwarded frames are marked.
 * Called from three functions of switch.c: `enqueue` and `join` when a frame has been admitted
 * (ecn-mark: enqueue, and FECN), and `take_first` when it leaves its queue (ecn-mark: dequeue).
 * `join` is the fast path of nearly every frame that waits; a frame that `buffer_pass` lets through
 * at once finds an empty queue and is not marked. A rule that drops frames must also keep them off
 * the fast paths (join, buffer_pass), where it would miss most of them.
 * Included only by switch*.c. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_MARK_PRIVATE_H
#define STORMGLASS_NET_SWITCH_SWITCH_MARK_PRIVATE_H

#include "net/switch/switch_private.h"

/* Marking of a frame whose queue is above kmin, or above the threshold of FECN. */
NOINLINE void switch_mark_perhaps(struct swtch *swtch, struct frame *frame,
                                  const struct port *egress);

static inline void switch_mark(struct swtch *swtch, struct frame *frame, const struct port *egress)
{
    if ((frame->tos & 3u) == ECN_ECT0) /* ECT(1): RoCE v1, which has no ECN field */
        switch_mark_perhaps(swtch, frame, egress);
}

#endif
