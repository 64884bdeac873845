/* SPDX-License-Identifier: Apache-2.0
 * grid - one scenario many times over, with values that vary.
 *   stormglass-grid: 1
 *   name: sizes
 *   about: One sentence.
 *   scenario: base.yaml             # beside this file, or the name of a case
 *   vary:                           # each value with each: the last axis changes fastest
 *     - {path: workloads.io.queue-depth, as: qd, values: [1, 16]}
 *     - {path: workloads.io.block-size, as: bs, values: [4KiB, 1MiB]}
 *     - {path: workloads.io.queues, as: q, values: {from: 1, to: 8, times: 2}}   # or step: 1
 *   adjust:                         # may be left out; in order, a later one wins
 *     - {where: {bs: 1MiB, qd: [1, 16]}, set: {workloads.io.count: 40}}
 * A cell is what `--set` would make of the scenario; its name, "qd16-bs1MiB", is made of the axes'
 * short names and values, is fit for a file, and stays when values are added.  Values are words
 * that a shell takes as they are.
 * Owner: grid_free.  Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_VARY_GRID_H
#define STORMGLASS_SCENARIOS_VARY_GRID_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/tree.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GRID_AXES_MAX = 8,
    GRID_VALUES_MAX = 256, /* of an axis */
    GRID_CELLS_MAX = 4096,
    GRID_RULES_MAX = 64,
    GRID_SETS_MAX = 63 /* of a cell, or of a rule: what a command line takes */
};

/* What a plan says of an axis: which end is never worse, in whatever is asked for. */
enum grid_better { GRID_BETTER_UNKNOWN, GRID_BETTER_HIGHER, GRID_BETTER_LOWER };

struct grid_axis {
    const char *path, *as;   /* "workloads.io.queue-depth", "qd"; with where "rate of targets" */
    const char *where;       /* of whom alone, as an override of the fabric; NULL: of all */
    const char *row;         /* what the override sets */
    enum grid_better better; /* of the order in which values are written */
    const char **values;
    uint32_t value_count;
};

struct grid_cell {
    const char *name;  /* of files: "nic25Gbps-spines2" */
    const char *label; /* for people: "25G nic, 2 spines" */
    const char **sets; /* "path=value": first the axes, then the rules that fit */
    uint32_t set_count;
    uint32_t at[GRID_AXES_MAX]; /* index of its value on each axis */
};

/* Where a setting of cells is written. */
struct grid_origin {
    const char *set;               /* "path=value" */
    const struct tree_node *value; /* the range of one that was counted; NULL: nowhere */
    struct diag_place path;        /* in the value's file */
    bool composed; /* it has more than path and value: only their places mean something */
};

struct grid {
    struct arena arena;
    const char *name, *about;
    const char *scenario; /* path as cli and loader take it, with the folder of the grid before */
    const struct tree_node *template, *vary; /* where these are written */
    struct grid_origin *origins;
    size_t origin_count;
    struct grid_axis axes[GRID_AXES_MAX];
    uint32_t axis_count;
    struct grid_cell *cells;
    uint32_t cell_count;
};

/* Whether a cell's name can be a file's, and is no hidden one. */
bool grid_is_name(const char *name);

/* NULL and messages when it is no grid.  The scenario is not looked at. */
struct grid *grid_load_file(const char *path, struct diag *diag);
struct grid *grid_load(const char *name, const char *text, size_t length, struct diag *diag);
/* More changes for every cell, before its own, which go before them where both are of one place.
 * False, and a sentence: they are too many, or one is no word that a shell takes as it is. */
bool grid_set(struct grid *grid, const char *const *sets, uint32_t count,
              char why[DIAG_TEXT_BYTES]);

/* Reads name, about, scenario, vary and adjust of a mapping, a grid's or, `planning`, that of
 * another kind of file, whose axes may say which end is `better`, and `where`: then the path is
 * one of what an entry of fabric.overrides has, for what that selects.  Other keys are its own.
 * The arena may hold something already.  False, and messages. */
bool grid_read_members(struct grid *grid, const struct tree_node *root, bool planning,
                       struct diag *diag);

/* Axes and cells from the lists `vary` and `adjust` (NULL: no rules) alone, as for planning. */
bool grid_read_space(struct grid *grid, const struct tree_node *vary,
                     const struct tree_node *adjust, struct diag *diag);

/* What a value of an axis sets: "path=value". */
const char *grid_axis_set(struct arena *arena, const struct grid_axis *axis, uint32_t value);

/* That of a setting; its value is NULL where no file has it. */
struct grid_origin grid_origin_of(const struct grid *grid, const char *set);

void grid_free(struct grid *grid); /* NULL is fine */

#endif
