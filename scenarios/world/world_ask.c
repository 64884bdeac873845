/* SPDX-License-Identifier: Apache-2.0
 * world_ask - state of the workloads of a world, during the run or at its end. */
#include "scenarios/world/world_play_private.h"

uint32_t world_idle(const struct world *world, uint32_t workload)
{
    const struct entry *entry = &world->play->entries[workload];
    uint32_t count = 0;
    for (uint32_t i = 0; i < entry->count; i++)
        count += entry->instances[i].ops->outstanding(entry->instances[i].workload) == 0;
    return count;
}

uint64_t world_outstanding(const struct world *world, uint32_t workload)
{
    const struct entry *entry = &world->play->entries[workload];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < entry->count; i++)
        sum += entry->instances[i].ops->outstanding(entry->instances[i].workload);
    return sum;
}

uint64_t world_limited(const struct world *world, uint32_t workload, uint32_t *bound)
{
    const struct entry *entry = &world->play->entries[workload];
    uint64_t sum = 0;
    *bound = 0;
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct workload_ops *ops = entry->instances[i].ops;
        const uint64_t limited =
            ops->limited == NULL ? 0 : ops->limited(entry->instances[i].workload);
        sum += limited;
        *bound += limited > 0;
    }
    return sum;
}

void world_describe(const struct world *world, uint32_t workload, char *text, size_t size)
{
    const struct entry *entry = &world->play->entries[workload];
    text[0] = '\0';
    for (uint32_t i = 0; i < entry->count && text[0] == '\0'; i++)
        if (entry->instances[i].ops->outstanding(entry->instances[i].workload) > 0)
            entry->instances[i].ops->describe(entry->instances[i].workload, text, size);
}

void world_history(const struct world *world, uint32_t workload, struct wl_history *history)
{
    wl_history_init(history, world->scenario->workloads[workload].start);
    if (world->stats[workload].history != NULL)
        wl_history_fold(history, world->stats[workload].history);
    for (uint32_t i = 0; world->engine.executors > 1 && i < world->engine.executors; i++) {
        const struct workload_stats *reported =
            world->play->reported[i * world->workload_count + workload];
        if (reported != NULL && reported->history != NULL)
            wl_history_fold(history, reported->history);
    }
    const struct entry *entry = &world->play->entries[workload];
    arrivals_tell(&entry->arrivals, world_entry_delivered(entry),
                  world->stats[workload].last_completion, history);
}

const struct workload_member *world_member(const struct world *world, uint32_t workload,
                                           uint32_t instance)
{
    const struct entry *entry = &world->play->entries[workload];
    if (instance >= entry->count)
        return NULL;
    const struct instance *at = &entry->instances[instance];
    return at->ops->member(at->workload);
}

uint32_t world_instances(const struct world *world, uint32_t workload)
{
    return world->play->entries[workload].count;
}

struct workload_delivered world_delivered(const struct world *world, uint32_t workload,
                                          uint32_t instance)
{
    const struct entry *entry = &world->play->entries[workload];
    CHECK(instance < entry->count);
    const struct instance *at = &entry->instances[instance];
    return at->ops->delivered(at->workload);
}

struct workload_delivered world_arrived(const struct world *world, uint32_t workload)
{
    const struct entry *entry = &world->play->entries[workload];
    const struct workload_stats *stats = &world->stats[workload];
    struct workload_delivered sum = {0};
    if (!arrivals_may_look(&world->scenario->workloads[workload], entry->count))
        return (struct workload_delivered){stats->bytes_read, stats->bytes_written};
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct instance *at = &entry->instances[i];
        const struct workload_delivered bytes = at->ops->arrived(at->workload);
        sum.read += bytes.read;
        sum.written += bytes.written;
    }
    return sum;
}

struct workload_cpu world_cpu(const struct world *world, uint32_t workload, uint32_t instance,
                              time_ps now)
{
    const struct entry *entry = &world->play->entries[workload];
    CHECK(instance < entry->count);
    const struct instance *at = &entry->instances[instance];
    return at->ops->cpu == NULL ? (struct workload_cpu){0} : at->ops->cpu(at->workload, now);
}

const struct nvme_host *world_controller(const struct world *world, uint32_t workload,
                                         uint32_t instance, uint32_t path)
{
    const struct entry *entry = &world->play->entries[workload];
    CHECK(instance < entry->count);
    const struct instance *at = &entry->instances[instance];
    return at->ops->controller == NULL ? NULL : at->ops->controller(at->workload, path);
}
