/* SPDX-License-Identifier: Apache-2.0
 * world_play - begins and ends workloads, and applies faults.
 * Both happen between events: the engine runs until just before the time, and then the world acts.
 * So nodes never access each other, and the times are the same in every run. Faults come first: a
 * workload that begins at the same time finds the fabric after the fault.
 * At the beginning and end of a workload's measured part, the world records in the same way what
 * has arrived at both ends of its connections.
 * An entry begins when the fio jobs that it waits for have finished (other workloads: at once). It
 * is finished one lookahead after its last instance became idle, because events at a host affect no
 * other host earlier. Then it may end others (fio's exitall), and the last one ends the run. */
#include "scenarios/world/world_play_private.h"

#include "base/memory.h"
#include "rnic/host/verbs_sim.h"
#include "scenarios/data/subsystems.h"
#include "scenarios/world/job_order.h"
#include "scenarios/world/world_faults.h"
#include "tcp/tcp.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ workloads */

static void keep_latest(_Atomic time_ps *greatest, time_ps value)
{
    time_ps now = atomic_load(greatest);
    while (now < value && !atomic_compare_exchange_weak(greatest, &now, value))
        ;
}

static void keep_earliest(_Atomic time_ps *least, time_ps value)
{
    time_ps now = atomic_load(least);
    while (now > value && !atomic_compare_exchange_weak(least, &now, value))
        ;
}

/* The entry is idle since the latest time of all instances, whichever executor calls this last. */
static void on_idle(void *self)
{
    struct instance *instance = self;
    struct world *world = instance->world;
    struct entry *entry = &world->play->entries[instance->entry];
    CHECK(!instance->idle);
    instance->idle = true;
    if (--entry->busy_on[instance->executor] == 0)
        world->executors[instance->executor].spent++;
    keep_latest(&entry->idle_at, env_now(instance->env));
    const unsigned busy = atomic_fetch_sub(&entry->busy, 1);
    CHECK(busy > 0);
    if (busy > 1)
        return;
    entry->finish_at = atomic_load(&entry->idle_at) + world->engine.lookahead;
    keep_earliest(&world->play->finish_at, entry->finish_at);
    engine_cut(&world->engine, entry->finish_at - 1);
}

static struct wl_history *new_history(const struct world *world, uint32_t entry)
{
    struct wl_history *history = memory_new(sizeof *history);
    wl_history_init(history, world->scenario->workloads[entry].start);
    return history;
}

static void free_history(struct wl_history *history)
{
    if (history != NULL)
        wl_history_fini(history);
    free(history);
}

/* Statistics to which instances of the entry on that executor report. */
static struct workload_stats *reported_at(const struct world *world, uint32_t executor,
                                          uint32_t entry)
{
    if (world->engine.executors == 1)
        return &world->stats[entry];
    struct workload_stats **reported =
        &world->play->reported[executor * world->workload_count + entry];
    if (*reported == NULL) {
        *reported = memory_zeroed(1, sizeof **reported);
        workload_reset(*reported);
    }
    return *reported;
}

/* Creates the statistics of the entry on that executor, with a history if there is a reader. */
static struct workload_stats *stats_at(const struct world *world, uint32_t executor, uint32_t entry)
{
    struct workload_stats *stats = reported_at(world, executor, entry);
    if (world->looks > 0 && stats->history == NULL)
        stats->history = new_history(world, entry);
    return stats;
}

/* Updates world->stats. */
static void fold_stats(const struct world *world)
{
    for (uint32_t i = 0; world->engine.executors > 1 && i < world->workload_count; i++) {
        workload_reset(&world->stats[i]);
        for (uint32_t executor = 0; executor < world->engine.executors; executor++) {
            const struct workload_stats *reported =
                world->play->reported[executor * world->workload_count + i];
            if (reported != NULL)
                workload_fold(&world->stats[i], reported);
        }
    }
}

static void begin_instance(struct world *world, uint32_t index, const struct scenario_pair *pair,
                           uint32_t number)
{
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    struct host *host = world_host(world, pair->from);
    struct instance *instance = &world->play->entries[index].instances[number];
    const struct job_order_span span =
        job_order_span(workload, 0, world->window_end, world->engine.now);
    *instance = (struct instance){.ops = workload->ops,
                                  .world = world,
                                  .env = &host->env,
                                  .entry = index,
                                  .executor = host->node.executor};
    world->play->entries[index].busy_on[instance->executor]++;
    struct workload_site site = {
        .env = &host->env,
        .verbs = workload->own_verbs ? nvme_carriers[workload->transport]->verbs : &verbs_sim,
        .streams = &tcp_stream_ops,
        .stream_way = world_stream_way,
        .stream_at = world_stream_at,
        .fc_at = world_fc_at,
        .transport = workload->transport,
        .class = workload->class,
        .workload = index,
        .instance = number / workload->copies,
        .copy = number % workload->copies,
        .member = number,
        .serial = ++world->play->serial,
        .emptied = world->play->emptied,
        .params = workload->params,
        .nvme = world->scenario->nodes[pair->from].host->nvme_host,
        .names = scenario_subsystem_names(world->scenario, workload, pair),
        .start = span.start,
        .stop = span.stop,
        .late = scenario_late(world->scenario, index, number),
        .nudge = scenario_nudge(world->scenario, index, number),
        .stats = stats_at(world, host->node.executor, index),
        .on_idle = on_idle,
        .on_idle_self = instance,
        .way = workload->turns > 1 ? world_way : NULL,
        .way_self = world,
    };
    world_give_way(&site);
    instance->workload = workload->ops->create(&site);
}

uint64_t world_entry_delivered(const struct entry *entry)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct instance *at = &entry->instances[i];
        const struct workload_delivered delivered = at->ops->delivered(at->workload);
        sum += delivered.read + delivered.written;
    }
    return sum;
}

static void note_next(const struct world *world, const struct entry *entry)
{
    world->play->measure_at = time_earlier(
        world->play->measure_at, time_earlier(entry->measure_at, entry->arrivals.look_at));
}

/* Records what has arrived for the entry's instances when their measured part begins or ends. */
static void measure_entry(const struct world *world, struct entry *entry)
{
    entry->measure_at = TIME_NEVER;
    for (uint32_t i = 0; i < entry->count; i++) {
        const struct instance *at = &entry->instances[i];
        entry->measure_at =
            time_earlier(entry->measure_at, at->ops->measure(at->workload, world->engine.now));
    }
}

static void measure(const struct world *world)
{
    struct world_play *play = world->play;
    play->measure_at = TIME_NEVER;
    for (uint32_t i = 0; i < world->workload_count; i++) {
        struct entry *entry = &play->entries[i];
        if (entry->measure_at <= world->engine.now)
            measure_entry(world, entry);
        if (entry->arrivals.look_at <= world->engine.now)
            arrivals_look(&entry->arrivals, world->engine.now, world_entry_delivered(entry),
                          entry->measure_at == TIME_NEVER || entry->busy == 0);
        note_next(world, entry);
    }
}

/* Creates all instances before starting the first one, because an instance may be idle at once. */
static void begin_entry(void *self, uint32_t index)
{
    struct world *world = self;
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    struct entry *entry = &world->play->entries[index];
    entry->count = workload->pair_count * workload->copies;
    entry->busy = entry->count;
    entry->instances = memory_zeroed(entry->count, sizeof *entry->instances);
    entry->busy_on = memory_zeroed(world->engine.executors, sizeof *entry->busy_on);
    for (uint32_t i = 0; i < entry->count; i++)
        begin_instance(world, index, &workload->pairs[i / workload->copies], i);
    for (uint32_t i = 0; i < world->engine.executors; i++)
        world->executors[i].spent += entry->busy_on[i] == 0;
    for (uint32_t i = 0; i < entry->count; i++)
        entry->instances[i].ops->start(entry->instances[i].workload);
    measure_entry(world, entry);
    const struct arrivals_of of = {world->scenario, workload, entry->count, world->looks};
    if (world->looks > 0)
        arrivals_begin(&entry->arrivals, &of, world->engine.now);
    note_next(world, entry);
}

static void stop_entry(void *self, uint32_t index)
{
    const struct world *world = self;
    struct entry *entry = &world->play->entries[index];
    for (uint32_t i = 0; i < entry->count; i++)
        if (!entry->instances[i].idle)
            entry->instances[i].ops->stop(entry->instances[i].workload);
}

/* A finished entry no longer counts as spent on any executor. */
static void uncount_entry(struct world *world)
{
    for (uint32_t i = 0; i < world->engine.executors; i++)
        world->executors[i].spent--;
}

/* Marks the entries that have finished by now. */
static void finish_entries(struct world *world)
{
    struct world_play *play = world->play;
    if (play->finish_at > world->engine.now)
        return;
    time_ps next = TIME_NEVER;
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const time_ps at = play->entries[i].finish_at;
        if (play->jobs[i].finished || at == TIME_NEVER)
            continue;
        play->jobs[i].finished = at <= world->engine.now;
        play->attention |= play->jobs[i].finished;
        if (play->jobs[i].finished)
            uncount_entry(world);
        else
            next = time_earlier(next, at);
    }
    play->finish_at = next;
}

/* Begins and ends workloads that are due; true if all have finished. */
static bool attend(struct world *world)
{
    const struct job_order_calls calls = {.self = world, .begin = begin_entry, .stop = stop_entry};
    finish_entries(world);
    job_order_attend(world->scenario, world->play->jobs, &world->play->attention, &calls);
    return job_order_all_finished(world->scenario, world->play->jobs);
}

/* ------------------------------------------------------------------ time */

void world_play_init(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    struct world_play *play = memory_zeroed(1, sizeof *play);
    world->play = play;
    play->emptied = scenario_empties(world->scenario);
    play->entries = memory_zeroed(scenario->workload_count, sizeof *play->entries);
    play->jobs = memory_zeroed(scenario->workload_count, sizeof *play->jobs);
    play->reported = memory_zeroed((size_t)world->engine.executors * scenario->workload_count,
                                   sizeof *play->reported);
    world_faults_init(world);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        workload_name(&world->stats[i], scenario->workloads[i].name);
        play->entries[i].finish_at = play->entries[i].measure_at = TIME_NEVER;
        arrivals_init(&play->entries[i].arrivals, scenario->workloads[i].start);
    }
    play->finish_at = play->measure_at = TIME_NEVER;
    play->attention = true; /* begin the first entries */
    CHECK(world->engine.lookahead > 0);
}

void world_play_fini(struct world *world)
{
    struct world_play *play = world->play;
    for (uint32_t i = 0; play != NULL && i < world->workload_count; i++) {
        for (uint32_t n = 0; n < play->entries[i].count; n++)
            play->entries[i].instances[n].ops->destroy(play->entries[i].instances[n].workload);
        free(play->entries[i].instances);
        free(play->entries[i].busy_on);
        arrivals_fini(&play->entries[i].arrivals);
    }
    /* Targets and sinks are destroyed later, and their disconnects must leave by ports without
     * faults. */
    world_faults_fini(world);
    if (play != NULL) {
        for (uint32_t i = 0; i < world->engine.executors * world->workload_count; i++) {
            if (play->reported[i] != NULL)
                free_history(play->reported[i]->history);
            free(play->reported[i]);
        }
        for (uint32_t i = 0; i < world->workload_count; i++)
            free_history(world->stats[i].history);
        free(play->reported);
        free(play->entries);
        free(play->jobs);
    }
    free(play);
    world->play = NULL;
}

static time_ps last_moment(const struct world *world)
{
    if (world->workload_count == 0 || world->window_end > TIME_NEVER - world->scenario->drain)
        return world->window_end;
    return world->window_end + world->scenario->drain;
}

/* Advances to the next deadlock check, or to `until`. */
static void advance_looking(struct world *world, time_ps until)
{
    const time_ps look = world->deadlocks.next;
    engine_run(&world->engine, time_earlier(look, until));
    if (look <= world->engine.now && !world->engine.paused)
        deadlock_tick(&world->deadlocks, look, engine_events(&world->engine));
}

/* Next time at which the world acts. */
static time_ps world_due(const struct world *world)
{
    const time_ps own = time_earlier(world->play->finish_at, world->play->measure_at);
    return time_earlier(own, world_faults_due(world));
}

/* Advances to the next time at which the world acts, to the next deadlock check, or to `until`;
 * less far if an entry finishes earlier. */
static void advance(struct world *world, time_ps until)
{
    const time_ps due = world_due(world);
    if (due > until || world->deadlocks.next < due) {
        advance_looking(world, until);
        return;
    }
    if (due > world->engine.now)
        engine_run(&world->engine, due - 1);
    if (world->engine.now >= due - 1 && !world->engine.paused)
        engine_set_now(&world->engine, due);
}

static bool play_until(struct world *world, time_ps until)
{
    const time_ps end = time_earlier(until, last_moment(world));
    do {
        if (world_faults_due(world) <= world->engine.now)
            world_faults_apply(world);
        if (attend(world))
            return false;
        if (world->play->measure_at <= world->engine.now)
            measure(world);
        advance(world, end);
        if (UNLIKELY(world->engine.paused))
            return true;
    } while (world->engine.now < end || world_due(world) <= end);
    return end < last_moment(world);
}

bool world_run(struct world *world, time_ps until)
{
    world->engine.paused = false;
    const bool more = play_until(world, until);
    fold_stats(world);
    return more;
}

void world_close(struct world *world, time_ps end)
{
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct entry *entry = &world->play->entries[i];
        for (uint32_t n = 0; n < entry->count; n++)
            if (entry->instances[n].ops->close != NULL)
                entry->instances[n].ops->close(entry->instances[n].workload, world->engine.now,
                                               end);
    }
    fold_stats(world);
}

uint32_t world_busy(const struct world *world)
{
    uint32_t busy = 0;
    for (uint32_t i = 0; i < world->workload_count; i++)
        busy += world->play->entries[i].busy;
    return busy;
}
