/* SPDX-License-Identifier: Apache-2.0
 * switch_schedule - the next priority of a port, unless a strict priority without a limit waits. */
#include "net/switch/switch_private.h"

/* Deficit round robin among the weighted priorities of `mask` (Shreedhar and Varghese, SIGCOMM
 * 1995): each turn adds the queue's quantum once and lasts while the deficit covers the first
 * frame. A pause suspends a turn; it continues when the queue resumes, without another quantum, so
 * the time lost during a pause is not made up. A turn ends with the last frame of a queue. */
static uint8_t take_turns(const struct swtch *swtch, const struct port *port, unsigned mask)
{
    struct switch_turns *turns = &swtch->turns[port->index];
    CHECK(mask != 0 && (mask & swtch->strict) == 0 && turns->next < PRIORITIES);
    for (;;) {
        const uint8_t last = turns->next;
        const struct port_prio *prio = &port->prios[last];
        if ((mask & 1u << last) != 0) {
            const uint32_t bytes = frame_at(port->frames, prio->head)->bytes;
            if (turns->deficit[last] >= bytes) {
                turns->deficit[last] = prio->head == prio->tail ? 0 : turns->deficit[last] - bytes;
                return last;
            }
        }
        const uint8_t next = turns->next = (uint8_t)((last + 1) % PRIORITIES);
        if ((mask & 1u << next) != 0 &&
            turns->deficit[next] < frame_at(port->frames, port->prios[next].head)->bytes)
            turns->deficit[next] += (uint32_t)swtch->params.weight[next] * SWITCH_DWRR_QUANTUM;
    }
}

/* Arbitration of virtual lanes with VLHighLimit. Lanes without a weight are those of the
 * high-priority table. After `vl_high_limit` x 4096 B of them, counted in blocks of 64 B, a lane
 * with a weight may send one packet. A limit of 0 permits one packet of a high lane.
 * Source: IBTA Vol 1 7.6.9.2. Not modeled: weights within the high-priority table. */
static uint8_t take_limited(const struct swtch *swtch, const struct port *port, unsigned mask)
{
    enum { BLOCK = 64, UNIT = 4096 };
    struct switch_turns *turns = &swtch->turns[port->index];
    const unsigned high = mask & swtch->limited, low = mask & ~(unsigned)swtch->limited;
    if (high == 0 || (turns->high_spent && low != 0)) {
        turns->high_spent = false;
        turns->high_blocks = 0;
        return take_turns(swtch, port, low);
    }
    const uint8_t priority = (uint8_t)port_highest(high);
    const uint32_t bytes = frame_at(port->frames, port->prios[priority].head)->bytes;
    if (turns->high_spent)
        turns->high_blocks = 0; /* no other lane used the opportunity */
    turns->high_blocks += (bytes + BLOCK - 1) / BLOCK;
    turns->high_spent = turns->high_blocks >= swtch->params.vl_high_limit * (UNIT / BLOCK);
    return priority;
}

uint8_t switch_weighted_pick(const struct swtch *swtch, const struct port *port, unsigned mask)
{
    return swtch->limited == 0 ? take_turns(swtch, port, mask) : take_limited(swtch, port, mask);
}
