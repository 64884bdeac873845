/* SPDX-License-Identifier: Apache-2.0
 * scenario_spaces - assigns a namespace to each instance of a workload and checks that its I/Os
 * fit; loads admin commands. */
#include "scenarios/load/scenario_load.h"

#include "nvme/target/target.h"
#include "nvme/wire/discovery.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/workload/wl_nvme.h"

#include <string.h>

/* The namespace with index `number`, from 0. */
static const struct nvme_namespace_params *space_at(const struct scenario_host *host,
                                                    uint32_t number)
{
    const struct scenario_namespace *entry = host->namespaces;
    for (; number >= entry->count; entry++)
        number -= entry->count;
    return entry->params;
}

static bool check_pair(struct loader *loader, const struct tree_node *entry,
                       const struct scenario_workload *workload, uint32_t pair)
{
    const struct scenario_node *to = &loader->scenario->nodes[workload->pairs[pair].to];
    const uint32_t count = scenario_namespaces_at(to->host, workload->subsystem);
    const uint32_t asked = workload->ops->name_space(workload->params);
    const struct tree_node *asks = tree_get(entry, "namespace");
    if (count == 0) /* already reported */
        return false;
    if (asked > count) {
        tree_error(loader->diag, asks == NULL ? entry : asks,
                   "'%s': there is no namespace %u on %s, which has %u", workload->name, asked,
                   to->name, count);
        return false;
    }
    const uint32_t nsid = asked > 0 ? asked : pair % count + 1;
    const struct nvme_namespace_params *params =
        space_at(to->host, scenario_namespace_at(to->host, workload->subsystem, nsid));
    struct workload_space space = {.block_bytes = params == NULL ? 0 : params->block_size};
    if (params == NULL)
        return false;
    space.bytes = params->size / params->block_size * params->block_size;
    for (; space.copy < workload->copies; space.copy++) {
        if (workload->ops->fits(workload->params, &space))
            continue;
        const struct tree_node *at = tree_get(entry, space.row == NULL ? "file" : space.row);
        tree_error(loader->diag, at == NULL ? entry : at, "'%s' on %s: %s", workload->name,
                   to->name, space.why);
        return false;
    }
    return true;
}

void scenario_check_spaces(struct loader *loader, const struct tree_node *entry,
                           const struct scenario_workload *workload)
{
    if (workload->ops->name_space == NULL)
        return;
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (!check_pair(loader, entry, workload, i))
            return;
}

static bool asks_discovery(const struct scenario_workload *workload)
{
    return workload->subsystem != NULL && strcmp(workload->subsystem, NVME_DISCOVERY_NQN) == 0;
}

/* Rejects I/O and paths to the discovery subsystem, which has no namespaces and no I/O queues.
 * False, with a message, on errors. */
static bool judge_discovery(struct loader *loader, const struct tree_node *written,
                            const struct scenario_workload *workload, const void *params)
{
    struct scenario_workload made = *workload;
    made.params = params;
    if (!asks_discovery(workload) || (scenario_issues_nothing(&made) && workload->paths == 0))
        return true;
    tree_error(loader->diag, tree_get(written, "subsystem"),
               "subsystem: the discovery subsystem has no namespaces: expected count: none, and no "
               "paths");
    return false;
}

bool scenario_read_admin(struct loader *loader, const struct tree_node *written,
                         const struct scenario_workload *workload, void *params)
{
    if (!judge_discovery(loader, written, workload, params))
        return false;
    const struct workload_admin admin = {
        .arena = loader->arena,
        .written = tree_get(written, "admin"),
        .diag = loader->diag,
        .lasts = workload->stop - workload->start,
    };
    return admin.written == NULL || workload->ops->read_admin == NULL ||
           workload->ops->read_admin(params, &admin);
}
