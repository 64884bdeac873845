/* SPDX-License-Identifier: Apache-2.0
 * findings - what `check` finds in a scenario, for the tests of its rules. */
#ifndef STORMGLASS_TESTS_UNIT_CHECK_FINDINGS_H
#define STORMGLASS_TESTS_UNIT_CHECK_FINDINGS_H

#include "scenarios/check/check.h"

#include <stddef.h>

/* A scenario, and how many things one rule finds with these words; 0: the rule finds nothing at
 * all. */
struct findings_case {
    const char *text;
    const char *rule;
    enum diag_level level;
    const char *says;
    size_t things;
};

void assert_findings(const struct findings_case *cases, size_t count);

/* The remedies of the rules repair what the scenario has, whatever a test looks at. */
void assert_remedies(const struct scenario *scenario, const char *text);

/* A scenario, and to the letter what `check` prints of all that one rule finds in it. */
struct findings_print {
    const char *text;
    const char *rule;
    const char *prints;
};

void assert_prints(const struct findings_print *cases, size_t count);

#endif
