/* SPDX-License-Identifier: Apache-2.0
 * fuzz_plan - any bytes as a plan: loaded or refused, and what is loaded is whole.
 * Reads: scenarios/vary/plan.c scenarios/vary/prices.c scenarios/vary/grow.c
 * Reads: scenarios/vary/grid_axis.c */
#include "scenarios/vary/plan.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where each setting of a cell stands is known. */
static void look_up(const struct plan *plan, const struct grid *grid)
{
    for (uint32_t i = 0; i < grid->cell_count; i++)
        for (uint32_t k = 0; k < grid->cells[i].set_count; k++)
            if (plan_origin_of(plan, grid->cells[i].sets[k]).value == NULL)
                abort();
}

/* Its rules and its budget are within their bounds, each failure can be written as a setting, each
 * part is of a kind. */
static void use(const struct plan *plan)
{
    if (plan->slo_count == 0 || plan->rules.most_seeds < plan->rules.seeds ||
        plan->grid.cell_count == 0)
        abort();
    if (plan->rules.most_runs < 1 || plan->most_time < 0 ||
        strlen(plan->question) > strlen(plan->text))
        abort();
    if (plan->grid.cell_count < 64)
        look_up(plan, &plan->grid);
    for (uint32_t i = 0; i < plan->cliff_count; i++)
        look_up(plan, &plan->cliffs[i]);
    for (uint32_t i = 0; i < plan->what_if_count; i++)
        look_up(plan, &plan->what_ifs[i]);
    for (uint32_t i = 0; i < plan->failure_count; i++)
        if (plan->failures[i].kind == NULL || plan->failures[i].each == NULL ||
            strchr(plan->failures[i].name, '"') != NULL)
            abort();
    for (size_t i = 0; i < plan->prices.count; i++) {
        char text[PLAN_NAME_BYTES];
        prices_part_text(&plan->prices.parts[i], text, sizeof text);
        if (text[0] == '\0' || plan->prices.parts[i].price < 0)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        abort();
    struct plan *plan = plan_load("fuzz.yaml", (const char *)data, size, diag);
    if ((plan == NULL) != diag_failed(diag))
        abort();
    if (plan != NULL)
        use(plan);
    plan_free(plan);
    free(diag);
    return 0;
}
