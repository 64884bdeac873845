/* SPDX-License-Identifier: Apache-2.0
 * limits_stations - the busiest CPU, core, medium or engine, and what waits for it. */
#include "replay/record/limits_private.h"

#include "nvme/target/target.h"

#include <stdio.h>
#include <string.h>

void limits_host_cpus(struct limits_scope *scope, uint32_t index)
{
    const struct usage *usage = scope->usage;
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_HOST_CPU];
    const time_ps busy = usage_of_workload(usage, index, USAGE_WORK_CPU);
    const int64_t queues = usage_of_workload(usage, index, USAGE_WORK_QUEUES);
    const int64_t on = usage_of_workload(usage, index, USAGE_WORK_ON_CPU);
    const int64_t out = usage_of_workload(usage, index, USAGE_WORK_OUT);
    const int64_t served = (int64_t)((__int128)busy * usage_looks(usage) / usage_span(usage));
    use->used = share_ppm(busy / (queues > 0 ? queues : 1), usage_span(usage));
    use->covers = PPM;
    use->waiting = share_ppm(on - served, out);
    use->serving = share_ppm(served, out);
    scope->on_cpu = share_ppm(on, out);
    const struct scenario_workload *about = &scope->collect->scenario->workloads[index];
    snprintf(use->where, sizeof use->where,
             about->ops->needs_nvme_target ? "the host CPUs of " SCENARIO_WORKLOAD_WORDS
                                           : "the posting cores of " SCENARIO_WORKLOAD_WORDS,
             about->name);
    limits_place(use, about->pair_count > 0 ? about->pairs[0].from : 0,
                 about->ops->needs_nvme_target ? "host" : "posting");
}

/* A software RNIC's work is done by its host's CPU; the busier of the two ends counts. */
void limits_software(struct limits_scope *scope)
{
    const struct scenario *scenario = scope->collect->scenario;
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_HOST_CPU];
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t i = 0; i < scenario->nodes[node].port_count; i++) {
            if (!scope->to[node] && !scope->from[node])
                continue;
            const int64_t used = share_ppm(usage_of_rnic(scope->usage, node, i, USAGE_RNIC_CPU),
                                           usage_span(scope->usage));
            if (!limits_is_busiest(use, used, PPM))
                continue;
            use->waiting = used;
            limits_place(use, node, "software");
            snprintf(use->where, sizeof use->where, "the CPUs of %.60s (software RNIC)",
                     scenario->nodes[node].name);
        }
}

/* The cores that execute TCP at the hosts of one end. */
struct tcp_cores {
    struct bottleneck_use most; /* the busiest entry */
    __int128 all, by_most;      /* ps of work; of those, by entries as busy as the busiest */
};

static int64_t tcp_core_used(const struct limits_scope *scope, uint32_t node, uint32_t entry,
                             time_ps *busy)
{
    const uint16_t port = (uint16_t)(entry / TCP_LOOK_CORES);
    const unsigned i = entry % TCP_LOOK_CORES;
    const int64_t cores = usage_of_rnic(scope->usage, node, port, USAGE_TCP_CORES + i);
    *busy = usage_of_rnic(scope->usage, node, port, USAGE_TCP_BUSY + i);
    return cores == 0 ? 0 : share_ppm(*busy / cores, usage_span(scope->usage));
}

static struct tcp_cores look_at_tcp_cores(const struct limits_scope *scope, const bool *nodes)
{
    const struct scenario *scenario = scope->collect->scenario;
    struct tcp_cores found = {0};
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint32_t i = 0; nodes[node] && i < scenario->nodes[node].port_count * TCP_LOOK_CORES;
             i++) {
            time_ps busy;
            const int64_t used = tcp_core_used(scope, node, i, &busy);
            found.all += busy;
            if (used * 9 > found.most.used * 10)
                found.by_most = 0;
            if (used * 10 >= found.most.used * 9)
                found.by_most += busy;
            if (used <= found.most.used)
                continue;
            found.most.used = used;
            limits_place(&found.most, node, "tcp");
            snprintf(found.most.where, sizeof found.most.where, "%.60s's TCP cores",
                     scenario->nodes[node].name);
        }
    found.most.covers = found.all == 0 ? 0 : (int64_t)(found.by_most * PPM / found.all);
    return found;
}

/* Operations that TCP workloads have outstanding between any of these hosts. */
static int64_t outstanding_by_tcp(const struct limits_scope *scope)
{
    const struct scenario *scenario = scope->collect->scenario;
    int64_t sum = 0;
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        bool meets = false;
        for (uint32_t k = 0; workload->by_tcp && !meets && k < workload->pair_count; k++)
            meets = scope->from[workload->pairs[k].from] || scope->to[workload->pairs[k].to];
        sum += meets ? usage_of_workload(scope->usage, i, USAGE_WORK_OUT) : 0;
    }
    return sum;
}

/* TCP is work of the kernel at both ends, and an operation may wait for a core of either. */
void limits_tcp_cores(struct limits_scope *scope)
{
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_HOST_CPU];
    const struct tcp_cores from = look_at_tcp_cores(scope, scope->from);
    const struct tcp_cores to = look_at_tcp_cores(scope, scope->to);
    const struct bottleneck_use *most = from.most.used > to.most.used ? &from.most : &to.most;
    const int64_t served =
        (int64_t)((from.all + to.all) * usage_looks(scope->usage) / usage_span(scope->usage));
    const int64_t serving = share_ppm(served, outstanding_by_tcp(scope));
    const int64_t waiting = share_ppm(limits_sum(scope, scope->from, USAGE_TCP_CORE) +
                                          limits_sum(scope, scope->to, USAGE_TCP_CORE),
                                      limits_sum(scope, scope->from, USAGE_TCP_ACTIVE));
    use->serving += serving;
    limits_is_elsewhere(scope, serving); /* bursts that wait for a core came from the link */
    if (!limits_is_busiest(use, most->used, most->covers))
        return;
    scope->input->by_tcp_cores = true;
    use->waiting = waiting;
    limits_place(use, most->node, most->station);
    snprintf(use->where, sizeof use->where, "%.100s", most->where);
}

static bool is_core(const struct usage_station *station)
{
    return strcmp(station->name, "cores") == 0 || strcmp(station->name, "lock") == 0;
}

/* The busiest station of all targets, among cores or media. */
static const char *add_stations(struct limits_scope *scope, bool cores)
{
    const char *name = "";
    const struct scenario *scenario = scope->collect->scenario;
    const struct usage *usage = scope->usage;
    struct bottleneck_use *use =
        &scope->input->uses[cores ? BOTTLENECK_TARGET_CPU : BOTTLENECK_MEDIA];
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        const struct usage_station *stations = scope->to[node] ? usage_stations(usage, node) : NULL;
        for (int i = 0; stations != NULL && i < USAGE_STATIONS && stations[i].name != NULL; i++) {
            const time_ps busy = usage_of_target(usage, node, USAGE_TARGET_STATION + (unsigned)i);
            const int64_t used = share_ppm(busy / stations[i].servers, usage_span(usage));
            if (is_core(&stations[i]) != cores || used <= use->used)
                continue;
            use->used = used;
            name = stations[i].name;
            limits_place(use, node, name);
            snprintf(use->where, sizeof use->where,
                     cores ? "%.60s's %.60s" : "%.60s's drives (%.60s)", scenario->nodes[node].name,
                     strcmp(name, "lock") == 0 ? "shared lock" : name);
        }
    }
    return name;
}

/* The share of all such stations' work done by those as busy as the busiest, and the share of
 * outstanding I/Os waiting for them. */
static void add_waiting(struct limits_scope *scope, bool cores, const char *name)
{
    const struct scenario *scenario = scope->collect->scenario;
    const struct usage *usage = scope->usage;
    struct bottleneck_use *use =
        &scope->input->uses[cores ? BOTTLENECK_TARGET_CPU : BOTTLENECK_MEDIA];
    __int128 busy_all = 0, busy_most = 0;
    int64_t here = 0, asked = 0;
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        const struct usage_station *stations = scope->to[node] ? usage_stations(usage, node) : NULL;
        if (stations == NULL)
            continue;
        here += usage_of_target(usage, node, cores ? USAGE_TARGET_ON_CORE : USAGE_TARGET_IN_MEDIA);
        asked += usage_of_target(usage, node, USAGE_TARGET_ASKED);
        for (int i = 0; i < USAGE_STATIONS && stations[i].name != NULL; i++) {
            const time_ps busy = usage_of_target(usage, node, USAGE_TARGET_STATION + (unsigned)i);
            if (strcmp(stations[i].name, name) != 0)
                continue;
            busy_all += busy;
            if (share_ppm(busy / stations[i].servers, usage_span(usage)) * 10 >= use->used * 9)
                busy_most += busy;
        }
    }
    const int64_t served = (int64_t)(busy_all * usage_looks(usage) / usage_span(usage));
    use->waiting = share_ppm(here - served, asked);
    use->serving = share_ppm(served, asked);
    if (asked > 0)
        limits_is_elsewhere(scope, share_ppm(here, asked));
    use->covers = busy_all == 0 ? 0 : (int64_t)(busy_most * PPM / busy_all);
}

void limits_recovery(struct limits_scope *scope, uint32_t index)
{
    const struct scenario *scenario = scope->collect->scenario;
    const struct usage *usage = scope->usage;
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_RECOVERY];
    use->used = share_ppm(usage_of_workload(usage, index, USAGE_WORK_AWAY),
                          usage_of_workload(usage, index, USAGE_WORK_INSTANCES));
    use->covers = PPM;
    scope->input->away = use->used;
    snprintf(use->where, sizeof use->where, "controllers of " SCENARIO_WORKLOAD_WORDS " were lost",
             scope->whose);
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        if (!scope->to[node] || usage_stations(usage, node) == NULL)
            continue;
        const int64_t stalled =
            share_ppm(usage_of_target(usage, node, USAGE_TARGET_STALLED), usage_looks(usage));
        const int64_t asking = share_ppm(scope->targets[node], scope->pairs);
        if (limits_part(stalled, asking) <= limits_part(use->used, use->covers))
            continue;
        use->used = stalled;
        use->covers = asking;
        snprintf(use->where, sizeof use->where, "the target on %.100s stalled",
                 scenario->nodes[node].name);
    }
}

/* Describes the kinds of limits of a target. */
static const char *limits_of(const struct scenario_host *host)
{
    bool spaces = false, subsystems = false;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        spaces |= nvme_limits_any(&host->namespaces[i].params->limits);
    for (uint32_t i = 0; i < host->subsystem_count; i++)
        subsystems |= nvme_limits_any(&host->subsystems[i].limits);
    return !subsystems ? "the limit of a namespace"
           : !spaces   ? "the limit of a subsystem"
                       : "limits of a namespace or subsystem";
}

/* Resources shared by commands before service: data buffers, work requests, namespace limits. */
static void add_shared(struct limits_scope *scope, enum bottleneck_resource resource,
                       enum usage_target waiting, enum usage_target is_short, const char *words)
{
    const struct scenario *scenario = scope->collect->scenario;
    const struct usage *usage = scope->usage;
    struct bottleneck_use *use = &scope->input->uses[resource];
    int64_t here = 0, asked = 0;
    for (uint32_t node = 0; node < scenario->node_count; node++) {
        if (!scope->to[node] || usage_stations(usage, node) == NULL)
            continue;
        here += usage_of_target(usage, node, waiting);
        asked += usage_of_target(usage, node, USAGE_TARGET_ASKED);
        const int64_t used = share_ppm(usage_of_target(usage, node, is_short), usage_looks(usage));
        if (limits_is_busiest(use, used, share_ppm(scope->targets[node], scope->pairs)))
            snprintf(use->where, sizeof use->where, "commands wait for %s of %.100s",
                     words != NULL ? words : limits_of(scenario->nodes[node].host),
                     scenario->nodes[node].name);
    }
    if (asked > 0)
        limits_is_elsewhere(scope, share_ppm(here, asked));
}

void limits_targets(struct limits_scope *scope)
{
    add_shared(scope, BOTTLENECK_BUFFERS, USAGE_TARGET_UNBUFFERED, USAGE_TARGET_SHORT,
               "data buffers");
    add_shared(scope, BOTTLENECK_WRS, USAGE_TARGET_WITHOUT_WRS, USAGE_TARGET_FEW_WRS,
               "data work requests");
    add_shared(scope, BOTTLENECK_LIMIT, USAGE_TARGET_LIMITED, USAGE_TARGET_BOUND, NULL);
    for (int cores = 0; cores < 2; cores++) {
        const char *name = add_stations(scope, cores != 0);
        add_waiting(scope, cores != 0, name);
    }
}

/* A part of an RNIC with a pipeline. */
static const struct rnic_part {
    enum bottleneck_resource resource;
    enum usage_rnic what;
    const char *before, *behind; /* the host's name is in between */
    const char *station;         /* of limit_value.def */
} rnic_parts[] = {
    {BOTTLENECK_RNIC, USAGE_RNIC_MESSAGES, "the message engine of ", "'s RNIC", "messages"},
    {BOTTLENECK_RNIC, USAGE_RNIC_TX, "the engine for packets sent by ", "'s RNIC", "sent packets"},
    {BOTTLENECK_RNIC, USAGE_RNIC_RX, "the engine for packets received by ", "'s RNIC",
     "received packets"},
    {BOTTLENECK_PCIE, USAGE_RNIC_PCIE_DOWN, "PCIe from the memory of ", " to its RNIC", "pcie"},
    {BOTTLENECK_PCIE, USAGE_RNIC_PCIE_UP, "PCIe from the RNIC of ", " to its memory", "pcie"},
    {BOTTLENECK_COMPLETIONS, USAGE_CQ_WORKING, "the cores that take completions of ", "'s RNIC",
     "completions"},
    {BOTTLENECK_RNIC, USAGE_QP_RESTS, "the engine of each queue pair in ", "'s RNIC", "queue pair"},
    {BOTTLENECK_RNIC, USAGE_QP_GATHERS, "the READ engine of each queue pair in ", "'s RNIC",
     "queue pair, reads"},
};

static int64_t engine_used(const struct usage *usage, uint32_t node, uint16_t port,
                           enum usage_rnic what)
{
    const int64_t busy = usage_of_rnic(usage, node, port, what);
    const bool by_qp = what == USAGE_QP_RESTS || what == USAGE_QP_GATHERS;
    const int64_t whole = by_qp ? usage_of_rnic(usage, node, port, USAGE_QP_ACTIVE)
                          : what == USAGE_CQ_WORKING
                              ? usage_of_rnic(usage, node, port, USAGE_CQ_ALL)
                              : usage_span(usage);
    return share_ppm(busy, whole);
}

static void add_engine(const struct limits_scope *scope, uint32_t node, uint16_t port,
                       const struct rnic_part *part)
{
    struct bottleneck_use *use = &scope->input->uses[part->resource];
    const int64_t used = engine_used(scope->usage, node, port, part->what);
    if (!limits_is_busiest(use, used, PPM))
        return;
    limits_place(use, node, part->station);
    snprintf(use->where, sizeof use->where, "%s%.60s%s", part->before,
             scope->collect->scenario->nodes[node].name, part->behind);
}

void limits_engines(struct limits_scope *scope, const bool *nodes)
{
    const struct scenario *scenario = scope->collect->scenario;
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t port = 0; nodes[node] && port < scenario->nodes[node].port_count; port++)
            for (size_t i = 0; i < sizeof rnic_parts / sizeof rnic_parts[0]; i++)
                add_engine(scope, node, port, &rnic_parts[i]);
}
