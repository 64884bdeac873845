/* SPDX-License-Identifier: Apache-2.0
 * plan_round - selects and does the runs of a round. */
#include "replay/plan/plan_round.h"

#include "base/memory.h"
#include "replay/plan/plan_outcome.h"
#include "replay/plan/plan_trial_message.h"
#include "replay/plan/plan_verdict.h"
#include "replay/run/jobs.h"
#include "replay/run/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One run of a round. */
struct errand {
    uint32_t candidate, of, seed;
};

struct round {
    const struct plan_search *search;
    struct errand *errands;
    uint32_t count, room;
    struct plan_outcome *outcomes; /* by errand */
};

static struct plan_case_state *state_of(const struct plan_state *state, const struct errand *errand)
{
    return &state->candidates[errand->candidate].states[errand->of];
}

/* ------------------------------------------------------------------ runs */

static void add_run(struct round *round, uint32_t candidate, uint32_t of, uint32_t seed)
{
    round->errands =
        memory_grown(round->errands, round->count, &round->room, sizeof *round->errands);
    round->errands[round->count++] = (struct errand){candidate, of, seed};
}

/* First a single run, which is enough for many verdicts; then up to the next interim test. */
static void add_case(struct round *round, uint32_t index, uint32_t of)
{
    const struct plan_state *state = round->search->state;
    const struct plan_candidate *candidate = &state->candidates[index];
    const struct plan_case_state *known = &candidate->states[of];
    const struct plan_test test = plan_verdict_test(state, candidate, of);
    const uint32_t most = (uint32_t)state->plan->rules.most_seeds;
    if (known->verdict != PLAN_VERDICT_OPEN)
        return;
    uint32_t end = known->count == 0 ? 1 : plan_look_after(&test, known->count);
    end = end < most ? end : most;
    for (uint32_t seed = known->count; seed < end; seed++)
        add_run(round, index, of, seed);
}

/* First the case without failures; then every case without a verdict. */
static void add_candidate(struct round *round, uint32_t index)
{
    const struct plan_candidate *candidate = &round->search->state->candidates[index];
    const bool alone = candidate->states[0].verdict == PLAN_VERDICT_OPEN;
    for (uint32_t i = 0; i < (alone ? 1 : candidate->cases->count); i++)
        add_case(round, index, i);
}

static struct plan_trial trial_of(const struct round *round, uint32_t index)
{
    const struct errand *errand = &round->errands[index];
    const struct plan_state *state = round->search->state;
    const struct plan_candidate *candidate = &state->candidates[errand->candidate];
    return (struct plan_trial){.plan = state->plan,
                               .candidate = candidate->cell,
                               .of = &candidate->cases->cases[errand->of],
                               .seed = state->seed + errand->seed,
                               .longest = plan_longest(state, candidate)};
}

static void play_errand(void *self, uint32_t index, void *result)
{
    const struct plan_trial trial = trial_of(self, index);
    plan_play(&trial, result);
}

/* Encodes a run for another process: which of two plans, then the trial. */
static char *write_errand(void *self, uint32_t index, size_t *length)
{
    const struct round *round = self;
    const struct plan_trial trial = trial_of(round, index);
    char *bytes = plan_trial_message_write(&trial, length), *whole = memory_new(*length + 1);
    whole[0] = round->search->state->base > 0;
    memcpy(whole + 1, bytes, *length);
    *length += 1;
    free(bytes);
    return whole;
}

static bool is_sound(void *self, uint32_t index, const void *result)
{
    const struct round *round = self;
    const struct errand *errand = &round->errands[index];
    return plan_outcome_is_sound(result, state_of(round->search->state, errand)->asked_count);
}

/* The first run without failures measures the cores on the candidate's bill. */
static void add_cores(struct plan_state *state, const struct errand *errand,
                      const struct plan_outcome *outcome)
{
    if (errand->of == 0 && errand->seed == 0 && outcome->end != PLAN_RUN_STOPPED &&
        plan_prices_cores(state, errand->candidate))
        prices_add_cores(&state->plan->prices, (uint32_t)outcome->cores,
                         &state->candidates[errand->candidate].bill);
}

/* Outcomes of a case are in order of seeds, whichever run ends first; their slots exist already. */
static void store_outcome(struct plan_state *state, const struct errand *errand,
                          const struct plan_outcome *outcome)
{
    state_of(state, errand)->outcomes[errand->seed] = *outcome;
    add_cores(state, errand, outcome);
    state->runs += outcome->end != PLAN_RUN_STOPPED;
    state->events += outcome->events;
    state->packet_hops += outcome->packet_hops;
}

static void take_errand(void *self, uint32_t index, bool well)
{
    const struct round *round = self;
    const struct errand *errand = &round->errands[index];
    struct plan_outcome *outcome = &round->outcomes[index];
    struct plan_state *state = round->search->state;
    if (!well)
        snprintf(outcome->why, sizeof outcome->why, "a run's process crashed twice");
    if (stop_asked() != 0 || (state->late && !well))
        outcome->end = PLAN_RUN_STOPPED;
    store_outcome(state, errand, outcome);
    state->played += outcome->end != PLAN_RUN_STOPPED;
    if (outcome->end != PLAN_RUN_STOPPED && round->search->played != NULL)
        round->search->played(round->search->self, errand->candidate, errand->of, errand->seed);
}

/* Runs left out by a stop count as not started. */
static void make_room(const struct round *round)
{
    for (uint32_t i = 0; i < round->count; i++) {
        struct plan_case_state *of = state_of(round->search->state, &round->errands[i]);
        while (of->room <= round->errands[i].seed)
            of->outcomes = memory_grown(of->outcomes, of->room, &of->room, sizeof *of->outcomes);
        of->outcomes[round->errands[i].seed] = (struct plan_outcome){.end = PLAN_RUN_STOPPED};
        of->count = of->count > round->errands[i].seed ? of->count : round->errands[i].seed + 1;
    }
}

static void take_known(const struct round *round, const struct errand *errand,
                       const struct plan_outcome *outcome)
{
    const struct plan_search *search = round->search;
    store_outcome(search->state, errand, outcome);
    if (search->taken != NULL)
        search->taken(search->self, errand->candidate, errand->of, errand->seed);
}

/* Takes over runs known from an earlier search. */
static void leave_out_known(struct round *round)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < round->count; i++) {
        const struct errand errand = round->errands[i];
        struct plan_outcome outcome = {0};
        if (round->search->known != NULL &&
            round->search->known(round->search->self, errand.candidate, errand.of, errand.seed,
                                 &outcome) &&
            plan_outcome_is_sound(&outcome, state_of(round->search->state, &errand)->asked_count))
            take_known(round, &errand, &outcome);
        else
            round->errands[left++] = errand;
    }
    round->count = left;
}

static bool is_late(void *self)
{
    const struct plan_search *search = ((const struct round *)self)->search;
    struct plan_state *state = search->state;
    state->late = state->late || (search->late != NULL && search->late(search->self));
    state->spent |= state->late;
    return state->late;
}

/* Does all runs, or none if the budget does not allow it. Returns whether all of them were
 * completed. */
static bool play_errands(struct round *round)
{
    const struct plan_search *search = round->search;
    struct plan_state *state = search->state;
    if (state->runs + round->count > state->plan->rules.most_runs)
        state->spent = true;
    const bool any = round->count > 0 && !state->spent;
    if (any) {
        make_room(round);
        leave_out_known(round);
        round->outcomes = memory_zeroed(round->count, sizeof *round->outcomes);
        const struct jobs jobs = {.self = round,
                                  .play = play_errand,
                                  .done = take_errand,
                                  .enough = is_late,
                                  .elsewhere = search->elsewhere,
                                  .errand = write_errand,
                                  .sound = is_sound,
                                  .count = round->count,
                                  .at_once = search->at_once,
                                  .results = round->outcomes,
                                  .bytes = sizeof *round->outcomes};
        if (round->count > 0)
            jobs_play(&jobs);
        state->stopped = stop_asked() != 0;
    }
    free(round->outcomes);
    free(round->errands);
    return any && !state->stopped && !state->spent;
}

bool plan_round_try(const struct plan_search *search, const uint32_t *candidates, uint32_t count)
{
    struct round round = {.search = search};
    for (uint32_t i = 0; i < count; i++)
        add_run(&round, candidates[i], 0, 0);
    return play_errands(&round);
}

bool plan_round_fill(const struct plan_search *search, uint32_t candidate, const uint32_t *cases,
                     uint32_t count, uint32_t seeds)
{
    struct round round = {.search = search};
    const struct plan_candidate *mine = &search->state->candidates[candidate];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t seed = mine->states[cases[i]].count; seed < seeds; seed++)
            add_run(&round, candidate, cases[i], seed);
    if (round.count == 0)
        return true;
    return play_errands(&round);
}

static bool is_open(const struct plan_search *search, uint32_t candidate)
{
    return search->state->candidates[candidate].verdict == PLAN_VERDICT_OPEN;
}

void plan_round_cases(const struct plan_search *search, const struct plan_part *parts,
                      uint32_t count)
{
    struct plan_state *state = search->state;
    struct round round;
    for (uint32_t i = 0; i < count; i++)
        state->candidates[parts[i].candidate].verdict = PLAN_VERDICT_OPEN;
    do {
        round = (struct round){.search = search};
        for (uint32_t i = 0; i < count; i++) {
            if (!is_open(search, parts[i].candidate))
                continue;
            plan_verdict_find(state, &state->candidates[parts[i].candidate]);
            if (is_open(search, parts[i].candidate))
                add_case(&round, parts[i].candidate, parts[i].of);
        }
    } while (play_errands(&round));
}

void plan_round_play(const struct plan_search *search, const uint32_t *candidates, uint32_t count)
{
    struct plan_state *state = search->state;
    struct round round;
    for (uint32_t i = 0; i < count; i++)
        state->candidates[candidates[i]].verdict = PLAN_VERDICT_OPEN;
    do {
        round = (struct round){.search = search};
        for (uint32_t i = 0; i < count; i++) {
            if (is_open(search, candidates[i]))
                plan_verdict_find(state, &state->candidates[candidates[i]]);
            if (is_open(search, candidates[i]))
                add_candidate(&round, candidates[i]);
        }
    } while (play_errands(&round));
}
