/* SPDX-License-Identifier: Apache-2.0
 * play_hosts - workloads of the hosts that run here.
 * As in world_play of the model: an entry begins when the fio jobs that it waits for have finished,
 * is finished when its last instance is idle, and may then end others. */
#include "base/memory.h"
#include "bridge/play/play_private.h"

#include "base/check.h"
#include "scenarios/load/scenario_subsystems.h"

#include <stdlib.h>

static void on_idle(void *self)
{
    struct play_instance *instance = self;
    struct play *play = instance->play;
    struct play_entry *entry = &play->entries[instance->entry];
    CHECK(!instance->idle && entry->busy > 0);
    instance->idle = true;
    if (--entry->busy > 0)
        return;
    play->jobs[instance->entry].finished = true;
    play->attention = true;
    loop_stop(play->loop);
}

/* Moment 0 is at the end of the lead. */
static void make_instance(struct play_instance *instance, uint32_t copy)
{
    struct play *play = instance->play;
    const struct scenario_workload *workload = &play->scenario->workloads[instance->entry];
    const struct scenario_node *from = &play->scenario->nodes[workload->pairs[instance->pair].from];
    const struct job_order_span span = job_order_span(
        workload, play->zero, play->zero + play->scenario->duration, loop_now(play->loop));
    instance->ops = workload->ops;
    instance->env = play_env(play, from->name);
    instance->nvme = *from->host->nvme_host;
    instance->nvme.core.submit_cost = instance->nvme.core.complete_cost = 0;
    struct workload_site site = {
        .env = &instance->env,
        .verbs = &verbs_real,
        .class = workload->class,
        .workload = instance->entry,
        .instance = instance->pair,
        .copy = copy,
        .member = instance->pair * workload->copies + copy,
        .serial = ++play->serial,
        .emptied = scenario_empties(play->scenario),
        .params = workload->params,
        .nvme = &instance->nvme,
        .names =
            scenario_subsystem_names(play->scenario, workload, &workload->pairs[instance->pair]),
        .start = span.start,
        .stop = span.stop,
        .late = scenario_late(play->scenario, instance->entry,
                              instance->pair * workload->copies + copy),
        .stats = &play->stats[instance->entry],
        .on_idle = on_idle,
        .on_idle_self = instance,
    };
    play_ways_give(play, &site);
    instance->workload = workload->ops->create(&site);
}

/* Creates all instances before starting the first one, because an instance may be idle at once. */
static void begin_entry(void *self, uint32_t index)
{
    struct play *play = self;
    const struct scenario_workload *workload = &play->scenario->workloads[index];
    struct play_entry *entry = &play->entries[index];
    uint32_t made = 0;
    if (entry->count == 0) { /* all its instances are in other processes */
        play->jobs[index].finished = play->attention = true;
        return;
    }
    entry->busy = entry->count;
    entry->instances = memory_zeroed(entry->count, sizeof *entry->instances);
    loop_touch(play->loop);
    for (uint32_t pair = 0; pair < workload->pair_count; pair++)
        for (uint32_t copy = 0;
             play_here(play, workload->pairs[pair].from) && copy < workload->copies; copy++) {
            struct play_instance *instance = &entry->instances[made++];
            *instance = (struct play_instance){.play = play, .entry = index, .pair = pair};
            make_instance(instance, copy);
        }
    CHECK(made == entry->count);
    for (uint32_t i = 0; i < made; i++) {
        loop_touch(play->loop);
        entry->instances[i].ops->start(entry->instances[i].workload);
    }
}

static void stop_entry(void *self, uint32_t index)
{
    const struct play *play = self;
    struct play_entry *entry = &play->entries[index];
    for (uint32_t i = 0; i < entry->count; i++)
        if (!entry->instances[i].idle)
            entry->instances[i].ops->stop(entry->instances[i].workload);
}

bool play_hosts_attend(struct play *play)
{
    const struct job_order_calls calls = {.self = play, .begin = begin_entry, .stop = stop_entry};
    job_order_attend(play->scenario, play->jobs, &play->attention, &calls);
    return job_order_all_finished(play->scenario, play->jobs);
}

void play_hosts_init(struct play *play)
{
    const struct scenario *scenario = play->scenario;
    play->entries = memory_zeroed(scenario->workload_count, sizeof *play->entries);
    play->jobs = memory_zeroed(scenario->workload_count, sizeof *play->jobs);
    play->stats = memory_zeroed(scenario->workload_count, sizeof *play->stats);
    play->attention = true; /* begin the first entries */
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        workload_name(&play->stats[i], workload->name);
        for (uint32_t p = 0; p < workload->pair_count; p++)
            if ((play->options.role & PLAY_HOST) != 0 && play_here(play, workload->pairs[p].from))
                play->entries[i].count += workload->copies;
    }
}

void play_hosts_fini(struct play *play)
{
    for (uint32_t i = 0; play->entries != NULL && i < play->scenario->workload_count; i++) {
        struct play_entry *entry = &play->entries[i];
        for (uint32_t n = 0; entry->instances != NULL && n < entry->count; n++)
            if (entry->instances[n].workload != NULL)
                entry->instances[n].ops->destroy(entry->instances[n].workload);
        free(entry->instances);
    }
    free(play->entries);
    free(play->jobs);
}
