/* SPDX-License-Identifier: Apache-2.0
 * plan_play - loads and runs a trial, and checks whether it is steady. */
#include "replay/plan/plan_play.h"

#include "base/memory.h"
#include "base/plural.h"
#include "base/quantity.h"
#include "replay/database/words.h"
#include "replay/plan/plan_bound.h"
#include "replay/run/run.h"
#include "scenarios/fio/fio.h"
#include "scenarios/load/library.h"
#include "scenarios/workload/workload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *plan_run_end_word(enum plan_run_end end)
{
    static const char *const words[] = {
#define X(name, word) word,
        PLAN_RUN_ENDS(X)
#undef X
    };
    return words[end];
}

bool plan_is_mean(const struct expectation *expectation)
{
    const enum quantity_kind kind = expect_kind(expectation->quantity);
    const bool measured = kind == QUANTITY_TIME || kind == QUANTITY_RATE ||
                          expectation->quantity == EXPECT_STEADY_IOPS ||
                          expectation->quantity == EXPECT_IOPS;
    return measured && expectation->value > 0 && expectation->op != EXPECT_EQ &&
           expectation->op != EXPECT_NE;
}

const char **plan_trial_sets(struct arena *arena, const struct plan_trial *trial, int64_t duration,
                             uint32_t *count)
{
    const uint32_t most = trial->candidate->set_count + trial->of->set_count + 2;
    const char **sets = arena_array(arena, most, sizeof *sets);
    *count = 0;
    for (uint32_t i = 0; i < trial->candidate->set_count; i++)
        sets[(*count)++] = trial->candidate->sets[i];
    for (uint32_t i = 0; i < trial->of->set_count; i++)
        sets[(*count)++] = trial->of->sets[i];
    sets[(*count)++] = arena_format(arena, "seed=%" PRIu64, trial->seed);
    if (duration > 0) {
        char text[QUANTITY_TEXT_BYTES];
        quantity_format(QUANTITY_TIME, duration, text, sizeof text);
        sets[(*count)++] = arena_format(arena, "duration=%s", text);
    }
    return sets;
}

/* ------------------------------------------------------------------ outcome */

static void take_figure(const struct expectation *expectation,
                        const struct result_expectation *judged, struct plan_figure *figure)
{
    figure->held = judged->held;
    if (judged->value.denominator == 0)
        return;
    const double value = (double)judged->value.numerator / (double)judged->value.denominator;
    const double limit = (double)expectation->value;
    const bool below = expectation->op == EXPECT_LT || expectation->op == EXPECT_LE;
    figure->value = value;
    if (plan_is_mean(expectation))
        figure->slack = (below ? limit - value : value - limit) / limit;
}

/* An objective refers to the workload, or no objective refers to any workload. */
static bool is_asked(const struct expectation *asked, uint32_t count, uint32_t workload)
{
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        any |= asked[i].workload != EXPECT_WHOLE_RUN;
        if (asked[i].workload == workload)
            return true;
    }
    return !any;
}

static void end(struct plan_outcome *outcome, enum plan_run_end how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void end(struct plan_outcome *outcome, enum plan_run_end how, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome->end = (int32_t)how;
    vsnprintf(outcome->why, sizeof outcome->why, format, arguments);
    va_end(arguments);
}

/* Returns false if members were idle, because the others' figures then say little. */
static bool all_active(const struct result *result, struct plan_outcome *outcome)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        if (!workload->stalled && workload->idle == 0)
            continue;
        const int64_t active = workload->stalled ? 0 : workload->members - workload->idle;
        end(outcome, PLAN_RUN_IDLE, "only %s of %s %s of %s did any I/O", words_count(active).text,
            words_count(workload->members).text,
            plural(workload->members, "host-target pair", "host-target pairs"), workload->name);
        return false;
    }
    return true;
}

/* Idle members of all workloads. */
static int64_t idle_members(const struct result *result)
{
    int64_t idle = 0;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        idle += workload->stalled ? workload->members : workload->idle;
    }
    return idle;
}

/* After a failure during the run, connections may be lost, but no operation permanently. */
static bool nothing_lost(const struct result *result, struct plan_outcome *outcome)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        const int64_t lost = workload->failed + workload->unfinished;
        if (lost == 0 && workload->corrupt == 0)
            continue;
        end(outcome, PLAN_RUN_FAILED, "%s of %s %s of %s failed or never completed",
            words_count(lost).text, words_count(workload->issued).text,
            plural(workload->issued, "operation", "operations"), workload->name);
        return false;
    }
    if (result->totals.drops_lossless > 0)
        end(outcome, PLAN_RUN_FAILED, "%s %s of a lossless class were dropped",
            words_count(result->totals.drops_lossless).text,
            plural(result->totals.drops_lossless, "frame", "frames"));
    else if (result->totals.pfc_deadlocks > 0)
        end(outcome, PLAN_RUN_FAILED, "%.200s", result->deadlock);
    else
        return true;
    return false;
}

/* A percentile with too few operations: its value is unknown. */
static bool is_unknown(const struct expectation *expectation, const struct plan_figure *figure)
{
    return plan_is_mean(expectation) && !(figure->value > 0) && !(figure->slack < 0);
}

/* Results of the trial's previous, shorter run; -1: no previous run. */
enum { PLAYED_WORKLOADS = 64 };
struct played {
    int64_t idle; /* number of idle members */
    int64_t issued[PLAYED_WORKLOADS];
};

/* The workload ends by itself, after a number of operations or a time. */
static bool is_finite(const struct scenario *scenario, const struct scenario_workload *workload)
{
    const struct fio_job *job = workload->job;
    if (job != NULL)
        return job->nvme.fio.io_bytes != 0 || job->nvme.fio.loop_ios > 0 ||
               job->runtime < scenario->duration || workload->stop < scenario->duration;
    return workload->stop < scenario->duration ||
           opt_value(workload->ops->opts, "count", workload->params, 0) > 0;
}

/* A longer run gave the workload no more operations. */
static bool has_ended(const struct result_workload *workload, int64_t *before)
{
    const int64_t last = *before;
    *before = workload->issued;
    return last == workload->issued && workload->unfinished == 0;
}

/* The duration that the run needs, or 0 if it is steady or never will be. */
static time_ps unsettled(const struct scenario *scenario, const struct result *result,
                         struct played *played, struct plan_outcome *outcome)
{
    time_ps needs = 0;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *workload = &result->workloads[i];
        const time_ps span = workload->steady.until - workload->steady.from;
        const bool settled =
            workload->steady.settled && span >= plan_bound_span(&scenario->workloads[i]);
        if (!is_asked(scenario->expectations, scenario->expectation_count, i) || settled)
            continue;
        if (workload->of_members.cut_off > 0) {
            end(outcome, PLAN_RUN_UNSETTLED, "%s: %s", workload->name, workload->steady.why);
            return 0;
        }
        const time_ps needed = workload->steady.least; /* below 0: unknown */
        const time_ps more = workload->start + (needed < 0 ? 0 : needed / 4 * 5);
        needs = more > needs ? more : needs;
        end(outcome, PLAN_RUN_UNSETTLED, "%s is not steady after %s", workload->name,
            words_time(scenario->duration).text);
        if (i < PLAYED_WORKLOADS && is_finite(scenario, &scenario->workloads[i]) &&
            has_ended(workload, &played->issued[i])) {
            end(outcome, PLAN_RUN_UNSETTLED, "%s ends after %s %s, before it is steady",
                workload->name, words_count(workload->issued).text,
                plural(workload->issued, "operation", "operations"));
            return 0;
        }
    }
    for (uint32_t i = 0; i < scenario->expectation_count && outcome->end == PLAN_RUN_PLAYED; i++)
        if (is_unknown(&scenario->expectations[i], &outcome->figures[i]))
            end(outcome, PLAN_RUN_UNSETTLED, "%.100s: too few operations in %s for a percentile",
                scenario->expectations[i].text, words_time(scenario->duration).text);
    return outcome->end == PLAN_RUN_UNSETTLED && needs < 2 * scenario->duration
               ? 2 * scenario->duration
               : needs;
}

static bool fails_in_mid_run(const struct plan_trial *trial)
{
    return trial->of->failure != NULL && trial->of->failure->at != NULL;
}

static void copy_result(const struct plan_trial *trial, const struct scenario *scenario,
                        const struct result *result, struct plan_outcome *outcome)
{
    outcome->duration = scenario->duration;
    outcome->events += result->totals.events;
    outcome->packet_hops += result->totals.packet_hops;
    outcome->cores = result->tcp_cores;
    memcpy(outcome->digest, &result->digest, sizeof outcome->digest);
    outcome->figure_count = scenario->expectation_count;
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        take_figure(&scenario->expectations[i], &result->expectations[i], &outcome->figures[i]);
    outcome->measure_count =
        plan_measures(result, !fails_in_mid_run(trial), scenario->duration, outcome->measures);
    snprintf(outcome->limit, sizeof outcome->limit, "%.*s", (int)sizeof outcome->limit - 1,
             result->limit.text);
    outcome->why[0] = '\0';
    outcome->end = PLAN_RUN_PLAYED;
    if (strcmp(result->status, "complete") != 0)
        outcome->end = PLAN_RUN_STOPPED;
    else if (result->cut)
        end(outcome, PLAN_RUN_FAILED, "%s %s of a lossless class were dropped within %s",
            words_count(result->totals.drops_lossless).text,
            plural(result->totals.drops_lossless, "frame", "frames"),
            words_time(result->totals.simulated_ps).text);
    else if (!all_active(result, outcome))
        return;
    else if (fails_in_mid_run(trial))
        nothing_lost(result, outcome);
    else if (result->failure_count > 0)
        end(outcome, PLAN_RUN_FAILED, "%.*s", PLAN_SENTENCE_BYTES - 1, result->failures[0]);
}

/* ------------------------------------------------------------------ runs */

static void refuse_trial(const struct diag *diag, struct plan_outcome *outcome)
{
    end(outcome, PLAN_RUN_REFUSED, "%.*s", PLAN_SENTENCE_BYTES - 1,
        diag_error(diag, "this candidate cannot be run"));
}

/* Loads the scenario of a trial with the objectives of the plan; NULL if it cannot be loaded. */
static struct scenario *load(const struct plan_trial *trial, struct arena *arena, int64_t duration,
                             struct diag *diag)
{
    uint32_t count;
    const char **sets = plan_trial_sets(arena, trial, duration, &count);
    struct scenario *scenario = library_load(trial->plan->grid.scenario, sets, count, diag);
    if (scenario == NULL)
        return NULL;
    struct expectation *asked = arena_array(&scenario->arena, PLAN_SLO_MAX, sizeof *asked);
    scenario->expectation_count = plan_expectations(trial->plan, trial->of, scenario, asked, diag);
    scenario->expectations = asked;
    if (!diag_failed(diag))
        return scenario;
    scenario_free(scenario);
    return NULL;
}

/* No objective tolerates a dropped lossless frame, so the first drop decides. */
static bool loss_decides(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->expectation_count; i++)
        if (scenario->expectations[i].quantity == EXPECT_DROPS_LOSSLESS &&
            expect_holds(&scenario->expectations[i], 1))
            return false;
    return true;
}

/* Connecting over long cables may take longer than the run. As long as a run of four times the
 * duration has fewer idle members, they may just be late. */
static time_ps late_members(const struct scenario *scenario, const struct result *result,
                            struct played *played)
{
    const int64_t before = played->idle;
    played->idle = idle_members(result);
    return before < 0 || played->idle < before ? 4 * scenario->duration : 0;
}

/* Runs the trial once. Returns the duration that it needs, or 0 if this one was enough. */
static time_ps play_once(const struct plan_trial *trial, int64_t duration, struct played *played,
                         struct plan_outcome *outcome)
{
    struct diag *diag = memory_new(sizeof *diag);
    struct arena arena = {0};
    struct scenario *scenario = load(trial, &arena, duration, diag);
    const struct run_options options = {.unread = true,
                                        .until = TIME_NEVER,
                                        .ends_at_loss = scenario != NULL && loss_decides(scenario)};
    struct run run = {0};
    time_ps needs = 0;
    if (scenario == NULL || run_scenario(&run, scenario, &options, diag) != RUN_DONE) {
        refuse_trial(diag, outcome);
    } else {
        copy_result(trial, scenario, &run.result, outcome);
        if (outcome->end == PLAN_RUN_PLAYED && !fails_in_mid_run(trial))
            needs = unsettled(scenario, &run.result, played, outcome);
        else if (outcome->end == PLAN_RUN_IDLE && !fails_in_mid_run(trial))
            needs = late_members(scenario, &run.result, played);
    }
    run_close(&run);
    scenario_free(scenario);
    arena_free(&arena);
    free(diag);
    return needs;
}

void plan_play(const struct plan_trial *trial, struct plan_outcome *outcome)
{
    time_ps duration = 0;
    struct played played = {.idle = -1};
    memset(played.issued, -1, sizeof played.issued);
    for (;;) {
        const time_ps needs = play_once(trial, duration, &played, outcome);
        if (needs == 0 || outcome->duration >= trial->longest)
            return;
        duration = needs < trial->longest ? needs : trial->longest;
    }
}
