/* SPDX-License-Identifier: Apache-2.0
 * tcp_nic - qdisc, transmit queue of the NIC.
 * The qdisc serves connections in turn, one batch each (fq, fq_codel: flows in turn).  The NIC's
 * queue is the port's own queue of the priority: it is filled up to nic-queue bytes (byte queue
 * limits of Linux) and refilled by a transmit completion when half of it has left.  Within a
 * priority, TCP leaves before the packets of queue pairs.
 * Segments without data pass the qdisc: they wait only behind the NIC's queue. */
#include "tcp/tcp_private.h"

/* ------------------------------------------------------------------ qdisc */

static struct tcp_batch *batch_at(const struct tcp *tcp, uint32_t index)
{
    return slab_at(&tcp->batches, index);
}

static void join_qdisc(struct tcp_conn *conn)
{
    struct tcp *tcp = conn->tcp;
    if (conn->in_qdisc)
        return;
    conn->in_qdisc = true;
    conn->next_queued = NULL;
    if (tcp->qdisc_head[conn->priority] == NULL)
        tcp->qdisc_head[conn->priority] = conn;
    else
        tcp->qdisc_tail[conn->priority]->next_queued = conn;
    tcp->qdisc_tail[conn->priority] = conn;
}

static void leave_qdisc(struct tcp *tcp, uint8_t priority)
{
    struct tcp_conn *conn = tcp->qdisc_head[priority];
    tcp->qdisc_head[priority] = conn->next_queued;
    if (conn->next_queued == NULL)
        tcp->qdisc_tail[priority] = NULL;
    conn->in_qdisc = false;
}

void tcp_queue_batch(struct tcp_conn *conn, uint32_t first, uint32_t count, bool again,
                     uint64_t bytes, time_ps now)
{
    struct tcp *tcp = conn->tcp;
    const uint32_t index = slab_take(&tcp->batches);
    *batch_at(tcp, index) =
        (struct tcp_batch){.next = POOL_NONE, .first = first, .count = count, .again = again};
    if (conn->batch_head == POOL_NONE)
        conn->batch_head = index;
    else
        batch_at(tcp, conn->batch_tail)->next = index;
    conn->batch_tail = index;
    conn->queued += bytes;
    tcp->counters.tx_batches++;
    tcp->uses |= (uint8_t)(1u << conn->priority);
    join_qdisc(conn);
    tcp_nic_feed(tcp, now);
}

static void drop_first(struct tcp_conn *conn)
{
    struct tcp *tcp = conn->tcp;
    const uint32_t index = conn->batch_head;
    conn->batch_head = batch_at(tcp, index)->next;
    conn->batch_done = 0;
    slab_give(&tcp->batches, index);
}

void tcp_drop_batches(struct tcp_conn *conn)
{
    while (conn->batch_head != POOL_NONE)
        drop_first(conn);
    conn->queued = 0;
}

/* ------------------------------------------------------------------ the NIC's queue */

static void send_segment(struct tcp_conn *conn, uint32_t number, bool again, time_ps now)
{
    struct tcp *tcp = conn->tcp;
    const struct tcp_seg *seg = tcp_seg(conn, number);
    conn->queued -= seg->length < conn->queued ? seg->length : conn->queued;
    if (again)
        tcp->counters.retrans_segs++;
    else
        tcp->counters.out_segs++;
    tcp->site.send(tcp->site.nic, tcp_make_data(conn, seg, again, now));
}

static int64_t queue_bytes(const struct tcp *tcp, uint8_t priority)
{
    return tcp->site.port->prios[priority].bytes;
}

/* Puts the first batch of a connection into the queue as far as there is room.  True: all of it. */
static bool feed_batch(struct tcp_conn *conn, time_ps now)
{
    const struct tcp *tcp = conn->tcp;
    const struct tcp_batch batch = *batch_at(tcp, conn->batch_head);
    while (conn->batch_done < batch.count) {
        const uint32_t number = batch.first + conn->batch_done;
        const bool wanted = (int32_t)(number - conn->seg_head) >= 0;
        if (wanted && queue_bytes(tcp, conn->priority) >= tcp->params.nic_queue)
            return false;
        conn->batch_done++;
        if (wanted) /* else it has been acknowledged meanwhile */
            send_segment(conn, number, batch.again, now);
    }
    drop_first(conn);
    return true;
}

static void wake_held_back(struct tcp_conn *conn, time_ps now)
{
    if (!conn->held_back)
        return;
    conn->held_back = false;
    tcp_want_send(conn, now);
}

/* False: the queue is full. */
static bool feed_priority(struct tcp *tcp, uint8_t priority, time_ps now)
{
    while (tcp->qdisc_head[priority] != NULL) {
        struct tcp_conn *conn = tcp->qdisc_head[priority];
        if (conn->batch_head != POOL_NONE && !feed_batch(conn, now))
            return false;
        leave_qdisc(tcp, priority);
        if (conn->batch_head != POOL_NONE)
            join_qdisc(conn);
        wake_held_back(conn, now);
        tcp_conn_release(conn);
    }
    return true;
}

/* When half of what the queue holds has left, if nothing pauses it. */
static time_ps completion(const struct tcp *tcp, uint8_t priority, time_ps now)
{
    const int64_t half = tcp->params.nic_queue / 2, queued = queue_bytes(tcp, priority);
    const int64_t bytes = queued > half ? queued - half : half / 2 + 1;
    return now + units_transfer_ps((uint64_t)bytes, tcp->site.port->rate.bps);
}

static time_ps feed_all(struct tcp *tcp, time_ps now)
{
    time_ps due = TIME_NEVER;
    for (uint8_t priority = 0; priority < PRIORITIES; priority++)
        if ((tcp->uses & 1u << priority) != 0 && !feed_priority(tcp, priority, now))
            due = time_earlier(due, completion(tcp, priority, now));
    return due;
}

/* What is fed may let a connection send more: then the outermost call goes on. */
void tcp_nic_feed(struct tcp *tcp, time_ps now)
{
    time_ps due;
    tcp->feed_again = true;
    if (tcp->feeding)
        return;
    tcp->feeding = true;
    do {
        tcp->feed_again = false;
        due = feed_all(tcp, now);
    } while (tcp->feed_again);
    tcp->feeding = false;
    if (due != TIME_NEVER && (tcp->nic_timer.due == TIME_NEVER || due < tcp->nic_timer.due))
        env_timer_set(tcp->site.env, &tcp->nic_timer, due);
}

void tcp_nic_on_timer(void *self, time_ps now)
{
    struct tcp *tcp = self;
    tcp_nic_feed(tcp, now);
}

void tcp_send_frame(struct tcp_conn *conn, uint32_t handle)
{
    conn->tcp->site.send(conn->tcp->site.nic, handle);
}
