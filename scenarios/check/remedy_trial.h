/* SPDX-License-Identifier: Apache-2.0
 * remedy_trial - tries each remedy before it is offered.
 * The sets of a finding are applied to the scenario, which is checked again. If this causes an
 * error whose finding has sets of its own, both are tried together. A remedy that fails is offered
 * without sets, and its text ends with the finding that remains.
 * Owner: the arena of the report. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_REMEDY_TRIAL_H
#define STORMGLASS_SCENARIOS_CHECK_REMEDY_TRIAL_H

#include "scenarios/check/check.h"

enum {
    REMEDY_TRIALS_MAX = 64, /* of one report; later remedies are offered without sets */
    REMEDY_ROUNDS_MAX = 4,  /* findings whose sets are combined in one remedy */
};

/* `before`: all findings of check for the scenario; may be `report` itself. */
void remedy_trial(const struct scenario *scenario, const struct check_report *before,
                  struct check_report *report);

/* Returns the first finding in `after` that shows that the remedy of `cured` failed: `cured`
 * itself, or an error that is not in `before`; NULL if there is none. `after` has the findings of
 * the scenario with the remedy. */
const struct check_finding *remedy_left(const struct check_report *before,
                                        const struct check_finding *cured,
                                        const struct check_report *after);

#endif
