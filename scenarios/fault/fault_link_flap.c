/* SPDX-License-Identifier: Apache-2.0
 * fault_link_flap - a link loses its carrier at the beginning of each period and regains it for the
 * rest of the period.
 * The last outage ends with the fault at the latest. */
#include "scenarios/data/fault.h"
#include "scenarios/fabric/timeline.h"

struct link_flap_params {
    int64_t period; /* ps between consecutive losses of carrier */
    int64_t duty;   /* share of the period without carrier, ppm */
};

static const struct opt link_flap_rows[] = {
    {"period", OPT_TIME, offsetof(struct link_flap_params, period), "100ms", "1us", "100000s", NULL,
     "Time from one failure of the link to its next failure.", "own", OPT_ACTS(FAULTS, ANY, TRACE)},
    {"duty", OPT_PERCENT, offsetof(struct link_flap_params, duty), "50%", "0%", "100%", NULL,
     "Share of each period for which the link is down. Each period starts with the failure.", "own",
     OPT_ACTS(FAULTS, ANY, TRACE)},
    {0}};

static unsigned link_flap_breaks(const void *params)
{
    (void)params;
    return FAULT_LOSES_CARRIER | FAULT_DISTURBS_FLOWS;
}

static const char *in_vain(const void *params)
{
    const struct link_flap_params *p = params;
    return p->duty == 0 ? "has duty 0%: the link never goes down" : NULL;
}

/* An outage that would begin when the fault ends does not occur. */
static bool edge(struct timeline *timeline, const struct fault_edge *edge)
{
    const struct link_flap_params *params = edge->fault->params;
    const time_ps down = (time_ps)((__int128)params->period * params->duty / PPM);
    const time_ps span = edge->begins ? down : params->period - down;
    timeline_carrier(timeline, edge->index, edge->begins);
    if (edge->fault->end - edge->at > span)
        timeline_again(timeline, edge->index, edge->at + span, !edge->begins);
    else if (edge->begins && edge->fault->end != TIME_NEVER)
        timeline_again(timeline, edge->index, edge->fault->end, false);
    return false;
}

const struct fault_ops fault_link_flap = {
    .name = "link-flap",
    .about = "A link loses its carrier repeatedly.",
    .acts_on = OPT_PART_BIT(LOSS) | OPT_PART_BIT(RECOVERY),
    .opts = link_flap_rows,
    .params_bytes = sizeof(struct link_flap_params),
    .place = FAULT_AT_PORTS,
    .has_cycle = true,
    .breaks = link_flap_breaks,
    .in_vain = in_vain,
    .edge = edge,
};
