/* SPDX-License-Identifier: Apache-2.0
 * switch_make - creates a switch: its ports and the division of its memory. */
#include "base/memory.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/lifetimes.h"
#include "net/switch/switch_carve.h"
#include "net/switch/switch_private.h"
#include "net/switch/watchdog.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t strict_mask(const struct switch_params *params)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        mask |= params->weight[i] == 0 ? 1u << i : 0;
    return (uint8_t)mask;
}

/* Zeroed memory aligned to a cache line. */
static void *allocate_lines(size_t count, size_t bytes)
{
    const size_t size = (count * bytes + 63) / 64 * 64;
    void *memory = memory_aligned(1, size, 64);
    return memset(memory, 0, size);
}

/* The groups of one priority are adjacent in memory, because few priorities are in use. */
static void set_waiting(struct swtch *swtch)
{
    uint32_t *row = swtch->waiting;
    for (unsigned p = 0; p < PRIORITIES; p++)
        for (unsigned i = 0; i < swtch->port_count; i++, row += swtch->port_count)
            swtch->buffer.groups[i * PRIORITIES + p].waiting = row;
}

/* With VLHighLimit no lane is strict: all are served by turns, some with precedence. */
static void limit_strict(struct swtch *swtch, int64_t kind)
{
    if (kind != PORT_INFINIBAND || swtch->strict == UINT8_MAX ||
        swtch->params.vl_high_limit == SWITCH_VL_HIGH_UNLIMITED)
        return;
    swtch->limited = swtch->strict;
    swtch->strict = 0;
}

/* Lengths of a queue up to which no frame is marked. */
static void set_marking(struct swtch *swtch, int64_t kind)
{
    const struct switch_params *params = &swtch->params;
    swtch->fecn = kind == PORT_INFINIBAND;
    if (swtch->fecn && params->fecn_threshold > 0)
        swtch->mark_above[SWITCH_ENQUEUE] = params->reserved *
                                            (SWITCH_FECN_MOST + 1 - params->fecn_threshold) /
                                            (SWITCH_FECN_MOST + 1);
    else if (!swtch->fecn && params->ecn_kmax > 0)
        swtch->mark_above[params->ecn_mark] = params->ecn_kmin;
}

void switch_init(struct swtch *swtch, struct engine *engine, const char *name,
                 const struct switch_params *params, uint16_t port_count,
                 const struct port_params *port_params, struct frame_pool *frames,
                 const struct probe *probe)
{
    CHECK(port_count > 0 && params->pfc_priorities <= UINT8_MAX);
    *swtch = (struct swtch){
        .frames = frames,
        .port_count = port_count,
        .lossless = (uint8_t)params->pfc_priorities,
        .metered = params->egress_limit == SWITCH_EGRESS_LIMIT_NONE
                       ? (uint8_t)~params->pfc_priorities
                       : UINT8_MAX,
        .strict = strict_mask(params),
        .cut_through = params->forwarding == SWITCH_CUT_THROUGH,
        .mark_above = {INT64_MAX, INT64_MAX},
        .ecmp_seed = params->ecmp_seed == SWITCH_ECMP_SEED_OWN
                         ? hash_text(name, hash_mix(engine->seed))
                         : hash_mix((uint64_t)params->ecmp_seed),
        .special = params->forwarding == SWITCH_CUT_THROUGH ||
                   params->ecmp_hash != SWITCH_HASH_5_TUPLE || params->router != 0,
        .params = *params,
        .marking = rng_stream(engine->seed, name, "ecn"),
        .watchdog = watchdog_new(params, port_count),
        .probe = probe,
    };
    swtch->careful = swtch->special;
    engine_add(engine, &swtch->node, &switch_node_ops, name);
    set_marking(swtch, port_params[0].kind);
    limit_strict(swtch, port_params[0].kind);
    swtch->ports = allocate_lines(port_count, sizeof *swtch->ports);
    swtch->port_counters = allocate_lines(port_count, sizeof *swtch->port_counters);
    swtch->turns = memory_zeroed(port_count, sizeof *swtch->turns);
    swtch->waiting =
        memory_zeroed((size_t)port_count * PRIORITIES * port_count, sizeof *swtch->waiting);
    swtch->buffer.groups =
        allocate_lines((size_t)port_count * PRIORITIES, sizeof *swtch->buffer.groups);
    set_waiting(swtch);
    dequeue_timers_init(&swtch->dequeue_timers);
    for (uint16_t i = 0; i < port_count; i++)
        port_init(&swtch->ports[i], &swtch->node, i, &port_params[i], frames, probe, switch_take);
    for (uint16_t i = 0; i < port_count; i++) {
        swtch->credits |= swtch->ports[i].credits != NULL;
        swtch->ports[i].later = switch_dequeue_later;
        swtch->ports[i].reason = switch_reason;
    }
    for (unsigned dscp = 0; dscp < DSCPS; dscp++)
        switch_classify(swtch, dscp, (uint8_t)(dscp >> 3));
}

void switch_classify(struct swtch *swtch, unsigned dscp, uint8_t priority)
{
    CHECK(dscp < DSCPS && priority < PRIORITIES);
    frame_classify(swtch->priority_of_tos, dscp, priority);
}

void switch_fini(struct swtch *swtch)
{
    route_table_fini(&swtch->routes);
    watchdog_free(swtch->watchdog);
    lifetimes_free(swtch);
    for (uint16_t i = 0; i < swtch->port_count; i++)
        port_fini(&swtch->ports[i]);
    free(swtch->ports);
    dequeue_timers_fini(&swtch->dequeue_timers);
    free(swtch->port_counters);
    free(swtch->turns);
    free(swtch->waiting);
    free(swtch->buffer.state);
    free(swtch->buffer.groups);
}

struct port_ingress switch_ingress(const struct swtch *swtch)
{
    return (struct port_ingress){
        .latency = swtch->params.latency,
        .cut_through = swtch->cut_through ? CUT_THROUGH_BYTES : 0,
    };
}

/* Sets the limits of the groups and adds them to the plan. */
static void plan_groups(struct swtch *swtch, struct switch_plan *plan)
{
    const struct switch_params *params = &swtch->params;
    struct buffer *buffer = &swtch->buffer;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        const struct headroom_link link = switch_link(params, &swtch->ports[i]);
        const int64_t headroom = link.peer_mtu > 0 ? switch_plan_link(plan, &link) : 0;
        for (unsigned p = 0; p < PRIORITIES; p++) {
            struct buffer_group *group = &buffer->groups[i * PRIORITIES + p];
            group->place = (struct buffer_place){.port = i, .priority = (uint8_t)p};
            group->lossless = (swtch->lossless & 1u << p) != 0;
            group->headroom = group->lossless ? (uint32_t)headroom : 0;
            group->reserved = (uint32_t)switch_cells_up(
                params, group->lossless ? params->reserved : params->reserved_lossy);
            group->pool =
                &buffer->pools[!group->lossless && params->lossy_pool > 0 ? BUFFER_POOL_LOSSY
                                                                          : BUFFER_POOL_LOSSLESS];
        }
    }
}

static void set_policy(struct swtch *swtch)
{
    struct buffer *buffer = &swtch->buffer;
    const int64_t policy = swtch->params.policy;
    CHECK(policy >= 0 && policy < BUFFER_POLICIES);
    buffer->policy = buffer_policies[policy];
    buffer->params = swtch->params.policy_params[policy];
    buffer->ports = swtch->ports;
    if (buffer->policy->state_bytes != NULL)
        buffer->state = memory_zeroed(1, buffer->policy->state_bytes(buffer->group_count));
}

/* Converted to cells; a limit beyond any memory is no limit. */
static uint32_t queue_limit(const struct switch_params *params)
{
    const int64_t cells = switch_cells_up(params, params->egress_limit);
    return cells < INT32_MAX ? (uint32_t)cells : UINT32_MAX;
}

static void set_limits(struct buffer *buffer, const struct switch_params *params)
{
    buffer->alpha[false] = params->alpha_lossy;
    buffer->alpha[true] = params->alpha;
    buffer->egress.alpha = params->alpha_egress;
    buffer->egress.reserved = (uint32_t)switch_cells_up(params, params->reserved_queue);
    buffer->queue_limit =
        params->egress_limit == SWITCH_EGRESS_LIMIT_NONE ? UINT32_MAX : queue_limit(params);
    buffer->xon = switch_cells_down(params, params->xon);
    buffer->xon_offset = switch_cells_up(params, params->xon_offset);
}

bool switch_carve(struct swtch *swtch, char *why, size_t size)
{
    struct buffer *buffer = &swtch->buffer;
    struct switch_plan plan;
    switch_plan_begin(&plan, &swtch->params);
    plan_groups(swtch, &plan);
    const int named = snprintf(why, size, "%s: ", swtch->node.name);
    if (!switch_plan_end(&plan, swtch->port_count, why + named, size - (size_t)named))
        return false;
    buffer_set_cell(buffer, swtch->params.cell);
    buffer->group_count = (uint32_t)swtch->port_count * PRIORITIES;
    set_policy(swtch);
    set_limits(buffer, &swtch->params);
    buffer->total = (uint32_t)plan.total;
    buffer->headroom_size = (uint32_t)plan.headroom;
    buffer->pools[BUFFER_POOL_LOSSLESS].size = (uint32_t)plan.lossless_pool;
    buffer->pools[BUFFER_POOL_LOSSY].size = (uint32_t)plan.lossy_pool;
    buffer->egress.size = (uint32_t)plan.egress_lossy;
    buffer_reckon_ample(buffer);
    lifetimes_make(swtch);
    return true;
}
