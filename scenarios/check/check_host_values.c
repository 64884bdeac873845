/* SPDX-License-Identifier: Apache-2.0
 * check_host_values - values of a receive buffer that contradict each other.
 * Each is legal alone; together they do not do what their names say.
 * Things with the same parameters share one struct: each is told of once. */
#include "scenarios/check/check_private.h"

#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"

static void check_rx(const struct scenario_node *host, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    if (!rnic->pfc || host->port_count == 0)
        return;
    const int64_t xoff = rx_buffer_xoff(rnic, host->ports[0].params);
    if (xoff > rnic->rx_buffer) {
        check_add(report, DIAG_WARNING, host->place,
                  "%s: rx-xoff, %lld B, is more than its receive buffer, %lld B: it never sends "
                  "pauses, and drops when it is slow",
                  host->name, (long long)xoff, (long long)rnic->rx_buffer);
        check_shows(report, "drops.lossless > 0");
    }
    if (rnic->rx_xon > xoff)
        check_add(report, DIAG_WARNING, host->place,
                  "%s: rx-xon, %lld B, is above rx-xoff, %lld B: half of rx-xoff is used instead",
                  host->name, (long long)rnic->rx_xon, (long long)xoff);
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    struct check_seen seen = {0};
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (check_first_time(&seen, scenario->nodes[i].host->rnic))
            check_rx(&scenario->nodes[i], report);
    arena_free(&seen.arena);
}

const struct check_rule check_host_values = {
    .name = "host-values",
    .about = "Values of a receive buffer that contradict each other.",
    .run = run,
};
