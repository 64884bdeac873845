/* SPDX-License-Identifier: Apache-2.0
 * seeds - reloads the scenario per seed; Student's t. */
#include "replay/run/seeds.h"

#include "base/memory.h"
#include "replay/run/jobs.h"
#include "replay/run/run.h"
#include "scenarios/load/expect.h"
#include "scenarios/load/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const enum expect_quantity quantity_of[] = {
#define X(name) EXPECT_##name,
    SEEDS_FIGURES(X)
#undef X
};

struct seeds_played {
    struct seeds_run run;
    double figures[][SEEDS_FIGURE_COUNT]; /* by workload */
};

struct seeds_play {
    const struct seeds *seeds;
    time_ps until;
};

/* ---- one seed ---- */

static struct scenario *load_again(const struct scenario *scenario, uint64_t seed,
                                   struct diag *diag)
{
    char text[40];
    const char *const set = text;
    snprintf(text, sizeof text, "seed=%llu", (unsigned long long)seed);
    return library_load_again(scenario, &set, 1, diag);
}

/* From run --json, because the run's own counters are freed with its world. */
static void take_figures(struct store *store, uint32_t workload, double figures[SEEDS_FIGURE_COUNT])
{
    for (int i = 0; i < SEEDS_FIGURE_COUNT; i++) {
        char path[64];
        snprintf(path, sizeof path, "workloads[%u].%s", (unsigned)workload,
                 seeds_figure_path((enum seeds_figure)i));
        struct store_statement *row = store_prepare(store, "SELECT value FROM result WHERE path=?");
        store_bind(row, 1, STORE_T(path));
        figures[i] = store_step(row) ? store_real(row, "value") : 0;
        store_finish(row);
    }
}

static void play_one(const struct seeds_play *play, struct seeds_played *played)
{
    struct seeds_run *made = &played->run;
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = load_again(play->seeds->scenario, made->seed, diag);
    const struct run_options options = {.brief = true, .until = play->until};
    struct run run = {0};
    if (scenario != NULL && run_scenario(&run, scenario, &options, diag) == RUN_DONE) {
        made->played = true;
        made->held = result_held(&run.result);
        made->stopped = strcmp(run.result.status, "complete") != 0;
        made->digest = run.result.digest;
        for (uint32_t w = 0; w < scenario->workload_count; w++)
            take_figures(record_store(run.record), w, played->figures[w]);
    }
    run_close(&run);
    scenario_free(scenario);
    free(diag);
}

/* ---- all of them ---- */

static void play_job(void *self, uint32_t index, void *result)
{
    const struct seeds_play *play = self;
    struct seeds_played *played = result;
    played->run.seed = play->seeds->scenario->seed + index;
    play_one(play, played);
}

void seeds_play(struct seeds *seeds, const struct scenario *scenario, uint32_t count, time_ps until)
{
    const size_t figures = scenario->workload_count * sizeof *seeds->figures;
    const size_t bytes = sizeof(struct seeds_played) + figures;
    *seeds = (struct seeds){.scenario = scenario, .count = count};
    seeds->runs = memory_zeroed(count, sizeof *seeds->runs);
    seeds->figures = memory_zeroed(count, figures);
    char *results = memory_zeroed(count, bytes);
    struct seeds_play play = {seeds, until};
    const struct jobs jobs = {&play, play_job, .count = count, .results = results, .bytes = bytes};
    seeds->jobs = jobs_at_once(&jobs);
    jobs_play(&jobs);
    for (uint32_t i = 0; i < count; i++) {
        const struct seeds_played *played =
            (const struct seeds_played *)(const void *)(results + i * bytes);
        seeds->runs[i] = played->run;
        seeds->runs[i].seed = scenario->seed + i;
        memcpy(&seeds->figures[i * scenario->workload_count], played->figures, figures);
    }
    free(results);
}

void seeds_free(struct seeds *seeds)
{
    free(seeds->runs);
    free(seeds->figures);
    *seeds = (struct seeds){0};
}

/* ---- summary over seeds ---- */

double seeds_student(uint32_t degrees)
{
    static const double table[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                                   2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                                   2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                                   2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
    enum { ROWS = sizeof table / sizeof table[0] };
    if (degrees == 0)
        return 0;
    return degrees <= ROWS ? table[degrees - 1] : 1.96 + 2.46 / degrees;
}

static double figure_of(const struct seeds *seeds, uint32_t run, uint32_t workload,
                        enum seeds_figure figure)
{
    return seeds->figures[run * seeds->scenario->workload_count + workload][figure];
}

struct seeds_summary seeds_summarise(const struct seeds *seeds, uint32_t workload,
                                     enum seeds_figure figure)
{
    struct seeds_summary summary = {0};
    double sum = 0, squares = 0;
    uint32_t played = 0;
    for (uint32_t i = 0; i < seeds->count; i++) {
        const double value = figure_of(seeds, i, workload, figure);
        if (!seeds->runs[i].played)
            continue;
        const bool worse = expect_less_is_better(quantity_of[figure]) ? value > summary.worst
                                                                      : value < summary.worst;
        if (played++ == 0 || worse) {
            summary.worst = value;
            summary.worst_seed = seeds->runs[i].seed;
        }
        sum += value;
    }
    if (played == 0)
        return summary;
    summary.mean = sum / played;
    for (uint32_t i = 0; i < seeds->count; i++) {
        const double off = figure_of(seeds, i, workload, figure) - summary.mean;
        squares += seeds->runs[i].played ? off * off : 0;
    }
    if (played > 1)
        summary.half = seeds_student(played - 1) * sqrt(squares / (played - 1) / played);
    return summary;
}

const char *seeds_figure_path(enum seeds_figure figure)
{
    return expect_path(quantity_of[figure]) + 1;
}
