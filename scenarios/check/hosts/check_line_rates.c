/* SPDX-License-Identifier: Apache-2.0
 * check_line_rates - the parameters of an RNIC belong to a device of its link's rate.
 * A profile describes a class of devices; its delays and buffers belong to the rate of that class.
 * The class does not exist for faster links, and at a quarter of the rate or less another class is
 * sold, down to 10 Gb/s.
 * The increase steps of congestion control are scaled for a rate, too. On a link that is four times
 * as fast they are too small: with DCQCN as in the paper, made for 40 Gb/s, 8 senders of 1-MiB
 * WRITEs use 79 % of a 40 Gb/s link in their first 20 ms, 54 % at 100 Gb/s, 29 % at 200 Gb/s and 17
 * % at 400 Gb/s. The defaults of ConnectX firmware reach 86 to 93 % at each rate.
 * Steps that the scenario sets itself are taken to be scaled in proportion. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "net/switch/switch.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"

#define SLOWEST_CLASS INT64_C(10000000000)

enum { SLOWER_CLASS = 4, FASTER_LINK = 4 };

static const struct scenario_port *linked_port(const struct scenario_node *host)
{
    for (uint16_t p = 0; p < host->outer_ports; p++)
        if (host->ports[p].link != SCENARIO_NO_LINK)
            return &host->ports[p];
    return NULL;
}

static void check_host(const struct scenario_node *host, struct check_report *report)
{
    const int64_t made_for = host->host->rnic->line_rate;
    const struct scenario_port *port = linked_port(host);
    if (made_for == RNIC_AUTO || port == NULL)
        return;
    const int64_t rate = port->params->rate;
    if (rate <= made_for && (rate > made_for / SLOWER_CLASS || made_for <= SLOWEST_CLASS))
        return;
    char has[QUANTITY_TEXT_BYTES], is_for[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, rate, has, sizeof has);
    quantity_format(QUANTITY_RATE, made_for, is_for, sizeof is_for);
    const struct check_thing thing = check_of_rnic(host, "line-rate");
    check_alike(report, DIAG_WARNING, &thing,
                "the link runs at %s, but the RNIC has the values of a %s device", has, is_for);
    check_remedy(report, "use the rnic.profile of the link's rate (stormglass list profiles), or "
                         "set rnic.line-rate");
}

/* ---- congestion control ---- */

static bool anything_marks(const struct scenario *scenario)
{
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++)
        if (scenario->nodes[i].switch_params->ecn_kmax != 0)
            return true;
    return false;
}

/* The preset of the same algorithm that suits every rate; NULL: none. */
static const struct cc_preset *preset_for_any_rate(const struct cc_preset *preset)
{
    for (const struct cc_preset *other = cc_list; other->name != NULL; other++)
        if (other->ops == preset->ops && other->line_bps == 0)
            return other;
    return NULL;
}

/* Link rate for which the present steps are scaled, in bits per second. */
static unsigned __int128 rate_of_steps(const struct scenario_host *host, const struct opt *step)
{
    _Alignas(int64_t) unsigned char usual[CC_PARAMS_MAX];
    cc_presets(host->cc_preset, usual);
    const int64_t is = *opt_field(step, (void *)(uintptr_t)host->cc_params);
    return (unsigned __int128)host->cc_preset->line_bps * (uint64_t)is /
           (uint64_t)*opt_field(step, usual);
}

static void check_control(const struct scenario_node *node, struct check_report *report)
{
    const struct scenario_host *host = node->host;
    const struct scenario_port *port = linked_port(node);
    const struct opt *step = opt_find(host->cc->opts, "rai");
    const struct cc_preset *better = preset_for_any_rate(host->cc_preset);
    if (host->cc_preset->line_bps == 0 || port == NULL || step == NULL || better == NULL)
        return;
    const unsigned __int128 made_for = rate_of_steps(host, step);
    if ((uint64_t)port->params->rate < FASTER_LINK * made_for)
        return;
    char has[QUANTITY_TEXT_BYTES], is_for[QUANTITY_TEXT_BYTES], steps[OPT_WHY_BYTES];
    quantity_format(QUANTITY_RATE, port->params->rate, has, sizeof has);
    quantity_format(QUANTITY_RATE, (int64_t)made_for, is_for, sizeof is_for);
    opt_format(step, *opt_field(step, (void *)(uintptr_t)host->cc_params), steps, sizeof steps);
    const struct check_thing thing = {
        .node = node, .port = SCENARIO_ALL_PORTS, .written = host->cc_place};
    check_alike(report, DIAG_WARNING, &thing,
                "the link runs at %s, but congestion control %s raises rates in steps of %s (rai), "
                "which suit a link of %s: rates recover slowly after a cut",
                has, host->cc_preset->name, steps, is_for);
    check_remedy(report, "set rnic.congestion-control: %s, the defaults of cards at every rate",
                 better->name);
}

static void find_line_rates(const struct scenario *scenario, struct check_report *report)
{
    const bool marks = anything_marks(scenario);
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        check_host(&scenario->nodes[i], report);
        if (marks)
            check_control(&scenario->nodes[i], report);
    }
}

const struct check_rule check_line_rates = {
    .name = "line-rates",
    .about =
        "The values of an RNIC and the steps of its congestion control match the rate of its link.",
    .run = find_line_rates,
    .by_run = true,
};
