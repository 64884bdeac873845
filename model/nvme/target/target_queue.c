/* SPDX-License-Identifier: Apache-2.0
 * target_queue - one queue of the target.
 * A command begins only when the transport has space for everything that it will need; otherwise it
 * waits in order. A closing queue remains until the transport is done with it and its commands have
 * returned. Creation and end: target_accept.c. */
#include "base/memory.h"
#include "nvme/target/target_private.h"

#include <stdlib.h>

void nvme_target_list_add(struct target_list *list, struct target_command *command)
{
    command->next = NULL;
    if (list->first == NULL)
        list->first = command;
    else
        list->last->next = command;
    list->last = command;
}

struct target_command *nvme_target_list_take(struct target_list *list)
{
    struct target_command *command = list->first;
    if (command != NULL)
        list->first = command->next;
    return command;
}

void nvme_target_queue_event(struct target_queue *queue, enum nvme_target_queue_event event)
{
    const struct nvme_fsm_place place = {.env = queue->target->site.env,
                                         .peer_ip = queue->peer_ip,
                                         .qid = queue->qid,
                                         .number = &queue->number};
    queue->state = nvme_fsm_move(&nvme_fsm_target_queue, &place, queue->state, (uint8_t)event);
}

/* ---- commands ---- */

static struct target_command *take_command(struct target_queue *queue)
{
    struct target_command *command = nvme_target_list_take(&queue->free);
    if (command != NULL || queue->command_count == queue->command_limit)
        return command;
    command = memory_new(sizeof *command);
    command->queue = queue;
    command->transfer.slot = (uint16_t)queue->command_count;
    command->transfer.sgl = &command->sqe.sgl;
    queue->commands[queue->command_count++] = command;
    return command;
}

bool nvme_target_queue_reserve(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    return nvme_target_transport(queue)->ops->reserve(queue->conn, &command->transfer);
}

void nvme_target_queue_resume(struct target_queue *queue)
{
    while (queue->starved.first != NULL && queue->state != TARGET_QUEUE_CLOSING &&
           nvme_target_queue_reserve(queue->starved.first))
        nvme_target_command_begin(nvme_target_list_take(&queue->starved));
}

static struct target_command *command_of(struct nvme_transfer *transfer)
{
    return (struct target_command *)(void *)((char *)transfer -
                                             offsetof(struct target_command, transfer));
}

/* Reports the use of the message just posted to the time accounting. */
static void report_use(const struct target_command *command, enum probe_use_kind kind)
{
    const struct env *env = command->queue->target->site.env;
    const struct probe_target_io *times = &command->times;
    if (LIKELY(env->probe->use == NULL))
        return;
    const struct probe_use use = {
        .at = env_now(env),
        .controller = times->controller,
        .qid = times->qid,
        .cid = times->cid,
        .kind = (uint8_t)kind,
    };
    env->probe->use(env->probe->self, &use);
}

static void expect_data(struct target_queue *queue, int64_t bytes)
{
    queue->expected += bytes;
    nvme_transport_expect(queue->port->transport, bytes);
}

void nvme_target_queue_fetch(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    command->times.fetch_at = nvme_target_now(queue);
    expect_data(queue, command->transfer.length);
    queue->carried++;
    if (!nvme_target_transport(queue)->ops->fetch(queue->conn, &command->transfer))
        nvme_target_queue_error(queue, "cannot fetch a command's data");
    else
        report_use(command, PROBE_USE_FETCH);
}

/* nvmet returns FFFFh once, to the Connect that disabled flow control (Fabrics 3.3), and 0 from
 * then on. */
static uint16_t unsaid_head(const struct target_command *command)
{
    const bool connect = command->sqe.opcode == NVME_FABRICS &&
                         nvme_capsule_fctype(&command->sqe) == NVME_FCTYPE_CONNECT;
    return connect ? UINT16_MAX : 0;
}

void nvme_target_queue_respond(struct target_command *command)
{
    struct target_queue *queue = command->queue;
    queue->carried++;
    nvme_target_cids_drop(command);
    if (UNLIKELY(command->abort)) {
        command->abort = false;
        queue->controller->aborts--;
    }
    if (queue->sq_size > 0)
        queue->sqhd = (uint16_t)((queue->sqhd + 1u) % queue->sq_size);
    const struct nvme_response response = {
        .result = command->result,
        .sqhd = LIKELY(!queue->no_flow_control) ? queue->sqhd : unsaid_head(command),
        .sqid = queue->controller != NULL ? queue->qid : 0,
        .cid = command->sqe.cid,
        .status = command->status,
    };
    const bool with_data = command->transfer.data != NULL &&
                           (command->status & NVME_STATUS_CODE) == 0 &&
                           nvme_capsule_direction(&command->sqe) == NVME_DATA_IN;
    const bool sent = nvme_target_transport(queue)->ops->respond(queue->conn, &command->transfer,
                                                                 &response, with_data);
    command->times.response_at = nvme_target_now(queue);
    if (command->times.fetch_at != 0)
        expect_data(queue, -(int64_t)command->transfer.length);
    if (!sent)
        nvme_target_queue_error(queue, "cannot send a response");
    else
        report_use(command, PROBE_USE_RESPONSE);
}

/* ---- transport callbacks ---- */

static void note_command(struct target_controller *controller, struct target_command *command)
{
    const bool admin = command->queue->qid == 0;
    controller->seen_command |= controller->target->conduct->traffic_keeps_alive != 0 ||
                                (admin && command->sqe.opcode == NVME_ADMIN_KEEP_ALIVE);
    if (LIKELY(!admin) || command->sqe.opcode != NVME_ADMIN_ABORT)
        return;
    command->abort = true;
    command->beyond_acl = ++controller->aborts > TARGET_ABORTS;
}

static void on_capsule(void *self, struct nvme_capsule *capsule)
{
    struct target_queue *queue = self;
    struct target_command *command = take_command(queue);
    if (command == NULL) {
        nvme_target_queue_error(queue, "more commands than the queue has entries");
        return;
    }
    command->transfer.capsule = capsule;
    nvme_capsule_decode_command(&command->sqe, capsule->sqe);
    command->times = (struct probe_target_io){
        .host_ip = queue->peer_ip,
        .target_ip = queue->port->ip,
        .controller = queue->controller != NULL ? queue->controller->cntlid : 0,
        .qid = queue->qid,
        .cid = command->sqe.cid,
        .capsule_at = nvme_target_now(queue),
    };
    nvme_target_cids_add(command);
    if (queue->controller != NULL)
        note_command(queue->controller, command);
    if (queue->state == TARGET_QUEUE_CONNECTING)
        nvme_target_list_add(&queue->early, command);
    else
        nvme_target_command_enter(command);
}

static void on_fetched(void *self, struct nvme_transfer *transfer)
{
    struct target_queue *queue = self;
    CHECK(queue->carried > 0);
    queue->carried--;
    nvme_target_command_fetched(command_of(transfer));
}

static void on_responded(void *self, struct nvme_transfer *transfer)
{
    struct target_queue *queue = self;
    CHECK(queue->carried > 0);
    queue->carried--;
    nvme_target_list_add(&queue->free, command_of(transfer));
    if (UNLIKELY(command_of(transfer)->bytes.length > TARGET_ADMIN_DATA_KEPT))
        nvme_transport_unmap(nvme_target_transport(queue), &command_of(transfer)->bytes);
    if (UNLIKELY(queue->target->pooled))
        nvme_target_pools_give(command_of(transfer));
    nvme_target_queue_resume(queue);
}

static void on_established(void *self)
{
    struct target_queue *queue = self;
    if (queue->state != TARGET_QUEUE_CONNECTING)
        return;
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_ESTABLISHED);
    while (queue->early.first != NULL && queue->state != TARGET_QUEUE_CLOSING)
        nvme_target_command_enter(nvme_target_list_take(&queue->early));
}

static void on_failed(void *self, const char *why)
{
    nvme_target_queue_error(self, why);
}

/* Linux's host closes its I/O queues before it shuts the controller down. */
static void on_parted(void *self)
{
    nvme_target_queue_close(self);
}

static void on_closed(void *self)
{
    struct target_queue *queue = self;
    queue->gone = true;
    nvme_target_queue_close(queue);
}

struct nvme_transport_target nvme_target_queue_user(struct target_queue *queue)
{
    return (struct nvme_transport_target){.self = queue,
                                          .on_established = on_established,
                                          .on_capsule = on_capsule,
                                          .on_fetched = on_fetched,
                                          .on_responded = on_responded,
                                          .on_failed = on_failed,
                                          .on_parted = on_parted,
                                          .on_closed = on_closed};
}

/* ---- end of a queue ---- */

/* nvmet_async_events_failall: outstanding event requests end with the admin queue, even when I/O
 * queues keep the controller. */
static void forget_events(const struct target_queue *queue)
{
    if (queue->qid == 0 && queue->controller != NULL)
        queue->controller->events = 0;
}

void nvme_target_queue_close(struct target_queue *queue)
{
    const bool open = queue->state != TARGET_QUEUE_CLOSING;
    forget_events(queue);
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    if (open)
        nvme_target_transport(queue)->ops->disconnect(queue->conn);
    nvme_target_reap(queue->target);
}

/* Its connection is lost without a callback. */
void nvme_target_queue_vanish(struct target_queue *queue)
{
    forget_events(queue);
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_CLOSE);
    nvme_target_transport(queue)->ops->drop(queue->conn);
    queue->gone = true;
    nvme_target_reap(queue->target);
}

void nvme_target_queue_error(struct target_queue *queue, const char *why)
{
    if (queue->controller != NULL)
        nvme_target_fatal(queue->controller, why);
    else
        nvme_target_queue_close(queue);
}

static uint32_t list_audit(const struct target_list *list)
{
    uint32_t length = 0;
    for (const struct target_command *at = list->first; at != NULL; at = at->next) {
        CHECK(at->next != NULL || list->last == at);
        length++;
    }
    return length;
}

void nvme_target_queue_audit(const struct target_queue *queue)
{
    const struct target_controller *controller = queue->controller;
    CHECK(queue->command_count <= queue->command_limit && queue->outside <= queue->command_count);
    CHECK(queue->sq_size == 0 ? queue->sqhd == 0 : queue->sqhd < queue->sq_size);
    nvme_target_transport(queue)->ops->audit(queue->conn);
    if (queue->state == TARGET_QUEUE_CLOSING)
        return;
    const uint32_t events = controller != NULL && queue->qid == 0 ? controller->events : 0;
    CHECK(list_audit(&queue->free) + list_audit(&queue->early) + list_audit(&queue->starved) +
              queue->unsupplied + queue->outside + queue->carried + events ==
          queue->command_count);
}
