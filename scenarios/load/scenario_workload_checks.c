/* SPDX-License-Identifier: Apache-2.0
 * scenario_workload_checks - checks of all workloads together. */
#include "scenarios/load/scenario_load.h"

#include "nvme/wire/discovery.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_rdma.h"

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
    if (transport != NULL && tcp && !workload->ops->needs_nvme_target && !workload->own_verbs)
        tree_error(loader->diag, transport,
                   "transport: kind %s has no NVMe controllers; expected kind nvme, trace or fio%s",
                   workload->ops->name,
                   workload->ops->needs_tcp ? "" : ", or transport rdma or iwarp");
}

/* iWARP has SEND, WRITE and READ (RFC 5040 4.1); immediate data (RFC 7306) is not modeled, and siw
 * does not have it. */
static void check_immediate(struct loader *loader, const struct scenario_workload *workload)
{
    if (!workload->own_verbs || workload->ops->request == NULL ||
        ((const struct wl_rdma_params *)workload->params)->immediate == 0)
        return;
    diag_add(loader->diag, DIAG_ERROR, block_place(workload->values, "immediate", workload->place),
             NULL, "'%.64s': transport %s carries no immediate data: expected immediate: false",
             workload->name, nvme_carrier_name(workload->transport));
}

/* What a workload uses, as far as it is not verbs. */
static const char *carried_by(const struct scenario_workload *workload)
{
    if (workload->ops->needs_nvme_target || workload->own_verbs)
        return nvme_carrier_name(workload->transport);
    return workload->ops->name;
}

/* No device of the model translates between link layers. */
static bool is_of_one_kind(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    const enum scenario_kind kind = scenario_kind_of(loader->scenario, workload);
    for (uint32_t i = 0; i < 2 * workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i / 2];
        const struct scenario_node *node = &nodes[i % 2 == 0 ? pair->from : pair->to];
        char text[DIAG_TEXT_BYTES];
        if (node->link == kind)
            continue;
        snprintf(text, sizeof text,
                 "'%.64s': %.64s is on %s, and %.64s on %s; expected hosts with one link layer",
                 workload->name, nodes[workload->pairs[0].from].name, scenario_kind_word(kind),
                 node->name, scenario_kind_word(node->link));
        tree_message(loader->diag, DIAG_ERROR, loader->root, workload->place, text);
        return false;
    }
    return true;
}

/* Verbs need Ethernet or InfiniBand, TCP Ethernet (IP over InfiniBand is not modeled), and NVMe/FC
 * Fibre Channel. */
static void check_kind(struct loader *loader, const struct scenario_workload *workload)
{
    char text[DIAG_TEXT_BYTES];
    const enum scenario_kind kind = scenario_kind_of(loader->scenario, workload);
    const bool nvme = workload->ops->needs_nvme_target;
    const bool by_fc = nvme && nvme_carriers[workload->transport]->by_fc;
    if (!is_of_one_kind(loader, workload))
        return;
    if (by_fc == (kind == SCENARIO_FIBRE_CHANNEL) &&
        (kind != SCENARIO_INFINIBAND || !workload->by_tcp))
        return;
    snprintf(text, sizeof text, "'%.64s': %s%s needs %s, and %s is %s; expected %s", workload->name,
             nvme || workload->own_verbs ? "transport " : "kind ", carried_by(workload),
             by_fc              ? "Fibre Channel"
             : workload->by_tcp ? "Ethernet"
                                : "Ethernet or InfiniBand",
             loader->scenario->kinds == 1u << kind ? "fabric.kind" : "the link of its hosts",
             scenario_kind_word(kind),
             kind != SCENARIO_FIBRE_CHANNEL ? "transport rdma"
             : nvme                         ? "transport fc"
                                            : "kind nvme with transport fc");
    tree_message(loader->diag, DIAG_ERROR, loader->root, workload->place, text);
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
                 "'%.64s': %s%s is not supported at %s, whose NICs are aggregated by rnic.lag",
                 workload->name, workload->ops->needs_tcp ? "" : "transport ",
                 workload->ops->needs_tcp ? workload->ops->name
                                          : nvme_carrier_name(workload->transport),
                 nodes[nodes[pair->from].is_aggregate ? pair->from : pair->to].name);
        tree_message(loader->diag, DIAG_ERROR, loader->root, workload->place, text);
        return;
    }
}

/* Both ends of a pair must agree on what the transport negotiates. */
static void check_agreement(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    const unsigned transport = workload->transport;
    const bool used = workload->ops->needs_nvme_target && nvme_carriers[transport]->agree != NULL;
    for (uint32_t i = 0; used && i < workload->pair_count; i++) {
        const struct scenario_node *from = &nodes[workload->pairs[i].from];
        const struct scenario_node *to = &nodes[workload->pairs[i].to];
        struct nvme_carrier_conflict conflict = {.from = from->name, .to = to->name};
        if (nvme_carriers[transport]->agree(from->host->nvme_host->own[transport],
                                            to->host->nvme_target->own[transport], &conflict))
            continue;
        const struct block *values =
            conflict.at_target ? to->host->nvme_target_values : from->host->nvme_host_values;
        diag_add(loader->diag, DIAG_ERROR, block_place(values, conflict.row, workload->place), NULL,
                 "'%.64s': %s", workload->name, conflict.text);
        return;
    }
}

/* A namespace whose medium could not be read has no parameters. */
static bool has_protection(const struct scenario_host *target)
{
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        const struct nvme_namespace_params *params = target->namespaces[i].params;
        if (params != NULL && params->pi_type != 0)
            return true;
    }
    return false;
}

/* What a transport that carries blocks alone does not: the features that need NVMe itself. */
static void check_blocks(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    const bool checked =
        workload->ops->needs_nvme_target && nvme_carriers[workload->transport]->only_blocks;
    const char *subsystem = workload->subsystem;
    const char *why = NULL;
    for (uint32_t i = 0; checked && why == NULL && i < workload->pair_count; i++) {
        const struct scenario_host *from = nodes[workload->pairs[i].from].host;
        if (subsystem != NULL && strcmp(subsystem, NVME_DISCOVERY_NQN) == 0)
            why = "the discovery subsystem (subsystem)";
        else if (workload->paths > 0 && from->nvme_host->paths.discovery != 0)
            why = "discovery of paths (nvme.discovery)";
        else if (has_protection(nodes[workload->pairs[i].to].host))
            why = "protection information (pi-type of a namespace)";
    }
    if (why != NULL)
        diag_add(loader->diag, DIAG_ERROR, workload->place, NULL,
                 "'%.64s': transport %s does not carry %s: expected transport rdma or tcp",
                 workload->name, nvme_carrier_name(workload->transport), why);
}

void scenario_finish_workloads(struct loader *loader, const struct scenario_workload_list *list,
                               const struct tree_node *written)
{
    bool used = false;
    check_names(loader, list, written);
    for (size_t i = 0; i < list->count; i++) {
        used |= list->list[i].by_tcp;
        check_aggregates(loader, &list->list[i]);
        check_kind(loader, &list->list[i]);
        check_agreement(loader, &list->list[i]);
        check_blocks(loader, &list->list[i]);
        check_immediate(loader, &list->list[i]);
    }
    scenario_show(loader, loader->bases.host->tcp, !used);
}
