/* SPDX-License-Identifier: Apache-2.0
 * stepper_conditions - the probe's functions, and checks of states.
 * Occurrences are reported by the probe while an event is executed. A state (queue length, paused
 * port) is a hit when it applies to more places than after the previous event. */
#include "base/drop.h"
#include "replay/step/stepper_private.h"

#include "base/memory.h"
#include "nvme/wire/spec.h"
#include "replay/database/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void note_hit(struct stepper *stepper, uint32_t condition, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void note_hit(struct stepper *stepper, uint32_t condition, const char *format, ...)
{
    struct step_moved *moved = stepper->moved;
    va_list arguments;
    const bool is_first = stepper->hits == 0;
    stepper->hits |= UINT32_C(1) << condition;
    if (!is_first || moved->hits + 1 != stepper->goal->hits)
        return; /* its description is not needed */
    va_start(arguments, format);
    vsnprintf(moved->what, sizeof moved->what, format, arguments);
    va_end(arguments);
}

static const char *name_of(const struct stepper *stepper, uint32_t node)
{
    return stepper->world->scenario->nodes[node].name;
}

/* ------------------------------------------------------------------ the probe */

static struct scenario_port_text port_of(const struct stepper *stepper, uint32_t node,
                                         uint16_t port)
{
    return scenario_port_name(&stepper->world->scenario->nodes[node], port);
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct stepper *stepper = self;
    const struct step_goal *goal = stepper->goal;
    for (uint32_t i = 0; i < goal->condition_count; i++)
        if (goal->conditions[i].quantity == STEP_DROP &&
            step_subject_has(&goal->conditions[i].subject, drop->node, drop->port, drop->priority))
            note_hit(stepper, i, "%s drops a frame of %lld B, priority %u: %s",
                     port_of(stepper, drop->node, drop->port).text, (long long)drop->frame_bytes,
                     drop->priority, probe_drops[drop->cause].word);
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct stepper *stepper = self;
    const struct step_goal *goal = stepper->goal;
    const enum step_quantity quantity = pause->xoff ? STEP_PAUSE : STEP_RESUME;
    if (pause->refresh)
        return;
    for (uint32_t i = 0; i < goal->condition_count; i++)
        if (goal->conditions[i].quantity == quantity &&
            step_subject_has(&goal->conditions[i].subject, pause->node, pause->port,
                             pause->priority))
            note_hit(stepper, i, "%s sends %s, priority %u: %s buffered, threshold %s",
                     port_of(stepper, pause->node, pause->port).text, pause->xoff ? "XOFF" : "XON",
                     pause->priority, words_bytes(pause->occupancy).text,
                     words_bytes(pause->threshold).text);
}

static struct step_stop *find_stop(const struct stepper *stepper, uint32_t node, uint16_t port,
                                   uint8_t priority)
{
    for (uint32_t i = 0; i < stepper->stop_count; i++) {
        struct step_stop *stop = &stepper->stops[i];
        if (stop->node == node && stop->port == port && stop->priority == priority)
            return stop;
    }
    return NULL;
}

time_ps stepper_paused_since(const struct stepper *stepper, uint32_t node, uint16_t port,
                             uint8_t priority)
{
    const struct step_stop *stop = find_stop(stepper, node, port, priority);
    return stop == NULL ? TIME_NEVER : stop->since;
}

static void on_blocked(void *self, const struct probe_blocked *blocked)
{
    struct stepper *stepper = self;
    struct step_stop *stop = find_stop(stepper, blocked->node, blocked->port, blocked->priority);
    if (!blocked->blocked) {
        if (stop != NULL)
            *stop = stepper->stops[--stepper->stop_count];
        return;
    }
    if (stop != NULL)
        return;
    stepper->stops = memory_grown(stepper->stops, stepper->stop_count, &stepper->stop_room,
                                  sizeof *stepper->stops);
    stepper->stops[stepper->stop_count++] =
        (struct step_stop){blocked->node, blocked->port, blocked->priority, blocked->at};
}

/* The host with that address; STEP_ANY if there is none. */
static uint32_t host_at(const struct stepper *stepper, uint32_t ip)
{
    const struct world *world = stepper->world;
    const uint32_t endpoint = ip - RNIC_FIRST_IP;
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->host_count; i++)
        count += world->scenario->nodes[i].port_count;
    return endpoint < count ? stepper_host_of(stepper, endpoint) : STEP_ANY;
}

/* A completed command of an NVMe workload, or message of an rdma-* workload. */
struct ended {
    uint32_t workload, from, to; /* nodes */
    time_ps took;
    bool well;
    const char *words; /* text after the workload's name */
};

static bool is_of(const struct step_subject *subject, const struct ended *ended)
{
    return (subject->workload == STEP_ANY || subject->workload == ended->workload) &&
           (subject->node == STEP_ANY || subject->node == ended->from ||
            subject->node == ended->to) &&
           (subject->from == STEP_ANY || subject->from == ended->from) &&
           (subject->to == STEP_ANY || subject->to == ended->to);
}

static bool is_such_an_end(const struct step_condition *condition, const struct ended *ended)
{
    switch (condition->quantity) {
    case STEP_IO:
        return true;
    case STEP_COMPLETED:
        return ended->took > condition->above;
    case STEP_FAILED:
        return !ended->well;
    default:
        return false;
    }
}

static void has_ended(struct stepper *stepper, const struct ended *ended)
{
    const struct step_goal *goal = stepper->goal;
    for (uint32_t i = 0; i < goal->condition_count; i++)
        if (is_such_an_end(&goal->conditions[i], ended) &&
            is_of(&goal->conditions[i].subject, ended))
            note_hit(stepper, i, "%s: %s", stepper->world->stats[ended->workload].name,
                     ended->words);
}

static void on_host_io(void *self, const struct probe_host_io *io)
{
    struct stepper *stepper = self;
    const char *operation = nvme_opcode_word(io->opcode);
    const uint32_t from = host_at(stepper, io->host_ip);
    const time_ps took = io->completed_at - io->issued_at;
    char words[160];
    snprintf(words, sizeof words, "a %s of %s from %s completed after %s, status %#x", operation,
             words_bytes(io->bytes).text, name_of(stepper, from), words_time(took).text,
             io->status);
    has_ended(stepper, &(struct ended){io->workload, from, host_at(stepper, io->target_ip), took,
                                       io->status == 0, words});
}

static void on_message(void *self, const struct probe_message *message)
{
    struct stepper *stepper = self;
    const struct scenario_workload *about = &stepper->world->scenario->workloads[message->workload];
    const struct scenario_pair *pair = &about->pairs[message->member / about->copies];
    const time_ps took = message->completed_at - message->issued_at;
    char words[160];
    snprintf(words, sizeof words, "a message from %s to %s %s after %s",
             name_of(stepper, pair->from), name_of(stepper, pair->to),
             message->good ? "completed" : "failed", words_time(took).text);
    has_ended(stepper,
              &(struct ended){message->workload, pair->from, pair->to, took, message->good, words});
}

/* A note that a node's owner made under its name. */
static void hit_by_name(struct stepper *stepper, enum step_quantity quantity, const char *owner,
                        const char *text)
{
    const struct step_goal *goal = stepper->goal;
    for (uint32_t i = 0; i < goal->condition_count; i++) {
        const struct step_condition *condition = &goal->conditions[i];
        if (condition->quantity == quantity &&
            (condition->subject.node == STEP_ANY ||
             strcmp(name_of(stepper, condition->subject.node), owner) == 0))
            note_hit(stepper, i, "%s: %s", owner, text);
    }
}

static void on_state(void *self, const struct probe_state *state)
{
    char text[STEP_WHAT_BYTES];
    snprintf(text, sizeof text, "%s from %s by %s to %s", state->machine, state->from, state->event,
             state->to);
    hit_by_name(self, STEP_STATE, state->owner, text);
}

static void on_note(void *self, time_ps at, const char *owner, const char *text)
{
    (void)at;
    hit_by_name(self, STEP_NOTE, owner, text);
}

static void on_target_io(void *self, const struct probe_target_io *io)
{
    (void)self;
    (void)io;
}

void stepper_conditions_init(struct stepper *stepper, const struct scenario *scenario)
{
    stepper->issued = memory_zeroed(scenario->workload_count, sizeof *stepper->issued);
    stepper->probe = (struct probe){
        .self = stepper,
        .drop = on_drop,
        .pause = on_pause,
        .blocked = on_blocked,
        .target_io = on_target_io,
        .host_io = on_host_io,
        .message = on_message,
        .state = on_state,
        .note = on_note,
    };
}

/* ------------------------------------------------------------------ events and frames */

static bool is_arrival(const struct stepper *stepper, const struct step_subject *subject,
                       const struct eventlog_event *note, const struct frame *frame)
{
    if (subject->qp != STEP_ANY && subject->qp != frame->qpn)
        return false;
    if (subject->priority != STEP_ANY_PRIORITY && subject->priority != frame->priority)
        return false;
    const bool has_ends = !frame_is_mac_control(frame);
    const uint32_t from = has_ends ? stepper_host_of(stepper, frame->source) : STEP_ANY;
    const uint32_t to = has_ends ? stepper_host_of(stepper, frame->destination) : STEP_ANY;
    if ((subject->from != STEP_ANY && subject->from != from) ||
        (subject->to != STEP_ANY && subject->to != to))
        return false;
    return subject->node == STEP_ANY ||
           (subject->node == note->node &&
            (subject->port == SCENARIO_ALL_PORTS || subject->port == note->port)) ||
           (subject->port == SCENARIO_ALL_PORTS && (subject->node == from || subject->node == to));
}

static bool is_such_a_frame(enum step_quantity quantity, const struct frame *frame)
{
    enum { NAK_SYNDROME = 3 }; /* bits 6 and 5 of the syndrome, IBTA Vol 1 table 43 */
    switch (quantity) {
    case STEP_PACKET:
        return true;
    case STEP_CNP:
        return frame->opcode == FRAME_CNP;
    case STEP_NAK:
        return frame->opcode == FRAME_RC_ACKNOWLEDGE && (frame->aeth >> 29 & 3) == NAK_SYNDROME;
    case STEP_RESENT:
        return (frame->flags & FRAME_RESENT) != 0;
    default:
        return false;
    }
}

void stepper_conditions_before(struct stepper *stepper, const struct eventlog_event *note,
                               const struct event *event)
{
    const struct step_goal *goal = stepper->goal;
    const struct frame *frame =
        event->kind == NET_EVENT_ARRIVAL
            ? frame_at(world_frames(stepper->world, event->node), (uint32_t)event->argument)
            : NULL;
    for (uint32_t i = 0; i < goal->condition_count; i++) {
        const struct step_condition *condition = &goal->conditions[i];
        if (condition->quantity == STEP_EVENT
                ? step_subject_has(&condition->subject, note->node, note->port, STEP_ANY_PRIORITY)
                : frame != NULL && is_such_a_frame(condition->quantity, frame) &&
                      is_arrival(stepper, &condition->subject, note, frame))
            note_hit(stepper, i, "%s", "");
    }
}

/* ------------------------------------------------------------------ states */

static bool is_such_a_stop(const struct stepper *stepper, const struct step_condition *condition,
                           const struct step_stop *stop)
{
    return step_subject_has(&condition->subject, stop->node, stop->port, stop->priority) &&
           stepper->world->engine.now - stop->since > condition->above;
}

static uint32_t count_stops(const struct stepper *stepper, const struct step_condition *condition)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stepper->stop_count; i++)
        count += is_such_a_stop(stepper, condition, &stepper->stops[i]);
    return count;
}

/* Reports the latest of the matching pauses. */
static void hit_stop(struct stepper *stepper, uint32_t index)
{
    const struct step_condition *condition = &stepper->goal->conditions[index];
    const struct step_stop *latest = NULL;
    for (uint32_t i = 0; i < stepper->stop_count; i++)
        if (is_such_a_stop(stepper, condition, &stepper->stops[i]) &&
            (latest == NULL || stepper->stops[i].since >= latest->since))
            latest = &stepper->stops[i];
    CHECK(latest != NULL);
    note_hit(stepper, index, "%s paused on priority %u for %s",
             port_of(stepper, latest->node, latest->port).text, latest->priority,
             words_time(stepper->world->engine.now - latest->since).text);
}

/* Number of queues or ingress groups of a switch above the size. */
static uint32_t count_priorities(const struct stepper *stepper,
                                 const struct step_condition *condition)
{
    const struct step_subject *subject = &condition->subject;
    const struct swtch *swtch = world_switch(stepper->world, subject->node);
    uint32_t count = 0;
    for (uint16_t port = 0; port < swtch->port_count; port++)
        for (uint8_t priority = 0; priority < PRIORITIES; priority++) {
            const struct buffer_group *group = &swtch->buffer.groups[port * PRIORITIES + priority];
            const int64_t bytes = condition->quantity == STEP_QUEUE
                                      ? swtch->ports[port].prios[priority].bytes
                                      : buffer_bytes(&swtch->buffer, buffer_held(group));
            count += step_subject_has(subject, subject->node, port, priority) &&
                     bytes > condition->above;
        }
    return count;
}

static uint32_t count_buffer(const struct stepper *stepper, const struct step_condition *condition)
{
    const uint32_t node = condition->subject.node;
    int64_t used = 0, size = 0;
    if (stepper->world->scenario->nodes[node].kind == SCENARIO_SWITCH) {
        const struct buffer *buffer = &world_switch(stepper->world, node)->buffer;
        used = buffer_bytes(buffer, (int64_t)buffer->used + buffer->headroom_used);
        size = buffer_bytes(buffer, buffer->total);
    } else {
        const struct host *host = world_host(stepper->world, node);
        for (uint32_t i = 0; i < host->rnic_count; i++) {
            used += host->rnics[i]->rx.held;
            size += host->rnics[i]->rx.size;
        }
    }
    /* ppm of a few gigabytes need more than 64 bits */
    return condition->share ? (__int128)used * PPM > (__int128)size * condition->above
                            : used > condition->above;
}

static uint32_t level_of(const struct stepper *stepper, const struct step_condition *condition)
{
    switch (condition->quantity) {
    case STEP_PAUSED:
        return count_stops(stepper, condition);
    case STEP_QUEUE:
    case STEP_INGRESS:
        return count_priorities(stepper, condition);
    case STEP_BUFFER:
        return count_buffer(stepper, condition);
    case STEP_DEADLOCK:
        return stepper->world->deadlocks.count;
    default:
        return 0;
    }
}

/* The first two can become true by time alone; the others only change with their node. */
static bool may_change(const struct step_condition *condition, uint32_t node)
{
    return condition->quantity == STEP_PAUSED || condition->quantity == STEP_DEADLOCK ||
           node == STEP_ANY || condition->subject.node == node;
}

static void look_at_issues(struct stepper *stepper)
{
    const struct step_goal *goal = stepper->goal;
    for (uint32_t w = 0; w < stepper->world->workload_count; w++) {
        const uint64_t issued = stepper->world->stats[w].issued;
        if (issued == stepper->issued[w])
            continue;
        stepper->issued[w] = issued;
        for (uint32_t i = 0; i < goal->condition_count; i++) {
            const struct step_condition *condition = &goal->conditions[i];
            if ((condition->quantity == STEP_ISSUED || condition->quantity == STEP_IO) &&
                (condition->subject.workload == STEP_ANY || condition->subject.workload == w))
                note_hit(stepper, i, "%s: command %llu issued", stepper->world->stats[w].name,
                         (unsigned long long)issued);
        }
    }
}

void stepper_conditions_begin(struct stepper *stepper)
{
    const struct step_goal *goal = stepper->goal;
    stepper->hits = 0;
    for (uint32_t i = 0; i < goal->condition_count; i++)
        stepper->levels[i] = level_of(stepper, &goal->conditions[i]);
    for (uint32_t w = 0; w < stepper->world->workload_count; w++)
        stepper->issued[w] = stepper->world->stats[w].issued;
}

void stepper_conditions_after(struct stepper *stepper, uint32_t node)
{
    const struct step_goal *goal = stepper->goal;
    for (uint32_t i = 0; i < goal->condition_count; i++) {
        if (!may_change(&goal->conditions[i], node))
            continue;
        const uint32_t level = level_of(stepper, &goal->conditions[i]);
        if (level > stepper->levels[i] && goal->conditions[i].quantity == STEP_PAUSED)
            hit_stop(stepper, i);
        else if (level > stepper->levels[i])
            note_hit(stepper, i, "%s", "");
        stepper->levels[i] = level;
    }
    look_at_issues(stepper);
    if (stepper->hits == 0)
        return;
    stepper->moved->hits++;
    stepper->moved->conditions = stepper->hits;
    stepper->hits = 0;
}
