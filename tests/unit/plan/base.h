/* SPDX-License-Identifier: Apache-2.0
 * base - loading the scenario that a test's plans are of. */
#ifndef STORMGLASS_TESTS_UNIT_PLAN_BASE_H
#define STORMGLASS_TESTS_UNIT_PLAN_BASE_H

#include "base/memory.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* With one change, or as it is (NULL). */
static struct scenario *load_changed(const char *text, const char *set)
{
    struct diag *diag = memory_new(sizeof *diag);
    const struct scenario_input input = {.name = "base.yaml",
                                         .text = text,
                                         .length = strlen(text),
                                         .sets = &set,
                                         .set_count = set != NULL};
    struct scenario *scenario = scenario_load(&input, diag);
    diag_print(diag, stderr);
    assert_non_null(scenario);
    free(diag);
    return scenario;
}

#endif
