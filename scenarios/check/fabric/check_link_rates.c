/* SPDX-License-Identifier: Apache-2.0
 * check_link_rates - a link of InfiniBand has a rate of InfiniBand: 1, 2, 4, 8 or 12 lanes.
 * Source: IBTA Vol 1 14.2.5.6 (PortInfo, LinkWidthActive, LinkSpeedActive); Linux ib_verbs.h, enum
 * ib_rate and ib_port_width. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"

/* Data rate of a lane in Mb/s: SDR, DDR and QDR 8b/10b; FDR10 and FDR 64b/66b; then those of the
 * names of four lanes. FDR is 13.64, its usual name for four lanes 54.5. */
static const int64_t lane_mbps[] = {2000, 4000, 8000, 10000, 13636, 25000, 50000, 100000, 200000};
static const int64_t widths[] = {1, 2, 4, 8, 12};

enum { FEW_PERMILLE = 2 }; /* rounding of FDR */

/* The rate that is closest to `rate`. */
static int64_t closest(int64_t rate)
{
    int64_t best = 0;
    for (size_t i = 0; i < sizeof lane_mbps / sizeof lane_mbps[0]; i++)
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
            const int64_t other = lane_mbps[i] * widths[w] * 1000000;
            const int64_t was = rate > best ? rate - best : best - rate;
            if ((rate > other ? rate - other : other - rate) < was)
                best = other;
        }
    return best;
}

static void run_link_rates_check(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        for (uint16_t p = 0; node->link == SCENARIO_INFINIBAND && p < node->port_count; p++) {
            const int64_t rate = node->ports[p].params->rate, other = closest(rate);
            const int64_t off = rate > other ? rate - other : other - rate;
            char is[QUANTITY_TEXT_BYTES], near[QUANTITY_TEXT_BYTES];
            if (off * 1000 <= other * FEW_PERMILLE)
                continue;
            quantity_format(QUANTITY_RATE, rate, is, sizeof is);
            quantity_format(QUANTITY_RATE, other, near, sizeof near);
            const struct check_thing thing = check_of_port(node, p, "rate");
            check_alike(report, DIAG_WARNING, &thing,
                        "no InfiniBand link has a rate of %s: expected SDR, DDR, QDR, FDR10, FDR, "
                        "EDR, HDR, NDR or XDR, or a rate of the same with 1, 2, 8 or 12 lanes",
                        is);
            check_remedy(report, "use %s, the closest rate", near);
            check_set_port(report, &thing, near);
        }
    }
}

const struct check_rule check_link_rates = {
    .name = "link-rates",
    .about = "Links of InfiniBand have a rate of InfiniBand, from SDR to XDR with 1 to 12 lanes.",
    .run = run_link_rates_check,
};
