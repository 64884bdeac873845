/* SPDX-License-Identifier: Apache-2.0
 * Claims: their form and its errors, the embedded ones, and the verdict of cases. */
#include "base/memory.h"
#include "replay/claim/settle.h"
#include "scenarios/load/library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD    "stormglass-claim: 1\nrows: [24, N6]\nclaim: C.\nsource: S\n"
#define RUN     "scenario: {stormglass: 1}\n"
#define AXIS    "cases: [{name: size, path: a.b, values: [1KiB, 2KiB, 4KiB]}]\n"
#define FIGURES "figures: [{name: f, about: F, value: w.iops, unit: count}]\n"
#define IF      "true-if: [\"f > 2\"]\n"
#define SIDES   "sides: [{name: a}, {name: b, set: {x.y: 1}}]\n"

static struct claim *load_text(const char *text, struct diag *diag)
{
    *diag = (struct diag){.count = 0};
    return claim_load("claims/x.yaml", text, strlen(text), diag);
}

static void forms_are_read(void **state)
{
    (void)state;
    struct diag *diag = memory_new(sizeof *diag);
    struct claim *claim =
        load_text(HEAD RUN AXIS SIDES
                  "figures:\n"
                  "  - {name: gain, about: G, value: \"a: w.iops / b: w.iops\", unit: times}\n"
                  "  - {name: part, about: P, value: \"b: w.goodput / 100Gbps\", unit: percent}\n"
                  "  - {name: word, about: W, sql: SELECT 1, side: b, unit: word}\n"
                  "true-if: [\"gain >= 1.5\", \"part < 40%\", word == rnic]\n",
                  diag);
    assert_non_null(claim);
    assert_string_equal(claim->name, "x");
    assert_int_equal(claim->case_count, 3);
    assert_true(claim->axes[0].ordered);
    assert_string_equal(claim_choice(claim, 2, 0)->sets.sets[0], "a.b=4KiB");
    assert_string_equal(claim->sides[1].sets.sets[0], "x.y=1");
    assert_string_equal(claim->figures[0].by.quantity, "w.iops");
    assert_int_equal(claim->figures[0].by.side, 1);
    assert_int_equal(claim->figures[1].by.constant, 100000000000);
    assert_int_equal(claim->conditions[1].value, 400000000000000);
    assert_int_equal(claim->conditions[0].value, 1500);
    assert_string_equal(claim->conditions[2].word, "rnic");
    assert_true(claim_is_named(claim, "X") && claim_is_named(claim, "n06") &&
                claim_is_named(claim, "024"));
    assert_false(claim_is_named(claim, "6") || claim_is_named(claim, "N24"));
    claim_free(claim);
    free(diag);
}

static const struct {
    const char *text, *error;
} refused[] = {
    {"stormglass: 1\n", "expected a claim, but this is a scenario"},
    {"stormglass-claim: 2\n", "version"},
    {HEAD RUN AXIS FIGURES IF "nope: 1\n", "nope"},
    {"stormglass-claim: 1\nrows: [43]\nclaim: C.\nsource: S\n",
     "expected a row such as 24, N6 or C2"},
    {"stormglass-claim: 1\nrows: [0]\nclaim: C.\nsource: S\n", "expected a row"},
    {HEAD AXIS FIGURES IF, "cannot-run"},
    {HEAD "cannot-run: because\n" RUN, "scenario"},
    {HEAD RUN "cases: [{name: n, path: p, values: [1]}]\n" FIGURES IF, "2 to 24 values"},
    {HEAD RUN "cases: [{name: n}]\n" FIGURES IF, "choices"},
    {HEAD RUN
     "cases: [{name: n, choices: [{name: a, not-modeled: x}, {name: b, not-modeled: y}]}]\n" FIGURES
         IF,
     "no case can be run"},
    {HEAD RUN "sides: [{name: a}]\n" FIGURES IF, "2 to 6 sides"},
    {HEAD RUN "seeds: 2\n" FIGURES IF, "odd number of seeds"},
    {HEAD RUN "seeds: 11\n" FIGURES IF, "odd number of seeds"},
    {HEAD RUN SIDES FIGURES IF, "there is no side ''"},
    {HEAD RUN "sides: [{name: a}, {name: a}]\n" FIGURES IF, "duplicate side"},
    {HEAD RUN "sides: [{name: a, set: {x: [1]}}, {name: b}]\n" FIGURES IF, "in quotes"},
    {HEAD RUN "figures: [{name: f, about: F, value: w.iops, unit: counts}]\n" IF,
     "did you mean 'count'"},
    {HEAD RUN "figures: [{name: f, about: F, value: w.iops, unit: times}]\n" IF,
     "time, size, rate or count"},
    {HEAD RUN "figures: [{name: f, about: F, value: w.iops / 2, unit: count}]\n" IF,
     "percent or times"},
    {HEAD RUN "figures: [{name: f, about: F, value: \"nope: w.iops\", unit: count}]\n" IF,
     "no side 'nope'"},
    {HEAD RUN FIGURES "true-if: [f]\n", "FIGURE OP VALUE"},
    {HEAD RUN FIGURES "true-if: [\"g > 1\"]\n", "FIGURE OP VALUE"},
    {HEAD RUN FIGURES "true-if: [\"f > 1us\"]\n", "expected a"},
    {HEAD RUN "figures: [{name: f, about: F, sql: SELECT 1, unit: word}]\ntrue-if: [f > x]\n",
     "== or !="},
    {HEAD RUN FIGURES "true-if: []\n", "1 to 6 conditions"},
};

static void errors_are_located(void **state)
{
    (void)state;
    struct diag *diag = memory_new(sizeof *diag);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_null(load_text(refused[i].text, diag));
        if (strstr(diag_error(diag, ""), refused[i].error) == NULL)
            fail_msg("row %zu: '%s' is not in: %s", i, refused[i].error, diag_error(diag, ""));
    }
    free(diag);
}

/* Every embedded claim has its form, a scenario that loads in each case, and a name of its own. */
static void embedded_claims_load(void **state)
{
    (void)state;
    uint32_t count;
    struct claim **claims = claim_load_all(&count);
    struct diag *diag = memory_new(sizeof *diag);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        const struct claim *claim = claims[i];
        const struct scenario_source source = {claim->file->name, claim->file->text,
                                               claim->file->length};
        for (uint32_t c = 0; claim->cannot_run == NULL && c < claim->case_count; c++) {
            const char *sets[CLAIM_AXES_MAX * CLAIM_SETS_MAX];
            uint32_t used = 0;
            if (claim_not_modeled(claim, c) != NULL)
                continue;
            for (uint32_t axis = 0; axis < claim->axis_count; axis++)
                for (uint32_t k = 0; k < claim_choice(claim, c, axis)->sets.count; k++)
                    sets[used++] = claim_choice(claim, c, axis)->sets.sets[k];
            struct scenario *scenario = library_load_text(&source, sets, used, diag);
            if (scenario == NULL)
                fail_msg("%s, case %u: %s", claim->name, (unsigned)c, diag_error(diag, ""));
            scenario_free(scenario);
        }
    }
    free(diag);
    claim_free_all(claims);
}

/* Each row of the list of statements has a claim. */
static void rows_are_complete(void **state)
{
    (void)state;
    static const struct {
        const char *series;
        unsigned most;
    } rows[] = {{"", 42}, {"N", 10}, {"C", 10}};
    uint32_t count;
    struct claim **claims = claim_load_all(&count);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned row = 1; row <= rows[i].most; row++) {
            char id[CLAIM_ROW_BYTES];
            bool found = false;
            snprintf(id, sizeof id, "%s%u", rows[i].series, row);
            for (uint32_t c = 0; c < count; c++)
                found |= claim_is_named(claims[c], id);
            if (!found)
                fail_msg("no claim for row %s", id);
        }
    claim_free_all(claims);
}

/* ---- verdicts: a letter for each case, T, F, ? and - ---- */

static void decide(const char *text, const char *states, enum settle_verdict verdict,
                   const char *condition)
{
    static const char letters[] = "TF?-";
    struct diag *diag = memory_new(sizeof *diag);
    struct claim *claim = load_text(text, diag);
    assert_non_null(claim);
    assert_int_equal(claim->case_count, strlen(states));
    struct settled settled = {.claim = claim};
    settled.cases = memory_zeroed(claim->case_count, sizeof *settled.cases);
    for (uint32_t i = 0; i < claim->case_count; i++)
        settled.cases[i].state = (enum settle_case_state)(strchr(letters, states[i]) - letters);
    settle_decide(&settled);
    assert_int_equal(settled.verdict, verdict);
    assert_string_equal(settled.condition, condition);
    settle_free(&settled, 1);
    claim_free(claim);
    free(diag);
}

static void verdicts_follow_from_cases(void **state)
{
    (void)state;
    static const char line[] = HEAD RUN AXIS FIGURES IF;
    static const char words[] =
        HEAD RUN "cases: [{name: kind, choices: [{name: a}, {name: b}, {name: c}]}]\n" FIGURES IF;
    static const char plane[] =
        HEAD RUN "cases:\n  - {name: kind, choices: [{name: a}, {name: b}]}\n"
                 "  - {name: size, path: p, values: [1, 2, 3]}\n" FIGURES IF;
    static const char many[] = HEAD RUN
        "cases: [{name: kind, choices: [{name: a}, {name: b}, {name: c}, {name: d}, {name: "
        "e}]}]\n" FIGURES IF;
    static const char rows[] =
        HEAD RUN "cases:\n  - {name: kind, choices: [{name: a}, {name: b}, {name: c}]}\n"
                 "  - {name: size, path: p, values: [1, 2]}\n" FIGURES IF;
    static const char uniform[] =
        HEAD RUN "cases:\n  - {name: kind, choices: [{name: a}, {name: b}, {name: c}, {name: d}, "
                 "{name: e}]}\n"
                 "  - {name: size, path: p, values: [1, 2]}\n" FIGURES IF;
    decide(uniform, "TTFFTTTTTT", SETTLE_CONDITIONAL,
           "kind = a or c or d or e, with every tested value of size (1 to 2); false in all other "
           "tested cases");
    decide(uniform, "TTFFTTTTTF", SETTLE_CONDITIONAL,
           "in 7 of 10 tested cases; false: b at 1; b at 2; e at 2");
    decide(many, "TFTTT", SETTLE_CONDITIONAL, "in 4 of 5 tested cases; false: b");
    decide(many, "FFTFT", SETTLE_CONDITIONAL, "in 2 of 5 tested cases: c; e");
    decide(rows, "TFTFTF", SETTLE_CONDITIONAL,
           "in 3 of 6 tested cases; false: a at 2; b at 2; c at 2");
    decide(line, "TTT", SETTLE_TRUE, "");
    decide(line, "FFF", SETTLE_FALSE, "");
    decide(line, "TT?", SETTLE_UNDECIDED, "");
    decide(line, "TT-", SETTLE_TRUE, "");
    decide(line, "TTF", SETTLE_CONDITIONAL, "size = 2KiB or less (false for 4KiB)");
    decide(line, "FTT", SETTLE_CONDITIONAL, "size = 2KiB or more (false for 1KiB)");
    decide(line, "FTF", SETTLE_CONDITIONAL, "size = 2KiB (false for 1KiB and for 4KiB)");
    decide(line, "TF-", SETTLE_CONDITIONAL, "size = 1KiB (false for 2KiB)");
    decide(line, "TFT", SETTLE_CONDITIONAL, "size = 1KiB or 4KiB (false for 2KiB)");
    decide(words, "TFF", SETTLE_CONDITIONAL, "kind = a (false for b or c)");
    decide(words, "-FT", SETTLE_CONDITIONAL, "kind = c (false for b)");
    decide(plane, "FFFTTT", SETTLE_CONDITIONAL,
           "kind = b: every tested value of size (1 to 3); false in all other tested cases");
    decide(plane, "TFFTTF", SETTLE_CONDITIONAL,
           "kind = a: size = 1 (false for 2 or more); kind = b: size = 2 or less (false for 3)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_read),
        cmocka_unit_test(errors_are_located),
        cmocka_unit_test(embedded_claims_load),
        cmocka_unit_test(rows_are_complete),
        cmocka_unit_test(verdicts_follow_from_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
