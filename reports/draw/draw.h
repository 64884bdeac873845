/* SPDX-License-Identifier: Apache-2.0
 * draw - drawings of a database, and of the state machines.
 * For a database without a run, the fabric is drawn without heat colors. Formats are those of
 * picture.h. Functions return false if nothing could be drawn, with the reason in `why`; an empty
 * `why` means that the output failed. */
#ifndef STORMGLASS_REPORTS_DRAW_DRAW_H
#define STORMGLASS_REPORTS_DRAW_DRAW_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAW_WHY_BYTES = 256 };

/* A drawing of a run: one file, one line in view.def. */
struct draw_view {
    const char *name; /* the word after --what */
    bool of_scenario; /* can also be drawn without a run */
    bool (*draw)(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES]);
};

extern const struct draw_view *const draw_views[]; /* NULL-terminated; generated from view.def */

#define VIEW(stem) extern const struct draw_view draw_##stem;
#include "reports/draw/view.def"
#undef VIEW

/* One command on the wire, by its number in the table io; always an SVG. Needs a run recorded with
 * packets. */
bool draw_io(struct store *store, int64_t io, FILE *out, char why[DRAW_WHY_BYTES]);

/* A state machine in the form needed for drawing. */
struct draw_state {
    const char *name, *about; /* about may be NULL */
};

struct draw_step {
    unsigned from, to;
    const char *event; /* NULL: the machine does not name its events */
    const char *why;
};

struct draw_machine {
    const char *name, *about;
    const struct draw_state *states;
    const struct draw_step *steps;
    unsigned state_count, step_count;
};

/* All machines in one drawing, each in its own frame. */
bool draw_states(const struct draw_machine *machines, unsigned count, const char *format, FILE *out,
                 char why[DRAW_WHY_BYTES]);

#endif
