/* SPDX-License-Identifier: Apache-2.0
 * repair_setting - parameters of one thing made those of its like. */
#include "replay/prove/repair_private.h"

#include "net/switch/switch.h"
#include "nvme/media/media.h"
#include "nvme/target/target.h"
#include "rnic/cc/cc.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/scenario_load.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static void *copy_of(struct repaired *repaired, const void *from, size_t bytes)
{
    return memcpy(arena_take(&repaired->arena, bytes), from, bytes);
}

/* A copy of the parameters with the row's common value. */
static const void *with_common(struct repaired *repaired, const void *params, size_t bytes,
                               const struct deviation_change *change)
{
    void *made = copy_of(repaired, params, bytes);
    *opt_field(change->row, made) = change->common;
    return made;
}

/* `shared`: the ports of the node that is not repaired. */
static void change_port(struct repaired *repaired, struct scenario_node *node,
                        const struct scenario_port *shared, const struct deviation_change *change)
{
    if (node->ports == shared)
        node->ports = copy_of(repaired, shared, node->port_count * sizeof *node->ports);
    struct scenario_port *port = &node->ports[change->spot.port];
    port->params = with_common(repaired, port->params, sizeof *port->params, change);
}

/* What the rows say of DSCPs goes before the map is filled. */
static void map_again(struct repaired *repaired, struct scenario_node *node, const uint8_t *own)
{
    uint8_t *map = arena_take(&repaired->arena, SCENARIO_DSCPS);
    rnic_map_dscp(node->host->rnic, own, map);
    node->priority_of_dscp = map;
}

static void change_medium(struct repaired *repaired, struct scenario_host *host,
                          const struct deviation_change *change)
{
    struct scenario_namespace *namespaces =
        copy_of(repaired, host->namespaces, host->namespace_count * sizeof *namespaces);
    struct scenario_namespace *entry = &namespaces[change->index];
    if (change->of == DEVIATION_MEDIA_VALUE) {
        entry->media_params =
            with_common(repaired, entry->media_params, entry->media->params_bytes, change);
    } else if (change->of == DEVIATION_NAMESPACE_VALUE) {
        entry->params = with_common(repaired, entry->params, sizeof *entry->params, change);
    } else {
        const struct scenario_namespace *like = change->like;
        entry->media = like->media;
        entry->media_params = like->media_params;
    }
    host->namespaces = namespaces;
}

static void change_subsystem(struct repaired *repaired, struct scenario_host *host,
                             const struct deviation_change *change)
{
    struct nvme_target_subsystem *subsystems =
        copy_of(repaired, host->subsystems, host->subsystem_count * sizeof *subsystems);
    *opt_field(change->row, &subsystems[change->index].limits) = change->common;
    host->subsystems = subsystems;
}

static void change_host_value(struct repaired *repaired, struct scenario_host *host,
                              const struct deviation_change *change)
{
    const struct loader_host *like = change->like;
    switch (change->of) {
    case DEVIATION_RNIC:
        host->rnic = with_common(repaired, host->rnic, sizeof *host->rnic, change);
        break;
    case DEVIATION_NVME:
        host->nvme_host = with_common(repaired, host->nvme_host, sizeof *host->nvme_host, change);
        break;
    case DEVIATION_TARGET:
        host->nvme_target =
            with_common(repaired, host->nvme_target, sizeof *host->nvme_target, change);
        break;
    case DEVIATION_CONTROL_VALUE:
        host->cc_params = with_common(repaired, host->cc_params, host->cc->params_bytes, change);
        break;
    case DEVIATION_CONTROL:
        host->cc = like->cc;
        host->cc_preset = like->preset;
        host->cc_params = like->control->params;
        break;
    case DEVIATION_SUBSYSTEM_VALUE:
        change_subsystem(repaired, host, change);
        break;
    default:
        change_medium(repaired, host, change);
        break;
    }
}

static void change_host(struct repaired *repaired, struct scenario_node *node,
                        const struct deviation_change *change, const struct loader_host *from)
{
    struct scenario_host *host = copy_of(repaired, node->host, sizeof *host);
    change_host_value(repaired, host, change);
    node->host = host;
    if (change->of == DEVIATION_RNIC)
        map_again(repaired, node, from->dscp);
}

static void change_workload(struct repaired *repaired, const struct deviation_change *change)
{
    struct scenario *scenario = &repaired->scenario;
    struct scenario_workload *workloads =
        copy_of(repaired, scenario->workloads, scenario->workload_count * sizeof *workloads);
    struct scenario_workload *workload = &workloads[change->index];
    if (change->of == DEVIATION_CLASS)
        workload->class = *(const struct verbs_class *)change->like;
    else
        workload->params =
            with_common(repaired, workload->params, workload->ops->params_bytes, change);
    scenario->workloads = workloads;
}

static void change_one(struct repaired *repaired, const struct deviation_change *change,
                       const struct scenario *scenario)
{
    const bool somewhere = change->spot.node != SCENARIO_NOWHERE;
    struct scenario_node *node =
        somewhere ? &repaired->scenario.nodes[change->spot.node] : repaired->scenario.nodes;
    const struct loader_node *from = &scenario->origins->nodes[node - repaired->scenario.nodes];
    switch (change->of) {
    case DEVIATION_PORT:
        change_port(repaired, node, scenario->nodes[change->spot.node].ports, change);
        break;
    case DEVIATION_SWITCH:
        node->switch_params =
            with_common(repaired, node->switch_params, sizeof *node->switch_params, change);
        break;
    case DEVIATION_DSCP:
        node->priority_of_dscp = change->like;
        break;
    case DEVIATION_HOST_DSCP:
        map_again(repaired, node, change->like);
        break;
    case DEVIATION_CLASS:
    case DEVIATION_WORK:
        change_workload(repaired, change);
        break;
    case DEVIATION_ROUTE:
        break; /* repair_apply takes it away with the others */
    default:
        change_host(repaired, node, change, from->host);
        break;
    }
}

void repair_setting(struct repaired *repaired, const struct deviation *deviation,
                    const struct scenario *scenario)
{
    for (size_t i = 0; i < deviation->change_count; i++)
        change_one(repaired, &deviation->changes[i], scenario);
}
