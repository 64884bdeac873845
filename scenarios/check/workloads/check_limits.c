/* SPDX-License-Identifier: Apache-2.0
 * check_limits - a workload's own limits give what its rate asks for, and limit something. */
#include "scenarios/check/check_rule.h"

#include "base/quantity.h"
#include "nvme/limit.h"
#include "scenarios/check/offered.h"
#include "scenarios/workload/workload.h"

static const struct {
    const char *row;
    bool reads, writes, bits; /* what counts; otherwise I/Os do */
} limits[NVME_LIMITS] = {
    [NVME_LIMIT_IOPS] = {"iops-limit", true, true, false},
    [NVME_LIMIT_RATE] = {"rate-limit", true, true, true},
    [NVME_LIMIT_READ] = {"read-limit", true, false, true},
    [NVME_LIMIT_WRITE] = {"write-limit", false, true, true},
};

static void look_at(const struct scenario_workload *workload, int limit, int64_t given,
                    struct check_report *report)
{
    char much[QUANTITY_TEXT_BYTES], little[QUANTITY_TEXT_BYTES];
    const struct offering offering = offered_all(workload);
    const int64_t part = (limits[limit].reads ? offering.share : 0) +
                         (limits[limit].writes ? PPM - offering.share : 0);
    const int64_t each = limits[limit].bits ? offering.mean * 8 : 1;
    const __int128 asked = (__int128)offering.rate * part / PPM * each / QUANTITY_DECIMAL_ONE;
    if (part == 0) {
        check_add(report, DIAG_WARNING, workload->place, "%s: %s has no effect: it has no %s",
                  workload->name, limits[limit].row, limits[limit].reads ? "reads" : "writes");
        return;
    }
    if (asked <= given || asked > INT64_MAX)
        return;
    const enum quantity_kind kind = limits[limit].bits ? QUANTITY_RATE : QUANTITY_INT;
    quantity_format(kind, (int64_t)asked, much, sizeof much);
    quantity_format(kind, given, little, sizeof little);
    check_add(
        report, DIAG_WARNING, workload->place,
        "%s: its rate asks for %s%s of each instance, its %s gives %s: the rest waits, longer "
        "and longer",
        workload->name, much, limits[limit].bits ? "" : " I/Os a second", limits[limit].row,
        little);
    check_remedy(report, "raise the limit, or lower the rate");
}

static void run(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (int i = 0; i < NVME_LIMITS && workload->ops->needs_nvme_target; i++) {
            const struct opt *row = opt_find(workload->ops->opts, limits[i].row);
            const int64_t given =
                row == NULL ? 0 : *opt_field(row, (void *)(uintptr_t)workload->params);
            if (given > 0)
                look_at(workload, i, given, report);
        }
    }
}

const struct check_rule check_limits = {
    .name = "limits",
    .about = "A workload's limits give what its rate asks for, and limit something.",
    .run = run,
};
