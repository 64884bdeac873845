/* SPDX-License-Identifier: Apache-2.0
 * check_marking - a switch marks ECN before it pauses. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "net/switch/switch_carve.h"
#include "rnic/cc/cc.h"

enum { FRAMES = 2 }; /* frames that may queue without congestion: one from each of two senders */

static bool anybody_reacts(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (scenario->nodes[i].host->cc->wants_ecn)
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
        check_remedy(report, "raise ecn-kmin and ecn-kmax: to %lld and %lld B here",
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

static void run(const struct scenario *scenario, struct check_report *report)
{
    const bool reacts = anybody_reacts(scenario);
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        struct switch_plan plan;
        char why[DIAG_TEXT_BYTES];
        if (reacts && node->switch_params->pfc_priorities != 0 &&
            check_plan(scenario, node, &plan, why, sizeof why))
            check_switch(node, &plan, report);
    }
}

const struct check_rule check_marking = {
    .name = "marking",
    .about = "If hosts react to ECN marks, switches mark frames before they send pauses.",
    .ethernet = true,
    .run = run,
};
