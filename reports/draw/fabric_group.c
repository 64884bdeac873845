/* SPDX-License-Identifier: Apache-2.0
 * fabric_group - groups nodes of a fabric into boxes. */
#include "base/memory.h"
#include "reports/draw/fabric_map.h"

#include <stdlib.h>

static uint32_t pod_of(struct fabric_node *nodes, uint32_t node)
{
    while (nodes[node].pod != node) {
        nodes[node].pod = nodes[nodes[node].pod].pod;
        node = nodes[node].pod;
    }
    return node;
}

uint32_t fabric_map_find_pods(struct fabric_map *map)
{
    struct fabric_node *nodes = map->nodes;
    for (uint32_t i = 0; i < map->node_count; i++)
        nodes[i].pod = i;
    for (uint32_t i = 0; i < map->link_count; i++) {
        const uint32_t a = map->ends[i][0], b = map->ends[i][1];
        const uint32_t high = nodes[a].row > nodes[b].row ? nodes[a].row : nodes[b].row;
        if (high + 1 >= map->rows || nodes[a].row == 0 || nodes[b].row == 0)
            continue;
        const uint32_t one = pod_of(nodes, a), other = pod_of(nodes, b);
        nodes[one > other ? one : other].pod = one > other ? other : one;
    }
    uint32_t *number = memory_zeroed((size_t)map->node_count, sizeof *number), count = 0;
    for (uint32_t i = 0; i < map->node_count; i++)
        nodes[i].pod = pod_of(nodes, i);
    for (uint32_t i = 0; i < map->node_count; i++)
        if (nodes[i].row > 0 && nodes[i].row + 1 < map->rows && nodes[i].pod == i)
            number[i] = count++;
    for (uint32_t i = 0; i < map->node_count; i++)
        nodes[i].pod = number[nodes[i].pod];
    free(number);
    return count;
}

static uint32_t new_box(struct fabric_map *map, uint32_t row)
{
    map->boxes[map->box_count] = (struct fabric_box){.row = row, .home = FABRIC_NONE};
    return map->box_count++;
}

static void put_into(struct fabric_map *map, uint32_t node, uint32_t number)
{
    struct fabric_box *box = &map->boxes[number];
    if (box->members++ == 0)
        box->first = node;
    box->last = node;
    map->nodes[node].box = number;
}

/* Assigns the columns of one row: by pod if there are at least four, otherwise in order. */
static void group_row(struct fabric_map *map, uint32_t row, uint32_t pods, uint32_t *box_of_column)
{
    uint32_t count = 0, seen = 0;
    for (uint32_t i = 0; i < map->node_count; i++)
        count += map->nodes[i].row == row;
    const bool by_pod = pods >= 4 && row + 1 < map->rows;
    const uint32_t things = by_pod ? pods : count;
    const uint32_t columns = things < FABRIC_COLUMNS ? things : FABRIC_COLUMNS;
    for (uint32_t i = 0; i < columns; i++)
        box_of_column[i] = FABRIC_NONE;
    for (uint32_t i = 0; i < map->node_count; i++) {
        if (map->nodes[i].row != row)
            continue;
        const uint64_t thing = by_pod ? map->nodes[i].pod : seen++;
        uint32_t *box = &box_of_column[thing * columns / things];
        if (*box == FABRIC_NONE)
            *box = new_box(map, row);
        put_into(map, i, *box);
    }
}

static void group_switches(struct fabric_map *map)
{
    uint32_t box_of_column[FABRIC_COLUMNS];
    if (map->node_count - map->host_count > FABRIC_SWITCHES_SHOWN) {
        const uint32_t pods = fabric_map_find_pods(map);
        for (uint32_t row = 1; row < map->rows; row++)
            group_row(map, row, pods, box_of_column);
        return;
    }
    for (uint32_t i = 0; i < map->node_count; i++)
        if (map->nodes[i].row > 0)
            put_into(map, i, new_box(map, map->nodes[i].row));
}

/* Hosts connected directly to each other have no home switch. */
static uint32_t home_of(const struct fabric_map *map, const struct fabric_node *host)
{
    for (uint32_t i = 0; i < host->degree; i++) {
        const struct fabric_node *peer = &map->nodes[map->peers[host->first + i]];
        if (!peer->is_host)
            return peer->box;
    }
    return FABRIC_NONE;
}

static void group_hosts(struct fabric_map *map)
{
    const uint32_t switches = map->box_count;
    const bool together = map->host_count > FABRIC_HOSTS_SHOWN;
    uint32_t *hosts_of = memory_resized(NULL, ((size_t)switches + 1), sizeof *hosts_of);
    for (uint32_t i = 0; i <= switches; i++)
        hosts_of[i] = FABRIC_NONE;
    for (uint32_t i = 0; i < map->node_count; i++) {
        if (!map->nodes[i].is_host)
            continue;
        const uint32_t home = home_of(map, &map->nodes[i]);
        uint32_t *slot = &hosts_of[home == FABRIC_NONE ? switches : home];
        uint32_t box = *slot;
        if (!together || box == FABRIC_NONE) {
            *slot = box = new_box(map, 0);
            map->boxes[box].home = home;
            if (home != FABRIC_NONE)
                map->boxes[home].hosts++;
        }
        put_into(map, i, box);
    }
    free(hosts_of);
}

void fabric_map_group(struct fabric_map *map)
{
    map->boxes = memory_zeroed((size_t)map->node_count, sizeof *map->boxes);
    group_switches(map);
    group_hosts(map);
}
