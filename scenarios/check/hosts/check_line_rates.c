/* SPDX-License-Identifier: Apache-2.0
 * check_line_rates - an RNIC's values are those of a device for its link's rate.
 * A profile is a class of devices; its delays and buffers belong to the rate that the class is made
 * for.  A faster link than that does not exist for it, and at a quarter of it or less another class
 * is sold. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "rnic/host/rnic.h"

enum { SLOWER_CLASS = 4 };

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
    if (rate <= made_for && rate > made_for / SLOWER_CLASS)
        return;
    char has[QUANTITY_TEXT_BYTES], is_for[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, rate, has, sizeof has);
    quantity_format(QUANTITY_RATE, made_for, is_for, sizeof is_for);
    const struct check_thing thing = check_of_rnic(host, "line-rate");
    check_alike(report, DIAG_WARNING, &thing,
                "its link has %s, but its RNIC's values are those of a device of %s", has, is_for);
    check_remedy(report, "the rnic.profile of its class (stormglass list profiles), or "
                         "rnic.line-rate");
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_host(&scenario->nodes[i], report);
}

const struct check_rule check_line_rates = {
    .name = "line-rates",
    .about = "An RNIC's values are those of a device for its link's rate.",
    .run = run,
    .by_run = true,
};
