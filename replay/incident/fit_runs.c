/* SPDX-License-Identifier: Apache-2.0
 * fit_runs - runs of changes, in processes of their own, each with its score. */
#include "replay/incident/fit_private.h"

#include "base/memory.h"
#include "replay/compare/incident_diff.h"
#include "replay/run/jobs.h"
#include "scenarios/load/library.h"

#include <stdlib.h>
#include <string.h>

/* Of one run; a fabric whose run takes more is simulated for less time. */
static const uint64_t events_of_run = 6 * 1000 * 1000;

struct batch {
    const struct fit *fit;
    const struct fit_base *base;
    const struct incident *incident;
    const struct fit_trial *trials;
};

/* What comes through the pipe. */
struct report {
    struct fit_seen seen;
    int64_t replay[];
};

static int64_t received_by_hosts(const struct port_counters *counters, const char *except)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < counters->port_count; i++) {
        const struct port_counters_port *port = &counters->ports[i];
        if (!port->of_switch && (except == NULL || strcmp(port->node, except) != 0))
            sum += port_counters_get(counters, port, COUNTER_RX_BYTES, -1);
    }
    return sum;
}

static void read_counters(const struct batch *batch, const struct run *run, const char *except,
                          struct report *report, struct diag *diag)
{
    struct port_counters counters;
    struct incident_diff diff;
    const struct incident_diff_ask ask = {.incident = batch->incident,
                                          .lasted = batch->fit->incident_s * PS_PER_S,
                                          .run_lasted = run->reached};
    port_counters_load(&counters, record_store(run->record));
    report->seen.received = received_by_hosts(&counters, except);
    for (size_t i = 0; i < batch->incident->count_count; i++)
        report->replay[i] = -1;
    if (incident_diff(&diff, &counters, &ask, diag)) {
        for (size_t i = 0; i < diff.row_count; i++)
            if (!diff.rows[i].is_peak)
                report->replay[diff.rows[i].index] = diff.rows[i].replay;
        report->seen.ran = true;
    }
    incident_diff_free(&diff);
    port_counters_free(&counters);
}

static void run_changed(const struct batch *batch, const struct scenario *scenario,
                        const char *except, struct report *report, struct diag *diag)
{
    struct run run;
    const struct run_options options = {
        .until = batch->fit->lasts, .blind = true, .events_most = events_of_run};
    const enum run_end end = run_scenario(&run, scenario, &options, diag);
    if (end == RUN_DONE && strcmp(run.result.status, "interrupted") != 0) {
        report->seen.events = (uint64_t)run.result.totals.events;
        report->seen.reached = run.reached;
        report->seen.paused_ps = run.result.totals.pfc_paused_ps;
        report->seen.drops = run.result.totals.drops_lossless;
        read_counters(batch, &run, except, report, diag);
    }
    run_close(&run);
}

static void run_one(void *self, uint32_t index, void *result)
{
    const struct batch *batch = self;
    const struct fit_trial *trial = &batch->trials[index];
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    struct scenario *scenario =
        library_load_again(batch->base->scenario, trial->sets, trial->set_count, diag);
    if (scenario != NULL)
        run_changed(batch, scenario, trial->except, result, diag);
    scenario_free(scenario);
    free(diag);
}

struct fit_trial fit_trial_of(struct arena *arena, const char *first, const char *second,
                              const char *except)
{
    const char *const changes[] = {first, second};
    const char **sets = arena_array(arena, 2, sizeof *sets);
    struct fit_trial trial = {.sets = sets, .except = except};
    for (int i = 0; i < 2; i++)
        if (changes[i] != NULL && *changes[i] != '\0')
            sets[trial.set_count++] = changes[i];
    return trial;
}

bool fit_runs(struct fit *fit, const struct fit_base *base, const struct incident *incident,
              const struct fit_trial *trials, uint32_t count, struct fit_seen *seen)
{
    const size_t bytes =
        sizeof(struct report) + incident->count_count * sizeof(int64_t) + sizeof(int64_t);
    struct batch batch = {fit, base, incident, trials};
    char *results = memory_zeroed((size_t)count + 1, bytes);
    const struct jobs jobs = {&batch, run_one, .count = count, .results = results, .bytes = bytes};
    const bool well = jobs_play(&jobs);
    for (uint32_t i = 0; i < count && well; i++) {
        const struct report *report = (const struct report *)(const void *)(results + i * bytes);
        seen[i] = report->seen;
        seen[i].replay = arena_array(&fit->arena, incident->count_count + 1, sizeof(int64_t));
        memcpy(seen[i].replay, report->replay, incident->count_count * sizeof(int64_t));
        fit->runs++;
        fit->events += report->seen.events;
    }
    free(results);
    if (!well)
        snprintf(fit->why, sizeof fit->why, "a run ended too early");
    return well;
}
