/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/plan/plan_state.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/plan/plan_judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_DEFAULT = 16 /* times the scenario's own duration */ };

static const struct {
    enum plan_result result;
    const char *word, *about, *many;
} verdicts[] = {
#define X(name, result, word, about, many) {PLAN_RESULT_##result, word, about, many},
    PLAN_VERDICTS(X)
#undef X
};

const char *plan_verdict_word(enum plan_verdict verdict)
{
    return verdicts[verdict].word;
}

const char *plan_verdict_about(enum plan_verdict verdict)
{
    return verdicts[verdict].about;
}

const char *plan_verdict_many(enum plan_verdict verdict)
{
    return verdicts[verdict].many;
}

enum plan_result plan_result_of(enum plan_verdict verdict)
{
    return verdicts[verdict].result;
}

const char *plan_result_word(enum plan_result result)
{
    static const char *const words[] = {
#define X(name, word) word,
        PLAN_RESULTS(X)
#undef X
    };
    return words[result];
}

void plan_state_free(struct plan_state *state)
{
    for (uint32_t i = 0; i < state->all; i++) {
        struct plan_candidate *candidate = &state->candidates[i];
        for (uint32_t k = 0; candidate->states != NULL && k < candidate->cases->count; k++)
            free(candidate->states[k].outcomes);
        free(candidate->states);
        free(candidate->cases);
    }
    free(state->candidates);
    arena_free(&state->arena);
    *state = (struct plan_state){0};
}

uint32_t plan_open(const struct plan_state *state)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < state->count; i++)
        open += state->candidates[i].verdict == PLAN_VERDICT_OPEN;
    return open;
}

void plan_count_results(const struct plan_state *state, uint32_t counts[PLAN_RESULT_COUNT])
{
    memset(counts, 0, PLAN_RESULT_COUNT * sizeof *counts);
    for (uint32_t i = 0; i < state->count; i++)
        counts[plan_result_of(state->candidates[i].verdict)]++;
}

enum plan_result plan_result(const struct plan_state *state)
{
    uint32_t counts[PLAN_RESULT_COUNT];
    plan_count_results(state, counts);
    if (state->proven)
        return PLAN_RESULT_PASS;
    return counts[PLAN_RESULT_FAIL] == state->count ? PLAN_RESULT_FAIL : PLAN_RESULT_UNDECIDED;
}

double plan_error(const struct plan_state *state)
{
    return 1 - (double)state->plan->rules.confidence / 1e6;
}

void plan_expect(struct plan_state *state, int64_t runs)
{
    state->ahead = runs;
    state->ahead_at = state->runs;
}

double plan_left_s(const struct plan_state *state, double elapsed_s)
{
    const struct plan *plan = state->plan;
    const int64_t expected = state->ahead - (state->runs - state->ahead_at);
    const int64_t allowed = plan->rules.most_runs - state->runs;
    const int64_t runs = expected < allowed ? expected : allowed;
    const double time = (double)plan->most_time / (double)PS_PER_S - elapsed_s;
    if (state->played < 1)
        return -1;
    const double left = runs <= 0 ? 0 : elapsed_s * (double)runs / (double)state->played;
    return plan->most_time > 0 && left > time ? (time > 0 ? time : 0) : left;
}

struct plan_estimate plan_estimate(const struct plan_case_state *of, uint32_t figure)
{
    struct plan_estimate found = {plan_mean(of, figure), -1, of->count, ""};
    const struct words mean = plan_words(&of->asked[figure], found.mean);
    double *values = memory_zeroed(of->count, sizeof *values);
    for (uint32_t i = 0; i < of->count; i++)
        values[i] = of->outcomes[i].figures[figure].value;
    if (of->count > 1)
        found.half = plan_half_95(values, of->count);
    free(values);
    if (found.half < 0)
        snprintf(found.text, sizeof found.text, "%.32s (1 run)", mean.text);
    else
        snprintf(found.text, sizeof found.text, "%.32s +- %.32s (%u %s)", mean.text,
                 plan_words(&of->asked[figure], found.half).text, (unsigned)of->count,
                 plural(of->count, "run", "runs"));
    return found;
}

double plan_mean(const struct plan_case_state *of, uint32_t figure)
{
    double sum = 0;
    for (uint32_t i = 0; i < of->count; i++)
        sum += of->outcomes[i].figures[figure].value;
    return of->count == 0 ? 0 : sum / of->count;
}

double plan_mean_slack(const struct plan_case_state *of, uint32_t figure)
{
    double sum = 0;
    for (uint32_t i = 0; i < of->count; i++)
        sum += of->outcomes[i].figures[figure].slack;
    return of->count == 0 ? 0 : sum / of->count;
}

bool plan_mean_measure(const struct plan_case_state *of, uint32_t measure, double *mean)
{
    double sum = 0;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct plan_outcome *outcome = &of->outcomes[i];
        if (measure >= outcome->measure_count || !outcome->measures[measure].known)
            return false;
        sum += outcome->measures[measure].value;
    }
    *mean = of->count == 0 ? 0 : sum / of->count;
    return of->count > 0;
}

uint32_t plan_nearest_case(const struct plan_candidate *candidate, uint32_t slo)
{
    uint32_t nearest = 0;
    for (uint32_t k = 1; k < candidate->cases->count; k++)
        if (candidate->states[k].count > 0 &&
            (candidate->cases->cases[k].failure == NULL ||
             candidate->cases->cases[k].failure->slo_count == 0) &&
            plan_mean_slack(&candidate->states[k], slo) <
                plan_mean_slack(&candidate->states[nearest], slo))
            nearest = k;
    return nearest;
}

int64_t plan_longest(const struct plan_state *state, const struct plan_candidate *candidate)
{
    const int64_t longest = state->plan->rules.longest;
    return longest < 0 ? LONGEST_DEFAULT * candidate->duration : longest;
}

double plan_tolerance(const struct plan_state *state)
{
    return (double)state->plan->rules.tolerance / 1e6;
}

double plan_headroom(const struct expectation *asked, double mean)
{
    const double limit = (double)asked->value;
    const bool below = asked->op == EXPECT_LT || asked->op == EXPECT_LE;
    if (below)
        return 1 - mean / limit;
    return mean > limit / 1e6 ? 1 - limit / mean : -1e6;
}

bool plan_is_near(const struct plan_state *state, double slack)
{
    return slack <= plan_tolerance(state) && slack >= -plan_tolerance(state);
}

struct plan_room plan_room(double tolerance, double slack, double headroom, bool passes)
{
    struct plan_room room;
    char near[40] = "";
    if (slack <= tolerance && slack >= -tolerance)
        snprintf(near, sizeof near, "within the tolerance of %.3g%%", 100 * tolerance);
    if (passes && slack < 0 && *near != '\0')
        snprintf(room.text, sizeof room.text, "%s", near);
    else if (slack < 0)
        snprintf(room.text, sizeof room.text, "misses the limit by %.3g%%%s%s", -100 * slack,
                 *near == '\0' ? "" : ", ", near);
    else if (passes)
        snprintf(room.text, sizeof room.text, "%.3g%% to spare", 100 * headroom);
    else
        snprintf(room.text, sizeof room.text, "%.3g%% inside the limit%s%s", 100 * slack,
                 *near == '\0' ? "" : ", ", near);
    return room;
}

bool plan_is_as_good(const struct plan_state *state, uint32_t a, uint32_t b)
{
    const struct grid *grid = &state->plan->grid;
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const uint32_t of_a = state->candidates[a].cell->at[i];
        const uint32_t of_b = state->candidates[b].cell->at[i];
        const enum grid_better better = state->odd[i] ? GRID_BETTER_UNKNOWN : grid->axes[i].better;
        if (better == GRID_BETTER_HIGHER  ? of_a < of_b
            : better == GRID_BETTER_LOWER ? of_a > of_b
                                          : of_a != of_b)
            return false;
    }
    return true;
}

uint32_t plan_rank(const struct plan_state *state, uint32_t candidate)
{
    const struct grid *grid = &state->plan->grid;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < grid->axis_count; i++) {
        const uint32_t at = state->candidates[candidate].cell->at[i];
        const enum grid_better better = grid->axes[i].better;
        rank += better == GRID_BETTER_HIGHER  ? at
                : better == GRID_BETTER_LOWER ? grid->axes[i].value_count - 1 - at
                                              : 0;
    }
    return rank;
}

bool plan_prices_cores(const struct plan_state *state, uint32_t candidate)
{
    return state->plan->has_prices && candidate < state->count &&
           prices_have(&state->plan->prices, PRICES_CORE);
}

int64_t plan_cost(const struct plan_state *state, uint32_t candidate)
{
    const struct prices_bill *bill = &state->candidates[candidate].bill;
    return state->plan->rules.objective == PLAN_POWER ? bill->power : bill->price;
}

/* Less is better. */
static double weight(const struct plan_state *state, uint32_t candidate)
{
    if (state->plan->rules.objective == PLAN_HEADROOM)
        return -state->candidates[candidate].headroom;
    return (double)plan_cost(state, candidate);
}

bool plan_is_before(const struct plan_state *state, uint32_t a, uint32_t b)
{
    const double of_a = weight(state, a), of_b = weight(state, b);
    return of_a < of_b || (!(of_b < of_a) && a < b);
}

struct place {
    double weight;
    uint32_t candidate;
};

static int by_weight(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->weight < other->weight || other->weight < one->weight)
        return one->weight < other->weight ? -1 : 1;
    return one->candidate < other->candidate ? -1 : one->candidate > other->candidate;
}

static void sort(const struct plan_state *state, uint32_t *candidates, uint32_t count,
                 bool by_cost_alone)
{
    struct place *places = memory_zeroed(count, sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct place){by_cost_alone ? (double)plan_cost(state, candidates[i])
                                                 : weight(state, candidates[i]),
                                   candidates[i]};
    qsort(places, count, sizeof *places, by_weight);
    for (uint32_t i = 0; i < count; i++)
        candidates[i] = places[i].candidate;
    free(places);
}

void plan_sort(const struct plan_state *state, uint32_t *candidates, uint32_t count)
{
    sort(state, candidates, count, false);
}

void plan_sort_by_cost(const struct plan_state *state, uint32_t *candidates, uint32_t count)
{
    sort(state, candidates, count, true);
}

uint32_t plan_case_named(const struct plan_candidate *candidate, const char *name)
{
    for (uint32_t i = 0; i < candidate->cases->count; i++)
        if (strcmp(candidate->cases->cases[i].name, name) == 0)
            return i;
    return PLAN_NO_CASE;
}

uint32_t plan_hardest_case(const struct plan_candidate *candidate)
{
    uint32_t hardest = 0;
    for (uint32_t i = 1; i < candidate->cases->count; i++) {
        const struct plan_failure *failure = candidate->cases->cases[i].failure;
        const bool same = failure != NULL && failure == candidate->cases->cases[i - 1].failure;
        if (!same && (failure == NULL || (failure->at == NULL && failure->slo_count == 0)))
            hardest = i;
    }
    return hardest;
}

struct words plan_words(const struct expectation *asked, double value)
{
    switch (expect_kind(asked->quantity)) {
    case QUANTITY_TIME:
        return words_time(words_whole(value));
    case QUANTITY_RATE:
        return words_rate(value);
    default:
        return words_count(words_whole(value));
    }
}
