/* SPDX-License-Identifier: Apache-2.0
 * check_host_values - receive buffer values that contradict each other, and PCIe slower than a
 * link.
 * Each value is legal, but together they do not do what their names say. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "base/quantity.h"
#include "rnic/host/rnic.h"
#include "rnic/host/rx_buffer.h"
#include "rnic/pipeline/pcie.h"

enum { PCIE_LANES_MOST = 16 };

static void check_rx(const struct scenario_node *host, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    if (!rnic->pfc || host->port_count == 0)
        return;
    const int64_t xoff = rx_buffer_xoff(rnic, host->ports[0].params);
    if (xoff > rnic->rx_buffer) {
        const struct check_thing thing = check_of_rnic(host, "rx-xoff");
        check_alike(report, DIAG_WARNING, &thing,
                    "rx-xoff (%lld B) is larger than the receive buffer (%lld B): the host never "
                    "sends pauses, and drops frames when it is slow",
                    (long long)xoff, (long long)rnic->rx_buffer);
        check_shows(report, "drops.lossless > 0");
        check_remedy(report, "set rnic.rx-xoff: auto");
        check_set(report, &thing, "auto");
        check_set_row(report, thing.values, "rx-xon", "auto");
    }
    if (rnic->rx_xon > xoff) {
        const struct check_thing thing = check_of_rnic(host, "rx-xon");
        check_alike(report, DIAG_WARNING, &thing,
                    "rx-xon (%lld B) is above rx-xoff (%lld B): half of rx-xoff is used instead",
                    (long long)rnic->rx_xon, (long long)xoff);
        check_remedy(report, "set rnic.rx-xon: auto");
        check_set(report, &thing, "auto");
    }
}

/* Compares PCIe with each link alone: a multi-port card seldom has enough PCIe bandwidth for all
 * its links at once. */
static void check_pcie(const struct scenario_node *host, struct check_report *report)
{
    const struct pipeline_params *pipeline = &host->host->rnic->pipeline;
    if (!pipeline_has_pcie(pipeline))
        return;
    for (uint16_t p = 0; p < host->outer_ports; p++) {
        const uint64_t rate = (uint64_t)host->ports[p].params->rate;
        const int64_t generation = pipeline->pcie_generation;
        const uint64_t bps = pcie_raw_bps(generation, pipeline->pcie_lanes);
        if (host->ports[p].link == SCENARIO_NO_LINK || bps >= rate)
            continue;
        char has[QUANTITY_TEXT_BYTES];
        int64_t lanes = pipeline->pcie_lanes;
        const struct check_thing thing = check_of_rnic(host, "pcie-lanes");
        quantity_format(QUANTITY_RATE, (int64_t)rate, has, sizeof has);
        check_alike(
            report, DIAG_WARNING, &thing,
            "the link runs at %s, but PCIe generation %lld with %lld %s allows at most %llu Gb/s",
            has, (long long)generation, (long long)lanes, plural(lanes, "lane", "lanes"),
            (unsigned long long)(bps / 1000000000));
        check_remedy(report, "use a slot with more lanes or a later generation (rnic.pcie-lanes, "
                             "rnic.pcie-generation)");
        while (lanes < PCIE_LANES_MOST && pcie_raw_bps(generation, lanes) < rate)
            lanes *= 2;
        if (lanes <= PCIE_LANES_MOST && pcie_raw_bps(generation, lanes) >= rate)
            check_set(report, &thing, "%lld", (long long)lanes);
        return;
    }
}

/* A busy host may drain as little as half of the link rate; less indicates a bottleneck. */
static void check_drain(const struct scenario_node *host, struct check_report *report)
{
    const int64_t drain = host->host->rnic->drain;
    if (host->outer_ports == 0 || drain <= 0 || drain >= host->ports[0].params->rate / 2)
        return;
    char takes[QUANTITY_TEXT_BYTES], has[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_RATE, drain, takes, sizeof takes);
    quantity_format(QUANTITY_RATE, host->ports[0].params->rate, has, sizeof has);
    const struct check_thing thing = check_of_rnic(host, "drain");
    check_alike(report, DIAG_WARNING, &thing,
                "the receive buffer drains at %s (rnic.drain), but the link runs at %s: "
                "%s",
                takes, has,
                !scenario_has_credits(host) ? "the host pauses the switch"
                                            : "the switch waits for credits");
    check_shows(report, "pfc.pause_frames");
    check_remedy(report,
                 "find the cause of the slow host (PCIe, memory, IOMMU), and set rnic.drain: 0bps");
    check_set(report, &thing, "0bps");
}

static void find_host_values(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        check_rx(&scenario->nodes[i], report);
        check_pcie(&scenario->nodes[i], report);
        check_drain(&scenario->nodes[i], report);
    }
}

const struct check_rule check_host_values = {
    .name = "host-values",
    .about =
        "The values of a receive buffer agree, and PCIe and host can take the rate of the link.",
    .run = find_host_values,
};
