/* SPDX-License-Identifier: Apache-2.0
 * iscsi_target - a target's session: its PDUs, its tasks and their data.
 * A task's data arrives with the SCSI Command, unsolicited behind it (FirstBurstLength), and by
 * R2Ts (MaxBurstLength each). A command whose data came without an R2T reaches the core as one with
 * in-capsule data. */
#include "nvme/iscsi/iscsi_target_private.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tasks ---- */

struct target_task *iscsi_task_new(struct target_session *session, struct target_queue_conn *queue,
                                   struct iscsi_connection *connection, enum task_kind kind)
{
    struct target_task *task = session->free;
    if (task != NULL) {
        session->free = task->next;
    } else {
        task = memory_zeroed(1, sizeof *task);
        task->older = session->newest;
        session->newest = task;
    }
    const struct nvme_buffer bytes = task->bytes, bulk = task->bulk;
    struct target_task *older = task->older;
    *task = (struct target_task){.bytes = bytes,
                                 .bulk = bulk,
                                 .older = older,
                                 .queue = queue,
                                 .connection = connection,
                                 .kind = kind};
    return task;
}

struct nvme_buffer *iscsi_task_bytes(struct target_task *task)
{
    struct nvme_transport *transport = &iscsi_task_session(task)->base.iscsi->base;
    return task->bytes.length > 0 || transport->ops->map(transport, &task->bytes,
                                                         NVME_CONNECT_BYTES, NVME_MEMORY_BYTES, 0)
               ? &task->bytes
               : NULL;
}

void iscsi_task_begin(struct target_task *task, struct nvme_command *command,
                      struct nvme_buffer *data, uint32_t in_capsule)
{
    struct target_queue_conn *queue = task->queue;
    command->cid = (uint16_t)task->itt;
    nvme_capsule_encode_command(command, task->sqe);
    task->capsule = (struct nvme_capsule){.sqe = task->sqe, .data = data, .data_bytes = in_capsule};
    queue->user.on_capsule(queue->user.self, &task->capsule);
}

static void free_task(struct target_session *session, struct target_task *task)
{
    free(task->answer);
    task->answer = NULL;
    task->queue = NULL;
    task->next = session->free;
    session->free = task;
}

void iscsi_task_done(struct target_session *session, struct target_task *task)
{
    task->next = NULL;
    if (session->first_answered == NULL)
        session->first_answered = task;
    else
        session->last_answered->next = task;
    session->last_answered = task;
    iscsi_later(&session->base);
}

static void report_answered(struct target_session *session)
{
    while (session->first_answered != NULL && !iscsi_is_over(&session->base)) {
        struct target_task *task = session->first_answered;
        struct target_queue_conn *queue = task->queue;
        struct nvme_transfer *transfer = task->transfer;
        session->first_answered = task->next;
        free_task(session, task);
        if (transfer == NULL)
            continue;
        queue->slots[transfer->slot] = NULL;
        transfer->credits = 0;
        if (iscsi_is_used(&queue->base))
            queue->user.on_responded(queue->user.self, transfer);
    }
}

/* ---- sending ---- */

static bool has_status(const struct iscsi_pdu *pdu)
{
    return pdu->opcode != ISCSI_R2T &&
           (pdu->opcode != ISCSI_DATA_IN || (pdu->flags & ISCSI_DATA_STATUS) != 0);
}

static void number(struct iscsi_connection *connection, struct iscsi_out *out)
{
    struct target_session *session = iscsi_target_of(connection->session);
    struct iscsi_pdu *pdu = &out->pdu;
    const bool leading_login = pdu->opcode == ISCSI_LOGIN_RESPONSE && iscsi_is_leading(connection);
    if (has_status(pdu))
        pdu->sn = connection->stat_sn++;
    else
        pdu->sn = pdu->opcode == ISCSI_R2T ? connection->stat_sn : UINT32_MAX;
    pdu->expected = session->exp_cmd_sn;
    session->max_cmd_sn += out->moves_window; /* iscsit_increment_maxcmdsn */
    /* The window opens with the full feature phase: iscsi_login_zero_tsih_s2. */
    pdu->max = leading_login ? session->exp_cmd_sn : session->max_cmd_sn;
}

static void on_sent(struct iscsi_connection *connection, const struct iscsi_out *out)
{
    if (out->owner != NULL && has_status(&out->pdu))
        iscsi_task_done(iscsi_target_of(connection->session), out->owner);
}

/* Data-In of the task, with its status in the last one: sequences of MaxBurstLength. */
static void send_data(struct target_task *task, const struct nvme_buffer *data, uint32_t length)
{
    const struct iscsi_terms *terms = &task->connection->terms;
    for (uint32_t at = 0, sn = 0; at < length; sn++) {
        const uint32_t burst = terms->max_burst - at % terms->max_burst;
        const uint32_t bytes = iscsi_min(iscsi_min(length - at, terms->send_data), burst);
        const bool last = at + bytes == length;
        const bool under = last && length < task->expected;
        struct iscsi_out out = {
            .pdu = {.opcode = ISCSI_DATA_IN,
                    .flags =
                        (uint8_t)((last || bytes == burst ? ISCSI_FINAL : 0) |
                                  (last ? ISCSI_DATA_STATUS : 0) | (under ? ISCSI_UNDERFLOW : 0)),
                    .length = bytes,
                    .lun = UINT64_MAX, /* reserved; iscsit_build_datain_pdu sets it */
                    .itt = task->itt,
                    .tag = ISCSI_TAG_NONE,
                    .data_sn = sn,
                    .offset = at,
                    .count = under ? task->expected - length : 0},
            .data = data,
            .bytes = task->answer,
            .at = at,
            .moves_window = last && task->counts,
            .owner = task,
        };
        iscsi_send(task->connection, &out, last ? PROBE_STREAM_POSTED : PROBE_STREAM_POSTED_DATA);
        at += bytes;
    }
}

static void send_status(struct target_task *task, uint16_t status)
{
    struct iscsi_out out = {
        .pdu = {.opcode = ISCSI_RESPONSE, .flags = ISCSI_FINAL, .itt = task->itt},
        .moves_window = task->counts,
        .owner = task,
    };
    if (task->kind == TASK_MANAGEMENT) {
        out.pdu.opcode = ISCSI_TASK_RESPONSE;
        out.pdu.byte2 = status == NVME_STATUS_OK ? 0 : 1; /* complete, no such task */
    } else {
        out.pdu.length = scsi_put_status(&out.pdu.byte3, task->sense, status);
        out.bytes = task->sense;
    }
    /* LIO has no residual of a command that failed. */
    if (task->kind == TASK_SCSI && status == NVME_STATUS_OK && task->in && task->expected > 0) {
        out.pdu.flags |= ISCSI_UNDERFLOW;
        out.pdu.count = task->expected;
    }
    iscsi_send(task->connection, &out, PROBE_STREAM_POSTED);
}

static void answer(struct target_task *task, uint16_t status, const struct nvme_buffer *data,
                   uint32_t length)
{
    CHECK(!task->answered);
    task->answered = true;
    if (status == NVME_STATUS_OK && length > 0)
        send_data(task, data, length);
    else
        send_status(task, status);
    iscsi_flush(task->connection);
}

void iscsi_task_answer(struct target_task *task, uint16_t status, uint32_t length)
{
    answer(task, status, NULL, iscsi_min(length, task->expected));
}

/* ---- the core's calls ---- */

static struct target_task *task_of(const struct nvme_transfer *transfer)
{
    return (struct target_task *)(void *)transfer->capsule;
}

bool iscsi_reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer)
{
    struct target_queue_conn *queue = iscsi_target_queue(conn);
    CHECK(transfer->slot < queue->slot_count && transfer->credits == 0);
    CHECK(queue->slots[transfer->slot] == NULL);
    queue->slots[transfer->slot] = task_of(transfer);
    task_of(transfer)->transfer = transfer;
    transfer->credits = 1;
    transfer->damaged = false;
    return true;
}

/* As many R2Ts as may be outstanding: iscsit_build_r2ts_for_cmd. */
void iscsi_task_r2ts(struct target_task *task)
{
    const struct iscsi_terms *terms = &task->connection->terms;
    while (task->asked < task->expected && task->r2ts < terms->max_r2t) {
        const uint32_t bytes = iscsi_min(task->expected - task->asked, terms->max_burst);
        const struct iscsi_out out = {.pdu = {.opcode = ISCSI_R2T,
                                              .flags = ISCSI_FINAL,
                                              .lun = task->lun,
                                              .itt = task->itt,
                                              .tag = task->transfer->slot,
                                              .data_sn = task->r2t_sn++,
                                              .offset = task->asked,
                                              .count = bytes}};
        task->asked += bytes;
        task->r2ts++;
        iscsi_send(task->connection, &out,
                   out.pdu.data_sn == 0 ? PROBE_STREAM_POSTED : PROBE_STREAM_POSTED_ANSWER);
    }
    iscsi_flush(task->connection);
}

bool iscsi_fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer)
{
    struct target_task *task = task_of(transfer);
    (void)conn;
    CHECK(task->transfer == transfer && !task->fetches && transfer->length == task->expected);
    task->fetches = true;
    if (task->got > 0) { /* the first burst joins the rest */
        transfer->data->content = task->bulk.content;
        if (transfer->data->bytes != NULL)
            memcpy(transfer->data->bytes, task->bulk.bytes, task->got);
    }
    iscsi_task_r2ts(task);
    return true;
}

bool iscsi_respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                   const struct nvme_response *response, bool with_data)
{
    struct target_task *task = task_of(transfer);
    const uint16_t status = response->status & NVME_STATUS_CODE;
    CHECK(task->transfer == transfer && !task->answered);
    if (task->kind == TASK_OWN) {
        task->answered = true;
        iscsi_target_own_done(iscsi_target_of(conn->session), task, response, with_data);
        iscsi_task_done(iscsi_target_of(conn->session), task);
    } else if (task->kind == TASK_MANAGEMENT) { /* bit 0: it was not aborted */
        iscsi_task_answer(task,
                          status == NVME_STATUS_OK && (response->result & 1) != 0
                              ? (uint16_t)NVME_STATUS_INVALID_FIELD
                              : status,
                          0);
    } else if (task->request.kind == SCSI_KIND_IO) {
        answer(task, status, transfer->data, with_data ? transfer->length : 0);
    } else {
        const uint32_t length = with_data ? iscsi_target_translate(task, transfer->data->bytes) : 0;
        iscsi_task_answer(task,
                          status != NVME_STATUS_OK || length > 0
                              ? status
                              : (uint16_t)NVME_STATUS_INVALID_NAMESPACE,
                          length);
    }
    return true;
}

void iscsi_target_audit(const struct nvme_transport_conn *conn)
{
    const struct target_queue_conn *queue = (const struct target_queue_conn *)(const void *)conn;
    for (uint32_t i = 0; i < queue->slot_count; i++)
        CHECK(queue->slots[i] == NULL ||
              (queue->slots[i]->transfer->slot == i && &queue->slots[i]->queue->base == conn));
}

/* ---- life ---- */

static void on_failed(struct nvme_transport_conn *conn, const char *why)
{
    struct target_queue_conn *queue = iscsi_target_queue(conn);
    if (queue->accepted)
        queue->user.on_failed(queue->user.self, why);
}

static void on_closed(struct nvme_transport_conn *conn)
{
    struct target_queue_conn *queue = iscsi_target_queue(conn);
    if (queue->accepted)
        queue->user.on_closed(queue->user.self);
}

/* As at NVMe/TCP: the queues are released, and end with their session. */
static void on_parted(struct iscsi_session *base)
{
    bool parted = false;
    for (unsigned i = ISCSI_QUEUES; i-- > 0;) {
        struct nvme_transport_conn *conn = base->queues[i];
        struct target_queue_conn *queue = conn == NULL ? NULL : iscsi_target_queue(conn);
        if (queue == NULL || !iscsi_is_used(conn) || !queue->accepted ||
            queue->user.on_parted == NULL)
            continue;
        parted = true;
        queue->user.on_parted(queue->user.self);
    }
    if (!parted)
        iscsi_fail(base, "the peer closed the connection");
}

static void on_later(struct iscsi_session *base)
{
    report_answered(iscsi_target_of(base));
    if (!iscsi_is_over(base))
        iscsi_target_login_later(iscsi_target_of(base));
}

static void release(struct iscsi_session *base)
{
    struct target_session *session = iscsi_target_of(base);
    while (session->newest != NULL) {
        struct target_task *task = session->newest;
        session->newest = task->older;
        nvme_transport_unmap(&base->iscsi->base, &task->bytes);
        nvme_transport_unmap(&base->iscsi->base, &task->bulk);
        free(task->answer);
        free(task);
    }
    free(session->turns);
    session->turns = NULL;
}

static void release_queue(struct nvme_transport_conn *conn)
{
    free(iscsi_target_queue(conn)->slots);
}

static const struct iscsi_role role = {
    .number = number,
    .on_sent = on_sent,
    .on_header = iscsi_target_on_header,
    .on_pdu = iscsi_target_on_pdu,
    .on_parted = on_parted,
    .on_failed = on_failed,
    .on_closed = on_closed,
    .on_later = on_later,
    .release = release,
    .release_queue = release_queue,
};

static bool on_accept(void *self, struct stream_conn *stream, uint32_t peer_ip,
                      struct stream_user *user)
{
    struct iscsi *iscsi = self;
    struct target_session *session = memory_zeroed(1, sizeof *session);
    iscsi_session_init(&session->base, iscsi, &role);
    struct iscsi_connection *connection = iscsi_connection_add(&session->base, 0);
    connection->stream = stream;
    session->request.ip = peer_ip;
    session->block_shift = 9;
    *user = iscsi_stream_user(connection);
    return true;
}

bool iscsi_listen(struct nvme_transport *transport, const struct nvme_transport_listener *listener)
{
    struct iscsi *iscsi = iscsi_of(transport);
    iscsi->listener = *listener;
    const struct stream_listener streams = {.self = iscsi, .on_accept = on_accept};
    return iscsi->site.streams->listen(iscsi->site.device, ISCSI_PORT, &streams);
}

void iscsi_unlisten(struct nvme_transport *transport)
{
    struct iscsi *iscsi = iscsi_of(transport);
    iscsi->site.streams->unlisten(iscsi->site.device, ISCSI_PORT);
    for (struct iscsi_session *at = iscsi->sessions; at != NULL; at = at->next)
        if (!at->connections->full_feature)
            iscsi_abort(at);
}

uint32_t iscsi_accept(struct nvme_transport_conn *conn, const struct nvme_transport_accept *how)
{
    struct target_queue_conn *queue = iscsi_target_queue(conn);
    queue->user = how->user;
    queue->memory = how->memory;
    queue->slot_count = 2u * how->entries;
    queue->slots = memory_zeroed(queue->slot_count, sizeof *queue->slots);
    queue->accepted = true;
    return queue->slot_count;
}

void iscsi_reject_queue(struct nvme_transport_conn *conn, enum nvme_cm_reject why)
{
    (void)why; /* the Login Response reports it */
    conn->closed = conn->reported = true;
}
