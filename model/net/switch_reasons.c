/* SPDX-License-Identifier: Apache-2.0
 * switch_reasons - what a switch's pause is due to.
 *
 * A group pauses its sender when its share g of the shared memory reaches the threshold.  With the
 * dynamic one that is g >= alpha (S - U), U all that is used of the S bytes:
 *
 *    g (1 + alpha)  +  alpha (U - g)  >=  alpha S
 *
 * so a byte of the group itself counts 1 + alpha and a byte of anybody else alpha.  A static
 * threshold knows only the group's own.  Each byte waits in some egress queue; that queue is the
 * reason, with the sum of its bytes as weight.
 * Cost: at XOFF and refresh only; the first REASON_FRAMES frames of each queue of the priority are
 * looked at, and what is behind them is taken to be mixed alike.  What the group holds and is not
 * found so is where its latest frame goes.
 * Not exact: that, and bytes in the group's reserved room, which count as if they were shared. */
#include "net/switch_private.h"

enum { REASON_FRAMES = 64 };

/* The bytes of a queue that came in by `in_port`. */
static int64_t bytes_of(const struct swtch *swtch, const struct port_lane *lane, uint16_t in_port)
{
    int64_t own = 0, seen = 0;
    uint32_t at = lane->head;
    for (int i = 0; i < REASON_FRAMES && at != POOL_NONE; i++) {
        const struct frame *frame = frame_at(swtch->frames, at);
        seen += frame->bytes;
        own += frame->in_port == in_port ? frame->bytes : 0;
        at = frame->next;
    }
    return at == POOL_NONE ? own : own * lane->bytes / seen;
}

/* Keeps the heaviest, in order; of two that weigh the same the one that came first. */
static void insert(struct probe_pause *why, struct probe_reason reason)
{
    unsigned at = why->reason_count;
    if (at == PROBE_REASONS && why->reasons[at - 1].weight >= reason.weight)
        return;
    at -= at == PROBE_REASONS;
    for (; at > 0 && why->reasons[at - 1].weight < reason.weight; at--)
        why->reasons[at] = why->reasons[at - 1];
    why->reasons[at] = reason;
    why->reason_count = (uint8_t)(why->reason_count + (why->reason_count < PROBE_REASONS));
}

struct reckoning {
    const struct swtch *swtch;
    struct probe_pause *why;
    int64_t alpha; /* ppm */
    int64_t left;  /* bytes of the group that were not found yet */
};

/* Weighs one queue; `more`: bytes of the group that are on their way to it. */
static void weigh(struct reckoning *reckoning, uint16_t egress, uint8_t priority, int64_t more,
                  bool last)
{
    struct probe_pause *why = reckoning->why;
    const struct port_lane *lane = &reckoning->swtch->ports[egress].lanes[priority];
    int64_t own = 0;
    if (priority == why->priority)
        own = bytes_of(reckoning->swtch, lane, why->port) + more;
    if (own > reckoning->left || last)
        own = reckoning->left;
    reckoning->left -= own;
    const int64_t queued = lane->bytes + more;
    const int64_t weight = own + queued * reckoning->alpha / PPM;
    if (weight > 0)
        insert(why, (struct probe_reason){egress, priority, weight, queued});
}

void switch_reasons(const struct swtch *swtch, const struct frame *crossing, uint16_t egress,
                    struct probe_pause *why)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = &buffer->groups[why->port * PRIORITIES + why->priority];
    struct reckoning reckoning = {
        .swtch = swtch,
        .why = why,
        .alpha = buffer->policy == &buffer_dynamic ? buffer->alpha_lossless : 0,
        .left = group->reserved_used + group->shared_used + group->headroom_used,
    };
    why->occupancy = group->shared_used;
    why->threshold = buffer_threshold(buffer);
    why->headroom = group->headroom;
    for (uint16_t i = 0; i < swtch->port_count; i++)
        for (unsigned mask = swtch->ports[i].ready; mask != 0; mask &= mask - 1) {
            const uint8_t priority = (uint8_t)__builtin_ctz(mask);
            if (crossing == NULL || i != egress || priority != why->priority)
                weigh(&reckoning, i, priority, 0, false);
        }
    if (crossing != NULL)
        weigh(&reckoning, egress, why->priority, crossing->bytes, true);
    if (why->reason_count > 0)
        why->egress = why->reasons[0].egress;
}

void switch_reason(const struct port *port, struct probe_pause *why)
{
    switch_reasons((const struct swtch *)(const void *)port->node, NULL, UINT16_MAX, why);
}
