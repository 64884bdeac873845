/* SPDX-License-Identifier: Apache-2.0
 * cause_neighbour - members that get less than others of their workload because a different
 * workload moves most of the traffic at a saturated link or target.
 * Runs last, and only for members whose loss no other cause explains. */
#include "replay/cause/causes.h"

#include "base/memory.h"
#include "replay/database/words.h"

#include <stdio.h>
#include <stdlib.h>

enum { FULL = PPM * 85 / 100, WORSE = PPM / 5, MOST = PPM / 2, PORTS_MOST = 64 };

/* The member lags behind others of its workload, and no other cause explains it. */
static bool is_left(const struct cause_search *search, const struct harm_scene *scene, uint32_t i)
{
    const int64_t *part = scene->members[i].part;
    return (part[HARM_PART_BEHIND] >= WORSE || part[HARM_PART_SLOW] >= WORSE) &&
           !cause_is_explained(search, i);
}

/* The shared resource: a port or a target. */
struct shared {
    uint32_t port, target; /* HARM_NONE if the other is meant */
};

static uint64_t bytes_by(const struct harm_scene *scene, const struct harm_member *member,
                         struct shared shared)
{
    if (shared.port != HARM_NONE)
        return scene_bytes_by(scene, member, shared.port);
    return member->to == shared.target ? member->bytes : 0;
}

/* The workload that moves most of the traffic there, and its share. */
static uint32_t heaviest_workload(const struct harm_scene *scene, struct shared shared,
                                  int64_t *part)
{
    const uint32_t count = scene->scenario->workload_count;
    uint64_t *bytes = memory_zeroed(count, sizeof *bytes), all = 0;
    uint32_t most = 0;
    const struct member_list list = shared.port != HARM_NONE
                                        ? member_index_list(&scene->at_port, shared.port)
                                        : member_index_list(&scene->at_node, shared.target);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct harm_member *member = &scene->members[list.members[i]];
        const uint64_t moved = bytes_by(scene, member, shared);
        bytes[member->workload] += moved;
        all += moved;
    }
    for (uint32_t w = 0; w < count; w++)
        most = bytes[w] > bytes[most] ? w : most;
    *part = all == 0 ? 0 : (int64_t)((unsigned __int128)bytes[most] * PPM / all);
    free(bytes);
    return most;
}

static void report(struct cause_search *search, const struct harm_scene *scene, uint32_t workload,
                   struct shared shared)
{
    struct cause_clue clue = cause_clue();
    char name[HARM_NAME_BYTES], is[40] = "has no spare capacity";
    int64_t part;
    const uint32_t most = heaviest_workload(scene, shared, &part);
    if (most == workload || part < MOST)
        return;
    clue.workload = workload;
    clue.parts = HARM_BIT(BEHIND) | HARM_BIT(SLOW);
    clue.otherwise = HARM_LOAD;
    clue.place.port = shared.port;
    clue.place.node = shared.target;
    if (shared.port != HARM_NONE) {
        cause_port_name(scene, shared.port, name, sizeof name);
        snprintf(is, sizeof is, "is %s busy",
                 words_percent((double)scene->uses[shared.port].busy, PPM).text);
    } else
        snprintf(name, sizeof name, "%s", scene->scenario->nodes[shared.target].name);
    snprintf(clue.seen, sizeof clue.seen, "%.64s %s, %s of its load comes from %.64s", name, is,
             words_percent((double)part, PPM).text, scene->scenario->workloads[most].name);
    cause_report(search, &clue);
}

/* Resources that a target shares among all its hosts. */
static bool is_of_targets(enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_MEDIA || resource == BOTTLENECK_TARGET_CPU ||
           resource == BOTTLENECK_BUFFERS || resource == BOTTLENECK_WRS;
}

static void look_at_targets(struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; scene->limits != NULL && i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (is_of_targets(scene->limits[member->workload].resource) && is_left(search, scene, i))
            report(search, scene, member->workload, (struct shared){HARM_NONE, member->to});
    }
}

static void look_at_port(struct cause_search *search, const struct harm_scene *scene, uint32_t port)
{
    const struct member_list list = member_index_list(&scene->at_port, port);
    for (uint32_t i = 0; i < list.count; i++)
        if (is_left(search, scene, list.members[i]))
            report(search, scene, scene->members[list.members[i]].workload,
                   (struct shared){port, HARM_NONE});
}

static bool any_is_left(const struct cause_search *search, const struct harm_scene *scene)
{
    for (uint32_t i = 0; i < scene->member_count; i++)
        if (is_left(search, scene, i))
            return true;
    return false;
}

static void look(struct cause_search *search, const struct harm_scene *scene)
{
    const uint32_t ports = scene->fabric->first_port[scene->fabric->node_count];
    uint32_t looked = 0;
    if (!any_is_left(search, scene))
        return;
    for (uint32_t port = 0; port < ports && looked < PORTS_MOST; port++)
        if (scene->uses[port].busy >= FULL) {
            look_at_port(search, scene, port);
            looked++;
        }
    look_at_targets(search, scene);
}

const struct cause_kind cause_neighbour = {
    .name = "neighbour",
    .about = "Members of a workload wait behind the load of others.",
    .look = look,
};
