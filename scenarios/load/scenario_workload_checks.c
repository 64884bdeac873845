/* SPDX-License-Identifier: Apache-2.0
 * scenario_workload_checks - checks of all workloads together. */
#include "scenarios/load/scenario_load.h"

#include "nvme/tcp/tcp.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

/* Names are unique: statistics, expectations and --set identify a workload by its name. */
static void check_names(struct loader *loader, const struct scenario_workload_list *list,
                        const struct tree_node *written)
{
    for (size_t i = 0; i < list->count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(list->list[i].name, list->list[j].name) != 0)
                continue;
            char text[DIAG_TEXT_BYTES];
            snprintf(text, sizeof text, "the name '%s' is used twice; first in line %d",
                     list->list[i].name, list->list[j].place.line);
            tree_message(loader->diag, DIAG_ERROR, written, list->list[i].place, text);
            break;
        }
    }
}

void scenario_check_transport(struct loader *loader, const struct tree_node *written,
                              const struct scenario_workload *workload)
{
    const struct tree_node *transport = tree_get(written, "transport");
    const bool tcp = nvme_carriers[workload->transport]->by_tcp;
    if (transport != NULL && tcp && !workload->ops->needs_nvme_target)
        tree_error(loader->diag, transport,
                   "transport: kind %s has no NVMe controllers; expected kind nvme, trace or fio",
                   workload->ops->name);
}

/* The NICs of an aggregate have one TCP in reality, and one for each in the model. */
static void check_aggregates(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    for (uint32_t i = 0; workload->by_tcp && i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        if (!nodes[pair->from].is_aggregate && !nodes[pair->to].is_aggregate)
            continue;
        char text[DIAG_TEXT_BYTES];
        snprintf(text, sizeof text,
                 "'%.64s': %s is not supported at %s, whose NICs are aggregated by rnic.lag",
                 workload->name, workload->ops->needs_tcp ? workload->ops->name : "transport tcp",
                 nodes[nodes[pair->from].is_aggregate ? pair->from : pair->to].name);
        tree_message(loader->diag, DIAG_ERROR, loader->root, workload->place, text);
        return;
    }
}

static const struct nvme_tcp_host_params *tcp_of_host(const struct scenario_node *node)
{
    return (const void *)node->host->nvme_host->own[NVME_CARRIER_tcp];
}

static const struct nvme_tcp_target_params *tcp_of_target(const struct scenario_node *node)
{
    return (const void *)node->host->nvme_target->own[NVME_CARRIER_tcp];
}

/* A host that uses TLS finds no target without it. */
static bool check_tls(struct loader *loader, const struct scenario_workload *workload,
                      const struct scenario_node *from, const struct scenario_node *to)
{
    if (tcp_of_target(to)->tls || !tcp_of_host(from)->tls)
        return true;
    diag_add(loader->diag, DIAG_ERROR,
             block_place(from->host->nvme_host_values, "tcp-tls", workload->place), NULL,
             "'%.64s': %s uses TLS (nvme.tcp-tls), but target.tcp-tls is false at %s: expected "
             "true there, or no TLS",
             workload->name, from->name, to->name);
    return false;
}

/* A host that requests a digest gives up a controller that does not agree
 * (nvme_tcp_init_connection). */
static void check_agreement(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    const bool used = workload->by_tcp && workload->ops->needs_nvme_target;
    for (uint32_t i = 0; used && i < workload->pair_count; i++) {
        const struct scenario_node *from = &nodes[workload->pairs[i].from];
        const struct scenario_node *to = &nodes[workload->pairs[i].to];
        const struct nvme_tcp_host_params *host = tcp_of_host(from);
        if (!check_tls(loader, workload, from, to))
            return;
        if (tcp_of_target(to)->digests || !(host->header_digest || host->data_digest))
            continue;
        const char *row = host->header_digest ? "tcp-header-digest" : "tcp-data-digest";
        diag_add(loader->diag, DIAG_ERROR,
                 block_place(from->host->nvme_host_values, row, workload->place), NULL,
                 "'%.64s': %s requests a digest (nvme.%s) that %s does not support: expected "
                 "target.tcp-digests: true there, or no digest",
                 workload->name, from->name, row, to->name);
        return;
    }
}

void scenario_finish_workloads(struct loader *loader, const struct scenario_workload_list *list,
                               const struct tree_node *written)
{
    bool used = false;
    check_names(loader, list, written);
    for (size_t i = 0; i < list->count; i++) {
        used |= list->list[i].by_tcp;
        check_aggregates(loader, &list->list[i]);
        check_agreement(loader, &list->list[i]);
    }
    scenario_show(loader, loader->bases.host->tcp, !used);
}
