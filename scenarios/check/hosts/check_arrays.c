/* SPDX-License-Identifier: Apache-2.0
 * check_arrays - faults never take down more drives of a namespace at once than its layout
 * tolerates.
 * A replaced drive counts as failed until it is rebuilt, and the rebuild time is unknown before the
 * run. So only faults that are active at the same time are counted. */
#include "scenarios/check/check_rule.h"

#include "base/plural.h"
#include "nvme/target/target.h"
#include "scenarios/fault/fault_kinds.h"

#include <stdio.h>

static int64_t value(const struct scenario_fault *fault, const char *name)
{
    const struct opt *row = opt_find(fault->ops->opts, name);
    CHECK(row != NULL);
    return *opt_field(row, (void *)(uintptr_t)fault->params);
}

static bool is_at(const struct scenario_fault *fault, uint32_t node)
{
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == node)
            return true;
    return false;
}

static const struct array_params *array_of(const struct scenario_host *host, int64_t number)
{
    for (uint32_t i = 0; i < host->namespace_count; i++) {
        if (number <= host->namespaces[i].count)
            return &host->namespaces[i].params->array;
        number -= host->namespaces[i].count;
    }
    return NULL;
}

/* Number of drives of the fault's namespace that are down when the fault begins, at one of its
 * places. */
static uint32_t count_failed(const struct scenario *scenario, const struct scenario_fault *fault,
                             uint32_t node)
{
    uint32_t drives = 0;
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *other = &scenario->faults[i];
        if (other->ops == &fault_drive_failed && is_at(other, node) && other->at <= fault->at &&
            other->end > fault->at && value(other, "namespace") == value(fault, "namespace"))
            drives |= UINT32_C(1) << value(other, "drive");
    }
    return drives;
}

static void check_at(const struct scenario *scenario, const struct scenario_fault *fault,
                     uint32_t node, struct check_report *report)
{
    const int64_t number = value(fault, "namespace");
    const uint32_t lost = count_failed(scenario, fault, node);
    const struct array_params *array = array_of(scenario->nodes[node].host, number);
    if (array == NULL || !array_is_lost(array, lost))
        return;
    check_add(report, DIAG_WARNING, fault->place,
              "%s: namespace %lld loses %d of %lld %s, more than its layout tolerates: all its I/O "
              "fails from then on",
              scenario->nodes[node].name, (long long)number, __builtin_popcount(lost),
              (long long)array->drives, plural(array->drives, "drive", "drives"));
    check_remedy(report,
                 "use another layout or more parity, or let fewer drives fail at the same time");
}

static void find_arrays(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        for (uint32_t k = 0; fault->ops == &fault_drive_failed && k < fault->spot_count; k++)
            check_at(scenario, fault, fault->spots[k].node, report);
    }
}

const struct check_rule check_arrays = {
    .name = "arrays",
    .about = "A namespace tolerates the drive failures of the scenario.",
    .run = find_arrays,
};
