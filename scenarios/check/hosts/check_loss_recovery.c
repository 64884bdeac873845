/* SPDX-License-Identifier: Apache-2.0
 * check_loss_recovery - selective repeat is enabled at both ends, and the parameters of a card's
 * own loss recovery have an effect.
 * The responder buffers out-of-order packets and reports what has arrived, and the requester
 * retransmits what is missing: if only one end does so, the result is go-back-N (Mittal et al.,
 * SIGCOMM 2018, 3.1). */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

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
                "'%s': %s has no effect: %s has %s, which both ends then use", workload->name,
                recovery_of(host)->name, peer->name, recovery_of(peer)->name);
    check_remedy(report, "use the same rnic.loss-recovery at both ends");
    check_set_here(report, peer, SCENARIO_ALL_PORTS, "rnic: {loss-recovery: %s}",
                   recovery_of(host)->name);
}

static void starts_over(struct check_report *report, const struct scenario_workload *workload,
                        const struct scenario_node *host)
{
    const struct check_thing thing = check_of_rnic(host, "loss-recovery");
    check_alike(report, DIAG_WARNING, &thing,
                "loss-recovery go-back-0: one lost packet repeats a whole message of '%s', so "
                "large messages may never complete (Guo et al., SIGCOMM 2016, 4.1)",
                workload->name);
    check_remedy(report, "set rnic.loss-recovery: go-back-n");
    check_set(report, &thing, "go-back-n");
}

static void idle(struct check_report *report, const struct scenario_node *host, const char *row,
                 const char *why)
{
    const struct check_thing thing = check_of_rnic(host, row);
    check_alike(report, DIAG_WARNING, &thing, "rnic.%s has no effect: %s", row, why);
}

/* Delays in a card's own loss recovery. `timer`: the longest ACK timeout of its queue pairs; 0:
 * none. */
static void check_host(struct check_report *report, const struct scenario_node *host, time_ps timer)
{
    const struct rnic_params *rnic = host->host->rnic;
    const char *why = recovery_of(host)->selective ? "selective-repeat does not use it"
                      : rnic->soft.software != 0   ? "a software RNIC does not use it"
                                                   : NULL;
    if (rnic->nak_delay > 0 && why != NULL)
        idle(report, host, "nak-delay", why);
    if (rnic->retransmit_delay > 0 && why != NULL)
        idle(report, host, "retransmit-delay", why);
    if (rnic->adaptive == 0)
        return;
    if (why == NULL && timer == 0)
        why = "timeout 0 disables the timer";
    if (why == NULL && rnic->adaptive_timeout >= timer)
        why = "adaptive-timeout is not shorter than the timer of rnic.timeout";
    if (why != NULL)
        idle(report, host, "adaptive-retransmission", why);
}

/* By host: the longest ACK timeout of its queue pairs, or the host's own timeout if it has none. */
static const time_ps *longest_timers(const struct scenario *scenario, struct arena *scratch)
{
    time_ps *timers = arena_take(scratch, scenario->host_count * sizeof *timers);
    bool *used = arena_take(scratch, scenario->host_count * sizeof *used);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const uint32_t from = workload->pairs[i].from, to = workload->pairs[i].to;
            const int64_t code = scenario->nodes[from].host->rnic->timeout;
            const struct rnic_params *accepts = scenario->nodes[to].host->rnic;
            timers[from] = time_later(timers[from], qp_timeout_of(code));
            timers[to] = time_later(timers[to], qp_timeout_of(rnic_accept_timeout(accepts, code)));
            used[from] = used[to] = true;
        }
    }
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (!used[i])
            timers[i] = qp_timeout_of(scenario->nodes[i].host->rnic->timeout);
    return timers;
}

static void find_loss_recovery(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const time_ps *timers = longest_timers(scenario, &scratch);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_host(report, &scenario->nodes[i], timers[i]);
    arena_free(&scratch);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; i < workload->pair_count; i++) {
            const struct scenario_node *from = &scenario->nodes[workload->pairs[i].from];
            const struct scenario_node *to = &scenario->nodes[workload->pairs[i].to];
            if (recovery_of(from) == &recovery_go_back_0 &&
                offered_operation(workload, 0) > from->host->rnic->path_mtu)
                starts_over(report, workload, from);
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
    .about =
        "Both ends of a connection use the same loss recovery, and its settings have an effect.",
    .run = find_loss_recovery,
};
