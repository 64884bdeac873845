/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/check/remedies.h"

#include "scenarios/check/remedy_trial.h"
#include "scenarios/load/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const struct check_finding *cured, const char *left, char *why, size_t size)
{
    const struct remedy *remedy = &cured->remedy;
    snprintf(why, size, "%s: '%s'\nis not repaired by '%s' (%zu sets, the first: %s):\n%s",
             cured->rule, cured->text, remedy->text, remedy->set_count, remedy->sets[0], left);
}

static void apply(const struct scenario *scenario, const struct check_report *before,
                  const struct check_finding *cured, char *why, size_t size)
{
    const struct remedy *remedy = &cured->remedy;
    struct diag *diag = calloc(1, sizeof *diag);
    struct check_report after;
    if (diag == NULL)
        abort();
    struct scenario *made =
        scenario_load_again(scenario, remedy->sets, (uint32_t)remedy->set_count, diag);
    if (made == NULL) {
        tell(cured, diag_error(diag, "an error"), why, size);
    } else {
        check_findings(made, &after);
        const struct check_finding *left = remedy_left(before, cured, &after);
        if (left != NULL)
            tell(cured, left->text, why, size);
        check_free(&after);
        scenario_free(made);
    }
    free(diag);
}

unsigned remedies_apply(const struct scenario *scenario, const struct check_report *report,
                        char *why, size_t size)
{
    unsigned applied = 0;
    why[0] = '\0';
    for (size_t i = 0; i < report->count && why[0] == '\0'; i++) {
        if (report->findings[i].remedy.set_count == 0)
            continue;
        apply(scenario, report, &report->findings[i], why, size);
        applied++;
    }
    return applied;
}
