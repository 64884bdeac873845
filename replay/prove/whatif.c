/* SPDX-License-Identifier: Apache-2.0
 * whatif - which runs are played, and what they say together. */
#include "replay/prove/whatif.h"

#include "base/memory.h"
#include "replay/prove/relief.h"
#include "replay/prove/whatif_trial.h"
#include "scenarios/load/expect.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A resource that is used less, and that nothing waits for, gains nothing: it is not played. */
enum { USED_LEAST = PPM / 20, WAITING_LEAST = PPM / 50 };
enum { PAIRED = 4, BISECTIONS = 6 };

static const double gain_least = 0.01, errors_least = 2;

struct study {
    struct whatif *whatif;
    const struct scenario *scenario;
    time_ps until;
    struct whatif_trial *base; /* by seed */
    uint64_t seeds[WHATIF_SEEDS];
};

static const struct trial_relief nothing = {BOTTLENECK_ASKED, RELIEF_NOTHING};

static bool play(struct study *study, struct whatif_trial *trials, uint32_t count)
{
    study->whatif->runs += count;
    if (whatif_play(trials, count, study->scenario, study->until))
        return true;
    snprintf(study->whatif->why, sizeof study->whatif->why, "a run could not be played to its end");
    return false;
}

static struct whatif_trial trial_of(uint64_t seed, struct trial_relief first,
                                    struct trial_relief second)
{
    return (struct whatif_trial){.seed = seed, .reliefs = {first, second}};
}

/* ------------------------------------------------------------------ as it is */

/* The scenario's own seed first; one is enough where nothing is random. */
static bool play_base(struct study *study)
{
    struct whatif *whatif = study->whatif;
    study->base = memory_zeroed(WHATIF_SEEDS, sizeof *study->base);
    for (uint32_t i = 0; i < WHATIF_SEEDS; i++) {
        study->seeds[i] = study->scenario->seed + i;
        study->base[i] = trial_of(i == 0 ? 0 : study->seeds[i], nothing, nothing);
    }
    study->seeds[0] = 0;
    if (!play(study, study->base, WHATIF_SEEDS))
        return false;
    whatif->seeds = 1;
    for (uint32_t i = 0; i < WHATIF_SEEDS; i++) {
        if (!study->base[i].result.played) {
            snprintf(whatif->why, sizeof whatif->why, "the scenario cannot be played");
            return false;
        }
        if (strcmp(study->base[i].result.digest, study->base[0].result.digest) != 0)
            whatif->seeds = WHATIF_SEEDS;
    }
    snprintf(whatif->judged, sizeof whatif->judged, "%s", study->base[0].result.limit.text);
    whatif->open = true;
    for (uint32_t i = 0; i < whatif->workload_count; i++)
        whatif->open &= study->base[0].works[i].satisfied;
    return true;
}

static bool is_candidate(const struct study *study, enum bottleneck_resource resource)
{
    if (resource == BOTTLENECK_DEPTH || resource == BOTTLENECK_ASKED)
        return true;
    for (uint32_t i = 0; i < study->whatif->workload_count; i++) {
        const struct trial_work *work = &study->base[0].works[i];
        if (work->used[resource] >= USED_LEAST ||
            (work->used[resource] > 0 && work->waiting[resource] >= WAITING_LEAST))
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------ gains */

static double value_of(const struct study *study, const struct whatif_trial *trial, uint32_t work)
{
    const struct trial_work *at = &trial->works[work];
    return study->whatif->open ? at->latency_ps : at->goodput_bps;
}

/* Of one workload, or of all: `work` is their count. */
static double sum_of(const struct study *study, const struct whatif_trial *trial, uint32_t work)
{
    double sum = 0;
    for (uint32_t i = 0; i < study->whatif->workload_count; i++)
        if (work == study->whatif->workload_count || work == i)
            sum += value_of(study, trial, i);
    return sum;
}

static double gain_between(const struct study *study, double before, double after)
{
    const double base = study->whatif->open ? after : before;
    const double more = study->whatif->open ? before - after : after - before;
    return base > 0 ? more / base : more > 0 ? 1 : 0;
}

static struct whatif_gain gain_of(const struct study *study, const struct whatif_trial *trials,
                                  uint32_t count, uint32_t work)
{
    double gains[WHATIF_SEEDS], squares = 0;
    struct whatif_gain gain = {0};
    for (uint32_t i = 0; i < count; i++) {
        gains[i] = gain_between(study, sum_of(study, &study->base[i], work),
                                sum_of(study, &trials[i], work));
        gain.mean += gains[i] / count;
    }
    for (uint32_t i = 0; i < count; i++)
        squares += (gains[i] - gain.mean) * (gains[i] - gain.mean);
    gain.error = count > 1 ? sqrt(squares / (count - 1) / count) : 0;
    gain.some = gain.mean >= gain_least && gain.mean >= errors_least * gain.error;
    return gain;
}

static bool were_played(const struct whatif_trial *trials, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!trials[i].result.played)
            return false;
    return true;
}

static struct whatif_row *add_row(struct whatif *whatif, struct trial_relief first,
                                  struct trial_relief second)
{
    struct whatif_row *row = &whatif->rows[whatif->row_count++];
    const bool pair = second.permille != RELIEF_NOTHING;
    *row = (struct whatif_row){.resource = first.resource,
                               .other = pair ? second.resource : BOTTLENECK_RESOURCES};
    row->workloads = memory_zeroed(whatif->workload_count, sizeof *row->workloads);
    return row;
}

/* Each of the reliefs with each of the seeds, all at once. */
static bool play_reliefs(struct study *study, const struct trial_relief (*reliefs)[TRIAL_RELIEFS],
                         uint32_t count)
{
    struct whatif *whatif = study->whatif;
    const uint32_t seeds = whatif->seeds;
    struct whatif_trial *trials = memory_zeroed((size_t)count * seeds, sizeof *trials);
    for (uint32_t i = 0; i < count * seeds; i++)
        trials[i] = trial_of(study->seeds[i % seeds], reliefs[i / seeds][0], reliefs[i / seeds][1]);
    const bool well = play(study, trials, count * seeds);
    for (uint32_t i = 0; well && i < count; i++) {
        const struct whatif_trial *own = &trials[i * seeds];
        if (!were_played(own, seeds))
            continue; /* there is nothing of it, or the scenario does not bear it */
        struct whatif_row *row = add_row(whatif, reliefs[i][0], reliefs[i][1]);
        relief_words(study->scenario, row->resource, RELIEF_TENTH, row->words, sizeof row->words);
        row->gain = gain_of(study, own, seeds, whatif->workload_count);
        for (uint32_t k = 0; k < whatif->workload_count; k++)
            row->workloads[k] = gain_of(study, own, seeds, k);
    }
    whatif_trials_free(trials, count * seeds);
    return well;
}

static int by_gain(const void *a, const void *b)
{
    const struct whatif_row *first = a, *second = b;
    if (first->gain.mean != second->gain.mean)
        return first->gain.mean > second->gain.mean ? -1 : 1;
    return (int)first->resource - (int)second->resource;
}

static bool play_alone(struct study *study)
{
    struct whatif *whatif = study->whatif;
    struct trial_relief reliefs[BOTTLENECK_RESOURCES][TRIAL_RELIEFS];
    uint32_t count = 0;
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++)
        if (is_candidate(study, i)) {
            reliefs[count][0] = (struct trial_relief){i, RELIEF_TENTH};
            reliefs[count++][1] = nothing;
        }
    whatif->rows = memory_zeroed(BOTTLENECK_RESOURCES + WHATIF_PAIRS, sizeof *whatif->rows);
    if (!play_reliefs(study, (const struct trial_relief(*)[TRIAL_RELIEFS])reliefs, count))
        return false;
    qsort(whatif->rows, whatif->row_count, sizeof *whatif->rows, by_gain);
    return true;
}

/* Two that are full in series: each alone gives nothing. */
static bool play_pairs(struct study *study)
{
    struct whatif *whatif = study->whatif;
    struct trial_relief reliefs[WHATIF_PAIRS][TRIAL_RELIEFS];
    const uint32_t alone = whatif->row_count;
    uint32_t count = 0;
    if (alone > 0 && whatif->rows[0].gain.some)
        return true;
    for (uint32_t i = 0; i < alone && i <= PAIRED; i++)
        for (uint32_t k = i + 1; k < alone && k <= PAIRED && count < WHATIF_PAIRS; k++, count++) {
            reliefs[count][0] = (struct trial_relief){whatif->rows[i].resource, RELIEF_TENTH};
            reliefs[count][1] = (struct trial_relief){whatif->rows[k].resource, RELIEF_TENTH};
        }
    if (!play_reliefs(study, (const struct trial_relief(*)[TRIAL_RELIEFS])reliefs, count))
        return false;
    if (whatif->row_count > alone)
        qsort(&whatif->rows[alone], whatif->row_count - alone, sizeof *whatif->rows, by_gain);
    return true;
}

/* The best without limit, and what then is the limit. */
static bool play_limitless(struct study *study)
{
    struct whatif *whatif = study->whatif;
    struct whatif_row *best = whatif->row_count > 0 ? &whatif->rows[0] : NULL;
    if (best == NULL || !best->gain.some)
        return true;
    struct whatif_trial *trials = memory_zeroed(whatif->seeds, sizeof *trials);
    for (uint32_t i = 0; i < whatif->seeds; i++)
        trials[i] = trial_of(study->seeds[i],
                             (struct trial_relief){best->resource, RELIEF_LIMITLESS}, nothing);
    const bool well = play(study, trials, whatif->seeds);
    if (well && were_played(trials, whatif->seeds)) {
        best->played_limitless = true;
        best->without_limit = gain_of(study, trials, whatif->seeds, whatif->workload_count);
        snprintf(whatif->next, sizeof whatif->next, "%s", trials[0].result.limit.text);
    }
    whatif_trials_free(trials, whatif->seeds);
    return well;
}

/* ------------------------------------------------------------------ expectations */

static bool holds(struct study *study, uint32_t expectation, enum bottleneck_resource resource,
                  int64_t permille, bool *well)
{
    struct whatif_trial *trial = memory_zeroed(1, sizeof *trial);
    *trial = trial_of(0, (struct trial_relief){resource, permille}, nothing);
    *well = play(study, trial, 1);
    const bool held = trial->result.played && (trial->result.held >> expectation & 1) != 0;
    whatif_trials_free(trial, 1);
    return held;
}

/* The least, to a sixty-fourth of what lies between as it is and eight times as much. */
static bool bisect(struct study *study, uint32_t expectation, struct whatif_need *need)
{
    int64_t fails = RELIEF_NOTHING, enough = 8 * (int64_t)RELIEF_NOTHING;
    bool well = true;
    for (int i = 0; i < BISECTIONS && well; i++) {
        const int64_t middle = (fails + enough) / 2;
        if (holds(study, expectation, need->resource, middle, &well))
            enough = middle;
        else
            fails = middle;
    }
    need->permille = enough;
    relief_words(study->scenario, need->resource, enough, need->words, sizeof need->words);
    return well;
}

/* By what gains most, else by the next that is enough. */
static bool find_need(struct study *study, uint32_t expectation, struct whatif_need *need)
{
    struct whatif *whatif = study->whatif;
    bool well = true;
    need->resource = BOTTLENECK_RESOURCES;
    for (uint32_t i = 0; i < whatif->row_count && i < PAIRED && well; i++) {
        const struct whatif_row *row = &whatif->rows[i];
        if (row->other != BOTTLENECK_RESOURCES || row->resource == BOTTLENECK_ASKED ||
            !holds(study, expectation, row->resource, 8 * (int64_t)RELIEF_NOTHING, &well))
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
    for (uint32_t i = 0; i < scenario->expectation_count && i < 32; i++) {
        if ((study->base[0].result.held >> i & 1) != 0 || whatif->need_count == WHATIF_EXPECTS)
            continue;
        struct whatif_need *need = &whatif->needs[whatif->need_count++];
        snprintf(need->text, sizeof need->text, "%s", scenario->expectations[i].text);
        if (!find_need(study, i, need))
            return false;
    }
    return true;
}

bool whatif_run(struct whatif *whatif, const struct scenario *scenario, time_ps until)
{
    *whatif = (struct whatif){.workload_count = scenario->workload_count};
    whatif->workloads = memory_zeroed(scenario->workload_count, sizeof *whatif->workloads);
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        whatif->workloads[i] = scenario->workloads[i].name;
    struct study study = {.whatif = whatif, .scenario = scenario, .until = until};
    const bool well = play_base(&study) && play_alone(&study) && play_pairs(&study) &&
                      play_limitless(&study) && find_needs(&study);
    whatif_trials_free(study.base, WHATIF_SEEDS);
    return well;
}

void whatif_free(struct whatif *whatif)
{
    for (uint32_t i = 0; i < whatif->row_count; i++)
        free(whatif->rows[i].workloads);
    free(whatif->rows);
    free(whatif->workloads);
    *whatif = (struct whatif){0};
}
