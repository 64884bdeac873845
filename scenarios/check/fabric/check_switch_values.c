/* SPDX-License-Identifier: Apache-2.0
 * check_switch_values - values of a switch that contradict each other.
 * Each value is legal, but together they do not do what their names say. */
#include "scenarios/check/check_rule.h"

#include "base/note_text.h"
#include "base/quantity.h"
#include "net/switch/buffer_kinds.h"
#include "net/switch/switch_carve.h"
#include "net/switch/watchdog.h"

/* Only a fixed XOFF threshold can be compared; a dynamic one depends on the free memory. */
static void check_xon(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    const struct buffer_policy *policy = buffer_policies[params->policy];
    if (!policy->fixed)
        return;
    const int64_t xoff =
        policy->settled(params->policy_params[params->policy], params->alpha, params->buffer, 1);
    if (params->xon > xoff) {
        const struct check_thing thing = check_of_switch(node, "xon");
        check_alike(report, DIAG_WARNING, &thing,
                    "xon (%lld B) is above xoff (%lld B): a sender resumes before it is paused",
                    (long long)params->xon, (long long)xoff);
        check_remedy(report, "lower xon below xoff");
        check_set(report, &thing, "%lldB", (long long)(xoff / 2));
    } else if (params->xon_offset > xoff && params->xon == 0) {
        const struct check_thing thing = check_of_switch(node, "xon-offset");
        check_alike(report, DIAG_WARNING, &thing,
                    "xon-offset (%lld B) is larger than xoff (%lld B): a paused sender resumes "
                    "only when its buffer is empty",
                    (long long)params->xon_offset, (long long)xoff);
        check_remedy(report, "lower xon-offset below xoff");
        check_set(report, &thing, "%lldB", (long long)(xoff / 2));
    }
}

static void check_slope(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->ecn_kmax != 0 && params->ecn_kmin > params->ecn_kmax) {
        const struct check_thing thing = check_of_switch(node, "ecn-kmin");
        check_alike(
            report, DIAG_WARNING, &thing,
            "ecn-kmin (%lld B) is above ecn-kmax (%lld B): the marking probability has no slope",
            (long long)params->ecn_kmin, (long long)params->ecn_kmax);
        check_remedy(report, "lower ecn-kmin, or raise ecn-kmax");
        check_set(report, &thing, "%lldB", (long long)(params->ecn_kmax / 4));
    }
}

static void check_detection(const struct scenario_node *node, struct check_report *report)
{
    struct watchdog *watchdog = watchdog_new(node->switch_params, node->port_count);
    if (watchdog != NULL && watchdog->detection < watchdog->poll) {
        const struct check_thing thing = check_of_switch(node, "watchdog-detection");
        check_alike(report, DIAG_WARNING, &thing,
                    "the watchdog polls every %s: a detection time of %s is extended to a whole "
                    "poll interval",
                    note_time(watchdog->poll).text, note_time(watchdog->detection).text);
        char time[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_TIME, watchdog->detection, time, sizeof time);
        check_remedy(
            report,
            "set watchdog-poll to the detection time, or detection to at least one poll interval");
        check_set_row(report, node->switch_values, "watchdog-poll", "%s", time);
    }
    watchdog_free(watchdog);
}

static bool is_written(const struct scenario_node *node, const char *row)
{
    return block_place(node->switch_values, row, (struct diag_place){0}).file != NULL;
}

/* Proposes the policy that the written parameters belong to, unless they belong to several. */
static void propose_policy(const struct scenario_node *node, int policy,
                           struct check_report *report)
{
    if (buffer_policies[policy]->fixed && is_written(node, "alpha"))
        return;
    for (int i = 0; i < BUFFER_POLICIES; i++)
        for (const struct opt *row = buffer_policies[i]->opts; row != NULL && row->name != NULL;
             row++)
            if (i != policy && is_written(node, row->name))
                return;
    check_set_row(report, node->switch_values, "policy", "%s", buffer_policy_names[policy]);
}

/* Each policy has its own parameters; alpha belongs to all policies except the static one. */
static void check_policy_rows(const struct scenario_node *node, struct check_report *report)
{
    const struct diag_place nobody = {0};
    const int64_t policy = node->switch_params->policy;
    for (int i = 0; i < BUFFER_POLICIES; i++)
        for (const struct opt *row = buffer_policies[i]->opts; row != NULL && row->name != NULL;
             row++) {
            if (i == policy || block_place(node->switch_values, row->name, nobody).file == NULL)
                continue;
            const struct check_thing thing = check_of_switch(node, row->name);
            check_alike(report, DIAG_NOTE, &thing, "%s has no effect: the policy is %s", row->name,
                        buffer_policy_names[policy]);
            check_remedy(report, "set policy: %s, or remove %s", buffer_policy_names[i], row->name);
            propose_policy(node, i, report);
        }
    if (!buffer_policies[policy]->fixed ||
        block_place(node->switch_values, "alpha", nobody).file == NULL)
        return;
    const struct check_thing thing = check_of_switch(node, "alpha");
    check_alike(report, DIAG_NOTE, &thing, "alpha has no effect: the policy is %s",
                buffer_policy_names[policy]);
    check_remedy(report, "set policy: dynamic, or set xoff instead of alpha");
    propose_policy(node, BUFFER_POLICY_dynamic, report);
}

static void check_no_lossless(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->watchdog != WATCHDOG_OFF) {
        const struct check_thing thing = check_of_switch(node, "watchdog");
        check_alike(report, DIAG_WARNING, &thing,
                    "the PFC watchdog has no effect: there is no lossless priority");
        check_remedy(report, "set pfc.priorities to the lossless class, or watchdog: off");
        check_set_here(report, node, SCENARIO_ALL_PORTS, "watchdog: off");
    }
    if (params->headroom_pool > 0) {
        const struct check_thing thing = check_of_switch(node, "headroom-pool");
        check_alike(report, DIAG_WARNING, &thing,
                    "the headroom pool of %lld B is unused: there is no lossless priority",
                    (long long)params->headroom_pool);
        check_remedy(report, "set pfc.priorities to the lossless class, or headroom-pool: none");
        check_set(report, &thing, "none");
    }
}

static void check_egress_limit(const struct scenario_node *node, struct check_report *report)
{
    const struct switch_params *params = node->switch_params;
    if (params->egress_limit == SWITCH_EGRESS_LIMIT_NONE || params->egress_limit >= params->buffer)
        return;
    const struct check_thing thing = check_of_switch(node, "egress-limit");
    check_alike(report, DIAG_WARNING, &thing,
                "egress-limit %lld B drops lossless frames when a queue is longer, despite pauses",
                (long long)params->egress_limit);
    check_remedy(report, "remove the limit of lossless queues: egress-limit none");
    check_set(report, &thing, "none");
    check_shows(report, "drops.lossless > 0");
}

static void find_switch_values(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        check_slope(node, report);
        if (node->switch_params->pfc_priorities == 0) {
            check_no_lossless(node, report);
            continue;
        }
        check_xon(node, report);
        check_policy_rows(node, report);
        check_detection(node, report);
        check_egress_limit(node, report);
    }
}

const struct check_rule check_switch_values = {
    .name = "switch-values",
    .about = "The values of a switch do not contradict each other.",
    .ethernet = true,
    .run = find_switch_values,
};
