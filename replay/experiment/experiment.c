/* SPDX-License-Identifier: Apache-2.0
 * experiment - trials, run in processes of their own. */
#include "replay/experiment/experiment.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "replay/run/jobs.h"
#include "replay/run/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct batch {
    const struct experiment *experiment;
    const struct trial *trials;
    uint64_t events_most; /* of each run */
};

/* What comes through the pipe, the measure behind it. */
struct report {
    bool broken, complete;
    uint64_t events;
    char why[STORE_ERROR_BYTES];
    max_align_t measure[];
};

static struct measure_shape shape_of(const struct experiment *experiment)
{
    const bool judged = experiment->members == NULL;
    return (struct measure_shape){judged ? 0 : experiment->members->count,
                                  experiment->base->scenario->workload_count,
                                  judged ? 0 : experiment->hops->count};
}

static void write_report(const struct experiment *experiment, const struct run *run,
                         struct report *report)
{
    const struct measure_shape shape = shape_of(experiment);
    struct measure measure;
    report->complete = true;
    report->events = (uint64_t)run->result.totals.events;
    if (experiment->members == NULL)
        measure_make(&measure, shape);
    else
        measure_read(&measure, record_store(run->record), experiment->members, shape.workloads,
                     experiment->hops);
    measure_judge(&measure, &run->result, experiment->base->scenario->fault_count > 0);
    measure_pack(&measure, shape, report->measure);
    measure_free(&measure);
}

static void run_tried(const struct batch *batch, const struct scenario *scenario,
                      struct report *report, struct diag *diag)
{
    const bool judged = batch->experiment->members == NULL;
    const struct run_options options = {.until = batch->experiment->until,
                                        .unread = judged,
                                        .brief = !judged,
                                        .members = !judged,
                                        .events_most = batch->events_most};
    struct run run;
    const enum run_end end = run_scenario(&run, scenario, &options, diag);
    const bool stopped = end == RUN_DONE && strcmp(run.result.status, "interrupted") == 0;
    report->broken = end == RUN_BROKEN || stopped;
    if (report->broken)
        snprintf(report->why, sizeof report->why, "%s", stopped ? "interrupted" : run.error);
    else if (end == RUN_DONE)
        write_report(batch->experiment, &run, report);
    run_close(&run);
}

static void run_one(void *self, uint32_t index, void *result)
{
    const struct batch *batch = self;
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct tried tried;
    if (trial_apply(&tried, &batch->trials[index], batch->experiment->base, diag))
        run_tried(batch, &tried.scenario, result, diag);
    tried_free(&tried);
    free(diag);
}

bool experiment_can_run(const struct experiment *experiment, uint32_t runs)
{
    return experiment->runs_most == 0 || experiment->runs + runs <= experiment->runs_most;
}

static bool may_run(struct experiment *experiment, uint32_t runs)
{
    experiment->spent |= !experiment_can_run(experiment, runs);
    if (experiment->spent)
        snprintf(experiment->why, sizeof experiment->why, "it takes more runs than it may");
    else
        experiment->runs += runs;
    return !experiment->spent;
}

static uint64_t events_of_each(const struct experiment *experiment, uint32_t count)
{
    const uint64_t most = experiment->events_most;
    const uint64_t left = most - min_u64(most, experiment->events);
    return most == 0 ? 0 : left / (count + 1) + 1;
}

/* False: the run is broken, or took more events than it may. */
static bool read_report(struct experiment *experiment, const struct report *report,
                        uint64_t events_most, struct measure *measure)
{
    experiment->events += report->events;
    experiment->runs -= !report->complete && !report->broken; /* it could not be built */
    if (report->complete)
        measure_unpack(measure, shape_of(experiment), report->measure);
    if (report->broken)
        snprintf(experiment->why, sizeof experiment->why, "%s", report->why);
    if (events_most > 0 && report->events > events_most) {
        experiment->spent = true;
        snprintf(experiment->why, sizeof experiment->why,
                 "the runs take more events than they may");
    }
    return !report->broken && !experiment->spent;
}

static bool run_all(struct experiment *experiment, const struct trial *trials, uint32_t count,
                    struct measure *measures)
{
    if (!may_run(experiment, count))
        return false;
    struct batch batch = {experiment, trials, events_of_each(experiment, count)};
    const size_t need = sizeof(struct report) + measure_bytes(shape_of(experiment));
    const size_t bytes =
        (need + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    char *results = memory_zeroed((size_t)count + 1, bytes);
    const struct jobs jobs = {&batch, run_one, .count = count, .results = results, .bytes = bytes};
    bool well = jobs_play(&jobs);
    if (!well) {
        experiment->crashed = stop_asked() == 0;
        snprintf(experiment->why, sizeof experiment->why, "a run ended too early");
    }
    for (uint32_t i = 0; i < count && well; i++)
        well = read_report(experiment, (const struct report *)(const void *)(results + i * bytes),
                           batch.events_most, &measures[i]);
    free(results);
    return well;
}

/* Runs the trials that are not in the memo. */
static bool run_new(struct experiment *experiment, const struct trial *trials, uint32_t count,
                    struct measure *measures)
{
    const struct measure_shape shape = shape_of(experiment);
    struct trial *new = memory_zeroed((size_t)count + 1, sizeof *new);
    struct measure *found = memory_zeroed((size_t)count + 1, sizeof *found);
    uint32_t *places = memory_zeroed((size_t)count + 1, sizeof *places), left = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!memo_find(experiment->memo, &trials[i], shape, &measures[i])) {
            new[left] = trials[i];
            places[left++] = i;
        }
    const bool well = left == 0 || run_all(experiment, new, left, found);
    for (uint32_t i = 0; i < left; i++) {
        measures[places[i]] = found[i];
        if (well)
            memo_keep(experiment->memo, &new[i], shape, &found[i]);
    }
    free(places);
    free(found);
    free(new);
    return well;
}

bool experiment_run(struct experiment *experiment, const struct trial *trials, uint32_t count,
                    struct measure *measures)
{
    memset(measures, 0, count * sizeof *measures);
    const bool well =
        (experiment->memo == NULL ? run_all : run_new)(experiment, trials, count, measures);
    for (uint32_t i = 0; i < count && !well; i++)
        measure_free(&measures[i]);
    return well;
}

/* Chance is compared by the extra time for each unit of needed time: shares of a whole never double
 * once they exceed a half. */
bool experiment_is_significant(int64_t part, int64_t whole, int64_t least, int64_t chance)
{
    return part > 0 && (__int128)part * PPM >= (__int128)whole * least &&
           (__int128)part * (PPM - chance) >= (__int128)(whole - part) * 2 * chance;
}
