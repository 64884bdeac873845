/* SPDX-License-Identifier: Apache-2.0
 * limits_demand - demand from a workload's parameters and statistics. */
#include "replay/record/limits_private.h"

#include "base/quantity.h"

#include <string.h>

static int64_t param(const struct scenario_workload *about, const char *name)
{
    const struct opt *row = opt_find(about->ops->opts, name);
    int64_t value = 0;
    if (row != NULL && about->params != NULL)
        memcpy(&value, (const char *)about->params + row->offset, sizeof value);
    return value;
}

/* Number of operations that an open loop offers in the window; 0 for a closed loop. */
static __int128 due(const struct collect *collect, uint32_t index)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    const __int128 instances = (__int128)about->pair_count * about->copies;
    const time_ps window = collect_window_ps(stats, collect->window_end);
    const bool timed = opt_find(about->ops->opts, "timing") != NULL && param(about, "timing") == 0;
    return timed ? (__int128)stats->issued
                 : instances * param(about, "rate") * window / (PS_PER_S * QUANTITY_DECIMAL_ONE);
}

/* A run that ends between two I/Os falls short of the offered load by a fraction of a percent. */
static void add_asked(struct bottleneck_input *input, const struct collect *collect, uint32_t index)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    const __int128 instances = (__int128)about->pair_count * about->copies;
    const __int128 asked = due(collect, index), done = stats->completed_window + 1;
    input->satisfied =
        asked > 0 && stats->missed == 0 && (done - 1 + 2 * instances) * 100 >= asked * 97;
    if (asked > 0 && !input->satisfied)
        input->asked = asked < done * PPM ? (int64_t)(asked * PPM / done) : PPM * PPM;
}

static bool asks_for_few(const struct scenario_workload *about, int64_t depth)
{
    const int64_t count = param(about, "count");
    const int64_t queues = param(about, "queues") + param(about, "qps");
    return count > 0 && count <= depth * (queues > 0 ? queues : 1);
}

bool limits_thinks(const struct scenario_workload *about)
{
    return param(about, "think-time") > 0;
}

void limits_demand(const struct collect *collect, uint32_t index, struct bottleneck_input *input)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    input->depth = param(about, "queue-depth") + param(about, "outstanding");
    input->idle = collect->stats[index].issued == 0;
    input->few = asks_for_few(about, input->depth);
    add_asked(input, collect, index);
}
