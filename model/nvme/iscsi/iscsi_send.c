/* SPDX-License-Identifier: Apache-2.0
 * iscsi_send - PDUs of a connection as bytes of its stream.
 * PDUs to send wait in a line; the first one is encoded when its turn comes and moves into the send
 * buffer as far as there is room. MSG_MORE is set while data or another PDU follows, as in
 * iscsi_sw_tcp_xmit_segment. */
#include "nvme/iscsi/iscsi_private.h"

#include "base/crc32c.h"
#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_FIRST = 16 };

static const unsigned char zeros[64];

void iscsi_mark(const struct iscsi_connection *connection, enum probe_stream_kind kind,
                uint32_t bytes)
{
    const struct stream_ops *streams = connection->session->iscsi->site.streams;
    if (connection->stream != NULL && streams->mark != NULL)
        streams->mark(connection->stream, kind, bytes);
}

static uint32_t digest_of_zeros(struct iscsi *iscsi, uint32_t length)
{
    if (iscsi->zeros == length)
        return iscsi->zeros_digest;
    uint32_t crc = 0;
    for (uint32_t at = 0; at < length; at += sizeof zeros)
        crc = crc32c(crc, zeros, length - at < sizeof zeros ? length - at : sizeof zeros);
    iscsi->zeros = length;
    return iscsi->zeros_digest = crc;
}

/* Bulk data has no bytes: a capture shows zeros in its place, so its digest is that of zeros. */
uint32_t iscsi_digest(struct iscsi *iscsi, const unsigned char *bytes, uint32_t length)
{
    if (bytes == NULL)
        return digest_of_zeros(iscsi, length + iscsi_pad(length));
    return crc32c(crc32c(0, bytes, length), zeros, iscsi_pad(length));
}

void iscsi_send(struct iscsi_connection *connection, const struct iscsi_out *out,
                enum probe_stream_kind kind)
{
    if (connection->count == connection->room) {
        const uint32_t room = connection->room == 0 ? (uint32_t)LINE_FIRST : 2 * connection->room;
        struct iscsi_out *line = memory_zeroed(room, sizeof *line);
        for (uint32_t i = 0; i < connection->count; i++)
            line[i] = connection->line[(connection->first + i) % connection->room];
        free(connection->line);
        connection->line = line;
        connection->room = room;
        connection->first = 0;
    }
    connection->line[(connection->first + connection->count++) % connection->room] = *out;
    iscsi_mark(connection, kind, out->pdu.length);
}

static const unsigned char *bytes_of(const struct iscsi_out *out)
{
    if (out->bytes != NULL)
        return out->bytes + out->at;
    return out->data != NULL && out->data->bytes != NULL ? out->data->bytes + out->at : NULL;
}

static void begin_pdu(struct iscsi_connection *connection)
{
    struct iscsi_out *out = &connection->line[connection->first];
    struct iscsi_sending *sending = &connection->sending;
    const struct iscsi_terms *terms = &connection->terms;
    const uint32_t length = out->pdu.length;
    connection->session->role->number(connection, out);
    *sending = (struct iscsi_sending){.head_bytes = ISCSI_BHS_BYTES};
    iscsi_pdu_encode(&out->pdu, sending->head);
    if (terms->header_digest && connection->full_feature) {
        wire_put32(sending->head + ISCSI_BHS_BYTES, crc32c(0, sending->head, ISCSI_BHS_BYTES));
        sending->head_bytes += ISCSI_DIGEST_BYTES;
    }
    sending->tail_bytes = iscsi_pad(length);
    if (terms->data_digest && connection->full_feature && length > 0) {
        wire_put32(sending->tail + sending->tail_bytes,
                   iscsi_digest(connection->session->iscsi, bytes_of(out), length));
        sending->tail_bytes += ISCSI_DIGEST_BYTES;
    }
}

/* The next bytes of the PDU. */
static struct stream_piece next_piece(const struct iscsi_connection *connection)
{
    const struct iscsi_out *out = &connection->line[connection->first];
    const struct iscsi_sending *sending = &connection->sending;
    const uint32_t data_end = sending->head_bytes + out->pdu.length, sent = sending->sent;
    const uint32_t all = data_end + sending->tail_bytes;
    struct stream_piece piece = {.more = true};
    if (sent < sending->head_bytes) {
        piece.bytes = sending->head + sent;
        piece.length = sending->head_bytes - sent;
    } else if (sent < data_end) {
        const uint32_t at = sent - sending->head_bytes;
        const unsigned char *bytes = bytes_of(out);
        piece.length = data_end - sent;
        piece.offset = out->at + at;
        if (bytes != NULL)
            piece.bytes = bytes + at;
        else
            piece.content = out->data->content;
    } else {
        piece.bytes = sending->tail + (sent - data_end);
        piece.length = all - sent;
    }
    if (sent + piece.length == all)
        piece.more = connection->count > 1;
    return piece;
}

/* False: the send buffer is full. */
static bool send_first(struct iscsi_connection *connection)
{
    struct iscsi_sending *sending = &connection->sending;
    if (sending->head_bytes == 0)
        begin_pdu(connection);
    const uint32_t all =
        sending->head_bytes + connection->line[connection->first].pdu.length + sending->tail_bytes;
    while (sending->sent < all) {
        const struct stream_piece piece = next_piece(connection);
        const uint32_t taken =
            connection->session->iscsi->site.streams->send(connection->stream, &piece);
        sending->sent += taken;
        if (taken < piece.length)
            return false;
    }
    return true;
}

void iscsi_flush(struct iscsi_connection *connection)
{
    while (connection->count > 0 && !connection->ended && !connection->session->parting &&
           send_first(connection)) {
        const struct iscsi_out out = connection->line[connection->first];
        connection->first = (connection->first + 1) % connection->room;
        connection->count--;
        connection->sending.head_bytes = 0;
        iscsi_mark(connection, PROBE_STREAM_BUFFERED, 0);
        connection->session->role->on_sent(connection, &out);
    }
}
