/* SPDX-License-Identifier: Apache-2.0
 * plan_verdict - runs that end a case, tests of means, and texts. */
#include "replay/plan/plan_verdict.h"

#include "base/memory.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PASS_PART = 5, /* 1/5 of the error is for passes, the worse mistake */
    REST_PART = 5  /* 1/5 of a candidate's error is for the cases other than the hardest */
};

static uint32_t means_of(const struct plan_case_state *of)
{
    uint32_t means = 0;
    for (uint32_t i = 0; i < of->asked_count; i++)
        means += plan_is_mean(&of->asked[i]);
    return means;
}

/* Number of means in all other cases. */
static uint32_t means_beside(const struct plan_candidate *candidate, uint32_t of)
{
    uint32_t means = 0;
    for (uint32_t i = 0; i < candidate->cases->count; i++)
        means += i == of ? 0 : means_of(&candidate->states[i]);
    return means;
}

/* The share of a candidate's error for one mean of a case. */
static double part_of(const struct plan_candidate *candidate, uint32_t of)
{
    const uint32_t hard = plan_hardest_case(candidate);
    const uint32_t hardest = means_of(&candidate->states[hard]);
    const uint32_t others = means_beside(candidate, hard);
    const uint32_t mine = of == hard ? hardest : others;
    const double rest = hardest > 0 && others > 0 ? 1.0 / REST_PART : of == hard ? 0 : 1;
    return (of == hard ? 1 - rest : rest) / (mine > 0 ? mine : 1);
}

struct plan_test plan_verdict_test(const struct plan_state *state,
                                   const struct plan_candidate *candidate, uint32_t of)
{
    const struct plan_rules *rules = &state->plan->rules;
    const double pass = plan_error(state) / PASS_PART, fail = plan_error(state) - pass;
    const bool compares_all = rules->objective == PLAN_HEADROOM || rules->objective == PLAN_FRONT;
    return (struct plan_test){
        .first = (uint32_t)rules->seeds,
        .pass_error = pass / state->count,
        .fail_error = fail * part_of(candidate, of) / (compares_all ? state->count : 1),
        .tolerance = plan_tolerance(state),
    };
}

/* ------------------------------------------------------------------ of a case */

struct judged {
    enum plan_verdict verdict;
    uint32_t figure; /* objective that decided, if one did */
    bool by_figure;
    bool overloaded; /* `figure` of a run that is not steady decided */
    uint32_t run;
};

/* A run did not become steady within the longest duration, and a mean is beyond its limit by more
 * than the tolerance: the load exceeds what the candidate carries. PLAN_SLO_MAX if there is
 * none. */
static uint32_t overloaded_figure(const struct plan_state *state, const struct plan_case_state *of,
                                  const struct plan_outcome *run)
{
    for (uint32_t i = 0; i < run->figure_count; i++)
        if (plan_is_mean(&of->asked[i]) && run->figures[i].slack < -plan_tolerance(state))
            return i;
    return PLAN_SLO_MAX;
}

/* Verdict from the runs themselves, before any mean: the first run that did not end as it
 * should. */
static struct judged judge_runs(const struct plan_state *state, const struct plan_case_state *of)
{
    static const enum plan_verdict verdicts[] = {
        [PLAN_RUN_DEAD] = PLAN_VERDICT_DIED,           [PLAN_RUN_REFUSED] = PLAN_VERDICT_REFUSED,
        [PLAN_RUN_STOPPED] = PLAN_VERDICT_OPEN,        [PLAN_RUN_IDLE] = PLAN_VERDICT_IDLE,
        [PLAN_RUN_UNSETTLED] = PLAN_VERDICT_UNSETTLED, [PLAN_RUN_FAILED] = PLAN_VERDICT_FAILS};
    for (uint32_t i = 0; i < of->count; i++) {
        const struct plan_outcome *run = &of->outcomes[i];
        if (run->end == PLAN_RUN_PLAYED)
            continue;
        struct judged judged = {verdicts[run->end], .run = i};
        if (run->end == PLAN_RUN_UNSETTLED)
            judged.figure = overloaded_figure(state, of, run);
        judged.overloaded = run->end == PLAN_RUN_UNSETTLED && judged.figure < PLAN_SLO_MAX;
        if (judged.overloaded)
            judged.verdict = PLAN_VERDICT_FAILS;
        return judged;
    }
    return (struct judged){PLAN_VERDICT_HOLDS};
}

/* The slack of one figure in each run. */
static void take_slacks(const struct plan_case_state *of, uint32_t figure, double *slacks)
{
    for (uint32_t i = 0; i < of->count; i++)
        slacks[i] = of->outcomes[i].figures[figure].slack;
}

/* An objective that is just met or not must be met in every run. */
static enum plan_side side_of_words(const struct plan_case_state *of, uint32_t figure,
                                    uint32_t *run)
{
    for (uint32_t i = 0; i < of->count; i++)
        if (!of->outcomes[i].figures[figure].held) {
            *run = i;
            return PLAN_SIDE_WRONG;
        }
    return PLAN_SIDE_RIGHT;
}

static struct judged judge_figures(const struct plan_test *test, const struct plan_case_state *of)
{
    struct judged judged = {PLAN_VERDICT_HOLDS};
    double *slacks = memory_zeroed(of->count, sizeof *slacks);
    for (uint32_t i = 0; i < of->asked_count && judged.verdict != PLAN_VERDICT_FAILS; i++) {
        uint32_t run = 0;
        enum plan_side side = PLAN_SIDE_OPEN;
        if (plan_is_mean(&of->asked[i])) {
            take_slacks(of, i, slacks);
            side = plan_side_of(test, slacks, of->count);
        } else {
            side = side_of_words(of, i, &run);
        }
        if (side == PLAN_SIDE_RIGHT)
            continue;
        judged = (struct judged){.verdict = side == PLAN_SIDE_WRONG ? PLAN_VERDICT_FAILS
                                                                    : PLAN_VERDICT_OPEN,
                                 .figure = i,
                                 .by_figure = true,
                                 .run = run};
    }
    free(slacks);
    return judged;
}

/* ------------------------------------------------------------------ texts */

static void write_reason(const struct plan_candidate *candidate, uint32_t of, const char *what,
                         char *why, size_t size)
{
    const char *name = candidate->cases->cases[of].name;
    snprintf(why, size, "%s%s%s", what, *name == '\0' ? "" : "; with ", name);
}

static_assert(PLAN_SEEDS_MAX == 1000, "it is in a sentence");

/* "raise most-seeds to 60", estimated from mean and variance so far. */
static void say_next(const struct plan_test *test, const struct plan_case_state *of,
                     uint32_t figure, char *text, size_t size)
{
    double *slacks = memory_zeroed(of->count, sizeof *slacks);
    take_slacks(of, figure, slacks);
    const uint32_t needed = plan_runs_needed(test, slacks, of->count, PLAN_SEEDS_MAX);
    free(slacks);
    if (needed > 0)
        snprintf(text, size, "raise most-seeds to %u", (unsigned)needed);
    else
        snprintf(text, size, "most-seeds 1000 does not decide either: raise tolerance");
}

static void say_figure(const struct plan_test *test, const struct plan_candidate *candidate,
                       uint32_t of, uint32_t figure, char *why, size_t size)
{
    const struct plan_case_state *state = &candidate->states[of];
    const struct expectation *asked = &state->asked[figure];
    const double slack = plan_mean_slack(state, figure);
    char text[PLAN_SENTENCE_BYTES + 160], next[80];
    const struct plan_estimate found = plan_estimate(state, figure);
    if (plan_is_mean(asked) && state->verdict == PLAN_VERDICT_UNSURE) {
        say_next(test, state, figure, next, sizeof next);
        snprintf(text, sizeof text, "%.100s: undecided at %s; %s", asked->text, found.text, next);
    } else if (plan_is_mean(asked)) {
        snprintf(text, sizeof text, "%.100s: %s, %s", asked->text, found.text,
                 plan_room(test->tolerance, slack, plan_headroom(asked, found.mean),
                           state->verdict == PLAN_VERDICT_HOLDS)
                     .text);
    } else {
        snprintf(text, sizeof text, "%.100s is not met", asked->text);
    }
    write_reason(candidate, of, text, why, size);
}

static void say_overload(const struct plan_candidate *candidate, uint32_t of,
                         const struct judged *judged, char *why, size_t size)
{
    const struct plan_case_state *state = &candidate->states[of];
    const struct plan_outcome *run = &state->outcomes[judged->run];
    const struct plan_figure *figure = &run->figures[judged->figure];
    char text[PLAN_SENTENCE_BYTES];
    snprintf(text, sizeof text, "%.100s: %s, misses the limit by %.3g%% and is not steady after %s",
             state->asked[judged->figure].text,
             plan_words(&state->asked[judged->figure], figure->value).text, -100 * figure->slack,
             words_time(run->duration).text);
    write_reason(candidate, of, text, why, size);
}

/* ------------------------------------------------------------------ of a candidate */

/* No more runs of this case, for now or at all. */
static bool is_out_of_runs(const struct plan_state *state, const struct plan_test *test,
                           uint32_t count)
{
    return count >= test->first &&
           (count >= state->plan->rules.most_seeds || count >= state->patience);
}

static struct judged judge_case(const struct plan_state *state, const struct plan_test *test,
                                const struct plan_case_state *mine)
{
    struct judged judged = judge_runs(state, mine);
    if (judged.verdict == PLAN_VERDICT_HOLDS)
        judged = judge_figures(test, mine);
    if (judged.verdict == PLAN_VERDICT_HOLDS && mine->count < test->first)
        judged.verdict = PLAN_VERDICT_OPEN;
    if (judged.verdict == PLAN_VERDICT_OPEN && mine->count > 0 &&
        is_out_of_runs(state, test, mine->count))
        judged.verdict = PLAN_VERDICT_UNSURE;
    return judged;
}

/* Whether this verdict of a case decides the candidate: a failed case does, whatever the others
 * are. */
static bool decides_candidate(const struct plan_candidate *candidate, enum plan_verdict verdict)
{
    if (verdict == PLAN_VERDICT_OPEN || verdict == PLAN_VERDICT_HOLDS)
        return false;
    return candidate->verdict == PLAN_VERDICT_OPEN ||
           (candidate->verdict == PLAN_VERDICT_UNSURE && verdict != PLAN_VERDICT_UNSURE);
}

/* Describes a run. A run of the maximum duration might become steady if it were longer. */
static void say_run(const struct plan_state *state, struct plan_candidate *candidate, uint32_t of,
                    const struct plan_outcome *run)
{
    char text[PLAN_SENTENCE_BYTES + 80], next[64] = "";
    if (candidate->verdict == PLAN_VERDICT_UNSETTLED &&
        run->duration >= plan_longest(state, candidate))
        snprintf(next, sizeof next, "; raise longest to %s", words_time(4 * run->duration).text);
    snprintf(text, sizeof text, "%s%s",
             run->why[0] != '\0' ? run->why : plan_verdict_about(candidate->verdict), next);
    write_reason(candidate, of, text, candidate->why, sizeof candidate->why);
}

static void take_verdict(const struct plan_state *state, const struct plan_test *test,
                         struct plan_candidate *candidate, uint32_t of, const struct judged *judged)
{
    const struct plan_outcome *run = &candidate->states[of].outcomes[judged->run];
    candidate->verdict = judged->verdict;
    candidate->decided_by = of;
    candidate->decided_slo = judged->by_figure ? (int32_t)judged->figure : -1;
    if (judged->verdict != PLAN_VERDICT_IDLE) /* not why members are idle */
        memcpy(candidate->limit, run->limit, sizeof candidate->limit);
    if (judged->by_figure)
        say_figure(test, candidate, of, judged->figure, candidate->why, sizeof candidate->why);
    else if (judged->overloaded)
        say_overload(candidate, of, judged, candidate->why, sizeof candidate->why);
    else
        say_run(state, candidate, of, run);
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

void plan_verdict_find(struct plan_state *state, struct plan_candidate *candidate)
{
    bool open = false;
    candidate->headroom = 1;
    candidate->measured = false;
    for (uint32_t i = 0; i < candidate->cases->count; i++) {
        struct plan_case_state *mine = &candidate->states[i];
        open |= mine->count == 0;
        if (mine->count == 0)
            continue;
        const struct plan_test test = plan_verdict_test(state, candidate, i);
        const struct judged judged = judge_case(state, &test, mine);
        mine->verdict = judged.verdict;
        open |= mine->verdict == PLAN_VERDICT_OPEN;
        if (decides_candidate(candidate, judged.verdict))
            take_verdict(state, &test, candidate, i, &judged);
        if (mine->verdict != PLAN_VERDICT_OPEN &&
            judge_runs(state, mine).verdict == PLAN_VERDICT_HOLDS)
            take_headroom(candidate, i);
    }
    if (candidate->verdict == PLAN_VERDICT_OPEN && !open)
        candidate->verdict = PLAN_VERDICT_HOLDS;
}
