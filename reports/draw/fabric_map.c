/* SPDX-License-Identifier: Apache-2.0
 * fabric_map - turns database rows into nodes, rows and lines. */
#include "reports/draw/fabric_map.h"

#include "base/memory.h"
#include "replay/explain/account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_nodes(struct fabric_map *map, struct store *store)
{
    const int64_t count = store_ask_int(store, "SELECT count(*) FROM node", 0);
    map->nodes = memory_zeroed((size_t)count, sizeof *map->nodes);
    struct store_statement *rows =
        store_prepare(store, "SELECT name, kind='host' AS is_host FROM node ORDER BY node");
    while (store_step(rows) && map->node_count < count) {
        struct fabric_node *node = &map->nodes[map->node_count++];
        snprintf(node->name, sizeof node->name, "%s", store_text(rows, "name"));
        node->is_host = store_int(rows, "is_host") != 0;
        map->host_count += node->is_host;
    }
    store_finish(rows);
}

static void read_links(struct fabric_map *map, struct store *store)
{
    const int64_t count = store_ask_int(store, "SELECT count(*) FROM link", 0);
    map->ends = memory_zeroed((size_t)count, sizeof *map->ends);
    map->peers = memory_zeroed((size_t)count * 2, sizeof *map->peers);
    struct store_statement *rows =
        store_prepare(store, "SELECT a_node, b_node FROM link ORDER BY link");
    while (store_step(rows) && map->link_count < count) {
        const int64_t a = store_int(rows, "a_node"), b = store_int(rows, "b_node");
        if (a < 0 || b < 0 || a >= map->node_count || b >= map->node_count)
            continue;
        map->ends[map->link_count][0] = (uint32_t)a;
        map->ends[map->link_count++][1] = (uint32_t)b;
        map->nodes[a].degree++;
        map->nodes[b].degree++;
    }
    store_finish(rows);
    uint32_t first = 0;
    for (uint32_t i = 0; i < map->node_count; i++) {
        map->nodes[i].first = first;
        first += map->nodes[i].degree;
        map->nodes[i].degree = 0;
    }
    for (uint32_t i = 0; i < map->link_count; i++)
        for (int end = 0; end < 2; end++) {
            struct fabric_node *node = &map->nodes[map->ends[i][end]];
            map->peers[node->first + node->degree++] = map->ends[i][!end];
        }
}

/* Breadth-first search from all hosts. */
static void find_rows(struct fabric_map *map)
{
    uint32_t *queue = memory_zeroed(map->node_count, sizeof *queue), begin = 0, end = 0;
    for (uint32_t i = 0; i < map->node_count; i++) {
        map->nodes[i].row = map->nodes[i].is_host ? 0 : FABRIC_NONE;
        if (map->nodes[i].is_host)
            queue[end++] = i;
    }
    while (begin < end) {
        const struct fabric_node *node = &map->nodes[queue[begin++]];
        for (uint32_t i = 0; i < node->degree; i++) {
            const uint32_t peer = map->peers[node->first + i];
            if (map->nodes[peer].row != FABRIC_NONE)
                continue;
            map->nodes[peer].row = node->row + 1;
            queue[end++] = peer;
        }
    }
    for (uint32_t i = 0; i < map->node_count; i++) {
        if (map->nodes[i].row == FABRIC_NONE)
            map->nodes[i].row = 1; /* unreachable from hosts */
        if (map->nodes[i].row >= map->rows)
            map->rows = map->nodes[i].row + 1;
    }
    free(queue);
}

/* Combines links between the same boxes into lines. */
static int by_ends(const void *x, const void *y)
{
    const struct fabric_line *a = x, *b = y;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    return a->b < b->b ? -1 : a->b > b->b;
}

static void take_held(struct fabric_line *into, const struct fabric_line *from)
{
    for (int i = 0; i < 2; i++)
        if (from->held_ps[i] > into->held_ps[i]) {
            into->held_ps[i] = from->held_ps[i];
            memcpy(into->held_at[i], from->held_at[i], sizeof into->held_at[i]);
        }
}

static void merge_lines(struct fabric_map *map)
{
    uint32_t kept = 0;
    qsort(map->lines, map->line_count, sizeof *map->lines, by_ends);
    for (uint32_t i = 0; i < map->line_count; i++) {
        struct fabric_line *line = &map->lines[i];
        struct fabric_line *last = kept == 0 ? NULL : &map->lines[kept - 1];
        if (last == NULL || by_ends(last, line) != 0) {
            map->lines[kept++] = *line;
            continue;
        }
        last->links++;
        if (line->rate_bps > last->rate_bps)
            last->rate_bps = line->rate_bps;
        take_held(last, line);
    }
    map->line_count = kept;
}

/* The pause time of a transmitter is that of its most paused priority. */
static void read_lines(struct fabric_map *map, struct store *store)
{
    static const char sql[] =
        "WITH held AS MATERIALIZED (SELECT node, port, max(value) AS value FROM counter"
        " WHERE port IS NOT NULL AND name='tx_prio'||priority||'_blocked_ps' GROUP BY node, port)"
        " SELECT a_node, b_node, p.rate_bps, coalesce(g.value, 0) AS a_held,"
        " coalesce(h.value, 0) AS b_held, p.name AS a_name, q.name AS b_name FROM link"
        " JOIN port p ON p.node=a_node AND p.port=a_port"
        " JOIN port q ON q.node=b_node AND q.port=b_port"
        " LEFT JOIN held g ON g.node=a_node AND g.port=a_port"
        " LEFT JOIN held h ON h.node=b_node AND h.port=b_port ORDER BY link.link";
    static const char *const held[] = {"a_held", "b_held"}, *const names[] = {"a_name", "b_name"};
    map->lines = memory_zeroed(map->link_count, sizeof *map->lines);
    struct store_statement *rows = store_prepare(store, sql);
    while (store_step(rows) && map->line_count < map->link_count) {
        const int64_t ends[2] = {store_int(rows, "a_node"), store_int(rows, "b_node")};
        if (ends[0] < 0 || ends[1] < 0 || ends[0] >= map->node_count || ends[1] >= map->node_count)
            continue;
        struct fabric_line line = {.links = 1, .rate_bps = store_int(rows, "rate_bps")};
        const uint32_t boxes[2] = {map->nodes[ends[0]].box, map->nodes[ends[1]].box};
        const int turned = boxes[0] > boxes[1];
        line.a = boxes[turned];
        line.b = boxes[!turned];
        for (int i = 0; i < 2; i++) {
            struct fabric_box *box = &map->boxes[boxes[i]];
            line.held_ps[i ^ turned] = store_int(rows, held[i]);
            snprintf(line.held_at[i ^ turned], FABRIC_NAME_BYTES, "%s", store_text(rows, names[i]));
            if (store_int(rows, held[i]) > box->held_ps)
                box->held_ps = store_int(rows, held[i]);
        }
        if (line.a == line.b)
            map->boxes[line.a].links_inside++;
        else
            map->lines[map->line_count++] = line;
    }
    store_finish(rows);
    merge_lines(map);
}

static void read_causes(struct fabric_map *map, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT node FROM pause_root ORDER BY position LIMIT ?1");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(account_causes(store)));
    while (store_step(rows)) {
        const int64_t node = store_int(rows, "node");
        if (node >= 0 && node < map->node_count)
            map->boxes[map->nodes[node].box].root = true;
    }
    store_finish(rows);
}

struct fabric_map *fabric_map_read(struct store *store)
{
    struct fabric_map *map = memory_zeroed(1, sizeof *map);
    read_nodes(map, store);
    read_links(map, store);
    find_rows(map);
    fabric_map_group(map);
    read_lines(map, store);
    map->span_ps = store_ask_int(store, "SELECT simulated_ps+coalesce(drain_ps, 0) FROM meta", 0);
    read_causes(map, store);
    fabric_map_place(map);
    return map;
}

void fabric_map_free(struct fabric_map *map)
{
    if (map == NULL)
        return;
    free(map->nodes);
    free(map->ends);
    free(map->peers);
    free(map->boxes);
    free(map->lines);
    free(map);
}
