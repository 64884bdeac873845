/* SPDX-License-Identifier: Apache-2.0
 * target_connect - Connect and the controller's properties.
 * Source: Fabrics 3.3 to 3.6; drivers/nvme/target/fabrics-cmd.c. The response to a rejected Connect
 * contains the offset of the invalid parameter, with bit 16 set when it is in the data. */
#include "nvme/target/target_private.h"

#include "nvme/wire/discovery.h"

#include <string.h>

enum {
    BAD_PARAMETER = NVME_STATUS_CONNECT_PARAMETERS | NVME_STATUS_DNR,
    BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR,
    DISCOVERY_KEEP_ALIVE_MS = 120000, /* for a host that specifies none: NVMET_DISC_KATO_MS */
};

static void refuse_at(struct target_command *command, unsigned offset)
{
    command->result = offset;
    nvme_target_command_done(command, BAD_PARAMETER);
}

/* Rejects the command with the row's status, and the offset if the status has one. Returns false
 * without effect for OK. */
static bool refuses(struct target_command *command, uint32_t status, unsigned offset)
{
    if (status == NVME_STATUS_OK)
        return false;
    if ((status & NVME_STATUS_CODE) == NVME_STATUS_CONNECT_PARAMETERS)
        command->result = offset;
    nvme_target_command_done(command, (uint16_t)status);
    return true;
}

static uint16_t queue_id(const struct target_command *command)
{
    return (uint16_t)(command->sqe.cdw10 >> 16);
}

/* nvmet_install_queue */
static void install_queue(struct target_command *command, struct target_controller *controller)
{
    struct target_queue *queue = command->queue;
    const uint32_t size = (command->sqe.cdw11 & 0xFFFF) + 1;
    queue->controller = controller;
    queue->qid = queue_id(command);
    queue->sq_size = (uint16_t)size;
    queue->no_flow_control = (command->sqe.cdw11 & NVME_CONNECT_NO_FLOW_CONTROL) != 0;
    controller->queues++;
    command->result = controller->cntlid;
    nvme_target_queue_event(queue, TARGET_QUEUE_ON_INSTALLED);
    nvme_target_command_done(command, NVME_STATUS_OK);
}

/* The submission queue must fit into the connection's queue size. */
static bool size_fits(const struct target_command *command)
{
    const uint32_t size = (command->sqe.cdw11 & 0xFFFF) + 1;
    return size > 1 && size <= command->queue->entries;
}

/* An announced queue must have the announced number; otherwise any valid number. */
static bool is_queue(const struct target_command *command)
{
    const struct target_queue *queue = command->queue;
    return queue->announced ? queue_id(command) == queue->qid
                            : queue_id(command) <= queue->target->params.max_queues;
}

static bool has_queue(const struct target_controller *controller, uint16_t qid)
{
    for (const struct target_queue *q = controller->target->queues; q != NULL; q = q->next)
        if (q->controller == controller && q->qid == qid && q->state == TARGET_QUEUE_READY)
            return true;
    return false;
}

static bool is_discovery(const struct nvme_connect_data *data)
{
    return strcmp(data->subsystem_nqn, NVME_DISCOVERY_NQN) == 0;
}

/* Returns false, with the command completed, when the host may not connect. */
static bool may_connect(struct target_command *command, const struct nvme_connect_data *data,
                        const struct target_subsystem *subsystem)
{
    if (subsystem == NULL || nvme_target_allows(subsystem, data->host_nqn))
        return true;
    command->result = command->queue->target->conduct->refused_host_at;
    nvme_target_command_done(command, NVME_STATUS_CONNECT_HOST | NVME_STATUS_DNR);
    return false;
}

/* subsystem: NULL for discovery. */
static void connect_admin(struct target_command *command, const struct nvme_connect_data *data,
                          const struct target_subsystem *subsystem)
{
    struct nvme_target *target = command->queue->target;
    if (!may_connect(command, data, subsystem))
        return;
    if (data->cntlid != NVME_CNTLID_DYNAMIC) {
        refuse_at(command, NVME_CONNECT_IN_DATA | NVME_CONNECT_CNTLID_AT);
        return;
    }
    if (!size_fits(command)) {
        refuse_at(command, NVME_CONNECT_SQSIZE_AT);
        return;
    }
    if (subsystem != NULL && !nvme_target_budget_left(target)) {
        target->stats.refused++;
        nvme_target_command_done(command, NVME_STATUS_CONNECT_BUSY | NVME_STATUS_DNR);
        return;
    }
    struct target_controller *controller = nvme_target_add_controller(target);
    if (controller == NULL) {
        nvme_target_command_done(command, NVME_STATUS_INTERNAL | NVME_STATUS_DNR);
        return;
    }
    memcpy(controller->host_nqn, data->host_nqn, NVME_NQN_BYTES);
    memcpy(controller->host_id, data->host_id, NVME_HOST_ID_BYTES);
    controller->discovery = subsystem == NULL;
    target->stats.admitted += !controller->discovery;
    controller->subsystem = subsystem;
    controller->port = command->queue->port;
    nvme_target_budget_admit(controller);
    const bool silent = command->sqe.cdw12 == 0 && controller->discovery;
    nvme_target_keep_alive(controller, silent ? DISCOVERY_KEEP_ALIVE_MS : command->sqe.cdw12);
    controller->events_wanted = nvme_target_events_at_first(controller);
    install_queue(command, controller);
}

/* Fabrics 1.1, 3.3: HOSTID, HOSTNQN and SUBNQN must be those of the admin queue. */
static bool is_other_host(struct target_command *command, const struct nvme_connect_data *data,
                          const struct target_controller *controller)
{
    const struct target_conduct *conduct = command->queue->target->conduct;
    if (strcmp(controller->host_nqn, data->host_nqn) != 0 &&
        refuses(command, conduct->other_host_nqn,
                NVME_CONNECT_IN_DATA | conduct->other_host_nqn_at))
        return true;
    return memcmp(controller->host_id, data->host_id, NVME_HOST_ID_BYTES) != 0 &&
           refuses(command, conduct->other_host_id, NVME_CONNECT_IN_DATA | NVME_CONNECT_HOSTID_AT);
}

static void connect_io(struct target_command *command, const struct nvme_connect_data *data,
                       const struct target_subsystem *subsystem)
{
    const struct target_conduct *conduct = command->queue->target->conduct;
    const uint16_t qid = queue_id(command);
    struct target_controller *controller = nvme_target_find(command->queue->target, data->cntlid);
    if (controller == NULL || controller->subsystem != subsystem) {
        refuse_at(command, NVME_CONNECT_IN_DATA | NVME_CONNECT_CNTLID_AT);
        return;
    }
    if (controller->discovery) {
        refuse_at(command, NVME_CONNECT_QID_AT);
        return;
    }
    if (is_other_host(command, data, controller))
        return;
    if (controller->port != command->queue->port &&
        refuses(command, conduct->other_port, NVME_CONNECT_QID_AT))
        return;
    if ((controller->cc & NVME_CC_ENABLE) == 0 &&
        refuses(command, conduct->connect_disabled, NVME_CONNECT_QID_AT))
        return;
    if (qid > nvme_target_budget_of(controller) &&
        refuses(command, conduct->queue_too_high, NVME_CONNECT_QID_AT))
        return;
    if (!size_fits(command))
        refuse_at(command, NVME_CONNECT_SQSIZE_AT);
    else if (!has_queue(controller, qid) ||
             !refuses(command, conduct->queue_exists, NVME_CONNECT_QID_AT))
        install_queue(command, controller);
}

/* The Connect data: fetched, or in the capsule. */
static const unsigned char *connect_bytes(const struct target_command *command)
{
    if (command->transfer.data != NULL)
        return command->transfer.data->bytes;
    const struct nvme_buffer *behind = command->transfer.capsule->data;
    const bool whole = command->in_capsule && behind != NULL && command->sqe.sgl.address == 0;
    return whole ? behind->bytes : NULL;
}

static void run_connect(struct target_command *command)
{
    struct nvme_connect_data data;
    if (!nvme_target_command_expects(command, NVME_CONNECT_BYTES))
        return;
    const unsigned char *bytes = connect_bytes(command);
    if (bytes == NULL) {
        nvme_target_command_done(command, BAD_FIELD);
        return;
    }
    if ((command->sqe.cdw10 & 0xFFFF) != 0) {
        nvme_target_command_done(command, NVME_STATUS_CONNECT_FORMAT | NVME_STATUS_DNR);
        return;
    }
    (void)nvme_fabrics_decode_connect(&data, bytes);
    const bool named = memchr(data.subsystem_nqn, '\0', NVME_NQN_BYTES) != NULL;
    if (!named)
        data.subsystem_nqn[0] = '\0'; /* which does not exist */
    const bool endless = memchr(data.host_nqn, '\0', NVME_NQN_BYTES) == NULL;
    data.host_nqn[NVME_NQN_BYTES - 1] = '\0';
    const struct target_subsystem *subsystem =
        nvme_target_find_subsystem(command->queue->port, data.subsystem_nqn);
    if (!is_queue(command))
        refuse_at(command, NVME_CONNECT_QID_AT);
    else if (subsystem == NULL && !is_discovery(&data))
        refuse_at(command, NVME_CONNECT_IN_DATA | NVME_CONNECT_SUBNQN_AT);
    else if (endless && refuses(command, command->queue->target->conduct->endless_host_nqn,
                                NVME_CONNECT_IN_DATA | NVME_CONNECT_HOSTNQN_AT))
        return;
    else if (data.host_nqn[0] == '\0' &&
             refuses(command, command->queue->target->conduct->empty_host_nqn,
                     NVME_CONNECT_IN_DATA | NVME_CONNECT_HOSTNQN_AT))
        return;
    else if (queue_id(command) == 0)
        connect_admin(command, &data, subsystem);
    else
        connect_io(command, &data, subsystem);
}

uint16_t nvme_target_connect_parse(struct target_command *command)
{
    const bool connect = command->sqe.opcode == NVME_FABRICS &&
                         nvme_capsule_fctype(&command->sqe) == NVME_FCTYPE_CONNECT;
    if (!connect)
        return (uint16_t)command->queue->target->conduct->not_connected;
    command->run = run_connect;
    return NVME_STATUS_OK;
}

/* Connect is the only Fabrics command of an I/O queue, and it has already been received. */
uint16_t nvme_target_connect_parse_again(struct target_command *command)
{
    return nvme_capsule_fctype(&command->sqe) == NVME_FCTYPE_CONNECT
               ? (uint16_t)command->queue->target->conduct->connected_again
               : NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR;
}

/* ---- properties ---- */

static uint64_t capabilities(const struct nvme_target *target)
{
    const struct target_conduct *conduct = target->conduct;
    const uint64_t entries = (uint64_t)target->params.max_queue_size - 1;
    return NVME_CAP_CSS_NVM | (conduct->cap_command_sets != 0 ? NVME_CAP_CSS_CSI : 0) |
           (uint64_t)conduct->cap_timeout << 24 |
           (conduct->cap_contiguous != 0 ? NVME_CAP_CQR : 0) | entries;
}

/* False: no property of this size at the offset. */
static bool read_property(const struct target_controller *controller, uint32_t offset, bool wide,
                          uint64_t *value)
{
    const struct nvme_target *target = controller->target;
    if (wide && offset != NVME_PROPERTY_CAP)
        return false;
    switch (offset) {
    case NVME_PROPERTY_CAP:
        *value = wide ? capabilities(target) : (uint32_t)capabilities(target);
        return wide || target->conduct->half_property != 0;
    case NVME_PROPERTY_CAP + 4:
        *value = capabilities(target) >> 32;
        return target->conduct->half_property != 0;
    case NVME_PROPERTY_VS:
        *value = 0x00010300; /* 1.3.0, as in nvmet and SPDK */
        return true;
    case NVME_PROPERTY_CC:
        *value = controller->cc;
        return true;
    case NVME_PROPERTY_CSTS:
        *value = controller->csts;
        return true;
    default:
        return false;
    }
}

static void run_get(struct target_command *command)
{
    const struct target_controller *controller = command->queue->controller;
    const bool wide = (command->sqe.cdw10 & 1) != 0;
    uint64_t value = 0;
    if (!nvme_target_command_expects(command, 0))
        return;
    const bool there = read_property(controller, command->sqe.cdw11, wide, &value);
    command->result = there ? value : 0;
    nvme_target_command_done(command, there ? NVME_STATUS_OK
                                            : (uint16_t)controller->target->conduct->bad_property);
}

/* nvmet_start_ctrl: ready at once, or a fatal status when the host requests an unsupported setting.
 * A discovery controller has no I/O queues, so their entry sizes are not checked. */
static void enable(struct target_controller *controller)
{
    const struct target_conduct *conduct = controller->target->conduct;
    const uint32_t cc = controller->cc;
    const uint32_t css = cc & NVME_CC_CSS_MASK;
    const bool entries = (cc & NVME_CC_IOSQES_MASK) == NVME_CC_IOSQES &&
                         (cc & NVME_CC_IOCQES_MASK) == NVME_CC_IOCQES;
    const bool good = (entries || controller->discovery) && (cc & NVME_CC_MPS_MASK) == 0 &&
                      (cc & NVME_CC_AMS_MASK) == 0 && (css == 0 || css == NVME_CC_CSS_CSI);
    controller->csts = good || conduct->checks_enable == 0 ? NVME_CSTS_READY : NVME_CSTS_FATAL;
}

/* Base 2.0, 3.7.2: I/O queues and outstanding commands end, and settings are reset; the admin queue
 * remains (Fabrics). */
static void reset(struct target_controller *controller)
{
    controller->cc = 0;
    if (controller->target->conduct->reset_ends_events != 0)
        nvme_target_events_end(controller);
    if (controller->target->conduct->reset_closes_queues == 0) {
        controller->csts &= ~(uint32_t)NVME_CSTS_READY;
        return;
    }
    controller->csts = 0;
    controller->events_wanted = nvme_target_events_at_first(controller);
    controller->events_masked = controller->events_pending = 0;
    for (struct target_queue *queue = controller->target->queues; queue != NULL;
         queue = queue->next)
        if (queue->controller == controller && queue->qid > 0)
            nvme_target_queue_close(queue);
}

static void shut_down(struct target_controller *controller)
{
    if (controller->target->conduct->shutdown_disables != 0) {
        controller->csts &= ~(uint32_t)NVME_CSTS_READY;
        controller->cc = 0;
    }
    controller->csts |= NVME_CSTS_SHST_DONE;
}

static void update_cc(struct target_controller *controller, uint32_t cc)
{
    const uint32_t old = controller->cc;
    controller->cc = cc;
    if ((cc & NVME_CC_ENABLE) != 0 && (old & NVME_CC_ENABLE) == 0)
        enable(controller);
    if ((cc & NVME_CC_ENABLE) == 0 && (old & NVME_CC_ENABLE) != 0)
        reset(controller);
    if ((cc & NVME_CC_SHN_MASK) != 0 && (old & NVME_CC_SHN_MASK) == 0)
        shut_down(controller);
    if ((cc & NVME_CC_SHN_MASK) == 0 && (old & NVME_CC_SHN_MASK) != 0)
        controller->csts &= ~(uint32_t)NVME_CSTS_SHST_MASK;
}

static void run_set(struct target_command *command)
{
    if (!nvme_target_command_expects(command, 0))
        return;
    const bool wide = (command->sqe.cdw10 & 1) != 0;
    if (wide || command->sqe.cdw11 != NVME_PROPERTY_CC) {
        nvme_target_command_done(command, (uint16_t)command->queue->target->conduct->bad_property);
        return;
    }
    update_cc(command->queue->controller, command->sqe.cdw12);
    nvme_target_command_done(command, NVME_STATUS_OK);
}

uint16_t nvme_target_connect_parse_property(struct target_command *command)
{
    switch (nvme_capsule_fctype(&command->sqe)) {
    case NVME_FCTYPE_SET:
        command->run = run_set;
        return NVME_STATUS_OK;
    case NVME_FCTYPE_GET:
        command->run = run_get;
        return NVME_STATUS_OK;
    default:
        return nvme_target_connect_parse_again(command);
    }
}
