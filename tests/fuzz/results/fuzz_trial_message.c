/* SPDX-License-Identifier: Apache-2.0
 * fuzz_trial_message - any bytes as what another process says of a plan: a run to play, behind an
 * even first byte; what one came to, behind an odd one.  What is read is written again the same.
 * Reads: replay/plan/plan_trial_message.c replay/plan/plan_outcome.c */
#include "base/check.h"
#include "base/memory.h"
#include "replay/plan/plan_outcome.h"
#include "replay/plan/plan_trial_message.h"
#include "tests/unit/plan/trial_message_plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct plan *load(void)
{
    struct plan *plan = trial_message_plan();
    if (plan == NULL)
        abort();
    return plan;
}

/* Numbers may have been written in more ways than one. */
static void try_errand(const struct plan *plan, const char *bytes, size_t size)
{
    struct arena arena = {0};
    struct plan_trial_message errand, again;
    uint32_t count;
    size_t length, twice;
    if (plan_trial_message_read(&arena, plan, bytes, size, &errand)) {
        const char **sets = plan_trial_sets(&arena, &errand.trial, errand.trial.longest, &count);
        for (uint32_t i = 0; i < count; i++)
            CHECK(strlen(sets[i]) <= size + 64);
        CHECK(errand.of.failure == NULL || errand.of.failure == &plan->failures[0]);
        char *written = plan_trial_message_write(&errand.trial, &length);
        CHECK(plan_trial_message_read(&arena, plan, written, length, &again));
        char *rewritten = plan_trial_message_write(&again.trial, &twice);
        CHECK(twice == length && memcmp(written, rewritten, length) == 0);
        free(rewritten);
        free(written);
    }
    arena_free(&arena);
}

static void try_outcome(const uint8_t *data, size_t size)
{
    struct plan_outcome outcome = {0};
    memcpy(&outcome, data, size < sizeof outcome ? size : sizeof outcome);
    for (uint32_t asked = 0; asked <= PLAN_SLO_MAX; asked += PLAN_SLO_MAX / 2)
        if (plan_outcome_is_sound(&outcome, asked)) {
            double sum = 0;
            CHECK(plan_run_end_word((enum plan_run_end)outcome.end) != NULL);
            CHECK(strlen(outcome.why) < sizeof outcome.why);
            CHECK(strlen(outcome.limit) < sizeof outcome.limit);
            for (uint32_t i = 0; i < outcome.figure_count; i++)
                sum += outcome.figures[i].held ? 1 : 0;
            for (uint32_t i = 0; i < outcome.measure_count; i++)
                sum += outcome.measures[i].known ? 1 : 0;
            CHECK(sum <= PLAN_SLO_MAX + PLAN_MEASURES_MAX);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct plan *plan;
    if (plan == NULL)
        plan = load();
    if (size > 0 && data[0] % 2 == 0)
        try_errand(plan, (const char *)data + 1, size - 1);
    else if (size > 0)
        try_outcome(data + 1, size - 1);
    return 0;
}
