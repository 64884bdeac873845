/* SPDX-License-Identifier: Apache-2.0
 * switch_carve - computes how the packet memory is divided. */
#include "net/switch/switch_carve.h"

#include "base/plural.h"

#include <stdio.h>

int64_t switch_cells_up(const struct switch_params *params, int64_t bytes)
{
    return (bytes + params->cell - 1) / params->cell;
}

int64_t switch_cells_down(const struct switch_params *params, int64_t bytes)
{
    return bytes / params->cell;
}

struct headroom_link switch_link(const struct switch_params *params, const struct port *port)
{
    return (struct headroom_link){
        .rate = (int64_t)port->rate.bps,
        .length = port->params.length,
        .propagation = port->propagation,
        .mtu = port->params.mtu,
        .peer_mtu = port->peer_mtu,
        .response = port->peer_response,
        .latency = params->latency,
        .cell = params->cell,
        .smallest = params->smallest_frame,
        .largest = port_largest_frame(&port->params),
        .dynamic = true, /* for a static threshold too, because the shared memory may be full
                          * below it */
    };
}

void switch_plan_begin(struct switch_plan *plan, const struct switch_params *params)
{
    *plan = (struct switch_plan){
        .params = params,
        .lossless = __builtin_popcountll((unsigned long long)params->pfc_priorities),
        .total = switch_cells_down(params, params->buffer),
    };
}

int64_t switch_plan_link(struct switch_plan *plan, const struct headroom_link *link)
{
    const struct switch_params *params = plan->params;
    const int64_t bytes =
        params->headroom == SWITCH_HEADROOM_AUTO ? headroom_auto(link) : params->headroom;
    const int64_t cells = switch_cells_up(params, bytes);
    const int64_t headroom = cells < INT32_MAX ? cells : INT32_MAX; /* more than any memory */
    plan->links++;
    plan->headroom_sum += headroom * plan->lossless;
    plan->headroom_most = headroom > plan->headroom_most ? headroom : plan->headroom_most;
    return headroom;
}

static int64_t reserved(const struct switch_plan *plan)
{
    const struct switch_params *params = plan->params;
    const int64_t lossy = switch_cells_up(params, params->reserved_lossy) +
                          switch_cells_up(params, params->reserved_queue);
    return plan->ports * (plan->lossless * switch_cells_up(params, params->reserved) +
                          (PRIORITIES - plan->lossless) * lossy);
}

/* Sum of the headrooms of all groups, including those of unlinked ports. */
static int64_t headroom(const struct switch_plan *plan)
{
    const struct switch_params *params = plan->params;
    const int64_t unlinked = plan->ports - plan->links;
    const int64_t sum = plan->headroom_sum + unlinked * plan->headroom_most * plan->lossless;
    if (params->headroom_pool == SWITCH_HEADROOM_POOL_AUTO)
        return (sum + params->headroom_ratio - 1) / params->headroom_ratio;
    return params->headroom_pool == SWITCH_HEADROOM_POOL_NONE
               ? sum
               : switch_cells_down(params, params->headroom_pool);
}

static int64_t part(int64_t cells, int64_t ppm)
{
    return cells * ppm / PPM; /* fits: 2^31 * 2^20 */
}

bool switch_plan_end(struct switch_plan *plan, int64_t port_count, char *why, size_t size)
{
    const struct switch_params *params = plan->params;
    plan->ports = params->ports > port_count ? params->ports : port_count;
    plan->reserved = reserved(plan);
    plan->headroom = headroom(plan);
    const int64_t shared = plan->total - plan->reserved - plan->headroom;
    if (plan->total > INT32_MAX) {
        snprintf(why, size, "%lld %s %s more than the %d that can be counted",
                 (long long)plan->total, plural(plan->total, "cell", "cells"),
                 plural(plan->total, "is", "are"), INT32_MAX);
        return false;
    }
    if (shared <= 0) {
        snprintf(why, size,
                 "reserved buffers and headroom need %lld B, but the packet memory has %lld B",
                 (long long)((plan->reserved + plan->headroom) * params->cell),
                 (long long)params->buffer);
        return false;
    }
    plan->lossy_pool = part(shared, params->lossy_pool);
    plan->lossless_pool = shared - plan->lossy_pool;
    plan->egress_lossy = part(shared, params->egress_lossy_pool);
    return true;
}
