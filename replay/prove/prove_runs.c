/* SPDX-License-Identifier: Apache-2.0
 * prove_runs - the repaired scenarios, played in processes of their own. */
#include "replay/prove/prove_private.h"

#include "base/memory.h"
#include "replay/run/jobs.h"

#include <stdlib.h>
#include <string.h>

struct batch {
    struct prove_trial *trial;
    const struct prove_set *sets;
    uint64_t events_most; /* of each run */
};

/* What comes through the pipe; the works, then what workloads have, then the stops, behind it. */
struct report {
    bool built, played, spent;
    uint64_t events;
    char why[STORE_ERROR_BYTES];
    int64_t lossless_drops, drops;
    struct prove_work works[];
};

static size_t report_bytes(const struct prove_trial *trial)
{
    return sizeof(struct report) + trial->members.count * sizeof(struct prove_work) +
           ((size_t)trial->scenario->workload_count + trial->hops.count) * sizeof(int64_t);
}

static int64_t *tails_of(const struct prove_trial *trial, struct report *report)
{
    return (int64_t *)(void *)&report->works[trial->members.count];
}

static int64_t *stops_of(const struct prove_trial *trial, struct report *report)
{
    return tails_of(trial, report) + trial->scenario->workload_count;
}

static void write_report(const struct prove_trial *trial, const struct run *run,
                         struct report *report)
{
    struct prove_measure measure;
    const uint32_t workloads = trial->scenario->workload_count;
    prove_measure(&measure, record_store(run->record), &trial->members, workloads, &trial->hops);
    report->lossless_drops = measure.lossless_drops;
    report->drops = measure.drops;
    memcpy(report->works, measure.works, trial->members.count * sizeof *report->works);
    memcpy(tails_of(trial, report), measure.p99_ps, workloads * sizeof(int64_t));
    memcpy(stops_of(trial, report), measure.stopped_ps, trial->hops.count * sizeof(int64_t));
    prove_measure_free(&measure);
}

/* What the order of two frames at one moment decides comes out another way. */
static void start_later(struct repaired *repaired, uint32_t times)
{
    static const time_ps step = 7 * PS_PER_NS, more = 3 * PS_PER_NS;
    struct scenario *scenario = &repaired->scenario;
    struct scenario_workload *workloads =
        arena_array(&repaired->arena, scenario->workload_count, sizeof *workloads);
    memcpy(workloads, scenario->workloads, scenario->workload_count * sizeof *workloads);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const time_ps start = workloads[i].start + times * (step + (i % 16) * more);
        if (times > 0 && start < workloads[i].stop)
            workloads[i].start = start;
    }
    scenario->workloads = workloads;
}

static void play(void *self, uint32_t index, void *result)
{
    const struct batch *batch = self;
    const struct prove_trial *trial = batch->trial;
    const struct prove_set *set = &batch->sets[index];
    const struct run_options options = {.until = trial->until,
                                        .brief = true,
                                        .members = true,
                                        .events_most = batch->events_most};
    struct repair repairs[PROVE_SUSPECTS_MAX];
    struct repaired repaired;
    struct report *report = result;
    struct run run;
    for (uint32_t i = 0; i < set->count; i++)
        repairs[i] = trial->prove->rows[set->rows[i]].repair;
    repair_apply(&repaired, repairs, set->count, trial->scenario);
    start_later(&repaired, set->later);
    const enum run_end end = run_scenario(&run, &repaired.scenario, &options, trial->diag);
    const bool stopped = end == RUN_DONE && strcmp(run.result.status, "interrupted") == 0;
    report->built = end != RUN_REFUSED;
    report->played = end == RUN_DONE && !stopped;
    report->events = report->played ? (uint64_t)run.result.totals.events : 0;
    report->spent = batch->events_most > 0 && report->events > batch->events_most;
    if (report->played)
        write_report(trial, &run, report);
    else
        snprintf(report->why, sizeof report->why, "%s", stopped ? "interrupted" : run.error);
    run_close(&run);
    repair_free(&repaired);
}

static void take(const struct prove_trial *trial, struct report *report,
                 struct prove_measure *measure)
{
    const uint32_t workloads = trial->scenario->workload_count;
    *measure = (struct prove_measure){
        .works = memory_zeroed(trial->members.count, sizeof *measure->works),
        .p99_ps = memory_zeroed(workloads, sizeof *measure->p99_ps),
        .stopped_ps = memory_zeroed(trial->hops.count, sizeof *measure->stopped_ps),
        .lossless_drops = report->lossless_drops,
        .drops = report->drops,
    };
    memcpy(measure->works, report->works, trial->members.count * sizeof *measure->works);
    memcpy(measure->p99_ps, tails_of(trial, report), workloads * sizeof *measure->p99_ps);
    memcpy(measure->stopped_ps, stops_of(trial, report), trial->hops.count * sizeof(int64_t));
}

bool prove_may_play(struct prove_trial *trial, uint32_t runs)
{
    struct prove *prove = trial->prove;
    const uint32_t most = trial->question->runs_most;
    prove->spent |= most > 0 && prove->runs + runs > most;
    if (prove->spent)
        snprintf(prove->why, sizeof prove->why, "it takes more runs than it may");
    else
        prove->runs += runs;
    return !prove->spent;
}

bool prove_play_sets(struct prove_trial *trial, const struct prove_set *sets, uint32_t count,
                     struct prove_measure *measures)
{
    struct prove *prove = trial->prove;
    if (!prove_may_play(trial, count))
        return false;
    const uint64_t most = trial->question->events_most;
    const uint64_t left = most > prove->events ? most - prove->events : 0;
    struct batch batch = {trial, sets, .events_most = most == 0 ? 0 : left / (count + 1) + 1};
    const size_t bytes = report_bytes(trial);
    char *results = memory_zeroed(count + 1, bytes);
    const struct jobs jobs = {&batch, play, .count = count, .results = results, .bytes = bytes};
    bool well = jobs_play(&jobs);
    if (!well)
        snprintf(prove->why, sizeof prove->why, "a run ended too early");
    for (uint32_t i = 0; i < count && well; i++) {
        struct report *report = (struct report *)(void *)(results + i * bytes);
        measures[i] = (struct prove_measure){0};
        prove->events += report->events;
        prove->spent |= report->spent;
        if (report->played)
            take(trial, report, &measures[i]);
        else if (report->built)
            snprintf(prove->why, sizeof prove->why, "%s", report->why);
        well = report->played || !report->built;
    }
    if (prove->spent) {
        snprintf(prove->why, sizeof prove->why, "the runs take more events than they may");
        for (uint32_t i = 0; i < count; i++)
            prove_measure_free(&measures[i]);
        well = false;
    }
    free(results);
    return well;
}
