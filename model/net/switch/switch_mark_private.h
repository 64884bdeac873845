/* SPDX-License-Identifier: Apache-2.0
 * switch_mark_private - ECN: which frames are marked that a switch forwards.
 * Called from three places of switch.c: `enqueue` and `join` when a frame has room (ecn-mark:
 * enqueue), and `take_first` when it leaves its queue (ecn-mark: dequeue).  `join` is the fast
 * path, which nearly every frame that waits takes instead of `enqueue`; a frame that `buffer_pass`
 * lets through at once finds no queue, and is not marked.
 * A rule that drops frames must also keep its frames out of the fast paths (join, buffer_pass), or
 * it never sees most of them.
 * Included only by switch*.c. */
#ifndef STORMGLASS_NET_SWITCH_SWITCH_MARK_PRIVATE_H
#define STORMGLASS_NET_SWITCH_SWITCH_MARK_PRIVATE_H

#include "net/switch/switch_private.h"

/* ECN, for a frame whose queue is above kmin. */
NOINLINE void switch_mark_perhaps(struct swtch *swtch, struct frame *frame,
                                  const struct port *egress);

static inline void switch_mark(struct swtch *swtch, struct frame *frame, const struct port *egress)
{
    const unsigned ecn = frame->tos & 3u;
    if (ecn != ECN_NOT_ECT && ecn != ECN_CE)
        switch_mark_perhaps(swtch, frame, egress);
}

#endif
