/* SPDX-License-Identifier: Apache-2.0
 * check_switch_values - values of a switch that contradict each other.
 * Each is legal alone; together they do not do what their names say.
 * Things with the same parameters share one struct: each is told of once. */
#include "scenarios/check/check_private.h"

#include "net/switch/switch_carve.h"
#include "net/switch/watchdog.h"

/* A threshold that follows what is free may be anywhere; a fixed one is known. */
static void check_xon(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    const struct buffer_policy *policy = buffer_policies[params->policy];
    if (!policy->fixed)
        return;
    const int64_t xoff =
        policy->settled(params->policy_params[params->policy], params->alpha, params->buffer, 1);
    if (params->xon > xoff)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: xon, %lld B, is above xoff, %lld B: a sender resumes before it would be paused",
            node->name, (long long)params->xon, (long long)xoff);
    else if (params->xon_offset > xoff && params->xon == 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s: xon-offset, %lld B, is more than xoff, %lld B: a paused sender resumes only "
                  "when its buffer is empty",
                  node->name, (long long)params->xon_offset, (long long)xoff);
}

static void check_ecn(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->ecn_kmax != 0 && params->ecn_kmin > params->ecn_kmax)
        check_add(report, DIAG_WARNING, node->place,
                  "%s: ecn-kmin, %lld B, is above ecn-kmax, %lld B: marking has no slope",
                  node->name, (long long)params->ecn_kmin, (long long)params->ecn_kmax);
}

static void check_detection(const struct scenario_node *node, struct check_report *report)
{
    struct watchdog *watchdog = watchdog_new(node->switch_params, node->port_count);
    if (watchdog != NULL && watchdog->detection < watchdog->poll)
        check_add(
            report, DIAG_WARNING, node->place,
            "%s: its watchdog polls every %lld ms: a detection time of %lld ms takes a whole poll",
            node->name, (long long)(watchdog->poll / PS_PER_MS),
            (long long)(watchdog->detection / PS_PER_MS));
    watchdog_free(watchdog);
}

static void check_no_lossless(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->watchdog != WATCHDOG_OFF)
        check_add(report, DIAG_WARNING, node->place,
                  "%s has a PFC watchdog, but no lossless priority: there is nothing to watch",
                  node->name);
    if (params->headroom_pool > 0)
        check_add(report, DIAG_WARNING, node->place,
                  "%s has a headroom pool of %lld B, but no lossless priority: it is unused",
                  node->name, (long long)params->headroom_pool);
}

static void check_egress_limit(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->egress_limit == SWITCH_EGRESS_LIMIT_NONE || params->egress_limit >= params->buffer)
        return;
    check_add(
        report, DIAG_WARNING, node->place,
        "%s: egress-limit, %lld B, drops lossless frames when a queue is longer, despite pauses",
        node->name, (long long)params->egress_limit);
    check_shows(report, "drops.lossless > 0");
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen seen = {0};
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        if (!check_first_time(&seen, node->switch_params))
            continue;
        check_ecn(node, report);
        if (node->switch_params->pfc_priorities == 0) {
            check_no_lossless(node, report);
            continue;
        }
        check_xon(node, report);
        check_detection(node, report);
        check_egress_limit(node, report);
    }
    arena_free(&seen.arena);
}

const struct check_rule check_switch_values = {
    .name = "switch-values",
    .about = "Values of a switch that contradict each other.",
    .run = run,
};
