/* SPDX-License-Identifier: Apache-2.0
 * check_work_requests - a target's limit of data work requests has an effect, and a single command
 * needs no more than the limit. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "nvme/target/target.h"
#include "scenarios/carrier/nvme_carrier.h"

static void check_target(const struct scenario_node *node, struct check_report *report)
{
    const struct block *values = node->host->nvme_target_values;
    const struct nvme_target_params *params = &node->host->nvme_target->core;
    const struct diag_place place =
        block_place(values, "data-wr-pool", (struct diag_place){.file = NULL});
    if (node->host->namespace_count == 0 || params->data_wr_pool == 0 || values == NULL)
        return;
    const int64_t each = *opt_field(&values->rows[block_row(values, "rdma-size")], values->params);
    const int64_t most = each <= 0 ? 0 : (nvme_target_carries(params) - 1) / each;
    if (most == 0 && place.file != NULL) {
        check_add(report, DIAG_WARNING, place,
                  "%s: data-wr-pool has no effect: each command is one RDMA operation "
                  "(target.rdma-size, target.max-transfer)",
                  node->name);
        check_remedy(report, "set target.rdma-size");
    } else if (most > params->data_wr_pool) {
        check_add(report, DIAG_WARNING, place,
                  "%s: the largest command needs %lld data work %s, but there are %lld "
                  "(target.data-wr-pool): it waits until no other command uses any",
                  node->name, (long long)most, plural(most, "request", "requests"),
                  (long long)params->data_wr_pool);
        check_remedy(report, "raise target.data-wr-pool");
        check_set_row(report, values, "data-wr-pool", "%lld", (long long)most);
    }
}

static void find_work_requests(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_target(&scenario->nodes[i], report);
}

const struct check_rule check_work_requests = {
    .name = "work-requests",
    .about =
        "The data work request limit of a target has an effect, and is enough for one command.",
    .run = find_work_requests,
};
