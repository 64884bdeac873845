/* SPDX-License-Identifier: Apache-2.0
 * concerned - finds members by port, node and workload. */
#include "replay/harm/concerned.h"

#include "base/memory.h"

#include <stdlib.h>

/* State of one clue's search. */
struct search {
    struct concerned *concerned;
    const struct harm_scene *scene;
    const struct cause_clue *clue;
    bool in_order; /* the list so far is in ascending order */
};

void concerned_init(struct concerned *concerned, const struct harm_scene *scene)
{
    const size_t room = (size_t)scene->member_count + 1;
    *concerned = (struct concerned){.members = memory_zeroed(room, sizeof *concerned->members),
                                    .listed = memory_zeroed(room, sizeof *concerned->listed)};
}

void concerned_free(struct concerned *concerned)
{
    free(concerned->members);
    free(concerned->listed);
    *concerned = (struct concerned){0};
}

static bool may_concern(const struct search *search, const struct harm_member *member)
{
    const struct harm_scene *scene = search->scene;
    const struct cause_clue *clue = search->clue;
    if (clue->workload != HARM_NONE && member->workload != clue->workload)
        return false;
    return clue->everywhere || clue->root == HARM_NONE ||
           scene_has_priority(scene, member, &scene->explain->roots[clue->root]);
}

static void list_member(struct search *search, uint32_t member)
{
    struct concerned *concerned = search->concerned;
    if (concerned->listed[member] || !may_concern(search, &search->scene->members[member]))
        return;
    search->in_order &= concerned->count == 0 || concerned->members[concerned->count - 1] < member;
    concerned->listed[member] = true;
    concerned->members[concerned->count++] = member;
}

static void list_port(struct search *search, uint32_t port)
{
    const struct member_list list = member_index_list(&search->scene->at_port, port);
    for (uint32_t i = 0; i < list.count; i++)
        list_member(search, list.members[i]);
}

static void list_node(struct search *search, uint32_t node)
{
    const uint32_t *first = &search->scene->fabric->first_port[node];
    for (uint32_t port = first[0]; port < first[1]; port++)
        list_port(search, port);
}

/* Members are sorted by workload. */
static uint32_t first_of(const struct harm_scene *scene, uint32_t workload)
{
    uint32_t low = 0, high = scene->member_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (scene->members[middle].workload < workload)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void list_workload(struct search *search, uint32_t workload)
{
    const struct harm_scene *scene = search->scene;
    for (uint32_t i = first_of(scene, workload);
         i < scene->member_count && scene->members[i].workload == workload; i++)
        list_member(search, i);
}

static void list_all(struct search *search)
{
    if (search->clue->workload != HARM_NONE)
        list_workload(search, search->clue->workload);
    else
        for (uint32_t i = 0; i < search->scene->member_count; i++)
            list_member(search, i);
}

static void list_stopped(struct search *search)
{
    const struct explain *explain = search->scene->explain;
    for (uint32_t i = 0; i < explain->path_count; i++)
        if (explain->paths[i].root == search->clue->root)
            list_port(search, explain->paths[i].port);
}

static void list_deviating(struct search *search)
{
    const struct deviation *deviation = search->clue->deviation;
    for (size_t i = 0; i < deviation->change_count; i++) {
        const struct deviation_change *change = &deviation->changes[i];
        const struct scenario_spot *spot = &change->spot;
        if (change->of == DEVIATION_CLASS)
            list_workload(search, change->index);
        else if (spot->node != SCENARIO_NOWHERE && spot->port == SCENARIO_ALL_PORTS)
            list_node(search, spot->node);
        else if (spot->node != SCENARIO_NOWHERE)
            list_port(search, scene_port_of(search->scene, spot->node, spot->port));
    }
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void concerned_find(struct concerned *concerned, const struct harm_scene *scene,
                    const struct cause_clue *clue)
{
    struct search search = {concerned, scene, clue, .in_order = true};
    for (uint32_t i = 0; i < concerned->count; i++)
        concerned->listed[concerned->members[i]] = false;
    concerned->count = 0;
    if (clue->everywhere)
        list_all(&search);
    else if (clue->root != HARM_NONE)
        list_stopped(&search);
    else if (clue->deviation != NULL)
        list_deviating(&search);
    else if (clue->place.port != HARM_NONE) {
        list_port(&search, clue->place.port);
        list_port(&search, scene->fabric->peer[clue->place.port]);
    } else if (clue->place.node != HARM_NONE)
        list_node(&search, clue->place.node);
    else
        list_all(&search);
    if (!search.in_order)
        qsort(concerned->members, concerned->count, sizeof *concerned->members, by_number);
}
