/* SPDX-License-Identifier: Apache-2.0
 * fit - the search for magnitudes, and the judgement. */
#include "replay/incident/fit.h"

#include "base/memory.h"
#include "replay/compare/incident_score.h"
#include "replay/incident/fit_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    COARSE = 7,      /* magnitudes between the bounds */
    FINE_ROUNDS = 3, /* each with two magnitudes around the best one */
    TRIALS_MAX = FIT_HYPOTHESES_MAX * COARSE
};

const double fit_fault_at = 0.1;

/* Scores that differ by less say nothing: counters along a path depend on each other, so that one
 * cause of error moves several.  tests/incidents measures it. */
static const double least_lead = 12, lead_part = 0.08;

/* What the best run leaves unexplained is the error of the model, and moves all scores. */
static const double unexplained_part = 0.2;

/* A hypothesis that is so far behind after the coarse search is not refined. */
static const double hopeless = 0.5;

struct point {
    uint32_t hypothesis;
    double value;
};

static struct fit_with with_of(const struct fit_hypothesis *hypothesis, const int64_t *replay)
{
    return (struct fit_with){replay, fit_kinds[hypothesis->kind].is_fault ? 1 - fit_fault_at : 1};
}

static void keep_best(const struct fit_search *search, struct fit_hypothesis *hypothesis,
                      double value, struct fit_seen *seen)
{
    fit_zero_missing(search, seen->replay);
    const struct fit_with with = with_of(hypothesis, seen->replay);
    const struct fit_time time = fit_time_of(search, &with);
    if (hypothesis->ran && time.score <= hypothesis->score)
        return;
    hypothesis->ran = true;
    hypothesis->score = time.score;
    if (hypothesis->measured)
        return;
    hypothesis->value = value;
    hypothesis->share = hypothesis->kind == FIT_NOTHING ? 1 : time.share;
}

/* ---- magnitudes ---- */

static time_ps begin_of(const struct fit *fit, double share)
{
    share = share < 0.02 ? 0.02 : share;
    const double at = share > 1 - fit_fault_at / 2 ? fit_fault_at / 2 : 1 - share;
    return (time_ps)(at * (double)fit->lasts);
}

static bool run_points(const struct fit_search *search, const struct point *points, uint32_t count,
                       bool is_final, struct fit_seen *seen)
{
    struct fit *fit = search->fit;
    struct fit_trial *trials = arena_array(&fit->arena, count + 1, sizeof *trials);
    for (uint32_t i = 0; i < count; i++) {
        const struct fit_hypothesis *hypothesis = &fit->hypotheses[points[i].hypothesis];
        const time_ps at = is_final ? begin_of(fit, hypothesis->share)
                                    : (time_ps)(fit_fault_at * (double)fit->lasts);
        const char *set =
            fit_change(fit, &fit->arena, search->base, hypothesis, points[i].value, at);
        trials[i] = fit_trial_of(&fit->arena, search->buffers, set, hypothesis->device);
    }
    return fit_runs(fit, search->base, search->incident, trials, count, seen);
}

/* Runs that the budget still pays for, without those of the end: hypotheses and remedies once
 * more. */
static uint32_t affordable(const struct fit_search *search, uint32_t count)
{
    struct fit *fit = search->fit;
    const uint64_t each = search->nothing.events > 0 ? search->nothing.events : 1;
    const uint64_t kept = (fit->count + FIT_REMEDIES_MAX + 1) * each;
    const uint64_t left =
        fit->events + kept < FIT_EVENTS_MAX ? FIT_EVENTS_MAX - fit->events - kept : 0;
    if (left / each >= count)
        return count;
    fit->is_cut = true;
    return (uint32_t)(left / each);
}

static bool search_points(const struct fit_search *search, const struct point *points,
                          uint32_t wanted)
{
    struct fit_seen seen[TRIALS_MAX] = {0};
    const uint32_t count = affordable(search, wanted);
    if (count > 0 && !run_points(search, points, count, false, seen))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (seen[i].ran)
            keep_best(search, &search->fit->hypotheses[points[i].hypothesis], points[i].value,
                      &seen[i]);
    return true;
}

static double step_of(const struct fit_kind_row *kind)
{
    return log(kind->high / kind->low) / (COARSE - 1);
}

/* Whether runs have to find its magnitude. */
static bool is_searched(const struct fit_hypothesis *hypothesis)
{
    return fit_kinds[hypothesis->kind].low > 0 && !hypothesis->measured;
}

static bool search_coarse(const struct fit_search *search)
{
    struct point points[TRIALS_MAX] = {0};
    uint32_t count = 0;
    for (uint32_t i = 1; i < search->fit->count; i++) {
        const struct fit_kind_row *kind = &fit_kinds[search->fit->hypotheses[i].kind];
        if (search->fit->hypotheses[i].kind == FIT_NOT_RUN)
            continue;
        if (!is_searched(&search->fit->hypotheses[i]))
            points[count++] = (struct point){i, search->fit->hypotheses[i].value};
        for (int k = 0; k < COARSE && is_searched(&search->fit->hypotheses[i]); k++)
            points[count++] = (struct point){i, kind->low * exp(step_of(kind) * k)};
    }
    return search_points(search, points, count);
}

/* Of the search, over all intervals. */
static double best_score(const struct fit *fit)
{
    double best = -HUGE_VAL;
    for (uint32_t i = 0; i < fit->count; i++)
        if (fit->hypotheses[i].ran && fit->hypotheses[i].score > best)
            best = fit->hypotheses[i].score;
    return best;
}

static bool search_fine(const struct fit_search *search, int round)
{
    const struct fit *fit = search->fit;
    struct point points[TRIALS_MAX] = {0};
    uint32_t count = 0;
    const double best = best_score(fit), worst = fit->hypotheses[0].score;
    for (uint32_t i = 1; i < fit->count; i++) {
        const struct fit_hypothesis *hypothesis = &fit->hypotheses[i];
        const struct fit_kind_row *kind = &fit_kinds[hypothesis->kind];
        if (!is_searched(hypothesis) || !hypothesis->ran ||
            hypothesis->score < best - hopeless * fabs(best - worst) - least_lead)
            continue;
        const double step = exp(step_of(kind) / pow(2, round + 1));
        if (hypothesis->value / step >= kind->low * 0.999)
            points[count++] = (struct point){i, hypothesis->value / step};
        if (hypothesis->value * step <= kind->high * 1.001)
            points[count++] = (struct point){i, hypothesis->value * step};
    }
    return search_points(search, points, count);
}

/* ---- the runs that count ---- */

static bool run_final(const struct fit_search *search)
{
    struct fit *fit = search->fit;
    struct point points[FIT_HYPOTHESES_MAX] = {0};
    struct fit_seen seen[FIT_HYPOTHESES_MAX] = {0};
    uint32_t count = 0;
    for (uint32_t i = 0; i < fit->count; i++)
        if (fit->hypotheses[i].ran)
            points[count++] = (struct point){i, fit->hypotheses[i].value};
    if (!run_points(search, points, count, true, seen))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct fit_hypothesis *hypothesis = &fit->hypotheses[points[i].hypothesis];
        hypothesis->ran = seen[i].ran;
        fit_zero_missing(search, seen[i].replay);
        if (!fit_kinds[hypothesis->kind].is_fault && hypothesis->kind != FIT_NOTHING) {
            const struct fit_with with = {seen[i].replay, 1};
            fit_mix(search, &with, hypothesis->share, seen[i].replay);
        }
        hypothesis->score = fit_score_of(search, seen[i].replay);
        hypothesis->replay = seen[i].replay;
        hypothesis->received = seen[i].received;
        hypothesis->drops = seen[i].drops;
        hypothesis->paused_ps = seen[i].paused_ps;
        hypothesis->set = fit_change(fit, &fit->arena, search->base, hypothesis, hypothesis->value,
                                     begin_of(fit, hypothesis->share));
        hypothesis->magnitude = fit_magnitude(&fit->arena, hypothesis);
    }
    return true;
}

/* ---- judgement ---- */

/* What the triage says counts as well: its signs are facts, such as a paused port that sends on,
 * and a run may lack what makes them.  A score that leads by lead_least is as much as this part of
 * the weight of a sign (suspect.def).  What was not run explains as much as no fault does. */
static const double run_weight = 1.5;

/* A run that fits worse than that without a fault may lack what the fault does to real traffic, so
 * it takes no more than this part away. */
static const double contradicts = 0.4;

/* A number that is fitted explains some of the counters by chance: half the logarithm of the number
 * of counters (Schwarz 1978, "Estimating the dimension of a model").  Along a path they depend on
 * each other: some hundred of them count as 20. */
static const double parameter_cost = 1.5;

static double cost_of(const struct fit_hypothesis *one)
{
    const int times = one->kind == FIT_NOTHING ? 0 : 2;
    return parameter_cost * (times + (fit_kinds[one->kind].low > 0));
}

static void set_ranks(struct fit *fit, double nothing)
{
    for (uint32_t i = 0; i < fit->count; i++) {
        struct fit_hypothesis *one = &fit->hypotheses[i];
        double gain = one->ran ? one->score - nothing : 0;
        if (gain > 0) /* the cost takes what chance may give, and no more */
            gain = gain > cost_of(one) ? gain - cost_of(one) : 0;
        gain /= fit->lead_least;
        if (one->measured && gain < 0) /* counters show it, whatever a run lacks */
            gain = 0;
        one->rank = one->prior + run_weight * (gain > -contradicts ? gain : -contradicts);
    }
}

/* Scores that differ by less say nothing. */
static double least_lead_of(double best, double nothing)
{
    const double gain = best > nothing ? best - nothing : 0;
    const double lead = least_lead + lead_part * gain, unexplained = -best * unexplained_part;
    return unexplained > lead ? unexplained : lead;
}

static int by_rank(const void *a, const void *b)
{
    const struct fit_hypothesis *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? 1 : -1;
    return strcmp(x->words, y->words);
}

static bool same_place(const struct fit_hypothesis *a, const struct fit_hypothesis *b)
{
    return a->device != NULL && b->device != NULL && strcmp(a->device, b->device) == 0;
}

static void find_separators(const struct fit_search *search, const struct fit_hypothesis *first,
                            const struct fit_hypothesis *other)
{
    struct fit *fit = search->fit;
    for (size_t i = 0; i < search->incident->count_count; i++) {
        const struct incident_count *count = &search->incident->counts[i];
        if (!search->compared[i] || first->replay[i] < 0 || other->replay[i] < 0)
            continue;
        const double gain =
            incident_score_counter(count->difference, first->replay[i], search->scale) -
            incident_score_counter(count->difference, other->replay[i], search->scale);
        uint32_t at = fit->separator_count;
        while (at > 0 && gain > fit->separators[at - 1].gain)
            at--;
        if (gain < 1 || at == FIT_SEPARATORS_MAX)
            continue;
        const uint32_t last = fit->separator_count < FIT_SEPARATORS_MAX ? fit->separator_count++
                                                                        : FIT_SEPARATORS_MAX - 1;
        memmove(&fit->separators[at + 1], &fit->separators[at],
                (last - at) * sizeof fit->separators[0]);
        fit->separators[at] =
            (struct fit_separator){count->host,
                                   count->port,
                                   count->name,
                                   (int64_t)((double)count->difference * search->scale),
                                   first->replay[i],
                                   other->replay[i],
                                   gain};
    }
}

/* Clearly better by the runs alone than no fault and than every other place. */
static bool is_confirmed(const struct fit *fit)
{
    const struct fit_hypothesis *first = &fit->hypotheses[0];
    /* A host that moves less than before may be the victim of another one. */
    bool leads = first->ran && first->kind != FIT_NOTHING && first->kind != FIT_SLOW_TARGET;
    for (uint32_t i = 1; i < fit->count && leads; i++) {
        const struct fit_hypothesis *other = &fit->hypotheses[i];
        leads = same_place(first, other) ||
                (other->ran && other->score < first->score - fit->lead_least);
    }
    return leads;
}

/* The best one of another place, or else the next one. */
static const struct fit_hypothesis *find_rival(const struct fit *fit)
{
    for (uint32_t i = 1; i < fit->count; i++)
        if (fit->hypotheses[i].ran && !same_place(&fit->hypotheses[0], &fit->hypotheses[i]))
            return &fit->hypotheses[i];
    return NULL;
}

static void judge(const struct fit_search *search)
{
    struct fit *fit = search->fit;
    const double nothing = fit_score_of(search, search->nothing.replay);
    fit->lead_least = least_lead_of(best_score(fit), nothing);
    set_ranks(fit, nothing);
    qsort(fit->hypotheses, fit->count, sizeof fit->hypotheses[0], by_rank);
    const struct fit_hypothesis *first = &fit->hypotheses[0], *rival = find_rival(fit);
    while (fit->alike + 1 < fit->count &&
           fit->hypotheses[fit->alike + 1].rank >= first->rank - run_weight)
        fit->alike++;
    fit->confirmed = is_confirmed(fit);
    if (first->ran && rival != NULL)
        find_separators(search, first, rival);
}

/* ---- thresholds ---- */

/* Shares of free memory from which on a switch pauses: from dynamic_th -3, which is usual, down to
 * what a small memory would give. */
static const char *const alphas[] = {"12.5%", "6.2%", "3.1%", "1.5%", "0.8%"};

/* The best score that the first hypotheses reach. */
static bool try_threshold(struct fit_search *search, const char *alpha, double *score)
{
    enum { TRIED = 3, EACH = 3, MOST = TRIED * EACH + 1 };
    struct fit *fit = search->fit;
    struct point points[MOST] = {{0, 0}};
    struct fit_seen seen[MOST];
    struct fit_hypothesis tried[MOST];
    uint32_t count = 1;
    search->buffers =
        arena_format(&fit->arena, "fabric.overrides[+]={where: \"*\", buffer: {alpha: %s}}", alpha);
    for (uint32_t i = 1; i < fit->count && i <= TRIED; i++) {
        const struct fit_kind_row *kind = &fit_kinds[fit->hypotheses[i].kind];
        for (int k = 0; k < (kind->low > 0 ? EACH : 1) && fit->hypotheses[i].kind != FIT_NOT_RUN;
             k++)
            points[count++] = (struct point){i, kind->low * exp(step_of(kind) * (2 * k + 1))};
    }
    if (!run_points(search, points, count, false, seen))
        return false;
    search->nothing = seen[0];
    *score = -HUGE_VAL;
    for (uint32_t i = 0; i < count && seen[0].ran; i++) {
        tried[i] = fit->hypotheses[points[i].hypothesis];
        tried[i].ran = false;
        if (seen[i].ran)
            keep_best(search, &tried[i], points[i].value, &seen[i]);
        if (seen[i].ran && tried[i].score > *score)
            *score = tried[i].score;
    }
    return true;
}

static bool choose_threshold(struct fit_search *search)
{
    const char *best = NULL;
    double most = 0;
    if (!search->base->unknown_buffers)
        return true;
    for (size_t i = 0; i < sizeof alphas / sizeof alphas[0]; i++) {
        double score;
        if (!try_threshold(search, alphas[i], &score))
            return false;
        if (best == NULL || score > most + 1) {
            best = search->buffers;
            most = score;
        }
    }
    search->buffers = NULL;
    return fit_base_change(search->fit, search->base, best);
}

static bool run_base(struct fit_search *search)
{
    struct fit *fit = search->fit;
    const struct point nothing = {0, 0};
    if (!run_points(search, &nothing, 1, true, &search->nothing))
        return false;
    if (!search->nothing.ran) {
        snprintf(fit->why, sizeof fit->why, "the fabric without a fault could not be run");
        return false;
    }
    fit->lasts = search->nothing.reached;
    search->scale = (double)fit->lasts / ((double)fit->incident_s * (double)PS_PER_S);
    fit_find_intervals(search);
    fit_find_compared(search);
    return true;
}

/* Counters of the fabric without a fault, once it is known. */
static bool score_base(struct fit_search *search)
{
    struct fit *fit = search->fit;
    const struct point nothing = {0, 0};
    if (search->base->unknown_buffers && !run_points(search, &nothing, 1, true, &search->nothing))
        return false;
    fit->hypotheses[0].ran = false;
    keep_best(search, &fit->hypotheses[0], 0, &search->nothing);
    return search->nothing.ran;
}

static bool search_all(struct fit_search *search)
{
    bool well =
        run_base(search) && choose_threshold(search) && score_base(search) && search_coarse(search);
    for (int round = 0; round < FINE_ROUNDS && well; round++)
        well = search_fine(search, round);
    return well && run_final(search);
}

/* What turns the fabric into the first hypothesis. */
static void keep_sets(struct fit *fit, const struct fit_base *base)
{
    fit->sets = arena_array(&fit->arena, base->set_count + 2, sizeof *fit->sets);
    for (uint32_t i = 0; i < base->set_count; i++)
        fit->sets[fit->set_count++] = base->sets[i];
    if (*fit->hypotheses[0].set != '\0')
        fit->sets[fit->set_count++] = fit->hypotheses[0].set;
}

static bool fit_work(struct fit *fit, struct triage_work *work, const struct triage *triage,
                     struct diag *diag)
{
    struct fit_base base;
    struct fit_search search = {.fit = fit, .base = &base, .incident = work->incident};
    bool well = fit_base_make(fit, &base, work, diag);
    if (well) {
        fit_hypotheses(fit, &base, triage);
        well = search_all(&search);
    }
    if (well) {
        judge(&search);
        keep_sets(fit, &base);
        well = fit_remedies(fit, &base, work);
    }
    scenario_free(base.scenario);
    return well;
}

bool fit_make(struct fit *fit, const struct incident *incident, const struct triage *triage,
              int64_t seconds)
{
    *fit = (struct fit){.incident_s = seconds > 0 ? seconds : triage->seconds};
    struct triage counted = {.single = triage->single, .seconds = fit->incident_s};
    struct triage_work work = {.triage = &counted, .incident = incident, .arena = &fit->arena};
    struct diag *diag = memory_zeroed(1, sizeof *diag);
    bool well = false;
    if (incident->scenario == NULL)
        snprintf(fit->why, sizeof fit->why, "no cables are known: give --fabric");
    else if (fit->incident_s == 0)
        snprintf(fit->why, sizeof fit->why, "the samples have no dates: give --lasted");
    else {
        triage_map(&work);
        triage_count_losses(&work);
        well = fit_work(fit, &work, triage, diag);
    }
    arena_free(&counted.arena);
    free(diag);
    return well;
}

void fit_free(struct fit *fit)
{
    arena_free(&fit->arena);
    *fit = (struct fit){0};
}
