/* SPDX-License-Identifier: Apache-2.0
 * world_play - begins and ends workloads, and lets faults happen.
 * Both happen between events: the engine runs up to the moment before, and then the world acts.  So
 * no node ever touches another, and the moment is the same in every run.
 *
 * An entry begins when the fio jobs that it waits for are finished (others: at once).  It is
 * finished a lookahead after its last instance became idle: what a host does concerns no other
 * sooner.  Then it may end others (fio's exitall), and the last ends the run. */
#include "scenarios/world_play.h"

#include "base/memory.h"
#include "rnic/verbs_sim.h"
#include "scenarios/turns.h"
#include "scenarios/world_faults.h"

#include <stdio.h>
#include <stdlib.h>

struct instance {
    struct workload *workload;
    const struct workload_ops *ops;
    struct world *world;
    const struct env *env;
    uint32_t entry;
    bool idle;
};

struct entry {
    struct instance *instances;
    uint32_t count, busy;
    time_ps finish_at; /* TIME_NEVER: not known yet */
};

struct world_play {
    struct entry *entries;
    struct turn *turns;
    uint32_t serial;
    time_ps finish_at; /* the next that is finished; TIME_NEVER: not known yet */
    bool attention;    /* an entry has finished */
};

/* ------------------------------------------------------------------ workloads */

static time_ps earlier(time_ps a, time_ps b)
{
    return a < b ? a : b;
}

static void on_idle(void *self)
{
    struct instance *instance = self;
    struct world *world = instance->world;
    struct entry *entry = &world->play->entries[instance->entry];
    CHECK(!instance->idle && entry->busy > 0);
    instance->idle = true;
    entry->busy--;
    world->busy_instances--;
    if (entry->busy > 0)
        return;
    entry->finish_at = env_now(instance->env) + world->engine.lookahead;
    world->play->finish_at = earlier(world->play->finish_at, entry->finish_at);
    engine_cut(&world->engine, entry->finish_at - 1);
}

static void begin_instance(struct world *world, uint32_t index, const struct scenario_pair *pair,
                           uint32_t number)
{
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    const struct scenario_node *from = &world->scenario->nodes[pair->from];
    const struct scenario_node *to = &world->scenario->nodes[pair->to];
    struct host *host = world->hosts[from->index];
    struct instance *instance = &world->play->entries[index].instances[number];
    const struct turns_span span = turns_span(workload, 0, world->window_end, world->engine.now);
    *instance =
        (struct instance){.ops = workload->ops, .world = world, .env = &host->env, .entry = index};
    const struct workload_site site = {
        .env = &host->env,
        .verbs = &verbs_sim,
        .device = host_device(host, 0),
        .target_ip = rnic_ip(world->endpoint_of[to->index]),
        .class = workload->class,
        .workload = index,
        .instance = number / workload->copies,
        .copy = number % workload->copies,
        .serial = ++world->play->serial,
        .params = workload->params,
        .nvme_params = from->host->nvme_host,
        .start = span.start,
        .stop = span.stop,
        .stats = &world->stats[index],
        .on_idle = on_idle,
        .on_idle_self = instance,
    };
    instance->workload = workload->ops->create(&site);
}

/* All instances exist before the first starts: one may be idle at once. */
static void begin_entry(void *self, uint32_t index)
{
    struct world *world = self;
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    struct entry *entry = &world->play->entries[index];
    entry->count = entry->busy = workload->pair_count * workload->copies;
    entry->instances = memory_zeroed(entry->count, sizeof *entry->instances);
    world->busy_instances += entry->count;
    for (uint32_t i = 0; i < entry->count; i++)
        begin_instance(world, index, &workload->pairs[i / workload->copies], i);
    for (uint32_t i = 0; i < entry->count; i++)
        entry->instances[i].ops->start(entry->instances[i].workload);
}

static void stop_entry(void *self, uint32_t index)
{
    const struct world *world = self;
    struct entry *entry = &world->play->entries[index];
    for (uint32_t i = 0; i < entry->count; i++)
        if (!entry->instances[i].idle)
            entry->instances[i].ops->stop(entry->instances[i].workload);
}

/* Marks what is finished by now. */
static void finish_entries(struct world *world)
{
    struct world_play *play = world->play;
    if (play->finish_at > world->engine.now)
        return;
    play->finish_at = TIME_NEVER;
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const time_ps at = play->entries[i].finish_at;
        if (play->turns[i].finished || at == TIME_NEVER)
            continue;
        play->turns[i].finished = at <= world->engine.now;
        play->attention |= play->turns[i].finished;
        if (!play->turns[i].finished)
            play->finish_at = earlier(play->finish_at, at);
    }
}

/* Begins and ends workloads whose moment this is; true when all are finished. */
static bool attend(struct world *world)
{
    const struct turns_calls calls = {.self = world, .begin = begin_entry, .stop = stop_entry};
    finish_entries(world);
    turns_attend(world->scenario, world->play->turns, &world->play->attention, &calls);
    return turns_all_finished(world->scenario, world->play->turns);
}

/* ------------------------------------------------------------------ time */

void world_play_init(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    struct world_play *play = memory_zeroed(1, sizeof *play);
    world->play = play;
    play->entries = memory_zeroed(scenario->workload_count, sizeof *play->entries);
    play->turns = memory_zeroed(scenario->workload_count, sizeof *play->turns);
    world_faults_init(world);
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        snprintf(world->stats[i].name, sizeof world->stats[i].name, "%s",
                 scenario->workloads[i].name);
        hist_reset(&world->stats[i].latency);
        play->entries[i].finish_at = TIME_NEVER;
    }
    play->finish_at = TIME_NEVER;
    play->attention = true; /* the first entries begin */
    CHECK(world->engine.lookahead > 0);
}

void world_play_fini(struct world *world)
{
    struct world_play *play = world->play;
    for (uint32_t i = 0; play != NULL && i < world->workload_count; i++) {
        for (uint32_t n = 0; n < play->entries[i].count; n++)
            play->entries[i].instances[n].ops->destroy(play->entries[i].instances[n].workload);
        free(play->entries[i].instances);
    }
    /* Targets and sinks are freed later and send their disconnects by ports without fault. */
    world_faults_fini(world);
    if (play != NULL) {
        free(play->entries);
        free(play->turns);
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

/* Up to the next look for deadlocks, or `until`. */
static void advance_looking(struct world *world, time_ps until)
{
    const time_ps look = world->deadlocks.next;
    engine_run(&world->engine, earlier(look, until));
    if (look <= world->engine.now)
        deadlock_tick(&world->deadlocks, look, world->engine.events);
}

/* The next moment at which the world acts. */
static time_ps world_due(const struct world *world)
{
    return earlier(world->play->finish_at, world_faults_due(world));
}

/* To the next moment at which the world acts, or to the end of the next look or `until`; less far
 * when an entry is finished sooner. */
static void advance(struct world *world, time_ps until)
{
    const time_ps due = world_due(world);
    if (due > until || world->deadlocks.next < due) {
        advance_looking(world, until);
        return;
    }
    if (due > world->engine.now)
        engine_run(&world->engine, due - 1);
    if (world->engine.now >= due - 1)
        world->engine.now = due;
}

bool world_run(struct world *world, time_ps until)
{
    const time_ps end = earlier(until, last_moment(world));
    do {
        if (attend(world))
            return false;
        if (world_faults_due(world) <= world->engine.now)
            world_faults_apply(world);
        advance(world, end);
    } while (world->engine.now < end || world_due(world) <= end);
    return end < last_moment(world);
}

uint64_t world_outstanding(const struct world *world, uint32_t workload)
{
    const struct entry *entry = &world->play->entries[workload];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < entry->count; i++)
        sum += entry->instances[i].ops->outstanding(entry->instances[i].workload);
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
