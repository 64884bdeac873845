/* SPDX-License-Identifier: Apache-2.0
 * target_admin - the admin commands; differences between identities are in target_conduct.def.
 * A discovery controller supports fewer commands, and some of them only in part.
 * Source: base 5; Fabrics 5; drivers/nvme/target/admin-cmd.c and discovery.c. */
#include "nvme/target/target_private.h"

#include <string.h>

enum { BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR };

unsigned char *nvme_target_admin_answer(struct target_command *command, uint64_t length)
{
    if (!nvme_target_command_expects(command, length))
        return NULL;
    struct nvme_buffer *data = command->transfer.data;
    if (data == NULL) { /* length 0, or in-capsule data */
        nvme_target_command_done(command, BAD_FIELD);
        return NULL;
    }
    memset(data->bytes, 0, (size_t)length);
    return data->bytes;
}

/* ---- features ---- */

/* Number of submission queues and of completion queues, both 0's based. */
static uint32_t queue_count_value(uint32_t queues)
{
    return (queues - 1) << 16 | (queues - 1);
}

static bool has_io_queues(const struct target_controller *controller)
{
    for (const struct target_queue *queue = controller->target->queues; queue != NULL;
         queue = queue->next)
        if (queue->controller == controller && queue->qid > 0 && queue->state == TARGET_QUEUE_READY)
            return true;
    return false;
}

/* Base 2.0, 5.27.1.5: invalid once I/O queues exist. */
static uint16_t set_queues(struct target_command *command, uint32_t value)
{
    struct target_controller *controller = command->queue->controller;
    const uint32_t submission = (value & 0xFFFF) + 1, completion = (value >> 16) + 1;
    if (submission > 0xFFFF || completion > 0xFFFF)
        return BAD_FIELD;
    const uint16_t again = (uint16_t)controller->target->conduct->queues_again;
    if (has_io_queues(controller) && (again != NVME_STATUS_OK || controller->granted > 0))
        return again != NVME_STATUS_OK ? again : NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    const uint32_t wanted = submission > completion ? submission : completion;
    command->result = queue_count_value(nvme_target_budget_grant(controller, wanted));
    return NVME_STATUS_OK;
}

/* A discovery controller has only the features that a connection needs: discovery.c of nvmet. */
static bool has_feature(const struct target_controller *controller, uint8_t feature)
{
    const uint32_t features = controller->target->conduct->features;
    if (controller->discovery)
        return feature == NVME_FEATURE_KEEP_ALIVE || feature == NVME_FEATURE_ASYNC_EVENT;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
    case NVME_FEATURE_ASYNC_EVENT:
    case NVME_FEATURE_KEEP_ALIVE:
    case NVME_FEATURE_HOST_ID:
    case NVME_FEATURE_WRITE_CACHE:
        return true;
    default:
        return feature < 32 && (features >> feature & 1) != 0;
    }
}

/* Bits 7:0 are those of SMART, which every controller supports. */
static uint16_t set_events(struct target_command *command, uint32_t value)
{
    struct target_controller *controller = command->queue->controller;
    const struct target_conduct *conduct = controller->target->conduct;
    const uint32_t offered = nvme_target_events_offered(controller);
    const bool drops = conduct->event_bits > 0xFF;
    const uint32_t taken =
        controller->discovery && !drops ? offered : offered | conduct->event_bits;
    if ((value & ~taken) != 0 && !drops)
        return BAD_FIELD;
    controller->events_wanted = value & (drops ? UINT32_C(0x80000FFF) : taken);
    command->result = conduct->results_of_set != 0 ? controller->events_wanted : 0;
    return NVME_STATUS_OK;
}

static uint16_t set_write_cache(const struct target_conduct *conduct, uint32_t value)
{
    return (uint16_t)((value & 1) != 0 ? conduct->enables_write_cache : conduct->write_cache);
}

/* Features without effect: a single power state, temperature thresholds without a sensor, error
 * recovery. */
static uint16_t set_idle_feature(struct target_controller *controller, uint8_t feature,
                                 uint32_t value)
{
    switch (feature) {
    case NVME_FEATURE_ARBITRATION:
        controller->arbitration = value & UINT32_C(0xFFFFFF07);
        return NVME_STATUS_OK;
    case NVME_FEATURE_POWER:
        return (value & 0x1F) == 0 ? NVME_STATUS_OK : BAD_FIELD;
    case NVME_FEATURE_TEMPERATURE: /* reserved: sensors above 8 except "all", and a third
                                    * threshold */
        return ((value >> 16 & 0xF) > 8 && (value >> 16 & 0xF) < 15) || (value >> 20 & 3) > 1
                   ? (uint16_t)BAD_FIELD
                   : NVME_STATUS_OK;
    case NVME_FEATURE_ERROR_RECOVERY: /* DULBE applies to namespaces that support it */
        if ((value >> 16 & 1) != 0)
            return BAD_FIELD;
        controller->error_recovery = value & 0xFFFF;
        return NVME_STATUS_OK;
    case NVME_FEATURE_ATOMICITY:
        controller->atomicity = value & 1;
        return NVME_STATUS_OK;
    case NVME_FEATURE_COALESCING:
        return NVME_STATUS_NOT_CHANGEABLE | NVME_STATUS_DNR;
    default:
        return BAD_FIELD;
    }
}

static uint16_t set_feature(struct target_command *command, uint8_t feature)
{
    struct target_controller *controller = command->queue->controller;
    const struct target_conduct *conduct = controller->target->conduct;
    const uint32_t value = command->sqe.cdw11;
    if ((command->sqe.cdw10 >> 31) != 0 && conduct->saved_feature != NVME_STATUS_OK)
        return (uint16_t)conduct->saved_feature;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    if (feature != NVME_FEATURE_ERROR_RECOVERY &&
        nvme_target_namespace(controller, command->sqe.nsid) != NULL &&
        conduct->feature_of_namespace != NVME_STATUS_OK)
        return (uint16_t)conduct->feature_of_namespace;
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        return set_queues(command, value);
    case NVME_FEATURE_KEEP_ALIVE:
        nvme_target_keep_alive(controller, value);
        command->result =
            conduct->results_of_set != 0 ? (uint64_t)(controller->keep_alive / PS_PER_S) : 0;
        return NVME_STATUS_OK;
    case NVME_FEATURE_ASYNC_EVENT:
        return set_events(command, value);
    case NVME_FEATURE_HOST_ID:
        return NVME_STATUS_SEQUENCE | NVME_STATUS_DNR;
    case NVME_FEATURE_WRITE_CACHE:
        return set_write_cache(conduct, value);
    default:
        return set_idle_feature(controller, feature, value);
    }
}

static void run_set_features(struct target_command *command)
{
    if (nvme_target_command_expects(command, 0))
        nvme_target_command_done(command, set_feature(command, (uint8_t)command->sqe.cdw10));
}

static uint64_t value_of(const struct target_controller *controller, uint8_t feature,
                         uint32_t cdw11)
{
    switch (feature) {
    case NVME_FEATURE_QUEUES:
        return queue_count_value(nvme_target_budget_of(controller));
    case NVME_FEATURE_WRITE_CACHE:
        return 1;
    case NVME_FEATURE_ASYNC_EVENT:
        return controller->events_wanted;
    case NVME_FEATURE_KEEP_ALIVE:
        return (uint64_t)(controller->keep_alive / PS_PER_MS);
    case NVME_FEATURE_ARBITRATION:
        return controller->arbitration;
    case NVME_FEATURE_TEMPERATURE: /* THSEL 0: over-temperature; there is no under-temperature
                                    * limit */
        return (cdw11 >> 20 & 3) == 0 ? controller->target->conduct->temperature_threshold : 0;
    case NVME_FEATURE_ERROR_RECOVERY:
        return controller->error_recovery;
    case NVME_FEATURE_ATOMICITY:
        return controller->atomicity;
    case NVME_FEATURE_VECTOR:
        return (cdw11 & 0xFFFF) | UINT32_C(1) << 16; /* no coalescing */
    default:
        return 0;
    }
}

static uint16_t get_feature(struct target_command *command, uint8_t feature)
{
    const struct target_controller *controller = command->queue->controller;
    const struct target_conduct *conduct = controller->target->conduct;
    if (!has_feature(controller, feature))
        return BAD_FIELD;
    if ((command->sqe.cdw10 >> 8 & 7) != 0 && conduct->selected_feature != NVME_STATUS_OK)
        return (uint16_t)conduct->selected_feature;
    command->result = value_of(controller, feature, command->sqe.cdw11);
    return NVME_STATUS_OK;
}

/* Fabrics 4.4 requires the extended host identifier: CDW11 bit 0. */
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

/* ---- other commands ---- */

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
        bool discovery; /* also for a discovery controller */
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
