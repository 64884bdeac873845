/* SPDX-License-Identifier: Apache-2.0
 * fabric_place - places the boxes of a fabric.
 * Boxes in a row are sorted by the mean position of their neighbors in the next row, several times
 * up and down. Ties keep their order, so generated fabrics stay in the order of their names. Hosts
 * form a block below their switch.
 * Source: Sugiyama, Tagawa, Toda, IEEE Trans. SMC 11(2), 1981. */
#include "base/memory.h"
#include "reports/draw/fabric_map.h"

#include <math.h>
#include <stdlib.h>

enum { SWITCH_WIDTH = 84, SWITCH_HEIGHT = 30, HOST_WIDTH = 46, HOST_HEIGHT = 17, GROUP_WIDTH = 92 };
enum { GAP = 22, HOST_GAP = 6, SWEEPS = 4, CROWD = 12, ROW_LEAST = 84, ROW_MOST = 380 };

struct row {
    struct fabric_box **boxes;
    uint32_t count;
    double width;
};

/* Columns of the block of hosts below a switch: wider than high if there is room. */
static uint32_t columns_of(const struct fabric_map *map, const struct fabric_box *box)
{
    const bool crowded = map->node_count - map->host_count > CROWD;
    if (!crowded && box->hosts <= 4)
        return box->hosts;
    return (uint32_t)ceil(sqrt((double)box->hosts * (crowded ? 1 : 1.4)));
}

/* The width of a switch and the hosts below it. */
static double block_width(const struct fabric_map *map, const struct fabric_box *box, bool together)
{
    const double hosts = together ? GROUP_WIDTH : columns_of(map, box) * (HOST_WIDTH + HOST_GAP);
    return (hosts > box->width ? hosts : box->width) + GAP;
}

static int by_order(const void *x, const void *y)
{
    const struct fabric_box *a = *(struct fabric_box *const *)x;
    const struct fabric_box *b = *(struct fabric_box *const *)y;
    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The mean position of the neighbors in row `other`; a box without neighbors keeps its own. */
static void find_orders(struct fabric_map *map, uint32_t row, uint32_t other)
{
    double *sums = memory_zeroed((size_t)map->box_count, sizeof *sums);
    double *counts = memory_zeroed((size_t)map->box_count, sizeof *counts);
    for (uint32_t i = 0; i < map->line_count; i++) {
        const struct fabric_line *line = &map->lines[i];
        for (int end = 0; end < 2; end++) {
            const uint32_t own = end == 0 ? line->a : line->b, peer = end == 0 ? line->b : line->a;
            if (map->boxes[own].row == row && map->boxes[peer].row == other) {
                sums[own] += map->boxes[peer].x * line->links;
                counts[own] += line->links;
            }
        }
    }
    for (uint32_t i = 0; i < map->box_count; i++)
        if (map->boxes[i].row == row)
            map->boxes[i].order = counts[i] > 0 ? sums[i] / counts[i] : map->boxes[i].x;
    free(sums);
    free(counts);
}

/* Distributes boxes over the whole width. */
static void spread_row(const struct fabric_map *map, struct row *row, double width, bool lowest,
                       bool together)
{
    qsort(row->boxes, row->count, sizeof *row->boxes, by_order);
    double at = 0;
    const double more = row->count == 0 ? 0 : (width - row->width) / row->count;
    for (uint32_t i = 0; i < row->count; i++) {
        struct fabric_box *box = row->boxes[i];
        const double own = (lowest ? block_width(map, box, together) : box->width + GAP) + more;
        box->x = at + own / 2;
        at += own;
    }
}

static void sweep(struct fabric_map *map, struct row *rows, double width, bool together)
{
    for (uint32_t pass = 0; pass < SWEEPS; pass++) {
        for (uint32_t row = 2; row < map->rows; row++) {
            find_orders(map, row, row - 1);
            spread_row(map, &rows[row], width, false, together);
        }
        for (uint32_t row = map->rows - 1; pass + 1 < SWEEPS && row-- > 1;) {
            find_orders(map, row, row + 1);
            spread_row(map, &rows[row], width, row == 1, together);
        }
    }
}

static void place_hosts(struct fabric_map *map, bool together)
{
    uint32_t *placed = memory_zeroed((size_t)map->box_count, sizeof *placed);
    for (uint32_t i = 0; i < map->box_count; i++) {
        struct fabric_box *box = &map->boxes[i];
        if (box->row != 0)
            continue;
        if (box->home == FABRIC_NONE) { /* hosts without a switch are to the right of all others */
            box->x = map->width + (box->width + GAP) / 2;
            map->width += box->width + GAP;
            continue;
        }
        const struct fabric_box *home = &map->boxes[box->home];
        const uint32_t columns = columns_of(map, home), number = placed[box->home]++;
        const uint32_t in_row = number / columns == (home->hosts - 1) / columns
                                    ? home->hosts - number / columns * columns
                                    : columns;
        const double step = HOST_WIDTH + HOST_GAP;
        box->x = together ? home->x : home->x + (number % columns - (in_row - 1) / 2.0) * step;
        box->y = number / columns * (double)(HOST_HEIGHT + HOST_GAP);
    }
    free(placed);
}

static void place_rows(struct fabric_map *map)
{
    double step = map->width / 7, deepest = 0;
    step = step < ROW_LEAST ? ROW_LEAST : step > ROW_MOST ? ROW_MOST : step;
    const double hosts = (map->rows - 2) * step + ROW_LEAST;
    for (uint32_t i = 0; i < map->box_count; i++) {
        struct fabric_box *box = &map->boxes[i];
        box->y += map->rows < 2 ? 0 : box->row == 0 ? hosts : (map->rows - 1 - box->row) * step;
        if (box->y + box->height / 2 > deepest)
            deepest = box->y + box->height / 2;
    }
    map->height = deepest;
}

void fabric_map_place(struct fabric_map *map)
{
    const bool together = map->host_count > FABRIC_HOSTS_SHOWN;
    struct row *rows = memory_zeroed((size_t)map->rows, sizeof *rows);
    for (uint32_t i = 0; i < map->rows; i++) {
        rows[i].boxes = memory_zeroed((size_t)map->box_count, sizeof(struct fabric_box *));
    }
    for (uint32_t i = 0; i < map->box_count; i++) {
        struct fabric_box *box = &map->boxes[i];
        const bool one_host = box->row == 0 && !together;
        box->width = one_host ? HOST_WIDTH : box->members > 1 ? GROUP_WIDTH : SWITCH_WIDTH;
        box->height = one_host ? HOST_HEIGHT : SWITCH_HEIGHT;
        box->order = i;
        rows[box->row].boxes[rows[box->row].count++] = box;
        rows[box->row].width += box->row == 1 ? block_width(map, box, together) : box->width + GAP;
    }
    for (uint32_t i = 1; i < map->rows; i++)
        if (rows[i].width > map->width)
            map->width = rows[i].width;
    for (uint32_t i = 1; i < map->rows; i++)
        spread_row(map, &rows[i], map->width, i == 1, together);
    if (map->rows > 2)
        sweep(map, rows, map->width, together);
    place_hosts(map, together);
    place_rows(map);
    for (uint32_t i = 0; i < map->rows; i++)
        free(rows[i].boxes);
    free(rows);
}
