/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/calibrate/benchmark.h"

#include "base/check.h"
#include "base/memory.h"
#include "scenarios/embedded.h"
#include "scenarios/load/load.h"
#include "scenarios/world/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const benchmark_figure_words[BENCHMARK_FIGURE_COUNT] = {
#define X(member, word, about) word,
    BENCHMARK_FIGURES(X)
#undef X
};

const char *const benchmark_names[BENCHMARK_COUNT] = {
    "send-small", "send-large", "write-small", "write-large", "write-deep",
    "read-small", "read-large", "nvme-read",   "nvme-write",  "nvme-deep",
};

struct scenario *benchmark_load(const char *name, const char *const *sets, uint32_t set_count,
                                struct diag *diag)
{
    char path[96];
    snprintf(path, sizeof path, "benchmarks/%s.yaml", name);
    const struct embedded_file *found = embedded_files;
    while (found->name != NULL && strcmp(found->name, path) != 0)
        found++;
    CHECK(found->name != NULL);
    const struct scenario_input input = {
        .name = found->name,
        .text = (const char *)found->bytes,
        .length = found->length,
        .sets = sets,
        .set_count = set_count,
    };
    return scenario_load(&input, diag);
}

static int by_time(const void *a, const void *b)
{
    const time_ps x = *(const time_ps *)a, y = *(const time_ps *)b;
    return x < y ? -1 : x > y;
}

time_ps benchmark_median(time_ps *list, uint64_t count)
{
    CHECK(count > 0);
    qsort(list, (size_t)count, sizeof *list, by_time);
    return list[(count - 1) / 2];
}

void benchmark_watch(struct benchmark_seen *seen, struct workload_stats *stats)
{
    *seen = (struct benchmark_seen){.each = {.room = BENCHMARK_OPERATIONS_MAX}};
    seen->each.list = memory_zeroed(BENCHMARK_OPERATIONS_MAX, sizeof *seen->each.list);
    stats->each = &seen->each;
}

bool benchmark_read(struct benchmark_seen *seen, const struct workload_stats *stats)
{
    const bool whole = stats->completed > 0 && stats->completed == stats->issued &&
                       stats->failed == 0 && seen->each.count == stats->completed;
    if (whole) {
        const time_ps span = stats->last_completion - stats->first_issue;
        seen->figures[BENCHMARK_LATENCY] = benchmark_median(seen->each.list, seen->each.count);
        seen->figures[BENCHMARK_INTERVAL] = span / (time_ps)stats->completed;
        seen->figures[BENCHMARK_CONNECT] = stats->first_issue;
    }
    free(seen->each.list);
    return whole;
}

static struct world *run_model(const struct scenario *scenario, struct benchmark_seen *seen,
                               struct diag *diag)
{
    struct world *world = world_build(scenario, &probe_none, diag);
    if (world == NULL)
        return NULL;
    benchmark_watch(seen, &world->stats[0]);
    while (world_run(world, world->engine.now + PS_PER_S)) {
    }
    return world;
}

bool benchmark_model(const struct scenario *scenario, time_ps figures[BENCHMARK_FIGURE_COUNT],
                     struct diag *diag)
{
    struct benchmark_seen seen;
    struct world *world = run_model(scenario, &seen, diag);
    if (world == NULL)
        return false;
    const bool whole = benchmark_read(&seen, &world->stats[0]);
    memcpy(figures, seen.figures, sizeof seen.figures);
    world_free(world);
    return whole;
}

bool benchmark_steady(const struct scenario *scenario, uint64_t ending, time_ps *mean,
                      struct diag *diag)
{
    struct benchmark_seen seen;
    struct world *world = run_model(scenario, &seen, diag);
    if (world == NULL)
        return false;
    const uint64_t count = seen.each.count, first = count / 2;
    const bool whole = count == world->stats[0].issued && count > first + ending;
    time_ps sum = 0;
    for (uint64_t i = first; whole && i < count - ending; i++)
        sum += seen.each.list[i];
    if (whole)
        *mean = sum / (time_ps)(count - ending - first);
    free(seen.each.list);
    world_free(world);
    return whole;
}
