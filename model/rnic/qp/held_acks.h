/* SPDX-License-Identifier: Apache-2.0
 * held_acks - ACKs that wait for READ responses, where none may stand for another; and the MSN of
 * the one that waits in the queue pair's answer slot.
 * Without coalescing each packet that asks has its own ACK, as rxe gives it; those behind a READ
 * leave when its last response has, with the MSN that they had.
 * Owner: the queue pair.  Errors: none; the peer's outstanding requests bound it. */
#ifndef STORMGLASS_RNIC_QP_HELD_ACKS_H
#define STORMGLASS_RNIC_QP_HELD_ACKS_H

#include <stdbool.h>
#include <stdint.h>

struct held_ack {
    uint32_t psn, msn;
};

/* A ring; all zero: empty and without memory. */
struct held_acks {
    struct held_ack *items;
    uint32_t head, tail; /* count up for ever */
    uint32_t room;       /* a power of two */
    uint32_t answer_msn; /* of the answer slot */
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
