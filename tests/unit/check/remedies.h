/* SPDX-License-Identifier: Apache-2.0
 * remedies - the law that remedies work: each remedy of a report is applied to the scenario
 * alone; then the finding is gone, and there is no error that was not there before. Rules obey
 * it in the unit tests (check_findings); in the swarm, which draws what no rule foresaw, what
 * check offers does (check_scenario). */
#ifndef STORMGLASS_TESTS_UNIT_CHECK_REMEDIES_H
#define STORMGLASS_TESTS_UNIT_CHECK_REMEDIES_H

#include "scenarios/check/check.h"

/* Number of remedies applied; "" in `why`, or what one of them left. */
unsigned remedies_apply(const struct scenario *scenario, const struct check_report *report,
                        char *why, size_t size);

#endif
