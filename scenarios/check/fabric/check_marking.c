/* SPDX-License-Identifier: Apache-2.0
 * check_marking - a switch marks ECN before it pauses or, in a lossy class with a congestion
 * control of TCP such as DCTCP, before it drops. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/classes.h"

#include "base/plural.h"
#include "net/switch/switch_carve.h"
#include "rnic/cc/cc.h"
#include "tcp/tcp.h"
#include "tcp/tcp_cc.h"

enum { FRAMES = 2 }; /* frames that may queue without congestion: one from each of two senders */
enum { STEP = 65 };  /* frames at which DCTCP's switches mark at 10 Gb/s (Linux, TCP_CONG_DCTCP) */

static bool anybody_reacts(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (!scenario_has_credits(&scenario->nodes[i]) && scenario->nodes[i].host->cc->wants_ecn)
            return true;
    return false;
}

/* Bytes at which a sender is paused while `busy` priority groups are at their limits. */
static int64_t pause_threshold(const struct switch_plan *plan, int64_t busy)
{
    const struct switch_params *params = plan->params;
    return params->reserved + buffer_policies[params->policy]->settled(
                                  params->policy_params[params->policy], params->alpha,
                                  plan->lossless_pool * params->cell, busy);
}

static void check_switch(const struct scenario_node *node, const struct switch_plan *plan,
                         struct check_report *report)
{
    const int64_t kmin = plan->params->ecn_kmin;
    const int64_t alone = pause_threshold(plan, 1), full = pause_threshold(plan, plan->links);
    const int64_t frame = check_largest_frame(node);
    struct check_thing thing = check_of_switch(node, "ecn-kmin");
    if (plan->params->ecn_kmax == 0) {
        thing.row = "ecn-kmax";
        check_alike(report, DIAG_WARNING, &thing,
                    "ECN marking is disabled (ecn-kmax 0): congestion control gets no signal, and "
                    "only pauses limit senders");
        check_shows(report, "ecn.marked == 0");
        check_remedy(report, "start marking below the pause threshold, at %lld B",
                     (long long)(full / 4));
        if (full >= 8) {
            check_set_row(report, node->switch_values, "ecn-kmin", "%lldB", (long long)(full / 4));
            check_set_row(report, node->switch_values, "ecn-kmax", "%lldB", (long long)full);
        }
    } else if (plan->params->ecn_kmax < FRAMES * frame) {
        thing.row = "ecn-kmax";
        check_alike(report, DIAG_WARNING, &thing,
                    "ecn-kmax %lld B is less than %d frames of %lld B: even two alternating "
                    "senders are marked, and links stay partly idle",
                    (long long)plan->params->ecn_kmax, FRAMES, (long long)frame);
        check_remedy(report, "raise ecn-kmin to %lld B and ecn-kmax to %lld B",
                     (long long)(full / 4), (long long)full);
        if (full >= FRAMES * frame) {
            check_set_row(report, node->switch_values, "ecn-kmin", "%lldB", (long long)(full / 4));
            check_set_row(report, node->switch_values, "ecn-kmax", "%lldB", (long long)full);
        }
    } else if (kmin >= alone && alone >= FRAMES * frame) {
        check_alike(report, DIAG_WARNING, &thing,
                    "ECN marking starts at an egress queue of %lld B, but a single sender is "
                    "paused at %lld B: pauses act before congestion control",
                    (long long)kmin, (long long)alone);
        check_shows(report, "pfc.pause_frames > 0");
        check_remedy(report, "lower ecn-kmin well below %lld B, for example to half of it",
                     (long long)alone);
        if (full >= 2)
            check_set(report, &thing, "%lldB", (long long)(full / 2));
    } else if (kmin >= full) {
        check_alike(report, DIAG_NOTE, &thing,
                    "ECN marking starts at an egress queue of %lld B, but with %lld congested "
                    "%s on a switch, a sender is already paused at a queue of %lld B",
                    (long long)kmin, (long long)plan->links, plural(plan->links, "port", "ports"),
                    (long long)full);
        check_shows(report, "pfc.pause_frames > 0");
        check_remedy(report, "lower ecn-kmin well below %lld B, for example to half of it",
                     (long long)full);
        if (full >= 2)
            check_set(report, &thing, "%lldB", (long long)(full / 2));
    }
}

/* ------------------------------------------------------------------ lossy classes of TCP */

static bool reacts_over_tcp(const struct scenario *scenario, uint32_t host)
{
    return tcp_cc_list[scenario->nodes[host].host->tcp->congestion_control]->wants_ecn;
}

/* Mask of the DSCPs of TCP connections whose congestion control relies on marks. */
static uint64_t tcp_dscps(const struct scenario *scenario)
{
    uint64_t dscps = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_pair *pair = &workload->pairs[i];
            if (reacts_over_tcp(scenario, pair->from) || reacts_over_tcp(scenario, pair->to))
                dscps |= UINT64_C(1) << scenario_dscp(scenario, workload, pair);
        }
    }
    return dscps;
}

static bool is_lossy(const struct scenario_node *node, uint64_t dscps)
{
    for (unsigned dscp = 0; dscp < CLASSES_DSCPS; dscp++)
        if ((dscps >> dscp & 1) != 0 && !classes_lossless(node, node->priority_of_dscp[dscp]))
            return true;
    return false;
}

/* Bytes at which a lossy queue drops when only this queue is congested. */
static int64_t drop_threshold(const struct switch_plan *plan)
{
    const struct switch_params *params = plan->params;
    const struct buffer_policy *policy = buffer_policies[params->policy];
    const int64_t alpha = params->alpha_egress, shared = plan->egress_lossy * params->cell;
    if (alpha == BUFFER_UNLIMITED)
        return params->reserved_queue + shared;
    return params->reserved_queue +
           (policy->queues
                ? policy->settled(params->policy_params[params->policy], alpha, shared, 1)
                : (int64_t)((__int128)shared * alpha / (PPM + alpha)));
}

static void check_lossy(const struct scenario_node *node, const struct switch_plan *plan,
                        struct check_report *report)
{
    const int64_t drops = drop_threshold(plan), kmin = plan->params->ecn_kmin;
    const bool marks = plan->params->ecn_kmax != 0;
    const struct check_thing thing = check_of_switch(node, marks ? "ecn-kmin" : "ecn-kmax");
    if (marks && kmin < drops)
        return;
    if (marks)
        check_alike(report, DIAG_WARNING, &thing,
                    "ECN marking starts at an egress queue of %lld B, but a lossy queue drops at "
                    "%lld B: TCP has losses before it has marks",
                    (long long)kmin, (long long)drops);
    else
        check_alike(report, DIAG_WARNING, &thing,
                    "ECN marking is disabled (ecn-kmax 0), but a congestion control of TCP relies "
                    "on marks: only losses limit senders");
    check_shows(report, "drops.lossy > 0");
    const int64_t frame = check_largest_frame(node);
    const int64_t start = drops / 4 < STEP * frame ? drops / 4 : STEP * frame;
    if (start < FRAMES * frame) {
        check_remedy(report, "use a larger buffer, or marking has no room below %lld B",
                     (long long)drops);
        check_set_none(report);
        return;
    }
    check_remedy(report, "start marking at %lld B; a lossy queue drops at %lld B", (long long)start,
                 (long long)drops);
    check_set_row(report, node->switch_values, "ecn-kmin", "%lldB", (long long)start);
    if (!marks)
        check_set_row(report, node->switch_values, "ecn-kmax", "%lldB", (long long)start);
}

static void run_marking_check(const struct scenario *scenario, struct check_report *report)
{
    const bool reacts = anybody_reacts(scenario);
    const uint64_t over_tcp = tcp_dscps(scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        struct switch_plan plan;
        char why[DIAG_TEXT_BYTES];
        const bool pauses = reacts && node->switch_params->pfc_priorities != 0;
        const bool lossy = is_lossy(node, over_tcp);
        if (!(pauses || lossy) || !check_plan(scenario, node, &plan, why, sizeof why))
            continue;
        if (pauses)
            check_switch(node, &plan, report);
        if (lossy && !(pauses && plan.params->ecn_kmax == 0))
            check_lossy(node, &plan, report);
    }
}

const struct check_rule check_marking = {
    .name = "marking",
    .about = "If hosts react to ECN marks, switches mark frames before they pause or drop.",
    .ethernet = true,
    .run = run_marking_check,
};
