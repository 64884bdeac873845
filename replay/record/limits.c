/* SPDX-License-Identifier: Apache-2.0
 * limits - computes shares of the steady part. */
#include "replay/explain/verdict.h"
#include "replay/record/collect_private.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/explain/explain_words.h"
#include "replay/explain/paths.h"
#include "replay/record/limits_private.h"
#include "replay/usage/usages.h"
#include "scenarios/carrier/nvme_carrier.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ links */

static time_ps busy_ps(const struct limits_scope *scope, uint32_t port)
{
    return units_transfer_ps((uint64_t)usage_of_port(scope->usage, port, USAGE_PORT_BYTES),
                             (uint64_t)scope->fabric->rate_bps[port]);
}

/* Names the least busy member of a host's LAG if it has at most half the utilization of this
 * one. */
static void say_idle_member(const struct limits_scope *scope, uint32_t port, char *text,
                            size_t size)
{
    const struct explain_fabric *fabric = scope->fabric;
    const uint32_t node = fabric->node_of[port], first = fabric->first_port[node];
    const struct scenario_node *host = &scope->collect->scenario->nodes[node];
    uint32_t idlest = port;
    char name[60];
    for (uint16_t i = 0; host->is_aggregate && i < host->port_count; i++)
        if (host->ports[i].link != SCENARIO_NO_LINK &&
            busy_ps(scope, first + i) < busy_ps(scope, idlest))
            idlest = first + i;
    const int64_t busy = share_ppm(busy_ps(scope, idlest), usage_span(scope->usage));
    if (idlest == port || busy * 2 > share_ppm(busy_ps(scope, port), usage_span(scope->usage)))
        return;
    explain_port_words(fabric, idlest, name, sizeof name);
    snprintf(text, size, " (%s of its link aggregate: %s)", name,
             words_percent((double)busy, (double)PPM).text);
}

static void name_link(const struct limits_scope *scope, uint32_t port,
                      char where[BOTTLENECK_WHERE_BYTES])
{
    const struct explain_fabric *fabric = scope->fabric;
    char from[96];
    explain_port_words(fabric, port, from, sizeof from);
    const int length = snprintf(where, BOTTLENECK_WHERE_BYTES, "%s to %.60s", from,
                                fabric->names[fabric->node_of[fabric->peer[port]]]);
    say_idle_member(scope, port, where + length, BOTTLENECK_WHERE_BYTES - (size_t)length);
}

/* Share of the bytes that pass a link almost as busy as the busiest: of bytes that hosts send, or
 * receive if switch queues grow. At least the share of pairs of hosts whose requests or responses
 * need such a link. */
static int64_t covered_share(const struct limits_scope *scope, int64_t busiest)
{
    const struct explain_fabric *fabric = scope->fabric;
    int64_t bytes = 0, in = 0, out = 0, crossing = 0;
    for (uint32_t i = 0; i < fabric->first_port[fabric->node_count]; i++) {
        if (scope->ports[i] == 0)
            continue;
        const int64_t own = usage_of_port(scope->usage, i, USAGE_PORT_BYTES);
        in += fabric->is_host[fabric->node_of[i]] ? own : 0;
        out += fabric->is_host[fabric->node_of[fabric->peer[i]]] ? own : 0;
        if (share_ppm(busy_ps(scope, i), usage_span(scope->usage)) * 10 < busiest * 9)
            continue;
        bytes += own;
        crossing = scope->ports[i] > crossing ? scope->ports[i] : crossing;
    }
    const int64_t of_bytes = share_ppm(bytes, in < out ? in : out);
    const int64_t of_pairs = share_ppm(crossing, scope->pairs);
    return of_bytes > of_pairs ? of_bytes : of_pairs;
}

/* Of saturated links in series, the first is the bottleneck because its queue comes first. Hosts'
 * ports are checked first. */
static void name_busiest(struct limits_scope *scope)
{
    const struct explain_fabric *fabric = scope->fabric;
    struct bottleneck_use *link = &scope->input->uses[BOTTLENECK_LINK];
    for (uint32_t i = 0; i < fabric->first_port[fabric->node_count]; i++)
        if (scope->ports[i] &&
            share_ppm(busy_ps(scope, i), usage_span(scope->usage)) * 100 >= link->used * 99) {
            name_link(scope, i, link->where);
            return;
        }
}

static void add_links(struct limits_scope *scope)
{
    const struct explain_fabric *fabric = scope->fabric;
    struct bottleneck_use *link = &scope->input->uses[BOTTLENECK_LINK];
    struct bottleneck_use *pauses = &scope->input->uses[BOTTLENECK_PAUSES];
    const time_ps span = usage_span(scope->usage);
    for (uint32_t i = 0; i < fabric->first_port[fabric->node_count]; i++) {
        if (!scope->ports[i])
            continue;
        const int64_t used = share_ppm(busy_ps(scope, i), span);
        const int64_t paused = share_ppm(usage_of_port(scope->usage, i, USAGE_PORT_BLOCKED), span);
        const int64_t crossing = share_ppm(scope->ports[i], scope->pairs);
        link->used = used > link->used ? used : link->used;
        if (limits_part(paused, crossing) > limits_part(pauses->used, pauses->covers)) {
            pauses->used = paused;
            pauses->covers = crossing;
            explain_port_words(fabric, i, pauses->where, sizeof pauses->where);
        }
    }
    link->waiting = PPM - scope->on_cpu; /* minus what is elsewhere */
    link->covers = covered_share(scope, link->used);
    name_busiest(scope);
}

/* ------------------------------------------------------------------ queue pairs */

int64_t limits_sum(const struct limits_scope *scope, const bool *nodes, unsigned what)
{
    const struct scenario *scenario = scope->collect->scenario;
    int64_t sum = 0;
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t i = 0; nodes[node] && i < scenario->nodes[node].port_count; i++)
            sum += usage_of_rnic(scope->usage, node, i, what);
    return sum;
}

static int64_t larger(const struct limits_scope *scope, unsigned what)
{
    const int64_t from = limits_sum(scope, scope->from, what),
                  to = limits_sum(scope, scope->to, what);
    return from > to ? from : to;
}

static void add_wait(struct limits_scope *scope, enum bottleneck_resource resource,
                     int64_t queue_pairs, int64_t active)
{
    struct bottleneck_use *use = &scope->input->uses[resource];
    use->used = share_ppm(queue_pairs, active);
    snprintf(use->where, sizeof use->where, SCENARIO_WORKLOAD_WORDS, scope->whose);
}

/* Share of packets retransmitted by the side that retransmits more; the other side's ACKs do not
 * count. */
static int64_t resent_share(const struct limits_scope *scope)
{
    const unsigned resent = scope->by_tcp ? USAGE_TCP_RESENT : USAGE_RNIC_RESENT;
    const unsigned sent = scope->by_tcp ? USAGE_TCP_SENT : USAGE_RNIC_SENT;
    const int64_t from =
        share_ppm(limits_sum(scope, scope->from, resent), limits_sum(scope, scope->from, sent));
    const int64_t to =
        share_ppm(limits_sum(scope, scope->to, resent), limits_sum(scope, scope->to, sent));
    return from > to ? from : to;
}

/* Queue pairs behind a pause are silent as well, but lost nothing. */
static int64_t silent_time(const struct limits_scope *scope, int64_t active)
{
    const struct bottleneck_use *pauses = &scope->input->uses[BOTTLENECK_PAUSES];
    const int64_t heard = larger(scope, USAGE_QP_SILENT);
    const int64_t paused = limits_part(active, limits_part(pauses->used, pauses->covers));
    return heard > paused ? heard - paused : 0;
}

/* A dropped frame is missed once. Timeouts and NAKs beyond that were premature and would also occur
 * without loss. */
static int64_t missed_share(const struct limits_scope *scope, const struct result *result)
{
    const int64_t noticed = (int64_t)(result->totals.rnic_timeouts + result->totals.rnic_naks);
    const struct observe *observe = scope->collect->observe;
    int64_t dropped = 0;
    for (uint32_t i = 0; i < observe->drop_count; i++)
        dropped += (int64_t)observe->drops[i].frames;
    return dropped >= noticed ? PPM : share_ppm(dropped, noticed);
}

/* Without drops, retransmissions are due to RNR NAKs. */
static void add_queue_pairs(struct limits_scope *scope, const struct result *result)
{
    const bool lossy = scope->collect->observe->drop_count > 0;
    const bool refuses = result->totals.rnic_rnr_naks > 0;
    const int64_t active = larger(scope, USAGE_QP_ACTIVE);
    const int64_t refused = larger(scope, USAGE_QP_RNR), resent = larger(scope, USAGE_QP_RESENT);
    const bool credit = !lossy && refuses;
    add_wait(scope, BOTTLENECK_CREDIT, refused + (credit ? resent : 0), active);
    add_wait(scope, BOTTLENECK_CONGESTION, larger(scope, USAGE_QP_HELD), active);
    add_wait(scope, BOTTLENECK_READS, larger(scope, USAGE_QP_READS), active);
    add_wait(scope, BOTTLENECK_FENCE, larger(scope, USAGE_QP_FENCED), active);
    add_wait(scope, BOTTLENECK_WINDOW, larger(scope, USAGE_QP_WINDOW), active);
    add_wait(scope, BOTTLENECK_LOSS,
             credit ? 0
                    : limits_part(resent + (lossy ? silent_time(scope, active) : 0),
                                  missed_share(scope, result)),
             active);
    scope->input->resent = resent_share(scope);
}

/* After a loss, the congestion window is what the loss left of it. */
static void add_connections(struct limits_scope *scope)
{
    scope->input->by_tcp = true;
    const bool lossy = scope->collect->observe->drop_count > 0;
    const int64_t active = larger(scope, USAGE_TCP_ACTIVE);
    const int64_t held = larger(scope, USAGE_TCP_CONGESTION);
    add_wait(scope, BOTTLENECK_CONGESTION, lossy ? 0 : held, active);
    add_wait(scope, BOTTLENECK_LOSS, lossy ? larger(scope, USAGE_TCP_LOSS) + held : 0, active);
    add_wait(scope, BOTTLENECK_WINDOW, larger(scope, USAGE_TCP_WINDOW), active);
    add_wait(scope, BOTTLENECK_DELAYED_ACK, larger(scope, USAGE_TCP_DELAYED), active);
    add_wait(scope, BOTTLENECK_STREAM, larger(scope, USAGE_TCP_BEHIND), active);
    scope->input->resent = resent_share(scope);
}

enum { ALWAYS = PPM * 9 / 10, NOTABLE = PPM / 10 };

/* A buffer that is sometimes in use but never full is not a bottleneck. */
static void add_receivers(struct limits_scope *scope)
{
    const struct scenario *scenario = scope->collect->scenario;
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_RECEIVER];
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t i = 0; i < scenario->nodes[node].port_count; i++) {
            if (!scope->to[node] && !scope->from[node])
                continue;
            const int64_t used =
                share_ppm(usage_drained(scope->usage, node, i), usage_span(scope->usage));
            const bool filled = usage_of_rnic(scope->usage, node, i, USAGE_RNIC_OVER) > 0;
            if ((!filled && used < ALWAYS) || !limits_is_busiest(use, used, PPM))
                continue;
            scope->input->slow_by_nature = scenario->nodes[node].host->rnic->drain > 0;
            snprintf(use->where, sizeof use->where, "%.100s", scenario->nodes[node].name);
        }
}

/* ------------------------------------------------------------------ workloads */

/* Queues smaller than the depth run at their own size; further I/Os wait in the host. */
static void add_queue_sizes(struct limits_scope *scope, const struct scenario_workload *about,
                            int64_t depth)
{
    const struct scenario *scenario = scope->collect->scenario;
    struct bottleneck_use *size = &scope->input->uses[BOTTLENECK_QUEUE_SIZE];
    if (opt_find(about->ops->opts, "queue-depth") == NULL)
        return;
    for (uint32_t i = 0; i < about->pair_count; i++) {
        const struct scenario_host *host = scenario->nodes[about->pairs[i].from].host;
        const struct scenario_host *target = scenario->nodes[about->pairs[i].to].host;
        const int64_t holds =
            nvme_carrier_depth(about->transport, host->nvme_host, target->nvme_target).commands;
        if (scope->input->entries == 0 || holds < scope->input->entries)
            scope->input->entries = holds;
        const int64_t waits = share_ppm(depth - holds, depth);
        if (waits <= size->used)
            continue;
        size->used = waits;
        snprintf(size->where, sizeof size->where,
                 "each submission queue of " SCENARIO_WORKLOAD_WORDS " holds at most %s %s",
                 about->name, words_count(holds).text, plural(holds, "command", "commands"));
    }
}

/* The workload's own limit at its hosts: I/Os that wait for it are not in the network. */
static void add_own_limit(struct limits_scope *scope, uint32_t index)
{
    struct bottleneck_use *use = &scope->input->uses[BOTTLENECK_WORKLOAD_LIMIT];
    use->used = share_ppm(usage_of_workload(scope->usage, index, USAGE_WORK_BOUND),
                          usage_of_workload(scope->usage, index, USAGE_WORK_ALL));
    use->covers = PPM;
    limits_is_elsewhere(scope, share_ppm(usage_of_workload(scope->usage, index, USAGE_WORK_LIMITED),
                                         usage_of_workload(scope->usage, index, USAGE_WORK_OUT)));
    snprintf(use->where, sizeof use->where,
             "I/Os of " SCENARIO_WORKLOAD_WORDS " wait for its IOPS or bandwidth limit",
             scope->collect->scenario->workloads[index].name);
}

static void add_workload(struct limits_scope *scope, uint32_t index)
{
    const struct scenario_workload *about = &scope->collect->scenario->workloads[index];
    struct bottleneck_input *input = scope->input;
    limits_demand(scope->collect, index, input);
    input->uncounted = scope->usage == NULL;
    if (scope->usage == NULL)
        return;
    if (limits_thinks(about))
        input->thinking = share_ppm(usage_of_workload(scope->usage, index, USAGE_WORK_IDLE),
                                    usage_of_workload(scope->usage, index, USAGE_WORK_ALL));
    limits_host_cpus(scope, index);
    limits_recovery(scope, index);
    add_own_limit(scope, index);
    add_queue_sizes(scope, about, input->depth);
    struct bottleneck_use *size = &input->uses[BOTTLENECK_QUEUE_SIZE];
    const int64_t waits = share_ppm(usage_of_workload(scope->usage, index, USAGE_WORK_WAITS),
                                    usage_of_workload(scope->usage, index, USAGE_WORK_OUT));
    if (waits > size->used) {
        size->used = waits;
        snprintf(size->where, sizeof size->where,
                 "the submission queues of " SCENARIO_WORKLOAD_WORDS " are full", about->name);
    }
}

static void mark(void *self, uint32_t port)
{
    ((struct limits_scope *)self)->ports[port]++;
}

static void add_pairs(struct limits_scope *scope, struct paths *paths, uint32_t index)
{
    const struct scenario *scenario = scope->collect->scenario;
    const struct scenario_workload *about = &scenario->workloads[index];
    if (about->pair_count > 0) {
        const struct rnic_params *rnic = scenario->nodes[about->pairs[0].from].host->rnic;
        scope->input->reads = about->by_tcp ? 0 : rnic->max_rd_atomic;
        scope->input->window = about->by_tcp ? 0 : rnic->soft.max_unacked;
    }
    for (uint32_t i = 0; i < about->pair_count && i < PATHS_PAIRS_MAX; i++) {
        const struct scenario_pair *pair = &about->pairs[i];
        scope->from[pair->from] = scope->to[pair->to] = true;
        scope->targets[pair->to]++;
        scope->pairs++;
        paths_of_pair(paths, about, pair, mark, scope);
    }
}

static bool is_cause(const struct result *result, enum explain_kind kind)
{
    const char *found = result->cause.kind;
    return result->root_cause[0] != '\0' && found != NULL &&
           strcmp(found, explain_kind_name(kind)) == 0;
}

/* Pauses sent by a slow receiver count as its own. Pauses from congestion count as the saturated
 * link's, and all paused traffic waits for that link, unless a target is lost and its links are
 * idle. */
static void find_cause(struct limits_scope *scope, const struct result *result)
{
    struct bottleneck_use *receiver = &scope->input->uses[BOTTLENECK_RECEIVER];
    struct bottleneck_use *link = &scope->input->uses[BOTTLENECK_LINK];
    struct bottleneck_use *pauses = &scope->input->uses[BOTTLENECK_PAUSES];
    const struct bottleneck_use *recovery = &scope->input->uses[BOTTLENECK_RECOVERY];
    const bool away = limits_part(recovery->used, recovery->covers) > NOTABLE;
    if (is_cause(result, EXPLAIN_CONGESTION) && link->used >= ALWAYS) {
        link->covers = pauses->used > NOTABLE && !away ? PPM : link->covers;
        pauses->used = 0;
    }
    if (!is_cause(result, EXPLAIN_SLOW_RECEIVER))
        return;
    if (pauses->used > receiver->used && !scope->input->slow_by_nature) {
        receiver->used = pauses->used;
        snprintf(receiver->where, sizeof receiver->where, "%.100s", result->cause.node);
        pauses->used = 0;
    }
    pauses->used = pauses->used > receiver->used ? pauses->used - receiver->used : 0;
}

static void add_used(struct limits_scope *scope, const struct result *result)
{
    add_links(scope);
    if (scope->by_tcp)
        add_connections(scope);
    else
        add_queue_pairs(scope, result);
    add_receivers(scope);
    limits_engines(scope, scope->from);
    limits_engines(scope, scope->to);
    limits_software(scope);
    if (scope->by_tcp)
        limits_tcp_cores(scope);
    limits_targets(scope);
    find_cause(scope, result);
}

static void judge_workload(const struct collect *collect, const struct result *result,
                           uint32_t index, struct result_limit *limit)
{
    const struct explain_fabric *fabric = collect->observe->fabric;
    const uint32_t nodes = fabric->node_count;
    struct limits_scope scope = {
        .collect = collect,
        .usage = collect->usages == NULL ? NULL : usages_of(collect->usages, index),
        .fabric = fabric,
        .input = &limit->input,
        .ports = memory_zeroed(fabric->first_port[nodes], sizeof(uint32_t)),
        .targets = memory_zeroed(nodes, sizeof(uint32_t)),
        .from = memory_zeroed(nodes, sizeof(bool)),
        .to = memory_zeroed(nodes, sizeof(bool)),
        .whose = collect->scenario->workloads[index].name,
        .by_tcp = collect->scenario->workloads[index].by_tcp,
    };
    struct paths paths;
    paths_init(&paths, collect->scenario, collect->routes, fabric);
    limit->input.by_credits =
        scenario_kind_of(collect->scenario, &collect->scenario->workloads[index]) !=
        SCENARIO_ETHERNET;
    add_pairs(&scope, &paths, index);
    add_workload(&scope, index);
    paths_fini(&paths);
    if (scope.usage != NULL) {
        limit->input.span = usage_span(scope.usage);
        add_used(&scope, result);
    }
    bottleneck_find(&limit->input, &limit->found);
    free(scope.ports);
    free(scope.targets);
    free(scope.from);
    free(scope.to);
}

void limits_find(const struct collect *collect, struct result *result)
{
    const uint32_t count = collect->scenario->workload_count;
    const struct bottleneck_input **inputs = memory_zeroed(count, sizeof *inputs);
    result->limits = memory_zeroed(count, sizeof *result->limits);
    for (uint32_t i = 0; i < count; i++) {
        judge_workload(collect, result, i, &result->limits[i]);
        inputs[i] = &result->limits[i].input;
        const struct hist *latency = &collect->stats[i].latency;
        result->limits[i].latency =
            latency->count == 0 ? 0 : (time_ps)(latency->sum / latency->count);
        result->limits[i].input.weight = 1 + result->workloads[i].bytes_window;
    }
    bottleneck_of_all(inputs, count, &result->limit);
    free(inputs);
}
