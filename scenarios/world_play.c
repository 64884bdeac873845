/* SPDX-License-Identifier: Apache-2.0
 * world_play - begins and ends workloads and faults.
 * Both happen between events: the engine runs up to the moment before, or stops after the event in
 * which a workload became idle, and then the world acts.  So no node ever touches another, and the
 * moment is the same in every run.
 *
 * An entry begins when the fio jobs that it waits for are finished (others: at once), is finished
 * when its last instance is idle, and may then end others (fio's exitall). */
#include "scenarios/world_play.h"

#include "rnic/verbs_sim.h"
#include "scenarios/fio.h"

#include <stdio.h>
#include <stdlib.h>

struct instance {
    struct workload *workload;
    const struct workload_ops *ops;
    struct world *world;
    uint32_t entry;
    bool idle;
};

struct entry {
    struct instance *instances;
    uint32_t count, busy;
    bool begun, finished;
};

/* One end of a fault's time. */
struct edge {
    time_ps at;
    uint32_t fault;
    bool on;
};

struct world_play {
    struct entry *entries;
    struct edge *edges;
    uint32_t edge_count, edge_next;
    struct port **faulty; /* ports with a fault of their own, to be freed */
    uint32_t faulty_count;
    uint32_t serial;
    bool attention; /* an entry may have finished */
};

static void *room(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

/* ------------------------------------------------------------------ workloads */

static void on_idle(void *self)
{
    struct instance *instance = self;
    struct world_play *play = instance->world->play;
    struct entry *entry = &play->entries[instance->entry];
    CHECK(!instance->idle && entry->busy > 0);
    instance->idle = true;
    entry->busy--;
    instance->world->busy_instances--;
    if (entry->busy > 0)
        return;
    entry->finished = true;
    play->attention = true;
    engine_stop(&instance->world->engine);
}

static time_ps earlier(time_ps a, time_ps b)
{
    return a < b ? a : b;
}

static void begin_instance(struct world *world, uint32_t index, const struct scenario_pair *pair,
                           uint32_t number)
{
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    const struct scenario_node *from = &world->scenario->nodes[pair->from];
    const struct scenario_node *to = &world->scenario->nodes[pair->to];
    struct host *host = world->hosts[from->index];
    struct instance *instance = &world->play->entries[index].instances[number];
    const time_ps delay = workload->job != NULL ? workload->job->start_delay : 0;
    const time_ps now = world->engine.now;
    time_ps stop = earlier(workload->stop, world->window_end);
    /* A fio job that is delayed, or waits for others, past the end issues nothing. */
    const time_ps start = earlier((workload->start > now ? workload->start : now) + delay, stop);
    if (workload->job != NULL && workload->job->runtime < stop - start)
        stop = start + workload->job->runtime;
    *instance = (struct instance){.ops = workload->ops, .world = world, .entry = index};
    const struct workload_site site = {
        .env = &host->env,
        .verbs = &verbs_sim,
        .device = host_device(host, 0),
        .target_ip = rnic_ip(world->endpoint_of[to->index]),
        .workload = index,
        .instance = number / workload->copies,
        .copy = number % workload->copies,
        .serial = ++world->play->serial,
        .params = workload->params,
        .nvme_params = from->host->nvme_host,
        .start = start,
        .stop = stop,
        .stats = &world->stats[index],
        .on_idle = on_idle,
        .on_idle_self = instance,
    };
    instance->workload = workload->ops->create(&site);
}

/* All instances exist before the first starts: one may be idle at once. */
static void begin_entry(struct world *world, uint32_t index)
{
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    struct entry *entry = &world->play->entries[index];
    entry->begun = true;
    entry->count = entry->busy = workload->pair_count * workload->copies;
    entry->instances = room(entry->count, sizeof *entry->instances);
    world->busy_instances += entry->count;
    for (uint32_t i = 0; i < entry->count; i++)
        begin_instance(world, index, &workload->pairs[i / workload->copies], i);
    for (uint32_t i = 0; i < entry->count; i++)
        entry->instances[i].ops->start(entry->instances[i].workload);
}

static bool may_begin(const struct world *world, uint32_t index)
{
    const struct scenario_workload *workload = &world->scenario->workloads[index];
    const struct entry *entries = world->play->entries + workload->first_job;
    if (workload->job == NULL)
        return true;
    for (uint32_t i = 0; i < workload->job->barrier; i++)
        if (!entries[i].finished)
            return false;
    return workload->job->wait_for == FIO_NO_JOB || entries[workload->job->wait_for].finished;
}

static void stop_entry(struct world *world, uint32_t index)
{
    struct entry *entry = &world->play->entries[index];
    if (!entry->begun) {
        entry->begun = entry->finished = true; /* it never runs */
        return;
    }
    for (uint32_t i = 0; i < entry->count; i++)
        if (!entry->instances[i].idle)
            entry->instances[i].ops->stop(entry->instances[i].workload);
}

/* Whether the end of job `done` ends job `other` of the same file. */
static bool is_ended_by(const struct fio_job *done, const struct fio_job *other)
{
    switch (done->exit) {
    case FIO_EXIT_NONE:
        return false;
    case FIO_EXIT_GROUP:
        return other->group == done->group;
    case FIO_EXIT_STONEWALL:
        return other->barrier == done->barrier;
    case FIO_EXIT_ALL:
        return true;
    }
    return false;
}

static void end_others(struct world *world, uint32_t index)
{
    const struct scenario_workload *done = &world->scenario->workloads[index];
    for (uint32_t i = 0; done->job != NULL && i < world->workload_count; i++) {
        const struct scenario_workload *other = &world->scenario->workloads[i];
        const bool same_file = other->job != NULL && other->first_job == done->first_job;
        if (i != index && same_file && !world->play->entries[i].finished &&
            is_ended_by(done->job, other->job))
            stop_entry(world, i);
    }
}

/* Lets what has finished end and begin others, until nothing changes. */
static void attend(struct world *world)
{
    struct world_play *play = world->play;
    while (play->attention) {
        play->attention = false;
        for (uint32_t i = 0; i < world->workload_count; i++)
            if (play->entries[i].finished)
                end_others(world, i);
        for (uint32_t i = 0; i < world->workload_count; i++)
            if (!play->entries[i].begun && may_begin(world, i))
                begin_entry(world, i);
    }
    world->engine.stopped = false;
}

static bool all_finished(const struct world *world)
{
    for (uint32_t i = 0; i < world->workload_count; i++)
        if (!world->play->entries[i].finished)
            return false;
    return world->workload_count > 0;
}

/* ------------------------------------------------------------------ faults */

static struct port_fault *fault_of(struct world *world, struct port *port)
{
    if (port->fault != NULL)
        return port->fault;
    struct world_play *play = world->play;
    play->faulty = realloc(play->faulty, (play->faulty_count + 1) * sizeof(struct port *));
    CHECK(play->faulty != NULL);
    play->faulty[play->faulty_count++] = port;
    port_set_fault(port, room(1, sizeof(struct port_fault)));
    char owner[NODE_NAME_BYTES + 16];
    world_port_name(world, port->node->id, port->index, owner, sizeof owner);
    port->fault->errors = rng_stream(world->scenario->seed, owner, "bit-errors");
    return port->fault;
}

static void set_bit_errors(struct port_fault *fault, int64_t per_10_15)
{
    fault->bits_between_errors = per_10_15 > 0 ? INT64_C(1000000000000000) / per_10_15 : 0;
    fault->bits_to_error = rng_exponential(&fault->errors, fault->bits_between_errors);
}

static void apply_to_port(struct world *world, const struct scenario_fault *fault,
                          const struct scenario_spot *spot, bool on)
{
    struct port *port = world_port(world, spot->node, spot->port);
    switch (fault->kind) {
    case SCENARIO_FAULT_LINK_DOWN:
        port_set_up(port, !on, world->engine.now);
        return;
    case SCENARIO_FAULT_BIT_ERRORS:
        set_bit_errors(fault_of(world, port), on ? fault->rate : 0);
        return;
    case SCENARIO_FAULT_DROP_EVERY:
        fault_of(world, port)->drop_every = on ? (uint64_t)fault->n : 0;
        port->fault->frames = (uint8_t)fault->frames;
        return;
    case SCENARIO_FAULT_PFC_OFF: {
        const struct scenario_node *node = &world->scenario->nodes[spot->node];
        const int64_t enabled = on ? 0 : node->ports[spot->port].params->pfc_enabled;
        port_enable_pauses(port, (uint8_t)enabled, world->engine.now);
        return;
    }
    case SCENARIO_FAULT_SLOW_RECEIVER:
    case SCENARIO_FAULT_PAUSE_STORM:
        break;
    }
    check_failed("a port's fault is one of the kinds above", __FILE__, __LINE__);
}

static void apply_to_host(struct world *world, const struct scenario_fault *fault, uint32_t node,
                          bool on)
{
    struct host *host = world_host(world, node);
    for (uint16_t i = 0; i < world->scenario->nodes[node].port_count; i++) {
        struct rnic *rnic = host->rnics[i];
        const int64_t line = (int64_t)rnic->port.rate.bps;
        const int64_t slow = (int64_t)((__int128)line * fault->drain / PPM);
        if (fault->kind == SCENARIO_FAULT_PAUSE_STORM)
            rnic_set_storm(rnic, (uint8_t)fault->priority, on, world->engine.now);
        else if (on)
            rnic_set_drain(rnic, slow > 0 ? slow : RNIC_STOPPED, world->engine.now);
        else
            rnic_set_drain(rnic, rnic->params.drain, world->engine.now);
    }
}

static bool has_spot(const struct scenario_fault *fault, const struct scenario_spot *spot)
{
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == spot->node && fault->spots[i].port == spot->port)
            return true;
    return false;
}

/* The last begun of the others that do the same to the spot at this moment; NULL: none. */
static const struct scenario_fault *still_at(const struct world *world, uint32_t ended,
                                             const struct scenario_spot *spot)
{
    const struct scenario_fault *faults = world->scenario->faults, *found = NULL;
    const time_ps now = faults[ended].end;
    for (uint32_t i = 0; i < world->scenario->fault_count; i++) {
        const struct scenario_fault *other = &faults[i];
        if (i != ended && other->kind == faults[ended].kind &&
            other->priority == faults[ended].priority && other->at <= now && now < other->end &&
            has_spot(other, spot) && (found == NULL || found->at <= other->at))
            found = other;
    }
    return found;
}

/* The end of one fault leaves what another, overlapping one still does. */
static void apply(struct world *world, const struct edge *edge)
{
    const struct scenario_fault *fault = &world->scenario->faults[edge->fault];
    for (uint32_t i = 0; i < fault->spot_count; i++) {
        const struct scenario_spot *spot = &fault->spots[i];
        const struct scenario_fault *other = edge->on ? NULL : still_at(world, edge->fault, spot);
        const struct scenario_fault *now = other != NULL ? other : fault;
        const bool on = edge->on || other != NULL;
        if (spot->port == SCENARIO_ALL_PORTS)
            apply_to_host(world, now, spot->node, on);
        else
            apply_to_port(world, now, spot, on);
    }
}

/* Keeps the edges in the order of time, and of the scenario within one moment. */
static void add_edge(struct world_play *play, struct edge edge)
{
    uint32_t hole = play->edge_count++;
    for (; hole > 0 && edge.at < play->edges[hole - 1].at; hole--)
        play->edges[hole] = play->edges[hole - 1];
    play->edges[hole] = edge;
}

/* ------------------------------------------------------------------ time */

void world_play_init(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    struct world_play *play = room(1, sizeof *play);
    world->play = play;
    play->entries = room(scenario->workload_count, sizeof *play->entries);
    play->edges = room(2u * scenario->fault_count, sizeof *play->edges);
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        add_edge(play, (struct edge){scenario->faults[i].at, i, true});
        if (scenario->faults[i].end != TIME_NEVER)
            add_edge(play, (struct edge){scenario->faults[i].end, i, false});
    }
    for (uint32_t i = 0; i < scenario->workload_count; i++) {
        snprintf(world->stats[i].name, sizeof world->stats[i].name, "%s",
                 scenario->workloads[i].name);
        hist_reset(&world->stats[i].latency);
    }
    play->attention = true; /* the first entries begin */
}

void world_play_fini(struct world *world)
{
    struct world_play *play = world->play;
    for (uint32_t i = 0; play != NULL && i < world->workload_count; i++) {
        for (uint32_t n = 0; n < play->entries[i].count; n++)
            play->entries[i].instances[n].ops->destroy(play->entries[i].instances[n].workload);
        free(play->entries[i].instances);
    }
    /* Targets and sinks are freed later and send their disconnects by these ports. */
    for (uint32_t i = 0; play != NULL && i < play->faulty_count; i++) {
        free(play->faulty[i]->fault);
        port_set_fault(play->faulty[i], NULL);
    }
    if (play != NULL) {
        free(play->faulty);
        free(play->entries);
        free(play->edges);
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

/* Up to the next fault, or `until`. */
static void advance(struct world *world, time_ps until)
{
    struct world_play *play = world->play;
    const bool fault_due =
        play->edge_next < play->edge_count && play->edges[play->edge_next].at <= until;
    if (!fault_due) {
        engine_run(&world->engine, until);
        return;
    }
    const struct edge *edge = &play->edges[play->edge_next];
    if (edge->at > world->engine.now)
        engine_run(&world->engine, edge->at - 1);
    if (world->engine.stopped)
        return;
    world->engine.now = edge->at;
    apply(world, edge);
    play->edge_next++;
}

bool world_run(struct world *world, time_ps until)
{
    const time_ps end = earlier(until, last_moment(world));
    do {
        attend(world);
        if (all_finished(world))
            return false;
        advance(world, end);
    } while (world->engine.stopped || world->engine.now < end ||
             (world->play->edge_next < world->play->edge_count &&
              world->play->edges[world->play->edge_next].at <= end));
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
