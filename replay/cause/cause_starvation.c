/* SPDX-License-Identifier: Apache-2.0
 * cause_starvation - a traffic class that the scheduler of a saturated port starves. */
#include "replay/cause/causes.h"

#include "net/switch/switch.h"
#include "replay/database/words.h"
#include "replay/explain/paths.h"
#include "rnic/host/rnic.h"

#include <stdio.h>

enum { FULL = PPM * 85 / 100, LONG_QUEUE = 64 * 1024, TINY = 8 };

static const int64_t *weights(const struct harm_scene *scene, uint32_t port)
{
    const struct scenario_node *node = &scene->scenario->nodes[scene->fabric->node_of[port]];
    return node->kind == SCENARIO_HOST ? node->host->rnic->weight : node->switch_params->weight;
}

/* Whether class `first` is served before the other or has a far larger weight. */
static bool is_served_first(const int64_t *weight, int first, int other)
{
    if (weight[first] == 0)
        return weight[other] != 0 || first > other;
    return weight[other] != 0 && weight[first] >= TINY * weight[other];
}

/* Whether the member's data, or the answers to them, have that priority at the port. */
static bool has_class(const struct harm_scene *scene, const struct paths *paths, uint32_t port,
                      int priority, const struct harm_member *member)
{
    const struct scenario *scenario = scene->scenario;
    const struct scenario_workload *about = &scenario->workloads[member->workload];
    const struct scenario_pair *pair = &about->pairs[member->number / about->copies];
    const struct scenario_node *node = &scenario->nodes[scene->fabric->node_of[port]];
    if (node->kind == SCENARIO_HOST)
        return paths_priority(paths, about, pair) == priority;
    return node->priority_of_dscp[scenario_dscp(scenario, about, pair)] == priority ||
           node->priority_of_dscp[scenario_dscp_back(scenario, about, pair)] == priority;
}

/* Whether the member has that class because of its own host's deviating setting. */
static bool is_odd(const struct harm_scene *scene, const struct paths *paths, uint32_t port,
                   int priority, uint32_t i, struct suspect *suspect)
{
    const struct harm_member *member = &scene->members[i];
    const struct suspects_place host = {HARM_NONE, member->from};
    return has_class(scene, paths, port, priority, member) &&
           suspects_deviation(scene, "dscp priority", host, suspect);
}

/* Reports hosts whose setting puts their traffic into the starved class. This includes answers
 * waiting in that class, which build no queue. */
static void report_odd_hosts(struct cause_search *search, const struct harm_scene *scene,
                             const struct paths *paths, const struct cause_clue *shape)
{
    const struct member_list list = member_index_list(&scene->at_port, shape->place.port);
    for (uint32_t k = 0; k < list.count; k++) {
        const uint32_t i = list.members[k];
        struct cause_clue clue = *shape;
        struct suspect suspect;
        if (!is_odd(scene, paths, shape->place.port, shape->priority, i, &suspect))
            continue;
        clue.place = (struct suspects_place){HARM_NONE, scene->members[i].from};
        clue.workload = scene->members[i].workload;
        clue.least = 0;
        clue.proven = true;
        cause_accuse(search, &clue, &suspect);
    }
}

/* Reports a host whose setting wrongly puts its traffic into the dominant class, otherwise the
 * workload. */
static void report_workload(struct cause_search *search, const struct harm_scene *scene,
                            const struct paths *paths, const struct cause_clue *clue, int first)
{
    struct suspect suspect;
    const struct member_list list = member_index_list(&scene->at_port, clue->place.port);
    for (uint32_t i = 0; i < list.count; i++)
        if (is_odd(scene, paths, clue->place.port, first, list.members[i], &suspect)) {
            cause_accuse(search, clue, &suspect);
            return;
        }
    cause_report(search, clue);
}

static void report(struct cause_search *search, const struct harm_scene *scene, uint32_t port,
                   int first, int other)
{
    const struct port *of = scene_port(scene, port);
    struct paths paths;
    char rows[48], name[HARM_NAME_BYTES];
    struct cause_clue clue = cause_clue();
    clue.place.port = port;
    clue.priority = other;
    clue.parts = HARM_LOST_PARTS | HARM_BIT(PAUSE);
    clue.least = (int64_t)((__int128)of->prios[first].tx_bytes * PPM /
                           (of->prios[first].tx_bytes + of->prios[other].tx_bytes));
    snprintf(rows, sizeof rows, "weight-%d weight-%d", other, first);
    clue.rows = clue.general = rows;
    clue.otherwise = HARM_WORKLOAD;
    snprintf(clue.seen, sizeof clue.seen,
             "at %s, priority %d leaves priority %d only %s of the link",
             cause_port_name(scene, port, name, sizeof name), first, other,
             words_percent((double)of->prios[other].tx_bytes,
                           (double)(of->prios[other].tx_bytes + of->prios[first].tx_bytes))
                 .text);
    paths_init(&paths, scene->scenario, scene->routes, scene->fabric);
    report_odd_hosts(search, scene, &paths, &clue);
    for (uint32_t w = 0; of->prios[other].peak >= LONG_QUEUE && w < scene->scenario->workload_count;
         w++) {
        const struct scenario_workload *about = &scene->scenario->workloads[w];
        clue.workload = w;
        if (about->pair_count > 0 && paths_priority(&paths, about, &about->pairs[0]) == other)
            report_workload(search, scene, &paths, &clue, first);
    }
    paths_fini(&paths);
}

static void look_at_starvation(struct cause_search *search, const struct harm_scene *scene,
                               uint32_t port)
{
    const struct port *of = scene_port(scene, port);
    const int64_t *weight = weights(scene, port);
    for (int other = 0; other < PRIORITIES; other++)
        for (int first = 0; first < PRIORITIES; first++)
            if (first != other && of->prios[other].tx_bytes > 0 &&
                of->prios[first].tx_bytes > of->prios[other].tx_bytes &&
                is_served_first(weight, first, other))
                report(search, scene, port, first, other);
}

static void find_starvation(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    for (uint32_t port = 0; port < ports; port++)
        if (scene->uses[port].busy >= FULL)
            look_at_starvation(search, scene, port);
}

const struct cause_kind cause_starvation = {
    .name = "starvation",
    .about = "The scheduler starves a class.",
    .look = find_starvation,
};
