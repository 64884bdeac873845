/* SPDX-License-Identifier: Apache-2.0
 * whatif_trial - a run with reliefs, and what it came to. */
#include "replay/prove/whatif_trial.h"

#include "base/memory.h"
#include "replay/prove/relief.h"
#include "replay/run/jobs.h"
#include "replay/run/run.h"

#include <stdlib.h>
#include <string.h>

static double ratio(const struct result_workload *workload, const char *path)
{
    struct result_ratio value = {0, 0};
    return result_of_workload(workload, path, &value) && value.denominator > 0
               ? (double)value.numerator / (double)value.denominator
               : 0;
}

/* Where there is a steady part its figures go before those of the whole; but a fault belongs to no
 * steady part, so that with faults the whole is looked at, also where one is left out. */
static void take_steady(struct trial_work *work, const struct steady *steady, bool faults)
{
    if (!steady->known || faults)
        return;
    if (steady->goodput_bps.value != STEADY_UNKNOWN)
        work->goodput_bps = (double)steady->goodput_bps.value;
    if (steady->mean.value != STEADY_UNKNOWN)
        work->latency_ps = (double)steady->mean.value;
}

static void take(struct whatif_trial *trial, const struct run *run, bool faults)
{
    const struct result *result = &run->result;
    struct trial_result *shown = &trial->result;
    shown->played = true;
    shown->limit = result->limit;
    digest_format(&result->digest, shown->digest);
    for (uint32_t i = 0; i < result->expectation_count && i < 32; i++)
        shown->held |= result->expectations[i].held ? UINT32_C(1) << i : 0;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        struct trial_work *work = &trial->works[i];
        work->goodput_bps = ratio(workload, "goodput_bps");
        work->latency_ps = (double)result->limits[i].latency;
        take_steady(work, &workload->steady, faults);
        work->satisfied = result->limits[i].input.satisfied;
        for (int k = 0; k < BOTTLENECK_RESOURCES; k++) {
            work->used[k] = result->limits[i].input.uses[k].used;
            work->waiting[k] = result->limits[i].input.uses[k].waiting;
        }
    }
}

static void play(struct whatif_trial *trial, const struct scenario *base, time_ps until)
{
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct scenario *scenario = relief_reload(base, trial->seed, diag);
    trial->result.changed = scenario != NULL;
    for (int i = 0; i < TRIAL_RELIEFS && scenario != NULL; i++)
        if (trial->reliefs[i].permille != RELIEF_NOTHING)
            trial->result.changed &=
                relief_apply(scenario, trial->reliefs[i].resource, trial->reliefs[i].permille) > 0;
    if (trial->result.changed) {
        const struct run_options options = {.unread = true, .until = until};
        struct run run;
        if (run_scenario(&run, scenario, &options, diag) == RUN_DONE) {
            take(trial, &run, base->fault_count > 0);
            trial->result.played = strcmp(run.result.status, "interrupted") != 0;
        }
        run_close(&run);
    }
    scenario_free(scenario);
    free(diag);
}

/* What comes through the pipe: the result, then its works. */
struct report {
    struct trial_result result;
    struct trial_work works[];
};

struct played {
    struct whatif_trial *trials;
    const struct scenario *scenario;
    time_ps until;
};

static void play_one(void *self, uint32_t index, void *result)
{
    const struct played *played = self;
    struct report *report = result;
    struct whatif_trial trial = played->trials[index];
    trial.works = report->works;
    play(&trial, played->scenario, played->until);
    report->result = trial.result;
}

bool whatif_play(struct whatif_trial *trials, uint32_t count, const struct scenario *scenario,
                 time_ps until)
{
    struct played played = {trials, scenario, until};
    const size_t works = scenario->workload_count * sizeof(struct trial_work);
    const size_t bytes = sizeof(struct report) + works;
    char *results = memory_zeroed(count, bytes);
    const struct jobs jobs = {&played, play_one, .count = count, .results = results,
                              .bytes = bytes};
    const bool well = jobs_play(&jobs);
    for (uint32_t i = 0; i < count; i++) {
        const struct report *report = (const struct report *)(void *)(results + i * bytes);
        trials[i].result = report->result;
        trials[i].works = memory_zeroed(scenario->workload_count, sizeof *trials[i].works);
        memcpy(trials[i].works, report->works, works);
    }
    free(results);
    return well;
}

void whatif_trials_free(struct whatif_trial *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(trials[i].works);
    free(trials);
}
