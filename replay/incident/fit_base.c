/* SPDX-License-Identifier: Apache-2.0
 * fit_base - the fabric of an incident without a fault, with the traffic that its counters show. */
#include "replay/incident/fit_private.h"

#include "base/memory.h"
#include "base/plural.h"
#include "net/switch/switch.h"
#include "scenarios/load/library.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Rates of Ethernet ports in Gb/s (IEEE 802.3). */
static const int64_t rates_gbps[] = {1, 10, 25, 40, 50, 100, 200, 400, 800, 1600};

enum { OUTSTANDING = 16, RUN_US = 3000, OWN_RUN_MS_MAX = 10 };

/* Local ACK Timeout of the hosts, 4.096 us * 2^7 (IBTA 9.7.6.1.3): the usual 67 ms would be longer
 * than a run, so that one lost frame would end a flow. */
enum { RUN_TIMEOUT = 7 };

/* What is offered to a receiver that cannot take it all: more than it took. */
static const double more_offered = 1.15;

/* Clocks print whole seconds, so that a rate over a short interval may be this much too high. */
static const double most_used = 1.12;

__attribute__((format(printf, 2, 3))) static void assume(struct fit *fit, const char *format, ...)
{
    char text[FIT_TEXT_BYTES * 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char **slot = arena_push(&fit->arena, (void **)(void *)&fit->assumptions,
                                   &fit->assumption_count, sizeof *slot);
    *slot = arena_text(&fit->arena, text, strlen(text));
}

static void add_set(struct fit_base *base, const char *set)
{
    if (base->set_count < FIT_SETS_MAX)
        base->sets[base->set_count++] = set;
}

/* ---- rates of links ---- */

static int64_t rate_for(double bps)
{
    size_t i = 0;
    const size_t last = sizeof rates_gbps / sizeof rates_gbps[0] - 1;
    while (i < last && bps > most_used * (double)rates_gbps[i] * 1e9)
        i++;
    return rates_gbps[i] * 1000000000;
}

/* Bits per second of the direction that is used more. */
static double used(const struct triage_work *work, int port)
{
    const double seconds = (double)work->triage->seconds;
    const int peer = work->ports[port].peer;
    const double sent = (double)triage_sent_bytes(work, port).value,
                 received = (double)triage_sent_bytes(work, peer).value;
    double best = (sent > received ? sent : received) / seconds;
    for (int priority = 0; priority < TRIAGE_PRIORITIES; priority++)
        for (int side = 0; side < 2; side++) {
            const double rate =
                triage_get(work, port, side == 0 ? "tx_bytes_phy" : "rx_bytes_phy", TRIAGE_ALL)
                        .known
                    ? fit_rate(work, port, side == 0, priority)
                    : 0;
            best = rate > best ? rate : best;
        }
    return best * 8;
}

/* Links of hosts are alike; those between switches have that rate at least. */
static int64_t guess_rates(struct triage_work *work, int64_t *rates)
{
    double most = 0;
    for (size_t i = 0; i < work->port_count; i++)
        if (work->ports[i].peer >= 0 && !work->nodes[work->ports[i].node].is_switch &&
            used(work, (int)i) > most)
            most = used(work, (int)i);
    const int64_t hosts = rate_for(most);
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        if (peer < 0)
            continue;
        const bool between = work->nodes[work->ports[i].node].is_switch &&
                             work->nodes[work->ports[peer].node].is_switch;
        const int64_t own = between ? rate_for(used(work, (int)i)) : hosts;
        rates[i] = own > hosts ? own : hosts;
    }
    return hosts;
}

/* One override for all links of a rate. */
static void set_rate(struct fit *fit, struct fit_base *base, const struct triage_work *work,
                     const int64_t *rates, int64_t rate)
{
    char *text;
    size_t length, count = 0;
    FILE *out = memory_stream(&text, &length);
    fputs("fabric.overrides[+]={where: [", out);
    for (size_t i = 0; i < work->port_count; i++)
        if (work->ports[i].peer > (int)i && rates[i] == rate)
            fprintf(out, "%s\"%s-%s\"", count++ == 0 ? "" : ", ",
                    work->nodes[work->ports[i].node].name,
                    work->nodes[work->ports[work->ports[i].peer].node].name);
    fprintf(out, "], rate: %" PRId64 "Gbps}", rate / 1000000000);
    memory_stream_end(out);
    if (count > 0)
        add_set(base, arena_text(&fit->arena, text, length));
    free(text);
}

static void assume_rates(struct fit *fit, struct fit_base *base, struct triage_work *work)
{
    int64_t *rates = arena_array(&fit->arena, work->port_count + 1, sizeof *rates);
    if (!work->incident->rates_assumed)
        return;
    const int64_t hosts = guess_rates(work, rates);
    for (size_t i = 0; i < work->port_count; i++) {
        const int peer = work->ports[i].peer;
        if (peer > (int)i && rates[peer] > rates[i])
            rates[i] = rates[peer];
        if (peer > (int)i)
            work->ports[i].rate = work->ports[peer].rate = rates[i];
    }
    for (size_t i = 0; i < sizeof rates_gbps / sizeof rates_gbps[0]; i++)
        set_rate(fit, base, work, rates, rates_gbps[i] * 1000000000);
    assume(fit,
           "the link rates are unknown: host links get %" PRId64
           " Gb/s, the lowest rate that carries their traffic",
           hosts / 1000000000);
}

/* ---- settings of switches and hosts ---- */

static int64_t sum_of(const struct triage_work *work, const char *pattern)
{
    int64_t sum = 0;
    for (size_t i = 0; i < work->port_count; i++)
        sum += triage_sum(work, (int)i, pattern).value;
    return sum;
}

static bool has_pfc(const struct scenario *scenario, int priority)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        if (scenario->nodes[i].switch_params != NULL &&
            (scenario->nodes[i].switch_params->pfc_priorities & (1 << priority)) != 0)
            return true;
    return false;
}

static bool switches_pause(const struct triage_work *work)
{
    for (size_t i = 0; i < work->port_count; i++)
        if (work->nodes[work->ports[i].node].is_switch &&
            triage_pauses(work, (int)i, true, TRIAGE_ALL).value >= TRIAGE_NOISE)
            return true;
    return false;
}

static void assume_settings(struct fit *fit, struct fit_base *base, const struct triage_work *work)
{
    const struct scenario *scenario = work->incident->scenario;
    const int priority = base->traffic.priority;
    const int64_t gbps = work->port_count > 0 ? work->ports[0].rate / 1000000000 : 0;
    if (!has_pfc(scenario, priority)) {
        add_set(base, arena_format(&fit->arena,
                                   "fabric.overrides[+]={where: \"*\", pfc: {priorities: [%d]}}",
                                   priority));
        assume(fit, "the files do not configure PFC: priority %d is lossless", priority);
        base->unknown_buffers = switches_pause(work);
    }
    if (!work->incident->rates_assumed && work->incident->scenario_text == NULL)
        return;
    const bool marks = sum_of(work, "tx_prio%d_ecn_marked") + sum_of(work, "np_cnp_sent") > 0;
    add_set(base, arena_format(&fit->arena, "hosts.defaults.rnic.timeout=%d", RUN_TIMEOUT));
    add_set(base, marks ? "hosts.defaults.rnic.congestion-control=dcqcn"
                        : "hosts.defaults.rnic.congestion-control=none");
    if (!marks)
        return;
    const int64_t kmin = 3 * (gbps > 0 ? gbps : 100);
    add_set(base, arena_format(&fit->arena,
                               "fabric.overrides[+]={where: \"*\", ecn: {kmin: %" PRId64
                               "KB, kmax: %" PRId64 "KB, pmax: 20%%}}",
                               kmin, 4 * kmin));
    assume(fit, "switches mark ECN: DCQCN with thresholds of %" PRId64 " KB and %" PRId64 " KB",
           kmin, 4 * kmin);
}

/* ---- traffic ---- */

static void write_flow(FILE *out, const struct fit_base *base, size_t index, double part)
{
    const struct fit_flow *flow = &base->traffic.flows[index];
    const struct triage_node *nodes = base->work->nodes;
    const int from = flow->is_read ? flow->to : flow->from,
              to = flow->is_read ? flow->from : flow->to;
    fprintf(out,
            "{name: f%zu, kind: %s, from: \"%s\", to: \"%s\", message-size: %" PRId64
            "B, outstanding: ",
            index, flow->is_read ? "rdma-read" : "rdma-write", nodes[from].name, nodes[to].name,
            flow->size);
    fprintf(out, "%d, rate: %.3f}", OUTSTANDING,
            flow->rate * part * (flow->is_open ? 1 : more_offered) / (double)flow->size);
}

const char *fit_workloads(struct arena *arena, const struct fit_base *base, int node, double part)
{
    char *text;
    size_t length, count = 0;
    FILE *out = memory_stream(&text, &length);
    fputs("workloads=[", out);
    for (size_t i = 0; i < base->traffic.count; i++) {
        const struct fit_flow *flow = &base->traffic.flows[i];
        const bool is_its = node == FIT_ALL_NODES || flow->from == node || flow->to == node;
        if (is_its && part <= 0)
            continue;
        fputs(count++ == 0 ? "" : ", ", out);
        write_flow(out, base, i, is_its ? part : 1);
    }
    fputs("]", out);
    memory_stream_end(out);
    const char *set = arena_text(arena, text, length);
    free(text);
    return set;
}

static void assume_traffic(struct fit *fit, struct fit_base *base)
{
    const struct scenario *scenario = base->work->incident->scenario;
    base->own_workloads =
        base->work->incident->scenario_text == NULL && scenario->workload_count > 0;
    if (base->own_workloads)
        return;
    add_set(base, fit_workloads(&fit->arena, base, FIT_NO_NODE, 1));
    assume(fit, "%zu %s between hosts, estimated from the bytes that each host sent and received",
           base->traffic.count, plural(base->traffic.count, "flow", "flows"));
    if (base->traffic.left_share > 0.02)
        assume(fit, "only priority %d is simulated; other priorities carry %.0f%% of the bytes",
               base->traffic.priority, base->traffic.left_share * 100);
}

/* ---- the scenario ---- */

static void set_duration(struct fit *fit, struct fit_base *base)
{
    const struct scenario *scenario = base->work->incident->scenario;
    const time_ps most = OWN_RUN_MS_MAX * PS_PER_MS;
    fit->lasts = RUN_US * PS_PER_US;
    if (base->own_workloads)
        fit->lasts = scenario->duration < most ? scenario->duration : most;
    add_set(base, "faults=[]");
    add_set(base, "expect=[]");
    add_set(base, arena_format(&fit->arena, "duration=%" PRId64 "ps", fit->lasts));
    if (scenario->fault_count > 0)
        assume(fit, "the given scenario is run without its %u %s", scenario->fault_count,
               plural(scenario->fault_count, "fault", "faults"));
}

bool fit_base_change(struct fit *fit, struct fit_base *base, const char *set)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct scenario *changed = library_load_again(base->scenario, &set, 1, diag);
    free(diag);
    if (changed == NULL)
        return false;
    scenario_free(base->scenario);
    base->scenario = changed;
    add_set(base, set);
    assume(fit, "the pause thresholds are unknown and are fitted: %s", strstr(set, "alpha"));
    return true;
}

bool fit_base_make(struct fit *fit, struct fit_base *base, struct triage_work *work,
                   struct diag *diag)
{
    *base = (struct fit_base){.work = work};
    assume_rates(fit, base, work);
    fit_traffic(&base->traffic, work);
    assume_settings(fit, base, work);
    assume_traffic(fit, base);
    set_duration(fit, base);
    if (!base->own_workloads && base->traffic.count == 0) {
        snprintf(fit->why, sizeof fit->why, "no host has byte counters, so the traffic is unknown");
        return false;
    }
    base->scenario =
        library_load_again(work->incident->scenario, base->sets, base->set_count, diag);
    if (base->scenario == NULL)
        snprintf(fit->why, sizeof fit->why, "the fabric cannot be simulated: %.160s",
                 diag->count > 0 ? diag->messages[0].text : "unknown reason");
    return base->scenario != NULL;
}
