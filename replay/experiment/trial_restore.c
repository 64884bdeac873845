/* SPDX-License-Identifier: Apache-2.0
 * trial_restore - parameters of one thing made those of similar things. */
#include "replay/experiment/trial_private.h"

#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "nvme/target/target.h"
#include "rnic/cc/cc.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"
#include "tcp/tcp.h"

#include <string.h>

static void *copy_of(struct tried *tried, const void *from, size_t bytes)
{
    return memcpy(arena_take(&tried->arena, bytes), from, bytes);
}

/* A copy of the parameters with the row's common value. */
static const void *with_common(struct tried *tried, const void *params, size_t bytes,
                               const struct deviation_change *change)
{
    void *made = copy_of(tried, params, bytes);
    *opt_field(change->row, made) = change->common;
    return made;
}

/* What a remedy sets may have made it another kind. */
static bool has_row(const struct opt *rows, const struct opt *row)
{
    while (rows->name != NULL && rows != row)
        rows++;
    return rows == row;
}

/* `shared`: the ports of the node that is not changed. */
static void change_port(struct tried *tried, struct scenario_node *node,
                        const struct scenario_port *shared, const struct deviation_change *change)
{
    if (node->ports == shared)
        node->ports = copy_of(tried, shared, node->port_count * sizeof *node->ports);
    struct scenario_port *port = &node->ports[change->spot.port];
    port->params = with_common(tried, port->params, sizeof *port->params, change);
}

/* Applies the DSCP rows before the map is filled. On fabrics with credits, hosts and switches share
 * one map: with another map, a host would use lanes whose credits never return. */
static void map_again(struct tried *tried, struct scenario_node *node, const uint8_t *own)
{
    const struct scenario_origins *origins = tried->scenario.origins;
    uint8_t *map = arena_take(&tried->arena, SCENARIO_DSCPS);
    rnic_map_dscp(node->host->rnic,
                  scenario_has_credits(node) ? origins->bases.layers[node->link].dscp : own, map);
    node->priority_of_dscp = map;
}

static void change_medium(struct tried *tried, struct scenario_host *host,
                          const struct deviation_change *change)
{
    struct scenario_namespace *namespaces =
        copy_of(tried, host->namespaces, host->namespace_count * sizeof *namespaces);
    struct scenario_namespace *entry = &namespaces[change->index];
    if (change->of == DEVIATION_MEDIA_VALUE && !has_row(entry->media->opts, change->row))
        return;
    if (change->of == DEVIATION_MEDIA_VALUE) {
        entry->media_params =
            with_common(tried, entry->media_params, entry->media->params_bytes, change);
    } else if (change->of == DEVIATION_NAMESPACE_VALUE) {
        entry->params = with_common(tried, entry->params, sizeof *entry->params, change);
    } else {
        const struct scenario_namespace *like = change->like;
        entry->media = like->media;
        entry->media_params = like->media_params;
    }
    host->namespaces = namespaces;
}

static void change_subsystem(struct tried *tried, struct scenario_host *host,
                             const struct deviation_change *change)
{
    struct nvme_target_subsystem *subsystems =
        copy_of(tried, host->subsystems, host->subsystem_count * sizeof *subsystems);
    *opt_field(change->row, &subsystems[change->index].limits) = change->common;
    host->subsystems = subsystems;
}

static void change_host_value(struct tried *tried, struct scenario_host *host,
                              const struct deviation_change *change)
{
    const struct loader_host *like = change->like;
    switch (change->of) {
    case DEVIATION_RNIC:
        host->rnic = with_common(tried, host->rnic, sizeof *host->rnic, change);
        break;
    case DEVIATION_NVME:
        host->nvme_host = with_common(tried, host->nvme_host, sizeof *host->nvme_host, change);
        break;
    case DEVIATION_TARGET:
        host->nvme_target =
            with_common(tried, host->nvme_target, sizeof *host->nvme_target, change);
        break;
    case DEVIATION_TCP:
        host->tcp = with_common(tried, host->tcp, sizeof *host->tcp, change);
        break;
    case DEVIATION_CONTROL_VALUE:
        if (has_row(host->cc->opts, change->row))
            host->cc_params = with_common(tried, host->cc_params, host->cc->params_bytes, change);
        break;
    case DEVIATION_CONTROL:
        host->cc = like->cc;
        host->cc_preset = like->preset;
        host->cc_params = like->control->params;
        break;
    case DEVIATION_SUBSYSTEM_VALUE:
        change_subsystem(tried, host, change);
        break;
    default:
        change_medium(tried, host, change);
        break;
    }
}

static void change_host(struct tried *tried, struct scenario_node *node,
                        const struct deviation_change *change, const struct loader_host *from)
{
    struct scenario_host *host = copy_of(tried, node->host, sizeof *host);
    change_host_value(tried, host, change);
    node->host = host;
    if (change->of == DEVIATION_RNIC)
        map_again(tried, node, from->dscp);
}

static void change_workload(struct tried *tried, const struct deviation_change *change)
{
    struct scenario *scenario = &tried->scenario;
    struct scenario_workload *workloads =
        copy_of(tried, scenario->workloads, scenario->workload_count * sizeof *workloads);
    struct scenario_workload *workload = &workloads[change->index];
    if (change->of == DEVIATION_CLASS)
        workload->class = *(const struct verbs_class *)change->like;
    else
        workload->params =
            with_common(tried, workload->params, workload->ops->params_bytes, change);
    scenario->workloads = workloads;
}

static void change_one(struct tried *tried, const struct deviation_change *change,
                       const struct scenario *scenario)
{
    const bool somewhere = change->spot.node != SCENARIO_NOWHERE;
    struct scenario_node *node =
        somewhere ? &tried->scenario.nodes[change->spot.node] : tried->scenario.nodes;
    const struct loader_node *from = &scenario->origins->nodes[node - tried->scenario.nodes];
    switch (change->of) {
    case DEVIATION_PORT:
        change_port(tried, node, scenario->nodes[change->spot.node].ports, change);
        break;
    case DEVIATION_SWITCH:
        node->switch_params =
            with_common(tried, node->switch_params, sizeof *node->switch_params, change);
        break;
    case DEVIATION_DSCP:
        node->priority_of_dscp = change->like;
        break;
    case DEVIATION_HOST_DSCP:
        map_again(tried, node, change->like);
        break;
    case DEVIATION_CLASS:
    case DEVIATION_WORK:
        change_workload(tried, change);
        break;
    case DEVIATION_ROUTE:
        break; /* trial_apply removes it with the others */
    default:
        change_host(tried, node, change, from->host);
        break;
    }
}

void trial_restore(struct tried *tried, const struct deviation *deviation, int64_t even,
                   const struct scenario *scenario)
{
    for (size_t i = 0; i < deviation->change_count; i++) {
        struct deviation_change change = deviation->changes[i];
        change.common = even > 0 ? even : change.common;
        change_one(tried, &change, scenario);
    }
}
