/* SPDX-License-Identifier: Apache-2.0
 * plan_answer - writes the result of a search to its database. */
#include "replay/plan/plan_answer.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "replay/plan/plan_assumed.h"
#include "replay/plan/plan_cliff.h"
#include "replay/plan/plan_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_parts(const struct plan_state *state, uint32_t index, struct store_statement *row)
{
    const struct plan *plan = state->plan;
    for (size_t i = 0; plan->has_prices && i < plan->prices.count; i++) {
        const uint32_t count = state->candidates[index].bill.counts[i];
        char text[PLAN_NAME_BYTES];
        prices_part_text(&plan->prices.parts[i], text, sizeof text);
        if (count > 0)
            STORE_INSERT(row, STORE_I(index), STORE_T(text), STORE_I(count),
                         STORE_F((double)plan->prices.parts[i].price / QUANTITY_DECIMAL_ONE),
                         STORE_F((double)plan->prices.parts[i].power / QUANTITY_DECIMAL_ONE));
    }
}

/* The command of the first run of a case; NULL if it was not run. The caller frees it. */
static char *command_of(const struct plan_state *state, uint32_t index, uint32_t of)
{
    char *command = NULL;
    size_t length = 0;
    if (state->candidates[index].states[of].count == 0)
        return NULL;
    FILE *memory = memory_stream(&command, &length);
    plan_command(state, index, of, memory);
    memory_stream_end(memory);
    return command;
}

static void write_trial(const struct plan_state *state, uint32_t index, uint32_t of,
                        struct store_statement *row)
{
    const struct plan_candidate *mine = &state->candidates[index];
    const struct plan_case_state *known = &mine->states[of];
    char *command = command_of(state, index, of);
    STORE_INSERT(row, STORE_I(mine->key), STORE_I(of), STORE_T(mine->cases->cases[of].name),
                 STORE_T(plan_verdict_word(known->verdict)), STORE_I(known->count),
                 STORE_T(command));
    free(command);
}

/* Each objective of a candidate that was run, in the case closest to its limit. */
static void write_objectives(const struct plan_state *state, uint32_t index,
                             struct store_statement *row)
{
    const struct plan_candidate *mine = &state->candidates[index];
    for (uint32_t i = 0; i < state->plan->slo_count; i++) {
        const uint32_t worst = plan_nearest_case(mine, i);
        const struct plan_case_state *of = &mine->states[worst];
        const struct expectation *asked = &mine->states[0].asked[i];
        const bool measured = plan_is_mean(asked);
        if (of->count == 0)
            continue;
        const struct plan_estimate found = plan_estimate(of, i);
        const bool known = measured && found.half >= 0;
        STORE_INSERT(row, STORE_I(index), STORE_I(i), STORE_T(asked->text),
                     STORE_T(mine->cases->cases[worst].name), STORE_T(measured ? found.text : NULL),
                     measured ? STORE_F(found.mean) : STORE_N,
                     measured ? STORE_F(plan_headroom(asked, found.mean)) : STORE_N,
                     known ? STORE_F(found.mean - found.half) : STORE_N,
                     known ? STORE_F(found.mean + found.half) : STORE_N, STORE_I(of->count));
    }
}

static void write_candidates(struct store *store, const struct plan_state *state)
{
    struct store_statement *row = store_prepare(
        store, "INSERT OR REPLACE INTO candidate VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    struct store_statement *trial =
        store_prepare(store, "INSERT OR REPLACE INTO trial VALUES(?,?,?,?,?,?)");
    struct store_statement *part =
        store_prepare(store, "INSERT OR REPLACE INTO part VALUES(?,?,?,?,?)");
    struct store_statement *objective =
        store_prepare(store, "INSERT OR REPLACE INTO objective VALUES(?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < state->all; i++) {
        const struct plan_candidate *of = &state->candidates[i];
        if (of->states == NULL) /* a point beyond the end of its cliff, or an invalid scenario */
            continue;
        for (uint32_t k = 0; k < of->cases->count; k++)
            write_trial(state, i, k, trial);
        if (i >= state->points)
            continue;
        const bool priced = state->plan->has_prices;
        STORE_INSERT(
            row, STORE_I(i), STORE_T(of->cell->name),
            priced ? STORE_F((double)of->bill.price / QUANTITY_DECIMAL_ONE) : STORE_N,
            priced ? STORE_F((double)of->bill.power / QUANTITY_DECIMAL_ONE) : STORE_N,
            priced ? STORE_I(of->bill.rack_units) : STORE_N,
            STORE_T(plan_verdict_word(of->verdict)), STORE_T(of->why), STORE_T(of->limit),
            of->measured ? STORE_F(of->headroom) : STORE_N, STORE_I(of->front),
            of->facts.oversubscription > 0 ? STORE_F((double)of->facts.oversubscription / 1000)
                                           : STORE_N,
            STORE_I(of->facts.switches), STORE_I(of->facts.ports_used),
            STORE_I(of->facts.ports_most), STORE_I(of->facts.host_cables),
            STORE_I(of->facts.fabric_cables),
            STORE_T(plan_result_word(plan_result_of(of->verdict))), STORE_T(of->cell->label));
        write_parts(state, i, part);
        write_objectives(state, i, objective);
    }
    store_finish(row);
    store_finish(trial);
    store_finish(part);
    store_finish(objective);
}

static void write_cliffs(struct store *store, const struct plan_state *state)
{
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO cliff VALUES(?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < state->plan->cliff_count; i++) {
        const struct plan_cliff *cliff = &state->cliffs[i];
        const struct grid_axis *axis = &state->plan->cliffs[i].axes[0];
        for (uint32_t k = 0; k < cliff->holds + cliff->ends; k++) {
            const struct plan_candidate *point = &state->candidates[cliff->first + k];
            STORE_INSERT(row, STORE_I(i), STORE_T(axis->path), STORE_T(axis->as), STORE_I(k),
                         STORE_T(axis->values[k]), STORE_I(cliff->first + k),
                         STORE_T(plan_verdict_word(point->verdict)), STORE_T(point->why),
                         STORE_T(point->limit),
                         point->measured ? STORE_F(point->headroom) : STORE_N);
        }
    }
    store_finish(row);
}

/* The key is the lever, not a running number. */
static void write_move(const struct plan_state *state, uint32_t cliff, uint32_t index,
                       struct store_statement *row)
{
    const struct plan_move *move = plan_cliff_move(state, cliff, index);
    const struct grid_axis *axis = &state->plan->cliffs[cliff].axes[0];
    struct plan_lever lever;
    if (!state->cliffs[cliff].ends || !plan_cliff_lever(state, index, &lever))
        return;
    const struct plan_candidate *end = &state->candidates[move->first + move->holds];
    const bool ends = move->played && move->ends;
    STORE_INSERT(row, STORE_I(cliff), STORE_I(index), STORE_T(lever.path), STORE_T(lever.value),
                 STORE_I(move->played), STORE_I(plan_cliff_steps(state, cliff, index)),
                 STORE_T(move->played && move->holds > 0 ? axis->values[move->holds - 1] : NULL),
                 STORE_T(ends ? axis->values[move->holds] : NULL), STORE_T(ends ? end->why : NULL),
                 STORE_T(ends ? end->limit : NULL));
}

static void write_moves(struct store *store, const struct plan_state *state)
{
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO move VALUES(?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < state->plan->cliff_count && state->chosen >= 0; i++)
        for (uint32_t k = 0; k < state->lever_count; k++)
            write_move(state, i, k, row);
    store_finish(row);
}

static void write_guess(const struct plan_state *state, const struct plan_subject *subject,
                        uint32_t position, struct store_statement *row)
{
    const struct plan_guess *guess = &subject->guesses[position];
    const struct plan_candidate *mine = &state->candidates[subject->candidate];
    const bool measured = subject->slo >= 0;
    const struct store_value slo =
        measured ? STORE_T(mine->states[subject->of].asked[subject->slo].text) : STORE_N;
    for (uint32_t i = 0; i < guess->change_count; i++) {
        const struct plan_change *change = &guess->changes[i];
        const struct plan_candidate *point = &state->candidates[change->point];
        STORE_INSERT(row, STORE_I(mine->key), STORE_I(position), STORE_T(guess->path),
                     STORE_T(guess->evidence), STORE_T(guess->source), STORE_T(guess->value),
                     STORE_T(change->value), STORE_T(mine->cases->cases[subject->of].name), slo,
                     measured ? STORE_F(subject->figure) : STORE_N,
                     change->measured ? STORE_F(change->figure) : STORE_N,
                     change->measured ? STORE_F(change->moved) : STORE_N, STORE_I(change->matters),
                     STORE_T(change->played ? plan_verdict_word(point->verdict) : NULL),
                     STORE_T(point->why), STORE_I(change->flips),
                     change->played ? STORE_I(point->key) : STORE_N);
    }
}

static void write_assumed(struct store *store, const struct plan_state *state)
{
    struct store_statement *row = store_prepare(
        store, "INSERT OR REPLACE INTO assumed VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; state->assumed != NULL && i < state->assumed->count; i++)
        for (uint32_t k = 0; k < state->assumed->subjects[i].count; k++)
            write_guess(state, &state->assumed->subjects[i], k, row);
    store_finish(row);
}

static void write_unmodelled(struct store *store)
{
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO unmodelled VALUES(?,?)");
    for (size_t i = 0; plan_unmodelled[i] != NULL; i++)
        STORE_INSERT(row, STORE_I(i), STORE_T(plan_unmodelled[i]));
    store_finish(row);
}

void plan_answer_write(struct store *store, const struct plan_state *state)
{
    write_unmodelled(store);
    write_candidates(store, state);
    write_cliffs(store, state);
    write_moves(store, state);
    write_assumed(store, state);
}

/* ------------------------------------------------------------------ comparison of designs */

static const char *const side_names[PLAN_VERSUS_SIDES] = {"A", "B"};

static void write_design(const struct plan_versus *versus, int side, struct store_statement *row,
                         struct store_statement *part)
{
    const struct plan_state *state = versus->states[side];
    const struct plan *plan = state->plan;
    const struct plan_candidate *mine = &state->candidates[versus->designs[side]];
    const bool priced = plan->has_prices;
    char *command = command_of(state, versus->designs[side], 0);
    STORE_INSERT(row, STORE_T(side_names[side]), STORE_T(plan->grid.name),
                 STORE_T(plan->grid.about), STORE_T(plan->grid.scenario), STORE_T(mine->cell->name),
                 STORE_T(plan_verdict_word(mine->verdict)), STORE_T(mine->why),
                 STORE_T(priced ? plan->prices.currency : NULL),
                 priced ? STORE_F((double)mine->bill.price / QUANTITY_DECIMAL_ONE) : STORE_N,
                 priced ? STORE_F((double)mine->bill.power / QUANTITY_DECIMAL_ONE) : STORE_N,
                 priced ? STORE_I(mine->bill.rack_units) : STORE_N, STORE_T(command));
    free(command);
    for (size_t i = 0; priced && i < plan->prices.count; i++) {
        char text[PLAN_NAME_BYTES];
        prices_part_text(&plan->prices.parts[i], text, sizeof text);
        if (mine->bill.counts[i] > 0)
            STORE_INSERT(part, STORE_T(side_names[side]), STORE_T(text),
                         STORE_I(mine->bill.counts[i]),
                         STORE_F((double)plan->prices.parts[i].price / QUANTITY_DECIMAL_ONE));
    }
}

void plan_answer_signed(uint32_t measure, double value, char text[PLAN_MEASURE_BYTES])
{
    const struct words words = plan_measure_words(measure, value);
    const bool nothing = strpbrk(words.text, "123456789") == NULL; /* rounded to zero */
    snprintf(text, PLAN_MEASURE_BYTES, "%s%s", nothing ? "" : value < 0 ? "-" : "+", words.text);
}

static void write_case(const struct plan_versus *versus, const struct plan_versus_case *of,
                       struct store_statement *row)
{
    const struct plan_state *state = versus->states[0];
    const char *failure = state->candidates[versus->designs[0]].cases->cases[of->of[0]].name;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct plan_difference *found = &of->differences[i];
        char name[PLAN_MEASURE_BYTES], apart[PLAN_MEASURE_BYTES];
        plan_measure_name(found->measure, state->workloads, name);
        plan_answer_signed(found->measure, found->mean, apart);
        STORE_INSERT(row, STORE_T(failure), STORE_I(found->measure), STORE_T(name),
                     STORE_T(plan_measure_unit(found->measure)),
                     STORE_I(plan_measure_better(found->measure)), STORE_F(found->means[0]),
                     STORE_F(found->means[1]), STORE_F(found->mean), STORE_F(found->half),
                     STORE_I(found->differs), STORE_I(versus->seeds),
                     STORE_T(plan_measure_words(found->measure, found->means[0]).text),
                     STORE_T(plan_measure_words(found->measure, found->means[1]).text),
                     STORE_T(apart), STORE_T(plan_measure_words(found->measure, found->half).text));
    }
}

void plan_answer_versus(struct store *store, const struct plan_versus *versus)
{
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO design VALUES(?,?,?,?,?,?,?,?,?,?,?,?)");
    struct store_statement *part =
        store_prepare(store, "INSERT OR REPLACE INTO design_part VALUES(?,?,?,?)");
    struct store_statement *difference = store_prepare(
        store, "INSERT OR REPLACE INTO difference VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (int i = 0; i < PLAN_VERSUS_SIDES && versus->why[0] == '\0'; i++)
        write_design(versus, i, row, part);
    for (uint32_t i = 0; i < versus->count; i++)
        write_case(versus, &versus->cases[i], difference);
    store_finish(row);
    store_finish(part);
    store_finish(difference);
}
