/* SPDX-License-Identifier: Apache-2.0
 * target_event - asynchronous events, and Abort.
 * An event is reported once until its log page is read, and waits while no event request is
 * outstanding.
 * Source: base 5.1, 5.2; drivers/nvme/target/core.c (nvmet_add_async_event,
 * nvmet_async_events_process), nvmet.h (nvmet_aen_bit_disabled). nvmet aborts nothing; SPDK aborts
 * event requests and commands that have not begun (nvmf_qpair_abort_request). */
#include "nvme/target/target_private.h"

static const struct event {
    uint8_t bit, information, log;
} events[] = {
    {NVME_EVENT_BIT_NAMESPACES, NVME_EVENT_NAMESPACES, NVME_LOG_CHANGED},
    {NVME_EVENT_BIT_ANA, NVME_EVENT_ANA, NVME_LOG_ANA},
    {NVME_EVENT_BIT_DISCOVERY, NVME_EVENT_DISCOVERY, NVME_LOG_DISCOVERY},
};

enum { EVENTS = sizeof events / sizeof events[0] };

/* The latest request is answered first, as in nvmet. */
static void answer_request(struct target_controller *controller, const struct event *event)
{
    struct target_command *command = controller->event_requests[--controller->events];
    controller->events_pending &= ~(UINT32_C(1) << event->bit);
    command->result =
        NVME_EVENT_NOTICE | (uint64_t)event->information << 8 | (uint64_t)event->log << 16;
    nvme_target_command_done(command, NVME_STATUS_OK);
}

static void process(struct target_controller *controller)
{
    for (unsigned i = 0; i < EVENTS && controller->events > 0 && !controller->ended; i++)
        if ((controller->events_pending >> events[i].bit & 1) != 0)
            answer_request(controller, &events[i]);
}

uint32_t nvme_target_events_at_first(const struct target_controller *controller)
{
    return controller->target->conduct->events_at_first;
}

void nvme_target_event_tell(struct target_controller *controller, unsigned bit)
{
    const uint32_t mask = UINT32_C(1) << bit;
    if ((controller->events_wanted & mask) == 0 || (controller->events_masked & mask) != 0 ||
        controller->ended)
        return;
    controller->events_masked |= mask;
    controller->events_pending |= mask;
    process(controller);
}

void nvme_target_events_end(struct target_controller *controller)
{
    while (controller->events > 0)
        nvme_target_command_done(controller->event_requests[--controller->events],
                                 NVME_STATUS_ABORTED);
}

void nvme_target_event_read(struct target_controller *controller, unsigned bit)
{
    controller->events_masked &= ~(UINT32_C(1) << bit);
}

void nvme_target_event_run(struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    if (!nvme_target_command_expects(command, 0))
        return;
    if (controller->events == TARGET_EVENT_REQUESTS) {
        nvme_target_command_done(command, NVME_STATUS_ASYNC_LIMIT | NVME_STATUS_DNR);
        return;
    }
    controller->event_requests[controller->events++] = command;
    process(controller);
}

/* ---- Abort ---- */

static bool abort_event_request(struct target_controller *controller, uint16_t cid)
{
    for (uint32_t i = 0; i < controller->events; i++) {
        struct target_command *command = controller->event_requests[i];
        if (command->sqe.cid != cid)
            continue;
        controller->event_requests[i] = controller->event_requests[--controller->events];
        nvme_target_command_done(command, NVME_STATUS_ABORTED);
        return true;
    }
    return false;
}

/* Aborts a command that waits for a core or is on one. */
static bool abort_waiting(const struct target_queue *queue, uint16_t cid)
{
    for (uint32_t i = 0; i < queue->command_count; i++) {
        struct target_command *command = queue->commands[i];
        if (command->sqe.cid != cid || command->times.begun_at != 0)
            continue;
        command->aborted = true;
        return true;
    }
    return false;
}

static bool aborts(struct target_command *command)
{
    struct target_controller *controller = command->queue->controller;
    const uint16_t qid = (uint16_t)command->sqe.cdw10, cid = (uint16_t)(command->sqe.cdw10 >> 16);
    if (controller->target->conduct->aborts == 0)
        return false;
    if (qid == 0)
        return abort_event_request(controller, cid);
    for (const struct target_queue *queue = controller->target->queues; queue != NULL;
         queue = queue->next)
        if (queue->controller == controller && queue->qid == qid)
            return abort_waiting(queue, cid);
    return false;
}

/* Bit 0 of the result: not aborted. */
void nvme_target_abort_run(struct target_command *command)
{
    const uint16_t many = (uint16_t)command->queue->target->conduct->too_many_aborts;
    if (!nvme_target_command_expects(command, 0))
        return;
    if (command->beyond_acl && many != NVME_STATUS_OK) {
        nvme_target_command_done(command, many);
        return;
    }
    command->result = !aborts(command);
    nvme_target_command_done(command, NVME_STATUS_OK);
}
