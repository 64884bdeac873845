/* SPDX-License-Identifier: Apache-2.0
 * scenario_workload_defaults - values that a workload takes from its hosts if it sets none. */
#include "scenarios/load/scenario_load.h"

#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>

struct defaults {
    int64_t transport;
};

const struct opt scenario_defaults_opts[] = {
    {"transport", OPT_CHOICE, offsetof(struct defaults, transport), "rdma", NULL, NULL,
     &nvme_carrier_words[1],
     "Transport of workloads of kind nvme that do not set one. rdma is RoCE or InfiniBand; iscsi "
     "replaces NVMe by SCSI.",
     "nvme connect -t rdma, nvme connect -t tcp", OPT_ACTS(LATENCY, ANY, TRACE)},
    {0}};

const struct block *scenario_load_defaults(struct loader *loader, const struct tree_node *written)
{
    static const char *const sections[] = {"rnic", "nvme", "target", "tcp", NULL};
    struct block *made =
        block_new(loader->arena, "hosts.defaults", scenario_defaults_opts, sizeof(struct defaults));
    scenario_take(loader, made, written, sections);
    scenario_show(loader, made, true);
    return made;
}

static bool is_written(const struct block *block, const char *name)
{
    return block->origins[block_row(block, name)].where.file != NULL;
}

/* The value and its origin. */
static void copy_value(struct block *block, const struct block *from, const char *name)
{
    const size_t row = block_row(block, name), other = block_row(from, name);
    *opt_field(&block->rows[row], block->params) = *opt_field(&from->rows[other], from->params);
    block->origins[row] = from->origins[other];
}

void scenario_take_transport(struct loader *loader, const struct scenario_workload *workload,
                             struct block *common)
{
    const struct block *defaults = loader->bases.defaults;
    if (workload->ops->needs_nvme_target && !is_written(common, "transport") &&
        is_written(defaults, "transport"))
        copy_value(common, defaults, "transport");
}

/* If the workload does not set the number of I/O queues, a controller has as many as its host
 * creates. */
void scenario_take_queues(struct loader *loader, const struct tree_node *written,
                          const struct scenario_workload *workload, struct block *params)
{
    if (!workload->ops->needs_nvme_target || workload->pair_count == 0 ||
        opt_find(params->rows, "queues") == NULL || is_written(params, "queues"))
        return;
    const struct scenario_node *nodes = loader->scenario->nodes;
    const struct scenario_node *first = &nodes[workload->pairs[0].from];
    const int64_t queues = first->host->nvme_host->core.queues;
    for (uint32_t i = 1; i < workload->pair_count; i++) {
        const struct scenario_node *other = &nodes[workload->pairs[i].from];
        if (other->host->nvme_host->core.queues == queues)
            continue;
        tree_error(loader->diag, written,
                   "expected queues: %s has nvme.queues %" PRId64 ", and %s %" PRId64, first->name,
                   queues, other->name, other->host->nvme_host->core.queues);
        return;
    }
    copy_value(params, first->host->nvme_host_values, "queues");
}
