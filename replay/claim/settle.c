/* SPDX-License-Identifier: Apache-2.0
 * settle - the runs of claims, and the figures of their cases.
 * Each quantity becomes an expectation of the scenario, as in lessons, so that claims and `expect:`
 * have the same names and values. */
#include "replay/claim/settle.h"

#include "base/memory.h"
#include "replay/database/words.h"
#include "replay/run/jobs.h"
#include "replay/run/run.h"
#include "replay/run/stop.h"
#include "scenarios/agreement/agreements.h"
#include "scenarios/load/library.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERANDS_MAX = 2 * CLAIM_FIGURES_MAX, SET_BYTES = 320, SEED_BYTES = 16 };

/* What a run gives: a value for each figure's operands of its side. */
struct reading {
    bool done, unsteady;
    struct settle_value value[CLAIM_FIGURES_MAX], by[CLAIM_FIGURES_MAX];
    char error[SETTLE_ERROR_BYTES];
};

struct job {
    const struct claim *claim;
    uint32_t index, side, seed; /* of the case; the first seed is 0 */
};

struct settle_work {
    struct job *jobs;
    struct reading *readings;
    uint32_t count, room;
};

/* ---- one run ---- */

/* Settings of a run: of the case, of the side, and an expectation for each quantity. */
struct settings {
    const char *sets[(CLAIM_AXES_MAX + 1) * CLAIM_SETS_MAX + OPERANDS_MAX + 1];
    char seed[SEED_BYTES];
    uint32_t count, quantities;
    char texts[OPERANDS_MAX][SET_BYTES];
    struct settle_value *values[OPERANDS_MAX];
    const struct claim_figure *figures[OPERANDS_MAX];
};

static void add_sets(struct settings *settings, const struct claim_sets *sets)
{
    for (uint32_t i = 0; i < sets->count; i++)
        settings->sets[settings->count++] = sets->sets[i];
}

/* The settings that must agree on the longest path, or the places where they are set: figures of
 * the scenario alone. */
enum agreement_figure { AGREEMENT_NONE, AGREEMENT_SETTINGS, AGREEMENT_PLACES };

static enum agreement_figure agreement_of(const char *quantity)
{
    if (quantity == NULL)
        return AGREEMENT_NONE;
    return strcmp(quantity, "agreements.settings") == 0 ? AGREEMENT_SETTINGS
           : strcmp(quantity, "agreements.places") == 0 ? AGREEMENT_PLACES
                                                        : AGREEMENT_NONE;
}

static void add_quantity(struct settings *settings, const struct claim_figure *figure,
                         const struct claim_operand *operand, uint32_t side,
                         struct settle_value *value)
{
    if (operand->quantity == NULL || operand->side != side ||
        agreement_of(operand->quantity) != AGREEMENT_NONE)
        return;
    char *text = settings->texts[settings->quantities];
    snprintf(text, SET_BYTES, "expect[+]=\"%s >= 0\"", operand->quantity);
    settings->figures[settings->quantities] = figure;
    settings->values[settings->quantities++] = value;
    settings->sets[settings->count++] = text;
}

static void collect_settings(const struct job *job, struct settings *settings,
                             struct reading *reading)
{
    const struct claim *claim = job->claim;
    for (uint32_t axis = 0; axis < claim->axis_count; axis++)
        add_sets(settings, &claim_choice(claim, job->index, axis)->sets);
    add_sets(settings, &claim->sides[job->side].sets);
    if (claim->seeds > 1) {
        snprintf(settings->seed, SEED_BYTES, "seed=%u", (unsigned)job->seed + 1);
        settings->sets[settings->count++] = settings->seed;
    }
    for (uint32_t i = 0; i < claim->figure_count; i++) {
        const struct claim_figure *figure = &claim->figures[i];
        add_quantity(settings, figure, &figure->value, job->side, &reading->value[i]);
        add_quantity(settings, figure, &figure->by, job->side, &reading->by[i]);
    }
}

/* Whether a quantity has the unit of its figure; of ratios any. */
static bool has_unit(const struct claim_figure *figure, enum quantity_kind kind)
{
    static const enum quantity_kind kinds[] = {[CLAIM_TIME] = QUANTITY_TIME,
                                               [CLAIM_SIZE] = QUANTITY_SIZE,
                                               [CLAIM_RATE] = QUANTITY_RATE,
                                               [CLAIM_COUNT] = QUANTITY_INT};
    return figure->is_ratio || kind == kinds[figure->unit];
}

/* The expectations of the figures are the last ones of the scenario. */
static void take_quantities(const struct scenario *scenario, const struct result *result,
                            struct settings *settings, struct reading *reading)
{
    const uint32_t first = scenario->expectation_count - settings->quantities;
    for (uint32_t i = 0; i < settings->quantities; i++) {
        const struct result_ratio value = result->expectations[first + i].value;
        const struct claim_figure *figure = settings->figures[i];
        if (!has_unit(figure, expect_kind(scenario->expectations[first + i].quantity)))
            snprintf(reading->error, sizeof reading->error, "%s: %s has another unit", figure->name,
                     scenario->expectations[first + i].text);
        if (value.denominator == 0) {
            snprintf(settings->values[i]->text, SETTLE_TEXT_BYTES, "%s",
                     result->expectations[first + i].actual);
            continue;
        }
        settings->values[i]->known = true;
        settings->values[i]->number = (double)value.numerator / (double)value.denominator;
    }
}

static void take_sql(struct store *store, const struct claim_figure *figure,
                     struct settle_value *value, char error[SETTLE_ERROR_BYTES])
{
    struct store_statement *rows = store_prepare(store, figure->value.sql);
    if (rows != NULL && store_step(rows) && store_column_type(rows, 0) != STORE_NULL) {
        value->known = true;
        value->number = store_column_real(rows, 0);
        if (figure->unit == CLAIM_WORD)
            snprintf(value->text, SETTLE_TEXT_BYTES, "%s", store_column_text(rows, 0));
    }
    if (rows != NULL)
        store_finish(rows);
    if (store_error(store) != NULL)
        snprintf(error, SETTLE_ERROR_BYTES, "%s: %s", figure->name, store_error(store));
}

static void take_agreements(const struct scenario *scenario, const struct claim_operand *operand,
                            uint32_t side, struct settle_value *value)
{
    const enum agreement_figure figure = agreement_of(operand->quantity);
    if (figure == AGREEMENT_NONE || operand->side != side)
        return;
    struct arena arena = {0};
    struct agreements *found;
    const size_t count = agreements_of(scenario, &arena, &found);
    value->known = true;
    value->number = 0;
    for (size_t i = 0; i < count; i++)
        value->number += figure == AGREEMENT_PLACES ? found[i].values : (double)found[i].count;
    arena_free(&arena);
}

static bool has_sql(const struct claim *claim, uint32_t side)
{
    for (uint32_t i = 0; i < claim->figure_count; i++)
        if (claim->figures[i].value.sql != NULL && claim->figures[i].value.side == side)
            return true;
    return false;
}

/* As `run` prints it; too few samples are no evidence of a drift. */
static bool is_unsteady(const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].steady.known && !result->workloads[i].steady.settled)
            return true;
    return false;
}

static void read_run(const struct job *job, struct run *run, const struct scenario *scenario,
                     struct settings *settings, struct reading *reading)
{
    take_quantities(scenario, &run->result, settings, reading);
    for (uint32_t i = 0; i < job->claim->figure_count; i++) {
        const struct claim_figure *figure = &job->claim->figures[i];
        if (figure->value.sql != NULL && figure->value.side == job->side)
            take_sql(record_store(run->record), figure, &reading->value[i], reading->error);
        take_agreements(scenario, &figure->value, job->side, &reading->value[i]);
        take_agreements(scenario, &figure->by, job->side, &reading->by[i]);
    }
    reading->unsteady = is_unsteady(&run->result);
    reading->done = reading->error[0] == '\0';
}

static void run_job(void *self, uint32_t index, void *result)
{
    const struct job *job = &((const struct settle_work *)self)->jobs[index];
    const struct claim *claim = job->claim;
    struct reading *reading = result;
    struct settings *settings = memory_new(sizeof *settings);
    struct diag *diag = memory_new(sizeof *diag);
    const bool sql = has_sql(claim, job->side);
    const struct run_options how = {
        .unread = !sql, .brief = !sql, .level = RECORD_COUNTERS, .until = TIME_NEVER};
    const struct scenario_source source = {claim->file->name, claim->file->text,
                                           claim->file->length};
    struct run run = {0};
    collect_settings(job, settings, reading);
    struct scenario *scenario = library_load_text(&source, settings->sets, settings->count, diag);
    if (scenario != NULL && run_scenario(&run, scenario, &how, diag) == RUN_DONE)
        read_run(job, &run, scenario, settings, reading);
    else
        snprintf(reading->error, sizeof reading->error, "%s", diag_error(diag, run.error));
    run_close(&run);
    scenario_free(scenario);
    free(settings);
    free(diag);
}

/* ---- figures ---- */

static void write_value(enum claim_unit unit, struct settle_value *value)
{
    const double number = value->number;
    const size_t size = sizeof value->text;
    switch (unit) {
    case CLAIM_TIME:
        snprintf(value->text, size, "%s", words_time((time_ps)words_whole(number)).text);
        break;
    case CLAIM_SIZE:
        snprintf(value->text, size, "%s", words_bytes(words_whole(number)).text);
        break;
    case CLAIM_RATE:
        snprintf(value->text, size, "%s", words_rate(number).text);
        break;
    case CLAIM_COUNT:
        snprintf(value->text, size, "%s", words_count(words_whole(number)).text);
        break;
    case CLAIM_PERCENT:
        snprintf(value->text, size, number < 9.995 ? "%.3g%%" : "%.0f%%", number * 100);
        break;
    case CLAIM_TIMES:
        snprintf(value->text, size, "%.2f", number);
        break;
    case CLAIM_WORD:
        break;
    }
}

static void compute_figure(const struct claim_figure *figure, const struct settle_value *value,
                           const struct settle_value *by, struct settle_value *made)
{
    const bool constant = figure->by.quantity == NULL;
    const double divisor = constant ? (double)figure->by.constant : by->number;
    *made = *value;
    if (figure->is_ratio && value->known) {
        made->known = (constant || by->known) && divisor != 0;
        made->number = made->known ? value->number / divisor : 0;
        if (!made->known)
            snprintf(made->text, sizeof made->text, "%s",
                     constant || by->known ? "undefined: divided by 0" : by->text);
    }
    if (made->known)
        write_value(figure->unit, made);
    else if (made->text[0] == '\0')
        snprintf(made->text, sizeof made->text, "unknown");
}

static bool holds(const struct claim_condition *condition, const struct claim_figure *figure,
                  const struct settle_value *value)
{
    if (figure->unit == CLAIM_WORD)
        return (strcmp(value->text, condition->word) == 0) == (condition->op == EXPECT_EQ);
    const double limit = (double)condition->value / (double)claim_unit_scale(figure->unit);
    return expect_op_holds(condition->op, (value->number > limit) - (value->number < limit));
}

static enum settle_case_state judge_case(const struct claim *claim, const struct settle_case *made)
{
    bool held = true, known = true;
    for (uint32_t i = 0; i < claim->condition_count; i++) {
        const struct claim_condition *condition = &claim->conditions[i];
        const struct settle_value *value = &made->figures[condition->figure];
        known &= value->known;
        held &= value->known && holds(condition, &claim->figures[condition->figure], value);
    }
    return !known ? SETTLE_CASE_UNKNOWN : held ? SETTLE_CASE_TRUE : SETTLE_CASE_FALSE;
}

/* ---- all runs ---- */

static void add_jobs(struct settle_work *work, const struct claim *claim, struct settled *settled)
{
    const uint32_t before = work->count;
    for (uint32_t i = 0; i < claim->case_count; i++) {
        if (claim_not_modeled(claim, i) != NULL)
            continue;
        for (uint32_t run = 0; run < claim->side_count * claim->seeds; run++) {
            work->jobs = memory_grown(work->jobs, work->count, &work->room, sizeof *work->jobs);
            work->jobs[work->count++] =
                (struct job){claim, i, run % claim->side_count, run / claim->side_count};
        }
    }
    settled->runs = work->count - before;
}

static int by_number(const void *a, const void *b)
{
    const double left = ((const struct settle_value *)a)->number;
    const double right = ((const struct settle_value *)b)->number;
    return (left > right) - (left < right);
}

/* The median over the seeds with its range; the first value if it is a word or unknown. */
static struct settle_value finish_figure(const struct claim *claim, uint32_t index,
                                         const struct reading *readings)
{
    const struct claim_figure *figure = &claim->figures[index];
    struct settle_value values[CLAIM_SEEDS_MAX];
    for (uint32_t seed = 0; seed < claim->seeds; seed++) {
        const struct reading *sides = &readings[seed * claim->side_count];
        compute_figure(figure, &sides[figure->value.side].value[index],
                       &sides[figure->by.side].by[index], &values[seed]);
        if (!values[seed].known || figure->unit == CLAIM_WORD)
            return values[seed];
    }
    qsort(values, claim->seeds, sizeof *values, by_number);
    struct settle_value median = values[claim->seeds / 2];
    const struct settle_value *most = &values[claim->seeds - 1];
    if (strcmp(values[0].text, most->text) != 0)
        snprintf(median.text, sizeof median.text, "%.60s (%.60s to %.60s)",
                 values[claim->seeds / 2].text, values[0].text, most->text);
    return median;
}

/* Of a case: its readings are consecutive, one for each side, seed by seed. */
static void finish_case(struct settled *settled, uint32_t index, const struct reading *readings)
{
    const struct claim *claim = settled->claim;
    struct settle_case *made = &settled->cases[index];
    bool done = true;
    for (uint32_t run = 0; run < claim->side_count * claim->seeds; run++) {
        done &= readings[run].done;
        made->unsteady |= readings[run].unsteady;
        if (!readings[run].done && settled->error[0] == '\0')
            snprintf(settled->error, sizeof settled->error, "%s",
                     readings[run].error[0] == '\0' ? "the run did not end" : readings[run].error);
    }
    for (uint32_t i = 0; i < claim->figure_count; i++)
        made->figures[i] = finish_figure(claim, i, readings);
    made->state = done ? judge_case(claim, made) : SETTLE_CASE_UNKNOWN;
    settled->unsteady += made->unsteady;
}

static const struct reading *finish_claim(struct settled *settled, const struct reading *readings)
{
    const struct claim *claim = settled->claim;
    for (uint32_t i = 0; i < claim->case_count; i++) {
        settled->cases[i].state = SETTLE_CASE_NONE;
        if (claim_not_modeled(claim, i) != NULL) {
            settled->not_modeled += !claim_repeats(claim, i);
            continue;
        }
        finish_case(settled, i, readings);
        readings += claim->side_count * claim->seeds;
    }
    settle_decide(settled);
    return readings;
}

bool settle_claims(struct claim *const *claims, uint32_t count, uint32_t at_once,
                   struct settled *settled)
{
    struct settle_work work = {0};
    for (uint32_t i = 0; i < count; i++) {
        settled[i] = (struct settled){.claim = claims[i]};
        settled[i].cases = memory_zeroed(claims[i]->case_count + 1, sizeof *settled[i].cases);
        if (claims[i]->cannot_run == NULL)
            add_jobs(&work, claims[i], &settled[i]);
    }
    work.readings = memory_zeroed(work.count + 1, sizeof *work.readings);
    const struct jobs jobs = {&work,
                              run_job,
                              .count = work.count,
                              .at_once = at_once,
                              .results = work.readings,
                              .bytes = sizeof *work.readings};
    struct stop former;
    stop_catch(&former);
    jobs_play(&jobs);
    const bool stopped = stop_asked() != 0;
    stop_release(&former);
    const struct reading *next = work.readings;
    for (uint32_t i = 0; i < count; i++)
        next = finish_claim(&settled[i], next);
    free(work.readings);
    free(work.jobs);
    return !stopped;
}

void settle_free(struct settled *settled, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(settled[i].cases);
}
