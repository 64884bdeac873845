/* SPDX-License-Identifier: Apache-2.0
 * remedies - the law that remedies work: each that `check` proposes for a scenario is applied to it
 * alone; then the finding is gone, and there is no error that was not there before. */
#ifndef STORMGLASS_TESTS_UNIT_CHECK_REMEDIES_H
#define STORMGLASS_TESTS_UNIT_CHECK_REMEDIES_H

#include "scenarios/check/check.h"

/* How many were applied; "" in `why`, or what one of them left. */
unsigned remedies_apply(const struct scenario *scenario, char *why, size_t size);

#endif
