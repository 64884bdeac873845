/* SPDX-License-Identifier: Apache-2.0
 * lesson_measure - runs the scenario of a lesson and its variants.
 * Each quantity of the text becomes an expectation of the scenario, so that lessons and `expect:`
 * have the same names, values and formats. */
#include "base/memory.h"
#include "replay/lesson/lesson.h"
#include "replay/run/run.h"
#include "scenarios/load/library.h"

#include <stdlib.h>

enum { SET_BYTES = LESSON_TEXT_BYTES + 32 };

/* The changes of a variant, and an expectation for each of its probes. */
struct variant_sets {
    char texts[LESSON_PROBES][SET_BYTES];
    const char *sets[LESSON_SETS + LESSON_PROBES];
    struct lesson_probe *probes[LESSON_PROBES];
    uint32_t set_count, probe_count;
};

static void collect_sets(struct lesson *lesson, uint32_t variant, struct variant_sets *all)
{
    for (uint32_t i = 0; i < lesson->variants[variant].set_count; i++)
        all->sets[all->set_count++] = lesson->variants[variant].sets[i];
    for (uint32_t i = 0; i < lesson->probe_count; i++) {
        struct lesson_probe *probe = &lesson->probes[i];
        if (probe->variant != variant)
            continue;
        char *text = all->texts[all->probe_count];
        snprintf(text, SET_BYTES, "expect[+]=\"%s%s\"", probe->quantity,
                 probe->is_condition ? "" : " >= 0");
        all->sets[all->set_count++] = text;
        all->probes[all->probe_count++] = probe;
    }
}

/* The expectations of the probes are the last ones of the scenario. */
static bool run_sets(const char *name, struct variant_sets *all, struct diag *diag)
{
    const struct run_options how = {.unread = true, .brief = true, .until = TIME_NEVER};
    struct run run;
    struct scenario *scenario = library_load(name, all->sets, all->set_count, diag);
    if (scenario == NULL)
        return false;
    const bool done = run_scenario(&run, scenario, &how, diag) == RUN_DONE;
    const uint32_t first = scenario->expectation_count - all->probe_count;
    for (uint32_t i = 0; done && i < all->probe_count; i++) {
        const struct result_expectation *measured = &run.result.expectations[first + i];
        all->probes[i]->holds = measured->held;
        snprintf(all->probes[i]->actual, sizeof all->probes[i]->actual, "%s", measured->actual);
    }
    run_close(&run);
    scenario_free(scenario);
    return done;
}

bool lesson_measure(struct lesson *lesson, struct diag *diag)
{
    bool well = true;
    struct variant_sets *all = memory_new(sizeof *all);
    for (uint32_t variant = 0; well && variant < lesson->variant_count; variant++) {
        all->set_count = all->probe_count = 0;
        collect_sets(lesson, variant, all);
        if (all->probe_count > 0)
            well = run_sets(lesson->name, all, diag);
    }
    free(all);
    return well;
}
