/* SPDX-License-Identifier: Apache-2.0
 * check_ecn - whose frames switches are to mark can be marked.
 * Without a congestion control that wants ECN frames are not ECT: a switch marks none of them, and
 * senders beside them that slow down leave the link to them (RFC 3168). */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include "net/switch/switch.h"
#include "rnic/cc/cc.h"

#include <string.h>

enum { SENDS = 1 }; /* data */

static uint8_t *senders(const struct scenario *scenario, struct arena *arena)
{
    uint8_t *sends = arena_take(arena, scenario->host_count);
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct offering all = offered_all(&scenario->workloads[w]);
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            const struct offered offered = offered_by(scenario, &all, pair);
            sends[pair->from] |= offered.out > 0 ? SENDS : 0;
            sends[pair->to] |= offered.back > 0 ? SENDS : 0;
        }
    }
    return sends;
}

static bool somebody_reacts(const struct scenario *scenario, const uint8_t *sends)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (sends[i] != 0 && scenario->nodes[i].host->cc->wants_ecn)
            return true;
    return false;
}

static bool some_switch_marks(const struct scenario *scenario)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].switch_params->ecn_kmax != 0)
            return true;
    return false;
}

/* The preset of a host that reacts already, or the first that suits links of every rate. */
static const char *reacting_control(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (scenario->nodes[i].host->cc->wants_ecn)
            return scenario->nodes[i].host->cc_preset->name;
    const struct cc_preset *preset = cc_list;
    while (!preset->ops->wants_ecn || preset->line_bps != 0)
        preset++;
    return preset->name;
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    const uint8_t *sends = senders(scenario, &scratch);
    const bool mixed = somebody_reacts(scenario, sends);
    const bool expected = some_switch_marks(scenario);
    const char *control = reacting_control(scenario);
    for (uint32_t i = 0; expected && i < scenario->host_count; i++) {
        const struct scenario_node *host = &scenario->nodes[i];
        if (sends[i] == 0 || strcmp(host->host->cc->name, "none") != 0)
            continue;
        const struct check_thing thing = {.node = host, .port = SCENARIO_ALL_PORTS};
        check_alike(report, mixed ? DIAG_WARNING : DIAG_NOTE, &thing,
                    "congestion-control none: frames are not ECT, no switch marks them%s",
                    mixed ? ", and senders that react leave the links to them"
                          : " and only pauses slow them");
        check_shows(report, mixed ? NULL : "ecn.marked == 0");
        check_remedy(report, "congestion-control %s for all senders that share links", control);
        check_set_here(report, host, SCENARIO_ALL_PORTS, "rnic: {congestion-control: %s}", control);
    }
    arena_free(&scratch);
}

const struct check_rule check_ecn = {
    .name = "ecn",
    .about = "Frames that switches are to mark are ECT.",
    .run = run,
};
