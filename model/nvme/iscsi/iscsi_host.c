/* SPDX-License-Identifier: Apache-2.0
 * iscsi_host - a host's session: its PDUs, and the commands of its I/O queue.
 * The state of a command belongs to its tag. The admin queue's connection is the session's; the I/O
 * queue joins it. The queue's size keeps the commands within the target's window. */
#include "nvme/iscsi/iscsi_host_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sending ---- */

static void number(struct iscsi_connection *connection, struct iscsi_out *out)
{
    out->pdu.expected = connection->stat_sn;
}

static void on_sent(struct iscsi_connection *connection, const struct iscsi_out *out)
{
    struct host_slot *slot = out->owner;
    (void)connection;
    if (slot != NULL)
        slot->unsent--;
}

void iscsi_host_post(struct host_slot *slot, const struct iscsi_out *out,
                     enum probe_stream_kind kind)
{
    struct iscsi_out mine = *out;
    mine.owner = slot;
    slot->unsent++;
    iscsi_send(slot->connection, &mine, kind);
}

/* Data-Out of `length` bytes at `at`, which answers the R2T with that tag, or none. */
static void send_data(struct host_slot *slot, const struct iscsi_pdu *r2t, uint32_t at,
                      uint32_t length)
{
    const struct iscsi_terms *terms = &slot->connection->terms;
    const bool asked = r2t->opcode == ISCSI_R2T;
    for (uint32_t sent = 0, sn = 0; sent < length; sn++) {
        const uint32_t bytes = iscsi_min(length - sent, terms->send_data);
        const bool last = sent + bytes == length;
        const struct iscsi_out out = {
            .pdu = {.opcode = ISCSI_DATA_OUT,
                    .flags = last ? ISCSI_FINAL : 0,
                    .length = bytes,
                    .lun = r2t->lun,
                    .itt = r2t->itt,
                    .tag = asked ? r2t->tag : ISCSI_TAG_NONE,
                    .data_sn = sn,
                    .offset = at + sent},
            .data = slot->data,
            .bytes = slot->data == NULL ? slot->list : NULL,
            .at = at + sent,
        };
        iscsi_host_post(slot, &out,
                        !last   ? PROBE_STREAM_POSTED_DATA
                        : asked ? PROBE_STREAM_POSTED_ANSWER
                                : PROBE_STREAM_POSTED);
        sent += bytes;
    }
}

static uint32_t bytes_in(const struct host_slot *slot)
{
    return slot->out ? 0 : slot->answer != NULL ? slot->answer_room : slot->bytes;
}

void iscsi_host_scsi(struct host_queue_conn *queue, struct host_slot *slot, uint64_t lun,
                     const unsigned char cdb[ISCSI_CDB_BYTES])
{
    struct iscsi_session *session = queue->base.session;
    const struct iscsi_terms *terms = &slot->connection->terms;
    const uint32_t out_bytes = slot->out ? slot->bytes : 0;
    const uint32_t burst = iscsi_min(out_bytes, terms->first_burst);
    const uint32_t with = terms->immediate_data ? iscsi_min(burst, terms->send_data) : 0;
    const uint32_t behind = terms->initial_r2t ? 0 : burst - with;
    const uint32_t in = bytes_in(slot);
    struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_COMMAND,
                .flags = (uint8_t)(ISCSI_COMMAND_SIMPLE | (behind == 0 ? ISCSI_FINAL : 0) |
                                   (in > 0 ? ISCSI_COMMAND_READ : 0) |
                                   (out_bytes > 0 ? ISCSI_COMMAND_WRITE : 0)),
                .length = with,
                .lun = lun,
                .itt = iscsi_host_itt(queue, slot),
                .tag = out_bytes + in,
                .sn = iscsi_host_of(session)->cmd_sn++},
        .data = slot->data,
        .bytes = slot->data == NULL ? slot->list : NULL,
    };
    memcpy(out.pdu.cdb, cdb, ISCSI_CDB_BYTES);
    slot->received = 0;
    slot->granted = with + behind;
    iscsi_host_post(slot, &out, behind > 0 ? PROBE_STREAM_POSTED_DATA : PROBE_STREAM_POSTED);
    if (behind > 0)
        send_data(slot, &out.pdu, with, behind);
    iscsi_flush(slot->connection);
}

static void begin_io(struct host_queue_conn *queue, struct host_slot *slot)
{
    unsigned char cdb[ISCSI_CDB_BYTES];
    const bool unmap = slot->command.opcode == NVME_DATASET;
    if (slot->command.opcode == NVME_FABRICS) { /* the Login has connected it */
        iscsi_host_decide(queue, slot, NVME_STATUS_OK, iscsi_host_of(queue->base.session)->tsih);
        return;
    }
    if (!scsi_of_command(cdb, &slot->command)) {
        iscsi_host_decide(queue, slot, NVME_STATUS_INVALID_OPCODE | NVME_STATUS_DNR, 0);
        return;
    }
    if (unmap) {
        scsi_put_unmap(slot->list, slot->data->bytes);
        slot->data = NULL;
        slot->bytes = SCSI_UNMAP_BYTES;
    }
    iscsi_host_scsi(queue, slot, scsi_lun(slot->command.nsid), cdb);
}

/* A command, its data and its status travel on one connection (allegiance, RFC 7143 4.2.2). I/O
 * commands take the connections in turn. */
static struct iscsi_connection *next_carrier(struct nvme_transport_conn *conn)
{
    struct host_session *session = iscsi_host_of(conn->session);
    struct iscsi_connection *leader = conn->session->connections;
    if (conn->index == ISCSI_ADMIN)
        return leader;
    struct iscsi_connection *next = session->carrier == NULL ? leader : session->carrier;
    session->carrier = next->next;
    return next;
}

bool iscsi_send_command(struct nvme_transport_conn *conn, uint16_t tag,
                        struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes)
{
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    CHECK(tag < queue->entries && bytes <= (data == NULL ? 0 : data->length));
    struct host_slot *slot = &queue->slots[tag];
    CHECK(!slot->busy && slot->unsent == 0);
    if (iscsi_is_over(conn->session))
        return false;
    const bool out = bytes > 0 && nvme_capsule_direction(command) == NVME_DATA_OUT;
    *slot = (struct host_slot){.command = *command,
                               .connection = next_carrier(conn),
                               .data = bytes > 0 ? data : NULL,
                               .bytes = bytes,
                               .cid = command->cid,
                               .busy = true,
                               .out = out};
    if (conn->index == ISCSI_IO)
        begin_io(queue, slot);
    else
        iscsi_host_admin(queue, slot);
    return true;
}

/* ---- responses ---- */

void iscsi_host_decide(struct host_queue_conn *queue, struct host_slot *slot, uint16_t status,
                       uint64_t result)
{
    CHECK(slot->busy && !slot->decided);
    slot->decided = true;
    slot->response = (struct nvme_response){.status = status, .result = result, .cid = slot->cid};
    queue->decided++;
    iscsi_later(queue->base.session);
}

static void respond(struct host_queue_conn *queue, struct host_slot *slot,
                    const struct nvme_response *given)
{
    struct nvme_response response = *given;
    queue->sqhd = (uint16_t)((queue->sqhd + 1u) % queue->entries);
    response.sqhd = queue->sqhd;
    response.sqid = (uint16_t)queue->base.index;
    free(slot->answer);
    slot->answer = NULL;
    const int32_t tag = queue->user.on_response(queue->user.self, &response);
    if (tag < 0)
        return;
    slot->busy = slot->decided = false;
    queue->user.on_done(queue->user.self, (uint16_t)tag);
}

static void report_decided(struct host_queue_conn *queue)
{
    for (uint32_t i = 0; queue->decided > 0 && i < queue->entries; i++) {
        struct host_slot *slot = &queue->slots[i];
        if (!iscsi_is_used(&queue->base))
            return;
        if (!slot->decided)
            continue;
        const struct nvme_response response = slot->response;
        slot->decided = false;
        queue->decided--;
        respond(queue, slot, &response);
    }
}

static void on_later(struct iscsi_session *base)
{
    for (unsigned i = 0; i < ISCSI_QUEUES; i++) {
        struct nvme_transport_conn *conn = base->queues[i];
        if (!iscsi_is_used(conn) || iscsi_is_over(base))
            continue;
        struct host_queue_conn *queue = iscsi_host_queue(conn);
        if (i == ISCSI_IO && !queue->established) {
            if (!iscsi_host_is_complete(base))
                continue;
            queue->established = true;
            queue->user.on_established(queue->user.self);
        }
        report_decided(queue);
    }
}

/* ---- receiving ---- */

/* The slot of a command that has no response yet. */
static struct host_slot *find_slot(const struct iscsi_session *session, uint32_t index,
                                   uint32_t cid)
{
    if (index >= ISCSI_QUEUES || !iscsi_is_used(session->queues[index]))
        return NULL;
    const struct host_queue_conn *queue = iscsi_host_queue(session->queues[index]);
    const uint32_t tag = cid & 0xFFF; /* nvme_tags_cid: the upper bits count uses */
    struct host_slot *slot = tag < queue->entries ? &queue->slots[tag] : NULL;
    return slot != NULL && slot->busy && !slot->decided && slot->cid == cid ? slot : NULL;
}

struct iscsi_connection *iscsi_host_carrier(struct iscsi_session *session, unsigned index,
                                            uint16_t cid)
{
    const struct host_slot *slot = find_slot(session, index, cid);
    return slot == NULL ? session->connections : slot->connection;
}

static struct host_slot *slot_of(const struct iscsi_connection *connection, uint32_t itt,
                                 struct host_queue_conn **queue)
{
    struct host_slot *slot = find_slot(connection->session, itt >> 16, itt & 0xFFFF);
    if (slot == NULL || slot->connection != connection)
        return NULL;
    *queue = iscsi_host_queue(connection->session->queues[itt >> 16]);
    return slot;
}

static bool unknown_task(const struct iscsi_pdu *pdu, struct iscsi_fault *fault)
{
    return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s: no task %08Xh is outstanding",
                           iscsi_pdu_name(pdu->opcode), pdu->itt);
}

static bool check_data(struct iscsi_arriving *from, struct host_slot *slot,
                       struct iscsi_fault *fault)
{
    const struct iscsi_pdu *pdu = &from->pdu;
    const uint32_t bytes = bytes_in(slot);
    if (pdu->offset != slot->received || pdu->length > bytes - slot->received)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "Data-In: %u B at %u, but %u of %u B have arrived", pdu->length,
                               pdu->offset, slot->received, bytes);
    if (slot->answer != NULL)
        from->real = slot->answer + pdu->offset;
    else
        from->data = slot->data;
    from->at = pdu->offset;
    return true;
}

static bool check_r2t(const struct iscsi_pdu *pdu, const struct host_slot *slot,
                      struct iscsi_fault *fault)
{
    const uint32_t bytes = slot->out ? slot->bytes : 0;
    return (pdu->offset == slot->granted && pdu->count > 0 &&
            pdu->count <= bytes - slot->granted) ||
           iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                           "R2T: %u B at %u, but %u of %u B were requested", pdu->count,
                           pdu->offset, slot->granted, bytes);
}

static bool of_task(uint8_t opcode)
{
    return opcode == ISCSI_DATA_IN || opcode == ISCSI_R2T || opcode == ISCSI_RESPONSE ||
           opcode == ISCSI_TASK_RESPONSE;
}

static bool on_header(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct host_session *session = iscsi_host_of(connection->session);
    struct iscsi_arriving *from = &connection->arriving;
    const struct iscsi_pdu *pdu = &from->pdu;
    struct host_queue_conn *queue = NULL;
    const bool login = pdu->opcode == ISCSI_LOGIN_RESPONSE;
    if (login == connection->full_feature)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "%s %s the full feature phase",
                               iscsi_pdu_name(pdu->opcode), login ? "in" : "before");
    if (login) {
        struct iscsi_text *text = &connection->text_in;
        const uint32_t room = sizeof text->bytes - text->length;
        from->real = (unsigned char *)text->bytes + text->length;
        return pdu->length <= room ||
               iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "Login Response: %u B of text",
                               text->length + pdu->length);
    }
    if (!of_task(pdu->opcode) || session->logging_out)
        return true;
    struct host_slot *slot = slot_of(connection, pdu->itt, &queue);
    if (slot == NULL)
        return unknown_task(pdu, fault);
    from->owner = slot;
    if (pdu->opcode == ISCSI_DATA_IN)
        return check_data(from, slot, fault);
    if (pdu->opcode == ISCSI_R2T)
        return check_r2t(pdu, slot, fault);
    from->real = pdu->length <= SCSI_SENSE_SEGMENT && pdu->length > 0 ? session->sense : NULL;
    return true;
}

/* iscsi_update_cmdsn */
static void note_window(struct host_session *session, const struct iscsi_pdu *pdu)
{
    if (iscsi_apart(pdu->max, pdu->expected) < -1)
        return;
    if (iscsi_apart(pdu->expected, session->exp_cmd_sn) > 0)
        session->exp_cmd_sn = pdu->expected;
    if (iscsi_apart(pdu->max, session->max_cmd_sn) > 0)
        session->max_cmd_sn = pdu->max;
}

static bool has_status(const struct iscsi_pdu *pdu)
{
    return pdu->opcode != ISCSI_R2T &&
           (pdu->opcode != ISCSI_DATA_IN || (pdu->flags & ISCSI_DATA_STATUS) != 0) &&
           (pdu->opcode != ISCSI_NOP_IN || pdu->itt != ISCSI_TAG_NONE);
}

static void end_task(struct host_queue_conn *queue, struct host_slot *slot, uint16_t status)
{
    if (slot->answer != NULL || queue->base.index == ISCSI_ADMIN) {
        iscsi_host_admin_answered(queue, slot, status, slot->received);
        return;
    }
    const bool short_read = status == NVME_STATUS_OK && !slot->out && slot->received < slot->bytes;
    const struct nvme_response response = {
        .cid = slot->cid, .status = short_read ? NVME_STATUS_DATA_TRANSFER : status};
    respond(queue, slot, &response);
}

static bool on_status(struct host_queue_conn *queue, struct host_slot *slot,
                      const struct iscsi_pdu *pdu, struct iscsi_fault *fault)
{
    const struct host_session *session = iscsi_host_of(queue->base.session);
    const bool sense = pdu->opcode == ISCSI_RESPONSE && pdu->length <= SCSI_SENSE_SEGMENT;
    if (slot->unsent > 0)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "%s to a task whose PDUs have not left yet",
                               iscsi_pdu_name(pdu->opcode));
    if (pdu->opcode == ISCSI_RESPONSE && pdu->byte2 != 0)
        end_task(queue, slot, NVME_STATUS_INTERNAL);
    else
        end_task(queue, slot,
                 scsi_take_status(pdu->byte3, session->sense, sense ? pdu->length : 0, slot->out));
    return true;
}

static void on_r2t(struct host_slot *slot, const struct iscsi_pdu *pdu)
{
    slot->granted += pdu->count;
    send_data(slot, pdu, pdu->offset, pdu->count);
    iscsi_flush(slot->connection);
}

/* A ping of the target is answered; the answer to one's own ends a Keep Alive. */
static void on_nop(struct iscsi_connection *connection, const struct iscsi_pdu *pdu)
{
    struct host_queue_conn *queue = NULL;
    struct host_slot *slot = slot_of(connection, pdu->itt, &queue);
    if (pdu->itt != ISCSI_TAG_NONE) {
        if (slot != NULL)
            iscsi_host_decide(queue, slot, NVME_STATUS_OK, 0);
        return;
    }
    const struct iscsi_out out = {.pdu = {.opcode = ISCSI_NOP_OUT,
                                          .immediate = true,
                                          .flags = ISCSI_FINAL,
                                          .lun = pdu->lun,
                                          .itt = ISCSI_TAG_NONE,
                                          .tag = pdu->tag,
                                          .sn = iscsi_host_of(connection->session)->cmd_sn}};
    iscsi_send(connection, &out, PROBE_STREAM_POSTED);
    iscsi_flush(connection);
}

static bool on_task(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    const struct iscsi_pdu *pdu = &connection->arriving.pdu;
    struct host_queue_conn *queue = NULL;
    struct host_slot *slot = slot_of(connection, pdu->itt, &queue);
    if (slot == NULL)
        return unknown_task(pdu, fault);
    switch (pdu->opcode) {
    case ISCSI_DATA_IN:
        slot->received += pdu->length;
        return (pdu->flags & ISCSI_DATA_STATUS) == 0 || on_status(queue, slot, pdu, fault);
    case ISCSI_R2T:
        on_r2t(slot, pdu);
        return true;
    case ISCSI_TASK_RESPONSE: /* bit 0 of an Abort's result: it was not aborted */
        iscsi_host_decide(queue, slot, NVME_STATUS_OK, pdu->byte2 == 0 ? 0 : 1);
        return true;
    default:
        return on_status(queue, slot, pdu, fault);
    }
}

static bool on_pdu(struct iscsi_connection *connection, struct iscsi_fault *fault)
{
    struct host_session *session = iscsi_host_of(connection->session);
    const struct iscsi_pdu *pdu = &connection->arriving.pdu;
    if (pdu->opcode == ISCSI_LOGIN_RESPONSE)
        return iscsi_host_on_login(connection, pdu, fault);
    note_window(session, pdu);
    if (has_status(pdu))
        connection->stat_sn = pdu->sn + 1;
    if (pdu->opcode == ISCSI_LOGOUT_RESPONSE) {
        iscsi_part(&session->base);
        return true;
    }
    if (session->logging_out)
        return true;
    switch (pdu->opcode) {
    case ISCSI_NOP_IN:
        on_nop(connection, pdu);
        return true;
    case ISCSI_ASYNC:
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "the target sent an Asynchronous Message (event %u)",
                               pdu->data_sn >> 24);
    case ISCSI_REJECT:
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL, "the target rejected a PDU (%02Xh)",
                               pdu->byte2);
    default:
        return on_task(connection, fault);
    }
}

/* ---- life ---- */

static void on_failed(struct nvme_transport_conn *conn, const char *why)
{
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    queue->user.on_failed(queue->user.self, why);
}

static void on_closed(struct nvme_transport_conn *conn)
{
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    queue->user.on_closed(queue->user.self);
}

static void on_parted(struct iscsi_session *base)
{
    if (iscsi_host_of(base)->logging_out)
        iscsi_part(base);
    else
        iscsi_fail(base, "the peer closed the connection");
}

static void release(struct iscsi_session *base)
{
    free(iscsi_host_of(base)->scan);
}

static void release_queue(struct nvme_transport_conn *conn)
{
    struct host_queue_conn *queue = iscsi_host_queue(conn);
    for (uint32_t i = 0; i < queue->entries; i++)
        free(queue->slots[i].answer);
    free(queue->slots);
    queue->slots = NULL;
}

const struct iscsi_role iscsi_host_role = {
    .number = number,
    .on_sent = on_sent,
    .on_header = on_header,
    .on_pdu = on_pdu,
    .on_parted = on_parted,
    .on_failed = on_failed,
    .on_closed = on_closed,
    .on_later = on_later,
    .release = release,
    .release_queue = release_queue,
};
