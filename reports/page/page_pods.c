/* SPDX-License-Identifier: Apache-2.0
 * page_pods - a fabric with too many hosts or switches to draw each: a box for each pod, which
 * fabric.js opens. A pod is a connected part of the fabric without its top row of switches, with
 * the hosts of its switches; if all switches are in one row, each is a pod. Of many pods,
 * neighboring ones share a box. The frame of a box has the color of its most paused port, the bar
 * at its top that of the links to the top row. */
#include "base/memory.h"
#include "base/plural.h"
#include "replay/database/words.h"
#include "replay/explain/account.h"
#include "reports/draw/fabric_map.h"
#include "reports/page/page_layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 640, /* as page_topology */
    BOXES_MAX = 64,
    COLUMNS = 8,
    BOX_WIDTH = 72,
    BOX_HEIGHT = 44,
    ROW = 54,
    TOP = 8,
    TOP_HEIGHT = 30,
    TOP_DRAWN = 8, /* switches of the top row that have a box each */
    BAR = 5,
    NAME_BYTES = 2 * FABRIC_NAME_BYTES + 2
};

#define NO_BOX UINT32_MAX
#define MORE   " class=\"more\"" /* left out on a narrow screen */
#define NAME   " class=\"pod\""  /* then in the middle of its box */

struct pods {
    struct fabric_map *map;
    uint32_t *box_of; /* by node; NO_BOX: in the top row */
    uint32_t boxes, pods;
    uint32_t top; /* switches in the top row */
};

struct box {
    uint32_t first, last; /* switches */
    uint32_t switches, hosts;
    time_ps held, up_held; /* of its ports, and of both ends of its links to the top row */
    uint32_t up_links;
    bool root;
};

static bool in_top_row(const struct pods *pods, const struct fabric_node *node)
{
    return pods->map->rows > 2 && node->row + 1 >= pods->map->rows;
}

/* A host is in the box of its first switch. */
static uint32_t home_box(const struct pods *pods, const struct fabric_node *host)
{
    for (uint32_t i = 0; i < host->degree; i++) {
        const uint32_t peer = pods->map->peers[host->first + i];
        if (!pods->map->nodes[peer].is_host)
            return pods->box_of[peer];
    }
    return 0;
}

static void find_boxes(struct pods *pods, struct store *store)
{
    struct fabric_map *map = pods->map = fabric_map_read(store);
    const uint32_t found = fabric_map_find_pods(map);
    pods->box_of = memory_zeroed((size_t)map->node_count + 1, sizeof *pods->box_of);
    pods->pods = map->rows > 2 ? found : map->node_count - map->host_count;
    pods->boxes = pods->pods < BOXES_MAX ? pods->pods : BOXES_MAX;
    uint32_t seen = 0;
    for (uint32_t i = 0; i < map->node_count; i++) {
        const struct fabric_node *node = &map->nodes[i];
        if (node->is_host)
            continue;
        const uint64_t pod = map->rows > 2 ? node->pod : seen++;
        pods->box_of[i] = in_top_row(pods, node) || pod >= pods->pods
                              ? NO_BOX
                              : (uint32_t)(pod * pods->boxes / pods->pods);
        pods->top += pods->box_of[i] == NO_BOX;
    }
    for (uint32_t i = 0; i < map->node_count; i++)
        if (map->nodes[i].is_host)
            pods->box_of[i] = home_box(pods, &map->nodes[i]);
}

static void free_boxes(struct pods *pods)
{
    fabric_map_free(pods->map);
    free(pods->box_of);
}

/* Boxes 0 to boxes-1, then the top row. */
static struct box *count_members(const struct pods *pods)
{
    const struct fabric_map *map = pods->map;
    struct box *boxes = memory_zeroed((size_t)pods->boxes + 1, sizeof *boxes);
    for (uint32_t i = 0; i < map->node_count; i++) {
        const uint32_t number = pods->box_of[i];
        struct box *box = &boxes[number == NO_BOX ? pods->boxes : number];
        if (map->nodes[i].is_host) {
            box->hosts++;
            continue;
        }
        if (box->switches++ == 0)
            box->first = i;
        box->last = i;
    }
    return boxes;
}

static void read_pauses(const struct page *page, const struct pods *pods, struct box *boxes)
{
    const int64_t nodes = pods->map->node_count;
    struct store_statement *rows = store_prepare(
        page->store,
        "WITH held AS MATERIALIZED (SELECT node, port, max(value) AS ps FROM " PAGE_BLOCKED
        " GROUP BY node, port) SELECT a_node, b_node, coalesce(a.ps, 0) AS a_ps,"
        " coalesce(b.ps, 0) AS b_ps FROM link"
        " LEFT JOIN held a ON a.node=a_node AND a.port=a_port"
        " LEFT JOIN held b ON b.node=b_node AND b.port=b_port");
    while (store_step(rows)) {
        const int64_t ends[2] = {store_int(rows, "a_node"), store_int(rows, "b_node")};
        const time_ps held[2] = {store_int(rows, "a_ps"), store_int(rows, "b_ps")};
        if (ends[0] < 0 || ends[1] < 0 || ends[0] >= nodes || ends[1] >= nodes)
            continue;
        const uint32_t in[2] = {pods->box_of[ends[0]], pods->box_of[ends[1]]};
        for (int end = 0; end < 2; end++) {
            struct box *box = &boxes[in[end] == NO_BOX ? pods->boxes : in[end]];
            box->held = held[end] > box->held ? held[end] : box->held;
            if (in[end] == in[!end])
                continue;
            box->up_links++;
            for (int i = 0; i < 2; i++)
                box->up_held = held[i] > box->up_held ? held[i] : box->up_held;
        }
    }
    store_finish(rows);
}

static void read_roots(const struct page *page, const struct pods *pods, struct box *boxes)
{
    struct store_statement *rows =
        store_prepare(page->store, "SELECT node FROM pause_root ORDER BY position LIMIT ?1");
    if (rows != NULL)
        store_bind(rows, 1, STORE_I(account_causes(page->store)));
    while (store_step(rows)) {
        const int64_t node = store_int(rows, "node");
        if (node < 0 || node >= pods->map->node_count)
            continue;
        const uint32_t number = pods->box_of[node];
        boxes[number == NO_BOX ? pods->boxes : number].root = true;
    }
    store_finish(rows);
}

/* "leaf0", "pod 3", "pods 4 to 7"; otherwise the first and the last switch */
static void box_name(const struct pods *pods, const struct box *box, uint32_t number,
                     char name[NAME_BYTES])
{
    const struct fabric_node *nodes = pods->map->nodes;
    const uint32_t first = nodes[box->first].pod, last = nodes[box->last].pod;
    if (box->switches == 1)
        snprintf(name, NAME_BYTES, "%s", nodes[box->first].name);
    else if (number == pods->boxes || pods->map->rows <= 2 || pods->pods <= 1 ||
             box->switches == last - first + 1)
        snprintf(name, NAME_BYTES, "%s..%s", nodes[box->first].name, nodes[box->last].name);
    else if (pods->boxes == pods->pods)
        snprintf(name, NAME_BYTES, "pod %" PRIu32, number);
    else
        snprintf(name, NAME_BYTES, "pods %" PRIu32 " to %" PRIu32, first, last);
}

static void draw_box(const struct page *page, const struct pods *pods, const struct box *box,
                     uint32_t number, int x, int y, int width)
{
    char name[NAME_BYTES], line[80];
    const bool top = number == pods->boxes;
    const int height = top ? TOP_HEIGHT : BOX_HEIGHT;
    box_name(pods, box, number, name);
    fprintf(page->out,
            "<g class=\"switch%s\" data-pod=\"%" PRIu32 "\"><rect class=\"h%d\" x=\"%d\" y=\"%d\""
            " width=\"%d\" height=\"%d\" rx=\"6\"/>",
            box->root ? " root" : "", number, page_heat(box->held, page->span), x, y, width,
            height);
    if (!top && box->up_links > 0)
        fprintf(page->out, "<rect class=\"up h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
                page_heat(box->up_held, page->span), x + 6, y - BAR / 2, width - 12, BAR);
    if (top) {
        snprintf(line, sizeof line, "%" PRIu32 " %s", box->switches,
                 plural(box->switches, "switch", "switches"));
        page_topology_name(page, "", x + width / 4, y + 19, width / 2, name);
        page_topology_name(page, "", x + 3 * width / 4, y + 19, width / 2, line);
    } else {
        page_topology_name(page, NAME, x + width / 2, y + 16, width, name);
        snprintf(line, sizeof line, "%" PRIu32 " %s", box->hosts,
                 plural(box->hosts, "host", "hosts"));
        page_topology_name(page, MORE, x + width / 2, y + (box->switches > 1 ? 39 : 34), width,
                           line);
        snprintf(line, sizeof line, "%" PRIu32 " %s", box->switches,
                 plural(box->switches, "switch", "switches"));
        if (box->switches > 1)
            page_topology_name(page, MORE, x + width / 2, y + 27, width, line);
    }
    fputs("<title>", page->out);
    page_put(page->out, "%s: %" PRIu32 " %s, %" PRIu32 " %s; ", name, box->switches,
             plural(box->switches, "switch", "switches"), box->hosts,
             plural(box->hosts, "host", "hosts"));
    if (page->counts == NULL)
        page_put(page->out, "its %s port %s for %s", page->flow->most, page->flow->was,
                 words_time(box->held).text);
    else
        page_put_held(page, "at one port", box->held);
    if (!top && box->up_links > 0 && page->counts == NULL)
        page_put(page->out, "; %" PRIu32 " %s to other switches, %s for at most %s", box->up_links,
                 plural(box->up_links, "link", "links"), page->flow->held,
                 words_time(box->up_held).text);
    fputs("</title></g>\n", page->out);
}

/* The color of a switch of the top row is that of the links that lead to it. */
static void draw_top(const struct page *page, const struct pods *pods, const struct box *boxes)
{
    const struct fabric_map *map = pods->map;
    if (pods->top > TOP_DRAWN) {
        draw_box(page, pods, &boxes[pods->boxes], pods->boxes, 8, TOP, WIDTH - 16);
        return;
    }
    uint32_t seen = 0;
    for (uint32_t i = 0; i < map->node_count; i++) {
        if (map->nodes[i].is_host || pods->box_of[i] != NO_BOX)
            continue;
        const int middle = (int)((2 * seen++ + 1) * WIDTH / (2 * pods->top));
        fputs("<g class=\"switch\"", page->out);
        page_fabric_node(page, i);
        fprintf(page->out,
                "><rect class=\"h%d\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
                page_heat(map->boxes[map->nodes[i].box].held_ps, page->span),
                middle - BOX_WIDTH / 2, TOP, BOX_WIDTH, TOP_HEIGHT);
        page_topology_name(page, "", middle, TOP + 19, BOX_WIDTH, map->nodes[i].name);
        fputs("</g>\n", page->out);
    }
}

void page_pods_drawing(const struct page *page)
{
    struct pods pods = {0};
    find_boxes(&pods, page->store);
    struct box *boxes = count_members(&pods);
    read_pauses(page, &pods, boxes);
    read_roots(page, &pods, boxes);
    const uint32_t columns = pods.boxes < COLUMNS ? pods.boxes : COLUMNS;
    const uint32_t rows = columns == 0 ? 0 : (pods.boxes + columns - 1) / columns;
    const int first = pods.top == 0 ? TOP : TOP + TOP_HEIGHT + 16;
    fprintf(page->out,
            "<div class=\"wide\"><svg class=\"topology pods\" viewBox=\"0 0 %d %d\" role=\"img\""
            " aria-label=\"pods of the topology\">\n",
            WIDTH, first + (int)rows * ROW);
    if (pods.top > 0)
        draw_top(page, &pods, boxes);
    for (uint32_t i = 0; i < pods.boxes; i++) {
        const int middle = (int)((2 * (i % columns) + 1) * WIDTH / (2 * columns));
        draw_box(page, &pods, &boxes[i], i, middle - BOX_WIDTH / 2,
                 first + (int)(i / columns) * ROW, BOX_WIDTH);
    }
    fputs("</svg></div>\n", page->out);
    free(boxes);
    free_boxes(&pods);
}

/* By node, the number of its box and its row; the top row has the number after the last box. */
void page_pods_data(const struct page *page, FILE *out)
{
    struct pods pods = {0};
    find_boxes(&pods, page->store);
    fprintf(out, ",\n\"pods\":%" PRIu32 ",\"pod_of\":[", pods.boxes);
    for (uint32_t i = 0; i < pods.map->node_count; i++)
        fprintf(out, "%s%" PRIu32, i == 0 ? "" : ",",
                pods.box_of[i] == NO_BOX ? pods.boxes : pods.box_of[i]);
    fputs("],\"row_of\":[", out);
    for (uint32_t i = 0; i < pods.map->node_count; i++)
        fprintf(out, "%s%" PRIu32, i == 0 ? "" : ",", pods.map->nodes[i].row);
    fputc(']', out);
    free_boxes(&pods);
}
