/* SPDX-License-Identifier: Apache-2.0
 * tcp_tls - TLS 1.3 between the PDUs of a connection and its stream.
 * Handshake with a pre-shared key and X25519, one round trip before the ICReq:
 *   host    ClientHello
 *   target  ServerHello, ChangeCipherSpec, EncryptedExtensions, Finished
 *   host    ChangeCipherSpec, Finished, and then the ICReq
 * A record has a header of 5 B, up to 16 KiB of PDUs, the content type (1 B) and the tag of
 * AES-GCM (16 B). As in Linux (tls_sw_sendmsg), a record ends where no MSG_MORE follows, or when it
 * is full; the receiver decrypts a record when all of it has arrived (tls_strp), and the core that
 * executes TCP for the connection does the work. While a record is encrypted, the sender takes no
 * further data, so that PDUs that are posted meanwhile share the next record.
 * Real bytes in records are masked, so that a capture shows no PDUs in them. The mask is no cipher:
 * the model needs the sizes and times of encryption only.
 * Not modeled: new session tickets, key updates, alerts, X.509.
 * Source: RFC 8446; NVMe/TCP 1.0, 3.6.1; Linux net/tls/tls_sw.c, tls_strp.c; tlshd with GnuTLS for
 * the messages of the handshake. */
#include "nvme/tcp/tcp_private.h"

#include "base/big_endian.h"
#include "base/memory.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

enum {
    TLS_HEAD = NVME_TLS_HEAD,
    TLS_TAG = NVME_TLS_TAG,
    TLS_DATA = NVME_TLS_DATA,
    TLS_PLAIN_MAX = 16384,                /* RFC 8446 5.1 */
    TLS_RECORD_MAX = TLS_PLAIN_MAX + 256, /* RFC 8446 5.2 */
    TLS_DROPPED_MAX = 512,
};

/* ---- state ---- */

/* A piece of the record that is being filled. */
struct part {
    uint32_t length, content, offset; /* content, offset: of bulk data */
    bool real;
};

struct sealed {
    struct part *parts;
    unsigned char *bytes; /* real bytes of all parts */
    uint16_t *ends;       /* where PDUs end */
    uint32_t part_count, part_room, byte_count, byte_room, end_count, end_room;
    uint32_t length; /* of all parts */
    uint32_t number; /* of records before it */
    bool more, full; /* full: it takes no more, and is encrypted or waits for the send buffer */
    bool working;
    unsigned char head[TLS_HEAD];
    /* what the send buffer has of it */
    uint32_t pushed, part, part_pushed, byte, end;
};

enum opening_phase { OPENING_HEAD, OPENING_WAITS, OPENING_WORKS, OPENING_DATA, OPENING_TAG };

struct opening {
    enum opening_phase phase;
    unsigned char head[TLS_HEAD];
    uint32_t have; /* bytes of the phase */
    uint32_t left; /* bytes of the record to read; in OPENING_DATA without the tag */
    uint32_t number, at;
};

struct tcp_tls {
    bool server, ready, working; /* working: a core computes keys */
    bool closing;                /* the stream ends after the record that is being sent */
    uint32_t got;                /* messages of the handshake */
    struct sealed out;
    struct opening in;
};

static const struct stream_ops *streams_of(const struct nvme_transport_conn *conn)
{
    return conn->tcp->site.streams;
}

static void put_head(unsigned char *head, unsigned type, uint32_t length)
{
    head[0] = (unsigned char)type;
    big_put(head + 1, 2, 0x0303);
    big_put(head + 3, 2, length);
}

static void mask_bytes(unsigned char *bytes, uint32_t length, uint32_t record, uint32_t at)
{
    for (uint32_t i = 0; i < length; i++)
        bytes[i] ^= (unsigned char)(((at + i) * 0x9E3779B1u + record * 0x85EBCA77u) >> 24);
}

/* ---- the handshake ---- */

/* The send buffer is empty, and larger than any flight. */
static void send_flight(const struct nvme_transport_conn *conn, enum tls_flight_kind kind)
{
    struct tls_flight flight;
    nvme_tls_flight(&flight, kind);
    const struct stream_piece piece = {.bytes = flight.bytes, .length = flight.length};
    streams_of(conn)->send(conn->stream, &piece);
}

static void begin_tls(struct nvme_transport_conn *conn, bool server)
{
    conn->tls = memory_zeroed(1, sizeof *conn->tls);
    conn->tls->server = server;
}

void nvme_tls_connect(struct nvme_transport_conn *conn)
{
    begin_tls(conn, false);
    send_flight(conn, TLS_CLIENT_HELLO);
}

/* A target finds out by the first byte whether the host uses TLS (nvmet_tcp_try_peek_pdu). */
bool nvme_tls_begins(const struct nvme_transport_conn *conn)
{
    const struct nvme_tcp *tcp = conn->tcp;
    const bool target = tcp->listener.on_request != NULL;
    return conn->tls == NULL && !conn->initialized && target &&
           conn->arriving.head[0] == NVME_TLS_HANDSHAKE && tcp->params.target.tls &&
           tcp->site.streams->work != NULL && tcp->site.streams->holds != NULL;
}

void nvme_tls_accept(struct nvme_transport_conn *conn, const unsigned char *read, uint32_t length)
{
    begin_tls(conn, true);
    struct opening *in = &conn->tls->in;
    CHECK(length >= TLS_HEAD);
    memcpy(in->head, read, TLS_HEAD);
    in->have = TLS_HEAD;
    in->left = big_get16(in->head + 3);
    const uint32_t body = length - TLS_HEAD;
    in->left -= min_u32(body, in->left);
}

/* Types of the messages that the peer sends. */
static const uint8_t from_server[] = {NVME_TLS_HANDSHAKE, NVME_TLS_CHANGE_CIPHER_SPEC, TLS_DATA,
                                      TLS_DATA};
static const uint8_t from_client[] = {NVME_TLS_HANDSHAKE, NVME_TLS_CHANGE_CIPHER_SPEC, TLS_DATA};

static uint8_t expected_type(const struct tcp_tls *tls)
{
    return tls->ready ? (uint8_t)TLS_DATA : (tls->server ? from_client : from_server)[tls->got];
}

static bool check_head(struct nvme_transport_conn *conn)
{
    const struct tcp_tls *tls = conn->tls;
    const struct opening *in = &tls->in;
    const uint32_t length = big_get16(in->head + 3);
    const uint32_t least = tls->ready ? TLS_TAG : 1;
    char why[TCP_WHY_BYTES];
    if (in->head[0] == expected_type(tls) && length >= least && length <= TLS_RECORD_MAX)
        return true;
    snprintf(why, sizeof why, "TLS record of type %u and %u B: expected type %u and %u to %u B",
             in->head[0], length, expected_type(tls), least, TLS_RECORD_MAX);
    nvme_tcp_refuse(conn, why);
    return false;
}

/* True: the header of a record has arrived. */
static bool read_head(struct nvme_transport_conn *conn)
{
    struct opening *in = &conn->tls->in;
    if (in->have == TLS_HEAD)
        return true;
    in->have += streams_of(conn)->read(conn->stream, in->head + in->have, TLS_HEAD - in->have);
    if (in->have < TLS_HEAD)
        return false;
    in->left = big_get16(in->head + 3);
    return check_head(conn);
}

/* True: the rest of the record was read and dropped. */
static bool drop_rest(struct nvme_transport_conn *conn)
{
    struct opening *in = &conn->tls->in;
    unsigned char dropped[TLS_DROPPED_MAX];
    while (in->left > 0) {
        const uint32_t most = min_u32(in->left, sizeof dropped);
        const uint32_t taken = streams_of(conn)->read(conn->stream, dropped, most);
        if (taken == 0)
            return false;
        in->left -= taken;
    }
    in->have = 0;
    return true;
}

static void answer_handshake(struct nvme_transport_conn *conn)
{
    struct tcp_tls *tls = conn->tls;
    tls->working = false;
    tls->ready = !tls->server;
    send_flight(conn, tls->server ? TLS_SERVER_ANSWER : TLS_CLIENT_FINISHED);
    if (tls->ready && conn->role->on_secured != NULL)
        conn->role->on_secured(conn);
}

static void on_message(struct nvme_transport_conn *conn)
{
    struct tcp_tls *tls = conn->tls;
    tls->got++;
    const uint32_t last = tls->server ? 1 : (uint32_t)sizeof from_server;
    if (tls->got == last) {
        tls->working = streams_of(conn)->work(conn->stream, STREAM_WORK_HANDSHAKE, 0);
        if (!tls->working)
            answer_handshake(conn);
    } else if (tls->server && tls->got == sizeof from_client) {
        tls->ready = true;
    }
}

bool nvme_tls_shake(struct nvme_transport_conn *conn)
{
    struct tcp_tls *tls = conn->tls;
    while (!tls->ready && !conn->failed) {
        if (tls->working || !read_head(conn) || !drop_rest(conn))
            return false;
        on_message(conn);
    }
    return tls->ready;
}

/* ---- sending ---- */

static void add_part(struct sealed *out, const struct stream_piece *piece, uint32_t length)
{
    out->parts = memory_grown(out->parts, out->part_count, &out->part_room, sizeof *out->parts);
    out->parts[out->part_count++] =
        (struct part){length, piece->content, piece->offset, piece->bytes != NULL};
    if (piece->bytes != NULL) {
        if (out->byte_room < TLS_PLAIN_MAX) {
            out->bytes = memory_zeroed(TLS_PLAIN_MAX, 1);
            out->byte_room = TLS_PLAIN_MAX;
        }
        memcpy(out->bytes + out->byte_count, piece->bytes, length);
        mask_bytes(out->bytes + out->byte_count, length, out->number, out->length);
        out->byte_count += length;
    }
    out->length += length;
}

/* The next bytes of the record for the send buffer, up to the end of a PDU. */
static struct stream_piece next_piece(const struct sealed *out)
{
    static const unsigned char tag[TLS_TAG];
    const uint32_t end = TLS_HEAD + out->length;
    if (out->pushed < TLS_HEAD)
        return (struct stream_piece){
            .bytes = out->head + out->pushed, .length = TLS_HEAD - out->pushed, .more = true};
    if (out->pushed >= end)
        return (struct stream_piece){.bytes = tag + (out->pushed - end),
                                     .length = end + TLS_TAG - out->pushed,
                                     .more = out->more};
    const struct part *part = &out->parts[out->part];
    struct stream_piece piece = {.length = part->length - out->part_pushed, .more = true};
    if (part->real)
        piece.bytes = out->bytes + out->byte;
    piece.content = part->content;
    piece.offset = part->offset + out->part_pushed;
    const uint32_t at = out->pushed - TLS_HEAD;
    if (out->end < out->end_count && out->ends[out->end] - at < piece.length)
        piece.length = out->ends[out->end] - at;
    return piece;
}

static void advance(struct sealed *out, const struct stream_piece *piece, uint32_t taken)
{
    const bool data = out->pushed >= TLS_HEAD && out->pushed < TLS_HEAD + out->length;
    out->pushed += taken;
    if (!data)
        return;
    out->part_pushed += taken;
    if (piece->bytes != NULL)
        out->byte += taken;
    if (out->part_pushed == out->parts[out->part].length) {
        out->part++;
        out->part_pushed = 0;
    }
}

/* PDUs whose bytes are in the send buffer; those that end with the record need its tag, too. */
static void mark_ends(const struct nvme_transport_conn *conn)
{
    struct sealed *out = &conn->tls->out;
    while (out->end < out->end_count) {
        const uint32_t end = out->ends[out->end];
        if (out->pushed < TLS_HEAD + end + (end == out->length ? (uint32_t)TLS_TAG : 0))
            return;
        nvme_tcp_mark(conn, PROBE_STREAM_BUFFERED, 0);
        out->end++;
    }
}

/* False: the send buffer is full. */
static bool push_record(const struct nvme_transport_conn *conn)
{
    struct sealed *out = &conn->tls->out;
    while (out->pushed < TLS_HEAD + out->length + TLS_TAG) {
        const struct stream_piece piece = next_piece(out);
        const uint32_t taken = streams_of(conn)->send(conn->stream, &piece);
        advance(out, &piece, taken);
        mark_ends(conn);
        if (taken < piece.length)
            return false;
    }
    out->part_count = out->byte_count = out->end_count = out->length = 0;
    out->pushed = out->part = out->part_pushed = out->byte = out->end = 0;
    out->full = false;
    out->number++;
    return true;
}

static void seal_record(const struct nvme_transport_conn *conn, bool more)
{
    struct sealed *out = &conn->tls->out;
    out->full = true;
    out->more = more;
    put_head(out->head, TLS_DATA, out->length + TLS_TAG);
    out->working = streams_of(conn)->work(conn->stream, STREAM_WORK_ENCRYPT, out->length);
    if (!out->working)
        push_record(conn);
}

uint32_t nvme_tls_send(struct nvme_transport_conn *conn, const struct stream_piece *piece,
                       bool ends_pdu)
{
    struct sealed *out = &conn->tls->out;
    uint32_t taken = 0;
    while (taken < piece->length && !out->full) {
        const uint32_t length = min_u32(piece->length - taken, TLS_PLAIN_MAX - out->length);
        struct stream_piece part = *piece;
        part.bytes = piece->bytes == NULL ? NULL : piece->bytes + taken;
        part.offset += taken;
        add_part(out, &part, length);
        taken += length;
        if (taken == piece->length && ends_pdu) {
            out->ends = memory_grown(out->ends, out->end_count, &out->end_room, sizeof *out->ends);
            out->ends[out->end_count++] = (uint16_t)out->length;
        }
        if (out->length == TLS_PLAIN_MAX || (taken == piece->length && !piece->more))
            seal_record(conn, piece->more);
    }
    return taken;
}

/* There is room in the send buffer, or a record is encrypted. */
void nvme_tls_on_writable(struct nvme_transport_conn *conn)
{
    struct tcp_tls *tls = conn->tls;
    if (tls->out.full && (tls->out.working || !push_record(conn)))
        return;
    if (tls->closing)
        streams_of(conn)->close(conn->stream);
    else
        nvme_tcp_flush(conn);
}

bool nvme_tls_close(struct nvme_transport_conn *conn)
{
    conn->tls->closing = conn->tls->out.full;
    return conn->tls->closing;
}

/* ---- receiving ---- */

static bool read_tag(struct nvme_transport_conn *conn)
{
    struct opening *in = &conn->tls->in;
    unsigned char tag[TLS_TAG];
    in->have += streams_of(conn)->read(conn->stream, tag, TLS_TAG - in->have);
    if (in->have < TLS_TAG)
        return false;
    in->phase = OPENING_HEAD;
    in->have = 0;
    in->number++;
    return true;
}

static void begin_data(struct opening *in)
{
    in->phase = in->left > 0 ? OPENING_DATA : OPENING_TAG;
    in->have = in->at = 0;
}

/* One phase. False: the rest of it has not arrived, or is being decrypted. */
static bool open_further(struct nvme_transport_conn *conn)
{
    struct opening *in = &conn->tls->in;
    switch (in->phase) {
    case OPENING_HEAD:
        if (!read_head(conn))
            return false;
        in->phase = OPENING_WAITS;
        return true;
    case OPENING_WAITS:
        if (!streams_of(conn)->holds(conn->stream, in->left))
            return false;
        in->phase = OPENING_WORKS;
        if (streams_of(conn)->work(conn->stream, STREAM_WORK_DECRYPT, in->left)) {
            in->left -= TLS_TAG;
            return false;
        }
        in->left -= TLS_TAG;
        begin_data(in);
        return true;
    case OPENING_TAG:
        return read_tag(conn);
    default:
        return false; /* OPENING_WORKS */
    }
}

/* Bytes of PDUs that may be read now, at most `most`. */
static uint32_t readable(struct nvme_transport_conn *conn, uint32_t most)
{
    const struct opening *in = &conn->tls->in;
    while (in->phase != OPENING_DATA)
        if (!open_further(conn))
            return 0;
    return min_u32(in->left, most);
}

static void note_read(struct nvme_transport_conn *conn, uint32_t length)
{
    struct opening *in = &conn->tls->in;
    in->left -= length;
    in->at += length;
    if (in->left > 0)
        return;
    in->phase = OPENING_TAG;
    in->have = 0;
    read_tag(conn);
}

uint32_t nvme_tls_read(struct nvme_transport_conn *conn, unsigned char *bytes, uint32_t most)
{
    const struct opening *in = &conn->tls->in;
    uint32_t length = readable(conn, most);
    if (length == 0)
        return 0;
    length = streams_of(conn)->read(conn->stream, bytes, length);
    mask_bytes(bytes, length, in->number, in->at);
    note_read(conn, length);
    return length;
}

uint32_t nvme_tls_read_bulk(struct nvme_transport_conn *conn, uint32_t most, uint32_t offset,
                            uint32_t *content)
{
    uint32_t length = readable(conn, most);
    if (length == 0)
        return 0;
    length = streams_of(conn)->read_bulk(conn->stream, length, offset, content);
    note_read(conn, length);
    return length;
}

/* ---- work and life ---- */

void nvme_tls_on_worked(struct nvme_transport_conn *conn, enum stream_work what)
{
    struct tcp_tls *tls = conn->tls;
    switch (what) {
    case STREAM_WORK_HANDSHAKE:
        answer_handshake(conn);
        return;
    case STREAM_WORK_ENCRYPT:
        tls->out.working = false;
        nvme_tls_on_writable(conn);
        return;
    default:
        begin_data(&tls->in);
    }
}

void nvme_tls_free(struct nvme_transport_conn *conn)
{
    if (conn->tls == NULL)
        return;
    free(conn->tls->out.parts);
    free(conn->tls->out.bytes);
    free(conn->tls->out.ends);
    free(conn->tls);
    conn->tls = NULL;
}
