/* SPDX-License-Identifier: Apache-2.0
 * iscsi_send - PDUs of a session as bytes of its stream.
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

void iscsi_mark(const struct iscsi_session *session, enum probe_stream_kind kind)
{
    const struct stream_ops *streams = session->iscsi->site.streams;
    if (session->stream != NULL && streams->mark != NULL)
        streams->mark(session->stream, kind);
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

void iscsi_send(struct iscsi_session *session, const struct iscsi_out *out,
                enum probe_stream_kind kind)
{
    if (session->count == session->room) {
        const uint32_t room = session->room == 0 ? (uint32_t)LINE_FIRST : 2 * session->room;
        struct iscsi_out *line = memory_zeroed(room, sizeof *line);
        for (uint32_t i = 0; i < session->count; i++)
            line[i] = session->line[(session->first + i) % session->room];
        free(session->line);
        session->line = line;
        session->room = room;
        session->first = 0;
    }
    session->line[(session->first + session->count++) % session->room] = *out;
    iscsi_mark(session, kind);
}

static const unsigned char *bytes_of(const struct iscsi_out *out)
{
    if (out->bytes != NULL)
        return out->bytes + out->at;
    return out->data != NULL && out->data->bytes != NULL ? out->data->bytes + out->at : NULL;
}

static void begin_pdu(struct iscsi_session *session)
{
    struct iscsi_out *out = &session->line[session->first];
    struct iscsi_sending *sending = &session->sending;
    const struct iscsi_terms *terms = &session->terms;
    const uint32_t length = out->pdu.length;
    session->role->number(session, &out->pdu);
    *sending = (struct iscsi_sending){.head_bytes = ISCSI_BHS_BYTES};
    iscsi_pdu_encode(&out->pdu, sending->head);
    if (terms->header_digest && session->full_feature) {
        wire_put32(sending->head + ISCSI_BHS_BYTES, crc32c(0, sending->head, ISCSI_BHS_BYTES));
        sending->head_bytes += ISCSI_DIGEST_BYTES;
    }
    sending->tail_bytes = iscsi_pad(length);
    if (terms->data_digest && session->full_feature && length > 0) {
        wire_put32(sending->tail + sending->tail_bytes,
                   iscsi_digest(session->iscsi, bytes_of(out), length));
        sending->tail_bytes += ISCSI_DIGEST_BYTES;
    }
}

/* The next bytes of the PDU. */
static struct stream_piece next_piece(const struct iscsi_session *session)
{
    const struct iscsi_out *out = &session->line[session->first];
    const struct iscsi_sending *sending = &session->sending;
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
        piece.more = session->count > 1;
    return piece;
}

/* False: the send buffer is full. */
static bool send_first(struct iscsi_session *session)
{
    struct iscsi_sending *sending = &session->sending;
    if (sending->head_bytes == 0)
        begin_pdu(session);
    const uint32_t all =
        sending->head_bytes + session->line[session->first].pdu.length + sending->tail_bytes;
    while (sending->sent < all) {
        const struct stream_piece piece = next_piece(session);
        const uint32_t taken = session->iscsi->site.streams->send(session->stream, &piece);
        sending->sent += taken;
        if (taken < piece.length)
            return false;
    }
    return true;
}

void iscsi_flush(struct iscsi_session *session)
{
    while (session->count > 0 && !session->ended && !session->parting && send_first(session)) {
        const struct iscsi_out out = session->line[session->first];
        session->first = (session->first + 1) % session->room;
        session->count--;
        session->sending.head_bytes = 0;
        iscsi_mark(session, PROBE_STREAM_BUFFERED);
        session->role->on_sent(session, &out);
    }
}
