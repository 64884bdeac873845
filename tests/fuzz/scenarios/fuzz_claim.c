/* SPDX-License-Identifier: Apache-2.0
 * fuzz_claim - any bytes as a claim: loaded or refused, and what is loaded is whole.
 * Reads: scenarios/claim/claim.c scenarios/claim/claim_axis.c scenarios/claim/claim_figure.c */
#include "scenarios/claim/claim.h"
#include "tests/fuzz/token_mutator.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use_operand(const struct claim *claim, const struct claim_operand *operand)
{
    if (operand->side >= claim->side_count)
        abort();
    if (operand->quantity != NULL && operand->sql != NULL)
        abort();
}

static void use_figures(const struct claim *claim)
{
    for (uint32_t i = 0; i < claim->figure_count; i++) {
        const struct claim_figure *figure = &claim->figures[i];
        use_operand(claim, &figure->value);
        use_operand(claim, &figure->by);
        if (figure->is_ratio && figure->by.quantity == NULL && !(figure->by.constant > 0))
            abort();
    }
    for (uint32_t i = 0; i < claim->condition_count; i++)
        if (claim->conditions[i].figure >= claim->figure_count || claim->conditions[i].text == NULL)
            abort();
}

/* Each case has a choice on each axis, and one of them can be run. */
static void use_cases(const struct claim *claim)
{
    uint32_t runs = 0;
    for (uint32_t i = 0; i < claim->case_count; i++) {
        for (uint32_t axis = 0; axis < claim->axis_count; axis++)
            for (uint32_t k = 0; k < claim_choice(claim, i, axis)->sets.count; k++)
                if (strchr(claim_choice(claim, i, axis)->sets.sets[k], '=') == NULL)
                    abort();
        runs += claim_not_modeled(claim, i) == NULL;
    }
    if (runs == 0 || claim->side_count == 0 || claim->condition_count == 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag *diag = calloc(1, sizeof *diag);
    if (diag == NULL)
        abort();
    struct claim *claim = claim_load("fuzz.yaml", (const char *)data, size, diag);
    if ((claim == NULL) != diag_failed(diag))
        abort();
    if (claim != NULL && (claim->row_count == 0 || !claim_is_named(claim, claim->rows[0])))
        abort();
    if (claim != NULL && claim->cannot_run == NULL) {
        use_figures(claim);
        use_cases(claim);
    }
    claim_free(claim);
    free(diag);
    return 0;
}
