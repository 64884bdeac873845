/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/plan/plan_state.h"

#include "base/memory.h"

#include <stdlib.h>

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
        if (candidate->cases->cases[k].failure->slo_count == 0 &&
            plan_mean_slack(&candidate->states[k], slo) <
                plan_mean_slack(&candidate->states[nearest], slo))
            nearest = k;
    return nearest;
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

/* Less is better. */
static double cost(const struct plan_state *state, uint32_t candidate)
{
    const struct plan_candidate *of = &state->candidates[candidate];
    switch ((enum plan_objective)state->plan->rules.objective) {
    case PLAN_POWER:
        return (double)of->bill.power;
    case PLAN_HEADROOM:
        return -of->headroom;
    case PLAN_CHEAPEST:
    case PLAN_FRONT:
        break;
    }
    return (double)of->bill.price;
}

bool plan_is_before(const struct plan_state *state, uint32_t a, uint32_t b)
{
    const double of_a = cost(state, a), of_b = cost(state, b);
    return of_a < of_b || (!(of_b < of_a) && a < b);
}

struct place {
    double cost;
    uint32_t candidate;
};

static int by_cost(const void *a, const void *b)
{
    const struct place *one = a, *other = b;
    if (one->cost < other->cost || other->cost < one->cost)
        return one->cost < other->cost ? -1 : 1;
    return one->candidate < other->candidate ? -1 : one->candidate > other->candidate;
}

void plan_sort(const struct plan_state *state, uint32_t *candidates, uint32_t count)
{
    struct place *places = memory_zeroed(count, sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct place){cost(state, candidates[i]), candidates[i]};
    qsort(places, count, sizeof *places, by_cost);
    for (uint32_t i = 0; i < count; i++)
        candidates[i] = places[i].candidate;
    free(places);
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
