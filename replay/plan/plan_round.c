/* SPDX-License-Identifier: Apache-2.0
 * plan_round - which runs, then the verdicts of cases and of candidates. */
#include "replay/plan/plan_round.h"

#include "base/memory.h"
#include "base/plural.h"
#include "replay/plan/plan_errand.h"
#include "replay/plan/plan_judge.h"
#include "replay/plan/plan_outcome.h"
#include "replay/run/jobs.h"
#include "replay/run/stop.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MORE_SEEDS = 2,      /* of a case that is still open after the first stage */
    LONGEST_DEFAULT = 16 /* times the scenario's own duration */
};

/* One run of a round. */
struct errand {
    uint32_t candidate, of, seed;
};

struct round {
    const struct plan_search *search;
    struct errand *errands;
    uint32_t count, room;
    struct plan_outcome *outcomes; /* as errands */
};

static struct plan_case_state *state_of(const struct plan_state *state, const struct errand *errand)
{
    return &state->candidates[errand->candidate].states[errand->of];
}

/* ------------------------------------------------------------------ verdicts */

struct judged {
    enum plan_verdict verdict;
    uint32_t figure; /* that decided, where one did */
    bool by_figure;
    uint32_t run;
};

/* What the runs themselves say, before any mean: the first that is not as it should be. */
static struct judged judge_runs(const struct plan_case_state *of)
{
    static const enum plan_verdict verdicts[] = {
        [PLAN_RUN_DEAD] = PLAN_VERDICT_DIED,           [PLAN_RUN_REFUSED] = PLAN_VERDICT_REFUSED,
        [PLAN_RUN_STOPPED] = PLAN_VERDICT_OPEN,        [PLAN_RUN_IDLE] = PLAN_VERDICT_IDLE,
        [PLAN_RUN_UNSETTLED] = PLAN_VERDICT_UNSETTLED, [PLAN_RUN_FAILED] = PLAN_VERDICT_FAILS};
    for (uint32_t i = 0; i < of->count; i++)
        if (of->outcomes[i].end != PLAN_RUN_PLAYED)
            return (struct judged){verdicts[of->outcomes[i].end], .run = i};
    return (struct judged){PLAN_VERDICT_HOLDS};
}

static struct judged judge_figures(const struct plan_state *state, const struct plan_case_state *of)
{
    const struct expectation *asked = of->asked;
    const struct plan_rules *rules = &state->plan->rules;
    const struct plan_test test = {
        .first = (uint32_t)rules->seeds,
        .error = (1 - (double)rules->confidence / 1e6) / state->tests,
        .tolerance = (double)rules->tolerance / 1e6,
    };
    struct judged judged = {PLAN_VERDICT_HOLDS};
    double *slacks = memory_zeroed(of->count, sizeof *slacks);
    for (uint32_t i = 0; i < of->asked_count && judged.verdict != PLAN_VERDICT_FAILS; i++) {
        enum plan_side side = PLAN_SIDE_RIGHT;
        for (uint32_t k = 0; k < of->count; k++) {
            slacks[k] = of->outcomes[k].figures[i].slack;
            if (!plan_is_mean(&asked[i]) && !of->outcomes[k].figures[i].held) {
                side = PLAN_SIDE_WRONG;
                judged.run = k;
                break;
            }
        }
        if (plan_is_mean(&asked[i]))
            side = of->count < test.first ? PLAN_SIDE_OPEN : plan_side_of(&test, slacks, of->count);
        if (side == PLAN_SIDE_RIGHT)
            continue;
        judged = (struct judged){side == PLAN_SIDE_WRONG ? PLAN_VERDICT_FAILS : PLAN_VERDICT_OPEN,
                                 i, true, judged.run};
    }
    free(slacks);
    return judged;
}

static void say(const struct plan_candidate *candidate, uint32_t of, const char *what, char *why,
                size_t size)
{
    const char *name = candidate->cases->cases[of].name;
    snprintf(why, size, "%s%s%s", what, *name == '\0' ? "" : "; with ", name);
}

struct plan_spread {
    double least, most;
};

static struct plan_spread spread_of(const struct plan_case_state *of, uint32_t figure)
{
    struct plan_spread spread = {of->outcomes[0].figures[figure].value,
                                 of->outcomes[0].figures[figure].value};
    for (uint32_t i = 1; i < of->count; i++) {
        const double value = of->outcomes[i].figures[figure].value;
        spread.least = value < spread.least ? value : spread.least;
        spread.most = value > spread.most ? value : spread.most;
    }
    return spread;
}

static void say_figure(const struct plan_candidate *candidate, uint32_t of, uint32_t figure,
                       char *why, size_t size)
{
    const struct plan_case_state *state = &candidate->states[of];
    const struct expectation *asked = &state->asked[figure];
    char text[PLAN_SENTENCE_BYTES];
    const double mean = plan_mean(state, figure);
    const double slack = plan_mean_slack(state, figure);
    const struct plan_spread spread = spread_of(state, figure);
    if (plan_is_mean(asked) && state->verdict == PLAN_VERDICT_UNSURE)
        snprintf(text, sizeof text, "%.100s: %u %s %s not tell; they have %s to %s", asked->text,
                 (unsigned)state->count, plural(state->count, "run", "runs"),
                 plural(state->count, "does", "do"), plan_words(asked, spread.least).text,
                 plan_words(asked, spread.most).text);
    else if (plan_is_mean(asked))
        snprintf(text, sizeof text, "%.100s: it is %s, %.3g %% %s", asked->text,
                 plan_words(asked, mean).text,
                 100 * (slack < 0 ? -slack : plan_headroom(asked, mean)),
                 slack < 0 ? "beyond the limit" : "to spare");
    else
        snprintf(text, sizeof text, "%.100s does not hold", asked->text);
    say(candidate, of, text, why, size);
}

/* The verdict of a case, and of the candidate if that ends it. */
static void judge_case(struct plan_state *state, struct plan_candidate *candidate, uint32_t of)
{
    struct plan_case_state *mine = &candidate->states[of];
    struct judged judged = judge_runs(mine);
    if (judged.verdict == PLAN_VERDICT_HOLDS)
        judged = judge_figures(state, mine);
    if (judged.verdict == PLAN_VERDICT_HOLDS && mine->count < state->plan->rules.seeds)
        judged.verdict = PLAN_VERDICT_OPEN;
    if (judged.verdict == PLAN_VERDICT_OPEN && mine->count >= state->plan->rules.most_seeds)
        judged.verdict = PLAN_VERDICT_UNSURE;
    mine->verdict = judged.verdict;
    if (candidate->verdict != PLAN_VERDICT_OPEN || judged.verdict == PLAN_VERDICT_OPEN ||
        judged.verdict == PLAN_VERDICT_HOLDS)
        return;
    const struct plan_outcome *run = &mine->outcomes[judged.run];
    candidate->verdict = judged.verdict;
    candidate->decided_by = of;
    candidate->decided_slo = judged.by_figure ? (int32_t)judged.figure : -1;
    if (judged.verdict != PLAN_VERDICT_IDLE) /* what limits the others is not why these are idle */
        memcpy(candidate->limit, run->limit, sizeof candidate->limit);
    if (judged.by_figure)
        say_figure(candidate, of, judged.figure, candidate->why, sizeof candidate->why);
    else
        say(candidate, of, run->why[0] != '\0' ? run->why : plan_verdict_about(judged.verdict),
            candidate->why, sizeof candidate->why);
}

static void take_headroom(struct plan_candidate *candidate, uint32_t of)
{
    const struct plan_case_state *mine = &candidate->states[of];
    for (uint32_t i = 0; i < mine->asked_count; i++) {
        const double headroom = plan_headroom(&mine->asked[i], plan_mean(mine, i));
        if (!plan_is_mean(&mine->asked[i]))
            continue;
        candidate->measured = true;
        if (headroom >= candidate->headroom)
            continue;
        candidate->headroom = headroom;
        candidate->least_case = of;
        candidate->least_slo = i;
    }
}

static void judge(struct plan_state *state, struct plan_candidate *candidate)
{
    bool open = false;
    candidate->headroom = 1;
    candidate->measured = false;
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        struct plan_case_state *mine = &candidate->states[i];
        if (mine->count > 0)
            judge_case(state, candidate, i);
        if (mine->count > 0 && mine->verdict != PLAN_VERDICT_OPEN &&
            judge_runs(mine).verdict == PLAN_VERDICT_HOLDS)
            take_headroom(candidate, i);
        open |= mine->count == 0 || mine->verdict == PLAN_VERDICT_OPEN;
    }
    if (candidate->verdict == PLAN_VERDICT_OPEN && !open)
        candidate->verdict = PLAN_VERDICT_HOLDS;
}

/* ------------------------------------------------------------------ runs */

static void add(struct round *round, uint32_t candidate, uint32_t of, uint32_t seed)
{
    round->errands =
        memory_grown(round->errands, round->count, &round->room, sizeof *round->errands);
    round->errands[round->count++] = (struct errand){candidate, of, seed};
}

/* First one run, as many verdicts need no more; then those of the first stage; then more. */
static void add_case(struct round *round, uint32_t index, uint32_t of)
{
    const struct plan_state *state = round->search->state;
    const struct plan_case_state *known = &state->candidates[index].states[of];
    const uint32_t first = (uint32_t)state->plan->rules.seeds;
    const uint32_t most = (uint32_t)state->plan->rules.most_seeds;
    if (known->verdict != PLAN_VERDICT_OPEN)
        return;
    uint32_t end = known->count == 0 ? 1 : known->count < first ? first : known->count + MORE_SEEDS;
    end = end < most ? end : most;
    for (uint32_t seed = known->count; seed < end; seed++)
        add(round, index, of, seed);
}

/* First without failures; then every case that has no verdict yet. */
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
                               .longest = state->plan->rules.longest < 0
                                              ? LONGEST_DEFAULT * candidate->duration
                                              : state->plan->rules.longest};
}

static void play_errand(void *self, uint32_t index, void *result)
{
    const struct plan_trial trial = trial_of(self, index);
    plan_play(&trial, result);
}

/* For a place elsewhere: which of two plans, then the trial. */
static char *write_errand(void *self, uint32_t index, size_t *length)
{
    const struct round *round = self;
    const struct plan_trial trial = trial_of(round, index);
    char *bytes = plan_errand_write(&trial, length), *whole = memory_new(*length + 1);
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

/* Outcomes of a case are in the order of seeds, whoever ends first: their room was made before. */
static void keep(struct plan_state *state, const struct errand *errand,
                 const struct plan_outcome *outcome)
{
    state_of(state, errand)->outcomes[errand->seed] = *outcome;
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
        snprintf(outcome->why, sizeof outcome->why, "a run's process died twice");
    if (stop_asked() != 0 || (state->late && !well))
        outcome->end = PLAN_RUN_STOPPED;
    keep(state, errand, outcome);
    state->played += outcome->end != PLAN_RUN_STOPPED;
    if (outcome->end != PLAN_RUN_STOPPED && round->search->played != NULL)
        round->search->played(round->search->self, errand->candidate, errand->of, errand->seed);
}

/* What a stop leaves out is as if it had not been begun. */
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
    keep(search->state, errand, outcome);
    if (search->taken != NULL)
        search->taken(search->self, errand->candidate, errand->of, errand->seed);
}

/* Those that an earlier search has played are not played again. */
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

/* All of it, or nothing; and the end of it.  Whether it was played to its end. */
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
        add(&round, candidates[i], 0, 0);
    return play_errands(&round);
}

bool plan_round_fill(const struct plan_search *search, uint32_t candidate, const uint32_t *cases,
                     uint32_t count, uint32_t seeds)
{
    struct round round = {.search = search};
    const struct plan_candidate *mine = &search->state->candidates[candidate];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t seed = mine->states[cases[i]].count; seed < seeds; seed++)
            add(&round, candidate, cases[i], seed);
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
            judge(state, &state->candidates[parts[i].candidate]);
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
                judge(state, &state->candidates[candidates[i]]);
            if (is_open(search, candidates[i]))
                add_candidate(&round, candidates[i]);
        }
    } while (play_errands(&round));
}
