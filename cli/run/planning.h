/* SPDX-License-Identifier: Apache-2.0
 * planning - state of a running plan: its search, known results, its database, the progress line.
 * Owner: planning_close. */
#ifndef STORMGLASS_CLI_RUN_PLANNING_H
#define STORMGLASS_CLI_RUN_PLANNING_H

#include "replay/plan/plan_store.h"
#include "replay/run/progress.h"

struct planning {
    struct plan *plan;
    struct plan_state state;
    struct plan_search search;
    struct plan_stored_runs *known; /* NULL: no known results */
    struct plan_store *store;       /* where runs are written, owned by the caller; NULL: nowhere */
    bool gathers;                   /* known results were gathered from shares, so those in use are
                               * written, too */
    bool failed; /* the database could not be written, so no more runs are started */
    bool shown;  /* a progress line is on the terminal */
    double begun_s;
    struct progress progress;
};

/* Loads a plan without a search; errors are not printed. */
bool planning_load(struct planning *planning, const char *path);

/* Identifies equal inputs of two processes: the program's version, and each plan with all its
 * files. */
enum { PLANNING_FINGERPRINT_BYTES = 160 };
void planning_fingerprint(const struct planning *sides, uint32_t count,
                          char text[PLANNING_FINGERPRINT_BYTES]);

/* Loads a plan and opens its search. False after messages. */
bool planning_open(struct planning *planning, const char *path);

/* Starts the time budget. */
void planning_begin(struct planning *planning);

void planning_hide_progress(struct planning *planning);
void planning_close(struct planning *planning);

#endif
