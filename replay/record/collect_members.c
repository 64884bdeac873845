/* SPDX-License-Identifier: Apache-2.0
 * collect_members - applies the rules of `check` to the members of a world, and counts cores. */
#include "replay/record/collect_private.h"

#include "base/memory.h"
#include "base/plural.h"
#include "nvme/host/host.h"
#include "replay/database/words.h"
#include "tcp/tcp.h"

#include <stdio.h>
#include <stdlib.h>

/* Data for the rules of check. A measurement on devices has only the workloads' statistics. */
struct looked {
    const struct workload_member **members;
    uint32_t *first_member;
    uint64_t *retries, *refused;
    struct check_queues *queues;
};

static void count_queues(const struct world *world, uint32_t workload, uint32_t member,
                         struct check_queues *queues)
{
    const struct nvme_host *host;
    if (member >= world_instances(world, workload)) /* not started yet */
        return;
    for (uint32_t p = 0; (host = world_controller(world, workload, member, p)) != NULL; p++) {
        queues->asked += nvme_host_queues_asked(host);
        queues->granted += nvme_host_queues(host);
    }
}

static void look(const struct collect *collect, struct looked *looked)
{
    const struct scenario *scenario = collect->scenario;
    const struct world *world = collect->world;
    uint32_t count = 0;
    looked->first_member = memory_zeroed(scenario->workload_count + 1, sizeof(uint32_t));
    looked->retries = memory_zeroed(scenario->host_count, sizeof(uint64_t));
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        looked->first_member[i] = count;
        count += scenario->workloads[i].pair_count * scenario->workloads[i].copies;
    }
    looked->first_member[scenario->workload_count] = count;
    looked->members = memory_zeroed(count, sizeof(void *));
    looked->queues = memory_zeroed(count, sizeof *looked->queues);
    looked->refused = memory_zeroed(scenario->host_count, sizeof(uint64_t));
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t i = 0; i < looked->first_member[w + 1] - looked->first_member[w]; i++) {
            looked->members[looked->first_member[w] + i] = world_member(world, w, i);
            count_queues(world, w, i, &looked->queues[looked->first_member[w] + i]);
        }
    for (uint32_t h = 0; h < scenario->host_count; h++)
        if (world->targets[h] != NULL)
            looked->refused[h] = nvme_target_stats(world->targets[h])->refused;
    for (uint32_t h = 0; h < scenario->host_count; h++)
        for (uint32_t r = 0; r < world->hosts[h]->rnic_count; r++)
            looked->retries[h] += world->hosts[h]->rnics[r]->cm.retries +
                                  world->hosts[h]->rnics[r]->counters.timeouts;
}

struct asked {
    const struct world *world;
    const struct result *result;
};

static uint64_t frames_of(const void *self, uint32_t node, uint16_t number)
{
    const struct asked *asked = self;
    const struct port *port = world_port(asked->world, node, number);
    uint64_t frames = 0;
    for (int i = 0; i < PRIORITIES; i++)
        frames += port->prios[i].tx_frames + port->prios[i].rx_frames;
    return frames;
}

static int64_t total_of(const void *self, const char *path)
{
    struct result_ratio value;
    return result_total(((const struct asked *)self)->result, path, &value)
               ? (int64_t)value.numerator
               : 0;
}

static void count_members(const struct check_run *run, struct result *result)
{
    for (uint32_t w = 0; w < result->workload_count; w++) {
        const struct check_idle idle = check_idle_members(run, w);
        result->workloads[w].idle = (int64_t)idle.never + idle.late;
        for (uint32_t i = run->first_member[w]; i < run->first_member[w + 1]; i++) {
            result->workloads[w].queues_asked += run->queues[i].asked;
            result->workloads[w].queues_granted += run->queues[i].granted;
        }
    }
}

void collect_members(const struct collect *collect, struct result *result)
{
    struct looked looked = {0};
    if (collect->world == NULL) {
        check_of_run(collect->scenario, NULL, &result->warnings);
        return;
    }
    look(collect, &looked);
    const struct asked asked = {collect->world, result};
    const struct check_run run = {
        .scenario = collect->scenario,
        .cut = collect->cut,
        .stop = collect->window_end,
        .end = collect->now,
        .members = looked.members,
        .first_member = looked.first_member,
        .retries = looked.retries,
        .queues = looked.queues,
        .refused = looked.refused,
        .frames = frames_of,
        .total = total_of,
        .self = &asked,
    };
    check_of_run(collect->scenario, &run, &result->warnings);
    count_members(&run, result);
    const struct member_fabric fabric = {collect->scenario, collect->routes,
                                         collect->observe->fabric->first_port, collect->window_end,
                                         collect->cut};
    for (uint32_t w = 0; w < result->workload_count; w++)
        result->workloads[w].of_members =
            member_figures(&fabric, w, looked.members + looked.first_member[w]);
    free(looked.members);
    free(looked.first_member);
    free(looked.retries);
    free(looked.refused);
    free(looked.queues);
}

/* ---- windows too short for rates ---- */

/* Capacity of the links at the workload's ends in one direction, in total and for one member; 0
 * with loopback, which no link limits. */
struct ends {
    __int128 all_bps, member_bps;
};

static int64_t links_of(const struct scenario_node *node)
{
    int64_t bps = 0;
    for (uint16_t i = 0; i < node->port_count; i++)
        bps += node->ports[i].link == SCENARIO_NO_LINK ? 0 : node->ports[i].params->rate;
    return bps;
}

static struct ends ends_of(const struct scenario *scenario, const struct scenario_workload *about)
{
    uint8_t *seen = memory_zeroed(scenario->host_count, 1);
    __int128 from_bps = 0, to_bps = 0;
    struct ends ends = {0};
    for (uint32_t i = 0; i < about->pair_count; i++) {
        const struct scenario_pair *pair = &about->pairs[i];
        const int64_t from = links_of(&scenario->nodes[pair->from]);
        const int64_t to = links_of(&scenario->nodes[pair->to]), least = from < to ? from : to;
        if (pair->from == pair->to) {
            free(seen);
            return (struct ends){0};
        }
        from_bps += (seen[pair->from] & 1) == 0 ? from : 0;
        to_bps += (seen[pair->to] & 2) == 0 ? to : 0;
        seen[pair->from] |= 1;
        seen[pair->to] |= 2;
        ends.member_bps = least > ends.member_bps ? least : ends.member_bps;
    }
    free(seen);
    ends.all_bps = from_bps < to_bps ? from_bps : to_bps;
    return ends;
}

/* Payload arrives frame by frame, so a short window may contain more of it than the links carry. */
static bool is_above_links(const struct scenario *scenario, const struct scenario_workload *about,
                           const struct result_workload *workload)
{
    const struct ends ends = ends_of(scenario, about);
    const int ways = 1 + (workload->read_window > 0 && workload->written_window > 0);
    const __int128 bit = (__int128)8 * PS_PER_S, window = workload->window_ps;
    return ends.all_bps > 0 && (workload->read_window * bit > ends.all_bps * window ||
                                workload->written_window * bit > ends.all_bps * window ||
                                workload->member_most * bit > ways * ends.member_bps * window);
}

/* Operations completed outside the window but only a few within it, because it is shorter than a
 * few operations take at the total rate. */
static bool has_few(const struct result_workload *workload, const struct workload_stats *stats)
{
    enum { FEW = 3 };
    const time_ps span = stats->last_completion - stats->first_issue;
    return workload->completed_window < FEW && workload->completed > workload->completed_window &&
           (__int128)workload->window_ps * workload->completed < (__int128)FEW * span;
}

/* There are so many frames per member that one at the edge of the window does not matter. Payload
 * counts as it arrives, so goodput needs no completions. */
static bool has_frames(const struct scenario *scenario, const struct scenario_workload *about,
                       const struct result_workload *workload)
{
    enum { ENOUGH = 100 };
    const struct rnic_params *rnic = scenario->nodes[about->pairs[0].from].host->rnic;
    return workload->bytes_window / rnic->path_mtu >= ENOUGH * workload->members;
}

const char *collect_latency_note(const struct scenario_workload *about)
{
    return scenario_completes_early(about) ? "latency without the network: iWARP completes an "
                                             "operation once TCP has taken its data"
                                           : NULL;
}

void collect_rates(const struct scenario *scenario, const struct scenario_workload *about,
                   const struct workload_stats *stats, struct result_workload *workload)
{
    const struct words window = words_time(workload->window_ps);
    if (workload->window_ps <= 0 || about->pair_count == 0)
        return;
    workload->few = has_few(workload, stats);
    const bool early = scenario_completes_early(about) && stats->window_to < about->stop;
    const bool above = is_above_links(scenario, about, workload);
    const bool goodput =
        !above && !early && (!workload->few || has_frames(scenario, about, workload));
    if (early)
        snprintf(workload->no_rates, sizeof workload->no_rates,
                 "no IOPS or goodput: TCP accepted the data of all operations within %s, before "
                 "the data arrived",
                 window.text);
    else if (workload->few)
        snprintf(workload->no_rates, sizeof workload->no_rates,
                 "no IOPS%s: %s %s within the measured %s, too few for a rate",
                 goodput ? "" : " or goodput", words_count(workload->completed_window).text,
                 plural(workload->completed_window, "completion", "completions"), window.text);
    else if (above)
        snprintf(workload->no_rates, sizeof workload->no_rates,
                 "no IOPS or goodput: %s arrived, more than the links can carry in the measured %s",
                 words_bytes(workload->bytes_window).text, window.text);
    if (!goodput)
        workload->window_ps = 0;
}

/* ---- the steady part ---- */

static void refuse_cut_off(const struct scenario *scenario, const struct scenario_workload *about,
                           struct result_workload *workload)
{
    const struct member_figures *of = &workload->of_members;
    const struct scenario_pair *pair = &about->pairs[of->first_cut_off / about->copies];
    struct steady *steady = &workload->steady;
    steady->settled = false;
    steady->needs = STEADY_UNKNOWN;
    steady->least = STEADY_UNKNOWN;
    snprintf(steady->why, sizeof steady->why, "%s of %s %s %s cut off%s at %s: %s to %s",
             words_count(of->cut_off).text, words_count(workload->members).text,
             plural(workload->members, "host-target pair", "host-target pairs"),
             plural(of->cut_off, "was", "were"), of->cut_off > 1 ? ", the first" : "",
             words_time(of->cut_off_at).text, scenario->nodes[pair->from].name,
             scenario->nodes[pair->to].name);
}

/* A warm-up given by the scenario is used as it is. */
void collect_steady(const struct collect *collect, uint32_t index, struct result_workload *workload)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    const bool given = opt_value(about->ops->opts, "warm-up", about->params, 0) > 0;
    const time_ps until = stats->window_to == 0
                              ? collect->window_end
                              : time_earlier(stats->window_to, collect->window_end);
    struct wl_history history;
    world_history(collect->world, index, &history);
    workload->start = about->start;
    workload->worst = wl_history_worst(&history, stats->window_from, TIME_NEVER);
    if (stats->issued > 0)
        workload->steady =
            steady_find(&history, time_later(stats->window_from, stats->first_issue), until, given);
    if (workload->of_members.cut_off > 0)
        refuse_cut_off(collect->scenario, about, workload);
    steady_propose(&workload->steady, about, collect->scenario->duration);
    wl_history_fini(&history);
}

int64_t collect_tcp_cores(const struct world *world, time_ps now)
{
    int64_t cores = 0;
    for (uint32_t node = 0; now > 0 && node < world->scenario->node_count; node++) {
        const struct scenario_node *about = &world->scenario->nodes[node];
        time_ps busy = 0;
        for (uint16_t i = 0; about->kind == SCENARIO_HOST && i < about->port_count; i++) {
            const struct tcp *tcp = world_host(world, node)->rnics[i]->tcp;
            busy += tcp == NULL ? 0 : tcp_busy(tcp);
        }
        cores += (busy + now - 1) / now;
    }
    return cores;
}
