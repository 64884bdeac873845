/* SPDX-License-Identifier: Apache-2.0
 * cm_setup - times of commands to the device and of address resolution. */
#include "rnic/cm/cm_setup.h"

#include "base/kernel_timer.h"
#include "base/note_text.h"
#include "base/probe.h"

#include <stdio.h>

static time_ps *first_free(struct rnic *rnic)
{
    time_ps *slots = rnic->cm.commands;
    uint32_t first = 0;
    for (uint32_t i = 1; i < (uint32_t)rnic->params.command_slots; i++)
        if (slots[i] < slots[first])
            first = i;
    return &slots[first];
}

static time_ps execute_commands(struct rnic *rnic, time_ps now, time_ps cost)
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
    return execute_commands(rnic, now, creating(rnic));
}

time_ps cm_setup_connected(struct rnic *rnic, time_ps now)
{
    return execute_commands(rnic, now, connecting(rnic));
}

time_ps cm_setup_accepted(struct rnic *rnic, time_ps now)
{
    return execute_commands(rnic, now, creating(rnic) + connecting(rnic));
}

void cm_setup_destroyed(struct rnic *rnic, time_ps now)
{
    execute_commands(rnic, now, rnic->params.qp_destroy_cost);
}

/* cm-timeout x (cm-retries + 1) also limits address resolution, for scenarios that scale down the
 * connection manager's timeouts. */
static time_ps address_limit(const struct rnic_params *params)
{
    return time_earlier(params->address_timeout, params->cm_timeout * (params->cm_retries + 1));
}

time_ps cm_setup_probe_interval(const struct rnic_params *params)
{
    const time_ps limit = address_limit(params), interval = limit / CM_ADDRESS_PROBES;
    return interval > 0 ? interval : limit;
}

time_ps cm_setup_address(struct verbs_conn *conn, time_ps now)
{
    const struct rnic *rnic = conn->rnic;
    if (rnic->fabric.reaches == NULL ||
        rnic->fabric.reaches(rnic->fabric.self, rnic->endpoint, conn->peer.endpoint))
        return now;
    if (conn->resolve_by == 0)
        conn->resolve_by = kernel_timer_due(now, address_limit(&rnic->params));
    if (now >= conn->resolve_by)
        return TIME_NEVER;
    conn->rnic->cm.retries++;
    return ++conn->tries < CM_ADDRESS_PROBES ? now + cm_setup_probe_interval(&rnic->params)
                                             : conn->resolve_by;
}

void cm_setup_note_timeout(const struct verbs_conn *conn, bool address)
{
    const struct rnic *rnic = conn->rnic;
    const struct rnic_params *params = &rnic->params;
    const struct note_text ip = note_ip(rnic_ip(conn->peer.endpoint));
    char text[240];
    if (address && address_limit(params) == params->address_timeout)
        snprintf(text, sizeof text,
                 "connecting to %s: no answer to %d ARP requests (address-timeout %s)", ip.text,
                 CM_ADDRESS_PROBES, note_time(params->address_timeout).text);
    else
        snprintf(text, sizeof text,
                 "connecting to %s: no answer to %s (cm-timeout %s x (cm-retries %lld + 1) = %s)",
                 ip.text, address ? "ARP requests" : "the connection request",
                 note_time(params->cm_timeout).text, (long long)params->cm_retries,
                 note_time(params->cm_timeout * (params->cm_retries + 1)).text);
    rnic->env->probe->note(rnic->env->probe->self, rnic_now(rnic), rnic->env->owner, text);
}
