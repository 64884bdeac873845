/* SPDX-License-Identifier: Apache-2.0
 * check_thresholds - a pause threshold leaves memory for other ports.
 * With a large alpha, one congested port settles where almost no memory is free, so the next port
 * finds almost none. A fixed threshold above the memory size is never reached. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "net/switch/switch_carve.h"

enum { SHARE_LEFT = 64 }; /* one port must leave at least this fraction of the shared memory */
enum { FRAMES = 4 }; /* minimum threshold in frames: a switch always has a few frames in transit */

/* Bytes that lossless priority groups share. */
static int64_t shared_of(const struct switch_plan *plan)
{
    return plan->lossless_pool * plan->params->cell;
}

/* Bytes at which a port settles when only this port is congested. */
static int64_t settled(const struct switch_plan *plan, int64_t alpha)
{
    const struct switch_params *params = plan->params;
    return buffer_policies[params->policy]->settled(params->policy_params[params->policy], alpha,
                                                    shared_of(plan), 1);
}

/* The largest power of two, the form that devices use, with which one port takes at most `bytes`;
 * 0: none. */
static int64_t alpha_for(const struct switch_plan *plan, int64_t bytes)
{
    for (int64_t alpha = PPM * 128; alpha >= PPM / 512; alpha /= 2)
        if (alpha < plan->params->alpha && settled(plan, alpha) <= bytes)
            return alpha;
    return 0;
}

/* One largest frame for each port of the switch, in bytes. */
static int64_t frame_each(const struct scenario_node *node)
{
    int64_t bytes = 0;
    for (uint16_t p = 0; p < node->port_count; p++)
        if (node->ports[p].link != SCENARIO_NO_LINK)
            bytes += port_largest_frame(node->ports[p].params);
    return bytes;
}

static void check_switch(const struct scenario_node *node, const struct switch_plan *plan,
                         struct check_report *report)
{
    const int64_t shared = shared_of(plan), alone = settled(plan, plan->params->alpha);
    const int64_t enough = FRAMES * check_largest_frame(node);
    const bool fixed = buffer_policies[plan->params->policy]->fixed;
    if (plan->links > 0 && alone < enough) {
        const struct check_thing few = check_of_switch(node, fixed ? "xoff" : "alpha");
        check_alike(report, DIAG_WARNING, &few,
                    "%s: a port is paused at %lld B, less than %d frames of %lld B: every burst is "
                    "paused",
                    few.row, (long long)alone, FRAMES, (long long)check_largest_frame(node));
        check_shows(report, "pfc.pause_frames");
        check_remedy(report, "raise %s to a threshold of 100 KB or more", few.row);
        if (fixed && shared >= plan->links)
            check_set(report, &few, "%lldB", (long long)(shared / plan->links));
        else if (!fixed && settled(plan, PPM / 8) >= enough)
            check_set(report, &few, "12.5%%");
        else
            check_set_none(report);
        return;
    }
    if (fixed) {
        const struct check_thing thing = check_of_switch(node, "xoff");
        if (alone <= shared)
            return;
        check_alike(report, DIAG_WARNING, &thing,
                    "xoff (%lld B) is larger than the shared memory (%lld B): ports are paused "
                    "only when this memory is full",
                    (long long)alone, (long long)shared);
        check_shows(report, "pfc.pause_frames");
        check_remedy(report, "set xoff to at most the shared memory divided by the number of ports "
                             "that may be congested at the same time");
        if (shared >= plan->links)
            check_set(report, &thing, "%lldB", (long long)(shared / plan->links));
        return;
    }
    if (shared - alone >= frame_each(node) && shared - alone >= shared / SHARE_LEFT)
        return;
    const struct check_thing thing = check_of_switch(node, "alpha");
    check_alike(report, DIAG_WARNING, &thing,
                "alpha lets one congested port use %lld of %lld B of shared memory: the rest is "
                "too small for the %lld %s",
                (long long)alone, (long long)shared, (long long)plan->links,
                plural(plan->links, "port", "ports"));
    check_remedy(report, "lower alpha, or use a larger buffer");
    const int64_t smaller = alpha_for(plan, shared - 2 * frame_each(node));
    if (smaller > 0)
        check_set(report, &thing, "%lldppm", (long long)smaller);
}

static void find_thresholds(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        struct switch_plan plan;
        char why[DIAG_TEXT_BYTES];
        if (node->switch_params->pfc_priorities != 0 &&
            check_plan(scenario, node, &plan, why, sizeof why))
            check_switch(node, &plan, report);
    }
}

const struct check_rule check_thresholds = {
    .name = "thresholds",
    .about = "The pause threshold of a port leaves buffer memory for the other ports.",
    .ethernet = true,
    .run = find_thresholds,
};
