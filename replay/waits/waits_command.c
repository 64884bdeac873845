/* SPDX-License-Identifier: Apache-2.0
 * waits_command - an NVMe command's life from its moments at both ends and its messages.
 * A command is named by host, target, controller, queue and identifier, of which only one is under
 * way at a time. */
#include "base/hash.h"
#include "base/memory.h"
#include "nvme/wire/spec.h"
#include "replay/waits/waits_private.h"
#include "rnic/host/rnic.h"

#include <stdlib.h>

enum { ROOM_FIRST = 64 };

/* ------------------------------------------------------------------ finding */

static uint32_t home_of(const struct waits *waits, const struct waits_command *key)
{
    const uint64_t ips = (uint64_t)key->host_ip << 32 | key->target_ip;
    const uint64_t ids = (uint64_t)key->controller << 32 | (uint64_t)key->qid << 16 | key->cid;
    return (uint32_t)hash_mix(ips ^ hash_mix(ids)) & (waits->command_room - 1);
}

static bool same(const struct waits_command *a, const struct waits_command *b)
{
    return a->host_ip == b->host_ip && a->target_ip == b->target_ip &&
           a->controller == b->controller && a->qid == b->qid && a->cid == b->cid;
}

static struct waits_command *place_of(const struct waits *waits, const struct waits_command *key)
{
    uint32_t at = home_of(waits, key);
    while (waits->commands[at].used && !same(&waits->commands[at], key))
        at = (at + 1) & (waits->command_room - 1);
    return &waits->commands[at];
}

static void grow(struct waits *waits)
{
    struct waits_command *old = waits->commands;
    const uint32_t room = waits->command_room;
    waits->command_room = room == 0 ? ROOM_FIRST : room * 2;
    waits->commands = memory_zeroed(waits->command_room, sizeof *waits->commands);
    for (uint32_t i = 0; i < room; i++)
        if (old[i].used)
            *place_of(waits, &old[i]) = old[i];
    free(old);
}

/* Identifiers come back, so the places of those that are done are kept for them. */
static struct waits_command *command_of(struct waits *waits, const struct waits_command *key)
{
    if (waits->command_count * 2 >= waits->command_room)
        grow(waits);
    struct waits_command *command = place_of(waits, key);
    if (!command->used) {
        *command = *key;
        command->used = true;
        for (int i = 0; i < PROBE_USE_MESSAGE; i++)
            command->message[i] = WAITS_NONE;
        waits->command_count++;
    }
    return command;
}

static void forget(struct waits *waits, struct waits_command *command)
{
    command->answered = false;
    for (int i = 0; i < PROBE_USE_MESSAGE; i++) {
        waits_message_release(waits, command->message[i]);
        command->message[i] = WAITS_NONE;
    }
}

void waits_commands_fini(struct waits *waits)
{
    free(waits->commands);
}

/* ------------------------------------------------------------------ messages and their use */

/* What is reported of the message that was posted last, in the same event. */
static uint32_t posted_last(const struct waits *waits, time_ps at)
{
    const struct waits_flow *flow = waits->last_flow;
    if (flow == NULL || waits->last_at != at || flow->posted.head == flow->posted.tail)
        return WAITS_NONE;
    return waits_row_at(&flow->posted, flow->posted.tail - 1);
}

static void use_for_workload(struct waits *waits, uint32_t index, enum probe_use_kind kind)
{
    if (kind == PROBE_USE_ANSWER) {
        waits_message_at(waits, index)->answer = true;
        return;
    }
    const struct waits_flow *flow = waits->last_flow;
    waits_message_at(waits, index)->own = true;
    waits_flow_to(waits, flow->endpoint, flow->qpn)->own = true;
}

/* The data of a read that the response was posted with: the first of the WRITEs before it. */
static void find_lead(struct waits *waits, uint32_t index)
{
    const struct waits_row *row = &waits->last_flow->posted;
    struct waits_message *message = waits_message_at(waits, index);
    for (uint64_t place = row->tail - 1; place > row->head; place--) {
        const uint32_t before = waits_row_at(row, place - 1);
        const struct waits_message *data = waits_message_at(waits, before);
        if (data->operation != PROBE_WORK_WRITE || data->posted.at != message->posted.at)
            break;
        message->lead = before;
    }
    if (message->lead != WAITS_NONE)
        waits_message_at(waits, message->lead)->references++;
}

static struct waits_command key_of(const struct waits *waits, const struct probe_use *use)
{
    const struct waits_flow *flow = waits->last_flow;
    const bool by_host = use->kind == PROBE_USE_COMMAND;
    return (struct waits_command){
        .host_ip = rnic_ip(by_host ? flow->endpoint : flow->peer),
        .target_ip = rnic_ip(by_host ? flow->peer : flow->endpoint),
        .controller = use->controller,
        .qid = use->qid,
        .cid = use->cid,
    };
}

void waits_use(struct waits *waits, const struct probe_use *use)
{
    const uint32_t index = posted_last(waits, use->at);
    if (index == WAITS_NONE)
        return;
    if (use->kind == PROBE_USE_MESSAGE || use->kind == PROBE_USE_ANSWER) {
        use_for_workload(waits, index, (enum probe_use_kind)use->kind);
        return;
    }
    if (use->qid == 0)
        return;
    if (use->kind == PROBE_USE_RESPONSE)
        find_lead(waits, index);
    const struct waits_command key = key_of(waits, use);
    struct waits_command *command = command_of(waits, &key);
    if (use->kind == PROBE_USE_COMMAND)
        forget(waits, command);
    waits_message_release(waits, command->message[use->kind]);
    command->message[use->kind] = index;
    waits_message_at(waits, index)->references++;
}

void waits_target_io(struct waits *waits, const struct probe_target_io *io)
{
    const struct waits_command key = {.host_ip = io->host_ip,
                                      .target_ip = io->target_ip,
                                      .controller = io->controller,
                                      .qid = io->qid,
                                      .cid = io->cid};
    struct waits_command *command = command_of(waits, &key);
    command->target = *io;
    command->answered = true;
}

/* ------------------------------------------------------------------ lives */

static void add(struct waits_life *life, enum waits_phase phase, enum waits_part part, time_ps ps)
{
    const unsigned cell = (unsigned)phase * WAITS_PARTS + (unsigned)part;
    life->ps[phase][part] += ps;
    life->cells[cell / 64] |= UINT64_C(1) << cell % 64;
}

/* The time since the moment before; a moment that did not come leaves it where it was. */
static void step(struct waits_life *life, time_ps *before, time_ps moment, enum waits_phase phase,
                 enum waits_part part)
{
    if (moment <= *before)
        return;
    add(life, phase, part, moment - *before);
    *before = moment;
}

/* Who hears is `part`, which is also the software that sends where the RNIC is one. */
static void add_leg(struct waits_life *life, const struct waits_leg *leg, enum waits_phase phase,
                    enum waits_part software)
{
    for (int i = 0; i < WAITS_PARTS; i++)
        if (leg->ps[i] != 0)
            add(life, phase, i == WAITS_HOST_CPU ? software : (enum waits_part)i, leg->ps[i]);
    for (uint32_t i = 0; i < leg->place_count; i++)
        waits_place_add(life->places, &life->place_count, WAITS_PLACES_MAX, &leg->places[i]);
}

/* What its user waits for that could know of it. */
static enum waits_part heard(const struct waits_leg *leg, enum waits_part otherwise)
{
    return leg->by_interrupt ? WAITS_COMPLETION : otherwise;
}

/* A message between two moments of its command: posted in one, heard of in the other. */
static void travel(const struct waits *waits, struct waits_life *life, uint32_t index,
                   time_ps *before, time_ps moment, enum waits_phase phase,
                   const enum waits_part parts[2])
{
    const struct waits_message *message =
        index == WAITS_NONE ? NULL : waits_message_at(waits, index);
    if (moment <= *before)
        return;
    if (message == NULL || message->leg.from != *before || message->leg.until > moment ||
        message->leg.until < *before) {
        step(life, before, moment, phase, WAITS_UNTRACED);
        return;
    }
    add_leg(life, &message->leg, phase, parts[0]);
    *before = message->leg.until;
    step(life, before, moment, phase, heard(&message->leg, parts[1]));
}

static void at_target(const struct waits *waits, const struct waits_command *command,
                      struct waits_life *life, time_ps *before)
{
    static const enum waits_part to_target[2] = {WAITS_HOST_CPU, WAITS_STALLED};
    static const enum waits_part by_target[2] = {WAITS_TARGET_CPU, WAITS_STALLED};
    const struct probe_target_io *at = &command->target;
    travel(waits, life, command->message[PROBE_USE_COMMAND], before, at->capsule_at,
           WAITS_IN_COMMAND, to_target);
    step(life, before, at->core_at, WAITS_IN_TARGET, WAITS_TARGET_WAIT);
    step(life, before, at->worked_at, WAITS_IN_TARGET, WAITS_TARGET_CPU);
    step(life, before, at->begun_at, WAITS_IN_TARGET, WAITS_STALLED);
    step(life, before, at->buffered_at, WAITS_IN_TARGET, WAITS_BUFFERS);
    step(life, before, at->wrs_at, WAITS_IN_TARGET, WAITS_WRS);
    const bool fetches = at->fetch_at != 0;
    const time_ps ready = at->limit_at != 0 ? at->limit_at : at->media_at;
    step(life, before, fetches ? at->fetch_at : ready, WAITS_IN_TARGET, WAITS_WINDOW);
    if (fetches)
        travel(waits, life, command->message[PROBE_USE_FETCH], before, at->fetched_at,
               WAITS_IN_FETCH, by_target);
    step(life, before, ready, WAITS_IN_FETCH, WAITS_TARGET_CPU);
    step(life, before, at->media_at, WAITS_IN_TARGET, WAITS_LIMIT);
    step(life, before, at->media_begun_at, WAITS_IN_MEDIUM, WAITS_MEDIA_WAIT);
    step(life, before, at->media_done_at, WAITS_IN_MEDIUM, WAITS_MEDIA);
    step(life, before, at->response_at, WAITS_IN_MEDIUM,
         at->media_at != 0 ? WAITS_STALLED : WAITS_WINDOW);
}

static enum waits_operation operation_of(uint8_t opcode)
{
    switch (opcode) {
    case NVME_FLUSH:
        return WAITS_FLUSH;
    case NVME_WRITE:
        return WAITS_WRITE;
    case NVME_READ:
        return WAITS_READ;
    default:
        return WAITS_OTHER;
    }
}

static void live(const struct waits *waits, const struct waits_command *command,
                 const struct probe_host_io *io, struct waits_life *life)
{
    static const enum waits_part to_host[2] = {WAITS_TARGET_CPU, WAITS_HOST_CPU};
    time_ps before = io->issued_at;
    step(life, &before, io->admitted_at, WAITS_IN_SUBMIT, WAITS_WORKLOAD_LIMIT);
    step(life, &before, io->last.tagged_at, WAITS_IN_SUBMIT,
         io->last.requeued ? WAITS_RECONNECTING : WAITS_DEPTH);
    step(life, &before, io->last.sent_at, WAITS_IN_SUBMIT, WAITS_HOST_CPU);
    if (command->answered)
        at_target(waits, command, life, &before);
    travel(waits, life, command->answered ? command->message[PROBE_USE_RESPONSE] : WAITS_NONE,
           &before, io->response_at, WAITS_IN_RESPONSE, to_host);
    step(life, &before, io->last.released_at, WAITS_IN_COMPLETE, WAITS_ACK);
    step(life, &before, io->completed_at, WAITS_IN_COMPLETE, WAITS_HOST_CPU);
}

void waits_host_io(struct waits *waits, const struct probe_host_io *io)
{
    const struct waits_command key = {.host_ip = io->host_ip,
                                      .target_ip = io->target_ip,
                                      .controller = io->controller,
                                      .qid = io->qid,
                                      .cid = io->cid};
    struct waits_command *command = command_of(waits, &key);
    if (io->status == NVME_STATUS_OK) {
        struct waits_life life = {.workload = io->workload,
                                  .member = io->member,
                                  .operation = operation_of(io->opcode),
                                  .issued_at = io->issued_at,
                                  .completed_at = io->completed_at};
        live(waits, command, io, &life);
        waits_sum_add(waits, &life);
    }
    forget(waits, command);
}

static enum waits_operation operation_of_message(uint8_t operation)
{
    return operation == PROBE_WORK_READ    ? WAITS_RDMA_READ
           : operation == PROBE_WORK_WRITE ? WAITS_RDMA_WRITE
                                           : WAITS_RDMA_SEND;
}

/* What the peer's user did until it answered, and the answer; then its own ACK may be missing. */
static void live_answer(const struct waits_message *answer, struct waits_life *life, time_ps before)
{
    step(life, &before, answer->posted.at, WAITS_IN_MESSAGE, WAITS_HOST_CPU);
    add_leg(life, &answer->leg, WAITS_IN_ANSWER, WAITS_HOST_CPU);
    before = answer->leg.until;
    step(life, &before, life->completed_at, WAITS_IN_ANSWER, heard(&answer->leg, WAITS_ACK));
}

static void live_message(const struct probe_message *reported, const struct waits_message *message,
                         const struct waits_message *answer, struct waits_life *life)
{
    time_ps before = life->issued_at;
    step(life, &before, message->posted.at, WAITS_IN_MESSAGE,
         reported->by_core ? WAITS_HOST_CPU : WAITS_DEPTH);
    add_leg(life, &message->leg, WAITS_IN_MESSAGE, WAITS_HOST_CPU);
    before = message->leg.until;
    const struct waits_leg *last = &message->leg;
    if (answer != NULL) {
        live_answer(answer, life, before);
        return;
    }
    if (message->operation != PROBE_WORK_READ) {
        /* The peer's user hears on its own; the ACK is on its way already. */
        const time_ps apart = message->leg.until - message->taken_at;
        add(life, WAITS_IN_MESSAGE, WAITS_RNIC, -apart);
        add_leg(life, &message->ack, WAITS_IN_ACKNOWLEDGE, WAITS_HOST_CPU);
        before = message->ack.until;
        last = &message->ack;
    }
    step(life, &before, life->completed_at, WAITS_IN_ACKNOWLEDGE, heard(last, WAITS_HOST_CPU));
}

static void end_message(struct waits *waits, const struct probe_message *reported, uint32_t index,
                        uint32_t answer)
{
    if (reported->good) {
        struct waits_life life = {.workload = reported->workload,
                                  .member = reported->member,
                                  .operation = operation_of_message(reported->operation),
                                  .issued_at = reported->issued_at,
                                  .completed_at = reported->completed_at};
        live_message(reported, waits_message_at(waits, index),
                     answer == WAITS_NONE ? NULL : waits_message_at(waits, answer), &life);
        waits_sum_add(waits, &life);
    }
    waits_message_release(waits, index);
    waits_message_release(waits, answer);
}

/* Of one direction's messages the other has the answers. */
static bool join_one(struct waits *waits, struct waits_flow *flow, struct waits_flow *back,
                     const struct probe_message *reported)
{
    const bool answered = reported->good && reported->answered;
    if (flow->done.head == flow->done.tail ||
        (answered && back->answers.head == back->answers.tail))
        return false;
    const uint32_t index = waits_row_at(&flow->done, flow->done.head++);
    end_message(waits, reported, index,
                answered ? waits_row_at(&back->answers, back->answers.head++) : WAITS_NONE);
    return true;
}

void waits_messages_join(struct waits *waits, struct waits_flow *flow)
{
    struct waits_flow *back = waits_flow_to(waits, flow->endpoint, flow->qpn);
    uint32_t joined = 0;
    while (joined < flow->reported_count && join_one(waits, flow, back, &flow->reported[joined]))
        joined++;
    flow->reported_count -= joined;
    for (uint32_t i = 0; i < flow->reported_count && joined > 0; i++)
        flow->reported[i] = flow->reported[i + joined];
}

void waits_message(struct waits *waits, const struct probe_message *reported)
{
    struct waits_flow *back =
        waits_flow_to(waits, reported->host_ip - RNIC_FIRST_IP, reported->qpn);
    struct waits_flow *flow = waits_flow_to(waits, back->endpoint, back->qpn);
    flow->reported = memory_grown(flow->reported, flow->reported_count, &flow->reported_room,
                                  sizeof *flow->reported);
    flow->reported[flow->reported_count++] = *reported;
    waits_messages_join(waits, flow);
}
