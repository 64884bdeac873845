/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_login - Login at a target: stages and keys, and the queues of the core.
 * When a Login is about to end, the session does at the core what an NVMe host does: it connects an
 * admin queue, enables the controller, and connects one I/O queue. The status of the Login Response
 * is the result. */
#include "nvme/iscsi/iscsi_target_private.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <string.h>

/* Status class and detail, RFC 7143 11.13.5. */
enum {
    LOGIN_INITIATOR_ERROR = 0x0200,
    LOGIN_FORBIDDEN = 0x0202,
    LOGIN_NOT_FOUND = 0x0203,
    LOGIN_TARGET_ERROR = 0x0300,
    LOGIN_NO_RESOURCES = 0x0302,
};

static void send_response(struct target_session *session, uint8_t flags, unsigned status)
{
    struct iscsi_session *base = &session->base;
    const struct iscsi_pdu *login = &session->login;
    const bool full = status == 0 && (flags & 3) == ISCSI_STAGE_FULL;
    const uint64_t tsih = full ? session->cntlid : login->lun & 0xFFFF;
    const struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_LOGIN_RESPONSE,
                .flags = status == 0 ? flags : (uint8_t)(login->flags & 0x0C),
                .length = status == 0 ? base->text_out.length : 0,
                .lun = (login->lun & ~UINT64_C(0xFFFF)) | tsih,
                .itt = login->itt,
                .data_sn = (uint32_t)status << 16},
        .bytes = (const unsigned char *)base->text_out.bytes,
    };
    iscsi_send(base, &out, PROBE_STREAM_POSTED);
    iscsi_flush(base);
}

static void end_login(struct target_session *session, unsigned status)
{
    struct iscsi_session *base = &session->base;
    session->step = STEP_DONE;
    send_response(session, ISCSI_LOGIN_TRANSIT | ISCSI_STAGE_OPERATIONAL << 2 | ISCSI_STAGE_FULL,
                  status);
    if (status == 0) {
        base->terms = session->terms;
        iscsi_open(base);
    } else {
        iscsi_fail(base, "the Login was refused");
    }
}

/* Status of a Connect that failed. */
static unsigned status_of(uint16_t nvme)
{
    switch (nvme & NVME_STATUS_CODE) {
    case NVME_STATUS_CONNECT_HOST:
        return LOGIN_FORBIDDEN;
    case NVME_STATUS_CONNECT_PARAMETERS:
        return LOGIN_NOT_FOUND;
    case NVME_STATUS_CONNECT_BUSY:
        return LOGIN_NO_RESOURCES;
    default:
        return LOGIN_TARGET_ERROR;
    }
}

/* ---- the core's queues ---- */

static bool add_queue(struct target_session *session, unsigned index)
{
    struct iscsi_session *base = &session->base;
    const struct nvme_transport_listener *listener = &base->iscsi->listener;
    struct target_queue_conn *queue = memory_zeroed(1, sizeof *queue);
    queue->base = (struct nvme_transport_conn){.session = base, .index = index, .attached = true};
    base->queues[index] = &queue->base;
    listener->on_request(listener->self, &queue->base, &session->request);
    if (!queue->accepted || !iscsi_is_used(&queue->base))
        return false;
    queue->user.on_established(queue->user.self);
    return true;
}

static void begin(struct target_task *task, struct nvme_command *command, struct nvme_buffer *data)
{
    command->flags = NVME_FLAGS_SGL;
    if (data != NULL)
        command->sgl = (struct nvme_sgl){.type = NVME_SGL_IN_CAPSULE, .length = NVME_CONNECT_BYTES};
    iscsi_task_begin(task, command, data, data != NULL ? NVME_CONNECT_BYTES : 0);
}

static struct target_task *new_own(struct target_session *session, unsigned index)
{
    struct nvme_transport_conn *conn = session->base.queues[index];
    return iscsi_task_new(session, iscsi_target_queue(conn), TASK_OWN);
}

static void connect(struct target_session *session, unsigned index)
{
    struct target_task *task = new_own(session, index);
    struct nvme_buffer *data = iscsi_task_bytes(task);
    const uint32_t entries =
        index == ISCSI_ADMIN ? (uint32_t)NVME_ADMIN_QUEUE_SIZE : session->entries;
    struct nvme_connect_data connect = {
        .cntlid = index == ISCSI_ADMIN ? (uint16_t)NVME_CNTLID_DYNAMIC : session->cntlid};
    struct nvme_command command = {.opcode = NVME_FABRICS,
                                   .nsid = NVME_FCTYPE_CONNECT,
                                   .cdw10 = (uint32_t)index << 16,
                                   .cdw11 = entries - 1};
    big_put(connect.host_id, 8, session->login.lun); /* ISID */
    big_put(connect.host_id + 8, 4, session->request.ip);
    iscsi_nqn_of_name(connect.host_nqn, sizeof connect.host_nqn, session->names.initiator);
    iscsi_nqn_of_name(connect.subsystem_nqn, sizeof connect.subsystem_nqn, session->names.target);
    if (data == NULL) {
        end_login(session, LOGIN_NO_RESOURCES);
        return;
    }
    nvme_fabrics_encode_connect(&connect, data->bytes);
    begin(task, &command, data);
}

static void read_limits(struct target_session *session)
{
    struct nvme_command command = {.opcode = NVME_FABRICS,
                                   .nsid = NVME_FCTYPE_GET,
                                   .cdw10 = 1, /* 8 bytes */
                                   .cdw11 = NVME_PROPERTY_CAP};
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT};
    begin(new_own(session, ISCSI_ADMIN), &command, NULL);
}

/* A queue has one entry more than commands. */
static void take_limits(struct target_session *session)
{
    const uint32_t window = (uint32_t)session->base.iscsi->params.target.window;
    const uint32_t most = (uint32_t)(session->own_result & NVME_CAP_MQES_MASK) + 1;
    session->entries = window + 1 < most ? window + 1 : most;
    session->max_cmd_sn = session->exp_cmd_sn + session->entries - 2;
}

static void enable(struct target_session *session)
{
    struct nvme_command command = {.opcode = NVME_FABRICS,
                                   .nsid = NVME_FCTYPE_SET,
                                   .cdw11 = NVME_PROPERTY_CC,
                                   .cdw12 = NVME_CC_IOSQES | NVME_CC_IOCQES | NVME_CC_ENABLE};
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT};
    begin(new_own(session, ISCSI_ADMIN), &command, NULL);
}

static void identify_block(struct target_session *session)
{
    struct nvme_command command = {
        .opcode = NVME_ADMIN_IDENTIFY, .nsid = 1, .cdw10 = NVME_CNS_NAMESPACE};
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT, .length = NVME_IDENTIFY_BYTES};
    begin(new_own(session, ISCSI_ADMIN), &command, NULL);
}

static void request_queues(struct target_session *session)
{
    struct nvme_command command = {.opcode = NVME_ADMIN_SET_FEATURES,
                                   .cdw10 = NVME_FEATURE_QUEUES}; /* 0's based: one of each */
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT};
    begin(new_own(session, ISCSI_ADMIN), &command, NULL);
}

/* The next step, after one that succeeded. */
static void advance(struct target_session *session)
{
    session->step++;
    switch (session->step) {
    case STEP_CONNECT:
        if (add_queue(session, ISCSI_ADMIN))
            connect(session, ISCSI_ADMIN);
        else
            end_login(session, LOGIN_NO_RESOURCES);
        break;
    case STEP_LIMITS:
        read_limits(session);
        break;
    case STEP_ENABLE:
        enable(session);
        break;
    case STEP_BLOCK:
        identify_block(session);
        break;
    case STEP_QUEUES:
        request_queues(session);
        break;
    case STEP_IO:
        if (add_queue(session, ISCSI_IO))
            connect(session, ISCSI_IO);
        else
            end_login(session, LOGIN_NO_RESOURCES);
        break;
    default:
        end_login(session, 0);
    }
}

void iscsi_target_own_done(struct target_session *session, const struct target_task *task,
                           const struct nvme_response *response, bool with_data)
{
    struct nvme_identify_namespace ns;
    session->own_done = true;
    session->own_status = response->status;
    session->own_result = response->result;
    if (session->step != STEP_BLOCK || !with_data)
        return;
    nvme_identify_decode_namespace(&ns, task->transfer->data->bytes);
    if (ns.block_shift >= 9 && ns.block_shift <= 16)
        session->block_shift = ns.block_shift;
}

void iscsi_target_login_later(struct target_session *session)
{
    if (!session->own_done)
        return;
    session->own_done = false;
    /* A target without namespace 1 has other ones. */
    const bool good =
        (session->own_status & NVME_STATUS_CODE) == NVME_STATUS_OK || session->step == STEP_BLOCK;
    if (session->step == STEP_CONNECT)
        session->cntlid = (uint16_t)session->own_result;
    if (good && session->step == STEP_LIMITS)
        take_limits(session);
    if (good)
        advance(session);
    else
        end_login(session, status_of(session->own_status));
}

/* ---- stages ---- */

static bool refuse(struct target_session *session, unsigned status)
{
    session->base.text_out.length = 0;
    end_login(session, status);
    return true;
}

static bool are_named(const struct iscsi_names *names)
{
    char nqn[NVME_NQN_BYTES];
    return iscsi_nqn_of_name(nqn, sizeof nqn, names->initiator) &&
           iscsi_nqn_of_name(nqn, sizeof nqn, names->target);
}

/* A request is read once; its windows begin with its CmdSN. */
static void note_sequence(struct target_session *session)
{
    const int64_t window = session->base.iscsi->params.target.window;
    session->exp_cmd_sn = session->login.sn;
    session->max_cmd_sn = session->login.sn + (uint32_t)window - 1;
}

bool iscsi_target_on_login(struct target_session *session, struct iscsi_fault *fault)
{
    struct iscsi_session *base = &session->base;
    const struct iscsi_pdu *login = &session->login;
    const unsigned from = login->flags >> 2 & 3, to = login->flags & 3;
    const bool transit = (login->flags & ISCSI_LOGIN_TRANSIT) != 0;
    struct iscsi_names names;
    base->text_out.length = 0;
    note_sequence(session);
    if ((login->flags & ISCSI_LOGIN_CONTINUE) != 0 || !transit || to <= from || to == 2 ||
        from > ISCSI_STAGE_OPERATIONAL)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login Request: flags %02Xh (byte 1), expected a transit to a later "
                               "stage",
                               login->flags);
    if (!iscsi_names_take(&base->text_in, &names, fault))
        return refuse(session, LOGIN_INITIATOR_ERROR);
    if (names.initiator[0] != '\0')
        session->names = names;
    if (!are_named(&session->names) || !session->names.normal)
        return refuse(session, session->names.normal ? (unsigned)LOGIN_NOT_FOUND
                                                     : (unsigned)LOGIN_INITIATOR_ERROR);
    if (from == ISCSI_STAGE_SECURITY) {
        iscsi_text_put(&base->text_out, "TargetPortalGroupTag", "1");
        iscsi_text_put(&base->text_out, "AuthMethod", "None");
        if (to == ISCSI_STAGE_OPERATIONAL) {
            send_response(session, login->flags, 0);
            return true;
        }
    }
    const struct iscsi_terms own = iscsi_terms_of(&base->iscsi->params.target.keys);
    /* A first request in the operational stage has the names. */
    const bool first = from == ISCSI_STAGE_OPERATIONAL && names.initiator[0] != '\0';
    if (!iscsi_terms_answer(&base->text_in, &own, first, &session->terms, &base->text_out, fault))
        return refuse(session, LOGIN_INITIATOR_ERROR);
    advance(session);
    return true;
}
