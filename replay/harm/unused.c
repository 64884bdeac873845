/* SPDX-License-Identifier: Apache-2.0
 * unused - which rows need what. */
#include "replay/harm/unused.h"

#include "replay/harm/suspects.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/wl_nvme.h"

#include <string.h>

static const struct scenario_host *host_of(const struct harm_scene *scene, uint32_t node)
{
    return scene->scenario->nodes[node].host;
}

static const struct pipeline_params *pipeline_of(const struct harm_scene *scene, uint32_t node)
{
    return &host_of(scene, node)->rnic->pipeline;
}

static const struct scenario_workload *workload_of(const struct harm_scene *scene,
                                                   const struct harm_member *member)
{
    return &scene->scenario->workloads[member->workload];
}

/* NULL: it is no storage workload. */
static const struct wl_nvme_params *nvme_of(const struct harm_scene *scene,
                                            const struct harm_member *member)
{
    const struct scenario_workload *workload = workload_of(scene, member);
    return workload->ops->needs_nvme_target ? workload->params : NULL;
}

/* ------------------------------------------------------------------ the RNIC */

static bool no_pcie(const struct harm_scene *scene, uint32_t node)
{
    return !pipeline_has_pcie(pipeline_of(scene, node));
}

static bool all_contexts(const struct harm_scene *scene, uint32_t node)
{
    return pipeline_of(scene, node)->qp_cache == 0;
}

static bool free_contexts(const struct harm_scene *scene, uint32_t node)
{
    return pipeline_of(scene, node)->qp_cache_miss == 0 && no_pcie(scene, node);
}

static bool all_read_contexts(const struct harm_scene *scene, uint32_t node)
{
    return pipeline_of(scene, node)->read_contexts == 0;
}

static bool free_read_contexts(const struct harm_scene *scene, uint32_t node)
{
    return pipeline_of(scene, node)->read_context_miss == 0;
}

static bool polls(const struct harm_scene *scene, uint32_t node)
{
    return pipeline_of(scene, node)->completions == RNIC_COMPLETIONS_POLLING;
}

static bool answers_no_read(const struct harm_scene *scene, uint32_t node)
{
    return SCENE_COUNTER(scene, node, read_requests) == 0;
}

/* A target reads what hosts write; of others READs are a workload of their own. */
static bool sends_no_read(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const bool storage = nvme_of(scene, member) != NULL;
        if (storage ? member->to == node
                    : member->from == node &&
                          strcmp(workload_of(scene, member)->ops->name, "rdma-read") == 0)
            return false;
    }
    return true;
}

static bool posts_no_messages(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        if (nvme_of(scene, member) == NULL && member->from == node)
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------ queues */

static bool has_entries(const struct harm_scene *scene, uint32_t node)
{
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const struct wl_nvme_params *params = nvme_of(scene, member);
        if (params == NULL)
            continue;
        const bool target = member->to == node;
        const int64_t entries = target ? host_of(scene, node)->nvme_target->core.max_queue_size
                                       : host_of(scene, node)->nvme_host->core.queue_size;
        if (params->queue_depth >= entries)
            return false;
    }
    return true;
}

/* I/O queues that controllers ask a target for: of all of them, and of the one that asks for most.
 * Each NIC may be another path. */
struct asked {
    int64_t all, most;
};

static struct asked asked_of(const struct harm_scene *scene, uint32_t node)
{
    struct asked asked = {0};
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const struct wl_nvme_params *params = nvme_of(scene, member);
        if (params == NULL || member->to != node)
            continue;
        asked.all += params->queues * scene->scenario->nodes[node].port_count;
        asked.most = params->queues > asked.most ? params->queues : asked.most;
    }
    return asked;
}

static bool has_queues(const struct harm_scene *scene, uint32_t node)
{
    return asked_of(scene, node).most <= host_of(scene, node)->nvme_target->core.max_queues;
}

static bool has_budget(const struct harm_scene *scene, uint32_t node)
{
    return asked_of(scene, node).all <= host_of(scene, node)->nvme_target->core.queue_budget;
}

/* As many as all commands that may be under way there need. */
static bool has_buffers(const struct harm_scene *scene, uint32_t node)
{
    const struct nvme_target_params *target = &host_of(scene, node)->nvme_target->core;
    int64_t needed = 0;
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const struct wl_nvme_params *params = nvme_of(scene, member);
        if (params == NULL || member->to != node)
            continue;
        const int64_t each = (params->block_size + target->io_unit - 1) / target->io_unit;
        needed += params->queue_depth * params->queues * each;
    }
    return needed <= target->data_buffers;
}

/* Likewise, for each RDMA operation beyond a command's first. */
static bool has_wrs(const struct harm_scene *scene, uint32_t node)
{
    const struct scenario_host *host = host_of(scene, node);
    const struct block *values = host->nvme_target_values;
    const int64_t each =
        values == NULL ? 0
                       : *opt_field(&values->rows[block_row(values, "rdma-size")], values->params);
    int64_t needed = 0;
    const struct member_list list = scene_members_at(scene, node);
    for (uint32_t i = 0; each > 0 && i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const struct wl_nvme_params *params = nvme_of(scene, member);
        if (params != NULL && member->to == node)
            needed += params->queue_depth * params->queues * ((params->block_size - 1) / each);
    }
    return needed <= host->nvme_target->core.data_wr_pool;
}

/* ------------------------------------------------------------------ all of them */

static const struct {
    const char *rows;
    bool (*is_unused)(const struct harm_scene *scene, uint32_t node);
} needs[] = {
    {"pcie-lanes pcie-payload pcie-read-request pcie-tags pcie-read-latency pcie-overhead",
     no_pcie},
    {"socket-latency iotlb-entries iotlb-miss-cost iotlb-miss-latency event-cost", no_pcie},
    {"qp-cache-miss-cost", all_contexts},
    {"qp-cache", free_contexts},
    {"read-context-miss-cost", all_read_contexts},
    {"read-contexts", free_read_contexts},
    {"read-response-cost qp-read-cost read-contexts read-context-miss-cost", answers_no_read},
    {"read-cost", sends_no_read},
    {"post-cost", posts_no_messages},
    {"cq-moderation-time cq-moderation-count interrupt-cost completion-cost", polls},
    {"queue-size max-queue-size", has_entries},
    {"max-queues", has_queues},
    {"queue-budget", has_budget},
    {"data-buffers", has_buffers},
    {"data-wr-pool", has_wrs},
};

bool unused_is(const struct harm_scene *scene, uint32_t host, const char *row)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (suspects_listed(needs[i].rows, row) && needs[i].is_unused(scene, host))
            return true;
    return false;
}
