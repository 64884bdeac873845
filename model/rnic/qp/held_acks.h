/* SPDX-License-Identifier: Apache-2.0
 * held_acks - ACKs that wait for READ responses when ACKs are not coalesced, and the MSN of the one
 * in the queue pair's answer slot.
 * Without coalescing each packet that requests an ACK gets its own, as in rxe; those after a READ
 * leave when its last response has left, with the MSN of their time.
 * Owner: the queue pair. Errors: none; limited by the peer's outstanding requests. */
#ifndef STORMGLASS_RNIC_QP_HELD_ACKS_H
#define STORMGLASS_RNIC_QP_HELD_ACKS_H

#include <stdbool.h>
#include <stdint.h>

struct held_ack {
    uint32_t psn, msn;
};

/* A ring; all zeros: empty and without memory. */
struct held_acks {
    struct held_ack *items;
    uint32_t head, tail; /* free-running */
    uint32_t room;       /* a power of two */
    uint32_t answer_msn; /* MSN of the ACK in the answer slot */
};

static inline bool held_acks_any(const struct held_acks *acks)
{
    return acks->head != acks->tail;
}

static inline const struct held_ack *held_acks_oldest(const struct held_acks *acks)
{
    return &acks->items[acks->head & (acks->room - 1)];
}

void held_acks_add(struct held_acks *acks, struct held_ack ack);
void held_acks_fini(struct held_acks *acks);

#endif
