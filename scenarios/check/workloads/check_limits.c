/* SPDX-License-Identifier: Apache-2.0
 * check_limits - the limits of a workload allow its offered rate, and every limit has an effect. */
#include "scenarios/check/check_rule.h"

#include "scenarios/check/limits.h"
#include "scenarios/workload/workload.h"

static void look_at(const struct scenario_workload *workload, int limit, int64_t given,
                    struct check_report *report)
{
    const struct offering offering = offered_all(workload);
    const __int128 asked = limits_asked(&offering, limit, 1);
    if (limits_part(&offering, limit) == 0) {
        check_add(report, DIAG_WARNING, workload->place, "%s: %s has no effect: it has no %s",
                  workload->name, limits_rows[limit].row,
                  limits_rows[limit].reads ? "reads" : "writes");
        return;
    }
    if (asked <= given || asked > INT64_MAX)
        return;
    check_add(report, DIAG_WARNING, workload->place,
              "%s: its rate is %s for each instance, but its %s allows %s: the backlog grows "
              "without limit",
              workload->name, limits_words(limit, (int64_t)asked).text, limits_rows[limit].row,
              limits_words(limit, given).text);
    check_remedy(report, "raise the limit, or lower the rate");
}

static void find_limits(const struct scenario *scenario, struct check_report *report)
{
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        const struct scenario_workload *workload = &scenario->workloads[w];
        for (int i = 0; i < NVME_LIMITS && workload->ops->needs_nvme_target; i++) {
            const int64_t given =
                opt_value(workload->ops->opts, limits_rows[i].row, workload->params, 0);
            if (given > 0)
                look_at(workload, i, given, report);
        }
    }
}

const struct check_rule check_limits = {
    .name = "limits",
    .about = "The IOPS and bandwidth limits of a workload allow its rate, and have an effect.",
    .run = find_limits,
};
