/* SPDX-License-Identifier: Apache-2.0
 * check_segment_sizes - the hosts of a TCP connection have the same MTU.
 * Both ends announce the MSS of their MTU, and each sends segments of the smaller one: nothing is
 * lost, but the host with the larger MTU has the frames and the CPU time of the other.
 * Source: RFC 9293 3.7.1. */
#include "scenarios/check/check_rule.h"

#include "scenarios/workload/workload.h"

enum { HEADERS = 40, HOST_PORT = 0 }; /* IPv4 and TCP without options */

static void differ(struct check_report *report, const struct scenario_workload *workload,
                   const struct scenario_node *less, const struct scenario_node *more)
{
    const long long small = less->ports[HOST_PORT].params->mtu,
                    large = more->ports[HOST_PORT].params->mtu,
                    tenths = 10 * (large - HEADERS) / (small - HEADERS);
    const struct check_thing thing = check_of_port(less, HOST_PORT, "mtu");
    check_alike(report, DIAG_NOTE, &thing,
                "'%s': TCP connections have the MSS of its MTU, %lld B, in both directions; peers "
                "with MTU %lld send %lld.%lld times as many segments as with their own",
                workload->name, small - HEADERS, large, tenths / 10, tenths % 10);
    check_remedy(report, "use the same mtu on the links of all hosts");
    check_set(report, &thing, "%lldB", large);
}

static void find_segment_sizes(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (uint32_t i = 0; workload->by_tcp && i < workload->pair_count; i++) {
            const struct scenario_node *from = &scenario->nodes[workload->pairs[i].from];
            const struct scenario_node *to = &scenario->nodes[workload->pairs[i].to];
            const int64_t difference =
                from->ports[HOST_PORT].params->mtu - to->ports[HOST_PORT].params->mtu;
            if (difference != 0)
                differ(report, workload, difference < 0 ? from : to, difference < 0 ? to : from);
        }
    }
}

const struct check_rule check_segment_sizes = {
    .name = "segment-sizes",
    .about = "The hosts of a TCP connection have the same MTU, so the same MSS.",
    .run = find_segment_sizes,
};
