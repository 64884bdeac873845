/* SPDX-License-Identifier: Apache-2.0
 * switch_reasons - which queues cause a switch's pause.
 * A group pauses its sender when its share g of the shared memory reaches the threshold. With a
 * threshold of s times the free memory this is g >= s (S - U), where U of the S cells are used:
 *    g (1 + s)  +  s (U - g)  >=  s S
 * so a cell of the group itself has weight 1 + s and any other cell in its pool weight s. The slope
 * s is alpha with the dynamic policy; with the static one it is 0, so that only the group's own
 * cells count. Each cell waits in some egress queue, and that queue is a reason, weighted by the
 * sum of its cells.
 * Cost: at XOFF and refresh only; cells per queue are counted as frames come and go. Approximation:
 * cells in the group's reserved space count as if they were shared. */
#include "net/switch/switch_private.h"

/* Inserts by descending weight and keeps the heaviest; of equal weights the first stays first. */
static void insert_reason(struct probe_pause *why, struct probe_reason reason)
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
    const struct buffer_pool *pool; /* pool of the group */
    const uint32_t *waiting;        /* the group's cells, by egress port */
    int64_t slope;                  /* ppm: buffer_group_slope */
};

/* Weighs one queue; `crossing`: a frame of the group that is about to enter it, or NULL. */
static void weigh_queue(struct reckoning *reckoning, uint16_t egress, uint8_t priority,
                        const struct frame *crossing)
{
    struct probe_pause *why = reckoning->why;
    const struct swtch *swtch = reckoning->swtch;
    const struct buffer *buffer = &swtch->buffer;
    const struct port_prio *prio = &swtch->ports[egress].prios[priority];
    const uint32_t more = crossing == NULL ? 0 : buffer_cells(buffer, crossing->bytes);
    const int64_t own = priority == why->priority ? reckoning->waiting[egress] + more : 0;
    const struct buffer_pool *pool = buffer->groups[why->port * PRIORITIES + priority].pool;
    const int64_t slope = pool == reckoning->pool ? reckoning->slope : 0;
    const int64_t weight = buffer_bytes(buffer, own + (prio->cells + more) * slope / PPM);
    const int64_t queued = prio->bytes + (crossing == NULL ? 0 : crossing->bytes);
    if (weight > 0)
        insert_reason(why, (struct probe_reason){egress, priority, weight, queued});
}

void switch_reasons(const struct swtch *swtch, const struct frame *crossing, uint16_t egress,
                    struct probe_pause *why)
{
    const struct buffer *buffer = &swtch->buffer;
    CHECK(why->port < swtch->port_count && why->priority < PRIORITIES);
    const struct buffer_group *group = &buffer->groups[why->port * PRIORITIES + why->priority];
    struct reckoning reckoning = {
        .swtch = swtch,
        .why = why,
        .pool = group->pool,
        .waiting = group->waiting,
        .slope = buffer_group_slope(buffer, group),
    };
    why->occupancy = buffer_bytes(buffer, buffer_group_share(group));
    why->threshold = buffer_bytes(buffer, buffer_group_threshold(buffer, group));
    why->headroom = buffer_bytes(buffer, group->headroom);
    for (uint16_t i = 0; i < swtch->port_count; i++)
        for (unsigned mask = swtch->ports[i].ready; mask != 0; mask &= mask - 1) {
            const uint8_t priority = (uint8_t)__builtin_ctz(mask);
            if (crossing == NULL || i != egress || priority != why->priority)
                weigh_queue(&reckoning, i, priority, NULL);
        }
    if (crossing != NULL)
        weigh_queue(&reckoning, egress, why->priority, crossing);
    if (why->reason_count > 0)
        why->egress = why->reasons[0].egress;
}

void switch_reason(const struct port *port, struct probe_pause *why)
{
    switch_reasons((const struct swtch *)(const void *)port->node, NULL, UINT16_MAX, why);
}
