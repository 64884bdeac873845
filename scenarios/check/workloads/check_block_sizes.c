/* SPDX-License-Identifier: Apache-2.0
 * check_block_sizes - an I/O is one command.
 * An I/O larger than the transfer limit of host or target is split (NVMe 1.4, MDTS); its latency is
 * that of all its commands. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "base/plural.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

/* Name of the limit that splits an I/O into several commands; NULL: none. */
static const char *cut_by(const struct nvme_target_params *target, int64_t host)
{
    if (host < nvme_target_carries(target))
        return "nvme.max-transfer";
    return nvme_target_carries(target) < target->max_transfer
               ? "the data buffers of a command (target.io-unit, target.data-buffers)"
               : "target.max-transfer";
}

/* Reports only the first pair whose I/Os are split. */
static void check_workload(const struct scenario *scenario,
                           const struct scenario_workload *workload, struct check_report *report)
{
    const int64_t bytes = offered_operation(workload, 0);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const int64_t host = scenario->nodes[pair->from].host->nvme_host->core.max_transfer;
        const struct nvme_target_params *at = &scenario->nodes[pair->to].host->nvme_target->core;
        const int64_t target = nvme_target_carries(at);
        const int64_t most = host < target ? host : target;
        if (bytes <= most)
            continue;
        check_add(report, DIAG_NOTE, block_place(workload->values, "block-size", workload->place),
                  "'%s': an I/O of %lld B is sent as %lld %s: %s of %s is %lld B", workload->name,
                  (long long)bytes, (long long)((bytes + most - 1) / most),
                  plural(((bytes + most - 1) / most), "command", "commands"), cut_by(at, host),
                  scenario->nodes[host < target ? pair->from : pair->to].name, (long long)most);
        check_remedy(report, target < at->max_transfer && target <= host
                                 ? "use larger or more buffers at the target, or smaller blocks"
                                 : "raise max-transfer at both ends, or use smaller blocks");
        return;
    }
}

static void find_block_sizes(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].ops->needs_nvme_target)
            check_workload(scenario, &scenario->workloads[i], report);
}

const struct check_rule check_block_sizes = {
    .name = "block-sizes",
    .about = "Each I/O fits in one NVMe command.",
    .run = find_block_sizes,
};
