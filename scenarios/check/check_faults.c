/* SPDX-License-Identifier: Apache-2.0
 * check_faults - faults that will do nothing. */
#include "scenarios/check/check_private.h"

#include "scenarios/fault/fault.h"

static void check_fault(const struct scenario *scenario, const struct scenario_fault *fault,
                        struct check_report *report)
{
    const struct fault_ops *ops = fault->ops;
    const char *name = ops->name, *why = ops->in_vain == NULL ? NULL : ops->in_vain(fault->params);
    if (fault->at > scenario->duration + scenario->drain)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the end of the run: it has no effect", name);
    else if (fault->at >= scenario->duration)
        check_add(report, DIAG_WARNING, fault->place,
                  "the fault %s begins after the workloads have stopped: it may have no effect",
                  name);
    if (why != NULL)
        check_add(report, DIAG_WARNING, fault->place, "the fault %s %s", name, why);
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        check_fault(scenario, &scenario->faults[i], report);
}

const struct check_rule check_faults = {
    .name = "faults",
    .about = "A fault begins in time, and does something.",
    .run = run,
};
