/* SPDX-License-Identifier: Apache-2.0
 * check_template - scenarios that are called like a template. */
#include "scenarios/check/check_rule.h"

#include <string.h>

static void run(const struct scenario *scenario, struct check_report *report)
{
    if (strcmp(scenario->name, "template") == 0)
        check_add(report, DIAG_NOTE, scenario->nodes[0].place, "this is a template's finding");
}

const struct check_rule check_template = {
    .name = "template",
    .about = "The scenario has a name of its own.",
    .run = run,
};
