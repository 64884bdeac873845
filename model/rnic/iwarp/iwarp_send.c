/* SPDX-License-Identifier: Apache-2.0
 * iwarp_send - messages of a connection as FPDUs in its stream.
 * Requests enter the line in order, a READ only while fewer than ORD are outstanding; answers to
 * READs of the peer enter it when the request arrives, so that neither side waits for the other.
 * The first message is cut into FPDUs of at most one segment, which move into the send buffer as
 * far as there is room. MSG_MORE is set within an FPDU, as in siw. */
#include "rnic/iwarp/iwarp_private.h"

#include <string.h>

/* ---- the line ---- */

static struct iwarp_wqe *wqe_at(const struct verbs_conn *conn, uint32_t place)
{
    return &conn->sq[place % conn->sends.room];
}

static void append(struct verbs_conn *conn, uint32_t item, enum probe_stream_kind kind,
                   uint32_t bytes)
{
    conn->line[conn->lined.tail++ % conn->lined.room] = item;
    iwarp_mark(conn, kind, bytes);
}

/* Data of a WRITE continues with the SEND behind it. */
static enum probe_stream_kind kind_of(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_RDMA_WRITE ? PROBE_STREAM_POSTED_DATA : PROBE_STREAM_POSTED;
}

static void fill_line(struct verbs_conn *conn)
{
    while (conn->begun != conn->sends.tail) {
        const uint32_t place = conn->begun;
        const struct iwarp_wqe *wqe = wqe_at(conn, place);
        if (wqe->opcode == IBV_WR_RDMA_READ) {
            if (iwarp_ring_count(&conn->reads_issued) == conn->ord)
                return;
            conn->reads[conn->reads_issued.tail++ % conn->reads_issued.room] = place;
        }
        conn->begun++;
        if (wqe->opcode == IBV_WR_LOCAL_INV) {
            mr_invalidate(&conn->device->mrs, wqe->key);
            iwarp_send_done(conn, place);
        } else {
            append(conn, place, kind_of(wqe->opcode),
                   wqe->opcode == IBV_WR_RDMA_READ ? 0 : wqe->length);
        }
    }
}

void iwarp_answer_read(struct verbs_conn *conn, const struct iwarp_answer *answer)
{
    struct iwarp_ring *served = &conn->reads_served;
    conn->answers[served->tail++ % served->room] = *answer;
    append(conn, IWARP_ANSWER, PROBE_STREAM_POSTED_ANSWER, answer->source.length);
}

/* ---- one FPDU ---- */

/* CRC32C of a part of a message; bulk data travels as its tag. */
static uint32_t crc_of_payload(struct verbs_conn *conn, uint32_t crc)
{
    const struct iwarp_sending *sending = &conn->sending;
    uint32_t at = sending->at, left = sending->payload, start = 0;
    for (uint32_t i = 0; i < sending->sge_count && left > 0; start += sending->sges[i++].length) {
        const struct mr_sge *sge = &sending->sges[i];
        if (at - start >= sge->length)
            continue;
        const uint32_t take = iwarp_min(left, sge->length - (at - start));
        crc = sge->mr->verbs.bytes != NULL && sge->mr->verbs.memory == VERBS_BYTES
                  ? crc32c(crc, sge->mr->verbs.bytes + sge->offset + (at - start), take)
                  : iwarp_crc_bulk(conn->device, crc, sge->mr->verbs.content, take);
        at += take;
        left -= take;
    }
    return crc;
}

/* The CRC is little-endian, as iSCSI's: crypto_shash_final of siw. */
static void put_crc(unsigned char *to, uint32_t crc)
{
    for (unsigned i = 0; i < IWARP_CRC_BYTES; i++)
        to[i] = (unsigned char)(crc >> (8 * i));
}

static void seal(struct verbs_conn *conn)
{
    struct iwarp_sending *sending = &conn->sending;
    const uint32_t pad = iwarp_pad(sending->fpdu.payload);
    memset(sending->tail, 0, sizeof sending->tail);
    sending->tail_bytes = pad + IWARP_CRC_BYTES;
    if (!conn->crc)
        return;
    uint32_t crc = crc_of_payload(conn, crc32c(0, sending->head, sending->head_bytes));
    put_crc(sending->tail + pad, crc32c(crc, sending->tail, pad));
}

static void begin_untagged(struct verbs_conn *conn, enum iwarp_opcode opcode, uint32_t queue,
                           uint32_t length)
{
    struct iwarp_fpdu *fpdu = &conn->sending.fpdu;
    const uint32_t at = conn->message_at;
    *fpdu = (struct iwarp_fpdu){.opcode = opcode, .queue = queue, .offset = at};
    if (at == 0)
        conn->sent_msn[queue]++;
    fpdu->msn = conn->sent_msn[queue];
    fpdu->payload = iwarp_min(length - at, iwarp_payload_max(opcode, conn->segment));
    fpdu->last = at + fpdu->payload == length;
}

static void begin_tagged(struct verbs_conn *conn, enum iwarp_opcode opcode, uint32_t stag,
                         uint64_t address, uint32_t length)
{
    const uint32_t at = conn->message_at;
    struct iwarp_fpdu *fpdu = &conn->sending.fpdu;
    *fpdu = (struct iwarp_fpdu){
        .opcode = opcode,
        .stag = stag,
        .offset = address + at,
        .payload = iwarp_min(length - at, iwarp_payload_max(opcode, conn->segment))};
    fpdu->last = at + fpdu->payload == length;
}

static void begin_payload(struct iwarp_sending *sending, const struct mr_sge *sges, uint32_t count,
                          uint32_t at)
{
    sending->sges = sges;
    sending->sge_count = count;
    sending->at = at;
    sending->payload = sending->fpdu.payload;
    sending->head_bytes = iwarp_fpdu_encode(&sending->fpdu, sending->head);
}

static void begin_read(struct verbs_conn *conn, const struct iwarp_wqe *wqe)
{
    struct iwarp_sending *sending = &conn->sending;
    const struct mr_sge *sink = &wqe->sges[0];
    const struct iwarp_read read = {.sink = sink->mr->verbs.lkey,
                                    .sink_address = sink->mr->verbs.addr + sink->offset,
                                    .length = wqe->length,
                                    .source = wqe->key,
                                    .source_address = wqe->remote_address};
    begin_untagged(conn, IWARP_READ_REQUEST, IWARP_QUEUE_READ, IWARP_READ_BYTES);
    begin_payload(sending, NULL, 0, 0);
    iwarp_read_encode(&read, sending->head + sending->head_bytes);
    sending->head_bytes += IWARP_READ_BYTES;
    sending->payload = 0;
}

static void begin_request(struct verbs_conn *conn, const struct iwarp_wqe *wqe)
{
    struct iwarp_sending *sending = &conn->sending;
    const bool invalidates = wqe->opcode == IBV_WR_SEND_WITH_INV;
    if (wqe->opcode == IBV_WR_RDMA_READ) {
        begin_read(conn, wqe);
        return;
    }
    if (wqe->opcode == IBV_WR_RDMA_WRITE) {
        begin_tagged(conn, IWARP_WRITE, wqe->key, wqe->remote_address, wqe->length);
    } else {
        begin_untagged(conn, invalidates ? IWARP_SEND_INVALIDATE : IWARP_SEND, IWARP_QUEUE_SEND,
                       wqe->length);
        sending->fpdu.stag = invalidates ? wqe->key : 0;
    }
    begin_payload(sending, wqe->sges, wqe->sge_count, conn->message_at);
}

/* False: the source of a READ no longer exists. */
static bool begin_answer(struct verbs_conn *conn)
{
    const struct iwarp_ring *served = &conn->reads_served;
    const struct iwarp_answer *answer = &conn->answers[served->head % served->room];
    if (mr_gone(&conn->device->mrs, &answer->source, 1))
        return false;
    begin_tagged(conn, IWARP_READ_RESPONSE, answer->sink, answer->sink_address,
                 answer->source.length);
    begin_payload(&conn->sending, &answer->source, 1, conn->message_at);
    return true;
}

static bool begin_fpdu(struct verbs_conn *conn)
{
    const uint32_t item = conn->line[conn->lined.head % conn->lined.room];
    conn->sending.sent = 0;
    if (item != IWARP_ANSWER)
        begin_request(conn, wqe_at(conn, item));
    else if (!begin_answer(conn))
        return false;
    seal(conn);
    return true;
}

/* ---- into the stream ---- */

static struct stream_piece payload_piece(const struct iwarp_sending *sending, uint32_t done)
{
    const uint32_t at = sending->at + done;
    uint32_t start = 0, i = 0;
    while (at - start >= sending->sges[i].length)
        start += sending->sges[i++].length;
    const struct mr_sge *sge = &sending->sges[i];
    struct stream_piece piece = {
        .length = iwarp_min(sending->payload - done, sge->length - (at - start)), .more = true};
    if (sge->mr->verbs.memory == VERBS_BYTES)
        piece.bytes = sge->mr->verbs.bytes + sge->offset + (at - start);
    else
        piece.content = sge->mr->verbs.content;
    piece.offset = sge->offset + (at - start);
    return piece;
}

static struct stream_piece next_piece(const struct iwarp_sending *sending)
{
    const uint32_t sent = sending->sent, end = sending->head_bytes + sending->payload;
    if (sent < sending->head_bytes)
        return (struct stream_piece){
            .bytes = sending->head + sent, .length = sending->head_bytes - sent, .more = true};
    if (sent < end)
        return payload_piece(sending, sent - sending->head_bytes);
    return (struct stream_piece){.bytes = sending->tail + (sent - end),
                                 .length = end + sending->tail_bytes - sent};
}

/* False: the send buffer is full. */
static bool push_fpdu(struct verbs_conn *conn)
{
    struct iwarp_sending *sending = &conn->sending;
    const uint32_t all = sending->head_bytes + sending->payload + sending->tail_bytes;
    while (sending->sent < all) {
        const struct stream_piece piece = next_piece(sending);
        const uint32_t taken = iwarp_streams(conn)->send(conn->stream, &piece);
        sending->sent += taken;
        conn->bulk_out += piece.bytes == NULL ? taken : 0;
        if (taken < piece.length)
            return false;
    }
    return true;
}

static void end_message(struct verbs_conn *conn)
{
    const uint32_t item = conn->line[conn->lined.head++ % conn->lined.room];
    conn->message_at = 0;
    iwarp_mark(conn, PROBE_STREAM_BUFFERED, 0);
    if (item == IWARP_ANSWER)
        conn->reads_served.head++;
    else if (wqe_at(conn, item)->opcode != IBV_WR_RDMA_READ)
        iwarp_send_done(conn, item);
}

void iwarp_flush(struct verbs_conn *conn)
{
    static const struct iwarp_fault gone = {IWARP_LAYER_RDMAP, 1, 0,
                                            "the memory of an RDMA READ was deregistered"};
    if (conn->state != IWARP_OPEN || conn->failed || conn->ended)
        return;
    fill_line(conn);
    while (iwarp_ring_count(&conn->lined) > 0) {
        if (conn->sending.head_bytes == 0 && !begin_fpdu(conn)) {
            iwarp_fail(conn, &gone);
            return;
        }
        if (!push_fpdu(conn))
            return;
        const bool last = conn->sending.fpdu.last;
        conn->message_at += conn->sending.fpdu.payload;
        conn->sending.head_bytes = 0;
        if (last)
            end_message(conn);
    }
}

/* Only between FPDUs: a Terminate within one would be read as its payload. */
void iwarp_send_terminate(struct verbs_conn *conn, const struct iwarp_fault *fault)
{
    struct iwarp_sending *sending = &conn->sending;
    const struct iwarp_arriving *from = &conn->arriving;
    unsigned char text[IWARP_TERMINATE_MAX], head[IWARP_UNTAGGED_BYTES + IWARP_READ_BYTES];
    if (sending->head_bytes != 0)
        return;
    uint32_t head_bytes = from->phase == IWARP_IN_PREFIX ? 0 : from->head_bytes;
    memcpy(head, from->head, head_bytes);
    if (from->fpdu.opcode == IWARP_READ_REQUEST && from->phase == IWARP_IN_TAIL) {
        memcpy(head + head_bytes, from->own, IWARP_READ_BYTES);
        head_bytes += IWARP_READ_BYTES;
    }
    const uint32_t bytes = iwarp_terminate_encode(fault, head, head_bytes, text);
    conn->message_at = 0;
    begin_untagged(conn, IWARP_TERMINATE, IWARP_QUEUE_TERMINATE, bytes);
    begin_payload(sending, NULL, 0, 0);
    memcpy(sending->head + sending->head_bytes, text, bytes);
    sending->head_bytes += bytes;
    sending->payload = 0;
    sending->sent = 0;
    seal(conn);
    push_fpdu(conn);
}
