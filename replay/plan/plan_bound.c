/* SPDX-License-Identifier: Apache-2.0
 * plan_bound - upper bounds from link capacity, offered load and propagation delay. */
#include "replay/plan/plan_bound.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/plural.h"
#include "net/port/port.h"
#include "nvme/host/host.h"
#include "nvme/target/target.h"
#include "replay/database/words.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/check/offered.h"
#include "scenarios/fabric/loopback.h"
#include "scenarios/fio/fio.h"
#include "scenarios/workload/wl_nvme.h"
#include "scenarios/workload/wl_pace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_goodput(enum expect_quantity quantity)
{
    return quantity == EXPECT_STEADY_GOODPUT;
}

static bool is_iops(enum expect_quantity quantity)
{
    return quantity == EXPECT_STEADY_IOPS;
}

static bool is_latency(enum expect_quantity quantity)
{
    static const enum expect_quantity all[] = {EXPECT_LATENCY_MEAN,
                                               EXPECT_LATENCY_MIN,
                                               EXPECT_LATENCY_P50,
                                               EXPECT_LATENCY_P90,
                                               EXPECT_LATENCY_P95,
                                               EXPECT_LATENCY_P99,
                                               EXPECT_LATENCY_P99_9,
                                               EXPECT_LATENCY_P99_99,
                                               EXPECT_LATENCY_MAX,
                                               EXPECT_STEADY_LATENCY_P50,
                                               EXPECT_STEADY_LATENCY_P99,
                                               EXPECT_STEADY_LATENCY_MEAN,
                                               EXPECT_STEADY_LATENCY_P99_9,
                                               EXPECT_LATENCY_SLOWEST,
                                               EXPECT_STEADY_LATENCY_SLOWEST,
                                               EXPECT_WORST_MEMBER_MEAN,
                                               EXPECT_WORST_MEMBER_P99,
                                               EXPECT_STEADY_WORST_MEMBER_MEAN,
                                               EXPECT_STEADY_WORST_MEMBER_P99};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == quantity)
            return true;
    return false;
}

/* ------------------------------------------------------------------ goodput */

/* Rate of the port that carries the host's loopback traffic, per direction. */
static int64_t inner_room(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair)
{
    struct nic_pair nics;
    CHECK(loopback_find(scenario, workload, pair, &nics));
    return scenario->nodes[pair->from].ports[nics.from].params->rate;
}

/* Total rate of the links of all hosts at one end of the pairs, each host once, plus the ports that
 * carry their loopback traffic. */
static int64_t room_at(const struct scenario *scenario, const struct scenario_workload *workload,
                       bool from)
{
    enum { OUTER = 1, INNER = 2 };
    uint8_t *seen = memory_zeroed(scenario->node_count, sizeof *seen);
    int64_t room = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const uint32_t node = from ? pair->from : pair->to;
        const uint8_t way = pair->from == pair->to ? INNER : OUTER;
        if ((seen[node] & way) == 0)
            room += way == INNER ? inner_room(scenario, workload, pair)
                                 : offered_room(&scenario->nodes[node]);
        seen[node] |= way;
    }
    free(seen);
    return room;
}

/* The group that consists of exactly these hosts, or NULL. */
static const char *group_of(const struct scenario *scenario, const bool *ends, uint32_t count)
{
    for (size_t i = 0; i < scenario->group_count; i++) {
        const struct scenario_group *group = &scenario->groups[i];
        bool all = group->count == count;
        for (size_t k = 0; k < group->count && all; k++)
            all = ends[group->spots[k].node];
        if (all)
            return group->name;
    }
    return NULL;
}

/* "targets (host0, host13)": the hosts at one end of the pairs. */
static void name_ends(const struct scenario *scenario, const struct scenario_workload *workload,
                      bool from, char *text, size_t size)
{
    enum { TOLD = 4 };
    bool *ends = memory_zeroed(scenario->node_count, sizeof *ends);
    uint32_t count = 0, told = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++)
        ends[from ? workload->pairs[i].from : workload->pairs[i].to] = true;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        count += ends[i];
    const char *group = group_of(scenario, ends, count);
    snprintf(text, size, "%.30s%s", group == NULL ? "" : group, group == NULL ? "" : " (");
    for (uint32_t i = 0; i < scenario->node_count && told < TOLD; i++) {
        if (!ends[i])
            continue;
        const char *gap = told == 0 ? "" : ", ";
        snprintf(text + strlen(text), size - strlen(text), "%s%.16s", gap, scenario->nodes[i].name);
        told++;
    }
    if (count > told)
        snprintf(text + strlen(text), size - strlen(text), " and %u more",
                 (unsigned)(count - told));
    if (group != NULL)
        snprintf(text + strlen(text), size - strlen(text), ")");
    free(ends);
}

/* ------------------------------------------------------------------ outstanding operations */

/* A value among the workload kind's own rows, or -1. */
static int64_t value_of(const struct scenario_workload *workload, const char *name)
{
    return opt_value(workload->ops->opts, name, workload->params, -1);
}

time_ps plan_bound_span(const struct scenario_workload *workload)
{
    const time_ps all = workload->stop - workload->start;
    return value_of(workload, "count") > 0 || all <= 0 ? 0 : all / PLAN_BOUND_STEADY_LEAST;
}

/* Cores of the host that issue I/O for one instance. */
static int64_t cores_of(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair)
{
    return wl_nvme_cores(workload->params, &scenario->nodes[pair->from].host->nvme_host->core);
}

/* Maximum rate, per second of the steady part, of operations that were issued before it and
 * complete in it; INT64_MAX if unknown. */
static int64_t late_rate(const struct scenario *scenario, const struct scenario_workload *workload)
{
    const bool nvme = workload->ops->needs_nvme_target;
    const int64_t depth = value_of(workload, nvme ? "queue-depth" : "outstanding");
    const time_ps span = plan_bound_span(workload);
    if (depth < 1 || span <= 0)
        return INT64_MAX;
    __int128 all = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const int64_t each = depth * (nvme ? cores_of(scenario, workload, &workload->pairs[i])
                                           : value_of(workload, "qps"));
        if (each < 1)
            return INT64_MAX;
        /* plus one operation per instance due exactly at the start */
        all += (__int128)workload->copies * (each * workload->turns + 1);
    }
    const __int128 rate = all * PS_PER_S / span + 1;
    return rate < INT64_MAX ? (int64_t)rate : INT64_MAX;
}

/* Range of the bytes of an operation. */
struct sizes {
    int64_t least, most;
};

/* Returns false if some operations have no data or the sizes are unknown. */
static bool sizes_of(const struct scenario_workload *workload, struct sizes *sizes)
{
    static const char *const without[] = {"flush", "write-zeroes", "deallocate"};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (value_of(workload, without[i]) > 0)
            return false;
    const struct wl_plan_params *plan =
        workload->job == NULL ? NULL : &workload->job->nvme.fio.plan;
    *sizes = plan != NULL ? (struct sizes){wl_plan_smallest(plan), wl_plan_largest(plan)}
                          : (struct sizes){offered_mean(workload), offered_mean(workload)};
    return (plan != NULL || !offered_varies(workload)) && sizes->least > 0 &&
           sizes->most <= UINT32_MAX;
}

/* Share of reads among the operations, ppm; -1 if mixed. */
static int64_t reads_of(const struct scenario_workload *workload)
{
    const struct fio_job *job = workload->job;
    if (job != NULL && job->nvme.fio.verify_backlog > 0) /* written data are read back */
        return -1;
    return job != NULL ? job->nvme.fio.plan.read_ppm : value_of(workload, "read");
}

static int64_t multiple(int64_t rate, int64_t count)
{
    return rate > INT64_MAX / count ? INT64_MAX : rate * count;
}

/* Offered load of open loops in bit/s, including late operations; INT64_MAX for closed loops and
 * for loops with varying load. */
static int64_t offered_load(const struct scenario *scenario,
                            const struct scenario_workload *workload)
{
    const struct offering offering = offered_all(workload);
    const int64_t slack = late_rate(scenario, workload);
    __int128 all = 0;
    if (value_of(workload, "arrival") != WL_PACE_PACED || offered_varies(workload) ||
        slack == INT64_MAX)
        return INT64_MAX;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct offered offered = offered_by(scenario, &offering, &workload->pairs[i]);
        if (offered.out == OFFERED_ALL || offered.back == OFFERED_ALL)
            return INT64_MAX;
        all += (__int128)offered.out + offered.back; /* an upper bound: includes headers */
    }
    all = all * workload->copies + (__int128)slack * 8 * offered_mean(workload);
    return all < INT64_MAX ? (int64_t)all : INT64_MAX;
}

static int64_t links_most(const struct scenario *scenario, const struct scenario_workload *workload,
                          char why[PLAN_BOUND_BYTES])
{
    const struct offering offering = offered_all(workload);
    const struct offered one = offered_by(scenario, &offering, &workload->pairs[0]);
    const int64_t reads = reads_of(workload);
    const bool one_way = workload->job != NULL && (reads == PPM || reads == 0);
    const int64_t ways = one.out > 0 && one.back > 0 && !one_way ? 2 : 1;
    const int64_t from = room_at(scenario, workload, true) * ways;
    const int64_t to = room_at(scenario, workload, false) * ways;
    char ends[136];
    name_ends(scenario, workload, from < to, ends, sizeof ends);
    snprintf(why, PLAN_BOUND_BYTES, "the links of %s carry at most %s", ends,
             words_rate((double)(from < to ? from : to)).text);
    return from < to ? from : to;
}

static int64_t loops_most(const struct scenario *scenario, const struct scenario_workload *workload,
                          char why[PLAN_BOUND_BYTES])
{
    const int64_t most = offered_load(scenario, workload);
    if (most < INT64_MAX)
        snprintf(why, PLAN_BOUND_BYTES, "%s offers at most %s", workload->name,
                 words_rate((double)most).text);
    return most;
}

/* ------------------------------------------------------------------ commands */

/* Operations per second if each takes this time; INT64_MAX: unlimited. */
static int64_t in_a_second(time_ps each)
{
    return each <= 0 ? INT64_MAX : PS_PER_S / each + 1;
}

/* Rate of all its drives together with their fastest commands. */
static int64_t drives_most(const struct scenario_host *target, int64_t reads, uint32_t bytes)
{
    int64_t all = 0;
    for (uint32_t i = 0; i < target->namespace_count; i++) {
        const struct scenario_namespace *drives = &target->namespaces[i];
        time_ps least = 0;
        if (drives->media->least != NULL) {
            const time_ps read = drives->media->least(drives->media_params, MEDIA_READ, bytes);
            const time_ps write = drives->media->least(drives->media_params, MEDIA_WRITE, bytes);
            least = reads == PPM ? read : reads == 0 || write < read ? write : read;
        }
        all = sum_capped(
            all, multiple(in_a_second(least), drives->count * drives->params->array.drives));
    }
    return all;
}

struct ceiling {
    int64_t most;
    const char *of;
};

static void lower(struct ceiling *ceiling, int64_t most, const char *of)
{
    if (most < ceiling->most)
        *ceiling = (struct ceiling){most, of};
}

/* Commands per second that targets and hosts can process, regardless of the fabric. */
static struct ceiling commands_most(const struct scenario *scenario,
                                    const struct scenario_workload *workload, uint32_t bytes)
{
    struct ceiling ceiling = {INT64_MAX, ""};
    const int64_t reads = reads_of(workload);
    bool *seen = memory_zeroed(scenario->node_count, sizeof *seen);
    int64_t cpus = 0, drives = 0, hosts = 0;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        const struct scenario_host *target = scenario->nodes[pair->to].host;
        const struct nvme_host_params *host = &scenario->nodes[pair->from].host->nvme_host->core;
        hosts = sum_capped(hosts, multiple(in_a_second(host->submit_cost + host->complete_cost),
                                           cores_of(scenario, workload, pair) * workload->copies *
                                               workload->turns));
        if (seen[pair->to])
            continue;
        seen[pair->to] = true;
        const struct nvme_target_params *core = &target->nvme_target->core;
        cpus = sum_capped(cpus, multiple(in_a_second(core->command_cost), core->cores));
        drives = sum_capped(drives, drives_most(target, reads, bytes));
    }
    free(seen);
    lower(&ceiling, cpus, "the CPUs of the targets of");
    lower(&ceiling, drives, "the drives of");
    lower(&ceiling, hosts, "the CPUs of the queues of");
    return ceiling;
}

/* Bound on bytes from command rates; INT64_MAX if unknown. */
static int64_t commands(const struct scenario *scenario, const struct scenario_workload *workload,
                        char why[PLAN_BOUND_BYTES])
{
    struct sizes sizes;
    if (value_of(workload, "queue-depth") < 1 || value_of(workload, "queues") < 1 ||
        !sizes_of(workload, &sizes))
        return INT64_MAX;
    const struct ceiling ceiling = commands_most(scenario, workload, (uint32_t)sizes.least);
    if (ceiling.most == INT64_MAX)
        return INT64_MAX;
    snprintf(why, PLAN_BOUND_BYTES, "%s %s handle at most %s %s per second", ceiling.of,
             workload->name, words_count(ceiling.most).text,
             plural(ceiling.most, "command", "commands"));
    return sum_capped(ceiling.most, late_rate(scenario, workload));
}

struct limit {
    int64_t most;
    char why[PLAN_BOUND_BYTES];
};

/* The smallest limit, the first one among equals. */
static int64_t least_of(const struct limit *limits, uint32_t count, char why[PLAN_BOUND_BYTES])
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < count; i++)
        least = limits[i].most < limits[least].most ? i : least;
    memcpy(why, limits[least].why, PLAN_BOUND_BYTES);
    return limits[least].most == INT64_MAX ? -1 : limits[least].most;
}

/* Rate of operations of this size. */
static int64_t operations(int64_t bits, int64_t bytes)
{
    return bits == INT64_MAX ? INT64_MAX : bits / (8 * bytes) + 1;
}

static int64_t iops_most(const struct scenario *scenario, const struct scenario_workload *workload,
                         char why[PLAN_BOUND_BYTES])
{
    struct limit limits[3] = {{INT64_MAX, ""}, {INT64_MAX, ""}, {INT64_MAX, ""}};
    struct sizes sizes;
    if (workload->pair_count == 0)
        return -1;
    limits[0].most = commands(scenario, workload, limits[0].why);
    if (sizes_of(workload, &sizes)) {
        const int64_t links = links_most(scenario, workload, limits[1].why);
        const int64_t loops = loops_most(scenario, workload, limits[2].why);
        limits[1].most =
            scenario_completes_early(workload)
                ? INT64_MAX
                : sum_capped(operations(links, sizes.least), late_rate(scenario, workload));
        limits[2].most = operations(loops, sizes.least);
    }
    return least_of(limits, 3, why);
}

static int64_t bits_most(const struct scenario *scenario, const struct scenario_workload *workload,
                         char why[PLAN_BOUND_BYTES])
{
    struct limit limits[3] = {{INT64_MAX, ""}, {INT64_MAX, ""}, {INT64_MAX, ""}};
    struct sizes sizes;
    if (workload->pair_count == 0)
        return -1;
    limits[0].most = loops_most(scenario, workload, limits[0].why);
    limits[1].most = links_most(scenario, workload, limits[1].why);
    limits[2].most = commands(scenario, workload, limits[2].why);
    if (limits[2].most != INT64_MAX && sizes_of(workload, &sizes))
        limits[2].most = multiple(limits[2].most, 8 * sizes.most);
    return least_of(limits, 3, why);
}

/* ------------------------------------------------------------------ latency */

/* Twice the propagation delay of a host's shortest cable, and in *wire the time of the operation's
 * bytes on its fastest link. */
static int64_t at_host(const struct scenario *scenario, uint32_t host, int64_t bytes, int64_t *wire)
{
    const struct scenario_node *node = &scenario->nodes[host];
    time_ps nearest = TIME_NEVER;
    int64_t fastest = 1;
    for (uint16_t p = 0; p < node->port_count; p++) {
        const struct port_params *port = node->ports[p].params;
        if (node->ports[p].link == SCENARIO_NO_LINK)
            continue;
        /* a cable between two hosts would be counted at both ends */
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
    struct sizes sizes;
    const int64_t bytes = sizes_of(workload, &sizes) ? sizes.least : 0;
    int64_t least = INT64_MAX;
    if (scenario_completes_early(workload))
        return -1;
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
    snprintf(why, PLAN_BOUND_BYTES, "an operation of %s takes at least %s on its hosts' links",
             workload->name, words_time(least).text);
    return least;
}

int64_t plan_bound(const struct scenario *scenario, const struct expectation *expectation,
                   char why[PLAN_BOUND_BYTES])
{
    why[0] = '\0';
    if (expectation->workload == EXPECT_WHOLE_RUN)
        return -1;
    const struct scenario_workload *workload = &scenario->workloads[expectation->workload];
    if (is_goodput(expectation->quantity))
        return bits_most(scenario, workload, why);
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
