/* SPDX-License-Identifier: Apache-2.0
 * verbs_real_post - posts work requests and polls completions.
 * The work requests of the portable core are already ibv_* structs and are posted unchanged. Only
 * the destination of BULK data is recorded: receives and READs complete in the order of posting, so
 * one ring for each is sufficient. */
#include "bridge/verbs/verbs_real_private.h"

#include "base/check.h"

#include <errno.h>

enum { BATCH = 16 };

/* ------------------------------------------------------------------ arrivals */

static void ring_push(struct real_ring *ring, const struct real_arrival *arrival)
{
    CHECK(ring->count < ring->room);
    ring->arrivals[(ring->head + ring->count) % ring->room] = *arrival;
    ring->count++;
}

static struct real_arrival ring_pop(struct real_ring *ring)
{
    CHECK(ring->count > 0);
    const struct real_arrival arrival = ring->arrivals[ring->head];
    ring->head = (ring->head + 1) % ring->room;
    ring->count--;
    return arrival;
}

/* The BULK piece of a request: at most one, after the other bytes. */
static struct real_arrival bulk_of(const struct verbs_device *device, const struct ibv_sge *sges,
                                   int count)
{
    uint32_t at = 0;
    for (int i = 0; i < count; i++) {
        struct real_mr *mr = verbs_real_memory_find(device, sges[i].lkey);
        if (mr != NULL && mr->verbs.memory == VERBS_BULK)
            return (struct real_arrival){mr, sges[i].addr, sges[i].length, at};
        at += sges[i].length;
    }
    return (struct real_arrival){0};
}

static void arrived(struct verbs_conn *conn, struct real_ring *ring, uint32_t length)
{
    const struct real_arrival to = ring_pop(ring);
    if (to.mr == NULL || length <= to.message_at)
        return;
    const uint32_t here = length - to.message_at;
    verbs_real_memory_look(conn->device, to.mr, to.address, here < to.length ? here : to.length);
}

/* ------------------------------------------------------------------ posting */

/* SEND_WITH_INV needs support by the device. A plain SEND has the same meaning and leaves the key
 * to its owner (NVMe over RDMA 7.3 leaves the choice to the controller). */
static void settle_opcode(const struct verbs_device *device, struct ibv_send_wr *wr)
{
    const unsigned able = device->attributes.device_cap_flags & IBV_DEVICE_MEM_MGT_EXTENSIONS;
    if (wr->opcode == IBV_WR_SEND_WITH_INV && able == 0)
        wr->opcode = IBV_WR_SEND;
}

static int64_t length_of(const struct ibv_send_wr *wr)
{
    int64_t length = 0;
    for (int i = 0; i < wr->num_sge; i++)
        length += wr->sg_list[i].length;
    return length;
}

static bool before_send(struct verbs_conn *conn, struct ibv_send_wr *wr)
{
    const struct real_arrival bulk = bulk_of(conn->device, wr->sg_list, wr->num_sge);
    settle_opcode(conn->device, wr);
    switch (wr->opcode) {
    case IBV_WR_RDMA_READ:
        if (conn->reads.count == conn->reads.room)
            return false;
        if (bulk.mr != NULL)
            verbs_real_memory_forget(bulk.mr);
        ring_push(&conn->reads, &bulk);
        return true;
    case IBV_WR_SEND:
    case IBV_WR_SEND_WITH_IMM:
    case IBV_WR_SEND_WITH_INV:
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
        if (bulk.mr != NULL)
            verbs_real_memory_fill(bulk.mr, bulk.address, bulk.length);
        if (conn->device->wishes.inline_size >= length_of(wr) &&
            conn->device->wishes.inline_size > 0)
            wr->send_flags |= IBV_SEND_INLINE;
        return true;
    default:
        return false; /* LOCAL_INV belongs to fast registration */
    }
}

/* Requests that were not posted will not complete. */
static void take_back(struct verbs_conn *conn, const struct ibv_send_wr *from,
                      const struct ibv_send_wr *end)
{
    for (; from != end; from = from->next)
        if (from->opcode == IBV_WR_RDMA_READ) {
            CHECK(conn->reads.count > 0);
            conn->reads.count--;
        }
}

int verbs_real_post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    *bad = wr;
    if (conn->qp == NULL)
        return EINVAL;
    for (struct ibv_send_wr *next = wr; next != NULL; next = next->next)
        if (!before_send(conn, next)) {
            take_back(conn, wr, next);
            return next->opcode == IBV_WR_RDMA_READ ? ENOMEM : EINVAL;
        }
    const int error = conn->device->calls->post_send(conn->qp, wr, bad);
    if (error != 0)
        take_back(conn, *bad, NULL);
    return error;
}

int verbs_real_post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    *bad = wr;
    if (conn->qp == NULL)
        return EINVAL;
    for (; wr != NULL; wr = wr->next) {
        struct ibv_recv_wr one = *wr, *refused = NULL;
        const struct real_arrival bulk = bulk_of(conn->device, wr->sg_list, wr->num_sge);
        one.next = NULL;
        const bool room = conn->receives.count < conn->receives.room;
        const int error = room ? conn->device->calls->post_recv(conn->qp, &one, &refused) : ENOMEM;
        if (error != 0) {
            *bad = wr;
            return error;
        }
        if (bulk.mr != NULL)
            verbs_real_memory_forget(bulk.mr);
        ring_push(&conn->receives, &bulk);
    }
    return 0;
}

/* ------------------------------------------------------------------ completions */

/* A flushed receive frees its entry. A failed send has no known opcode, but the queue pair is in
 * error and the READs after it fail, too. */
static void note_completion(struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct verbs_real_counters *counters = &conn->device->counters;
    counters->completions++;
    if (wc->status != IBV_WC_SUCCESS) {
        if (wc->status != IBV_WC_WR_FLUSH_ERR)
            counters->errors++;
        return;
    }
    if ((wc->opcode & IBV_WC_RECV) != 0)
        arrived(conn, &conn->receives, wc->byte_len);
    else if (wc->opcode == IBV_WC_RDMA_READ)
        arrived(conn, &conn->reads, UINT32_MAX);
}

/* Processes one batch, so that a connection whose completions cause new ones does not starve
 * others. The queue is armed, so completions after the last poll wake the loop again. */
static int complete_batch(struct verbs_conn *conn)
{
    struct verbs_device *device = conn->device;
    struct ibv_wc wcs[BATCH];
    const int count = device->calls->poll_cq(conn->cq, BATCH, wcs);
    if (count < 0)
        verbs_real_removed(device);
    for (int i = 0; i < count; i++) {
        loop_touch(device->loop);
        note_completion(conn, &wcs[i]);
        conn->user.on_completion(conn->user.self, conn, &wcs[i]);
    }
    return count;
}

static void complete(struct verbs_conn *conn)
{
    if (complete_batch(conn) > 0 && complete_batch(conn) > 0)
        loop_env_ops.timer_set(conn->device->loop, &conn->resume, loop_now(conn->device->loop));
}

void verbs_real_post_resume(void *self, time_ps now)
{
    (void)now;
    complete(self);
}

/* Armed before polling, so that completions in between wake the loop again. */
void verbs_real_post_readable(void *self)
{
    struct verbs_device *device = self;
    const struct rdma_calls *calls = device->calls;
    struct ibv_cq *cq;
    void *context;
    for (int i = 0; i < BATCH; i++) {
        if (calls->get_cq_event(device->completions, &cq, &context) != 0)
            return;
        device->counters.wakeups++;
        calls->ack_cq_events(cq, 1);
        if (calls->req_notify_cq(cq, 0) != 0)
            verbs_real_removed(device);
        complete(context);
    }
}

void verbs_real_post_spin(void *self)
{
    struct verbs_device *device = self;
    /* Callbacks may destroy other connections; then the list is walked again next time. */
    const uint64_t destroyed = device->destroyed;
    for (struct verbs_conn *conn = device->conns; conn != NULL; conn = conn->next) {
        if (conn->cq != NULL)
            complete_batch(conn);
        if (device->destroyed != destroyed)
            return;
    }
}
