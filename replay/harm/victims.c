/* SPDX-License-Identifier: Apache-2.0
 * victims - groups members by the host where they start. */
#include "replay/harm/victims.h"

#include "base/memory.h"

#include <stdlib.h>

const char *harm_class_word(enum harm_class class)
{
    static const char *const words[] = {
        [HARM_DIRECT] = "direct",
        [HARM_INDIRECT] = "indirect",
        [HARM_SAME_PATH] = "same-path",
    };
    return class >= HARM_DIRECT && class < HARM_UNTOUCHED ? words[class] : NULL;
}

static bool goes_by(const struct victims_search *search, const struct harm_member *member)
{
    const struct harm_scene *scene = search->scene;
    const struct suspects_place place = search->place;
    if (place.port != HARM_NONE)
        return scene_crosses(scene, member, place.port) ||
               scene_crosses(scene, member, scene->fabric->peer[place.port]);
    return place.node == HARM_NONE || scene_passes(scene, member, place.node);
}

/* Hosts of members that pass the place; the caller frees the result. */
static bool *find_talkers(const struct victims_search *search)
{
    bool *talks = memory_zeroed(search->scene->fabric->node_count + 1, sizeof *talks);
    for (uint32_t i = 0; i < search->scene->member_count; i++) {
        const struct harm_member *member = &search->scene->members[i];
        if ((!talks[member->from] || !talks[member->to]) && goes_by(search, member))
            talks[member->from] = talks[member->to] = true;
    }
    return talks;
}

/* How long each port was paused because of the root, in ps; the caller frees the result. */
static time_ps *find_paused(const struct victims_search *search)
{
    const struct explain *explain = search->scene->explain;
    const uint32_t ports = search->scene->fabric->first_port[search->scene->fabric->node_count];
    time_ps *paused = memory_zeroed(ports + 1, sizeof *paused);
    for (uint32_t i = 0; search->root != HARM_NONE && i < explain->path_count; i++)
        if (explain->paths[i].root == search->root)
            paused[explain->paths[i].port] += explain->paths[i].held_ps;
    return paused;
}

/* The longest pause among the ports that the member's queue pairs used. */
static time_ps longest_of(const struct victims_search *search, const struct harm_member *member,
                          const time_ps *paused)
{
    time_ps longest = 0;
    for (int way = 0; way < 2; way++) {
        const struct harm_path *path = scene_path(search->scene, member, way);
        for (uint32_t i = 0; i < path->count; i++)
            longest = time_later(longest, paused[path->ports[i]]);
    }
    return longest;
}

static int by_host(const void *a, const void *b)
{
    const struct harm_victim *x = a, *y = b;
    return x->workload != y->workload ? (x->workload > y->workload) - (x->workload < y->workload)
                                      : (x->node > y->node) - (x->node < y->node);
}

static int by_loss(const void *a, const void *b)
{
    const struct harm_victim *x = a, *y = b;
    return x->lost != y->lost ? (x->lost < y->lost) - (x->lost > y->lost) : by_host(a, b);
}

static void merge_victim(struct harm_victim *whole, const struct harm_victim *part)
{
    whole->class = part->class < whole->class ? part->class : whole->class;
    whole->lost = part->lost > whole->lost ? part->lost : whole->lost;
    whole->paused = part->paused > whole->paused ? part->paused : whole->paused;
    whole->failed += part->failed;
}

/* Fills in one victim per member; returns their number. */
static uint32_t find_members(const struct victims_search *search, struct harm_victim *victims)
{
    const struct harm_scene *scene = search->scene;
    bool *talks = find_talkers(search);
    time_ps *paused = find_paused(search);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scene->member_count; i++) {
        const struct harm_member *member = &scene->members[i];
        if (search->lost[i] < HARM_NOTICED)
            continue;
        victims[count++] = (struct harm_victim){
            .workload = member->workload,
            .node = member->from,
            .host = scene->fabric->names[member->from],
            .class = goes_by(search, member)                    ? HARM_DIRECT
                     : talks[member->from] || talks[member->to] ? HARM_INDIRECT
                                                                : HARM_SAME_PATH,
            .lost = search->lost[i],
            .failed = (int64_t)member->failed,
            .paused = longest_of(search, member, paused),
        };
    }
    free(paused);
    free(talks);
    return count;
}

static uint32_t join_hosts(struct harm_victim *victims, uint32_t count)
{
    uint32_t joined = 0;
    qsort(victims, count, sizeof *victims, by_host);
    for (uint32_t i = 0; i < count; i++) {
        if (joined > 0 && by_host(&victims[joined - 1], &victims[i]) == 0)
            merge_victim(&victims[joined - 1], &victims[i]);
        else
            victims[joined++] = victims[i];
    }
    return joined;
}

static void add_to(struct harm_workload *workload, const struct harm_victim *victim)
{
    workload->class = victim->class < workload->class ? victim->class : workload->class;
    workload->paused = victim->paused > workload->paused ? victim->paused : workload->paused;
}

void victims_list(const struct victims_search *search, struct harm_cause *cause,
                  struct harm_workload *workloads)
{
    struct harm_victim *victims = memory_zeroed(search->scene->member_count + 1, sizeof *victims);
    const uint32_t count = join_hosts(victims, find_members(search, victims));
    qsort(victims, count, sizeof *victims, by_loss);
    for (uint32_t i = 0; i < count; i++) {
        if (workloads != NULL)
            add_to(&workloads[victims[i].workload], &victims[i]);
        if (i < HARM_VICTIMS)
            cause->victims[cause->victim_count++] = victims[i];
    }
    cause->victims_in_all = count;
    free(victims);
}
