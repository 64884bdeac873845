/* SPDX-License-Identifier: Apache-2.0
 * trial_message_plan - the plan of which errands are read: by their unit test, and by the fuzzer.
 * */
#ifndef STORMGLASS_TESTS_UNIT_PLAN_TRIAL_MESSAGE_PLAN_H
#define STORMGLASS_TESTS_UNIT_PLAN_TRIAL_MESSAGE_PLAN_H

#include "base/memory.h"
#include "scenarios/vary/plan.h"

#include <stdlib.h>
#include <string.h>

/* NULL: it was refused.  The caller's, for plan_free. */
static inline struct plan *trial_message_plan(void)
{
    static const char text[] = "stormglass-plan: 1\n"
                               "name: n\n"
                               "scenario: first-io\n"
                               "vary: [{path: workloads.read.count, as: count, values: [1, 2]}]\n"
                               "slo: [all-commands-complete]\n"
                               "survive: [{kind: link-down, each: \"host0:p0\", at: 2ms}]\n";
    struct diag *diag = memory_new(sizeof *diag);
    struct plan *plan = plan_load("plan.yaml", text, strlen(text), diag);
    free(diag);
    return plan;
}

#endif
