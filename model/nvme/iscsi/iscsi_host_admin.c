/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host_admin - a host's admin commands: some are Login, SCSI commands or NOP-Out, the others
 * have their answer here.
 * SCSI has no counterpart of features, logs and asynchronous events of a controller. */
#include "nvme/iscsi/iscsi_host_private.h"

#include "base/memory.h"
#include "nvme/wire/fabrics.h"

#include <stdio.h>
#include <string.h>

enum { BAD_FIELD = NVME_STATUS_INVALID_FIELD | NVME_STATUS_DNR, KEEP_ALIVE_UNIT = 10 };

/* Commands that the host may have outstanding; a queue has one entry more. */
static int64_t own_depth(const struct host_session *session)
{
    return session->base.iscsi->params.host.queue_depth;
}

/* The same, and the target's window. It is known from the first SCSI command on: at Login, LIO
 * grants one command. */
static uint32_t queue_entries(const struct host_session *session)
{
    const int64_t depth = own_depth(session);
    const int32_t window = iscsi_apart(session->max_cmd_sn, session->cmd_sn) + 1;
    return 1 + (uint32_t)(window < depth ? window < 1 ? 1 : window : depth);
}

/* ---- Connect ---- */

static void connect_queue(struct host_queue_conn *queue, struct host_slot *slot)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    struct nvme_connect_data data;
    session->names.normal = true;
    if (session->base.connections->login_sent || slot->bytes < NVME_CONNECT_BYTES ||
        !nvme_fabrics_decode_connect(&data, slot->data->bytes) ||
        !iscsi_name_of_nqn(session->names.initiator, data.host_nqn) ||
        !iscsi_name_of_nqn(session->names.target, data.subsystem_nqn)) {
        iscsi_host_decide(queue, slot, NVME_STATUS_CONNECT_PARAMETERS | NVME_STATUS_DNR, 0);
        return;
    }
    session->login_tag = slot->cid;
    iscsi_host_login(session->base.connections, iscsi_host_itt(queue, slot));
}

void iscsi_host_connected(struct host_session *session, uint16_t status)
{
    struct host_queue_conn *queue = iscsi_host_queue(session->base.queues[ISCSI_ADMIN]);
    struct host_slot *slot = &queue->slots[session->login_tag & 0xFFF];
    if (iscsi_is_used(&queue->base))
        iscsi_host_decide(queue, slot, status, session->tsih);
}

/* ---- properties ---- */

static void get_property(struct host_queue_conn *queue, struct host_slot *slot)
{
    const struct host_session *session = iscsi_host_of(queue->base.session);
    uint64_t value = 0;
    switch (slot->command.cdw11) {
    case NVME_PROPERTY_CAP:
        value = NVME_CAP_CSS_NVM | NVME_CAP_CQR | (uint64_t)own_depth(session);
        break;
    case NVME_PROPERTY_VS:
        value = 0x00010300;
        break;
    case NVME_PROPERTY_CC:
        value = session->cc;
        break;
    case NVME_PROPERTY_CSTS:
        value = session->csts;
        break;
    default:
        break;
    }
    iscsi_host_decide(queue, slot, NVME_STATUS_OK, value);
}

static void set_property(struct host_queue_conn *queue, struct host_slot *slot)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    session->cc = slot->command.cdw12;
    session->csts = (session->cc & NVME_CC_ENABLE) != 0 ? NVME_CSTS_READY : 0;
    if ((session->cc & NVME_CC_SHN_MASK) != 0)
        session->csts |= NVME_CSTS_SHST_DONE;
    iscsi_host_decide(queue, slot, NVME_STATUS_OK, 0);
}

static void fabrics(struct host_queue_conn *queue, struct host_slot *slot)
{
    switch (nvme_capsule_fctype(&slot->command)) {
    case NVME_FCTYPE_CONNECT:
        connect_queue(queue, slot);
        break;
    case NVME_FCTYPE_GET:
        get_property(queue, slot);
        break;
    default:
        set_property(queue, slot);
    }
}

/* ---- Identify ---- */

void iscsi_host_ask(struct host_queue_conn *queue, struct host_slot *slot, enum scsi_kind kind,
                    uint8_t page, uint32_t room, uint32_t nsid)
{
    unsigned char cdb[ISCSI_CDB_BYTES];
    if (slot->answer == NULL)
        slot->answer = memory_zeroed(1, SCSI_ANSWER_MAX);
    slot->asks = kind;
    slot->answer_room = room;
    scsi_cdb(cdb, kind, page, room);
    iscsi_host_scsi(queue, slot, scsi_lun(nsid), cdb);
}

/* The scan has brought the answer. */
static bool answer_of_scan(struct host_queue_conn *queue, struct host_slot *slot)
{
    const struct host_scan *scan = iscsi_host_of(queue->base.session)->scan;
    const uint8_t cns = slot->command.cdw10 & 0xFF;
    if (scan == NULL || !scan->is_over)
        return false;
    if (cns == NVME_CNS_ACTIVE_LIST && scan->has_luns)
        memcpy(slot->data->bytes, scan->luns, NVME_IDENTIFY_BYTES);
    else if (cns == NVME_CNS_NAMESPACE && scan->has_capacity && slot->command.nsid == 1)
        nvme_identify_encode_namespace(&scan->capacity, slot->data->bytes);
    else
        return false;
    iscsi_host_decide(queue, slot, NVME_STATUS_OK, 0);
    return true;
}

static void identify_controller(struct host_queue_conn *queue, struct host_slot *slot)
{
    const struct iscsi *iscsi = queue->base.session->iscsi;
    if (iscsi->params.host.unit_scan && !iscsi->unit_scanned)
        iscsi_host_scan_begin(queue, slot);
    else
        iscsi_host_ask(queue, slot, SCSI_KIND_INQUIRY, 0, SCSI_INQUIRY_FIRST, 1);
}

static void identify(struct host_queue_conn *queue, struct host_slot *slot)
{
    if (slot->bytes < NVME_IDENTIFY_BYTES) {
        iscsi_host_decide(queue, slot, BAD_FIELD, 0);
        return;
    }
    if (answer_of_scan(queue, slot))
        return;
    switch (slot->command.cdw10 & 0xFF) {
    case NVME_CNS_CONTROLLER:
        identify_controller(queue, slot);
        break;
    case NVME_CNS_ACTIVE_LIST:
        iscsi_host_ask(queue, slot, SCSI_KIND_LUNS, 0, SCSI_REPORT_BYTES, 1);
        break;
    case NVME_CNS_NAMESPACE:
        iscsi_host_ask(queue, slot, SCSI_KIND_CAPACITY, 0, SCSI_CAPACITY_BYTES, slot->command.nsid);
        break;
    default:
        iscsi_host_decide(queue, slot, BAD_FIELD, 0);
    }
}

/* What SCSI does not say is as Linux's initiator has it: one queue, pings that replace Keep Alive,
 * four aborts at a time. */
static void finish_controller(struct host_queue_conn *queue, struct host_slot *slot)
{
    const struct host_session *session = iscsi_host_of(queue->base.session);
    struct nvme_identify_controller *controller = &slot->controller;
    controller->cntlid = session->tsih;
    controller->version = 0x00010300;
    controller->acl = 3;
    controller->kas = KEEP_ALIVE_UNIT;
    controller->ctratt = NVME_CTRATT_TBKAS;
    controller->sqes = 0x66;
    controller->cqes = 0x44;
    controller->max_commands = (uint16_t)queue_entries(session);
    controller->sgls = NVME_SGLS_SUPPORTED;
    controller->ioccsz = NVME_SQE_BYTES / 16;
    controller->iorcsz = NVME_CQE_BYTES / 16;
    controller->namespaces = SCSI_LUNS_MAX;
    iscsi_nqn_of_name(controller->subsystem_nqn, sizeof controller->subsystem_nqn,
                      session->names.target);
    nvme_identify_encode_controller(controller, slot->data->bytes);
    iscsi_host_decide(queue, slot, NVME_STATUS_OK, 0);
}

static bool take_capacity(struct host_session *session, struct host_slot *slot, uint32_t length,
                          bool of_controller)
{
    struct nvme_identify_namespace ns;
    if (!scsi_take_capacity(&ns, slot->answer, length))
        return false;
    if (of_controller)
        session->block_shift = ns.block_shift;
    else
        nvme_identify_encode_namespace(&ns, slot->data->bytes);
    return true;
}

/* The next exchange of Identify Controller: INQUIRY, READ CAPACITY(16) of logical unit 0 for the
 * unit of its limits, the limits. A unit that does not exist has none. */
static void advance_controller(struct host_queue_conn *queue, struct host_slot *slot, bool good,
                               uint32_t length)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    if (session->scan != NULL && !session->scan->is_over) {
        if (!iscsi_host_scan_advance(queue, slot, good, length))
            iscsi_host_decide(queue, slot, NVME_STATUS_INTERNAL, 0);
        else if (session->scan->is_over)
            finish_controller(queue, slot);
        return;
    }
    if (slot->asks == SCSI_KIND_INQUIRY) {
        if (good && scsi_take_inquiry(&slot->controller, slot->answer, length))
            iscsi_host_ask(queue, slot, SCSI_KIND_CAPACITY, 0, SCSI_CAPACITY_BYTES, 1);
        else
            iscsi_host_decide(queue, slot, NVME_STATUS_INTERNAL, 0);
    } else if (slot->asks == SCSI_KIND_CAPACITY && good &&
               take_capacity(session, slot, length, true)) {
        iscsi_host_ask(queue, slot, SCSI_KIND_PAGE, SCSI_PAGE_LIMITS, SCSI_LIMITS_BYTES, 1);
    } else {
        if (good && slot->asks == SCSI_KIND_PAGE)
            scsi_take_limits(&slot->controller, slot->answer, length, session->block_shift);
        finish_controller(queue, slot);
    }
}

void iscsi_host_admin_answered(struct host_queue_conn *queue, struct host_slot *slot,
                               uint16_t status, uint32_t length)
{
    struct host_session *session = iscsi_host_of(queue->base.session);
    const bool good = status == NVME_STATUS_OK;
    const uint8_t cns = slot->command.cdw10 & 0xFF;
    if (cns == NVME_CNS_CONTROLLER) {
        advance_controller(queue, slot, good, length);
        return;
    }
    const bool taken = good && (cns == NVME_CNS_NAMESPACE
                                    ? take_capacity(session, slot, length, false)
                                    : scsi_take_luns(slot->data->bytes, slot->answer, length));
    iscsi_host_decide(queue, slot, good && !taken ? NVME_STATUS_INTERNAL : status, 0);
}

/* ---- other commands ---- */

static void send_ping(struct host_queue_conn *queue, struct host_slot *slot)
{
    const struct iscsi_out out = {.pdu = {.opcode = ISCSI_NOP_OUT,
                                          .immediate = true,
                                          .flags = ISCSI_FINAL,
                                          .itt = iscsi_host_itt(queue, slot),
                                          .tag = ISCSI_TAG_NONE,
                                          .sn = iscsi_host_of(queue->base.session)->cmd_sn}};
    iscsi_host_post(slot, &out, PROBE_STREAM_POSTED);
    iscsi_flush(slot->connection);
}

/* The task to abort has the tag of its queue and identifier; the request goes on its connection. */
static void send_abort(struct host_queue_conn *queue, struct host_slot *slot)
{
    const uint32_t cdw10 = slot->command.cdw10;
    const uint32_t index = (cdw10 & 0xFFFF) == 0 ? ISCSI_ADMIN : ISCSI_IO;
    slot->connection = iscsi_host_carrier(queue->base.session, index, (uint16_t)(cdw10 >> 16));
    const struct iscsi_out out = {.pdu = {.opcode = ISCSI_TASK,
                                          .immediate = true,
                                          .flags = ISCSI_FINAL | ISCSI_TASK_ABORT,
                                          .itt = iscsi_host_itt(queue, slot),
                                          .tag = index << 16 | cdw10 >> 16,
                                          .sn = iscsi_host_of(queue->base.session)->cmd_sn}};
    iscsi_host_post(slot, &out, PROBE_STREAM_POSTED);
    iscsi_flush(slot->connection);
}

void iscsi_host_admin(struct host_queue_conn *queue, struct host_slot *slot)
{
    switch (slot->command.opcode) {
    case NVME_FABRICS:
        fabrics(queue, slot);
        break;
    case NVME_ADMIN_IDENTIFY:
        identify(queue, slot);
        break;
    case NVME_ADMIN_KEEP_ALIVE:
        send_ping(queue, slot);
        break;
    case NVME_ADMIN_ABORT:
        send_abort(queue, slot);
        break;
    case NVME_ADMIN_ASYNC_EVENT: /* no event ever comes */
        break;
    case NVME_ADMIN_SET_FEATURES: /* result 0 of the number of queues: one of each kind */
        iscsi_host_decide(queue, slot,
                          (slot->command.cdw10 & 0xFF) == NVME_FEATURE_QUEUES ? NVME_STATUS_OK
                                                                              : (uint16_t)BAD_FIELD,
                          0);
        break;
    default:
        iscsi_host_decide(queue, slot, NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR, 0);
    }
}
