/* SPDX-License-Identifier: Apache-2.0
 * breakdown_command - breaks down an NVMe command by its times at host and target and its
 * messages. */
#include "base/memory.h"
#include "nvme/wire/spec.h"
#include "replay/breakdown/breakdown_private.h"
#include "rnic/host/rnic.h"

/* ------------------------------------------------------------------ messages by purpose */

/* Returns the message that was posted last, if it was posted in this event. */
static uint32_t posted_last(const struct breakdown *breakdown, time_ps at)
{
    const struct breakdown_flow *flow = breakdown->last_flow;
    if (flow == NULL || breakdown->last_at != at || flow->posted.head == flow->posted.tail)
        return BREAKDOWN_NONE;
    return breakdown_row_at(&flow->posted, flow->posted.tail - 1);
}

static void use_for_workload(struct breakdown *breakdown, uint32_t index, enum probe_use_kind kind)
{
    if (kind == PROBE_USE_ANSWER) {
        breakdown_message_at(breakdown, index)->answer = true;
        return;
    }
    const struct breakdown_flow *flow = breakdown->last_flow;
    breakdown_message_at(breakdown, index)->own = true;
    breakdown_flow_to(breakdown, flow->endpoint, flow->qpn)->own = true;
}

static struct probe_target_io key_of(const struct breakdown *breakdown, const struct probe_use *use)
{
    const struct breakdown_flow *flow = breakdown->last_flow;
    const bool by_host = use->kind == PROBE_USE_COMMAND;
    return (struct probe_target_io){
        .host_ip = rnic_ip(by_host ? flow->endpoint : flow->peer),
        .target_ip = rnic_ip(by_host ? flow->peer : flow->endpoint),
        .controller = use->controller,
        .qid = use->qid,
        .cid = use->cid,
    };
}

void breakdown_use(struct breakdown *breakdown, const struct probe_use *use)
{
    const uint32_t index = posted_last(breakdown, use->at);
    if (index == BREAKDOWN_NONE)
        return;
    if (use->kind == PROBE_USE_MESSAGE || use->kind == PROBE_USE_ANSWER) {
        use_for_workload(breakdown, index, (enum probe_use_kind)use->kind);
        return;
    }
    if (use->qid == 0)
        return;
    if (use->kind == PROBE_USE_RESPONSE)
        breakdown_message_find_lead(breakdown, breakdown->last_flow, index);
    const struct probe_target_io key = key_of(breakdown, use);
    struct breakdown_command *command = breakdown_command_of(breakdown, &key);
    if (command == NULL)
        return;
    if (use->kind == PROBE_USE_COMMAND) {
        breakdown_command_release(breakdown, command);
        command->answered = false;
    }
    breakdown_message_release(breakdown, command->message[use->kind]);
    command->message[use->kind] = index;
    breakdown_message_at(breakdown, index)->references++;
}

void breakdown_target_io(struct breakdown *breakdown, const struct probe_target_io *io)
{
    struct breakdown_command *command = breakdown_command_of(breakdown, io);
    if (command == NULL)
        return;
    command->target = *io;
    command->answered = true;
}

/* ------------------------------------------------------------------ commands and messages */

static void add_time(struct breakdown_life *life, enum breakdown_phase phase,
                     enum breakdown_part part, time_ps ps)
{
    const unsigned cell = (unsigned)phase * BREAKDOWN_PARTS + (unsigned)part;
    life->ps[phase][part] += ps;
    life->cells[cell / 64] |= UINT64_C(1) << cell % 64;
}

/* Adds the time since *before to `part`. A moment that was not reached leaves *before unchanged. */
static void add_step(struct breakdown_life *life, time_ps *before, time_ps moment,
                     enum breakdown_phase phase, enum breakdown_part part)
{
    if (moment <= *before)
        return;
    add_time(life, phase, part, moment - *before);
    *before = moment;
}

/* Adds the parts of a message. Host CPU time of a software RNIC at the target counts as
 * `software`. */
static void add_leg(struct breakdown_life *life, const struct breakdown_leg *leg,
                    enum breakdown_phase phase, enum breakdown_part software)
{
    for (int i = 0; i < BREAKDOWN_PARTS; i++)
        if (leg->ps[i] != 0)
            add_time(life, phase, i == BREAKDOWN_HOST_CPU ? software : (enum breakdown_part)i,
                     leg->ps[i]);
    if (leg->of_stream) {
        const bool by_host = software == BREAKDOWN_HOST_CPU;
        add_time(life, phase, by_host ? BREAKDOWN_TARGET_WAIT : BREAKDOWN_HOST_CPU, leg->core_wait);
        add_time(life, phase, by_host ? BREAKDOWN_TARGET_CPU : BREAKDOWN_HOST_CPU, leg->core);
    }
    life->behind.sent += leg->behind.sent;
    life->behind.lost += leg->behind.lost;
    for (uint32_t i = 0; i < leg->place_count; i++)
        breakdown_place_add(life->places, &life->place_count, BREAKDOWN_PLACES_MAX,
                            &leg->places[i]);
}

/* The part after a message arrived: completion wait with interrupts, otherwise `otherwise`. */
static enum breakdown_part part_after_arrival(const struct breakdown_leg *leg,
                                              enum breakdown_part otherwise)
{
    return leg->by_interrupt ? BREAKDOWN_COMPLETION : otherwise;
}

/* A message between two times of its command: posted at *before, its receiver notified by
 * `moment`. */
static void add_message(const struct breakdown *breakdown, struct breakdown_life *life,
                        uint32_t index, time_ps *before, time_ps moment, enum breakdown_phase phase,
                        const enum breakdown_part parts[3])
{
    const struct breakdown_message *message =
        index == BREAKDOWN_NONE ? NULL : breakdown_message_at(breakdown, index);
    if (moment <= *before)
        return;
    if (message == NULL || message->leg.from != *before || message->leg.until > moment ||
        message->leg.until < *before) {
        add_step(life, before, moment, phase, BREAKDOWN_UNTRACED);
        return;
    }
    add_leg(life, &message->leg, phase, parts[0]);
    *before = message->leg.until;
    const bool taken = message->leg.of_stream && message->leg.taken <= moment;
    add_step(life, before, taken ? message->leg.taken : moment, phase,
             part_after_arrival(&message->leg, parts[1]));
    add_step(life, before, moment, phase, parts[2]);
}

/* By host and target: software that sends, what keeps the receiver from taking a message, and what
 * keeps it from acting on one that it has taken. */
static const enum breakdown_part to_target[3] = {BREAKDOWN_HOST_CPU, BREAKDOWN_STALLED,
                                                 BREAKDOWN_ORDER};
static const enum breakdown_part by_target[3] = {BREAKDOWN_TARGET_CPU, BREAKDOWN_STALLED,
                                                 BREAKDOWN_STALLED};
static const enum breakdown_part to_host[3] = {BREAKDOWN_TARGET_CPU, BREAKDOWN_HOST_CPU,
                                               BREAKDOWN_HOST_CPU};

/* A READ; over TCP, an R2T and the data that the host sends then, and so on for further R2Ts. */
static void add_fetch(const struct breakdown *breakdown, struct breakdown_life *life,
                      uint32_t index, time_ps *before, time_ps fetched_at)
{
    const enum breakdown_part *parts = by_target;
    bool by_host = false;
    while (index != BREAKDOWN_NONE) {
        const uint32_t follower = breakdown_message_at(breakdown, index)->follower;
        if (follower == BREAKDOWN_NONE)
            break;
        add_message(breakdown, life, index, before,
                    breakdown_message_at(breakdown, follower)->leg.from, BREAKDOWN_IN_FETCH,
                    by_host ? to_target : to_host);
        by_host = !by_host;
        parts = by_host ? to_target : by_target;
        index = follower;
    }
    add_message(breakdown, life, index, before, fetched_at, BREAKDOWN_IN_FETCH, parts);
}

static void at_target(const struct breakdown *breakdown, const struct breakdown_command *command,
                      struct breakdown_life *life, time_ps *before)
{
    const struct probe_target_io *at = &command->target;
    add_message(breakdown, life, command->message[PROBE_USE_COMMAND], before, at->capsule_at,
                BREAKDOWN_IN_COMMAND, to_target);
    add_step(life, before, at->core_at, BREAKDOWN_IN_TARGET, BREAKDOWN_TARGET_WAIT);
    add_step(life, before, at->worked_at, BREAKDOWN_IN_TARGET, BREAKDOWN_TARGET_CPU);
    add_step(life, before, at->begun_at, BREAKDOWN_IN_TARGET, BREAKDOWN_STALLED);
    add_step(life, before, at->buffered_at, BREAKDOWN_IN_TARGET, BREAKDOWN_BUFFERS);
    add_step(life, before, at->wrs_at, BREAKDOWN_IN_TARGET, BREAKDOWN_WRS);
    const bool fetches = at->fetch_at != 0;
    const time_ps ready = at->limit_at != 0 ? at->limit_at : at->media_at;
    add_step(life, before, fetches ? at->fetch_at : ready, BREAKDOWN_IN_TARGET, BREAKDOWN_WINDOW);
    if (fetches)
        add_fetch(breakdown, life, command->message[PROBE_USE_FETCH], before, at->fetched_at);
    add_step(life, before, ready, BREAKDOWN_IN_TARGET, BREAKDOWN_TARGET_CPU);
    add_step(life, before, at->media_at, BREAKDOWN_IN_TARGET, BREAKDOWN_LIMIT);
    add_step(life, before, at->media_begun_at, BREAKDOWN_IN_MEDIUM, BREAKDOWN_MEDIA_WAIT);
    add_step(life, before, at->media_done_at, BREAKDOWN_IN_MEDIUM, BREAKDOWN_MEDIA);
    add_step(life, before, at->response_at, BREAKDOWN_IN_MEDIUM,
             at->media_at != 0 ? BREAKDOWN_STALLED : BREAKDOWN_WINDOW);
}

static enum breakdown_operation operation_of(uint8_t opcode)
{
    switch (opcode) {
    case NVME_FLUSH:
        return BREAKDOWN_FLUSH;
    case NVME_WRITE:
        return BREAKDOWN_WRITE;
    case NVME_READ:
        return BREAKDOWN_READ;
    default:
        return BREAKDOWN_OTHER;
    }
}

/* `command` is NULL if nothing is known about the target's part. */
static void break_down_command(const struct breakdown *breakdown,
                               const struct breakdown_command *command,
                               const struct probe_host_io *io, struct breakdown_life *life)
{
    const time_ps sent = io->last.sent_at != 0 ? io->last.sent_at : io->posted_at;
    time_ps before = io->issued_at;
    add_step(life, &before, io->admitted_at, BREAKDOWN_IN_SUBMIT, BREAKDOWN_WORKLOAD_LIMIT);
    add_step(life, &before, io->last.tagged_at, BREAKDOWN_IN_SUBMIT,
             io->last.requeued ? BREAKDOWN_RECONNECTING : BREAKDOWN_DEPTH);
    add_step(life, &before, sent, BREAKDOWN_IN_SUBMIT, BREAKDOWN_HOST_CPU);
    if (command != NULL) {
        at_target(breakdown, command, life, &before);
        add_message(breakdown, life, command->message[PROBE_USE_RESPONSE], &before, io->response_at,
                    BREAKDOWN_IN_RESPONSE, to_host);
    } else {
        add_step(life, &before, io->response_at, BREAKDOWN_IN_COMMAND, BREAKDOWN_UNTRACED);
    }
    add_step(life, &before, io->last.released_at, BREAKDOWN_IN_COMPLETE, BREAKDOWN_ACK);
    add_step(life, &before, io->completed_at, BREAKDOWN_IN_COMPLETE, BREAKDOWN_HOST_CPU);
}

void breakdown_stages(const struct probe_host_io *host, const struct probe_target_io *target,
                      time_ps stages[BREAKDOWN_STAGES])
{
    struct breakdown_life life = {0};
    struct breakdown_command command = {
        .message = {BREAKDOWN_NONE, BREAKDOWN_NONE, BREAKDOWN_NONE}};
    if (target != NULL)
        command.target = *target;
    break_down_command(NULL, target == NULL ? NULL : &command, host, &life);
    breakdown_stages_of_life(&life, stages);
}

/* Clears the used cells, so that the next command starts from zero. */
static void end_life(struct breakdown_life *life)
{
    for (int word = 0; word < BREAKDOWN_CELL_WORDS; word++) {
        for (uint64_t left = life->cells[word]; left != 0; left &= left - 1) {
            const int cell = word * 64 + __builtin_ctzll(left);
            life->ps[cell / BREAKDOWN_PARTS][cell % BREAKDOWN_PARTS] = 0;
        }
        life->cells[word] = 0;
    }
    life->place_count = 0;
    life->behind = (struct breakdown_behind){0};
}

static void live_command(struct breakdown *breakdown, const struct breakdown_command *command,
                         const struct probe_host_io *io)
{
    struct breakdown_life *life = &breakdown->life;
    CHECK(io->workload < breakdown->workload_count);
    life->workload = io->workload;
    life->member = io->member;
    life->operation = operation_of(io->opcode);
    life->issued_at = io->issued_at;
    life->completed_at = io->completed_at;
    break_down_command(breakdown, command, io, life);
    breakdown_stage_add(breakdown, life);
    if (breakdown->traced)
        breakdown_sum_add(breakdown, life);
    end_life(life);
}

bool breakdown_host_io(struct breakdown *breakdown, const struct probe_host_io *io,
                       struct probe_target_io *target)
{
    const struct probe_target_io key = {.host_ip = io->host_ip,
                                        .target_ip = io->target_ip,
                                        .controller = io->controller,
                                        .qid = io->qid,
                                        .cid = io->cid};
    struct breakdown_command *command = breakdown_command_find(breakdown, &key);
    const bool answered = command != NULL && command->answered;
    if (answered)
        *target = command->target;
    if (nvme_status_is_completion(io->status))
        live_command(breakdown, answered ? command : NULL, io);
    if (command != NULL)
        breakdown_command_forget(breakdown, command);
    return answered;
}

static enum breakdown_operation operation_of_message(uint8_t operation)
{
    return operation == PROBE_WORK_READ    ? BREAKDOWN_RDMA_READ
           : operation == PROBE_WORK_WRITE ? BREAKDOWN_RDMA_WRITE
                                           : BREAKDOWN_RDMA_SEND;
}

/* Time of the peer's user until it answered, then the answer itself. The ACK of the answered
 * message may still be outstanding at that point. */
static void break_down_answer(const struct breakdown_message *answer, struct breakdown_life *life,
                              time_ps before)
{
    add_step(life, &before, answer->posted.at, BREAKDOWN_IN_MESSAGE, BREAKDOWN_HOST_CPU);
    add_leg(life, &answer->leg, BREAKDOWN_IN_ANSWER, BREAKDOWN_HOST_CPU);
    before = answer->leg.until;
    add_step(life, &before, life->completed_at, BREAKDOWN_IN_ANSWER,
             part_after_arrival(&answer->leg, BREAKDOWN_ACK));
}

static void live_message(const struct probe_message *reported,
                         const struct breakdown_message *message,
                         const struct breakdown_message *answer, struct breakdown_life *life)
{
    time_ps before = life->issued_at;
    add_step(life, &before, message->posted.at, BREAKDOWN_IN_MESSAGE,
             reported->by_core ? BREAKDOWN_HOST_CPU : BREAKDOWN_DEPTH);
    add_leg(life, &message->leg, BREAKDOWN_IN_MESSAGE, BREAKDOWN_HOST_CPU);
    before = message->leg.until;
    const struct breakdown_leg *last = &message->leg;
    if (answer != NULL) {
        break_down_answer(answer, life, before);
        return;
    }
    if (message->operation != PROBE_WORK_READ) {
        /* The peer's user was notified earlier, while the ACK was still on its way. */
        const time_ps apart = message->leg.until - message->taken_at;
        add_time(life, BREAKDOWN_IN_MESSAGE, BREAKDOWN_RNIC, -apart);
        add_leg(life, &message->ack, BREAKDOWN_IN_ACKNOWLEDGE, BREAKDOWN_HOST_CPU);
        before = message->ack.until;
        last = &message->ack;
    }
    add_step(life, &before, life->completed_at, BREAKDOWN_IN_ACKNOWLEDGE,
             part_after_arrival(last, BREAKDOWN_HOST_CPU));
}

static void end_message(struct breakdown *breakdown, const struct probe_message *reported,
                        uint32_t index, uint32_t answer)
{
    if (reported->good) {
        struct breakdown_life *life = &breakdown->life;
        life->workload = reported->workload;
        life->member = reported->member;
        life->operation = operation_of_message(reported->operation);
        life->issued_at = reported->issued_at;
        life->completed_at = reported->completed_at;
        live_message(reported, breakdown_message_at(breakdown, index),
                     answer == BREAKDOWN_NONE ? NULL : breakdown_message_at(breakdown, answer),
                     life);
        breakdown_sum_add(breakdown, life);
        end_life(life);
    }
    breakdown_message_release(breakdown, index);
    breakdown_message_release(breakdown, answer);
}

/* Pairs a completed message with its answer, which travels in the other direction. */
static bool join_one(struct breakdown *breakdown, struct breakdown_flow *flow,
                     struct breakdown_flow *back, const struct probe_message *reported)
{
    const bool answered = reported->good && reported->answered;
    if (flow->done.head == flow->done.tail ||
        (answered && back->answers.head == back->answers.tail))
        return false;
    const uint32_t index = breakdown_row_at(&flow->done, flow->done.head++);
    end_message(breakdown, reported, index,
                answered ? breakdown_row_at(&back->answers, back->answers.head++) : BREAKDOWN_NONE);
    return true;
}

void breakdown_messages_join(struct breakdown *breakdown, struct breakdown_flow *flow)
{
    struct breakdown_flow *back = breakdown_flow_to(breakdown, flow->endpoint, flow->qpn);
    uint32_t joined = 0;
    while (joined < flow->reported_count &&
           join_one(breakdown, flow, back, &flow->reported[joined]))
        joined++;
    flow->reported_count -= joined;
    for (uint32_t i = 0; i < flow->reported_count && joined > 0; i++)
        flow->reported[i] = flow->reported[i + joined];
}

void breakdown_message(struct breakdown *breakdown, const struct probe_message *reported)
{
    struct breakdown_flow *back =
        breakdown_flow_to(breakdown, reported->host_ip - RNIC_FIRST_IP, reported->qpn);
    struct breakdown_flow *flow = breakdown_flow_to(breakdown, back->endpoint, back->qpn);
    flow->reported = memory_grown(flow->reported, flow->reported_count, &flow->reported_room,
                                  sizeof *flow->reported);
    flow->reported[flow->reported_count++] = *reported;
    breakdown_messages_join(breakdown, flow);
}
