/* SPDX-License-Identifier: Apache-2.0
 * planning - queries and progress of a search. */
#include "cli/run/planning.h"

#include "base/memory.h"
#include "base/plural.h"
#include "scenarios/embedded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Writes "some 40 s left; ", if it can be estimated. */
static void say_left(double left_s, char *text, size_t size)
{
    text[0] = '\0';
    if (left_s >= 3600 * 1.95)
        snprintf(text, size, "about %.0f h left; ", left_s / 3600);
    else if (left_s >= 60 * 1.95)
        snprintf(text, size, "about %.0f min left; ", left_s / 60);
    else if (left_s >= 0)
        snprintf(text, size, "about %.0f s left; ", left_s);
}

/* Shows the current activity: the search or, after the answer, the cliffs of the chosen
 * candidate. */
static void show_progress(struct planning *planning)
{
    const struct plan_state *state = &planning->state;
    const double elapsed_s = progress_clock_s() - planning->begun_s;
    char left[64], doing[160];
    if (!planning->progress.bar && !progress_is_due(&planning->progress))
        return;
    const char *best = state->chosen < 0 ? "" : state->candidates[state->chosen].cell->name;
    say_left(plan_left_s(state, elapsed_s), left, sizeof left);
    if (state->proven)
        snprintf(doing, sizeof doing, "answer found, measuring limits of %.100s", best);
    else
        snprintf(doing, sizeof doing, "%u of %u %s open%s%.60s", (unsigned)plan_open(state),
                 (unsigned)state->count, plural(state->count, "candidate", "candidates"),
                 *best == '\0' ? "" : "; best so far ", best);
    if (planning->progress.bar)
        fprintf(stderr, "\r%" PRId64 " %s in %.0f s; %s%-60s", state->runs,
                plural(state->runs, "run", "runs"), elapsed_s, left, doing);
    else
        fprintf(stderr, "stormglass: %" PRId64 " %s in %.0f s; %s%s\n", state->runs,
                plural(state->runs, "run", "runs"), elapsed_s, left, doing);
    fflush(stderr);
    planning->shown = planning->progress.bar;
}

static void write_run(struct planning *planning, uint32_t candidate, uint32_t of, uint32_t seed)
{
    if (!plan_store_run(planning->store, &planning->state, candidate, of, seed))
        planning->failed = true;
}

static void played(void *self, uint32_t candidate, uint32_t of, uint32_t seed)
{
    struct planning *planning = self;
    if (planning->store != NULL)
        write_run(planning, candidate, of, seed);
    show_progress(planning);
}

static void taken(void *self, uint32_t candidate, uint32_t of, uint32_t seed)
{
    struct planning *planning = self;
    if (planning->store != NULL && planning->gathers)
        write_run(planning, candidate, of, seed);
}

static bool known(void *self, uint32_t candidate, uint32_t of, uint32_t seed,
                  struct plan_outcome *outcome)
{
    const struct planning *planning = self;
    return planning->known != NULL &&
           plan_stored_runs_find(planning->known, planning->state.candidates[candidate].key, of,
                                 seed, outcome);
}

/* True if the time budget since planning_begin is exhausted, or the database could not be
 * written. */
static bool late(void *self)
{
    const struct planning *planning = self;
    const int64_t most = planning->plan->most_time;
    return planning->failed ||
           (most > 0 && progress_clock_s() - planning->begun_s > (double)most / (double)PS_PER_S);
}

bool planning_load(struct planning *planning, const char *path)
{
    struct diag *diag = memory_new(sizeof *diag);
    planning->plan = plan_load_file(path, diag);
    free(diag);
    return planning->plan != NULL;
}

void planning_fingerprint(const struct planning *sides, uint32_t count,
                          char text[PLANNING_FINGERPRINT_BYTES])
{
    snprintf(text, PLANNING_FINGERPRINT_BYTES, "%.60s", stormglass_version);
    for (uint32_t i = 0; i < count; i++) {
        char one[DIGEST_TEXT_BYTES];
        const size_t used = strlen(text);
        plan_fingerprint(sides[i].plan, one);
        snprintf(text + used, PLANNING_FINGERPRINT_BYTES - used, " %s", one);
    }
}

bool planning_open(struct planning *planning, const char *path)
{
    struct diag *diag = memory_new(sizeof *diag);
    planning->plan = plan_load_file(path, diag);
    diag_print(diag, stderr);
    *diag = (struct diag){0};
    const bool well =
        planning->plan != NULL && plan_search_open(&planning->state, planning->plan, diag);
    diag_print(diag, stderr);
    free(diag);
    planning->search = (struct plan_search){.state = &planning->state,
                                            .self = planning,
                                            .played = played,
                                            .known = known,
                                            .taken = taken,
                                            .late = late};
    return well;
}

void planning_begin(struct planning *planning)
{
    planning->begun_s = progress_clock_s();
    progress_begin(&planning->progress, true);
}

void planning_hide_progress(struct planning *planning)
{
    if (planning->shown)
        fprintf(stderr, "\r%-100s\r", "");
    planning->shown = false;
}

void planning_close(struct planning *planning)
{
    plan_stored_runs_free(planning->known);
    plan_state_free(&planning->state);
    plan_free(planning->plan);
}
