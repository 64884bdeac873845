/* SPDX-License-Identifier: Apache-2.0
 * observe - the probe's functions. */
#include "replay/record/observe.h"

#include "base/check.h"
#include "base/drop.h"
#include "base/memory.h"

#include <stdlib.h>

static uint32_t port_of(const struct observe *observe, uint32_t node, uint16_t port)
{
    return observe->fabric->first_port[node] + port;
}

static bool same_place(const struct observe_drops *drops, const struct probe_drop *drop)
{
    return drops->node == drop->node && drops->port == drop->port &&
           drops->priority == drop->priority && drops->cause == drop->cause &&
           drops->lossless == drop->lossless;
}

/* Few places drop frames, and the next drop is usually at the same place as the last. */
static struct observe_drops *drops_at(struct observe *observe, const struct probe_drop *drop)
{
    for (uint32_t i = observe->drop_count; i-- > 0;)
        if (same_place(&observe->drops[i], drop))
            return &observe->drops[i];
    observe->drops = memory_grown(observe->drops, observe->drop_count, &observe->drop_room,
                                  sizeof *observe->drops);
    struct observe_drops *drops = &observe->drops[observe->drop_count++];
    *drops = (struct observe_drops){.node = drop->node,
                                    .port = drop->port,
                                    .priority = drop->priority,
                                    .cause = drop->cause,
                                    .lossless = drop->lossless,
                                    .first = drop->at};
    return drops;
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct observe *observe = self;
    struct probe_drop place = *drop;
    CHECK(drop->cause < PROBE_DROP_CAUSE_COUNT);
    /* A frame that exceeds an egress limit is attributed to that egress. */
    if (probe_drops[drop->cause].at_egress && drop->egress != UINT16_MAX)
        place.port = drop->egress;
    struct observe_drops *drops = drops_at(observe, &place);
    drops->frames++;
    drops->controls +=
        drop->opcode == FRAME_CREDIT || drop->opcode == FRAME_PFC || drop->opcode == FRAME_PAUSE;
    drops->bytes += (uint64_t)drop->frame_bytes;
    drops->last = drop->at;
    if (breakdown_is_traced(observe->waits))
        breakdown_drop(observe->waits, drop);
    record_drop(observe->record, drop);
}

static uint32_t cut32(int64_t value)
{
    return value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct observe *observe = self;
    record_pause(observe->record, pause);
    struct explain_edge edge = {
        .at = pause->at,
        .port = port_of(observe, pause->node, pause->port),
        .priority = pause->priority,
        .begins = pause->xoff,
        .full = pause->threshold > 0 && pause->occupancy >= pause->threshold,
        .reason_count = pause->xoff ? pause->reason_count : 0,
        .coming = pause->refresh ? 0 : cut32(pause->headroom),
    };
    for (int i = 0; i < edge.reason_count; i++) {
        const struct probe_reason *reason = &pause->reasons[i];
        edge.reasons[i] = (struct explain_reason){
            .port = port_of(observe, pause->node, reason->egress),
            .weight = cut32(reason->weight),
            .queued = cut32(reason->queued),
            .priority = reason->priority,
        };
    }
    explain_on_hold(&observe->explain, &edge);
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    struct observe *observe = self;
    const uint32_t port = port_of(observe, blocked->node, blocked->port);
    explain_on_block(&observe->explain, blocked->at, port, blocked->priority, blocked->blocked);
    if (breakdown_is_traced(observe->waits))
        breakdown_blocked(observe->waits, blocked);
    time_ps *since = &observe->blocked_since[port * EXPLAIN_PRIORITIES + blocked->priority];
    if (blocked->blocked) {
        *since = *since == 0 ? blocked->at + 1 : *since;
        return;
    }
    if (*since != 0)
        record_blocked(observe->record, blocked->node, blocked->port, blocked->priority, *since - 1,
                       blocked->at);
    *since = 0;
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    breakdown_target_io(((struct observe *)self)->waits, io);
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    struct observe *observe = self;
    struct probe_target_io target;
    const bool joined = breakdown_host_io(observe->waits, io, &target);
    data_judge_io(&observe->data, io);
    record_io(observe->record, io, joined ? &target : NULL);
}

static void on_frame(void *self, const struct probe_frame *frame)
{
    record_frame(((struct observe *)self)->record, frame);
}

/* What only the time breakdown needs. */
#define OBSERVE_FOR_BREAKDOWN(X) X(hop) X(work) X(hold) X(use) X(message) X(segment) X(stream)

#define X(name)                                                                                    \
    static void on_##name(void *self, const struct probe_##name *event)                            \
    {                                                                                              \
        breakdown_##name(((struct observe *)self)->waits, event);                                  \
    }
OBSERVE_FOR_BREAKDOWN(X)
#undef X

static void on_state(void *self, const struct probe_state *state)
{
    record_state(((struct observe *)self)->record, state);
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    record_note(((struct observe *)self)->record, at, owner, text);
}

void observe_init(struct observe *observe, const struct explain_fabric *fabric,
                  uint32_t workload_count, const struct observe_wishes *wishes)
{
    const size_t keys = (size_t)fabric->first_port[fabric->node_count] * EXPLAIN_PRIORITIES;
    *observe = (struct observe){.fabric = fabric, .workload_count = workload_count};
    observe->probe = (struct probe){
        .self = observe,
        .drop = on_drop,
        .pause = on_pause,
        .blocked = on_blocked,
        .target_io = on_target_io,
        .host_io = on_host_io,
        .frame = wishes->frames ? on_frame : NULL,
        .state = on_state,
        .note = on_note,
    };
    observe->waits = breakdown_new(fabric, workload_count, wishes->waits);
    if (wishes->waits) {
#define X(name) observe->probe.name = on_##name;
        OBSERVE_FOR_BREAKDOWN(X)
#undef X
        observe->probe.ack = wishes->acks ? on_hop : NULL;
    }
    explain_init(&observe->explain, fabric);
    data_judge_init(&observe->data);
    observe->blocked_since = memory_zeroed(keys, sizeof *observe->blocked_since);
}

void observe_fini(struct observe *observe)
{
    explain_fini(&observe->explain);
    data_judge_fini(&observe->data);
    breakdown_free(observe->waits);
    free(observe->drops);
    free(observe->blocked_since);
    *observe = (struct observe){0};
}

void observe_finish(struct observe *observe, time_ps now)
{
    const struct explain_fabric *fabric = observe->fabric;
    const uint32_t keys = fabric->first_port[fabric->node_count] * EXPLAIN_PRIORITIES;
    for (uint32_t key = 0; key < keys; key++) {
        if (observe->blocked_since[key] == 0)
            continue;
        const uint32_t port = key / EXPLAIN_PRIORITIES, node = fabric->node_of[port];
        record_blocked(observe->record, node, (uint16_t)(port - fabric->first_port[node]),
                       key % EXPLAIN_PRIORITIES, observe->blocked_since[key] - 1, now);
        observe->blocked_since[key] = 0;
    }
    explain_finish(&observe->explain, now);
    breakdown_finish(observe->waits);
}

uint64_t observe_dropped(const struct observe *observe, enum probe_drop_cause cause, bool lossless)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < observe->drop_count; i++)
        if (observe->drops[i].cause == cause && observe->drops[i].lossless == lossless)
            frames += observe->drops[i].frames;
    return frames;
}
