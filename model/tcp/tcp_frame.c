/* SPDX-License-Identifier: Apache-2.0
 * tcp_frame - segments as frames: headers, options, content.
 * A header is built when the frame goes to the NIC, so acknowledgment and window are current. */
#include "tcp/tcp_private.h"

#include "base/hash.h"

#include <string.h>

enum { MAP_BYTES = SEGMENT_SACK_BLOCKS * SEGMENT_SACK_BLOCK };

static struct frame *frame_of(const struct tcp *tcp, uint32_t handle)
{
    return frame_at(tcp->frames, handle);
}

static uint32_t stamp(time_ps now)
{
    return (uint32_t)(now / PS_PER_MS);
}

/* A frame with the fields that all segments of a connection have. */
static uint32_t start_frame(struct tcp_conn *conn, uint64_t seq, uint8_t flags, uint32_t payload,
                            time_ps now)
{
    struct tcp *tcp = conn->tcp;
    const uint32_t handle = frame_take(tcp->frames);
    struct frame *frame = frame_of(tcp, handle);
    const uint8_t options = conn->timestamps ? SEGMENT_HAS_TIMESTAMPS : 0;
    *frame = (struct frame){
        .next = POOL_NONE,
        .ttl = tcp->site.ttl,
        .psn = tcp_number(conn->iss, seq),
        .bytes = segment_bytes(flags, options, 0, payload),
        .opcode = FRAME_TCP,
        .tos = conn->tos,
        .priority = conn->priority,
        .payload = (uint16_t)payload,
        .entropy = conn->entropy,
        .source = tcp->site.endpoint,
        .destination = conn->peer,
        .qpn = (uint32_t)conn->local_port << 16 | conn->peer_port,
        .tcp_ack = tcp_number(conn->irs, conn->received),
        .ts_value = stamp(now),
        .ts_echo = conn->ts_recent,
        .tcp_flags = flags,
        .tcp_options = options,
        .blob = POOL_NONE,
    };
    if ((flags & SEGMENT_SYN) == 0)
        frame->window = tcp_window_field(conn);
    if (conn->ops->wants_ecn && conn->ecn && !conn->accurate)
        frame->tos |= ECN_ECT0;
    conn->did.segs_out++;
    return handle;
}

static void measure_frame(struct frame *frame)
{
    frame->bytes =
        segment_bytes(frame->tcp_flags, frame->tcp_options, frame->tcp_accecn, frame->payload);
}

/* Chooses the options of a segment that is not a SYN, and takes the blob for them and for `content`
 * bytes. Returns where the content begins. */
static unsigned char *add_options(struct tcp_conn *conn, struct frame *frame, uint32_t blocks,
                                  uint32_t content, time_ps now)
{
    if (conn->accurate)
        blocks = tcp_accecn_place(conn, frame, (uint8_t)blocks, now);
    frame->tcp_options |= (uint8_t)blocks;
    if (conn->accurate)
        tcp_accecn_finish(conn, frame);
    measure_frame(frame);
    const uint32_t head = segment_blob_head(frame);
    frame->blob_bytes = (uint16_t)(head + content);
    if (frame->blob_bytes == 0)
        return NULL;
    unsigned char *blob = frame_blob_take(conn->tcp->frames, frame, frame->blob_bytes);
    if ((frame->tcp_accecn & SEGMENT_HAS_ACCECN) != 0)
        tcp_accecn_write(conn, frame, blob + (size_t)blocks * SEGMENT_SACK_BLOCK, now);
    return blob + head;
}

/* Every ACK of a connection that has heard of congestion says so until a CWR comes. */
static uint8_t ack_flags(const struct tcp_conn *conn)
{
    return (uint8_t)(SEGMENT_ACK | (conn->ecn && conn->echo ? SEGMENT_ECE : 0));
}

/* ------------------------------------------------------------------ content */

/* Bytes of the blob for data [from, to); pieces and real bytes. */
static uint32_t blob_needed(const struct tcp_conn *conn, uint64_t from, uint64_t to)
{
    uint32_t bytes = 0;
    for (uint32_t i = content_find(&conn->out, from); from < to; i++) {
        const struct content_piece *piece = content_piece(&conn->out, i);
        const uint64_t stop = piece->end < to ? piece->end : to;
        bytes += SEGMENT_PIECE + (piece->real ? (uint32_t)(stop - from) : 0);
        from = stop;
    }
    return bytes;
}

uint32_t tcp_content_fit(const struct tcp_conn *conn, uint64_t offset, uint32_t most)
{
    const uint32_t room = FRAME_BLOB_MAX - MAP_BYTES - (conn->accurate ? SEGMENT_COUNTERS : 0);
    uint32_t used = 0;
    uint64_t at = offset;
    for (uint32_t i = content_find(&conn->out, offset); at < offset + most; i++) {
        const struct content_piece *piece = content_piece(&conn->out, i);
        const uint64_t stop = piece->end < offset + most ? piece->end : offset + most;
        const uint32_t whole = SEGMENT_PIECE + (piece->real ? (uint32_t)(stop - at) : 0);
        if (used + whole > room) {
            if (piece->real && used + SEGMENT_PIECE < room)
                at += room - used - SEGMENT_PIECE;
            break;
        }
        used += whole;
        at = stop;
    }
    return (uint32_t)(at - offset);
}

/* Writes pieces and real bytes of data [from, to). */
static void write_content(const struct tcp_conn *conn, unsigned char *blob, uint64_t from,
                          uint64_t to)
{
    const uint32_t first = content_find(&conn->out, from);
    uint32_t count = 0;
    for (uint64_t at = from; at < to; count++)
        at = content_piece(&conn->out, first + count)->end;
    unsigned char *bytes = blob + (size_t)count * SEGMENT_PIECE;
    for (uint32_t i = 0; i < count; i++, blob += SEGMENT_PIECE) {
        const struct content_piece *piece = content_piece(&conn->out, first + i);
        const uint64_t stop = piece->end < to ? piece->end : to;
        const uint32_t length = (uint32_t)(stop - from);
        const uint32_t word[2] = {length | (piece->real ? SEGMENT_REAL : 0), piece->tag};
        memcpy(blob, word, sizeof word);
        if (piece->real) {
            content_copy(&conn->out, piece, from, bytes, length);
            bytes += length;
        }
        from = stop;
    }
}

/* The content of a segment: a tag is enough for one piece of bulk data. */
static void add_content(struct tcp_conn *conn, struct frame *frame, uint64_t from, time_ps now)
{
    const uint64_t to = from + frame->payload;
    const struct content_piece *piece =
        frame->payload == 0 ? NULL : content_piece(&conn->out, content_find(&conn->out, from));
    const bool bulk = piece != NULL && !piece->real && to <= piece->end;
    if (bulk)
        frame->content = piece->tag;
    const uint32_t needed = bulk || piece == NULL ? 0 : blob_needed(conn, from, to);
    if (needed == 0 && !conn->accurate)
        return;
    unsigned char *content = add_options(conn, frame, 0, needed, now);
    if (needed > 0)
        write_content(conn, content, from, to);
}

uint32_t tcp_make_data(struct tcp_conn *conn, const struct tcp_seg *seg, bool again, time_ps now)
{
    conn->did.data_segs_out++;
    const bool fin = (seg->flags & TCP_SEG_FIN) != 0;
    const uint32_t payload = seg->length - fin;
    const uint8_t flags = (uint8_t)(ack_flags(conn) | (fin ? SEGMENT_FIN : 0) |
                                    ((seg->flags & TCP_SEG_PUSH) != 0 ? SEGMENT_PSH : 0) |
                                    ((seg->flags & TCP_SEG_CWR) != 0 ? SEGMENT_CWR : 0));
    const uint32_t handle = start_frame(conn, seg->seq, flags, payload, now);
    struct frame *frame = frame_of(conn->tcp, handle);
    /* RFC 3168 6.1.5: a retransmission is not ECN-capable; DCTCP and accurate ECN mark all. */
    if (conn->ecn && payload > 0 && !again && !conn->accurate)
        frame->tos |= ECN_ECT0;
    if (again)
        frame->flags |= FRAME_RESENT;
    add_content(conn, frame, seg->seq, now);
    tcp_ack_was_sent(conn);
    return handle;
}

/* ------------------------------------------------------------------ segments without data */

static void put_block(unsigned char *blob, uint32_t first, uint64_t left, uint64_t right)
{
    const uint32_t edges[2] = {tcp_number(first, left), tcp_number(first, right)};
    memcpy(blob, edges, sizeof edges);
}

static void add_sacks(struct tcp_conn *conn, struct frame *frame, time_ps now)
{
    const uint32_t total = conn->sack ? conn->block_count + (conn->dsack_due ? 1u : 0u) : 0;
    const uint32_t most = total < SEGMENT_SACK_BLOCKS ? total : SEGMENT_SACK_BLOCKS;
    if (most == 0 && !conn->accurate)
        return;
    add_options(conn, frame, most, 0, now);
    const uint32_t count = frame->tcp_options & SEGMENT_BLOCKS;
    if (count == 0)
        return;
    unsigned char *blob = frame_blob(conn->tcp->frames, frame);
    uint32_t done = 0;
    if (conn->dsack_due) {
        put_block(blob, conn->irs, conn->dsack[0], conn->dsack[1]);
        done = 1;
    }
    for (uint32_t i = 0; done < count; i++, done++)
        put_block(blob + (size_t)done * SEGMENT_SACK_BLOCK, conn->irs, conn->blocks[2 * i],
                  conn->blocks[2 * i + 1]);
    conn->dsack_due = false;
}

void tcp_send_ack(struct tcp_conn *conn, time_ps now)
{
    const uint32_t handle = start_frame(conn, conn->nxt, ack_flags(conn), 0, now);
    add_sacks(conn, frame_of(conn->tcp, handle), now);
    tcp_ack_was_sent(conn);
    conn->tcp->counters.out_segs++;
    tcp_send_frame(conn, handle);
}

/* A segment with an old sequence number and no data, which the peer has to answer. */
void tcp_send_window_probe(struct tcp_conn *conn, time_ps now)
{
    const uint32_t handle = start_frame(conn, conn->una - 1, ack_flags(conn), 0, now);
    if (conn->accurate)
        add_options(conn, frame_of(conn->tcp, handle), 0, 0, now);
    conn->tcp->counters.out_segs++;
    conn->tcp->counters.win_probe++;
    tcp_send_frame(conn, handle);
}

static uint8_t syn_flags(const struct tcp_conn *conn)
{
    return conn->state == TCP_SYN_RECEIVED ? SEGMENT_SYN | SEGMENT_ACK : SEGMENT_SYN;
}

/* The MSS option leaves out the options of each segment, RFC 6691. */
static uint16_t own_mss(const struct tcp *tcp)
{
    return (uint16_t)(tcp->site.port->params.mtu - SEGMENT_IPV4 - SEGMENT_TCP);
}

void tcp_send_syn(struct tcp_conn *conn, time_ps now)
{
    const struct tcp_params *params = &conn->tcp->params;
    const bool answer = conn->state == TCP_SYN_RECEIVED;
    const uint32_t handle = start_frame(conn, 0, syn_flags(conn), 0, now);
    struct frame *frame = frame_of(conn->tcp, handle);
    const bool stamps = answer ? conn->timestamps : params->timestamps;
    const bool sack = answer ? conn->sack : params->sack;
    const bool scale = params->window_scaling && (!answer || conn->send_scale != SEGMENT_NO_SCALE);
    const unsigned shift = scale ? conn->receive_scale : SEGMENT_NO_SCALE;
    frame->tcp_options =
        (uint8_t)((stamps ? SEGMENT_HAS_TIMESTAMPS : 0u) |
                  (sack ? SEGMENT_HAS_SACK_PERMITTED : 0u) | shift << SEGMENT_SCALE_SHIFT);
    frame->mss = own_mss(conn->tcp);
    const uint64_t room = tcp_receive_room(conn);
    frame->window = (uint16_t)(room < UINT16_MAX ? room : UINT16_MAX);
    conn->advertised = conn->received + frame->window;
    tcp_ecn_finish_syn(conn, frame, now);
    measure_frame(frame);
    if (!answer)
        frame->tcp_ack = 0;
    conn->tcp->counters.out_segs++;
    tcp_send_frame(conn, handle);
}

void tcp_send_rst(struct tcp_conn *conn, time_ps now)
{
    const uint32_t handle = start_frame(conn, conn->nxt, SEGMENT_RST | SEGMENT_ACK, 0, now);
    conn->tcp->counters.out_rsts++;
    conn->tcp->counters.out_segs++;
    tcp_send_frame(conn, handle);
}

/* RFC 9293 3.10.7.1 */
void tcp_refuse(struct tcp *tcp, const struct frame *frame, time_ps now)
{
    const bool acked = (frame->tcp_flags & SEGMENT_ACK) != 0;
    const uint32_t length = frame->payload + ((frame->tcp_flags & SEGMENT_SYN) != 0 ? 1u : 0u) +
                            ((frame->tcp_flags & SEGMENT_FIN) != 0 ? 1u : 0u);
    if ((frame->tcp_flags & SEGMENT_RST) != 0)
        return;
    (void)now;
    const uint8_t flags = acked ? SEGMENT_RST : SEGMENT_RST | SEGMENT_ACK;
    const uint32_t handle = frame_take(tcp->frames);
    *frame_of(tcp, handle) = (struct frame){
        .next = POOL_NONE,
        .ttl = tcp->site.ttl,
        .psn = acked ? frame->tcp_ack : 0,
        .bytes = segment_bytes(flags, 0, 0, 0),
        .opcode = FRAME_TCP,
        .tos = (uint8_t)(frame->tos & ~3u),
        .priority = frame->priority,
        .entropy = frame->entropy,
        .source = tcp->site.endpoint,
        .destination = frame->source,
        .qpn = frame->qpn >> 16 | frame->qpn << 16,
        .tcp_ack = acked ? 0 : frame->psn + length,
        .tcp_flags = flags,
        .blob = POOL_NONE,
    };
    tcp->counters.out_rsts++;
    tcp->counters.out_segs++;
    tcp->site.send(tcp->site.nic, handle);
}
