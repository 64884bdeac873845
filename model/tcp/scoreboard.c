/* SPDX-License-Identifier: Apache-2.0
 * scoreboard - the segments that are sent and not acknowledged, and their order by time of sending.
 * A ring by number; a doubly linked list (tsorted_sent_queue of Linux) that loss detection by time
 * walks from its head.  A lost segment leaves the list until it is sent again. */
#include "tcp/tcp_private.h"

#include "base/memory.h"

#include <stdlib.h>

enum { FIRST_SEGS = 16 };

static void grow(struct tcp_conn *conn)
{
    const uint32_t room = conn->segs == NULL ? FIRST_SEGS : 2 * (conn->seg_mask + 1);
    struct tcp_seg *segs = memory_zeroed(room, sizeof *segs);
    for (uint32_t number = conn->seg_head; number != conn->seg_tail; number++)
        segs[number & (room - 1)] = *tcp_seg(conn, number);
    free(conn->segs);
    conn->segs = segs;
    conn->seg_mask = room - 1;
}

static void sort_last(struct tcp_conn *conn, uint32_t number)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    seg->next = POOL_NONE;
    seg->previous = conn->sorted_tail;
    seg->flags |= TCP_SEG_SORTED;
    if (conn->sorted_tail == POOL_NONE)
        conn->sorted_head = number;
    else
        tcp_seg(conn, conn->sorted_tail)->next = number;
    conn->sorted_tail = number;
}

void tcp_board_unsort(struct tcp_conn *conn, uint32_t number)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    if ((seg->flags & TCP_SEG_SORTED) == 0)
        return;
    if (seg->previous == POOL_NONE)
        conn->sorted_head = seg->next;
    else
        tcp_seg(conn, seg->previous)->next = seg->next;
    if (seg->next == POOL_NONE)
        conn->sorted_tail = seg->previous;
    else
        tcp_seg(conn, seg->next)->previous = seg->previous;
    seg->flags &= (uint8_t)~TCP_SEG_SORTED;
}

void tcp_board_add(struct tcp_conn *conn, const struct tcp_seg *seg)
{
    if (conn->segs == NULL || tcp_packets_out(conn) > conn->seg_mask)
        grow(conn);
    const uint32_t number = conn->seg_tail++;
    *tcp_seg(conn, number) = *seg;
    sort_last(conn, number);
}

void tcp_board_sent_again(struct tcp_conn *conn, uint32_t number, bool probe, time_ps now)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    tcp_board_unsort(conn, number);
    if ((seg->flags & TCP_SEG_RETRANS) == 0 && !probe)
        conn->retrans_out++;
    seg->flags |= probe ? TCP_SEG_EVER : TCP_SEG_RETRANS | TCP_SEG_EVER;
    seg->sent_at = now;
    sort_last(conn, number);
}

void tcp_board_mark_lost(struct tcp_conn *conn, uint32_t number)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    CHECK((seg->flags & TCP_SEG_SACKED) == 0);
    if ((seg->flags & TCP_SEG_RETRANS) != 0) { /* what is lost is the retransmission */
        seg->flags &= (uint8_t)~TCP_SEG_RETRANS;
        conn->retrans_out--;
        conn->tcp->counters.lost_retransmit++;
    }
    tcp_board_unsort(conn, number);
    if ((int32_t)(number - conn->lost_hint) < 0 || conn->lost_out == 0)
        conn->lost_hint = number;
    if ((seg->flags & TCP_SEG_LOST) == 0)
        conn->lost_out++;
    seg->flags |= TCP_SEG_LOST;
}

/* The place of a segment in the list, from `behind` on: the segment before it. */
static uint32_t place_of(const struct tcp_conn *conn, const struct tcp_seg *seg, uint32_t behind)
{
    if (behind != POOL_NONE && tcp_seg(conn, behind)->sent_at > seg->sent_at)
        behind = POOL_NONE;
    for (;;) {
        const uint32_t next = behind == POOL_NONE ? conn->sorted_head : tcp_seg(conn, behind)->next;
        if (next == POOL_NONE || tcp_seg(conn, next)->sent_at > seg->sent_at)
            return behind;
        behind = next;
    }
}

static void sort_behind(struct tcp_conn *conn, uint32_t number, uint32_t behind)
{
    struct tcp_seg *seg = tcp_seg(conn, number);
    seg->previous = behind;
    seg->next = behind == POOL_NONE ? conn->sorted_head : tcp_seg(conn, behind)->next;
    seg->flags |= TCP_SEG_SORTED;
    if (behind == POOL_NONE)
        conn->sorted_head = number;
    else
        tcp_seg(conn, behind)->next = number;
    if (seg->next == POOL_NONE)
        conn->sorted_tail = number;
    else
        tcp_seg(conn, seg->next)->previous = number;
}

void tcp_board_forgive(struct tcp_conn *conn)
{
    uint32_t behind = POOL_NONE;
    for (uint32_t number = conn->seg_head; number != conn->seg_tail; number++) {
        struct tcp_seg *seg = tcp_seg(conn, number);
        if ((seg->flags & TCP_SEG_LOST) == 0)
            continue;
        seg->flags &= (uint8_t)~TCP_SEG_LOST;
        if ((seg->flags & TCP_SEG_SORTED) != 0)
            continue;
        sort_behind(conn, number, place_of(conn, seg, behind));
        behind = number;
    }
    conn->lost_out = 0;
}

uint32_t tcp_board_find(const struct tcp_conn *conn, uint64_t offset)
{
    uint32_t low = 0, high = tcp_packets_out(conn);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct tcp_seg *seg = tcp_seg(conn, conn->seg_head + middle);
        if (seg->seq + seg->length <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return conn->seg_head + low;
}

void tcp_board_pop(struct tcp_conn *conn)
{
    const struct tcp_seg *seg = tcp_seg(conn, conn->seg_head);
    tcp_board_unsort(conn, conn->seg_head);
    conn->sacked_out -= (seg->flags & TCP_SEG_SACKED) != 0;
    conn->lost_out -= (seg->flags & TCP_SEG_LOST) != 0;
    conn->retrans_out -= (seg->flags & TCP_SEG_RETRANS) != 0;
    conn->seg_head++;
    if ((int32_t)(conn->lost_hint - conn->seg_head) < 0)
        conn->lost_hint = conn->seg_head;
}

void tcp_board_fini(struct tcp_conn *conn)
{
    free(conn->segs);
    conn->segs = NULL;
    conn->seg_head = conn->seg_tail = 0;
    conn->sacked_out = conn->lost_out = conn->retrans_out = 0;
    conn->sorted_head = conn->sorted_tail = POOL_NONE;
}

void tcp_board_audit(const struct tcp_conn *conn)
{
    uint32_t sacked = 0, lost = 0, again = 0, sorted = 0;
    uint64_t at = conn->una;
    for (uint32_t number = conn->seg_head; number != conn->seg_tail; number++) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        CHECK(seg->seq == at && seg->length > 0);
        at += seg->length;
        sacked += (seg->flags & TCP_SEG_SACKED) != 0;
        lost += (seg->flags & TCP_SEG_LOST) != 0;
        again += (seg->flags & TCP_SEG_RETRANS) != 0;
        sorted += (seg->flags & TCP_SEG_SORTED) != 0;
        CHECK((seg->flags & (TCP_SEG_SACKED | TCP_SEG_LOST)) != (TCP_SEG_SACKED | TCP_SEG_LOST));
    }
    CHECK(conn->seg_head == conn->seg_tail || at == conn->nxt);
    /* Without SACK, duplicate ACKs count as SACKed segments. */
    CHECK(lost == conn->lost_out && again == conn->retrans_out);
    CHECK(!conn->sack || sacked == conn->sacked_out);
    time_ps sent = 0;
    for (uint32_t number = conn->sorted_head; number != POOL_NONE;) {
        const struct tcp_seg *seg = tcp_seg(conn, number);
        CHECK((seg->flags & TCP_SEG_SORTED) != 0 && seg->sent_at >= sent);
        sent = seg->sent_at;
        sorted--;
        number = seg->next;
    }
    CHECK(sorted == 0);
}
