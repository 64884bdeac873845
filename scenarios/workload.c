/* workload - the kinds, and the statistics that they share.  SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/workload.h"

#include <string.h>

#define KIND(stem) extern const struct workload_ops wl_##stem;
#include "scenarios/workload.def"
#undef KIND

#define KIND(stem) &wl_##stem,
const struct workload_ops *const workload_kinds[] = {
#include "scenarios/workload.def"
    NULL,
};
#undef KIND

const struct workload_ops *workload_find(const char *name)
{
    for (const struct workload_ops *const *kind = workload_kinds; *kind != NULL; kind++)
        if (strcmp((*kind)->name, name) == 0)
            return *kind;
    return NULL;
}

void workload_begins(struct workload_stats *stats, time_ps from)
{
    if (stats->begun == 0 || from < stats->window_from)
        stats->window_from = from;
    stats->begun++;
}

void workload_ends(struct workload_stats *stats, time_ps to)
{
    if (stats->window_to < to)
        stats->window_to = to;
}

void workload_issued(struct workload_stats *stats, time_ps at)
{
    if (stats->issued == 0 || at < stats->first_issue)
        stats->first_issue = at;
    stats->issued++;
}
