/* SPDX-License-Identifier: Apache-2.0
 * tcp_send - PDUs of a connection as bytes of its stream.
 * PDUs to send wait in a line; the first one is encoded when its turn comes and moves into the
 * send buffer as far as there is room. MSG_MORE is set while data or another PDU follows, as in
 * Linux. */
#include "nvme/tcp/tcp_private.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdlib.h>

enum { LINE_FIRST = 16 };

static enum probe_stream_kind kind_of(const struct tcp_out *pdu)
{
    const bool ends = (pdu->flags & NVME_PDU_LAST) != 0;
    if (pdu->type == NVME_PDU_H2C_DATA)
        return ends ? PROBE_STREAM_POSTED_ANSWER : PROBE_STREAM_POSTED_DATA;
    if (pdu->type == NVME_PDU_R2T && pdu->answers)
        return PROBE_STREAM_POSTED_ANSWER;
    return pdu->type == NVME_PDU_C2H_DATA && (pdu->flags & NVME_PDU_SUCCESS) == 0
               ? PROBE_STREAM_POSTED_DATA
               : PROBE_STREAM_POSTED;
}

void nvme_tcp_send(struct nvme_transport_conn *conn, const struct tcp_out *pdu)
{
    if (conn->count == conn->room) {
        const uint32_t room = conn->room == 0 ? (uint32_t)LINE_FIRST : 2 * conn->room;
        struct tcp_out *line = memory_zeroed(room, sizeof *line);
        for (uint32_t i = 0; i < conn->count; i++)
            line[i] = conn->line[(conn->first + i) % conn->room];
        free(conn->line);
        conn->line = line;
        conn->room = room;
        conn->first = 0;
    }
    conn->line[(conn->first + conn->count++) % conn->room] = *pdu;
    nvme_tcp_mark(conn, kind_of(pdu), pdu->length);
}

static void begin_pdu(struct nvme_transport_conn *conn, const struct tcp_out *out)
{
    struct tcp_sending *sending = &conn->sending;
    static const struct nvme_pdu_format plain = {0};
    struct nvme_pdu pdu = {.type = out->type, .flags = out->flags};
    *sending = (struct tcp_sending){.at = out->at};
    if (nvme_pdu_is_term(out->type))
        pdu = conn->term_pdu;
    else
        sending->data = conn->role->describe(conn, out, &pdu);
    const bool first = out->type == NVME_PDU_ICREQ || out->type == NVME_PDU_ICRESP;
    sending->before = nvme_pdu_encode(&pdu, first ? &plain : &conn->out, sending->head);
    sending->length = nvme_pdu_has_data(&pdu) ? pdu.length : 0;
    if ((sending->head[1] & NVME_PDU_DDGST) != 0) {
        sending->digest_bytes = NVME_PDU_DIGEST_BYTES;
        wire_put32(sending->digest,
                   nvme_tcp_digest(conn->tcp, sending->data, sending->at, sending->length));
    }
}

/* The next bytes of the PDU. */
static struct stream_piece next_piece(const struct nvme_transport_conn *conn)
{
    const struct tcp_sending *sending = &conn->sending;
    const struct nvme_buffer *data = sending->data;
    const uint32_t end = sending->before + sending->length, sent = sending->sent;
    struct stream_piece piece = {.more = true};
    if (sent < sending->before) {
        piece.bytes = sending->head + sent;
        piece.length = sending->before - sent;
    } else if (sent < end) {
        const uint32_t at = sending->at + (sent - sending->before);
        piece.length = end - sent;
        piece.offset = at;
        if (data == NULL)
            piece.bytes = conn->term + (sent - sending->before);
        else if (data->bytes != NULL)
            piece.bytes = data->bytes + at;
        else
            piece.content = data->content;
    } else {
        piece.bytes = sending->digest + (sent - end);
        piece.length = end + sending->digest_bytes - sent;
    }
    if (sent + piece.length == end + sending->digest_bytes)
        piece.more = conn->count > 1;
    return piece;
}

static uint32_t send_piece(struct nvme_transport_conn *conn, const struct stream_piece *piece,
                           bool ends_pdu)
{
    return conn->tls != NULL ? nvme_tls_send(conn, piece, ends_pdu)
                             : conn->tcp->site.streams->send(conn->stream, piece);
}

/* False: the send buffer is full. */
static bool send_first(struct nvme_transport_conn *conn)
{
    struct tcp_sending *sending = &conn->sending;
    if (sending->before == 0)
        begin_pdu(conn, &conn->line[conn->first]);
    const uint32_t all = sending->before + sending->length + sending->digest_bytes;
    while (sending->sent < all) {
        const struct stream_piece piece = next_piece(conn);
        const bool ends_pdu = sending->sent + piece.length == all;
        const uint32_t taken = send_piece(conn, &piece, ends_pdu);
        sending->sent += taken;
        if (taken < piece.length)
            return false;
    }
    return true;
}

void nvme_tcp_flush(struct nvme_transport_conn *conn)
{
    while (conn->count > 0 && !conn->ended && !conn->closed && send_first(conn)) {
        const struct tcp_out out = conn->line[conn->first];
        conn->first = (conn->first + 1) % conn->room;
        conn->count--;
        conn->sending.before = 0;
        if (conn->tls == NULL)
            nvme_tcp_mark(conn, PROBE_STREAM_BUFFERED, 0);
        if (conn->role->on_sent != NULL)
            conn->role->on_sent(conn, &out);
    }
}
