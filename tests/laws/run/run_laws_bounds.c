/* SPDX-License-Identifier: Apache-2.0
 * run_laws_bounds - what a run came to against what it can never come to. */
#include "tests/laws/run/run_laws.h"

#include "base/memory.h"
#include "replay/plan/plan_bound.h"
#include "replay/record/result.h"
#include "scenarios/check/check.h"

#include <stdio.h>
#include <stdlib.h>

/* Which side is wrong is that of the quantity: times are at least, rates at most. */
static bool is_beyond(enum expect_quantity quantity, struct result_ratio value, int64_t bound)
{
    const int order = result_compare(value, bound);
    return expect_kind(quantity) == QUANTITY_TIME ? order < 0 : order > 0;
}

/* Else a plan plays it longer. */
static bool is_settled(const struct scenario *scenario, const struct result_workload *workload,
                       uint32_t index)
{
    const struct steady *steady = &workload->steady;
    const time_ps least = plan_bound_span(&scenario->workloads[index]);
    return steady->known && steady->settled && steady->until - steady->from >= least;
}

static bool is_within(const struct scenario *scenario, const struct result *result,
                      const struct expectation *asked, char sentence[RUN_LAWS_BOUND_BYTES])
{
    const struct result_workload *workload = &result->workloads[asked->workload];
    char why[PLAN_BOUND_BYTES];
    struct result_ratio value;
    const int64_t bound = plan_bound(scenario, asked, why);
    const bool is_time = expect_kind(asked->quantity) == QUANTITY_TIME;
    if (bound < 0 || workload->latency->count == 0 ||
        (!is_time && !is_settled(scenario, workload, asked->workload)) ||
        !result_of_workload(workload, expect_path(asked->quantity) + 1, &value) ||
        value.denominator == 0 || !is_beyond(asked->quantity, value, bound))
        return true;
    snprintf(sentence, RUN_LAWS_BOUND_BYTES, "bound of %s: %.30s is %.6g, and %.120s: %.6g",
             expect_plain(asked->quantity) + 1, workload->name,
             (double)value.numerator / (double)value.denominator, why, (double)bound);
    return false;
}

uint32_t run_laws_bounds(const struct scenario *scenario, const struct result *result,
                         char sentence[RUN_LAWS_BOUND_BYTES])
{
    uint32_t bounds = 0;
    char why[PLAN_BOUND_BYTES];
    struct diag *diag = memory_new(sizeof *diag);
    sentence[0] = '\0';
    check_memories(scenario, diag);
    if (diag_failed(diag)) /* a plan refuses it */
        snprintf(sentence, RUN_LAWS_BOUND_BYTES, "bound of memory: it was played, and %.200s",
                 diag->messages[0].text);
    free(diag);
    for (uint32_t i = 0; i < scenario->workload_count && sentence[0] == '\0'; i++)
        for (int q = EXPECT_ISSUED; q < EXPECT_COMMANDS_LOST && sentence[0] == '\0'; q++) {
            const struct expectation asked = {
                .text = "", .quantity = (enum expect_quantity)q, .workload = i};
            bounds += plan_bound(scenario, &asked, why) >= 0;
            is_within(scenario, result, &asked, sentence);
        }
    return bounds;
}
