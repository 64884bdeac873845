/* SPDX-License-Identifier: Apache-2.0
 * cm_setup - commands to the device, and who waits for them. */
#include "rnic/cm/cm_setup.h"

static time_ps *first_free(struct rnic *rnic)
{
    time_ps *slots = rnic->cm.commands;
    uint32_t first = 0;
    for (uint32_t i = 1; i < (uint32_t)rnic->params.command_slots; i++)
        if (slots[i] < slots[first])
            first = i;
    return &slots[first];
}

static time_ps execute(struct rnic *rnic, time_ps now, time_ps cost)
{
    if (cost == 0)
        return now;
    time_ps *slot = first_free(rnic);
    *slot = time_later(*slot, now) + cost;
    return *slot;
}

static time_ps creating(const struct rnic *rnic) /* CREATE, INIT */
{
    return rnic->params.qp_create_cost + rnic->params.qp_modify_cost;
}

static time_ps connecting(const struct rnic *rnic) /* RTR, RTS */
{
    return 2 * rnic->params.qp_modify_cost;
}

time_ps cm_setup_resolved(struct rnic *rnic, time_ps now)
{
    struct cm *cm = &rnic->cm;
    if (!cm->has_context)
        cm->context_at = now + rnic->params.context_cost;
    cm->has_context = true;
    return time_later(now, cm->context_at) + rnic->params.resolve_cost;
}

time_ps cm_setup_created(struct rnic *rnic, time_ps now)
{
    return execute(rnic, now, creating(rnic));
}

time_ps cm_setup_connected(struct rnic *rnic, time_ps now)
{
    return execute(rnic, now, connecting(rnic));
}

time_ps cm_setup_accepted(struct rnic *rnic, time_ps now)
{
    return execute(rnic, now, creating(rnic) + connecting(rnic));
}

void cm_setup_destroyed(struct rnic *rnic, time_ps now)
{
    execute(rnic, now, rnic->params.qp_destroy_cost);
}
