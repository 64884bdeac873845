/* SPDX-License-Identifier: Apache-2.0
 * bench_parts - benchmarks of parts that limit the whole program. */
#include "cli/bench/bench.h"
#include "cli/bench/memory_bench.h"
#include "cli/cli.h"
#include "engine/hold.h"

#include <stdio.h>
#include <time.h>

enum { HOLD_PENDING = 4096, HOLD_SEED = 1, TOUCH_SEED = 1 };

static const int64_t hold_count = 4000000, memory_bench_count = 20000000;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Measures the event queues with the number of events in a fabric. */
static bool measure_queues(const struct bench_output *output)
{
    uint64_t first = 0;
    for (const struct hold_queue *queue = hold_queues; queue->name != NULL; queue++) {
        char name[64];
        const double begun_s = cpu_s();
        const uint64_t sum = queue->run(HOLD_PENDING, (uint64_t)hold_count, HOLD_SEED);
        const double took_s = cpu_s() - begun_s;
        const struct bench_figures figures = {
            .events = hold_count,
            .play_cpu_s = took_s,
            .events_per_cpu_s = bench_rate(hold_count, took_s),
        };
        snprintf(name, sizeof name, "event-queue %s", queue->name);
        if (!bench_tell(output, name, &figures))
            return false;
        first = queue == hold_queues ? sum : first;
        if (sum == first)
            continue;
        cli_error("bench: %s returned events in a different order than %s", queue->name,
                  hold_queues[0].name);
        return false;
    }
    return true;
}

static bool measure_touch(const struct bench_output *output)
{
    for (const struct memory_bench_size *size = memory_bench_sizes; size->name != NULL; size++) {
        char name[64];
        struct memory_bench *touch = memory_bench_make(size, TOUCH_SEED);
        const double begun_s = cpu_s();
        memory_bench_run(touch, (uint64_t)memory_bench_count);
        const double took_s = cpu_s() - begun_s;
        memory_bench_free(touch);
        const struct bench_figures figures = {
            .packet_hops = memory_bench_count,
            .play_cpu_s = took_s,
            .hops_per_cpu_s = bench_rate(memory_bench_count, took_s),
        };
        snprintf(name, sizeof name, "touch %s", size->name);
        if (!bench_tell(output, name, &figures))
            return false;
    }
    return true;
}

const struct bench_part bench_parts[] = {
    {"event-queues", "The event queues alone: an event is removed and inserted again later.",
     measure_queues},
    {"touch", "Only the memory accesses of a packet-hop, at the size of each fat-tree.",
     measure_touch},
    {0},
};
