/* SPDX-License-Identifier: Apache-2.0
 * plan_assumed - what the answer to a plan owes to values that nobody knows.
 * When the answer is known, what is chosen and the first candidates, in the order of the objective,
 * whose runs do not hold are played again with each assumed or inferred value changed alone, as
 * replay/experiment/assumed.h changes it.  What is looked at is the case that is nearest to a
 * limit, or that decided, and in it the objective with the least headroom:
 *   - one run with the scenario's own seed says whether it matters at all; only where it does,
 *     as many seeds as any other verdict takes (common random numbers);
 *   - a candidate that does not hold would hold only if it does in every case.
 * So what is said to flip the choice does; of what is chosen, a case that is not looked at may fail
 * too.  The runs are points of the state: in its database, and of its budget, as all others. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_ASSUMED_H
#define STORMGLASS_REPLAY_PLAN_PLAN_ASSUMED_H

#include "replay/experiment/assumed.h"
#include "replay/plan/plan_search.h"

enum { PLAN_SUBJECTS_MAX = 4 }; /* the chosen candidate and up to three that do not pass */

/* A value set to another value. */
struct plan_change {
    const char *value;
    double ratio;   /* to the unchanged value */
    uint32_t point; /* candidate of the state that represents it */
    bool played;    /* false: budget spent or stop requested before */
    bool matters;   /* the first run differs */
    bool flips;     /* the chosen candidate no longer passes, or an earlier one now does */
    bool measured;  /* figure and moved are valid */
    double figure;  /* mean of the objective, in its base unit */
    double moved;   /* change against the same seeds, relative to the limit */
};

struct plan_guess {
    const char *path, *evidence,
        *source; /* evidence: "assumed" or "inferred"; source may be NULL */
    uint32_t sources;
    const char *value;
    struct plan_change changes[ASSUMED_TRIALS]; /* smaller, larger value */
    uint32_t change_count;
    double effect; /* absolute value of the larger move */
    double error;  /* of results that such a value binds, as a share */
    double spread; /* the figure is between itself divided and multiplied by it; 0: not measured */
    bool matters, flips;
};

struct plan_subject {
    uint32_t candidate;
    uint32_t of; /* the case */
    int32_t slo; /* the objective; -1: no objective is a mean, so no effect is measured */
    double figure;
    struct plan_guess *guesses; /* by effect */
    int32_t binds; /* guess with the largest spread, which limits the figure; -1: none */
    uint32_t count;
    uint32_t left_out; /* values beyond ASSUMED_MAX */
};

struct plan_assumed {
    struct plan_subject subjects[PLAN_SUBJECTS_MAX]; /* the chosen candidate first, if any */
    uint32_t count;
    uint32_t unplayed; /* number of changes not run */
    int64_t runs;
};

/* Fills in `assumed` of the state, unless a stop or the budget ended the search. */
void plan_assumed_play(const struct plan_search *search);

/* The key of the runs of one change; all keys are below that of a candidate after the plan's
 * last. */
uint32_t plan_assumed_key(const struct plan_state *state, uint32_t candidate, uint32_t value,
                          uint32_t change);

#endif
