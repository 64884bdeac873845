/* SPDX-License-Identifier: Apache-2.0
 * scenario_workload_checks - checks of all workloads together. */
#include "scenarios/load/scenario_load.h"

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

/* The NICs of an aggregate have one TCP in reality, and one for each in the model. */
static void check_aggregates(struct loader *loader, const struct scenario_workload *workload)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    for (uint32_t i = 0; workload->ops->needs_tcp && i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        if (!nodes[pair->from].is_aggregate && !nodes[pair->to].is_aggregate)
            continue;
        char text[DIAG_TEXT_BYTES];
        snprintf(text, sizeof text,
                 "'%.64s': %s is not supported at %s, whose NICs are one by rnic.lag",
                 workload->name, workload->ops->name,
                 nodes[nodes[pair->from].is_aggregate ? pair->from : pair->to].name);
        tree_message(loader->diag, DIAG_ERROR, loader->root, workload->place, text);
        return;
    }
}

void scenario_finish_workloads(struct loader *loader, const struct scenario_workload_list *list,
                               const struct tree_node *written)
{
    bool used = false;
    check_names(loader, list, written);
    for (size_t i = 0; i < list->count; i++) {
        used |= list->list[i].ops->needs_tcp;
        check_aggregates(loader, &list->list[i]);
    }
    scenario_show(loader, loader->bases.host->tcp, !used);
}
