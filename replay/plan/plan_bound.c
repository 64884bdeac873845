/* SPDX-License-Identifier: Apache-2.0
 * plan_bound - what links carry, what loops ask for, how far light goes. */
#include "replay/plan/plan_bound.h"

#include "base/memory.h"
#include "net/port/port.h"
#include "replay/database/words.h"
#include "scenarios/check/offered.h"

#include <stdio.h>
#include <stdlib.h>

static bool is_goodput(enum expect_quantity quantity)
{
    return quantity == EXPECT_GOODPUT || quantity == EXPECT_STEADY_GOODPUT;
}

static bool is_iops(enum expect_quantity quantity)
{
    return quantity == EXPECT_IOPS || quantity == EXPECT_STEADY_IOPS;
}

static bool is_latency(enum expect_quantity quantity)
{
    static const enum expect_quantity all[] = {
        EXPECT_LATENCY_MEAN,        EXPECT_LATENCY_MIN,        EXPECT_LATENCY_P50,
        EXPECT_LATENCY_P90,         EXPECT_LATENCY_P95,        EXPECT_LATENCY_P99,
        EXPECT_LATENCY_P99_9,       EXPECT_LATENCY_P99_99,     EXPECT_LATENCY_MAX,
        EXPECT_STEADY_LATENCY_P50,  EXPECT_STEADY_LATENCY_P99, EXPECT_STEADY_LATENCY_MEAN,
        EXPECT_STEADY_LATENCY_P99_9};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == quantity)
            return true;
    return false;
}

/* ------------------------------------------------------------------ goodput */

/* The links of all hosts at one end of the pairs together, each host once. */
static int64_t room_at(const struct scenario *scenario, const struct scenario_workload *workload,
                       bool from)
{
    bool *seen = memory_zeroed(scenario->node_count, sizeof *seen);
    int64_t room = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const uint32_t node = from ? workload->pairs[i].from : workload->pairs[i].to;
        room += seen[node] ? 0 : offered_room(&scenario->nodes[node]);
        seen[node] = true;
    }
    free(seen);
    return room;
}

/* Payload that open loops ask for, bits per second; OFFERED_ALL of closed ones. */
static int64_t asked(const struct scenario *scenario, const struct scenario_workload *workload)
{
    __int128 all = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct offered offered = offered_by(scenario, workload, &workload->pairs[i]);
        if (offered.out == OFFERED_ALL || offered.back == OFFERED_ALL)
            return OFFERED_ALL;
        all += (__int128)offered.out + offered.back; /* with headers: more than the payload */
    }
    all *= workload->copies;
    return all < OFFERED_ALL ? (int64_t)all : OFFERED_ALL;
}

static int64_t goodput_most(const struct scenario *scenario,
                            const struct scenario_workload *workload, char why[PLAN_BOUND_BYTES])
{
    if (workload->pair_count == 0)
        return -1;
    const struct offered one = offered_by(scenario, workload, &workload->pairs[0]);
    const int64_t ways = one.out > 0 && one.back > 0 ? 2 : 1;
    const int64_t from = room_at(scenario, workload, true) * ways;
    const int64_t to = room_at(scenario, workload, false) * ways;
    const int64_t loops = asked(scenario, workload);
    if (loops <= from && loops <= to)
        snprintf(why, PLAN_BOUND_BYTES, "%s asks for no more than %s", workload->name,
                 words_rate((double)loops).text);
    else
        snprintf(why, PLAN_BOUND_BYTES, "the links of %s carry no more than %s",
                 from < to ? "its hosts" : "the hosts that it goes to",
                 words_rate((double)(from < to ? from : to)).text);
    const int64_t links = from < to ? from : to;
    return loops < links ? loops : links;
}

/* Operations of that many bits each; their sizes are known. */
static int64_t iops_most(const struct scenario *scenario, const struct scenario_workload *workload,
                         char why[PLAN_BOUND_BYTES])
{
    const int64_t bytes = offered_varies(workload) ? 0 : offered_mean(workload);
    const int64_t bits = goodput_most(scenario, workload, why);
    return bytes <= 0 || bits < 0 ? -1 : bits / (8 * bytes) + 1;
}

/* ------------------------------------------------------------------ latency */

/* To the switch and from it, of one host, and the bytes of an operation on its fastest link. */
static int64_t at_host(const struct scenario *scenario, uint32_t host, int64_t bytes, int64_t *wire)
{
    const struct scenario_node *node = &scenario->nodes[host];
    time_ps nearest = TIME_NEVER;
    int64_t fastest = 1;
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct port_params *port = node->ports[p].params;
        if (node->ports[p].link == SCENARIO_NO_LINK)
            continue;
        /* Of a cable between two hosts both ends would count. */
        const bool direct = scenario->nodes[node->ports[p].peer_node].kind == SCENARIO_HOST;
        const time_ps way = direct ? 0 : port_propagation(port);
        nearest = way < nearest ? way : nearest;
        fastest = port->rate > fastest ? port->rate : fastest;
    }
    *wire = (int64_t)((__int128)bytes * 8 * PS_PER_S / fastest);
    return nearest == TIME_NEVER ? 0 : 2 * nearest;
}

static int64_t latency_least(const struct scenario *scenario,
                             const struct scenario_workload *workload, char why[PLAN_BOUND_BYTES])
{
    const int64_t bytes = offered_varies(workload) ? 0 : offered_mean(workload);
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        int64_t wire[2];
        if (workload->pairs[i].from == workload->pairs[i].to)
            return -1;
        const int64_t ways = at_host(scenario, workload->pairs[i].from, bytes, &wire[0]) +
                             at_host(scenario, workload->pairs[i].to, bytes, &wire[1]);
        const int64_t all = ways + (wire[0] > wire[1] ? wire[0] : wire[1]);
        least = all < least ? all : least;
    }
    if (least == INT64_MAX)
        return -1;
    snprintf(why, PLAN_BOUND_BYTES,
             "an operation of %s takes at least %s on the links of its hosts", workload->name,
             words_time(least).text);
    return least;
}

int64_t plan_bound(const struct scenario *scenario, const struct expectation *expectation,
                   char why[PLAN_BOUND_BYTES])
{
    why[0] = '\0';
    if (expectation->workload == EXPECT_WHOLE_RUN)
        return -1;
    const struct scenario_workload *workload = &scenario->workloads[expectation->workload];
    if (workload->job != NULL)
        return -1;
    if (is_goodput(expectation->quantity))
        return goodput_most(scenario, workload, why);
    if (is_iops(expectation->quantity))
        return iops_most(scenario, workload, why);
    return is_latency(expectation->quantity) ? latency_least(scenario, workload, why) : -1;
}

bool plan_bound_refuses(const struct scenario *scenario, const struct expectation *expectation,
                        char why[PLAN_BOUND_BYTES])
{
    const int64_t bound = plan_bound(scenario, expectation, why);
    const bool below = expectation->op == EXPECT_LT || expectation->op == EXPECT_LE;
    const bool above = expectation->op == EXPECT_GT || expectation->op == EXPECT_GE;
    if (bound < 0)
        return false;
    return is_latency(expectation->quantity) ? below && bound > expectation->value
                                             : above && bound < expectation->value;
}
