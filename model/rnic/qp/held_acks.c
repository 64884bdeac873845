/* SPDX-License-Identifier: Apache-2.0
 * held_acks - a growing ring. */
#include "rnic/qp/held_acks.h"

#include "base/memory.h"

#include <stdlib.h>

static void grow(struct held_acks *acks)
{
    const uint32_t room = acks->room == 0 ? 8 : acks->room * 2;
    struct held_ack *items = memory_zeroed(room, sizeof *items);
    for (uint32_t i = acks->head; i != acks->tail; i++)
        items[i & (room - 1)] = acks->items[i & (acks->room - 1)];
    free(acks->items);
    acks->items = items;
    acks->room = room;
}

void held_acks_add(struct held_acks *acks, struct held_ack ack)
{
    if (acks->tail - acks->head == acks->room)
        grow(acks);
    acks->items[acks->tail++ & (acks->room - 1)] = ack;
}

void held_acks_fini(struct held_acks *acks)
{
    free(acks->items);
    *acks = (struct held_acks){0};
}
