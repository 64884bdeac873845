/* SPDX-License-Identifier: Apache-2.0
 * tcp_receive - reassembly, SACK blocks, acknowledgments, the own window.
 * Segments out of order wait as frames, sorted by offset.  An ACK is sent for each second full
 * segment, or each GRO batch of more than one (a stretch ACK), when the application has read them,
 * so that it does not report a smaller window; at once when something is out of order or was lost,
 * for the first segments of a connection (quick ACKs); and otherwise after delayed-ack, or with
 * data or a window update before.  Linux since 6.1.57 also acknowledges a full segment with PSH as
 * soon as it is read; this is not modeled.
 * The receive buffer grows to twice what was read while one window arrived (dynamic right-sizing;
 * Linux takes the round-trip time of timestamps where it is shorter).
 * Source: RFC 9293 3.10.7.4, RFC 5681 4.2, RFC 2018 4, RFC 2883, RFC 3168 6.1.3, RFC 8257 3.2;
 * Linux net/ipv4/tcp_input.c (__tcp_ack_snd_check, tcp_rcv_space_adjust), tcp.c
 * (tcp_cleanup_rbuf). */
#include "tcp/tcp_private.h"

#include <string.h>

static struct frame *frame_of(const struct tcp_conn *conn, uint32_t handle)
{
    return frame_at(conn->tcp->frames, handle);
}

/* ------------------------------------------------------------------ window */

static uint64_t readable(const struct tcp_conn *conn)
{
    return conn->in.end - conn->in.begin;
}

uint64_t tcp_receive_room(const struct tcp_conn *conn)
{
    const uint64_t used = readable(conn);
    return used < conn->receive_limit ? conn->receive_limit - used : 0;
}

/* The least growth of the window that is worth a word, RFC 9293 3.8.6.2.2. */
static uint64_t least_growth(const struct tcp_conn *conn)
{
    return conn->mss < conn->receive_limit / 2 ? conn->mss : conn->receive_limit / 2;
}

static void move_window(struct tcp_conn *conn)
{
    const uint64_t end = conn->received + tcp_receive_room(conn);
    if (end >= conn->advertised + least_growth(conn))
        conn->advertised = end;
}

static void count_window(struct tcp_conn *conn, bool closed)
{
    if (closed && !conn->window_closed)
        conn->tcp->counters.to_zero_window++;
    if (!closed && conn->window_closed)
        conn->tcp->counters.from_zero_window++;
    conn->window_closed = closed;
}

uint16_t tcp_window_field(struct tcp_conn *conn)
{
    move_window(conn);
    const uint64_t window =
        conn->advertised > conn->received ? conn->advertised - conn->received : 0;
    const uint8_t shift = conn->receive_scale == SEGMENT_NO_SCALE ? 0 : conn->receive_scale;
    const uint64_t field = window >> shift;
    count_window(conn, field == 0);
    return (uint16_t)(field < UINT16_MAX ? field : UINT16_MAX);
}

static void tune_buffer(struct tcp_conn *conn, uint64_t bytes)
{
    const uint64_t most = (uint64_t)conn->tcp->params.receive_buffer_max / 2;
    conn->tune_copied += bytes;
    if (conn->received < conn->tune_end)
        return;
    const uint64_t wanted = 2 * conn->tune_copied + 16 * (uint64_t)conn->mss;
    const uint64_t limit = wanted < most ? wanted : most;
    if (limit > conn->receive_limit)
        conn->receive_limit = limit;
    conn->tune_copied = 0;
    conn->tune_end = conn->received + conn->receive_limit;
}

void tcp_on_read(struct tcp_conn *conn, uint64_t bytes, time_ps now)
{
    if (bytes == 0)
        return;
    tune_buffer(conn, bytes);
    if (conn->state != TCP_ESTABLISHED && conn->state != TCP_FIN_WAIT_1 &&
        conn->state != TCP_FIN_WAIT_2)
        return;
    const uint64_t window =
        conn->advertised > conn->received ? conn->advertised - conn->received : 0;
    const uint64_t room = tcp_receive_room(conn);
    const bool grown = 2 * window <= conn->receive_limit && room >= 2 * window &&
                       room >= window + least_growth(conn);
    /* A reader that has caught up acknowledges short segments, unless it is about to answer. */
    const bool caught_up = conn->ack_due && readable(conn) == 0 &&
                           (conn->short_again || (conn->short_seen && !conn->pingpong));
    const bool second = conn->ack_due && conn->received - conn->acked > conn->mss;
    if (grown || caught_up || second)
        tcp_send_ack(conn, now);
}

/* ------------------------------------------------------------------ content */

static void take_pieces(struct tcp_conn *conn, const struct frame *frame, uint32_t skip)
{
    const unsigned char *map = frame_blob(conn->tcp->frames, frame) + segment_blob_head(frame);
    uint32_t count = 0, word[2];
    for (uint32_t bytes = 0; bytes < frame->payload; count++) {
        memcpy(word, map + (size_t)count * SEGMENT_PIECE, sizeof word);
        bytes += word[0] & ~SEGMENT_REAL;
    }
    const unsigned char *real = map + (size_t)count * SEGMENT_PIECE;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(word, map + (size_t)i * SEGMENT_PIECE, sizeof word);
        const uint32_t length = word[0] & ~SEGMENT_REAL;
        const uint32_t drop = skip < length ? skip : length;
        if ((word[0] & SEGMENT_REAL) == 0) {
            content_add_bulk(&conn->in, length - drop, word[1]);
        } else {
            content_add_real(&conn->in, real + drop, length - drop);
            real += length;
        }
        skip -= drop;
    }
}

static void receive_fin(struct tcp_conn *conn)
{
    conn->received++;
    conn->fin_seen = true;
    conn->ack_at_once = true;
    conn->fresh = true;
    if (conn->state == TCP_ESTABLISHED)
        tcp_set_state(conn, TCP_CLOSE_WAIT);
    else if (conn->state == TCP_FIN_WAIT_1)
        tcp_set_state(conn, TCP_CLOSING);
    else if (conn->state == TCP_FIN_WAIT_2)
        tcp_set_state(conn, TCP_TIME_WAIT);
}

/* Appends a segment that begins at or before the next offset expected, and ends behind it. */
static void append(struct tcp_conn *conn, const struct frame *frame, uint64_t seq)
{
    const uint32_t skip = (uint32_t)(conn->received - seq);
    const bool fin = (frame->tcp_flags & SEGMENT_FIN) != 0;
    if (skip < frame->payload) {
        const uint32_t fresh = frame->payload - skip;
        if (frame->blob_bytes == segment_blob_head(frame))
            content_add_bulk(&conn->in, fresh, frame->content);
        else
            take_pieces(conn, frame, skip);
        conn->received += fresh;
        conn->did.bytes_received += fresh;
        conn->tcp->counters.in_bytes += fresh;
        conn->fresh = true;
        node_digest(conn->tcp->node, conn->received << 20 ^ frame->content);
    }
    if (fin && !conn->fin_seen)
        receive_fin(conn);
}

/* ------------------------------------------------------------------ out of order */

/* The newest block first; blocks that it touches become part of it. */
static void add_block(struct tcp_conn *conn, uint64_t left, uint64_t right)
{
    uint64_t kept[2 * SEGMENT_SACK_BLOCKS];
    uint8_t count = 0;
    for (uint8_t i = 0; i < conn->block_count; i++) {
        const uint64_t l = conn->blocks[2 * i], r = conn->blocks[2 * i + 1];
        if (l <= right && left <= r) {
            left = l < left ? l : left;
            right = r > right ? r : right;
        } else if (count < SEGMENT_SACK_BLOCKS - 1) {
            kept[2 * count] = l;
            kept[2 * count + 1] = r;
            count++;
        }
    }
    conn->blocks[0] = left;
    conn->blocks[1] = right;
    memcpy(conn->blocks + 2, kept, (size_t)count * 2 * sizeof kept[0]);
    conn->block_count = (uint8_t)(count + 1);
}

static void drop_blocks(struct tcp_conn *conn)
{
    uint8_t count = 0;
    for (uint8_t i = 0; i < conn->block_count; i++) {
        if (conn->blocks[2 * i] <= conn->received)
            continue;
        conn->blocks[2 * count] = conn->blocks[2 * i];
        conn->blocks[2 * count + 1] = conn->blocks[2 * i + 1];
        count++;
    }
    conn->block_count = count;
}

static void report_duplicate(struct tcp_conn *conn, uint64_t left, uint64_t right, uint64_t *count)
{
    conn->dsack[0] = left;
    conn->dsack[1] = right;
    conn->dsack_due = conn->sack;
    conn->ack_at_once = true;
    conn->quick = (uint8_t)conn->tcp->params.quick_acks;
    ++*count;
}

static uint64_t offset_of(const struct tcp_conn *conn, const struct frame *frame)
{
    return tcp_offset(conn->irs, frame->psn, conn->received);
}

static uint32_t length_of(const struct frame *frame)
{
    return frame->payload + ((frame->tcp_flags & SEGMENT_FIN) != 0 ? 1u : 0u);
}

static void insert_after(struct tcp_conn *conn, uint32_t before, uint32_t handle)
{
    struct frame *frame = frame_of(conn, handle);
    if (before == POOL_NONE) {
        frame->next = conn->ooo_head;
        conn->ooo_head = handle;
    } else {
        frame->next = frame_of(conn, before)->next;
        frame_of(conn, before)->next = handle;
    }
    if (frame->next == POOL_NONE)
        conn->ooo_tail = handle;
}

/* False: the queue has the segment already. */
static bool insert(struct tcp_conn *conn, uint32_t handle, uint64_t seq)
{
    uint32_t before = POOL_NONE;
    if (conn->ooo_head != POOL_NONE && offset_of(conn, frame_of(conn, conn->ooo_tail)) < seq) {
        before = conn->ooo_tail;
    } else {
        for (uint32_t at = conn->ooo_head; at != POOL_NONE; at = frame_of(conn, at)->next) {
            if (offset_of(conn, frame_of(conn, at)) > seq)
                break;
            before = at;
        }
    }
    if (before != POOL_NONE && offset_of(conn, frame_of(conn, before)) == seq)
        return false;
    insert_after(conn, before, handle);
    return true;
}

static bool queue_segment(struct tcp_conn *conn, uint32_t handle, uint64_t seq)
{
    const struct frame *frame = frame_of(conn, handle);
    const uint64_t end = seq + length_of(frame);
    struct tcp_counters *counters = &conn->tcp->counters;
    conn->ack_at_once = true;
    if (end > conn->received + conn->receive_limit + 1) {
        counters->ofo_drop++;
        return false;
    }
    if (!insert(conn, handle, seq)) {
        report_duplicate(conn, seq, end, &counters->dsack_ofo_sent);
        return false;
    }
    counters->ofo_queue++;
    conn->ooo_bytes += frame->payload;
    add_block(conn, seq, end);
    return true;
}

static void drain_queue(struct tcp_conn *conn)
{
    while (conn->ooo_head != POOL_NONE) {
        const uint32_t handle = conn->ooo_head;
        const struct frame *frame = frame_of(conn, handle);
        const uint64_t seq = offset_of(conn, frame);
        if (seq > conn->received)
            break;
        conn->ooo_head = frame->next;
        conn->ooo_bytes -= frame->payload;
        if (conn->ooo_head == POOL_NONE)
            conn->ooo_tail = POOL_NONE;
        if (seq + length_of(frame) > conn->received)
            append(conn, frame, seq);
        conn->ack_at_once = true; /* a gap is filled */
        frame_give(conn->tcp->frames, handle);
    }
    drop_blocks(conn);
}

/* ------------------------------------------------------------------ ECN */

/* RFC 8257 3.2: an ACK for what came with the other mark goes first. */
static void note_mark_exactly(struct tcp_conn *conn, bool marked, time_ps now)
{
    if (marked == conn->ce)
        return;
    if (conn->ack_due)
        tcp_send_ack(conn, now);
    conn->ce = conn->echo = marked;
    conn->ack_at_once = true;
}

static void note_mark(struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    const bool marked = (frame->tos & ECN_CE) == ECN_CE;
    if (!conn->ecn || conn->accurate)
        return;
    if (conn->ops->echoes_each_mark) {
        note_mark_exactly(conn, marked, now);
        return;
    }
    if ((frame->tcp_flags & SEGMENT_CWR) != 0) {
        conn->echo = false;
        conn->ack_at_once = true;
    }
    if (marked && !conn->echo) {
        conn->echo = true;
        conn->quick = conn->quick > 2 ? conn->quick : 2;
    }
}

/* ------------------------------------------------------------------ data and ACKs */

static void note_data(struct tcp_conn *conn, const struct frame *frame, time_ps now)
{
    if (conn->last_data < 0 || now - conn->last_data > conn->rto)
        conn->quick = (uint8_t)conn->tcp->params.quick_acks;
    conn->last_data = now;
    conn->ack_due = true;
    const uint32_t option =
        segment_accecn_bytes(frame->tcp_flags, frame->tcp_options, frame->tcp_accecn);
    if (frame->payload + option < conn->mss) {
        conn->short_again |= conn->short_seen;
        conn->short_seen = true;
    }
}

bool tcp_receive_data(struct tcp_conn *conn, uint32_t handle, uint64_t seq, time_ps now)
{
    const struct frame *frame = frame_of(conn, handle);
    const uint64_t end = seq + length_of(frame);
    note_mark(conn, frame, now);
    note_data(conn, frame, now);
    if (end <= conn->received) {
        report_duplicate(conn, seq, end, &conn->tcp->counters.dsack_old_sent);
        return false;
    }
    if (seq > conn->received)
        return queue_segment(conn, handle, seq);
    append(conn, frame, seq);
    if (conn->ooo_head != POOL_NONE)
        drain_queue(conn);
    return false;
}

void tcp_ack_was_sent(struct tcp_conn *conn)
{
    if (conn->quick > 0 && conn->ack_due)
        conn->quick--;
    conn->acked = conn->received;
    conn->ack_due = conn->ack_at_once = conn->accecn.ack_now = false;
    conn->short_seen = conn->short_again = false;
    env_timer_cancel(conn->tcp->site.env, &conn->ack_timer);
}

static void acknowledge(struct tcp_conn *conn, time_ps now)
{
    const bool quick = conn->quick > 0 && !conn->pingpong;
    /* If the window would be smaller than in the last ACK, the reader acknowledges. */
    const bool second = conn->received - conn->acked > conn->mss &&
                        conn->acked + tcp_receive_room(conn) >= conn->advertised;
    if (conn->ack_at_once || quick || second || conn->ooo_head != POOL_NONE)
        tcp_send_ack(conn, now);
    else if (conn->ack_timer.due == TIME_NEVER)
        env_timer_set(conn->tcp->site.env, &conn->ack_timer, now + conn->tcp->params.delayed_ack);
}

void tcp_receive_end(struct tcp_conn *conn, time_ps now)
{
    if (conn->state == TCP_CLOSED)
        return;
    if (conn->ack_due || conn->ack_at_once)
        acknowledge(conn, now);
    if (conn->fresh && conn->owned) {
        conn->fresh = false;
        conn->user.on_readable(conn->user.self, tcp_stream(conn));
    }
    if (conn->state == TCP_TIME_WAIT && !conn->reported) {
        conn->reported = true;
        if (conn->owned)
            conn->user.on_closed(conn->user.self, tcp_stream(conn), 0);
    }
}

void tcp_on_ack_timer(void *self, time_ps now)
{
    struct tcp_conn *conn = self;
    if (conn->state == TCP_CLOSED || !conn->ack_due)
        return;
    conn->tcp->counters.delayed_acks++;
    conn->pingpong = false;
    tcp_send_ack(conn, now);
}

void tcp_receive_fini(struct tcp_conn *conn)
{
    while (conn->ooo_head != POOL_NONE) {
        const uint32_t handle = conn->ooo_head;
        conn->ooo_head = frame_of(conn, handle)->next;
        frame_give(conn->tcp->frames, handle);
    }
    conn->ooo_tail = POOL_NONE;
    conn->ooo_bytes = 0;
}
