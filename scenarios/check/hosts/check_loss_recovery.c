/* SPDX-License-Identifier: Apache-2.0
 * check_loss_recovery - selective repeat needs both ends.
 * The responder keeps what comes early and says what has come, the requester sends what is missing:
 * one without the other is go-back-N (Mittal et al., SIGCOMM 2018, 3.1). */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"

static const struct recovery_ops *recovery_of(const struct scenario_node *host)
{
    return recovery_list[host->host->rnic->loss_recovery];
}

static void alone(struct check_report *report, const struct scenario_workload *workload,
                  const struct scenario_node *host, const struct scenario_node *peer)
{
    const struct check_thing thing = check_of_rnic(host, "loss-recovery");
    check_alike(report, DIAG_WARNING, &thing,
                "'%s': %s has no effect: %s has %s, and so are losses repaired", workload->name,
                recovery_of(host)->name, peer->name, recovery_of(peer)->name);
    check_remedy(report, "the same rnic.loss-recovery at both ends");
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_node *from = &scenario->nodes[workload->pairs[i].from];
            const struct scenario_node *to = &scenario->nodes[workload->pairs[i].to];
            const bool asks = recovery_of(from)->selective, answers = recovery_of(to)->selective;
            if (asks && !answers)
                alone(report, workload, from, to);
            else if (answers && !asks)
                alone(report, workload, to, from);
        }
    }
}

const struct check_rule check_loss_recovery = {
    .name = "loss-recovery",
    .about = "Both ends of a connection can repeat selectively, or neither.",
    .run = run,
};
