/* SPDX-License-Identifier: Apache-2.0 */
#include "replay/calibrate/benchmark.h"

#include "base/check.h"
#include "base/memory.h"
#include "scenarios/embedded.h"
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

/* More operations than any benchmark completes. */
enum { LATENCIES_MAX = 4096 };

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
    *seen = (struct benchmark_seen){.each = {.room = LATENCIES_MAX}};
    seen->each.list = memory_zeroed(LATENCIES_MAX, sizeof *seen->each.list);
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

bool benchmark_model(const struct scenario *scenario, time_ps figures[BENCHMARK_FIGURE_COUNT],
                     struct diag *diag)
{
    struct benchmark_seen seen;
    struct world *world = world_build(scenario, &probe_none, diag);
    if (world == NULL)
        return false;
    benchmark_watch(&seen, &world->stats[0]);
    while (world_run(world, world->engine.now + PS_PER_S)) {
    }
    const bool whole = benchmark_read(&seen, &world->stats[0]);
    memcpy(figures, seen.figures, sizeof seen.figures);
    world_free(world);
    return whole;
}
