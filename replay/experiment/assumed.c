/* SPDX-License-Identifier: Apache-2.0
 * assumed - changes assumed values one by one and runs the scenario with each change. */
#include "replay/experiment/assumed.h"

#include "base/memory.h"
#include "replay/experiment/experiment.h"
#include "replay/explain/confidence.h"
#include "scenarios/load/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ values */

static const char *evidence_of(const struct scenario_setting *setting)
{
    static const char assumed[] = "assumed";
    if (setting->evidence != NULL)
        return strcmp(setting->evidence, assumed) == 0      ? assumed
               : strcmp(setting->evidence, "inferred") == 0 ? "inferred"
                                                            : NULL;
    if (setting->where.file != NULL || setting->profile != NULL || setting->row->source == NULL)
        return NULL;
    return strncmp(setting->row->source, assumed, sizeof assumed - 1) == 0 ? assumed : NULL;
}

static bool is_quantity(const struct opt *row)
{
    return row->type != OPT_BOOL && row->type != OPT_CHOICE && row->type != OPT_MASK &&
           row->type != OPT_DSCP;
}

static int64_t within(const struct opt *row, int64_t value)
{
    char why[OPT_WHY_BYTES];
    int64_t bound;
    if (row->step != NULL && opt_parse(row, row->step, &bound, why) && bound > 0)
        value = value / bound * bound;
    if (row->min != NULL && opt_parse(row, row->min, &bound, why) && value < bound)
        value = bound;
    if (row->max != NULL && opt_parse(row, row->max, &bound, why) && value > bound)
        value = bound;
    return value;
}

/* The smaller, then the larger value; integers change by at least 1. */
static int64_t changed(const struct opt *row, int64_t value, bool guessed, bool more)
{
    if (row->factor > 1)
        return within(row, more ? value * row->factor : value / row->factor);
    const int64_t part = guessed ? (more ? value : value / 2) : value / 10;
    int64_t next = more ? value + part : value - part;
    if (next == value && row->type == OPT_INT)
        next += more ? 1 : -1;
    return within(row, next);
}

/* A cost, delay or rate of a device; counts and sizes are chosen, not measured. */
static bool is_limit(const struct opt *row)
{
    return row->type == OPT_TIME || row->type == OPT_RATE || row->type == OPT_PERCENT;
}

static void add_value(struct assumed *assumed, const struct scenario_setting *setting,
                      const char *evidence)
{
    if (assumed->value_count == ASSUMED_MAX) {
        assumed->left_out++;
        return;
    }
    struct assumed_value *value = &assumed->values[assumed->value_count++];
    *value = (struct assumed_value){
        .path = setting->path,
        .evidence = evidence,
        .source = setting->source,
        .sources = setting->sources,
        .error = is_limit(setting->row) ? confidence_error(evidence, setting->sources) : 0};
    opt_format(setting->row, setting->value, value->value, sizeof value->value);
    for (int more = 0; more < ASSUMED_TRIALS; more++) {
        const int64_t next =
            changed(setting->row, setting->value, strcmp(evidence, "assumed") == 0, more != 0);
        struct assumed_trial *trial = &value->trials[value->trial_count];
        opt_format(setting->row, next, trial->value, sizeof trial->value);
        trial->ratio = (double)next / (double)setting->value;
        value->trial_count += next > 0 && strcmp(trial->value, value->value) != 0;
    }
    assumed->value_count -= value->trial_count == 0;
}

/* A parameter of InfiniBand has no effect on another link layer. */
static bool is_of_kind(const struct opt *row, const struct scenario *scenario)
{
#define X(name, word)                                                                              \
    if ((row->effect.needs & OPT_NEED_##name) != 0 &&                                              \
        !scenario_has_kind(scenario, SCENARIO_##name))                                             \
        return false;
    SCENARIO_KINDS(X)
#undef X
    return true;
}

static void find_values(struct assumed *assumed)
{
    const struct scenario *scenario = assumed->scenario;
    assumed->values = memory_zeroed(ASSUMED_MAX, sizeof *assumed->values);
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const struct scenario_setting *setting = &scenario->settings[i];
        const char *evidence = evidence_of(setting);
        if (evidence != NULL && is_quantity(setting->row) && setting->value > 0 &&
            is_of_kind(setting->row, scenario))
            add_value(assumed, setting, evidence);
    }
}

/* ------------------------------------------------------------------ runs */

enum { RUNS_MAX = 1 + ASSUMED_MAX * ASSUMED_TRIALS, SET_BYTES = 512 };

/* The first is as it is. */
static uint32_t make_trials(const struct assumed *assumed, struct trial *trials,
                            char (*sets)[SET_BYTES])
{
    uint32_t count = 1;
    for (uint32_t i = 0; i < assumed->value_count; i++)
        for (uint32_t k = 0; k < assumed->values[i].trial_count; k++, count++) {
            snprintf(sets[count], SET_BYTES, "%.400s=%s", assumed->values[i].path,
                     assumed->values[i].trials[k].value);
            trials[count].changes[0] =
                (struct trial_change){.kind = TRIAL_SCALE, .set = sets[count]};
            trials[count].count = 1;
        }
    return count;
}

static void take_verdicts(struct assumed *assumed, const struct measure *measures)
{
    const struct measure *next = &measures[1];
    assumed->verdict = *measures[0].verdict;
    for (uint32_t i = 0; i < assumed->value_count; i++)
        for (uint32_t k = 0; k < assumed->values[i].trial_count; k++, next++) {
            struct assumed_trial *trial = &assumed->values[i].trials[k];
            trial->played = next->works != NULL;
            if (trial->played)
                trial->verdict = *next->verdict;
        }
}

static bool run_all(struct assumed *assumed, time_ps until)
{
    struct trial *trials = memory_zeroed(RUNS_MAX, sizeof *trials);
    struct measure *measures = memory_zeroed(RUNS_MAX, sizeof *measures);
    char(*sets)[SET_BYTES] = memory_zeroed(RUNS_MAX, sizeof *sets);
    struct trial_base base;
    trial_base_find(&base, assumed->scenario);
    struct experiment experiment = {.base = &base, .until = until};
    const uint32_t count = make_trials(assumed, trials, sets);
    const bool well =
        experiment_run(&experiment, trials, count, measures) && measures[0].works != NULL;
    assumed->runs = count;
    if (well)
        take_verdicts(assumed, measures);
    for (uint32_t i = 0; i < count; i++)
        measure_free(&measures[i]);
    trial_base_free(&base);
    free(sets);
    free(measures);
    free(trials);
    return well;
}

/* ------------------------------------------------------------------ verdicts */

static bool verdict_differs(const struct measure_verdict *a, const struct measure_verdict *b)
{
    return a->limit.resource != b->limit.resource || strcmp(a->cause, b->cause) != 0 ||
           a->held != b->held;
}

/* A changed value appears as a deviating setting of the scenario; that is an artifact of the trial
 * and not a cause. */
static void forgive(const struct assumed *assumed, const struct assumed_value *value,
                    struct measure_verdict *verdict)
{
    static const char setting[] = "setting ";
    if (strncmp(verdict->cause, setting, sizeof setting - 1) == 0 &&
        strcmp(verdict->cause + sizeof setting - 1, value->path) == 0)
        memcpy(verdict->cause, assumed->verdict.cause, sizeof verdict->cause);
}

static void compare(struct assumed *assumed)
{
    for (uint32_t i = 0; i < assumed->value_count; i++) {
        struct assumed_value *value = &assumed->values[i];
        for (uint32_t k = 0; k < value->trial_count; k++) {
            struct assumed_trial *trial = &value->trials[k];
            forgive(assumed, value, &trial->verdict);
            trial->flips = trial->played && verdict_differs(&assumed->verdict, &trial->verdict);
            value->flips |= trial->flips;
            value->felt |=
                trial->played && strcmp(assumed->verdict.digest, trial->verdict.digest) != 0;
        }
        assumed->flip_count += value->flips;
        assumed->felt_count += value->felt;
    }
}

/* Values that flip the verdict first, otherwise in order. */
static void sort_values(struct assumed *assumed)
{
    struct assumed_value *sorted = memory_zeroed(ASSUMED_MAX, sizeof *sorted);
    uint32_t count = 0;
    for (int flips = 1; flips >= 0; flips--)
        for (uint32_t i = 0; i < assumed->value_count; i++)
            if (assumed->values[i].flips == (flips != 0))
                sorted[count++] = assumed->values[i];
    free(assumed->values);
    assumed->values = sorted;
}

void assumed_look(struct assumed *assumed, const struct scenario *scenario)
{
    *assumed = (struct assumed){.scenario = scenario};
    find_values(assumed);
}

bool assumed_run(struct assumed *assumed, const struct scenario *scenario, time_ps until)
{
    assumed_look(assumed, scenario);
    for (uint32_t i = 0; i < scenario->expectation_count && i < MEASURE_EXPECTS; i++)
        assumed->expectations[assumed->expectation_count++] = scenario->expectations[i].text;
    assumed->unjudged = scenario->expectation_count - assumed->expectation_count;
    const bool well = run_all(assumed, until);
    if (!well)
        snprintf(assumed->why, sizeof assumed->why, "a run did not complete");
    compare(assumed);
    sort_values(assumed);
    return well;
}

void assumed_free(struct assumed *assumed)
{
    free(assumed->values);
    *assumed = (struct assumed){0};
}
