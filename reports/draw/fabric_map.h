/* SPDX-License-Identifier: Apache-2.0
 * fabric_map - the fabric of a run as boxes in rows, for drawing.
 * Rows follow from distance: hosts in row 0, switches with hosts in row 1, and so on, regardless of
 * the tiers in the topology. Beyond FABRIC_HOSTS_SHOWN, hosts are grouped by switch. Beyond
 * FABRIC_SWITCHES_SHOWN, switches are grouped by row and pod (a pod is a connected component
 * without the top row), and neighboring pods as well, until there are at most FABRIC_COLUMNS.
 * Units: points, y downwards; times ps; rates bit/s. Owner: fabric_map_free. */
#ifndef STORMGLASS_REPORTS_DRAW_FABRIC_MAP_H
#define STORMGLASS_REPORTS_DRAW_FABRIC_MAP_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdint.h>

enum { FABRIC_HOSTS_SHOWN = 200, FABRIC_SWITCHES_SHOWN = 100, FABRIC_COLUMNS = 16 };
enum { FABRIC_NAME_BYTES = 64 };

#define FABRIC_NONE UINT32_MAX

struct fabric_node {
    char name[FABRIC_NAME_BYTES];
    bool is_host;
    uint32_t row, box;
    uint32_t first, degree; /* range in fabric_map.peers */
    uint32_t pod;
};

struct fabric_line {
    uint32_t a, b; /* indices of boxes, a < b */
    uint32_t links;
    int64_t rate_bps;                   /* rate of the fastest link */
    int64_t held_ps[2];                 /* ps; most paused transmitter in a, in b */
    char held_at[2][FABRIC_NAME_BYTES]; /* its name: leaf0:p3 */
};

struct fabric_box {
    uint32_t row, members;
    uint32_t first, last;  /* nodes whose names it shows */
    uint32_t home;         /* hosts: box of their switch, or FABRIC_NONE */
    uint32_t hosts;        /* number of boxes with this one as home */
    uint32_t links_inside; /* links within the box, not drawn */
    int64_t held_ps;       /* ps; most paused of its ports */
    bool root;             /* contains the cause of the pauses */
    double x, y, width, height, order;
};

struct fabric_map {
    struct fabric_node *nodes;
    uint32_t node_count, host_count, link_count, rows;
    uint32_t (*ends)[2]; /* by link */
    uint32_t *peers;     /* peers of each node, node by node */
    struct fabric_box *boxes;
    uint32_t box_count;
    struct fabric_line *lines;
    uint32_t line_count;
    int64_t span_ps; /* of the run; 0: no run */
    double width, height;
};

struct fabric_map *fabric_map_read(struct store *store);
void fabric_map_free(struct fabric_map *map);

/* Finds the pods, numbered in the order of their lowest nodes, and returns their number. The number
 * of nodes of the top row and of hosts has no meaning. */
uint32_t fabric_map_find_pods(struct fabric_map *map);

/* Steps of fabric_map_read: groups nodes into boxes, and places the boxes. */
void fabric_map_group(struct fabric_map *map);
void fabric_map_place(struct fabric_map *map);

#endif
