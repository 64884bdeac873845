/* SPDX-License-Identifier: Apache-2.0
 * check_host_values - values of a receive buffer that contradict each other.
 * Each is legal alone; together they do not do what their names say. */
#include "scenarios/check/check_rule.h"

#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"

static void check_rx(const struct scenario_node *host, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    if (!rnic->pfc || host->port_count == 0)
        return;
    const int64_t xoff = rx_buffer_xoff(rnic, host->ports[0].params);
    if (xoff > rnic->rx_buffer) {
        const struct check_thing thing = check_of_rnic(host, "rx-xoff");
        check_alike(report, DIAG_WARNING, &thing,
                    "rx-xoff, %lld B, is more than the receive buffer, %lld B: no pauses are ever "
                    "sent, and a host that is slow drops",
                    (long long)xoff, (long long)rnic->rx_buffer);
        check_shows(report, "drops.lossless > 0");
        check_remedy(report, "rnic.rx-xoff: auto");
        check_set(report, &thing, "auto");
        check_set_row(report, thing.values, "rx-xon", "auto");
    }
    if (rnic->rx_xon > xoff) {
        const struct check_thing thing = check_of_rnic(host, "rx-xon");
        check_alike(report, DIAG_WARNING, &thing,
                    "rx-xon, %lld B, is above rx-xoff, %lld B: half of rx-xoff is used instead",
                    (long long)rnic->rx_xon, (long long)xoff);
        check_remedy(report, "rnic.rx-xon: auto");
        check_set(report, &thing, "auto");
    }
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++)
        check_rx(&scenario->nodes[i], report);
}

const struct check_rule check_host_values = {
    .name = "host-values",
    .about = "Values of a receive buffer that contradict each other.",
    .run = run,
};
