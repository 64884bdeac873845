/* SPDX-License-Identifier: Apache-2.0
 * seeds - worker k of j plays the seeds k, k + j, ..., and writes what came of each to its pipe. */
#include "replay/run/seeds.h"

#include "base/memory.h"
#include "replay/run/run.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 256 };

static const struct {
    const char *path;
    bool more_is_worse;
} figure_rows[] = {
#define X(name, path, more_is_worse) {path, more_is_worse},
    SEEDS_FIGURES(X)
#undef X
};

struct worker {
    pid_t child; /* -1: the seeds are played here */
    int from;
};

/* ---- one seed ---- */

static struct scenario *load_again(const struct scenario *scenario, uint64_t seed,
                                   struct diag *diag)
{
    char text[40];
    snprintf(text, sizeof text, "seed=%llu", (unsigned long long)seed);
    const char **sets = memory_zeroed(scenario->set_count + 1, sizeof *sets);
    for (uint32_t i = 0; i < scenario->set_count; i++)
        sets[i] = scenario->sets[i];
    sets[scenario->set_count] = text;
    const struct scenario_input input = {
        .name = scenario->sources[0].name,
        .text = scenario->sources[0].text,
        .length = scenario->sources[0].length,
        .files = scenario->sources,
        .file_count = scenario->source_count,
        .sets = sets,
        .set_count = scenario->set_count + 1,
    };
    struct scenario *loaded = scenario_load(&input, diag);
    free(sets);
    return loaded;
}

/* Of run --json: what a run counts is gone with its world. */
static void take_figures(struct store *store, uint32_t workload, double figures[SEEDS_FIGURE_COUNT])
{
    for (int i = 0; i < SEEDS_FIGURE_COUNT; i++) {
        char path[64];
        snprintf(path, sizeof path, "workloads[%u].%s", (unsigned)workload, figure_rows[i].path);
        struct store_statement *row = store_prepare(store, "SELECT value FROM result WHERE path=?");
        store_bind(row, 1, STORE_T(path));
        figures[i] = store_step(row) ? store_real(row, 0) : 0;
        store_finish(row);
    }
}

static void play_one(const struct seeds *seeds, uint32_t index, time_ps until)
{
    struct seeds_run *made = &seeds->runs[index];
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario = load_again(seeds->scenario, made->seed, diag);
    const struct run_options options = {.brief = true, .until = until};
    struct run run = {0};
    if (scenario != NULL && run_scenario(&run, scenario, &options, diag) == RUN_DONE) {
        made->played = true;
        made->held = result_held(&run.result);
        made->stopped = strcmp(run.result.status, "complete") != 0;
        made->digest = run.result.digest;
        for (uint32_t w = 0; w < scenario->workload_count; w++)
            take_figures(record_store(run.record), w,
                         seeds->figures[index * scenario->workload_count + w]);
    }
    run_close(&run);
    scenario_free(scenario);
    free(diag);
}

/* ---- workers ---- */

static bool move(int file, void *data, size_t bytes, ssize_t (*call)(int, void *, size_t))
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t moved = call(file, (char *)data + done, bytes - done);
        if (moved <= 0 && !(moved < 0 && errno == EINTR))
            return false;
        done += moved > 0 ? (size_t)moved : 0;
    }
    return true;
}

static ssize_t write_some(int file, void *data, size_t bytes)
{
    return write(file, data, bytes);
}

static bool move_one(const struct seeds *seeds, uint32_t index, int file,
                     ssize_t (*call)(int, void *, size_t))
{
    const uint32_t workloads = seeds->scenario->workload_count;
    return move(file, &seeds->runs[index], sizeof *seeds->runs, call) &&
           move(file, &seeds->figures[index * workloads], workloads * sizeof *seeds->figures, call);
}

static _Noreturn void work(const struct seeds *seeds, uint32_t first, time_ps until, int to)
{
    for (uint32_t i = first; i < seeds->count; i += seeds->jobs) {
        play_one(seeds, i, until);
        if (!move_one(seeds, i, to, write_some) || seeds->runs[i].stopped)
            break;
    }
    _exit(0);
}

static struct worker begin(const struct seeds *seeds, uint32_t first, time_ps until)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0)
        return (struct worker){-1, -1};
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        work(seeds, first, until, ends[1]);
    }
    close(ends[1]);
    if (child < 0)
        close(ends[0]);
    return (struct worker){child, ends[0]};
}

static void end(struct worker *worker)
{
    if (worker->child < 0)
        return;
    close(worker->from);
    while (waitpid(worker->child, NULL, 0) < 0 && errno == EINTR)
        ;
}

static uint32_t jobs_for(uint32_t count)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    const uint32_t jobs = online < 1 ? 1 : online > JOBS_MAX ? JOBS_MAX : (uint32_t)online;
    return jobs < count ? jobs : count;
}

void seeds_play(struct seeds *seeds, const struct scenario *scenario, uint32_t count, time_ps until)
{
    struct worker workers[JOBS_MAX];
    *seeds = (struct seeds){.scenario = scenario, .count = count, .jobs = jobs_for(count)};
    seeds->runs = memory_zeroed(count, sizeof *seeds->runs);
    seeds->figures =
        memory_zeroed((size_t)count * scenario->workload_count, sizeof *seeds->figures);
    for (uint32_t i = 0; i < count; i++)
        seeds->runs[i].seed = scenario->seed + i;
    for (uint32_t i = 0; i < seeds->jobs; i++)
        workers[i] = begin(seeds, i, until);
    for (uint32_t i = 0; i < count; i++) {
        const struct worker *worker = &workers[i % seeds->jobs];
        if (worker->child < 0)
            play_one(seeds, i, until);
        else if (!move_one(seeds, i, worker->from, read))
            seeds->runs[i].played = false;
    }
    for (uint32_t i = 0; i < seeds->jobs; i++)
        end(&workers[i]);
}

void seeds_free(struct seeds *seeds)
{
    free(seeds->runs);
    free(seeds->figures);
    *seeds = (struct seeds){0};
}

/* ---- what they say together ---- */

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
        const bool worse =
            figure_rows[figure].more_is_worse ? value > summary.worst : value < summary.worst;
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
    return figure_rows[figure].path;
}
