/* SPDX-License-Identifier: Apache-2.0
 * grid - runs one scenario many times with varying values.
 *   stormglass-grid: 1
 *   name: sizes
 *   about: One sentence.
 *   scenario: base.yaml             # relative to this file, or the name of a case
 *   vary:                           # all combinations; the last axis changes fastest
 *     - {path: workloads.io.queue-depth, as: qd, values: [1, 16]}
 *     - {path: workloads.io.block-size, as: bs, values: [4KiB, 1MiB]}
 *     - {path: workloads.io.queues, as: q, values: {from: 1, to: 8, times: 2}}   # or step: 1
 *   adjust:                         # optional; applied in order, later entries win
 *     - {where: {bs: 1MiB, qd: [1, 16]}, set: {workloads.io.count: 40}}
 * A cell is the scenario with the values of `--set`. Its name, such as "qd16-bs1MiB", consists of
 * the axes' short names and values, is a valid file name, and does not change when values are
 * added. Values consist of characters that a shell does not interpret.
 * Owner: grid_free. Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_VARY_GRID_H
#define STORMGLASS_SCENARIOS_VARY_GRID_H

#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"
#include "scenarios/format/tree.h"

#include <stddef.h>
#include <stdint.h>

enum {
    GRID_AXES_MAX = 8,
    GRID_VALUES_MAX = 256, /* values per axis */
    GRID_CELLS_MAX = 4096,
    GRID_RULES_MAX = 64,
    GRID_SETS_MAX = 63 /* settings per cell or per rule, limited by the length of a command line */
};

/* From a plan: the end of an axis that is never worse for any objective or SLO. */
enum grid_better { GRID_BETTER_UNKNOWN, GRID_BETTER_HIGHER, GRID_BETTER_LOWER };

struct grid_axis {
    const char *path, *as;   /* "workloads.io.queue-depth", "qd"; with `where`: "rate of targets" */
    const char *where;       /* selects nodes or links for an override of the fabric; NULL: all */
    const char *row;         /* parameter that the override sets */
    enum grid_better better; /* in terms of the order of the values in the file */
    const char **values;
    uint32_t value_count;
};

struct grid_cell {
    const char *name;  /* of files: "nic25Gbps-spines2" */
    const char *label; /* for people: "25G nic, 2 spines" */
    const char **sets; /* "path=value": first those of the axes, then those of the matching rules */
    uint32_t set_count;
    uint32_t at[GRID_AXES_MAX]; /* by axis: index of its value */
};

/* Place of a setting of cells. */
struct grid_origin {
    const char *set;               /* "path=value" */
    const struct tree_node *value; /* for a computed value, the range; NULL: none */
    struct diag_place path;        /* place of the path, in the value's file */
    bool composed; /* the setting has more than path and value, so offsets within the setting
                    * have no place */
};

struct grid {
    struct arena arena;
    const char *name, *about;
    const char *scenario; /* path for the CLI and the loader, relative to the grid's directory */
    const struct tree_node *template, *vary; /* nodes of these keys in the file */
    struct grid_origin *origins;
    size_t origin_count;
    struct grid_axis axes[GRID_AXES_MAX];
    uint32_t axis_count;
    struct grid_cell *cells;
    uint32_t cell_count;
};

/* True if a cell's name is a valid file name and not that of a hidden file. */
bool grid_is_name(const char *name);

/* NULL, with messages, if it is not a grid. The scenario is not read. */
struct grid *grid_load_file(const char *path, struct diag *diag);
struct grid *grid_load(const char *name, const char *text, size_t length, struct diag *diag);
/* Adds settings to every cell, before its own, which take precedence. False, with a sentence in
 * `why`, if there are too many or one has characters that a shell interprets. */
bool grid_set(struct grid *grid, const char *const *sets, uint32_t count,
              char why[DIAG_TEXT_BYTES]);

/* Reads name, about, scenario, vary and adjust of a mapping: of a grid or, with `planning`, of a
 * plan. Axes of a plan may also have `better`, and `where`: then the path is a key of an entry of
 * fabric.overrides, for that selection. Other keys are left to the caller. The arena may already be
 * in use. False, with messages, on errors. */
bool grid_read_members(struct grid *grid, const struct tree_node *root, bool planning,
                       struct diag *diag);

/* Reads axes and cells from the lists `vary` and `adjust` (NULL: no rules) alone, as for a plan. */
bool grid_read_space(struct grid *grid, const struct tree_node *vary,
                     const struct tree_node *adjust, struct diag *diag);

/* Setting of a value of an axis: "path=value". */
const char *grid_axis_set(struct arena *arena, const struct grid_axis *axis, uint32_t value);

/* Place of a setting; its value is NULL if no file has it. */
struct grid_origin grid_origin_of(const struct grid *grid, const char *set);

void grid_free(struct grid *grid); /* accepts NULL */

#endif
