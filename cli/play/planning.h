/* SPDX-License-Identifier: Apache-2.0
 * planning - a plan under way: its search, what is known of it, its database, the line of progress.
 * Owner: planning_close. */
#ifndef STORMGLASS_CLI_PLAY_PLANNING_H
#define STORMGLASS_CLI_PLAY_PLANNING_H

#include "replay/plan/plan_store.h"
#include "replay/run/progress.h"

struct planning {
    struct plan *plan;
    struct plan_state state;
    struct plan_search search;
    struct plan_known *known; /* NULL: nothing is */
    struct plan_store *store; /* somebody else's, where runs are written; NULL: nowhere */
    bool gathers;             /* what is known was gathered: what is taken of it is written */
    bool failed;              /* the database could not be written: nothing more is played */
    bool shown;               /* a line of progress is on the terminal */
    double begun_s;
    struct progress progress;
};

/* Loads a plan alone; nothing is said of what is wrong. */
bool planning_load(struct planning *planning, const char *path);

/* What makes runs of two processes the same: the program's version, and each plan with all of its
 * files. */
enum { PLANNING_FINGERPRINT_BYTES = 160 };
void planning_fingerprint(const struct planning *sides, uint32_t count,
                          char text[PLANNING_FINGERPRINT_BYTES]);

/* Loads a plan, and opens its search.  False: what is wrong was said. */
bool planning_open(struct planning *planning, const char *path);

/* From here on the budget of time is spent. */
void planning_begin(struct planning *planning);

void planning_hide_progress(struct planning *planning);
void planning_close(struct planning *planning);

#endif
