/* SPDX-License-Identifier: Apache-2.0
 * cause_connecting - members that start late because creating their queue pairs takes long. */
#include "replay/cause/causes.h"

#include "replay/database/words.h"
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

enum { NOTABLE = PPM / 20, MODIFIES = 3 /* INIT, RTR, RTS */, SCAN_READS = 3 };

/* Cost of connecting from a host's settings; row names separated by spaces, the largest cost
 * first. */
struct costs {
    char rows[160];
    time_ps once, each, all; /* per member; per requested QP; for all QPs of the host */
    bool scans;
};

static bool has_ends(const struct harm_member *member, uint32_t host)
{
    return member->from == host || member->to == host;
}

static const struct nvme_host *controller(const struct harm_scene *scene,
                                          const struct harm_member *member, uint32_t path)
{
    if (member->number >= world_instances(scene->world, member->workload)) /* not started yet */
        return NULL;
    return world_controller(scene->world, member->workload, member->number, path);
}

static int64_t queue_pairs_of(const struct harm_scene *scene, const struct harm_member *member)
{
    const struct scenario_workload *workload = &scene->scenario->workloads[member->workload];
    const struct nvme_host *host;
    int64_t sum = 0;
    if (!workload->ops->needs_nvme_target)
        return workload->turns;
    for (uint32_t path = 0; (host = controller(scene, member, path)) != NULL; path++)
        sum += 1 + nvme_host_queues(host); /* one admin queue per controller */
    return sum;
}

static int64_t queue_pairs(const struct harm_scene *scene, uint32_t host)
{
    const struct member_list list = scene_members_at(scene, host);
    int64_t sum = 0;
    for (uint32_t i = 0; i < list.count; i++)
        sum += queue_pairs_of(scene, &scene->members[list.members[i]]);
    return sum;
}

/* Time of the sequential partition table reads of each namespace. */
static time_ps scanning(const struct harm_scene *scene, const struct harm_member *member)
{
    const struct nvme_host *host = controller(scene, member, 0);
    return host == NULL ? 0 : SCAN_READS * nvme_host_namespaces(host) * member->mean;
}

static void add_row(struct costs *costs, const char *row, time_ps cost, time_ps before)
{
    char rest[sizeof costs->rows];
    if (cost == 0)
        return;
    snprintf(rest, sizeof rest, "%s", costs->rows);
    if (cost > before)
        snprintf(costs->rows, sizeof costs->rows, "%s%.120s", row, rest);
    else
        snprintf(costs->rows, sizeof costs->rows, "%.120s%s", rest, row);
}

static struct costs costs_of(const struct harm_scene *scene, uint32_t host, bool storage)
{
    const struct scenario_host *about = scene->scenario->nodes[host].host;
    const struct rnic_params *rnic = about->rnic;
    const int64_t pairs =
        rnic->qp_create_cost + rnic->qp_modify_cost == 0 ? 0 : queue_pairs(scene, host);
    const time_ps create = pairs * rnic->qp_create_cost / rnic->command_slots;
    const time_ps modify = pairs * MODIFIES * rnic->qp_modify_cost / rnic->command_slots;
    struct costs costs = {
        .once = rnic->context_cost, .each = rnic->resolve_cost, .all = create + modify};
    time_ps most = 0;
    const struct {
        const char *row;
        time_ps cost;
    } rows[] = {{"context-cost ", rnic->context_cost},
                {"resolve-cost ", rnic->resolve_cost},
                {"qp-create-cost ", create},
                {"qp-modify-cost ", modify}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        add_row(&costs, rows[i].row, rows[i].cost, most);
        most = rows[i].cost > most ? rows[i].cost : most;
    }
    if (costs.all > 0)
        strcat(costs.rows, "command-slots qp-destroy-cost ");
    costs.scans = storage && about->nvme_host->core.partition_scan;
    if (costs.scans)
        strcat(costs.rows, "partition-scan ");
    return costs;
}

/* Mean lateness of a workload's members at (or not at) the host, as a share of their time. */
static int64_t mean_lateness(const struct harm_scene *scene, uint32_t workload, uint32_t host,
                             bool at, uint32_t *count)
{
    int64_t sum = 0;
    *count = 0;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->workload != workload || !member->connected || has_ends(member, host) != at)
            continue;
        sum += member->part[HARM_PART_CONNECTING];
        (*count)++;
    }
    return *count == 0 ? 0 : sum / *count;
}

/* Upper bound of the connecting cost for a member at the host. */
static time_ps bound_of(const struct harm_scene *scene, const struct harm_member *member,
                        uint32_t host, const struct costs *costs)
{
    if (member->from != host)
        return costs->all;
    return costs->once + costs->each * queue_pairs_of(scene, member) + costs->all +
           (costs->scans ? scanning(scene, member) : 0);
}

/* The lateness to attribute: the excess over other members of the workload, or, without others, at
 * most the upper bound of the costs. */
static int64_t due_lateness(const struct harm_scene *scene, uint32_t workload, uint32_t host,
                            const struct costs *costs, bool others)
{
    uint32_t at, beside;
    const int64_t here = mean_lateness(scene, workload, host, true, &at);
    const int64_t there = mean_lateness(scene, workload, host, false, &beside);
    int64_t sum = 0;
    if (others && beside > 0)
        return here - there;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (member->workload != workload || !member->connected || !has_ends(member, host))
            continue;
        const time_ps most = bound_of(scene, member, host, costs);
        const int64_t bound =
            most >= member->span ? PPM : (int64_t)((__int128)most * PPM / member->span);
        const int64_t part = member->part[HARM_PART_CONNECTING];
        sum += part < bound ? part : bound;
    }
    return at == 0 ? 0 : sum / at;
}

/* Converts a share of the workload's time to a time. */
static time_ps of_span(const struct harm_scene *scene, uint32_t workload, int64_t part)
{
    for (uint32_t i = 0; i < scene->member_count; i++)
        if (scene->members[i].workload == workload)
            return (time_ps)((__int128)part * scene->members[i].span / PPM);
    return 0;
}

static bool look_at(struct cause_search *search, const struct harm_scene *scene, uint32_t workload,
                    uint32_t host)
{
    const struct scenario_workload *about = &scene->scenario->workloads[workload];
    const struct costs costs = costs_of(scene, host, about->ops->needs_nvme_target);
    struct cause_clue clue = cause_clue();
    struct suspect suspect;
    uint32_t count;
    clue.place.node = host;
    if (costs.rows[0] == '\0')
        return false;
    const bool deviates = suspects_deviation(scene, costs.rows, clue.place, &suspect);
    if (!deviates && !suspects_general(scene, costs.rows, &suspect))
        return false;
    const int64_t own = due_lateness(scene, workload, host, &costs, deviates);
    const int64_t whole = mean_lateness(scene, workload, host, true, &count);
    if (own < NOTABLE)
        return false;
    clue.workload = workload;
    clue.parts = HARM_BIT(CONNECTING);
    clue.strength = own >= whole ? PPM : own * PPM / whole;
    clue.proven = true;
    if (!deviates)
        clue.place.node = HARM_NONE;
    snprintf(clue.seen, sizeof clue.seen,
             "connections of %s take %s longer to set up, %s of their time", about->name,
             words_time(of_span(scene, workload, own)).text, words_percent((double)own, PPM).text);
    cause_accuse(search, &clue, &suspect);
    return !deviates;
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t w = 0; scene->world != NULL && w < scene->scenario->workload_count; w++) {
        bool of_all = false; /* a setting of all hosts is reported once */
        for (uint32_t host = 0; host < scene->scenario->host_count && !of_all; host++)
            of_all = look_at(search, scene, w, host);
    }
}

const struct cause_kind cause_connecting = {
    .name = "connecting",
    .about = "Creating queue pairs takes so long that host-target pairs begin late.",
    .look = look,
};
