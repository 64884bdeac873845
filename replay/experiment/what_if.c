/* SPDX-License-Identifier: Apache-2.0
 * what_if - which runs are needed, and what they show together. */
#include "replay/experiment/what_if.h"

#include "base/memory.h"
#include "replay/experiment/experiment.h"
#include "scenarios/load/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A resource that is used less, and that nothing waits for, gains nothing: it is not tried. */
enum { USED_LEAST = PPM / 20, WAITING_LEAST = PPM / 50 };
enum { PAIRED = 4, BISECTIONS = 6, EIGHTFOLD = 8 * TRIAL_UNCHANGED };

struct study {
    struct whatif *whatif;
    const struct scenario *scenario;
    struct trial_base of;
    struct experiment experiment;
    struct measure first; /* unchanged, with the scenario's own seed */
    double *base;         /* unchanged, by seed and workload */
    uint32_t base_seeds;  /* that were run */
    bool random;          /* another seed is another run */
};

static bool run(struct study *study, const struct trial *trials, uint32_t count,
                struct measure *measures)
{
    struct whatif *whatif = study->whatif;
    if (experiment_run(&study->experiment, trials, count, measures))
        return true;
    snprintf(whatif->why, sizeof whatif->why, "a run did not complete");
    return false;
}

static void add_relaxed(struct trial *trial, enum bottleneck_resource resource, int64_t permille)
{
    trial->changes[trial->count++] =
        (struct trial_change){.kind = TRIAL_RELAX, .resource = resource, .permille = permille};
}

static uint64_t seed_of(const struct study *study, uint32_t index)
{
    return index == 0 ? 0 : study->scenario->seed + index;
}

static void relaxed_words(const struct study *study, enum bottleneck_resource resource,
                          int64_t permille, char text[WHATIF_WORDS])
{
    const struct trial_change change = {
        .kind = TRIAL_RELAX, .resource = resource, .permille = permille};
    trial_words(&change, &study->of, text, WHATIF_WORDS);
}

/* ------------------------------------------------------------------ unchanged run */

static void take_values(const struct study *study, const struct measure *measure, double *values)
{
    for (uint32_t i = 0; i < study->whatif->workload_count; i++)
        values[i] = study->whatif->open ? measure->workloads[i].latency_ps
                                        : measure->workloads[i].goodput_bps;
}

/* Unchanged, up to so many seeds. */
static bool run_base(struct study *study, uint32_t seeds)
{
    struct whatif *whatif = study->whatif;
    const uint32_t from = study->base_seeds;
    struct trial trials[WHATIF_SEEDS] = {{.count = 0}};
    struct measure measures[WHATIF_SEEDS];
    if (seeds <= from)
        return true;
    for (uint32_t i = from; i < seeds; i++)
        trials[i - from].seed = seed_of(study, i);
    if (!run(study, trials, seeds - from, measures))
        return false;
    bool well = true;
    for (uint32_t i = from; i < seeds; i++) {
        struct measure *measure = &measures[i - from];
        well &= measure->works != NULL;
        if (i == 0 && well) {
            whatif->open = true;
            for (uint32_t k = 0; k < whatif->workload_count; k++)
                whatif->open &= measure->workloads[k].satisfied;
            study->first = *measure;
            *measure = (struct measure){0};
        }
        if (well)
            take_values(study, i == 0 ? &study->first : measure,
                        &study->base[(size_t)i * whatif->workload_count]);
        if (i > 0 && well)
            study->random |= strcmp(measure->verdict->digest, study->first.verdict->digest) != 0;
        measure_free(measure);
    }
    study->base_seeds = seeds;
    if (!well)
        snprintf(whatif->why, sizeof whatif->why, "the scenario cannot be run");
    return well;
}

static bool is_candidate(const struct study *study, enum bottleneck_resource resource)
{
    if (resource == BOTTLENECK_DEPTH || resource == BOTTLENECK_ASKED)
        return true;
    for (uint32_t i = 0; i < study->whatif->workload_count; i++) {
        const struct measure_workload *work = &study->first.workloads[i];
        if (work->used[resource] >= USED_LEAST ||
            (work->used[resource] > 0 && work->waiting[resource] >= WAITING_LEAST))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ gains */

/* Of one workload, or of all if `work` is the number of workloads. */
static double sum_of(const struct study *study, const double *values, uint32_t seed, uint32_t work)
{
    const uint32_t count = study->whatif->workload_count;
    double sum = 0;
    for (uint32_t i = 0; i < count; i++)
        if (work == count || work == i)
            sum += values[(size_t)seed * count + i];
    return sum;
}

/* Closed loops always have the same number of operations under way, and open loops complete the
 * same number. */
static struct loss_work work_of(const struct study *study, double value)
{
    static const int64_t same = INT64_C(1) << 62;
    const int64_t own = (int64_t)fmin(value, (double)same);
    return study->whatif->open ? (struct loss_work){.done = same, .under_way_ps = own}
                               : (struct loss_work){.done = own, .under_way_ps = same};
}

/* With one seed. */
static double gain_with(const struct study *study, const double *values, uint32_t seed,
                        uint32_t work)
{
    const struct loss_work before = work_of(study, sum_of(study, study->base, seed, work)),
                           after = work_of(study, sum_of(study, values, seed, work));
    return loss_gain(&before, &after);
}

static struct whatif_gain gain_of(const struct study *study, const double *values, uint32_t seeds,
                                  uint32_t work)
{
    double gains[WHATIF_SEEDS], squares = 0;
    struct whatif_gain gain = {0};
    for (uint32_t i = 0; i < seeds; i++) {
        gains[i] = gain_with(study, values, i, work);
        gain.mean += gains[i] / seeds;
    }
    for (uint32_t i = 0; i < seeds; i++)
        squares += (gains[i] - gain.mean) * (gains[i] - gain.mean);
    gain.error = seeds > 1 ? sqrt(squares / (seeds - 1) / seeds) : 0;
    gain.some = (seeds > 1 || !study->random) &&
                experiment_is_significant((int64_t)(gain.mean * PPM), PPM, EXPERIMENT_GAIN_LEAST,
                                          (int64_t)(gain.error * PPM));
    return gain;
}

static void find_gains(const struct study *study, struct whatif_row *row)
{
    const uint32_t workloads = study->whatif->workload_count;
    row->gain = gain_of(study, row->values, row->seeds, workloads);
    for (uint32_t i = 0; i < workloads; i++)
        row->workloads[i] = gain_of(study, row->values, row->seeds, i);
}

/* ------------------------------------------------------------------ rows */

static void add_row(struct study *study, enum bottleneck_resource resource,
                    enum bottleneck_resource other)
{
    struct whatif *whatif = study->whatif;
    struct whatif_row *row = &whatif->rows[whatif->row_count++];
    const size_t workloads = (size_t)whatif->workload_count + 1;
    *row = (struct whatif_row){.resource = resource, .other = other};
    row->workloads = memory_zeroed(workloads, sizeof *row->workloads);
    row->values = memory_zeroed(WHATIF_SEEDS * workloads, sizeof *row->values);
    relaxed_words(study, resource, TRIAL_TENTH, row->words);
}

static void free_row(struct whatif_row *row)
{
    free(row->workloads);
    free(row->values);
}

static void take_run(const struct study *study, struct whatif_row *row, uint32_t seed,
                     const struct measure *measure)
{
    take_values(study, measure, &row->values[(size_t)seed * study->whatif->workload_count]);
    if (seed == 0)
        snprintf(row->limit, sizeof row->limit, "%s", measure->verdict->limit.text);
}

/* The rows that are `chosen` (NULL: all), from `first` on, up to so many seeds.  A row that cannot
 * be run so has none: the scenario has nothing of the resource, or the value is not valid. */
static bool run_rows(struct study *study, uint32_t first, const bool *chosen, uint32_t seeds)
{
    struct whatif *whatif = study->whatif;
    const uint32_t most = (whatif->row_count - first) * seeds;
    struct trial *trials = memory_zeroed((size_t)most + 1, sizeof *trials);
    struct measure *measures = memory_zeroed((size_t)most + 1, sizeof *measures);
    uint32_t count = 0;
    for (uint32_t i = first; i < whatif->row_count; i++) {
        const struct whatif_row *row = &whatif->rows[i];
        for (uint32_t k = row->seeds; k < seeds && (chosen == NULL || chosen[i]); k++) {
            struct trial *trial = &trials[count++];
            trial->seed = seed_of(study, k);
            add_relaxed(trial, row->resource, TRIAL_TENTH);
            if (row->other != BOTTLENECK_RESOURCES)
                add_relaxed(trial, row->other, TRIAL_TENTH);
        }
    }
    const bool well = run_base(study, seeds) && run(study, trials, count, measures);
    const struct measure *next = measures;
    for (uint32_t i = first; well && i < whatif->row_count; i++) {
        struct whatif_row *row = &whatif->rows[i];
        const uint32_t from = row->seeds;
        for (uint32_t k = from; k < seeds && (chosen == NULL || chosen[i]); k++, next++)
            if (next->works != NULL && row->seeds == k) {
                take_run(study, row, k, next);
                row->seeds++;
            }
        find_gains(study, row);
        whatif->seeds = row->seeds > whatif->seeds ? row->seeds : whatif->seeds;
    }
    for (uint32_t i = 0; i < count; i++)
        measure_free(&measures[i]);
    free(measures);
    free(trials);
    return well;
}

static int by_gain(const void *a, const void *b)
{
    const struct whatif_row *first = a, *second = b;
    if (first->gain.mean != second->gain.mean)
        return first->gain.mean > second->gain.mean ? -1 : 1;
    return (int)first->resource - (int)second->resource;
}

static void sort_rows(struct whatif *whatif, uint32_t first)
{
    if (whatif->row_count > first)
        qsort(&whatif->rows[first], whatif->row_count - first, sizeof *whatif->rows, by_gain);
}

static void drop_rows_without_runs(struct whatif *whatif, uint32_t first)
{
    uint32_t kept = first;
    for (uint32_t i = first; i < whatif->row_count; i++) {
        if (whatif->rows[i].seeds > 0)
            whatif->rows[kept++] = whatif->rows[i];
        else
            free_row(&whatif->rows[i]);
    }
    whatif->row_count = kept;
}

/* Two seeds, of which neither gains, or both do and one at least half of the other. */
static bool do_agree(const struct study *study, const struct whatif_row *row)
{
    const double least = (double)EXPERIMENT_GAIN_LEAST / (double)PPM;
    const double a = gain_with(study, row->values, 0, study->whatif->workload_count);
    const double b = gain_with(study, row->values, 1, study->whatif->workload_count);
    const double less = fmin(a, b), more = fmax(a, b);
    return more < least || (less >= least && 2 * less >= more);
}

/* It has one seed, and may be the largest gain, or one workload gains as much as there is more. */
static bool is_open(const struct whatif *whatif, const struct whatif_row *row, double half)
{
    const double least = fmax(half, (double)EXPERIMENT_GAIN_LEAST / (double)PPM);
    const double tenth = (double)(TRIAL_TENTH - TRIAL_UNCHANGED) / TRIAL_UNCHANGED;
    bool open = row->gain.mean >= least;
    for (uint32_t i = 0; i < whatif->workload_count; i++)
        open |= row->workloads[i].mean >= tenth;
    return open && row->seeds == 1;
}

/* Runs those that are open with more seeds, until there are none. */
static bool settle(struct study *study, uint32_t first)
{
    struct whatif *whatif = study->whatif;
    bool *chosen = memory_zeroed((size_t)whatif->row_count + 1, sizeof *chosen);
    bool well = true, any = study->random;
    while (well && any) {
        const double half = whatif->rows[first].gain.mean / 2;
        any = false;
        for (uint32_t i = first; i < whatif->row_count; i++)
            any |= chosen[i] = is_open(whatif, &whatif->rows[i], half);
        if (any)
            well = run_rows(study, first, chosen, 2);
        bool apart = false;
        for (uint32_t i = first; i < whatif->row_count; i++)
            apart |= chosen[i] &= whatif->rows[i].seeds == 2 && !do_agree(study, &whatif->rows[i]);
        if (well && apart)
            well = run_rows(study, first, chosen, WHATIF_SEEDS);
        sort_rows(whatif, first);
    }
    free(chosen);
    return well;
}

static bool try_rows(struct study *study, uint32_t first)
{
    if (!run_rows(study, first, NULL, 1))
        return false;
    drop_rows_without_runs(study->whatif, first);
    sort_rows(study->whatif, first);
    return study->whatif->row_count == first || settle(study, first);
}

static bool try_alone(struct study *study)
{
    struct whatif *whatif = study->whatif;
    whatif->rows = memory_zeroed(BOTTLENECK_RESOURCES + WHATIF_PAIRS, sizeof *whatif->rows);
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++)
        if (is_candidate(study, i))
            add_row(study, i, BOTTLENECK_RESOURCES);
    return try_rows(study, 0);
}

/* Two saturated resources in series: neither gains anything alone. */
static bool try_pairs(struct study *study)
{
    struct whatif *whatif = study->whatif;
    const uint32_t alone = whatif->row_count;
    if (alone > 0 && whatif->rows[0].gain.some)
        return true;
    for (uint32_t i = 0; i < alone && i <= PAIRED; i++)
        for (uint32_t k = i + 1; k < alone && k <= PAIRED; k++)
            if (whatif->row_count < alone + WHATIF_PAIRS)
                add_row(study, whatif->rows[i].resource, whatif->rows[k].resource);
    return whatif->row_count == alone || try_rows(study, alone);
}

/* The best without limit, with one seed, and what then is the limit.  Where no more of it can be
 * had than the tenth, as of a fault that is removed, that was run already. */
static bool try_limitless(struct study *study)
{
    struct whatif *whatif = study->whatif;
    struct whatif_row *best = whatif->row_count > 0 ? &whatif->rows[0] : NULL;
    char words[WHATIF_WORDS];
    if (best == NULL || !best->gain.some)
        return true;
    relaxed_words(study, best->resource, TRIAL_LIMITLESS, words);
    if (strcmp(words, best->words) == 0) {
        best->played_limitless = true;
        best->without_limit = best->gain;
        memcpy(whatif->next, best->limit, sizeof whatif->next);
        return true;
    }
    struct trial trial = {.count = 0};
    struct measure measure;
    add_relaxed(&trial, best->resource, TRIAL_LIMITLESS);
    if (!run(study, &trial, 1, &measure))
        return false;
    if (measure.works != NULL) {
        struct whatif_row limitless = {
            .values = memory_zeroed((size_t)whatif->workload_count + 1, sizeof *limitless.values)};
        take_run(study, &limitless, 0, &measure);
        best->played_limitless = true;
        best->without_limit = gain_of(study, limitless.values, 1, whatif->workload_count);
        best->without_limit.some = best->without_limit.mean >= best->gain.mean / 2;
        memcpy(whatif->next, limitless.limit, sizeof whatif->next);
        free(limitless.values);
    }
    measure_free(&measure);
    return true;
}

/* ------------------------------------------------------------------ expectations */

static bool is_met(const struct measure *measure, uint32_t expectation)
{
    return measure->works != NULL && (measure->verdict->held >> expectation & 1) != 0;
}

static bool is_met_with(struct study *study, uint32_t expectation,
                        enum bottleneck_resource resource, int64_t permille, bool *well)
{
    struct trial trial = {.count = 0};
    struct measure measure;
    add_relaxed(&trial, resource, permille);
    *well = run(study, &trial, 1, &measure);
    const bool met = is_met(&measure, expectation);
    measure_free(&measure);
    return met;
}

/* The smallest sufficient relief between 1 and 8 times, to within 1/64 of that range. */
static bool bisect(struct study *study, uint32_t expectation, struct whatif_need *need)
{
    int64_t fails = TRIAL_UNCHANGED, enough = EIGHTFOLD;
    bool well = true;
    for (int i = 0; i < BISECTIONS && well; i++) {
        const int64_t middle = (fails + enough) / 2;
        if (is_met_with(study, expectation, need->resource, middle, &well))
            enough = middle;
        else
            fails = middle;
    }
    need->permille = enough;
    relaxed_words(study, need->resource, enough, need->words);
    return well;
}

/* Tries the resource with the largest gain, then the next ones, until one is enough. */
static bool find_need(struct study *study, uint32_t expectation, struct whatif_need *need)
{
    struct whatif *whatif = study->whatif;
    bool well = true;
    need->resource = BOTTLENECK_RESOURCES;
    for (uint32_t i = 0; i < whatif->row_count && i < PAIRED && well; i++) {
        const struct whatif_row *row = &whatif->rows[i];
        if (row->other != BOTTLENECK_RESOURCES || row->resource == BOTTLENECK_ASKED ||
            !is_met_with(study, expectation, row->resource, EIGHTFOLD, &well))
            continue;
        need->resource = row->resource;
        return well && bisect(study, expectation, need);
    }
    return well;
}

static bool find_needs(struct study *study)
{
    struct whatif *whatif = study->whatif;
    const struct scenario *scenario = study->scenario;
    for (uint32_t i = 0; i < scenario->expectation_count && i < MEASURE_EXPECTS; i++) {
        if (is_met(&study->first, i) || whatif->need_count == WHATIF_EXPECTS)
            continue;
        struct whatif_need *need = &whatif->needs[whatif->need_count++];
        snprintf(need->text, sizeof need->text, "%s", scenario->expectations[i].text);
        if (!find_need(study, i, need))
            return false;
    }
    return true;
}

static bool run_study(struct study *study)
{
    struct whatif *whatif = study->whatif;
    if (!run_base(study, 2))
        return false;
    snprintf(whatif->judged, sizeof whatif->judged, "%s", study->first.verdict->limit.text);
    return try_alone(study) && try_pairs(study) && try_limitless(study) && find_needs(study);
}

bool whatif_run(struct whatif *whatif, const struct scenario *scenario, time_ps until)
{
    const size_t workloads = (size_t)scenario->workload_count + 1;
    *whatif = (struct whatif){.seeds = 1, .workload_count = scenario->workload_count};
    whatif->workloads = memory_zeroed(workloads, sizeof *whatif->workloads);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        whatif->workloads[i] = scenario->workloads[i].name;
    struct study study = {.whatif = whatif, .scenario = scenario};
    study.base = memory_zeroed(WHATIF_SEEDS * workloads, sizeof *study.base);
    trial_base_find(&study.of, scenario);
    study.experiment = (struct experiment){.base = &study.of, .until = until};
    const bool well = run_study(&study);
    whatif->runs = study.experiment.runs;
    trial_base_free(&study.of);
    measure_free(&study.first);
    free(study.base);
    return well;
}

void whatif_free(struct whatif *whatif)
{
    for (uint32_t i = 0; i < whatif->row_count; i++)
        free_row(&whatif->rows[i]);
    free(whatif->rows);
    free(whatif->workloads);
    *whatif = (struct whatif){0};
}
