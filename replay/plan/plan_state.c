/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/plan/plan_state.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *word, *about, *many;
} verdicts[] = {
#define X(name, word, about, many) {word, about, many},
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
        if ((candidate->cases->cases[k].failure == NULL ||
             candidate->cases->cases[k].failure->slo_count == 0) &&
            plan_mean_slack(&candidate->states[k], slo) <
                plan_mean_slack(&candidate->states[nearest], slo))
            nearest = k;
    return nearest;
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
