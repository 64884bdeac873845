/* SPDX-License-Identifier: Apache-2.0
 * target_admin - the admin commands, answered as nvmet 6.1 does.
 * A discovery controller knows fewer commands, and less of those that it knows.
 * Source: base 5; fabrics 5; drivers/nvme/target/admin-cmd.c and discovery.c. */
#include "nvme/target/target_private.h"

#include <string.h>

enum { BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR };

unsigned char *nvme_target_admin_answer(struct target_command *command, uint64_t length)
{
    if (!nvme_target_command_expects(command, length))
        return NULL;
    struct nvme_buffer *data = command->transfer.data;
    if (data == NULL) { /* of no length, or in the capsule */
        nvme_target_command_done(command, BAD_FIELD);
        return NULL;
    }
    memset(data->bytes, 0, (size_t)length);
    return data->bytes;
}

/* ---- features ---- */

/* Number of submission queues and of completion queues, both 0's based. */
static uint32_t both(uint32_t queues)
{
    return (queues - 1) << 16 | (queues - 1);
}

/* With a budget of queues not once there are some, as SPDK has it. */
static uint16_t set_queues(struct target_command *command, uint32_t value)
{
    struct target_controller *controller = command->queue->controller;
    const uint32_t submission = (value & 0xFFFF) + 1, completion = (value >> 16) + 1;
    if (submission > 0xFFFF || completion > 0xFFFF)
        return BAD_FIELD;
    if (controller->granted > 0 && controller->queues > 1)
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    const uint32_t wanted = submission > completion ? submission : completion;
    command->result = both(nvme_target_budget_grant(controller, wanted));
    return NVME_STATUS_OK;
}

static void set_keep_alive(struct target_controller *controller, uint32_t milliseconds)
{
    const struct env *env = controller->target->site.env;
    controller->keep_alive = ((time_ps)milliseconds + 999) / 1000 * PS_PER_S;
    env_timer_set(env, &controller->keep_alive_timer,
                  milliseconds == 0 ? TIME_NEVER : env_now(env) + controller->keep_alive);
}

/* A discovery controller has the features that a connection needs: discovery.c of nvmet. */
static bool has_feature(const struct target_controller *controller, uint8_t feature)
{
    return !controller->discovery || feature == NVME_FEATURE_KEEP_ALIVE ||
           feature == NVME_FEATURE_ASYNC_EVENT;
}

static uint16_t set_feature(struct target_command *command, uint8_t feature)
{
    struct target_controller *controller = command->queue->controller;
    const uint32_t value = command->sqe.cdw11;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        return set_queues(command, value);
    case NVME_FEATURE_KEEP_ALIVE:
        set_keep_alive(controller, value);
        command->result = (uint64_t)(controller->keep_alive / PS_PER_S);
        return NVME_STATUS_OK;
    case NVME_FEATURE_ASYNC_EVENT:
        if ((value & ~nvme_target_events_offered(controller)) != 0)
            return BAD_FIELD;
        controller->events_wanted = value;
        command->result = value;
        return NVME_STATUS_OK;
    case NVME_FEATURE_HOST_ID:
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    default:
        return BAD_FIELD;
    }
}

static void run_set_features(struct target_command *command)
{
    if (nvme_target_command_expects(command, 0))
        nvme_target_command_done(command, set_feature(command, (uint8_t)command->sqe.cdw10));
}

static uint16_t get_feature(struct target_command *command, uint8_t feature)
{
    const struct target_controller *controller = command->queue->controller;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        command->result = both(nvme_target_budget_of(controller));
        return NVME_STATUS_OK;
    case NVME_FEATURE_WRITE_CACHE:
        command->result = 1;
        return NVME_STATUS_OK;
    case NVME_FEATURE_ASYNC_EVENT:
        command->result = controller->events_wanted;
        return NVME_STATUS_OK;
    case NVME_FEATURE_KEEP_ALIVE:
        command->result = (uint64_t)(controller->keep_alive / PS_PER_MS);
        return NVME_STATUS_OK;
    default:
        return BAD_FIELD;
    }
}

/* Only an extended host identifier, which fabrics 4.4 asks for: CDW11 bit 0. */
static void get_host_id(struct target_command *command)
{
    const struct target_controller *controller = command->queue->controller;
    unsigned char *bytes = nvme_target_admin_answer(command, NVME_HOST_ID_BYTES);
    if (bytes == NULL)
        return;
    memcpy(bytes, controller->host_id, NVME_HOST_ID_BYTES);
    nvme_target_command_done(command,
                             (command->sqe.cdw11 & 1) != 0 ? NVME_STATUS_OK : (uint16_t)BAD_FIELD);
}

static void run_get_features(struct target_command *command)
{
    const uint8_t feature = (uint8_t)command->sqe.cdw10;
    if (feature == NVME_FEATURE_HOST_ID && has_feature(command->queue->controller, feature))
        get_host_id(command);
    else if (nvme_target_command_expects(command, 0))
        nvme_target_command_done(command, get_feature(command, feature));
}

/* ---- the rest ---- */

static void run_keep_alive(struct target_command *command)
{
    if (!nvme_target_command_expects(command, 0))
        return;
    const bool wanted = command->queue->controller->keep_alive > 0;
    nvme_target_command_done(command, wanted ? NVME_STATUS_OK : NVME_STATUS_KEEP_ALIVE_INVALID);
}

uint16_t nvme_target_admin_parse(struct target_command *command)
{
    static const struct {
        uint8_t opcode;
        bool discovery; /* also a discovery controller's */
        void (*run)(struct target_command *);
    } table[] = {
        {NVME_ADMIN_GET_LOG, true, nvme_target_logs_run},
        {NVME_ADMIN_IDENTIFY, true, nvme_target_identify_run},
        {NVME_ADMIN_ABORT, false, nvme_target_abort_run},
        {NVME_ADMIN_SET_FEATURES, true, run_set_features},
        {NVME_ADMIN_GET_FEATURES, true, run_get_features},
        {NVME_ADMIN_ASYNC_EVENT, true, nvme_target_event_run},
        {NVME_ADMIN_KEEP_ALIVE, true, run_keep_alive},
    };
    const struct target_controller *controller = command->queue->controller;
    command->queue->target->stats.admin++;
    if (command->sqe.opcode == NVME_FABRICS)
        return nvme_target_connect_parse_property(command);
    if ((controller->cc & NVME_CC_ENABLE) == 0 || (controller->csts & NVME_CSTS_READY) == 0)
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    for (unsigned i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].opcode == command->sqe.opcode &&
            (table[i].discovery || !controller->discovery)) {
            command->run = table[i].run;
            return NVME_STATUS_OK;
        }
    return NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR;
}
