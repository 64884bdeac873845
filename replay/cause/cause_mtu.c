/* SPDX-License-Identifier: Apache-2.0
 * cause_mtu - packets larger than the MTU of a port on their path or of the receiving queue
 * pair. */
#include "base/drop.h"
#include "replay/cause/causes.h"

#include <stdio.h>

static const struct rnic_params *params_at(const struct harm_scene *scene, uint32_t node)
{
    return scene->scenario->nodes[node].host->rnic;
}

static bool failed_at(const struct harm_scene *scene, uint32_t node)
{
    return SCENE_COUNTER(scene, node, qp_errors) > 0;
}

/* Writes to `seen` how path MTUs kept the pair from connecting, or broke its connection; false if
 * they agree. */
static bool has_mtu_conflict(const struct harm_scene *scene, const struct scenario_pair *pair,
                             char *seen, size_t size)
{
    const struct rnic_params *from = params_at(scene, pair->from), *to = params_at(scene, pair->to);
    const char *names[2] = {scene->scenario->nodes[pair->from].name,
                            scene->scenario->nodes[pair->to].name};
    const long long asked = rnic_asked_mtu(from, to), own = to->path_mtu;
    if (rnic_refuses_mtu(to, asked)) {
        snprintf(seen, size, "%s rejected connections from %s with path MTU %lld: it accepts %lld",
                 names[1], names[0], asked, own);
        return true;
    }
    if (rnic_taken_mtu(to, asked) == asked ||
        !(failed_at(scene, pair->from) || failed_at(scene, pair->to)))
        return false;
    snprintf(seen, size, "queue pairs failed: path MTU is %lld at %s, %lld at %s", asked, names[0],
             own, names[1]);
    return true;
}

/* The MTU is decisive: that of a port, or the path MTU of one end. */
static struct cause_clue clue_of(const char *rows, const char *general, enum harm_suspect otherwise)
{
    struct cause_clue clue = cause_clue();
    clue.parts = HARM_LOST_PARTS;
    clue.rows = rows;
    clue.general = general;
    clue.ends = true;
    clue.otherwise = otherwise;
    clue.proven = true;
    return clue;
}

static void look_at_ends(struct cause_search *search, const struct harm_scene *scene, uint32_t w)
{
    const struct scenario_workload *workload = &scene->scenario->workloads[w];
    struct cause_clue clue =
        clue_of("path-mtu path-mtu-agreement", "path-mtu-agreement path-mtu", HARM_WORKLOAD);
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        if (!has_mtu_conflict(scene, &workload->pairs[i], clue.seen, sizeof clue.seen))
            continue;
        clue.workload = w;
        clue.everywhere = true;
        cause_report(search, &clue);
        return;
    }
}

static void find_mtu(struct cause_search *search, const struct harm_scene *scene)
{
    const struct cause_clue clue = clue_of("mtu path-mtu", "mtu path-mtu", HARM_LINK);
    cause_report_drops(search, scene, 1u << PROBE_DROP_MTU, -1, &clue, "larger than its MTU");
    for (uint32_t w = 0; w < scene->scenario->workload_count; w++)
        look_at_ends(search, scene, w);
}

const struct cause_kind cause_mtu = {
    .name = "mtu",
    .about = "A port on the path accepts only smaller frames, or the ends differ in path MTU.",
    .look = find_mtu,
};
