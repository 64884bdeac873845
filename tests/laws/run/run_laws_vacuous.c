/* SPDX-License-Identifier: Apache-2.0
 * run_laws_vacuous - no expectation passes that compared nothing.
 * Every quantity of the table is expected to be what a run without any work has too, of every
 * workload that did nothing and of the run when all did nothing: none of them may pass. */
#include "tests/laws/run/run_laws.h"

#include "base/memory.h"
#include "replay/record/result.h"
#include "replay/run/expect_eval.h"
#include "scenarios/load/expect.h"

#include <stdio.h>
#include <stdlib.h>

enum { QUANTITIES = EXPECT_UNSETTLED + 1 };

static bool is_word(enum expect_quantity quantity)
{
    return quantity == EXPECT_COMMANDS_LOST || quantity == EXPECT_UNSETTLED;
}

static bool is_of_workload(enum expect_quantity quantity)
{
    return !is_word(quantity) && expect_path(quantity)[0] == '.';
}

/* Of the run where `workload` is EXPECT_WHOLE_RUN: whether nothing of it was done. */
static bool is_dead(const struct result *result, uint32_t workload)
{
    if (workload != EXPECT_WHOLE_RUN)
        return result->workloads[workload].completed == 0;
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (result->workloads[i].completed > 0)
            return false;
    return true;
}

/* A workload whose last operations never completed has no latency that is low, and no service. */
static bool is_hung(const struct result *result, uint32_t workload)
{
    return workload != EXPECT_WHOLE_RUN && !result->cut &&
           result->workloads[workload].unfinished > 0;
}

static bool must_not_pass(const struct result *result, const struct expectation *asked)
{
    const enum expect_basis basis = expect_basis(asked->quantity);
    if (asked->quantity == EXPECT_UNSETTLED) { /* one that did nothing is not steady */
        for (uint32_t i = 0; i < result->workload_count; i++)
            if (is_dead(result, i))
                return true;
        return result->workload_count == 0;
    }
    return (basis != EXPECT_OVER_FACT && is_dead(result, asked->workload)) ||
           (basis == EXPECT_OVER_SAMPLES && is_hung(result, asked->workload));
}

/* All that holds for 0, and for more than 0. */
static uint32_t ask(const struct result *result, struct expectation *list)
{
    uint32_t count = 0;
    for (int i = 0; i < QUANTITIES; i++) {
        const enum expect_quantity quantity = (enum expect_quantity)i;
        const uint32_t of = is_of_workload(quantity) ? result->workload_count : 1;
        for (uint32_t w = 0; w < of; w++)
            list[count++] = (struct expectation){
                .text = "below any value",
                .quantity = quantity,
                .workload = is_of_workload(quantity) ? w : EXPECT_WHOLE_RUN,
                .op = is_word(quantity) ? EXPECT_EQ : EXPECT_LT,
                .value = is_word(quantity) ? 0 : INT64_MAX,
            };
    }
    return count;
}

static void report(const struct result *result, const struct expectation *asked, const char *what,
                   char sentence[RUN_LAWS_BOUND_BYTES])
{
    const bool whole = asked->workload == EXPECT_WHOLE_RUN;
    snprintf(sentence, RUN_LAWS_BOUND_BYTES, "vacuous %s: %.30s of %.30s %s",
             whole ? "run" : "workload", expect_plain(asked->quantity),
             whole ? "the run" : result->workloads[asked->workload].name, what);
}

/* A copy: what the run itself was judged by stays. */
void run_laws_vacuous(const struct scenario *scenario, const struct result *result,
                      char sentence[RUN_LAWS_BOUND_BYTES])
{
    struct expectation *list =
        memory_zeroed((size_t)QUANTITIES * (result->workload_count + 1), sizeof *list);
    const uint32_t count = ask(result, list);
    struct scenario asked = *scenario;
    asked.expectations = list;
    asked.expectation_count = count;
    struct result judged = *result;
    judged.expectations = NULL;
    judged.failure_count = 0;
    expect_eval(&asked, &judged, result->cut);
    sentence[0] = '\0';
    for (uint32_t i = 0; i < count && sentence[0] == '\0'; i++) {
        const struct result_expectation *verdict = &judged.expectations[i];
        if (verdict->held && must_not_pass(result, &list[i]))
            report(result, &list[i], "passes, though nothing was done", sentence);
        else if (verdict->held && verdict->value.denominator == 0)
            report(result, &list[i], "passes, though it is not known", sentence);
        else if (verdict->held && verdict->unjudged)
            report(result, &list[i], "passes and is undecided", sentence);
    }
    free(judged.expectations);
    free(list);
}
