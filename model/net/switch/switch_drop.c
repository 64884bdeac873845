/* SPDX-License-Identifier: Apache-2.0
 * switch_drop - drops frames and reports why. */
#include "net/port/credits.h"
#include "net/switch/switch_private.h"

#include <assert.h>

static_assert((int)PROBE_DROP_CAUSE_COUNT <= (int)SWITCH_DROP_CAUSES_MAX, "each is counted");

/* Counts a drop and fills in what is known for every cause. */
static struct probe_drop dropped(struct swtch *swtch, const struct frame *frame,
                                 enum probe_drop_cause cause, time_ps now)
{
    swtch->counters.dropped[cause]++;
    swtch->port_counters[frame->in_port].dropped[cause]++;
    return (struct probe_drop){
        .at = now,
        .node = swtch->node.id,
        .port = frame->in_port,
        .priority = frame->priority,
        .cause = (uint8_t)cause,
        .frame_bytes = frame->bytes,
        .source = frame->source,
        .destination = frame->destination,
        .qpn = frame->qpn,
        .psn = frame->psn,
        .opcode = frame->opcode,
        .payload = frame->payload,
    };
}

/* Fills in the group that has neither space nor headroom. */
static void blame_group(struct swtch *swtch, const struct frame *frame, struct probe_drop *drop)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_group *group = switch_group(swtch, frame);
    drop->occupancy = buffer_bytes(buffer, buffer_group_share(group));
    drop->threshold = buffer_bytes(buffer, buffer_group_threshold(buffer, group));
    drop->headroom = buffer_bytes(buffer, group->headroom_used);
    drop->headroom_limit = buffer_bytes(buffer, group->headroom);
}

/* Fills in the egress queue that is at its limit. */
static void blame_queue(struct swtch *swtch, const struct frame *frame, struct probe_drop *drop)
{
    const struct buffer *buffer = &swtch->buffer;
    const struct buffer_place queue = switch_queue_place(frame, drop->egress);
    const int64_t limit = drop->lossless
                              ? (int64_t)buffer->queue_limit
                              : buffer->egress.reserved + buffer_queue_threshold(buffer, queue);
    drop->occupancy = buffer_bytes(buffer, swtch->ports[drop->egress].prios[frame->priority].cells);
    drop->threshold = buffer_bytes(buffer, limit);
    swtch->port_counters[drop->egress].queue_dropped[frame->priority]++;
}

/* Drops a frame for lack of buffer. */
void switch_refuse(struct swtch *swtch, uint32_t handle, uint16_t egress,
                   enum probe_drop_cause cause, time_ps now)
{
    const struct frame *frame = frame_at(swtch->frames, handle);
    CHECK(cause == PROBE_DROP_BUFFER || cause == PROBE_DROP_EGRESS);
    struct probe_drop drop = dropped(swtch, frame, cause, now);
    drop.lossless = switch_is_lossless(swtch, frame);
    drop.egress = egress;
    if (cause == PROBE_DROP_BUFFER)
        blame_group(swtch, frame, &drop);
    else
        blame_queue(swtch, frame, &drop);
    swtch->counters.dropped_lossless += drop.lossless;
    swtch->probe->drop(swtch->probe->self, &drop);
    switch_return_credits(swtch, frame, now);
    frame_give(swtch->frames, handle);
}

/* Drops a frame for a reason other than lack of buffer. */
static void drop_for(struct swtch *swtch, uint32_t handle, uint16_t egress,
                     enum probe_drop_cause cause, time_ps now)
{
    struct probe_drop drop = dropped(swtch, frame_at(swtch->frames, handle), cause, now);
    drop.egress = egress;
    swtch->probe->drop(swtch->probe->self, &drop);
    frame_give(swtch->frames, handle);
}

/* Drops a frame that cannot be forwarded at all: no route, no hops left or too large. */
void switch_reject(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    const struct frame *frame = frame_at(swtch->frames, handle);
    const enum probe_drop_cause cause = egress == UINT16_MAX ? PROBE_DROP_NO_ROUTE
                                        : frame->ttl == 0    ? PROBE_DROP_TTL
                                                             : PROBE_DROP_MTU;
    CHECK(cause != PROBE_DROP_MTU ||
          frame->bytes > port_largest_frame(&swtch->ports[egress].params));
    switch_return_credits(swtch, frame, now);
    drop_for(swtch, handle, egress, cause, now);
}

bool switch_refuses(struct swtch *swtch, uint32_t handle, time_ps now)
{
    const struct frame *frame = frame_at(swtch->frames, handle);
    if (swtch->params.router == 0 || frame->opcode == FRAME_TCP || !frame_is_v1(frame->tos))
        return false;
    switch_reject(swtch, handle, UINT16_MAX, now);
    return true;
}

/* Drops a frame for the watchdog. */
void switch_discard(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    switch_return_credits(swtch, frame_at(swtch->frames, handle), now);
    drop_for(swtch, handle, egress, PROBE_DROP_WATCHDOG, now);
}

/* Drops a frame that has waited too long. */
void switch_expire(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    CHECK(swtch->credits);
    swtch->ports[egress].credits->expired++;
    switch_return_credits(swtch, frame_at(swtch->frames, handle), now);
    drop_for(swtch, handle, egress, PROBE_DROP_LIFETIME, now);
}

/* Drops a frame because the switch has lost power. */
void switch_lose_frame(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    drop_for(swtch, handle, egress, PROBE_DROP_LINK_DOWN, now);
}
