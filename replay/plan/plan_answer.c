/* SPDX-License-Identifier: Apache-2.0
 * plan_answer - what a search ended with, as rows of its database. */
#include "replay/plan/plan_answer.h"

#include "base/memory.h"
#include "base/quantity.h"
#include "replay/plan/plan_assumed.h"
#include "replay/plan/plan_command.h"

#include <stdio.h>
#include <stdlib.h>

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

/* With the command that plays its first run; NULL: it was not played. */
static void write_trial(const struct plan_state *state, uint32_t index, uint32_t of,
                        struct store_statement *row)
{
    const struct plan_candidate *mine = &state->candidates[index];
    const struct plan_case_state *known = &mine->states[of];
    char *command = NULL;
    size_t length = 0;
    if (known->count > 0) {
        FILE *memory = memory_stream(&command, &length);
        plan_command(state, index, of, memory);
        memory_stream_end(memory);
    }
    STORE_INSERT(row, STORE_I(mine->key), STORE_I(of), STORE_T(mine->cases->cases[of].name),
                 STORE_T(plan_verdict_word(known->verdict)), STORE_I(known->count),
                 STORE_T(command));
    free(command);
}

/* Each objective of one that holds, where it is nearest to its limit. */
static void write_objectives(const struct plan_state *state, uint32_t index,
                             struct store_statement *row)
{
    const struct plan_candidate *mine = &state->candidates[index];
    for (uint32_t i = 0; mine->verdict == PLAN_VERDICT_HOLDS && i < state->plan->slo_count; i++) {
        const uint32_t worst = plan_nearest_case(mine, i);
        const struct expectation *asked = &mine->states[0].asked[i];
        const double mean = plan_mean(&mine->states[worst], i);
        const bool measured = plan_is_mean(asked);
        STORE_INSERT(row, STORE_I(index), STORE_I(i), STORE_T(asked->text),
                     STORE_T(mine->cases->cases[worst].name),
                     STORE_T(measured ? plan_words(asked, mean).text : NULL),
                     measured ? STORE_F(mean) : STORE_N,
                     measured ? STORE_F(plan_headroom(asked, mean)) : STORE_N);
    }
}

static void write_candidates(struct store *store, const struct plan_state *state)
{
    struct store_statement *row =
        store_prepare(store, "INSERT OR REPLACE INTO candidate VALUES(?,?,?,?,?,?,?,?,?,?)");
    struct store_statement *trial =
        store_prepare(store, "INSERT OR REPLACE INTO trial VALUES(?,?,?,?,?,?)");
    struct store_statement *part =
        store_prepare(store, "INSERT OR REPLACE INTO part VALUES(?,?,?,?,?)");
    struct store_statement *objective =
        store_prepare(store, "INSERT OR REPLACE INTO objective VALUES(?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < state->all; i++) {
        const struct plan_candidate *of = &state->candidates[i];
        if (of->states == NULL) /* a point behind the end of its cliff, or that is no scenario */
            continue;
        for (uint32_t k = 0; k < of->cases->count; k++)
            write_trial(state, i, k, trial);
        if (i >= state->own)
            continue;
        const bool priced = state->plan->has_prices;
        STORE_INSERT(row, STORE_I(i), STORE_T(of->cell->name),
                     priced ? STORE_F((double)of->bill.price / QUANTITY_DECIMAL_ONE) : STORE_N,
                     priced ? STORE_F((double)of->bill.power / QUANTITY_DECIMAL_ONE) : STORE_N,
                     priced ? STORE_I(of->bill.rack_units) : STORE_N,
                     STORE_T(plan_verdict_word(of->verdict)), STORE_T(of->why), STORE_T(of->limit),
                     of->measured ? STORE_F(of->headroom) : STORE_N, STORE_I(of->front));
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

void plan_answer_write(struct store *store, const struct plan_state *state)
{
    write_candidates(store, state);
    write_cliffs(store, state);
    write_assumed(store, state);
}
