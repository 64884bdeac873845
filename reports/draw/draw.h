/* SPDX-License-Identifier: Apache-2.0
 * draw - the pictures that can be made of a database, and of the state machines.
 * A database that was not played yet is a fabric without heat.  Formats are those of picture.h.
 * False: it could not be drawn, and `why` says what is missing; or, when that is empty, the output
 * failed. */
#ifndef STORMGLASS_REPORTS_DRAW_DRAW_H
#define STORMGLASS_REPORTS_DRAW_DRAW_H

#include "replay/database/store.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { DRAW_WHY_BYTES = 256 };

/* A picture of a run: one file, one line in view.def. */
struct draw_view {
    const char *name; /* the word after --what */
    bool of_scenario; /* it may be of one that was not played yet */
    bool (*draw)(struct store *store, const char *format, FILE *out, char why[DRAW_WHY_BYTES]);
};

extern const struct draw_view *const draw_views[]; /* NULL ends it; made from view.def */

#define VIEW(stem) extern const struct draw_view draw_##stem;
#include "reports/draw/view.def"
#undef VIEW

/* One command on the wire, by its number in the table io; always an SVG.  Needs a run that was
 * recorded with packets. */
bool draw_io(struct store *store, int64_t io, FILE *out, char why[DRAW_WHY_BYTES]);

/* A state machine as a drawing sees it. */
struct draw_state {
    const char *name, *about; /* about may be NULL */
};

struct draw_step {
    unsigned from, to;
    const char *event; /* NULL: the machine has no names for them */
    const char *why;
};

struct draw_machine {
    const char *name, *about;
    const struct draw_state *states;
    const struct draw_step *steps;
    unsigned state_count, step_count;
};

/* All of them in one picture, each in its frame. */
bool draw_states(const struct draw_machine *machines, unsigned count, const char *format, FILE *out,
                 char why[DRAW_WHY_BYTES]);

#endif
