/* SPDX-License-Identifier: Apache-2.0
 * live_hosts - workloads of the hosts that run here.
 * As in world_play of the model: an entry begins when the fio jobs that it waits for have finished,
 * is finished when its last instance is idle, and may then end others. */
#include "base/memory.h"
#include "bridge/run/live_private.h"

#include "base/check.h"
#include "scenarios/data/subsystems.h"

#include <stdlib.h>

static void on_idle(void *self)
{
    struct live_instance *instance = self;
    struct live_run *run = instance->run;
    struct live_entry *entry = &run->entries[instance->entry];
    CHECK(!instance->idle && entry->busy > 0);
    instance->idle = true;
    if (--entry->busy > 0)
        return;
    run->jobs[instance->entry].finished = true;
    run->attention = true;
    loop_stop(run->loop);
}

static struct stream_device *stream_at(const struct workload_site *site,
                                       const struct verbs_device *device)
{
    (void)site;
    return verbs_tcp_streams(device);
}

/* Moment 0 is at the end of the lead. */
static void make_instance(struct live_instance *instance, uint32_t copy)
{
    struct live_run *run = instance->run;
    const struct scenario_workload *workload = &run->scenario->workloads[instance->entry];
    const struct scenario_node *from = &run->scenario->nodes[workload->pairs[instance->pair].from];
    const struct job_order_span span = job_order_span(
        workload, run->zero, run->zero + run->scenario->duration, loop_now(run->loop));
    instance->ops = workload->ops;
    instance->env = live_env(run, from->name);
    instance->nvme = *from->host->nvme_host;
    instance->nvme.core.submit_cost = instance->nvme.core.complete_cost = 0;
    struct workload_site site = {
        .env = &instance->env,
        .verbs = run->verbs,
        .streams = &stream_real,
        .stream_at = stream_at,
        .transport = workload->transport,
        .class = workload->class,
        .workload = instance->entry,
        .instance = instance->pair,
        .copy = copy,
        .member = instance->pair * workload->copies + copy,
        .serial = ++run->serial,
        .emptied = scenario_empties(run->scenario),
        .params = workload->params,
        .nvme = &instance->nvme,
        .names =
            scenario_subsystem_names(run->scenario, workload, &workload->pairs[instance->pair]),
        .start = span.start,
        .stop = span.stop,
        .late =
            scenario_late(run->scenario, instance->entry, instance->pair * workload->copies + copy),
        .stats = &run->stats[instance->entry],
        .on_idle = on_idle,
        .on_idle_self = instance,
    };
    live_nics_give(run, &site);
    instance->workload = workload->ops->create(&site);
}

/* Creates all instances before starting the first one, because an instance may be idle at once. */
static void begin_entry(void *self, uint32_t index)
{
    struct live_run *run = self;
    const struct scenario_workload *workload = &run->scenario->workloads[index];
    struct live_entry *entry = &run->entries[index];
    uint32_t made = 0;
    if (entry->count == 0) { /* all its instances are in other processes */
        run->jobs[index].finished = run->attention = true;
        return;
    }
    entry->busy = entry->count;
    entry->instances = memory_zeroed(entry->count, sizeof *entry->instances);
    loop_touch(run->loop);
    for (uint32_t pair = 0; pair < workload->pair_count; pair++)
        for (uint32_t copy = 0;
             live_here(run, workload->pairs[pair].from) && copy < workload->copies; copy++) {
            struct live_instance *instance = &entry->instances[made++];
            *instance = (struct live_instance){.run = run, .entry = index, .pair = pair};
            make_instance(instance, copy);
        }
    CHECK(made == entry->count);
    for (uint32_t i = 0; i < made; i++) {
        loop_touch(run->loop);
        entry->instances[i].ops->start(entry->instances[i].workload);
    }
}

static void stop_entry(void *self, uint32_t index)
{
    const struct live_run *run = self;
    struct live_entry *entry = &run->entries[index];
    for (uint32_t i = 0; i < entry->count; i++)
        if (!entry->instances[i].idle)
            entry->instances[i].ops->stop(entry->instances[i].workload);
}

bool live_hosts_attend(struct live_run *run)
{
    const struct job_order_calls calls = {.self = run, .begin = begin_entry, .stop = stop_entry};
    job_order_attend(run->scenario, run->jobs, &run->attention, &calls);
    return job_order_all_finished(run->scenario, run->jobs);
}

void live_hosts_init(struct live_run *run)
{
    const struct scenario *scenario = run->scenario;
    run->entries = memory_zeroed(scenario->workload_count, sizeof *run->entries);
    run->jobs = memory_zeroed(scenario->workload_count, sizeof *run->jobs);
    run->stats = memory_zeroed(scenario->workload_count, sizeof *run->stats);
    run->attention = true; /* begin the first entries */
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        const struct scenario_workload *workload = &scenario->workloads[i];
        workload_name(&run->stats[i], workload->name);
        for (uint32_t p = 0; p < workload->pair_count; p++)
            if ((run->options.role & LIVE_HOST) != 0 && live_here(run, workload->pairs[p].from))
                run->entries[i].count += workload->copies;
    }
}

void live_hosts_fini(struct live_run *run)
{
    for (uint32_t i = 0; run->entries != NULL && i < run->scenario->workload_count; i++) {
        struct live_entry *entry = &run->entries[i];
        for (uint32_t n = 0; entry->instances != NULL && n < entry->count; n++)
            if (entry->instances[n].workload != NULL)
                entry->instances[n].ops->destroy(entry->instances[n].workload);
        free(entry->instances);
    }
    free(run->entries);
    free(run->jobs);
}
