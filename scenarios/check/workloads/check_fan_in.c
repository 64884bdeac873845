/* SPDX-License-Identifier: Apache-2.0
 * check_fan_in - data that may flow to one host at the same time exceed the rate of its links. */
#include "base/plural.h"
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"

#include <stdio.h>
#include <stdlib.h>

enum { GIGABIT = 1000000000 };

/* Data from one host to another. */
struct flow {
    uint32_t to, from;
    int64_t bps;
};

static int by_receiver(const void *a, const void *b)
{
    const struct flow *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void add_flow(struct flow *flows, size_t *count, uint32_t from, uint32_t to, int64_t bps)
{
    if (bps > 0)
        flows[(*count)++] = (struct flow){to, from, bps};
}

/* Data flows of all pairs of all workloads (reads flow from the target), sorted by receiver and
 * then by sender. */
static struct flow *sorted_flows(const struct scenario *scenario, struct arena *arena,
                                 size_t *count)
{
    size_t pairs = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        pairs += scenario->workloads[w].pair_count;
    struct flow *flows = arena_array(arena, 2 * pairs, sizeof *flows);
    *count = 0;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct offering all = offered_all(&scenario->workloads[w]);
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_pair *pair = &scenario->workloads[w].pairs[i];
            const struct offered offered = offered_by(scenario, &all, pair);
            if (pair->from == pair->to)
                continue; /* stays inside the host */
            add_flow(flows, count, pair->from, pair->to, offered.out);
            add_flow(flows, count, pair->to, pair->from, offered.back);
        }
    }
    if (*count > 0)
        qsort(flows, *count, sizeof *flows, by_receiver);
    return flows;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Load that one host offers another in all workloads, limited by the rate of its links. */
static int64_t from_one(const struct scenario *scenario, const struct flow *flows, size_t count)
{
    const int64_t most = offered_room(&scenario->nodes[flows->from]);
    int64_t bps = 0;
    for (size_t i = 0; i < count; i++)
        bps = flows[i].bps >= most - bps ? most : bps + flows[i].bps;
    return least(bps, most);
}

struct quotient {
    char text[32];
};

/* "2", or "1.50": a fan-in above 1:1 must not be printed as 1:1. */
static struct quotient quotient(int64_t value, int64_t unit)
{
    struct quotient result;
    const long long whole = value / unit;
    if (value % unit == 0)
        snprintf(result.text, sizeof result.text, "%lld", whole);
    else
        snprintf(result.text, sizeof result.text, "%lld.%02d", whole,
                 (int)((__int128)(value % unit) * 100 / unit));
    return result;
}

static void tell_fan_in(const struct scenario_node *host, uint32_t senders, int64_t arriving,
                        struct check_report *report)
{
    const int64_t rate = offered_room(host);
    if (senders < 2 || rate == 0 || arriving <= rate)
        return;
    const struct check_thing thing = {.node = host, .port = SCENARIO_ALL_PORTS};
    const char *words = plural(senders, "sender", "senders");
    const struct quotient carried = quotient(rate, GIGABIT);
    if (arriving - rate < rate / 100)
        check_alike(report, DIAG_NOTE, &thing,
                    "%u %s together can send slightly more than the %s Gb/s of the receiver's "
                    "links",
                    senders, words, carried.text);
    else
        check_alike(
            report, DIAG_NOTE, &thing,
            "%u %s together can send up to %s Gb/s, but the receiver's links carry %s Gb/s: a "
            "fan-in of %s:1",
            senders, words, quotient(arriving, GIGABIT).text, carried.text,
            quotient(arriving, rate).text);
    check_shows(report, "pfc.pause_frames");
}

/* Counts the hosts that may send to one host at the same time; a host with several workloads counts
 * once. */
static void find_fan_in(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    size_t count;
    const struct flow *flows = sorted_flows(scenario, &scratch, &count);
    uint32_t senders = 0;
    int64_t arriving = 0;
    for (size_t i = 0, same; i < count; i += same) {
        for (same = 1; i + same < count && by_receiver(&flows[i], &flows[i + same]) == 0;)
            same++;
        senders++;
        arriving += from_one(scenario, &flows[i], same);
        if (i + same < count && flows[i + same].to == flows[i].to)
            continue;
        tell_fan_in(&scenario->nodes[flows[i].to], senders, arriving, report);
        senders = 0;
        arriving = 0;
    }
    arena_free(&scratch);
}

const struct check_rule check_fan_in = {
    .name = "fan-in",
    .about = "The links of a host can carry what all its senders together can send.",
    .run = find_fan_in,
};
