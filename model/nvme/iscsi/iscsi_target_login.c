/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_login - Login at a target: stages and keys, and the queues of the core.
 * When a Login is about to end, the session does at the core what an NVMe host does: it connects an
 * admin queue, enables the controller, and connects one I/O queue. The status of the Login Response
 * is the result. A Login with the TSIH of a session adds its connection to that session. */
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
    LOGIN_TOO_MANY_CONNECTIONS = 0x0206,
    LOGIN_NO_SESSION = 0x020A,
    LOGIN_TARGET_ERROR = 0x0300,
    LOGIN_NO_RESOURCES = 0x0302,
};

static void send_response(struct iscsi_connection *connection, uint8_t flags, unsigned status)
{
    const struct target_session *session = iscsi_target_of(connection->session);
    const struct iscsi_pdu *login = &connection->login;
    const bool full = status == 0 && (flags & 3) == ISCSI_STAGE_FULL;
    const uint64_t tsih = full ? session->cntlid : login->lun & 0xFFFF;
    const struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_LOGIN_RESPONSE,
                .flags = status == 0 ? flags : (uint8_t)(login->flags & 0x0C),
                .length = status == 0 ? connection->text_out.length : 0,
                .lun = (login->lun & ~UINT64_C(0xFFFF)) | tsih,
                .itt = login->itt,
                .data_sn = (uint32_t)status << 16},
        .bytes = (const unsigned char *)connection->text_out.bytes,
    };
    iscsi_send(connection, &out, PROBE_STREAM_POSTED);
    iscsi_flush(connection);
}

/* Ends the Login of a connection whose terms are agreed on. */
static void end_login(struct iscsi_connection *connection, unsigned status)
{
    struct target_session *session = iscsi_target_of(connection->session);
    session->step = STEP_DONE;
    send_response(connection, ISCSI_LOGIN_TRANSIT | ISCSI_STAGE_OPERATIONAL << 2 | ISCSI_STAGE_FULL,
                  status);
    if (status == 0) {
        connection->terms = session->terms;
        iscsi_open(connection);
    } else {
        iscsi_fail(&session->base, "the Login was refused");
    }
}

static void end_leading(struct target_session *session, unsigned status)
{
    end_login(session->base.connections, status);
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
    return iscsi_task_new(session, iscsi_target_queue(conn), NULL, TASK_OWN);
}

static void connect_queue(struct target_session *session, unsigned index)
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
    big_put(connect.host_id, 8, session->base.connections->login.lun); /* ISID */
    big_put(connect.host_id + 8, 4, session->request.ip);
    iscsi_nqn_of_name(connect.host_nqn, sizeof connect.host_nqn, session->names.initiator);
    iscsi_nqn_of_name(connect.subsystem_nqn, sizeof connect.subsystem_nqn, session->names.target);
    if (data == NULL) {
        end_leading(session, LOGIN_NO_RESOURCES);
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
            connect_queue(session, ISCSI_ADMIN);
        else
            end_leading(session, LOGIN_NO_RESOURCES);
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
            connect_queue(session, ISCSI_IO);
        else
            end_leading(session, LOGIN_NO_RESOURCES);
        break;
    default:
        end_leading(session, 0);
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
        end_leading(session, status_of(session->own_status));
}

/* ---- further connections ---- */

static bool is_same_name(const struct iscsi_names *a, const struct iscsi_names *b)
{
    return strcmp(a->initiator, b->initiator) == 0 && strcmp(a->target, b->target) == 0;
}

/* Finds the session that the ISID and TSIH of a Login name (RFC 7143, 6.3.1); NULL: none. */
static struct target_session *find_session(const struct iscsi_connection *connection)
{
    const struct target_session *of = iscsi_target_of(connection->session);
    const uint64_t id = connection->login.lun; /* ISID and TSIH */
    for (struct iscsi_session *at = connection->session->iscsi->sessions; at != NULL;
         at = at->next) {
        struct target_session *session = iscsi_target_of(at);
        if (at != connection->session && !iscsi_is_over(at) && at->connections->full_feature &&
            session->cntlid == (uint16_t)id && at->connections->login.lun >> 16 == id >> 16 &&
            session->request.ip == of->request.ip && is_same_name(&session->names, &of->names))
            return session;
    }
    return NULL;
}

/* Whether a session may have the connection; a CID that it has would reinstate that connection,
 * which is not modeled. */
static unsigned judge_further(const struct target_session *session,
                              const struct iscsi_connection *connection)
{
    uint32_t count = 0;
    if (session == NULL)
        return LOGIN_NO_SESSION;
    for (const struct iscsi_connection *at = session->base.connections; at != NULL; at = at->next) {
        if (at->cid == connection->login.tag >> 16)
            return LOGIN_INITIATOR_ERROR;
        count++;
    }
    return count < session->base.connections->terms.connections
               ? 0
               : (unsigned)LOGIN_TOO_MANY_CONNECTIONS;
}

/* The connection leaves the session that was made for it, which ends without connections. */
static void join(struct target_session *session, struct iscsi_connection *connection)
{
    struct target_session *left = iscsi_target_of(connection->session);
    struct iscsi_connection **link = &session->base.connections;
    while (*link != NULL)
        link = &(*link)->next;
    *link = connection;
    left->base.connections = NULL;
    connection->session = &session->base;
    connection->cid = (uint16_t)(connection->login.tag >> 16);
    connection->terms = left->terms;
    iscsi_target_order(session);
    send_response(connection, ISCSI_LOGIN_TRANSIT | ISCSI_STAGE_OPERATIONAL << 2 | ISCSI_STAGE_FULL,
                  0);
    iscsi_open(connection);
}

/* ---- stages ---- */

static bool refuse(struct iscsi_connection *connection, unsigned status)
{
    connection->text_out.length = 0;
    end_login(connection, status);
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
    const uint32_t sn = session->base.connections->login.sn;
    session->exp_cmd_sn = sn;
    session->max_cmd_sn = sn + (uint32_t)window - 1;
}

/* The request's keys, and the end of the Login. */
static bool agree(struct iscsi_connection *connection, bool first, struct iscsi_fault *fault)
{
    struct target_session *session = iscsi_target_of(connection->session);
    const struct iscsi_keys *keys = &session->base.iscsi->params.target.keys;
    const bool leading = (connection->login.lun & 0xFFFF) == 0; /* TSIH */
    struct target_session *of = leading ? NULL : find_session(connection);
    const unsigned status = leading ? 0 : judge_further(of, connection);
    if (status != 0)
        return refuse(connection, status);
    const struct iscsi_terms own =
        leading ? iscsi_terms_of(keys) : iscsi_terms_of_further(keys, &of->base.connections->terms);
    const struct iscsi_stage stage = {.leading = leading, .first = first};
    if (!iscsi_terms_answer(&connection->text_in, &own, stage, &session->terms,
                            &connection->text_out, fault))
        return refuse(connection, LOGIN_INITIATOR_ERROR);
    if (leading)
        advance(session);
    else
        join(of, connection);
    return true;
}

bool iscsi_target_on_login(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct target_session *session = iscsi_target_of(connection->session);
    const struct iscsi_pdu *login = &connection->login;
    const unsigned from = login->flags >> 2 & 3, to = login->flags & 3;
    const bool transit = (login->flags & ISCSI_LOGIN_TRANSIT) != 0;
    struct iscsi_names names;
    connection->text_out.length = 0;
    note_sequence(session);
    if ((login->flags & ISCSI_LOGIN_CONTINUE) != 0 || !transit || to <= from || to == 2 ||
        from > ISCSI_STAGE_OPERATIONAL)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Login Request: flags %02Xh (byte 1), expected a transit to a later "
                               "stage",
                               login->flags);
    if (!iscsi_names_take(&connection->text_in, &names, fault))
        return refuse(connection, LOGIN_INITIATOR_ERROR);
    if (names.initiator[0] != '\0')
        session->names = names;
    if (!are_named(&session->names) || !session->names.normal)
        return refuse(connection, session->names.normal ? (unsigned)LOGIN_NOT_FOUND
                                                        : (unsigned)LOGIN_INITIATOR_ERROR);
    if (from == ISCSI_STAGE_SECURITY) {
        iscsi_text_put(&connection->text_out, "TargetPortalGroupTag", "1");
        iscsi_text_put(&connection->text_out, "AuthMethod", "None");
        if (to == ISCSI_STAGE_OPERATIONAL) {
            send_response(connection, login->flags, 0);
            return true;
        }
    }
    /* A first request in the operational stage has the names. */
    return agree(connection, from == ISCSI_STAGE_OPERATIONAL && names.initiator[0] != '\0', fault);
}
