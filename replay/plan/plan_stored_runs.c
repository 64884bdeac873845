/* SPDX-License-Identifier: Apache-2.0
 * plan_stored_runs - rows that a search may have written, indexed by candidate, case and seed. */
#include "replay/plan/plan_stored_runs.h"

#include "base/memory.h"
#include "replay/plan/plan_assumed.h"
#include "replay/plan/plan_outcome.h"
#include "scenarios/embedded.h"
#include "scenarios/load/library.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The maximum of a budget. */
enum { KNOWN_MAX = 1000000 };

static_assert(PLAN_SLO_MAX <= 32, "a bit for each figure");

struct plan_stored_runs {
    struct plan_stored_run *runs; /* sorted */
    uint32_t count, room;
};

/* ------------------------------------------------------------------ identity of the plan */

static void ask_fingerprint(struct store *store, const struct plan_state *state, char *text,
                            size_t size)
{
    store_ask_text(store,
                   state->base == 0 ? "SELECT value FROM plan WHERE key='fingerprint'"
                                    : "SELECT value FROM plan WHERE key='fingerprint_vs'",
                   text, size);
}

static void add_digest(struct digest *all, const char *text, size_t length)
{
    const struct digest one = digest_of(text, length);
    digest_add(all, one.high);
    digest_add(all, one.low);
}

/* A setting's value may name a file next to the scenario, such as a job or a profile. */
static void add_files(const struct plan *plan, const struct grid *grid, struct digest *all)
{
    static const char *const endings[] = {"", ".yaml"};
    struct arena arena = {0};
    struct diag *diag = memory_new(sizeof *diag);
    for (size_t i = 0; i < grid->origin_count; i++)
        for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
            const char *equals = strchr(grid->origins[i].set, '=');
            const char *value = equals == NULL ? "" : equals + 1;
            const char *name = arena_format(&arena, "%s%s", value, endings[k]);
            const char *path = tree_beside(&arena, plan->grid.scenario, name);
            struct stat stat_of;
            if (*value == '\0' || stat(path, &stat_of) != 0 || !S_ISREG(stat_of.st_mode))
                continue;
            *diag = (struct diag){0};
            const struct tree_file *file = tree_read(&arena, path, diag);
            if (file != NULL)
                add_digest(all, file->text, file->length);
        }
    arena_free(&arena);
    free(diag);
}

void plan_fingerprint(const struct plan *plan, char text[DIGEST_TEXT_BYTES])
{
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = library_load(plan->grid.scenario, NULL, 0, diag);
    struct digest all = digest_of(plan->question, strlen(plan->question));
    for (uint32_t i = 0; scenario != NULL && i < scenario->source_count; i++)
        add_digest(&all, scenario->sources[i].text, scenario->sources[i].length);
    add_files(plan, &plan->grid, &all);
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        add_files(plan, &plan->cliffs[i], &all);
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        add_files(plan, &plan->what_ifs[i], &all);
    digest_format(&all, text);
    scenario_free(scenario);
    free(diag);
}

/* ------------------------------------------------------------------ known runs */

static int by_place(const void *a, const void *b)
{
    const struct plan_stored_run *one = a, *other = b;
    const uint32_t places[][2] = {
        {one->candidate, other->candidate}, {one->of, other->of}, {one->seed, other->seed}};
    for (int i = 0; i < 3; i++)
        if (places[i][0] != places[i][1])
            return places[i][0] < places[i][1] ? -1 : 1;
    return 0;
}

static void copy_text(const struct store_statement *row, const char *column, char *text,
                      size_t size)
{
    snprintf(text, size, "%.*s", (int)size - 1, store_text(row, column));
}

static bool read_digest(const char *text, uint64_t digest[2])
{
    char high[17];
    if (strlen(text) != DIGEST_TEXT_BYTES - 1 || text[strspn(text, "0123456789abcdef")] != '\0')
        return false;
    snprintf(high, sizeof high, "%.16s", text);
    digest[0] = strtoull(high, NULL, 16);
    digest[1] = strtoull(text + 16, NULL, 16);
    return true;
}

/* Reads candidate, trial and seed of a row. Returns false if no search of this plan can have
 * written it. */
static bool read_place(const struct plan_state *state, const struct store_statement *row,
                       struct plan_stored_run *run)
{
    const int64_t base = state->base, end = plan_assumed_key(state, state->count, 0, 0);
    const int64_t candidate = store_int(row, "candidate"), of = store_int(row, "trial"),
                  seed = store_int(row, "seed");
    if (candidate < base || candidate - base >= end || of < 0 || of >= PLAN_CASES_MAX || seed < 0 ||
        seed >= PLAN_SEEDS_MAX)
        return false;
    *run = (struct plan_stored_run){
        .candidate = (uint32_t)(candidate - base), .of = (uint32_t)of, .seed = (uint32_t)seed};
    return true;
}

/* Rows left out are run again. Figures are in another table and are added later. */
static void read_run(struct plan_stored_runs *known, const struct plan_state *state,
                     const struct store_statement *row)
{
    struct plan_stored_run run;
    const int64_t end = store_int(row, "end"), figures = store_int(row, "figures");
    if (known->count == KNOWN_MAX || !read_place(state, row, &run) || end <= PLAN_RUN_STOPPED ||
        end > PLAN_RUN_PLAYED || figures < 0 || figures > PLAN_SLO_MAX)
        return;
    struct plan_outcome *outcome = &run.outcome;
    outcome->end = (int32_t)end;
    outcome->figure_count = (uint32_t)figures;
    copy_text(row, "why", outcome->why, sizeof outcome->why);
    copy_text(row, "bottleneck", outcome->limit, sizeof outcome->limit);
    outcome->duration = store_int(row, "duration_ps");
    outcome->events = store_int(row, "events");
    outcome->packet_hops = store_int(row, "packet_hops");
    outcome->cores = store_int(row, "cores");
    if (!read_digest(store_text(row, "digest"), outcome->digest) ||
        !plan_outcome_is_sound(outcome, outcome->figure_count))
        return;
    known->runs = memory_grown(known->runs, known->count, &known->room, sizeof *known->runs);
    known->runs[known->count++] = run;
}

static struct plan_stored_run *find_run(const struct plan_stored_runs *known,
                                        const struct plan_stored_run *key)
{
    return known->count == 0
               ? NULL
               : bsearch(key, known->runs, known->count, sizeof *known->runs, by_place);
}

/* Finds a run by the key of a row; NULL if it is unknown. */
static struct plan_stored_run *find_row(const struct plan_stored_runs *known,
                                        const struct plan_state *state,
                                        const struct store_statement *row)
{
    struct plan_stored_run key;
    return read_place(state, row, &key) ? find_run(known, &key) : NULL;
}

static void read_figures(const struct plan_stored_runs *known, const struct plan_state *state,
                         struct store *store)
{
    struct store_statement *row =
        store_prepare(store, "SELECT candidate, trial, seed, slo, value, slack, held FROM figure");
    while (store_step(row)) {
        struct plan_stored_run *run = find_row(known, state, row);
        const int64_t slo = store_int(row, "slo");
        if (run == NULL || slo < 0 || slo >= run->outcome.figure_count)
            continue;
        run->outcome.figures[slo] = (struct plan_figure){
            store_real(row, "value"), store_real(row, "slack"), store_int(row, "held") != 0};
        run->figures |= UINT32_C(1) << slo;
    }
    store_finish(row);
}

static void read_measures(const struct plan_stored_runs *known, const struct plan_state *state,
                          struct store *store)
{
    struct store_statement *row =
        store_prepare(store, "SELECT candidate, trial, seed, position, value FROM measure");
    while (store_step(row)) {
        struct plan_stored_run *run = find_row(known, state, row);
        const int64_t position = store_int(row, "position");
        if (run == NULL || position < 0 || position >= PLAN_MEASURES_MAX)
            continue;
        struct plan_outcome *outcome = &run->outcome;
        if (outcome->measure_count <= position)
            outcome->measure_count = (uint32_t)position + 1;
        outcome->measures[position] =
            (struct plan_measured){store_real(row, "value"), !store_is_null(row, "value")};
    }
    store_finish(row);
}

/* Keeps only runs with all figures. */
static void keep_whole(struct plan_stored_runs *known)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < known->count; i++) {
        const struct plan_stored_run *run = &known->runs[i];
        const uint64_t all = (UINT64_C(1) << run->outcome.figure_count) - 1;
        if (run->figures == all && plan_outcome_is_sound(&run->outcome, run->outcome.figure_count))
            known->runs[left++] = *run;
    }
    known->count = left;
}

static bool is_same_plan(struct store *store, const struct plan_state *state,
                         char error[STORE_ERROR_BYTES])
{
    char text[DIGEST_TEXT_BYTES], theirs[DIGEST_TEXT_BYTES] = "", version[64] = "";
    plan_fingerprint(state->plan, text);
    ask_fingerprint(store, state, theirs, sizeof theirs);
    store_ask_text(store, "SELECT value FROM plan WHERE key='version'", version, sizeof version);
    if (store_error(store) != NULL)
        snprintf(error, STORE_ERROR_BYTES, "not a plan's database");
    else if (strcmp(version, stormglass_version) != 0)
        snprintf(error, STORE_ERROR_BYTES, "written by version %.40s of stormglass", version);
    else if (strcmp(text, theirs) != 0)
        snprintf(error, STORE_ERROR_BYTES,
                 "written for another plan, or the plan has changed since");
    else
        return true;
    return false;
}

static void read_known(struct plan_stored_runs *known, const struct plan_state *state,
                       struct store *store)
{
    /* Databases of earlier versions have no cores; no price list of theirs had any. */
    struct store_statement *row = store_prepare(
        store, plan_prices_cores(state, 0)
                   ? "SELECT candidate, trial, seed, end, why, bottleneck, duration_ps, events,"
                     " packet_hops, digest, figures, cores FROM run"
                     " ORDER BY candidate, trial, seed"
                   : "SELECT candidate, trial, seed, end, why, bottleneck, duration_ps, events,"
                     " packet_hops, digest, figures, 0 AS cores FROM run"
                     " ORDER BY candidate, trial, seed");
    while (store_step(row))
        read_run(known, state, row);
    store_finish(row);
    read_figures(known, state, store);
    read_measures(known, state, store);
    keep_whole(known);
}

struct plan_stored_runs *plan_stored_runs_read(const char *path, const struct plan_state *state,
                                               char error[STORE_ERROR_BYTES])
{
    struct store *store = store_open(path, error);
    if (store == NULL)
        return NULL;
    struct plan_stored_runs *known = NULL;
    const bool same = is_same_plan(store, state, error);
    if (same || (state->base > 0 && store_error(store) == NULL))
        known = memory_new(sizeof *known);
    if (same)
        read_known(known, state, store);
    if (known != NULL && store_error(store) != NULL) {
        snprintf(error, STORE_ERROR_BYTES, "%s", store_error(store));
        plan_stored_runs_free(known);
        known = NULL;
    }
    store_close(store);
    return known;
}

struct plan_stored_runs *plan_stored_runs_none(void)
{
    return memory_new(sizeof(struct plan_stored_runs));
}

bool plan_stored_runs_add(struct plan_stored_runs *known, const char *path,
                          const struct plan_state *state, char error[STORE_ERROR_BYTES])
{
    struct plan_stored_runs *more = plan_stored_runs_read(path, state, error);
    for (uint32_t i = 0; more != NULL && i < more->count; i++) {
        known->runs = memory_grown(known->runs, known->count, &known->room, sizeof *known->runs);
        known->runs[known->count++] = more->runs[i];
    }
    if (more != NULL && known->count > 0)
        qsort(known->runs, known->count, sizeof *known->runs, by_place);
    plan_stored_runs_free(more);
    return more != NULL;
}

void plan_stored_runs_free(struct plan_stored_runs *known)
{
    if (known == NULL)
        return;
    free(known->runs);
    free(known);
}

bool plan_stored_runs_find(const struct plan_stored_runs *known, uint32_t candidate, uint32_t of,
                           uint32_t seed, struct plan_outcome *outcome)
{
    const struct plan_stored_run key = {.candidate = candidate, .of = of, .seed = seed};
    const struct plan_stored_run *run = find_run(known, &key);
    if (run != NULL)
        *outcome = run->outcome;
    return run != NULL;
}

uint32_t plan_stored_runs_count(const struct plan_stored_runs *known)
{
    return known->count;
}

const struct plan_stored_run *plan_stored_runs_at(const struct plan_stored_runs *known,
                                                  uint32_t index)
{
    return &known->runs[index];
}
