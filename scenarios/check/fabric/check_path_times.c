/* SPDX-License-Identifier: Apache-2.0
 * check_path_times - timers, delay targets and windows suit the longest path.
 * A retransmission timer that expires before the answer can arrive retransmits packets that were
 * not lost (IBTA Vol 1 9.7.6.1.3), or fails the queue pair. A congestion control whose base delay
 * is below that of the path sees congestion where there is none (Li et al., SIGCOMM 2019, 5.1;
 * Kumar et al., SIGCOMM 2020, 3.5). A window below rate x round trip leaves the link idle part of
 * the time. */
#include "scenarios/check/check_rule.h"
#include "scenarios/check/offered.h"
#include "scenarios/check/path_time.h"

#include "base/note_text.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "net/switch/switch.h"
#include "rnic/cc/cc.h"
#include "rnic/host/rnic.h"
#include "rnic/qp/qp.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <string.h>

enum {
    CONNECT_TRIPS = 2, /* round trips: a request and its answer, then the Connect command of the
                        * queue */
    WINDOW_SHARE = 4,  /* below a quarter of the needed window, most of the link is idle */
    PATH_MTU_MOST = 4096,
    TIMEOUT_MOST = 31, /* largest code, five bits */
    OVERHEAD_MOST = PPM / 10,
};

static const char *name_of(const struct scenario *scenario, uint32_t node)
{
    return scenario->nodes[node].name;
}

static void too_short(struct check_report *report, const struct check_thing *thing,
                      const char *section, time_ps is, time_ps needs, const char *words)
{
    char is_text[QUANTITY_TEXT_BYTES], needs_text[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_TIME, is, is_text, sizeof is_text);
    quantity_format(QUANTITY_TIME, needs, needs_text, sizeof needs_text);
    check_alike(report, DIAG_WARNING, thing, "%s%s is %s, but the longest path takes %s: %s",
                section, thing->row, is_text, note_time(needs).text, words);
    check_remedy(report, "raise %s%s above %s", section, thing->row, note_time(needs).text);
    quantity_format(QUANTITY_TIME, 2 * needs, needs_text, sizeof needs_text);
    check_set(report, thing, "%s", needs_text);
}

/* ------------------------------------------------------------------ RNIC */

/* Bytes that may queue at a switch before senders slow down: the largest ecn-kmin. */
static int64_t queue_of(const struct scenario *scenario)
{
    int64_t most = 0;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const int64_t kmin = scenario->nodes[i].switch_params->ecn_kmin;
        most = kmin > most ? kmin : most;
    }
    return most;
}

/* Longest time until an acknowledgment arrives. */
static time_ps answer_takes(const struct scenario_node *host, const struct path_time *path,
                            int64_t queue)
{
    const bool waits = host->host->cc->wants_ecn;
    return path->round_trip +
           (waits ? units_transfer_ps((uint64_t)queue, (uint64_t)path->rate) : 0);
}

static void check_timeout(const struct scenario_node *host, const struct path_time *own,
                          const struct path_time *longest, int64_t queue,
                          struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    const struct check_thing thing = check_of_rnic(host, "timeout");
    const time_ps is = rnic->timeout == 0 ? TIME_NEVER : qp_timeout_of(rnic->timeout);
    const time_ps most = answer_takes(host, longest, queue);
    if (is >= answer_takes(host, own, queue))
        return;
    int64_t code = rnic->timeout;
    while (code < TIMEOUT_MOST && qp_timeout_of(code) < 4 * most)
        code++;
    check_alike(
        report, DIAG_WARNING, &thing,
        "rnic.timeout %lld is %s, but an acknowledgment may take %s (round trip of the longest "
        "path %s, plus a queue of ecn-kmin): packets are retransmitted although they were not lost",
        (long long)rnic->timeout, note_time(is).text, note_time(most).text,
        note_time(longest->round_trip).text);
    check_shows(report, "rnic.timeouts > 0");
    check_remedy(report, "set rnic.timeout: %lld (%s) or more", (long long)code,
                 note_time(qp_timeout_of(code)).text);
    check_set(report, &thing, "%lld", (long long)code);
}

static void check_accepted(const struct scenario_node *host, const struct path_time *longest,
                           int64_t queue, struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    const struct check_thing thing = check_of_rnic(host, "accept-timeout");
    const time_ps most = answer_takes(host, longest, queue);
    if (rnic->accept_timeout <= 0 || qp_timeout_of(rnic->accept_timeout) >= most)
        return;
    check_alike(report, DIAG_WARNING, &thing,
                "rnic.accept-timeout %lld is %s, but an acknowledgment may take %s: this end of a "
                "connection retransmits packets although they were not lost",
                (long long)rnic->accept_timeout,
                note_time(qp_timeout_of(rnic->accept_timeout)).text, note_time(most).text);
    check_shows(report, "rnic.timeouts > 0");
    check_remedy(report, "set rnic.accept-timeout: auto (the timeout of the end that connects)");
    check_set(report, &thing, "auto");
}

static void check_rnic(const struct scenario *scenario, const struct scenario_node *host,
                       const struct path_time *own, const struct path_time *longest,
                       struct check_report *report)
{
    const struct rnic_params *rnic = host->host->rnic;
    struct check_thing thing = check_of_rnic(host, "cm-timeout");
    if (rnic->cm_timeout < own->round_trip)
        too_short(report, &thing, "rnic.", rnic->cm_timeout, longest->round_trip,
                  "connection requests are repeated before the answer can arrive");
    thing.row = "ttl";
    if (rnic->ttl <= own->switches) {
        check_alike(report, DIAG_ERROR, &thing,
                    "rnic.ttl is %lld, but the path to %s has %u %s: packets are dropped when "
                    "their TTL reaches 0 (RFC 1812 5.3.1)",
                    (long long)rnic->ttl, name_of(scenario, own->peer), own->switches,
                    plural(own->switches, "switch", "switches"));
        check_remedy(report, "set rnic.ttl: 64");
        check_set(report, &thing, "64");
    }
}

/* ------------------------------------------------------------------ congestion control */

static int64_t cc_value(const struct scenario_host *host, const char *name)
{
    return opt_value(host->cc->opts, name, host->cc_params, -1);
}

static void check_delay(const struct scenario_node *host, const struct path_time *own,
                        const struct path_time *longest, const char *row, int64_t is,
                        struct check_report *report)
{
    const struct check_thing thing = check_of_control(host, row);
    if (is < 0 || is >= own->round_trip)
        return;
    char is_text[QUANTITY_TEXT_BYTES], needs[QUANTITY_TEXT_BYTES];
    quantity_format(QUANTITY_TIME, cc_value(host->host, row), is_text, sizeof is_text);
    quantity_format(QUANTITY_TIME, longest->round_trip + longest->round_trip / 4, needs,
                    sizeof needs);
    check_alike(report, DIAG_WARNING, &thing,
                "congestion control %s assumes %s %s for a path without queues, but the longest "
                "path takes %s, so it reduces the rate without congestion",
                host->host->cc->name, row, is_text, note_time(longest->round_trip).text);
    check_remedy(report, "set %s above %s", row, note_time(longest->round_trip).text);
    check_set_control(report, &thing, needs);
}

static void check_control(const struct scenario_node *host, const struct path_time *own,
                          const struct path_time *longest, struct check_report *report)
{
    const int64_t hop = cc_value(host->host, "hop-scaling");
    const int64_t target = cc_value(host->host, "base-target");
    check_delay(host, own, longest, "base-rtt", cc_value(host->host, "base-rtt"), report);
    check_delay(host, own, longest, "base-target",
                target < 0 ? -1 : target + (hop > 0 ? hop * (int64_t)own->switches : 0), report);
}

/* ------------------------------------------------------------------ NVMe */

static void check_nvme(const struct scenario_node *host, const struct path_time *own,
                       const struct path_time *longest, struct check_report *report)
{
    const struct nvme_host_params *nvme = &host->host->nvme_host->core;
    struct check_thing thing = check_of_initiator(host, "admin-timeout");
    if (nvme->admin_timeout < CONNECT_TRIPS * own->round_trip)
        too_short(report, &thing, "nvme.", nvme->admin_timeout, CONNECT_TRIPS * longest->round_trip,
                  "no controller connects");
    thing.row = "keep-alive";
    if (nvme->keep_alive > 0 && nvme->keep_alive < CONNECT_TRIPS * own->round_trip)
        too_short(report, &thing, "nvme.", nvme->keep_alive, CONNECT_TRIPS * longest->round_trip,
                  "controllers are lost without a failure");
    thing.row = "io-timeout";
    if (nvme->io_timeout < own->round_trip)
        too_short(report, &thing, "nvme.", nvme->io_timeout, longest->round_trip,
                  "each command times out before its response can arrive");
}

/* ------------------------------------------------------------------ windows */

/* Bytes that all queue pairs of a pair of hosts may have in flight, and bytes that their workload
 * would have in flight. */
struct window {
    int64_t is, wanted;
};

static void check_window(const char *peer, const struct check_thing *thing,
                         const struct path_time *path, struct window window, int64_t one,
                         struct check_report *report)
{
    const int64_t holds = (int64_t)((__int128)path->rate / 8 * path->round_trip / PS_PER_S);
    const int64_t needs = holds < window.wanted ? holds : window.wanted;
    if (window.is >= needs / WINDOW_SHARE || one == 0)
        return;
    const int64_t raised = (int64_t)((__int128)one * needs / window.is + 1);
    check_alike(report, DIAG_WARNING, thing,
                "rnic.%s allows %lld B in flight to %s, but the bandwidth-delay product is %lld B "
                "(round trip %s) and the workload offers %lld B: the link is idle most of the time",
                thing->row, (long long)window.is, peer, (long long)holds,
                note_time(path->round_trip).text, (long long)window.wanted);
    check_remedy(report, "raise rnic.%s to %lld", thing->row, (long long)raised);
    check_set(report, thing, "%lld%s", (long long)raised,
              thing->values != NULL && opt_find(thing->values->rows, thing->row)->type == OPT_SIZE
                  ? "B"
                  : "");
}

static int64_t value_of(const struct scenario_workload *workload, const char *name)
{
    return workload->job != NULL ? -1 : opt_value(workload->ops->opts, name, workload->params, -1);
}

/* RDMA READs of a target that serves NVMe writes, or of an rdma-read workload. */
static void check_reads(const struct scenario *scenario, const struct scenario_workload *workload,
                        const struct scenario_pair *pair, const struct path_time *path,
                        int64_t queues, int64_t depth, struct check_report *report)
{
    const bool nvme = workload->ops->needs_nvme_target;
    const struct offering all = offered_all(workload);
    if (nvme ? !all.out : strcmp(workload->ops->name, "rdma-read") != 0)
        return;
    const struct scenario_node *reader = &scenario->nodes[nvme ? pair->to : pair->from];
    const struct scenario_node *server = &scenario->nodes[nvme ? pair->from : pair->to];
    int64_t size = offered_operation(workload, 0);
    if (nvme) {
        const struct block *values = reader->host->nvme_target_values;
        const int64_t most =
            values == NULL
                ? -1
                : *opt_field(&values->rows[block_row(values, "rdma-size")], values->params);
        size = most > 0 && most < size ? most : size;
    }
    const bool less = server->host->rnic->max_rd_atomic < reader->host->rnic->max_rd_atomic;
    const struct scenario_node *host = less ? server : reader;
    const int64_t most = host->host->rnic->max_rd_atomic;
    const struct check_thing thing = check_of_rnic(host, "max-rd-atomic");
    const struct window window = {most * size * queues,
                                  offered_operation(workload, 0) * depth * queues};
    if (most > 0 && size > 0)
        check_window((less ? reader : server)->name, &thing, path, window, most, report);
}

static void check_pair(const struct scenario *scenario, const struct scenario_workload *workload,
                       const struct scenario_pair *pair, const struct path_time *path,
                       struct check_report *report)
{
    const int64_t deep = value_of(workload, "queue-depth"), out = value_of(workload, "outstanding");
    const int64_t depth = deep > 0 ? deep : out;
    const int64_t several = value_of(workload, "queues"), qps = value_of(workload, "qps");
    const int64_t queues = (several > 0 ? several : qps > 0 ? qps : 1) * workload->copies;
    const struct scenario_node *from = &scenario->nodes[pair->from];
    const struct rnic_params *rnic = from->host->rnic;
    if (depth <= 0 || offered_operation(workload, 0) <= 0)
        return;
    check_reads(scenario, workload, pair, path, queues, depth, report);
    if (rnic->bdp_cap == RNIC_AUTO || !recovery_list[rnic->loss_recovery]->selective)
        return;
    const struct check_thing thing = check_of_rnic(from, "bdp-cap");
    check_window(
        name_of(scenario, pair->to), &thing, path,
        (struct window){rnic->bdp_cap * queues, offered_operation(workload, 0) * depth * queues},
        rnic->bdp_cap, report);
}

/* Share of the link, in ppm, taken by headers and gaps. */
static int64_t overhead_of(const struct rnic_params *rnic)
{
    const int64_t headers = rnic_overhead_bytes(rnic);
    return headers * PPM / (headers + rnic->path_mtu);
}

static void check_packets(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair, const struct path_time *path,
                          struct check_report *report)
{
    const struct scenario_node *from = &scenario->nodes[pair->from],
                               *to = &scenario->nodes[pair->to];
    const bool less = to->host->rnic->path_mtu < from->host->rnic->path_mtu;
    const struct scenario_node *host = less ? to : from;
    const struct rnic_params *rnic = host->host->rnic;
    const int64_t is = rnic->path_mtu, above = rnic_mtu_headers(rnic);
    int64_t fits = is;
    while (fits < PATH_MTU_MOST && 2 * fits + above <= path->mtu)
        fits *= 2;
    if (offered_operation(workload, 0) <= is || overhead_of(rnic) <= OVERHEAD_MOST || fits < 2 * is)
        return;
    const struct check_thing thing = check_of_rnic(host, "path-mtu");
    check_alike(report, DIAG_WARNING, &thing,
                "with rnic.path-mtu %lld B, headers use %lld%% of the link, but all links of the "
                "path allow packets of %lld B",
                (long long)is, (long long)(overhead_of(rnic) * 100 / PPM), (long long)fits);
    check_remedy(report, "set rnic.path-mtu: %lldB at both ends", (long long)fits);
}

/* A write whose data are not in the command capsule takes one more round trip. */
static void check_capsule(const struct scenario *scenario, const struct scenario_workload *workload,
                          const struct scenario_pair *pair, const struct path_time *path,
                          struct check_report *report)
{
    const struct scenario_node *target = &scenario->nodes[pair->to];
    const struct nvme_target_params *params = &target->host->nvme_target->core;
    const int64_t bytes = offered_operation(workload, INT64_MAX);
    const struct block *values = target->host->nvme_target_values;
    const struct opt *row = values == NULL ? NULL : &values->rows[block_row(values, "in-capsule")];
    int64_t usual;
    char why[OPT_WHY_BYTES];
    if (!workload->ops->needs_nvme_target || !offered_all(workload).out || row == NULL ||
        !opt_parse(row, row->preset, &usual, why) || bytes > usual || bytes <= params->in_capsule)
        return;
    const struct check_thing thing = check_of_target(target, "in-capsule");
    check_alike(report, DIAG_WARNING, &thing,
                "target.in-capsule %lld B is smaller than the %lld B of each write of '%s': the "
                "target fetches the data by RDMA READ, which adds a round trip of %s to each write",
                (long long)params->in_capsule, (long long)bytes, workload->name,
                note_time(path->round_trip).text);
    check_remedy(report, "set target.in-capsule: %s", row->preset);
    check_set(report, &thing, "%s", row->preset);
}

/* Messages name the longest path of all hosts, so that equal values are merged into one finding. */
static void check_hosts(const struct scenario *scenario, const struct path_time *times,
                        struct check_report *report)
{
    struct path_time longest = {0};
    const int64_t queue = queue_of(scenario);
    for (uint32_t i = 0; i < scenario->host_count; i++)
        if (times[i].peer != UINT32_MAX && times[i].round_trip > longest.round_trip)
            longest = times[i];
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct scenario_node *host = &scenario->nodes[i];
        if (times[i].peer == UINT32_MAX)
            continue;
        check_timeout(host, &times[i], &longest, queue, report);
        check_accepted(host, &times[i], queue, report);
        check_rnic(scenario, host, &times[i], &longest, report);
        check_control(host, &times[i], &longest, report);
        if (times[i].is_nvme)
            check_nvme(host, &times[i], &longest, report);
    }
}

static void run_path_times_check(const struct scenario *scenario, struct check_report *report)
{
    struct arena scratch = {0};
    struct path_walk *walk = path_walk_new(scenario, &scratch);
    check_hosts(scenario, path_times(walk, &scratch), report);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < scenario->workloads[w].pair_count; i++) {
            const struct scenario_workload *workload = &scenario->workloads[w];
            const struct scenario_pair *pair = &workload->pairs[i];
            struct path_time path;
            if (!path_walk_of(walk, workload, pair, &path))
                continue;
            check_pair(scenario, workload, pair, &path, report);
            check_packets(scenario, workload, pair, &path, report);
            check_capsule(scenario, workload, pair, &path, report);
        }
    path_walk_free(walk);
    arena_free(&scratch);
}

const struct check_rule check_path_times = {
    .name = "path-times",
    .about = "Timers, windows and the delay targets of congestion control match the longest path.",
    .run = run_path_times_check,
};
