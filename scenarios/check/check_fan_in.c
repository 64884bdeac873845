/* SPDX-License-Identifier: Apache-2.0
 * check_fan_in - hosts that may talk to one at the same time have more than it can take. */
#include "scenarios/check/check_private.h"

#include <stdlib.h>

static int64_t node_rate(const struct scenario_node *node)
{
    int64_t rate = 0;
    for (uint16_t p = 0; p < node->port_count; p++)
        rate += node->ports[p].link == SCENARIO_NO_LINK ? 0 : node->ports[p].params->rate;
    return rate;
}

struct flow {
    uint32_t to, from;
};

static int by_receiver(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Every pair of every workload, sorted by receiver and then by sender. */
static struct flow *sorted_flows(const struct scenario *scenario, struct arena *arena,
                                 size_t *count)
{
    *count = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        *count += scenario->workloads[w].pair_count;
    struct flow *flows = arena_array(arena, *count, sizeof *flows);
    size_t used = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            flows[used++] = (struct flow){pair->to, pair->from};
        }
    qsort(flows, *count, sizeof *flows, by_receiver);
    return flows;
}

static void tell_fan_in(const struct scenario_node *host, uint32_t senders, int64_t arriving,
                        struct check_report *report)
{
    const int64_t rate = node_rate(host);
    if (senders > 1 && rate > 0 && arriving > rate) {
        check_add(report, DIAG_NOTE, host->place,
                  "%u hosts with %lld Gb/s send to %s, which has %lld: fan-in %lld to 1", senders,
                  (long long)(arriving / 1000000000), host->name, (long long)(rate / 1000000000),
                  (long long)(arriving / rate));
        check_shows(report, "pfc.pause_frames");
    }
}

/* Hosts that may talk to one at the same time; a host with several workloads counts once. */
static void run(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    size_t count;
    const struct flow *flows = sorted_flows(scenario, &scratch, &count);
    uint32_t senders = 0;
    int64_t arriving = 0;
    for (size_t i = 0; i < count; i++) {
        const bool repeated = i > 0 && by_receiver(&flows[i - 1], &flows[i]) == 0;
        senders += !repeated;
        arriving += repeated ? 0 : node_rate(&scenario->nodes[flows[i].from]);
        if (i + 1 < count && flows[i + 1].to == flows[i].to)
            continue;
        tell_fan_in(&scenario->nodes[flows[i].to], senders, arriving, report);
        senders = 0;
        arriving = 0;
    }
    arena_free(&scratch);
}

const struct check_rule check_fan_in = {
    .name = "fan-in",
    .about = "How many hosts meet at one, and at what rate.",
    .run = run,
};
