/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target_receive - PDUs that a target's session has received: checks of their order and
 * lengths, and the destination of their data. */
#include "nvme/iscsi/iscsi_target_private.h"

/* A write's first burst has a buffer of its own: the core has none yet. */
static bool map_burst(struct target_task *task, uint32_t bytes)
{
    struct nvme_transport *transport = &iscsi_task_session(task)->base.iscsi->base;
    if (task->bulk.length >= bytes)
        return true;
    nvme_transport_unmap(transport, &task->bulk);
    return transport->ops->map(transport, &task->bulk, bytes, task->queue->memory, 0);
}

static bool set_destination(struct target_task *task, struct iscsi_arriving *from,
                            struct iscsi_fault *fault)
{
    const bool list = task->request.opcode == NVME_DATASET;
    const bool io = task->request.kind == SCSI_KIND_IO && !list;
    from->at = task->got;
    if (list && task->got + from->pdu.length <= SCSI_UNMAP_BYTES)
        from->real = task->list + task->got;
    else if (task->fetches)
        from->data = task->transfer->data;
    else if (io)
        from->data = &task->bulk;
    return !io || task->fetches ||
           map_burst(task, iscsi_min(task->expected, task->connection->terms.first_burst)) ||
           iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "no memory for the data of a command");
}

/* Most bytes that may come without an R2T, and of them in the SCSI Command. */
static bool check_burst(const struct iscsi_terms *terms, const struct iscsi_pdu *pdu,
                        struct iscsi_fault *fault)
{
    const bool out = (pdu->flags & ISCSI_COMMAND_WRITE) != 0;
    const uint32_t burst = out ? iscsi_min(pdu->tag, terms->first_burst) : 0;
    const uint32_t room = terms->immediate_data ? burst : 0;
    if (pdu->length > room)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "SCSI Command: %u B of immediate data, expected at most %u B",
                               pdu->length, room);
    return (pdu->flags & ISCSI_FINAL) != 0 || (!terms->initial_r2t && pdu->length < burst) ||
           iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                           "SCSI Command: unsolicited data (F 0), expected none");
}

/* True: the PDU has an effect, or *ok says why not (false: a fault). */
static bool count_arrival(struct iscsi_connection *connection, struct iscsi_fault *fault, bool *ok)
{
    struct iscsi_arriving *from = &connection->arriving;
    const enum target_arrival arrival =
        iscsi_target_count(iscsi_target_of(connection->session), &from->pdu, fault);
    from->ignored = arrival == TARGET_IGNORED;
    *ok = arrival != TARGET_FAULT;
    return arrival == TARGET_NEW;
}

static bool begin_command(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct target_session *session = iscsi_target_of(connection->session);
    struct iscsi_arriving *from = &connection->arriving;
    const struct iscsi_pdu *pdu = &from->pdu;
    struct scsi_request request;
    bool ok;
    if (!count_arrival(connection, fault, &ok))
        return ok;
    if (!check_burst(&connection->terms, pdu, fault))
        return false;
    scsi_read_cdb(&request, pdu->cdb);
    struct nvme_transport_conn *conn =
        session->base.queues[request.kind == SCSI_KIND_IO ? ISCSI_IO : ISCSI_ADMIN];
    if (!iscsi_is_used(conn))
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "SCSI Command: the session ends");
    struct target_task *task =
        iscsi_task_new(session, iscsi_target_queue(conn), connection, TASK_SCSI);
    task->request = request;
    task->lun = pdu->lun;
    task->itt = pdu->itt;
    task->sn = pdu->sn;
    task->expected = pdu->tag;
    task->in = (pdu->flags & ISCSI_COMMAND_READ) != 0;
    task->out = (pdu->flags & ISCSI_COMMAND_WRITE) != 0;
    task->counts = !pdu->immediate;
    task->collecting = (pdu->flags & ISCSI_FINAL) == 0;
    from->owner = task;
    return pdu->length == 0 || set_destination(task, from, fault);
}

/* Data must arrive on the connection of its command. */
static struct target_task *find_task(const struct iscsi_connection *connection)
{
    const struct target_session *session = iscsi_target_of(connection->session);
    const struct iscsi_pdu *pdu = &connection->arriving.pdu;
    struct nvme_transport_conn *conn = session->base.queues[ISCSI_IO];
    if (conn != NULL && pdu->tag != ISCSI_TAG_NONE) {
        const struct target_queue_conn *queue = iscsi_target_queue(conn);
        struct target_task *task = pdu->tag < queue->slot_count ? queue->slots[pdu->tag] : NULL;
        return task != NULL && task->fetches && task->r2ts > 0 && task->itt == pdu->itt &&
                       task->connection == connection
                   ? task
                   : NULL;
    }
    for (struct target_task *at = session->newest; at != NULL; at = at->older)
        if (at->queue != NULL && at->kind == TASK_SCSI && at->collecting && at->itt == pdu->itt &&
            at->connection == connection)
            return at;
    return NULL;
}

static bool begin_data(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct iscsi_arriving *from = &connection->arriving;
    const struct iscsi_pdu *pdu = &from->pdu;
    struct target_task *task = find_task(connection);
    /* Unsolicited data of a command that was ignored; LIO drops it, too. */
    from->ignored = task == NULL && pdu->tag == ISCSI_TAG_NONE;
    if (from->ignored)
        return true;
    if (task == NULL)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Data-Out: no R2T %08Xh of task %08Xh is outstanding", pdu->tag,
                               pdu->itt);
    const uint32_t most =
        task->fetches ? task->asked : iscsi_min(task->expected, connection->terms.first_burst);
    if (pdu->offset != task->got || pdu->length > most - task->got)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Data-Out: %u B at %u, but %u of %u B have arrived", pdu->length,
                               pdu->offset, task->got, most);
    from->owner = task;
    return pdu->length == 0 || set_destination(task, from, fault);
}

static bool begin_login(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    const struct target_session *session = iscsi_target_of(connection->session);
    struct iscsi_arriving *from = &connection->arriving;
    const struct iscsi_pdu *pdu = &from->pdu;
    if (pdu->opcode != ISCSI_LOGIN || session->step != STEP_NONE)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s during Login, expected %s",
                               iscsi_pdu_name(pdu->opcode),
                               session->step == STEP_NONE ? "a Login Request" : "none");
    connection->text_in.length = pdu->length;
    from->real = (unsigned char *)connection->text_in.bytes;
    return true;
}

bool iscsi_target_on_header(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    const struct iscsi_pdu *pdu = &connection->arriving.pdu;
    bool ok;
    if (!connection->full_feature)
        return begin_login(connection, fault);
    switch (pdu->opcode) {
    case ISCSI_COMMAND:
        return begin_command(connection, fault);
    case ISCSI_DATA_OUT:
        return begin_data(connection, fault);
    case ISCSI_NOP_OUT:
    case ISCSI_TASK:
    case ISCSI_LOGOUT:
        return pdu->itt == ISCSI_TAG_NONE || count_arrival(connection, fault, &ok) || ok;
    default:
        return iscsi_fail_with(fault, ISCSI_REJECT_UNSUPPORTED, "%s in the full feature phase",
                               iscsi_pdu_name(pdu->opcode));
    }
}

static void on_data(struct target_session *session, struct target_task *task,
                    const struct iscsi_pdu *pdu)
{
    const bool last = (pdu->flags & ISCSI_FINAL) != 0;
    task->got += pdu->length;
    if (!task->fetches) {
        if (!last)
            return;
        task->collecting = false;
        task->asked = task->got; /* R2Ts request the rest */
        iscsi_target_ready(session, NULL, task);
        return;
    }
    task->r2ts -= last && task->r2ts > 0;
    if (task->got < task->expected) {
        iscsi_task_r2ts(task);
        return;
    }
    task->fetches = false;
    if (iscsi_is_used(&task->queue->base))
        task->queue->user.on_fetched(task->queue->user.self, task->transfer);
}

static void send_answer(struct iscsi_connection *connection, const struct iscsi_pdu *request,
                        const struct iscsi_pdu *pdu)
{
    struct iscsi_out out = {.pdu = *pdu, .moves_window = !request->immediate};
    out.pdu.itt = request->itt;
    iscsi_send(connection, &out, PROBE_STREAM_POSTED);
    iscsi_flush(connection);
}

static void on_task_request(struct iscsi_connection *connection, const struct iscsi_pdu *pdu)
{
    struct target_session *session = iscsi_target_of(connection->session);
    struct nvme_transport_conn *conn = session->base.queues[ISCSI_ADMIN];
    if (!iscsi_is_used(conn))
        return;
    struct target_task *task =
        iscsi_task_new(session, iscsi_target_queue(conn), connection, TASK_MANAGEMENT);
    task->itt = pdu->itt;
    task->counts = !pdu->immediate;
    iscsi_target_manage(session, task, pdu);
}

/* A PDU with a CmdSN that is no SCSI Command. */
static void on_other(struct iscsi_connection *connection, const struct iscsi_pdu *pdu)
{
    struct target_session *session = iscsi_target_of(connection->session);
    if (pdu->opcode == ISCSI_TASK) {
        on_task_request(connection, pdu);
    } else if (pdu->opcode == ISCSI_LOGOUT) {
        send_answer(connection, pdu,
                    &(struct iscsi_pdu){.opcode = ISCSI_LOGOUT_RESPONSE, .flags = ISCSI_FINAL});
    } else if (pdu->itt != ISCSI_TAG_NONE) { /* NOP-Out */
        send_answer(connection, pdu,
                    &(struct iscsi_pdu){.opcode = ISCSI_NOP_IN,
                                        .flags = ISCSI_FINAL,
                                        .lun = UINT64_MAX, /* reserved; as LIO */
                                        .tag = ISCSI_TAG_NONE});
    }
    if (pdu->itt != ISCSI_TAG_NONE)
        iscsi_target_ready(session, pdu, NULL);
}

bool iscsi_target_on_pdu(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct target_session *session = iscsi_target_of(connection->session);
    const struct iscsi_arriving *from = &connection->arriving;
    const struct iscsi_pdu *pdu = &from->pdu;
    struct target_task *task = from->owner;
    if (from->ignored)
        return true;
    switch (pdu->opcode) {
    case ISCSI_LOGIN:
        connection->login = *pdu;
        return iscsi_target_on_login(connection, fault);
    case ISCSI_COMMAND:
        task->got = task->asked = pdu->length;
        if (!task->collecting)
            iscsi_target_ready(session, pdu, task);
        break;
    case ISCSI_DATA_OUT:
        on_data(session, task, pdu);
        break;
    default:
        on_other(connection, pdu);
    }
    return true;
}
