/* SPDX-License-Identifier: Apache-2.0
 * fabric_map - the fabric of a run as boxes in rows, to be drawn.
 * Rows follow from distance: hosts in row 0, switches with hosts in row 1, and so on, whatever the
 * topology says of its tiers.  Hosts beyond FABRIC_HOSTS_SHOWN are put together by their switch;
 * where there are more switches than FABRIC_SWITCHES_SHOWN, those of a row and a pod are (what
 * still hangs together without the top row is a pod), and pods side by side too, until there are at
 * most FABRIC_COLUMNS.
 * Units: points, y downwards; times ps; rates bits per second.  Owner: fabric_map_free. */
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
    uint32_t first, degree; /* of fabric_map.peers */
    uint32_t pod;
};

struct fabric_line {
    uint32_t a, b; /* boxes, a < b */
    uint32_t links;
    int64_t rate_bps;                   /* of the fastest */
    int64_t held_ps[2];                 /* longest that a transmitter in a, in b had to stop */
    char held_at[2][FABRIC_NAME_BYTES]; /* that one: leaf0:p3 */
};

struct fabric_box {
    uint32_t row, members;
    uint32_t first, last;  /* nodes, for its name */
    uint32_t home;         /* hosts: the box of their switch, or FABRIC_NONE */
    uint32_t hosts;        /* boxes that have it as their home */
    uint32_t links_inside; /* not drawn */
    int64_t held_ps;       /* longest of its ports */
    bool root;             /* the cause of the pauses is in it */
    double x, y, width, height, order;
};

struct fabric_map {
    struct fabric_node *nodes;
    uint32_t node_count, host_count, link_count, rows;
    uint32_t (*ends)[2]; /* of each link */
    uint32_t *peers;     /* nodes at the other ends, node by node */
    struct fabric_box *boxes;
    uint32_t box_count;
    struct fabric_line *lines;
    uint32_t line_count;
    int64_t span_ps; /* of the run; 0: nothing was played */
    double width, height;
};

struct fabric_map *fabric_map_read(struct store *store);
void fabric_map_free(struct fabric_map *map);

/* The steps of fabric_map_read: which nodes are one box, and where the boxes are. */
void fabric_map_group(struct fabric_map *map);
void fabric_map_place(struct fabric_map *map);

#endif
