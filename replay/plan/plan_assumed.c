/* SPDX-License-Identifier: Apache-2.0
 * plan_assumed - collects assumed values, runs each change once, and continues to a verdict if it
 * has an effect. */
#include "replay/plan/plan_assumed.h"

#include "base/memory.h"
#include "replay/plan/plan_round.h"
#include "scenarios/load/library.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_AT_ONCE = 16 }; /* changes per round; independent of the number of processors */

/* One point of a round. */
struct errand {
    struct plan_subject *subject;
    struct plan_guess *guess;
    struct plan_change *change;
    uint32_t cases; /* cases of the point; at first only one of them is run */
};

/* ------------------------------------------------------------------ selection of candidates */

static bool has_runs(const struct plan_candidate *candidate, uint32_t of)
{
    const struct plan_case_state *state = &candidate->states[of];
    for (uint32_t i = 0; i < state->count; i++)
        if (state->outcomes[i].end < PLAN_RUN_UNSETTLED)
            return false;
    return state->count > 0;
}

static void add_subject(struct plan_state *state, uint32_t index)
{
    struct plan_subject *subject = &state->assumed->subjects[state->assumed->count++];
    const struct plan_candidate *mine = &state->candidates[index];
    const bool holds = mine->verdict == PLAN_VERDICT_HOLDS;
    *subject = (struct plan_subject){.candidate = index,
                                     .of = holds ? mine->least_case : mine->decided_by,
                                     .slo = -1,
                                     .binds = -1};
    const struct plan_case_state *of = &mine->states[subject->of];
    double least = 0;
    for (uint32_t i = 0; i < of->asked_count && has_runs(mine, subject->of); i++) {
        const double mean = plan_mean(of, i), headroom = plan_headroom(&of->asked[i], mean);
        if (!plan_is_mean(&of->asked[i]) || (subject->slo >= 0 && headroom >= least))
            continue;
        subject->slo = (int32_t)i;
        subject->figure = mean;
        least = headroom;
    }
}

static bool may_hold(enum plan_verdict verdict)
{
    return verdict == PLAN_VERDICT_FAILS || verdict == PLAN_VERDICT_IDLE ||
           verdict == PLAN_VERDICT_UNSETTLED || verdict == PLAN_VERDICT_UNSURE;
}

/* If the objective is headroom, a cheaper candidate has no advantage. */
static bool is_by_headroom(const struct plan_state *state)
{
    return state->plan->rules.objective == PLAN_HEADROOM;
}

static void find_subjects(struct plan_state *state)
{
    uint32_t *order = memory_zeroed(state->count, sizeof *order), count = 0;
    if (state->chosen >= 0)
        add_subject(state, (uint32_t)state->chosen);
    for (uint32_t i = 0; i < state->count; i++)
        if (may_hold(state->candidates[i].verdict) &&
            (state->chosen < 0 || is_by_headroom(state) ||
             plan_is_before(state, i, (uint32_t)state->chosen)))
            order[count++] = i;
    plan_sort(state, order, count);
    for (uint32_t i = 0; i < count && state->assumed->count < PLAN_SUBJECTS_MAX; i++)
        add_subject(state, order[i]);
    free(order);
}

/* ------------------------------------------------------------------ changed values */

static const char *kept(struct plan_state *state, const char *text)
{
    return text == NULL ? NULL : arena_text(&state->arena, text, strlen(text));
}

static void find_guesses(struct plan_state *state, struct plan_subject *subject)
{
    const struct grid_cell *cell = state->candidates[subject->candidate].cell;
    struct diag *diag = memory_new(sizeof *diag);
    struct scenario *scenario =
        library_load(state->plan->grid.scenario, cell->sets, cell->set_count, diag);
    struct assumed assumed = {0};
    if (scenario != NULL)
        assumed_look(&assumed, scenario);
    subject->guesses = arena_array(&state->arena, assumed.value_count, sizeof *subject->guesses);
    subject->count = assumed.value_count;
    subject->left_out = assumed.left_out;
    for (uint32_t i = 0; i < assumed.value_count; i++) {
        const struct assumed_value *value = &assumed.values[i];
        subject->guesses[i] = (struct plan_guess){.path = kept(state, value->path),
                                                  .evidence = value->evidence,
                                                  .source = kept(state, value->source),
                                                  .sources = value->sources,
                                                  .error = (double)value->error / (double)PPM,
                                                  .value = kept(state, value->value),
                                                  .change_count = value->trial_count};
        for (uint32_t k = 0; k < value->trial_count; k++) {
            subject->guesses[i].changes[k].value = kept(state, value->trials[k].value);
            subject->guesses[i].changes[k].ratio = value->trials[k].ratio;
        }
    }
    assumed_free(&assumed);
    scenario_free(scenario);
    free(diag);
}

uint32_t plan_assumed_key(const struct plan_state *state, uint32_t candidate, uint32_t value,
                          uint32_t change)
{
    return state->own + (candidate * ASSUMED_MAX + value) * ASSUMED_TRIALS + change;
}

/* Makes room for all points after the state's own candidates. */
static uint32_t make_points(struct plan_state *state)
{
    const uint32_t own = state->own;
    uint32_t points = 0;
    for (uint32_t i = 0; i < state->assumed->count; i++)
        for (uint32_t k = 0; k < state->assumed->subjects[i].count; k++)
            points += state->assumed->subjects[i].guesses[k].change_count;
    struct plan_candidate *all = memory_zeroed(own + points, sizeof *all);
    memcpy(all, state->candidates, own * sizeof *all);
    free(state->candidates);
    state->candidates = all;
    state->all = own + points;
    return points;
}

static uint32_t list_errands(struct plan_state *state, struct errand *errands)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < state->assumed->count; i++) {
        struct plan_subject *subject = &state->assumed->subjects[i];
        for (uint32_t k = 0; k < subject->count; k++)
            for (uint32_t n = 0; n < subject->guesses[k].change_count; n++) {
                struct plan_change *change = &subject->guesses[k].changes[n];
                struct plan_candidate *point = &state->candidates[state->own + count];
                change->point = state->own + count;
                point->key = plan_assumed_key(state, subject->candidate, k, n);
                errands[count++] = (struct errand){subject, &subject->guesses[k], change, 0};
            }
    }
    return count;
}

/* Moves the case to be run to the front and hides the others for now. */
static void open_point(struct plan_state *state, struct errand *errand)
{
    struct plan_candidate *point = &state->candidates[errand->change->point];
    const uint32_t key = point->key, of = errand->subject->of;
    const char *name =
        arena_format(&state->arena, "%s=%s", errand->guess->path, errand->change->value);
    const bool well = plan_search_point(state, errand->change->point, errand->subject->candidate,
                                        &(struct plan_extra){name, &name, 1});
    point->key = key;
    if (!well || of >= point->cases->count)
        return;
    const struct plan_case first = point->cases->cases[0];
    const struct plan_case_state state_of_first = point->states[0];
    point->cases->cases[0] = point->cases->cases[of];
    point->cases->cases[of] = first;
    point->states[0] = point->states[of];
    point->states[of] = state_of_first;
    errand->cases = point->cases->count;
    point->cases->count = 1;
}

/* ------------------------------------------------------------------ runs */

static const struct plan_case_state *base_of(const struct plan_state *state,
                                             const struct plan_subject *subject)
{
    return &state->candidates[subject->candidate].states[subject->of];
}

/* The change has no effect: the run is identical. */
static bool is_same_run(const struct plan_outcome *a, const struct plan_outcome *b)
{
    return a->end == b->end && a->digest[0] == b->digest[0] && a->digest[1] == b->digest[1];
}

static uint32_t
list_points(const struct plan_state *state, const struct errand *errands, uint32_t count,
            bool (*fits)(const struct plan_state *state, const struct errand *errand),
            uint32_t points[CHANGES_AT_ONCE])
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < count; i++)
        if (fits(state, &errands[i]))
            points[listed++] = errands[i].change->point;
    return listed;
}

static bool is_open(const struct plan_state *state, const struct errand *errand)
{
    return errand->cases > 0 &&
           state->candidates[errand->change->point].verdict == PLAN_VERDICT_OPEN;
}

/* The case that was run now passes, which is not enough for a verdict on the other cases. */
static bool is_half(const struct plan_state *state, const struct errand *errand)
{
    const struct plan_candidate *point = &state->candidates[errand->change->point];
    return point->verdict == PLAN_VERDICT_HOLDS && errand->change->matters &&
           state->chosen != errand->subject->candidate && errand->cases > 1;
}

static void take_first_runs(struct plan_state *state, struct errand *errands, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct errand *errand = &errands[i];
        struct plan_candidate *point = &state->candidates[errand->change->point];
        const struct plan_case_state *base = base_of(state, errand->subject);
        if (!is_open(state, errand))
            continue;
        errand->change->matters =
            base->count == 0 || !is_same_run(&base->outcomes[0], &point->states[0].outcomes[0]);
        if (!errand->change->matters)
            point->verdict = state->candidates[errand->subject->candidate].verdict;
    }
}

/* Returns false if the budget was spent or a stop requested before the end. */
static bool play_some(const struct plan_search *search, struct errand *errands, uint32_t count)
{
    struct plan_state *state = search->state;
    uint32_t points[CHANGES_AT_ONCE];
    for (uint32_t i = 0; i < count; i++)
        open_point(state, &errands[i]);
    uint32_t listed = list_points(state, errands, count, is_open, points);
    if (listed > 0 && !plan_round_try(search, points, listed))
        return false;
    take_first_runs(state, errands, count);
    listed = list_points(state, errands, count, is_open, points);
    plan_round_play(search, points, listed);
    listed = list_points(state, errands, count, is_half, points);
    for (uint32_t i = 0; i < count; i++)
        if (is_half(state, &errands[i]))
            state->candidates[errands[i].change->point].cases->count = errands[i].cases;
    plan_round_play(search, points, listed);
    return !state->spent && !state->stopped;
}

/* ------------------------------------------------------------------ effects */

static bool flips(const struct plan_state *state, const struct plan_subject *subject,
                  const struct plan_candidate *point)
{
    if (subject->candidate == state->chosen)
        return point->verdict == PLAN_VERDICT_FAILS || point->verdict == PLAN_VERDICT_IDLE ||
               point->verdict == PLAN_VERDICT_UNSETTLED;
    return point->verdict == PLAN_VERDICT_HOLDS &&
           (state->chosen < 0 || !is_by_headroom(state) ||
            point->headroom > state->candidates[state->chosen].headroom);
}

/* Compares with the runs of the unchanged candidate with the same seeds. */
static void measure_change(const struct plan_state *state, const struct plan_subject *subject,
                           struct plan_change *change)
{
    const struct plan_candidate *point = &state->candidates[change->point];
    const struct plan_case_state *with = &point->states[0], *without = base_of(state, subject);
    const uint32_t seeds = with->count < without->count ? with->count : without->count;
    if (subject->slo < 0 || seeds == 0 || !has_runs(point, 0))
        return;
    double sum = 0;
    for (uint32_t i = 0; i < seeds; i++)
        sum += with->outcomes[i].figures[subject->slo].value -
               without->outcomes[i].figures[subject->slo].value;
    change->measured = true;
    change->moved = change->matters ? sum / seeds / (double)without->asked[subject->slo].value : 0;
    change->figure = change->matters ? plan_mean(with, (uint32_t)subject->slo) : subject->figure;
}

static void conclude(const struct plan_state *state, const struct errand *errand)
{
    const struct plan_candidate *point = &state->candidates[errand->change->point];
    struct plan_guess *guess = errand->guess;
    struct plan_change *change = errand->change;
    change->played = point->cell != NULL && point->verdict != PLAN_VERDICT_OPEN;
    state->assumed->unplayed += !change->played;
    if (!change->played)
        return;
    change->flips = change->matters && flips(state, errand->subject, point);
    if (errand->cases > 0)
        measure_change(state, errand->subject, change);
    const double effect = change->moved < 0 ? -change->moved : change->moved;
    guess->effect = effect > guess->effect ? effect : guess->effect;
    guess->matters |= change->matters;
    guess->flips |= change->flips;
}

static int rank_guess(const struct plan_guess *guess)
{
    return guess->flips ? 2 : guess->matters ? 1 : 0;
}

/* Sorts by effect, then (without a measured effect) by whether it changes the verdict, then by
 * whether it changes the run, then by order in the scenario. */
static void sort_guesses(struct plan_subject *subject)
{
    for (uint32_t i = 1; i < subject->count; i++)
        for (uint32_t k = i; k > 0; k--) {
            struct plan_guess *a = &subject->guesses[k - 1], *b = &subject->guesses[k];
            if (a->effect > b->effect ||
                (!(b->effect > a->effect) && rank_guess(a) >= rank_guess(b)))
                break;
            const struct plan_guess moved = *a;
            *a = *b;
            *b = moved;
        }
}

/* A figure that follows the value to the power k is uncertain by the value's error to that
 * power. */
static double spread_of(const struct plan_guess *guess, const struct plan_change *change,
                        double limit)
{
    const double before = change->figure - change->moved * limit;
    if (!change->measured || before <= 0 || change->figure <= 0 || change->ratio <= 0)
        return 0;
    const double power = fabs(log(change->figure / before) / log(change->ratio));
    return pow(1 + guess->error, power);
}

static void find_spread(const struct plan_state *state, struct plan_subject *subject)
{
    const struct plan_case_state *base = base_of(state, subject);
    double most = 1;
    for (uint32_t i = 0; i < subject->count && subject->slo >= 0; i++) {
        struct plan_guess *guess = &subject->guesses[i];
        const double limit = (double)base->asked[subject->slo].value;
        for (uint32_t k = 0; k < guess->change_count; k++) {
            const double spread = spread_of(guess, &guess->changes[k], limit);
            guess->spread = spread > guess->spread ? spread : guess->spread;
        }
        if (guess->spread > most) {
            most = guess->spread;
            subject->binds = (int32_t)i;
        }
    }
}

static void play_all(const struct plan_search *search, struct errand *errands, uint32_t count)
{
    struct plan_state *state = search->state;
    bool well = true;
    for (uint32_t i = 0; i < count && well; i += CHANGES_AT_ONCE) {
        const uint32_t left = count - i;
        well = play_some(search, &errands[i], left < CHANGES_AT_ONCE ? left : CHANGES_AT_ONCE);
    }
    for (uint32_t i = 0; i < count; i++)
        conclude(state, &errands[i]);
    for (uint32_t i = 0; i < state->assumed->count; i++)
        sort_guesses(&state->assumed->subjects[i]);
    for (uint32_t i = 0; i < state->assumed->count; i++)
        find_spread(state, &state->assumed->subjects[i]);
}

void plan_assumed_play(const struct plan_search *search)
{
    struct plan_state *state = search->state;
    if (state->stopped || state->spent)
        return;
    const int64_t before = state->runs;
    state->assumed = arena_take(&state->arena, sizeof *state->assumed);
    find_subjects(state);
    for (uint32_t i = 0; i < state->assumed->count; i++)
        find_guesses(state, &state->assumed->subjects[i]);
    struct errand *errands = memory_zeroed(make_points(state), sizeof *errands);
    play_all(search, errands, list_errands(state, errands));
    state->assumed->runs = state->runs - before;
    free(errands);
}
