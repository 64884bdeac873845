/* SPDX-License-Identifier: Apache-2.0
 * collect - adds up ports, switches and RNICs. */
#include "replay/record/collect.h"
#include "replay/explain/verdict.h"

#include "base/drop.h"
#include "base/memory.h"
#include "net/switch/watchdog.h"
#include "replay/explain/explain_words.h"
#include "replay/record/collect_private.h"
#include "replay/record/record_deadlocks.h"
#include "replay/usage/usage.h"
#include "scenarios/fio/fio.h"
#include "scenarios/load/expect.h"
#include "tcp/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Assumed: one polling interval of a PFC watchdog. Cisco Nexus 9000 NX-OS 10.5(x) QoS guide,
 * Configuring Priority Flow Control: a poll timer of 100 ms; Junos has the same default. */
static const time_ps sustained_pause = 100 * PS_PER_MS;

time_ps collect_blocked_longest_ps(const struct port *port, int priority, time_ps now)
{
    const struct port_pauses *pauses = &port->pauses[priority];
    const time_ps open = pauses->blocked_since == TIME_NEVER ? 0 : now - pauses->blocked_since;
    return open > pauses->blocked_longest ? open : pauses->blocked_longest;
}

time_ps collect_busy_ps(const struct port *port, time_ps now)
{
    const uint64_t gap = port_gap_bytes(&port->params);
    uint64_t bytes = 0;
    for (int i = 0; i < PRIORITIES; i++)
        bytes += port->prios[i].tx_bytes + port->prios[i].tx_frames * gap;
    /* A frame counts when it starts to leave; the part after the end of the run is subtracted. */
    const time_ps to_come = time_later(port->busy_until - now, 0);
    return time_later(units_transfer_ps(bytes, port->rate.bps) - to_come, 0);
}

time_ps collect_window_ps(const struct workload_stats *stats, time_ps window_end)
{
    time_ps from = stats->window_from, to = stats->window_to;
    if (stats->issued > 0 && stats->first_issue > from)
        from = stats->first_issue;
    if (to == 0 || to > window_end)
        to = window_end;
    return to > from ? to - from : 0;
}

static void add_port(const struct port *port, time_ps now, struct result_totals *totals)
{
    totals->packet_hops += (int64_t)port_frames_sent(port);
    totals->pfc_pause_frames += (int64_t)port->global.tx_xoff;
    totals->pfc_resume_frames += (int64_t)port->global.tx_xon;
    /* a global pause holds all priorities together and counts once */
    const int held_apart = port->params.flow_control == PORT_FLOW_GLOBAL ? 1 : PRIORITIES;
    for (int i = 0; i < held_apart; i++) {
        const time_ps blocked = usage_blocked_ps(port, i, now);
        const time_ps longest = collect_blocked_longest_ps(port, i, now);
        totals->pfc_pause_frames += (int64_t)port->pauses[i].tx_xoff;
        totals->pfc_resume_frames += (int64_t)port->pauses[i].tx_xon;
        totals->pfc_paused_ps = time_sum(totals->pfc_paused_ps, blocked);
        totals->pfc_paused_at_end += port->pauses[i].blocked_since != TIME_NEVER;
        if (longest > totals->pfc_longest_pause_ps)
            totals->pfc_longest_pause_ps = longest;
    }
}

static void add_tcp(const struct tcp *tcp, struct result_totals *totals)
{
    const struct tcp_counters *counters = tcp_counters(tcp);
    totals->tcp_segments += (int64_t)counters->out_segs;
    totals->tcp_retransmitted += (int64_t)counters->retrans_segs;
    totals->tcp_timeouts += (int64_t)counters->timeouts;
    totals->tcp_loss_probes += (int64_t)counters->loss_probes;
    totals->tcp_cpu_ps += tcp_busy(tcp);
}

static void add_rnic(const struct rnic *rnic, struct result_totals *totals)
{
    const struct rnic_counters *counters = &rnic->counters;
    totals->rnic_retransmitted_packets += (int64_t)counters->retransmitted_packets;
    totals->rnic_timeouts += (int64_t)counters->timeouts;
    totals->rnic_naks += (int64_t)counters->naks;
    totals->rnic_rnr_naks += (int64_t)counters->rnr_naks;
    totals->rnic_cq_overruns += (int64_t)counters->cq_overruns;
    totals->rnic_qp_errors += (int64_t)counters->qp_errors;
    totals->rnic_pause_storms += (int64_t)counters->stalls;
    totals->ecn_cnps += (int64_t)counters->cnps_sent;
    totals->packets += (int64_t)port_frames_sent(&rnic->port);
    if (rnic->tcp != NULL)
        add_tcp(rnic->tcp, totals);
}

static void add_watchdog(const struct swtch *swtch, struct result_totals *totals)
{
    for (uint32_t i = 0; swtch->watchdog != NULL && i < swtch->port_count * PRIORITIES; i++) {
        totals->pfc_watchdog_storms += (int64_t)swtch->watchdog->queues[i].storms;
        totals->pfc_watchdog_restored += (int64_t)swtch->watchdog->queues[i].restored;
    }
}

static void add_switch(const struct swtch *swtch, struct result_totals *totals)
{
    totals->ecn_marked += (int64_t)swtch->counters.ecn_marked;
    const struct buffer *buffer = &swtch->buffer;
    const int64_t used = buffer_bytes(buffer, buffer->used_peak);
    const int64_t headroom = buffer_bytes(buffer, buffer->headroom_peak);
    if (used > totals->buffer_peak_bytes)
        totals->buffer_peak_bytes = used;
    if (headroom > totals->headroom_peak_bytes)
        totals->headroom_peak_bytes = headroom;
    add_watchdog(swtch, totals);
    for (uint16_t i = 0; i < swtch->port_count; i++)
        totals->packets += (int64_t)swtch->ports[i].pfc_frames_tx;
}

static void add_nodes(const struct world *world, time_ps now, struct result_totals *totals)
{
    for (uint32_t node = 0; node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        for (uint16_t i = 0; i < about->port_count; i++)
            add_port(world_port(world, node, i), now, totals);
        if (about->kind == SCENARIO_SWITCH)
            add_switch(world_switch(world, node), totals);
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++)
            add_rnic(world_host(world, node)->rnics[i], totals);
    }
    totals->events = (int64_t)engine_events(&world->engine);
    totals->pfc_deadlocks = world->deadlocks.count;
}

static void add_media(const struct world *world, struct result *result)
{
    struct result_totals *totals = &result->totals;
    struct media_wear wear = {0};
    struct array_stats arrays = {0};
    for (uint32_t i = 0; i < world->host_count; i++) {
        if (world->targets[i] == NULL)
            continue;
        result->media_age |= nvme_target_wear(world->targets[i], &wear);
        result->arrays |= nvme_target_arrays(world->targets[i], &arrays);
        totals->data_damaged += (int64_t)nvme_target_stats(world->targets[i])->damaged;
    }
    totals->media_bytes_written = (int64_t)wear.host_bytes;
    totals->media_bytes_programmed = (int64_t)wear.flash_bytes;
    totals->media_erases = (int64_t)wear.erases;
    totals->media_writes_waited = (int64_t)wear.waited;
    totals->media_units_absorbed = (int64_t)wear.absorbed;
    totals->media_units_hit = (int64_t)wear.buffer_hits;
    totals->media_suspensions = (int64_t)wear.suspensions;
#define X(member) totals->array_##member = (int64_t)arrays.member;
    ARRAY_STATS(X)
#undef X
    result->media_units_down = (int64_t)wear.units_down;
    result->media_units_programmed = (int64_t)wear.units_programmed;
}

static int64_t dropped(const struct observe *observe, enum probe_drop_cause cause)
{
    return (int64_t)(observe_dropped(observe, cause, false) +
                     observe_dropped(observe, cause, true));
}

int64_t collect_unbuffered(const struct observe *observe, bool lossless)
{
    uint64_t frames = 0;
    for (enum probe_drop_cause cause = 0; cause < PROBE_DROP_CAUSE_COUNT; cause++)
        if (probe_drops[cause].want_of_room)
            frames += observe_dropped(observe, cause, lossless);
    return (int64_t)frames;
}

static void add_drops(const struct observe *observe, struct result_totals *totals)
{
    totals->drops_lossless = collect_unbuffered(observe, true);
    totals->drops_lossy = collect_unbuffered(observe, false);
#define DROP(NAME, name, side, word, about)                                                        \
    totals->drops_##name = dropped(observe, PROBE_DROP_##NAME);
#define DROP_ROOM(NAME, side, word, about)
#include "base/drop.def"
#undef DROP
#undef DROP_ROOM
}

static bool is_open_loop(const struct scenario_workload *about)
{
    const struct opt *row = opt_find(about->ops->opts, "rate");
    int64_t rate = 0;
    if (row != NULL && about->params != NULL)
        memcpy(&rate, (const char *)about->params + row->offset, sizeof rate);
    return rate > 0;
}

/* Whether the member should have issued operations but did not, because it never connected or
 * connected too late. An open loop may have nothing due, and a fio job may be waiting for
 * others. */
static bool has_stalled(const struct collect *collect, uint32_t index)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    const struct fio_job *job = about->job;
    const time_ps start = about->start + (job == NULL ? 0 : job->start_delay);
    const time_ps stop = about->stop < collect->window_end ? about->stop : collect->window_end;
    if (stats->issued > 0 || about->pair_count == 0 || start >= stop)
        return false;
    if (job != NULL && (job->barrier > 0 || job->wait_for != FIO_NO_JOB))
        return false;
    if (scenario_issues_nothing(about))
        return stats->begun == 0;
    return stats->begun == 0 || stats->missed > 0 || !is_open_loop(about);
}

/* The job waited for others until the end of the run. */
static bool never_began(const struct collect *collect, uint32_t index)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    if (collect->world == NULL || collect->cut || about->pair_count == 0)
        return false;
    const struct workload_member *first = world_member(collect->world, index, 0);
    return first == NULL || first->began >= time_earlier(about->stop, collect->window_end);
}

static unsigned unmeasured_of(const struct scenario_workload *about,
                              const struct workload_stats *stats)
{
    unsigned bits = 0;
    if (!about->ops->needs_nvme_target)
        bits |= 1u << EXPECT_OVER_CONTROLLERS;
    if (about->paths < 2)
        bits |= 1u << EXPECT_OVER_PATHS;
    if (stats->admin + stats->admin_failed == 0)
        bits |= 1u << EXPECT_OVER_ADMIN;
    return bits;
}

static uint64_t frames_of_classes(const struct port *port, unsigned classes)
{
    uint64_t frames = 0;
    for (int priority = 0; priority < PRIORITIES; priority++)
        frames += (classes >> priority & 1) * port->prios[priority].rx_frames;
    return frames;
}

/* Whether any port carried lossless frames. A switch decides by its own map. A host's map only
 * applies to frames that arrive without a switch: a frame that was lossy on the way stays lossy. */
static bool carried_lossless(const struct scenario *scenario, const struct world *world)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < world->switch_count; i++)
        for (uint16_t p = 0; p < world->switches[i]->port_count; p++)
            frames +=
                frames_of_classes(&world->switches[i]->ports[p], world->switches[i]->lossless);
    for (uint32_t i = 0; i < world->host_count; i++)
        for (uint32_t r = 0; r < world->hosts[i]->rnic_count; r++) {
            const struct scenario_port *port = &scenario->nodes[i].ports[r];
            const struct rnic *rnic = world->hosts[i]->rnics[r];
            if (port->link == SCENARIO_NO_LINK ||
                scenario->nodes[port->peer_node].kind != SCENARIO_SWITCH)
                frames += frames_of_classes(&rnic->port, rnic->rx.lossless);
        }
    return frames > 0;
}

/* Bit set (enum expect_basis) of what the run has nothing to measure over. */
static unsigned unmeasured(const struct collect *collect, const struct result *result)
{
    const struct world *world = collect->world;
    bool watched = false;
    int64_t written = 0;
    for (uint32_t i = 0; i < result->workload_count; i++)
        written += result->workloads[i].bytes_written;
    for (uint32_t i = 0; world != NULL && i < world->switch_count; i++)
        watched |= world->switches[i]->watchdog != NULL;
    unsigned bits = 0;
    bits |= (unsigned)(world == NULL) << EXPECT_OVER_TRAFFIC;
    bits |= (unsigned)(world == NULL || !carried_lossless(collect->scenario, world))
            << EXPECT_OVER_LOSSLESS;
    bits |= (unsigned)(world == NULL || result->marked_at == NULL) << EXPECT_OVER_MARKING;
    bits |= (unsigned)!watched << EXPECT_OVER_WATCHDOG;
    bits |= (unsigned)(collect->observe->data.reads == 0) << EXPECT_OVER_READS;
    bits |= (unsigned)(world == NULL || written == 0) << EXPECT_OVER_WRITES;
    bits |= (unsigned)!result->media_age << EXPECT_OVER_MEDIA;
    bits |= (unsigned)!result->arrays << EXPECT_OVER_ARRAYS;
    return bits;
}

static void add_members(const struct collect *collect, uint32_t index,
                        struct result_workload *workload)
{
    struct workload_delivered delivered;
    for (uint32_t i = 0;
         collect->member != NULL && collect->member(collect->player, index, i, &delivered); i++) {
        const int64_t read = (int64_t)delivered.read;
        const int64_t written = (int64_t)delivered.written, bytes = read + written;
        workload->read_window += read;
        workload->written_window += written;
        if (workload->played == 0 || bytes < workload->member_least)
            workload->member_least = bytes;
        if (bytes > workload->member_most)
            workload->member_most = bytes;
        workload->played++;
    }
    workload->bytes_window = workload->read_window + workload->written_window;
}

static void add_workload(const struct collect *collect, uint32_t index,
                         struct result_workload *workload)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    *workload = (struct result_workload){
        .name = about->name,
        .issued = (int64_t)stats->issued,
        .completed = (int64_t)stats->completed,
        .failed = (int64_t)stats->failed,
        .unfinished = (int64_t)(stats->issued - stats->completed - stats->failed),
        .corrupt = (int64_t)stats->corrupt,
        .missed = (int64_t)stats->missed,
        .members = (int64_t)about->pair_count * about->copies,
        .stalled = has_stalled(collect, index),
        .never_began = never_began(collect, index),
        .silent = scenario_issues_nothing(about),
        .unmeasured = unmeasured_of(about, stats),
        .bytes = (int64_t)stats->bytes,
        .bytes_read = (int64_t)stats->bytes_read,
        .bytes_written = (int64_t)stats->bytes_written,
        .completed_window = (int64_t)stats->completed_window,
        .window_ps = collect_window_ps(stats, collect->window_end),
        .latency = &stats->latency,
        .latency_note = collect_latency_note(about),
        .losses = (int64_t)stats->losses,
        .attempts = (int64_t)stats->attempts,
        .given_up = (int64_t)stats->given_up,
        .reconnects = (int64_t)stats->reconnects,
        .requeued = (int64_t)stats->requeued,
        .retried = (int64_t)stats->retried,
        .without_service_ps = stats->without_service,
        .admin = (int64_t)stats->admin,
        .admin_failed = (int64_t)stats->admin_failed,
        .gap_ps = stats->gap,
        .failovers = (int64_t)stats->failovers,
        .path_recovery_ps = stats->recovery,
        .degraded_ps = stats->degraded,
    };
    add_members(collect, index, workload);
    collect_rates(collect->scenario, about, stats, workload);
}

static void add_cpu(const struct collect *collect, struct result *result)
{
    struct world_cpu_use *uses = memory_zeroed(result->workload_count, sizeof *uses);
    if (collect->world != NULL)
        world_cpu_uses(collect->world, collect->now, uses);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        struct result_workload *workload = &result->workloads[i];
        workload->cpu_known = uses[i].known;
        if (!uses[i].known)
            workload->unmeasured |= 1u << EXPECT_OVER_CPU;
        workload->cpu_host_ps = uses[i].host;
        workload->cpu_target_ps = uses[i].target;
        workload->cpu_ps = uses[i].host + uses[i].target;
    }
    free(uses);
}

static void state_cause(const struct explain *explain, struct result *result)
{
    if (explain->root_count == 0)
        return;
    const struct explain_root *root = &explain->roots[0];
    const struct explain_fabric *fabric = explain->fabric;
    const struct explain_verdict *verdict = &explain->verdict;
    struct result_cause *cause = &result->cause;
    explain_cause_words(explain, result->root_cause, sizeof result->root_cause);
    explain_port_words(fabric, root->port, cause->port, sizeof cause->port);
    cause->node = fabric->names[fabric->node_of[root->port]];
    cause->kind = explain_kind_name(root->kind);
    cause->sure = verdict->sure;
    cause->causes = verdict->causes;
    cause->share_ppm = (int64_t)((__int128)verdict->first_ps * PPM / verdict->all_ps);
}

/* Copies each workload's nearest victim class and longest pause, over all causes, to its result. */
static void tell_victims(struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count && result->harm.workloads != NULL; i++) {
        result->workloads[i].victim = harm_class_word(result->harm.workloads[i].class);
        result->workloads[i].held_ps = result->harm.workloads[i].paused;
    }
}

/* The workload completed nothing, and a port on its path was paused for at least half of its
 * time. */
static bool stood_still(const struct collect *collect, const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct scenario_workload *about = &collect->scenario->workloads[i];
        const struct result_workload *workload = &result->workloads[i];
        const time_ps stop = about->stop < collect->window_end ? about->stop : collect->window_end;
        if (workload->completed == 0 && workload->held_ps > 0 && stop > about->start &&
            workload->held_ps >= (stop - about->start) / 2)
            return true;
    }
    return false;
}

/* Levels of the method in victims.h: 1, pauses add latency; 2, also frames of a lossless class are
 * lost; 3, traffic stops: a watchdog acted, pauses are cyclic, a pause lasted as long as a
 * watchdog's detection time, or pauses kept a workload from completing anything. */
static int64_t severity_of(const struct collect *collect, const struct result *result)
{
    const struct result_totals *totals = &result->totals;
    if (totals->drops_watchdog > 0 || totals->pfc_deadlocks > 0 ||
        totals->pfc_longest_pause_ps >= sustained_pause || stood_still(collect, result))
        return 3;
    if (totals->drops_lossless > 0)
        return 2;
    return totals->pfc_paused_ps > 0 || totals->pfc_pause_frames > 0;
}

/* Prefers a deadlock that persists to one that is resolved. It is the root cause unless other roots
 * account for more pause time. A cycle inferred from pauses alone is unsure, but this one was
 * observed in the queues. */
static void tell_deadlock(const struct collect *collect, struct result *result)
{
    const struct explain *explain = &collect->observe->explain;
    if (collect->world == NULL || collect->world->deadlocks.count == 0)
        return;
    const struct deadlock_watch *watch = &collect->world->deadlocks;
    const struct deadlock *reported = &watch->found[0];
    for (uint32_t i = watch->count; i-- > 0;)
        if (watch->found[i].gone == TIME_NEVER)
            reported = &watch->found[i];
    record_deadlock_words(collect->scenario, reported, result->deadlock, sizeof result->deadlock);
    if (explain->root_count > 0 && explain->roots[0].kind != EXPLAIN_CIRCLE)
        return;
    snprintf(result->root_cause, sizeof result->root_cause, "%s", result->deadlock);
    struct result_cause *cause = &result->cause;
    cause->sure = true;
    cause->causes = 1;
    if (explain->root_count > 0)
        return;
    cause->kind = explain_kind_name(EXPLAIN_CIRCLE);
    const struct explain_fabric *fabric = explain->fabric;
    const uint32_t node = reported->queues[0].node;
    cause->node = fabric->names[node];
    explain_port_words(fabric, fabric->first_port[node] + reported->queues[0].port, cause->port,
                       sizeof cause->port);
}

/* The marking point changes the queue length in a burst threefold. */
static const char *marked_at(const struct scenario *scenario)
{
    static const char *const words[] = {NULL, "enqueue", "dequeue", "enqueue and dequeue"};
    unsigned at = 0;
    for (uint32_t i = scenario->host_count; i < scenario->node_count; i++) {
        const struct switch_params *params = scenario->nodes[i].switch_params;
        if (params->ecn_kmax > 0)
            at |= params->ecn_mark == SWITCH_DEQUEUE ? 2u : 1u;
    }
    return words[at];
}

void collect_result(const struct collect *collect, struct result *result)
{
    struct result_totals *totals = &result->totals;
    totals->simulated_ps = collect->window_end;
    totals->drain_ps = collect->now > collect->window_end ? collect->now - collect->window_end : 0;
    if (collect->world != NULL) {
        add_nodes(collect->world, collect->now, totals);
        result->tcp_cores = collect_tcp_cores(collect->world, collect->now);
        add_media(collect->world, result);
    }
    add_drops(collect->observe, totals);
    totals->data_stale = (int64_t)collect->observe->data.stale;
    totals->data_lost = (int64_t)collect->observe->data.lost;
    totals->data_torn = (int64_t)collect->observe->data.torn;
    result->workload_count = collect->scenario->workload_count;
    result->workloads = memory_zeroed(result->workload_count, sizeof *result->workloads);
    for (uint32_t i = 0; i < result->workload_count; i++)
        add_workload(collect, i, &result->workloads[i]);
    add_cpu(collect, result);
    state_cause(&collect->observe->explain, result);
    tell_deadlock(collect, result);
    limits_find(collect, result);
    limits_account(collect, result);
    result->marked_at = marked_at(collect->scenario);
    result->unmeasured = unmeasured(collect, result);
    collect_members(collect, result);
    collect_harm(collect, result);
    tell_victims(result);
    totals->pfc_severity = severity_of(collect, result);
    for (uint32_t i = 0; i < result->workload_count && collect->world != NULL; i++)
        collect_steady(collect, i, &result->workloads[i]);
}
