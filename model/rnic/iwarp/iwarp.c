/* SPDX-License-Identifier: Apache-2.0
 * iwarp - verbs table: devices, memory, work requests and their completions. */
#include "rnic/iwarp/iwarp_private.h"

#include "base/big_endian.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>

#define MESSAGE_MAX UINT64_C(0xFFFFFFFF) /* RFC 5041 5.1: an MO has 32 bits */

/* ---- memory ---- */

static struct verbs_mr *reg_mr(struct verbs_device *device, uint32_t length, int access,
                               enum verbs_memory memory)
{
    return &mr_create(&device->mrs, length, access, memory)->verbs;
}

static struct mr *of_verbs(struct verbs_mr *mr)
{
    return (struct mr *)(void *)mr;
}

static void dereg_mr(struct verbs_device *device, struct verbs_mr *mr)
{
    mr_free(&device->mrs, of_verbs(mr));
}

static void renew_rkey(struct verbs_conn *conn, struct verbs_mr *mr, uint32_t length)
{
    (void)conn, (void)length;
    mr_renew(of_verbs(mr));
}

/* Payload has few lengths, so their runs are kept. */
uint32_t iwarp_crc_bulk(struct verbs_device *device, uint32_t crc, uint32_t content,
                        uint32_t length)
{
    const uint32_t words = length / 4;
    struct crc32c_run *run = &device->runs[words % IWARP_RUNS];
    unsigned char rest[4];
    if (run->words != words)
        *run = crc32c_run_of(words);
    big_put(rest, 4, content);
    if (words > 0)
        crc = crc32c_repeat(crc, run, content);
    return crc32c(crc, rest, length % 4);
}

/* ---- completions ---- */

void iwarp_mark(const struct verbs_conn *conn, enum probe_stream_kind kind, uint32_t bytes)
{
    const struct stream_ops *streams = iwarp_streams(conn);
    if (conn->stream != NULL && streams->mark != NULL)
        streams->mark(conn->stream, kind, bytes);
}

void iwarp_complete(struct verbs_conn *conn, const struct ibv_wc *wc)
{
    conn->wcs = memory_grown(conn->wcs, conn->wc_count, &conn->wc_room, sizeof *conn->wcs);
    conn->wcs[conn->wc_count++] = *wc;
    iwarp_later(conn);
}

void iwarp_send_done(struct verbs_conn *conn, uint32_t place)
{
    struct iwarp_ring *sends = &conn->sends;
    conn->sq[place % sends->room].done = true;
    while (sends->head != conn->begun && conn->sq[sends->head % sends->room].done) {
        const struct iwarp_wqe *wqe = &conn->sq[sends->head++ % sends->room];
        const struct ibv_wc wc = {.wr_id = wqe->wr_id,
                                  .status = IBV_WC_SUCCESS,
                                  .opcode = verbs_completes_as(wqe->opcode),
                                  .byte_len = wqe->length,
                                  .qp_num = conn->number};
        if (wqe->signaled)
            iwarp_complete(conn, &wc);
    }
}

/* ---- work requests ---- */

/* False: an invalid key or range, or bytes behind bulk data. */
static bool take_sges(const struct verbs_device *device, const struct ibv_sge *from, int count,
                      struct mr_sge to[MR_SGES], uint32_t *length)
{
    uint64_t sum = 0;
    if (count < 0 || count > MR_SGES)
        return false;
    for (int i = 0; i < count; i++) {
        struct mr *mr = mr_local(&device->mrs, from[i].lkey, from[i].addr, from[i].length);
        if (mr == NULL ||
            (i > 0 && to[i - 1].mr->verbs.memory == VERBS_BULK && mr->verbs.memory == VERBS_BYTES))
            return false;
        to[i] = (struct mr_sge){mr, (uint32_t)(from[i].addr - mr->verbs.addr), from[i].length};
        sum += from[i].length;
    }
    *length = (uint32_t)sum;
    return sum <= MESSAGE_MAX;
}

static bool is_known(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_INV || opcode == IBV_WR_RDMA_WRITE ||
           opcode == IBV_WR_RDMA_READ || opcode == IBV_WR_LOCAL_INV;
}

/* A READ response has one sink (RFC 5040 5.2.1). */
static int make_wqe(const struct verbs_conn *conn, const struct ibv_send_wr *wr,
                    struct iwarp_wqe *wqe)
{
    const bool reads = wr->opcode == IBV_WR_RDMA_READ;
    *wqe = (struct iwarp_wqe){.wr_id = wr->wr_id,
                              .opcode = wr->opcode,
                              .sge_count = (uint32_t)wr->num_sge,
                              .signaled = (wr->send_flags & IBV_SEND_SIGNALED) != 0};
    if (!is_known(wr->opcode) ||
        !take_sges(conn->device, wr->sg_list, wr->num_sge, wqe->sges, &wqe->length))
        return EINVAL;
    if (reads && (conn->ord == 0 || wr->num_sge != 1))
        return EINVAL;
    if (reads || wr->opcode == IBV_WR_RDMA_WRITE) {
        wqe->remote_address = wr->wr.rdma.remote_addr;
        wqe->key = wr->wr.rdma.rkey;
    } else if (wr->opcode != IBV_WR_SEND) {
        wqe->key = wr->invalidate_rkey;
    }
    return 0;
}

static int post_one_send(struct verbs_conn *conn, const struct ibv_send_wr *wr)
{
    if (iwarp_ring_count(&conn->sends) == conn->sends.room)
        return ENOMEM;
    const int error = make_wqe(conn, wr, &conn->sq[conn->sends.tail % conn->sends.room]);
    conn->sends.tail += error == 0;
    return error;
}

static int post_send(struct verbs_conn *conn, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    int error = conn->state == IWARP_OPEN ? 0 : EINVAL;
    for (; error == 0 && wr != NULL; wr = error == 0 ? wr->next : wr)
        error = post_one_send(conn, wr);
    if (error != 0)
        *bad = wr;
    iwarp_flush(conn);
    return error;
}

int iwarp_ring_receive(const struct verbs_device *device, struct iwarp_receive *items,
                       struct iwarp_ring *ring, const struct ibv_recv_wr *wr)
{
    if (iwarp_ring_count(ring) == ring->room)
        return ENOMEM;
    struct iwarp_receive *made = &items[ring->tail % ring->room];
    *made = (struct iwarp_receive){.wr_id = wr->wr_id, .sge_count = (uint32_t)wr->num_sge};
    if (!take_sges(device, wr->sg_list, wr->num_sge, made->sges, &made->length))
        return EINVAL;
    ring->tail++;
    return 0;
}

static int post_recv(struct verbs_conn *conn, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    const bool may = conn->rq != NULL && conn->state != IWARP_OVER && conn->user.srq == NULL;
    int error = may ? 0 : EINVAL;
    for (; error == 0 && wr != NULL; wr = error == 0 ? wr->next : wr)
        error = iwarp_ring_receive(conn->device, conn->rq, &conn->receives, wr);
    if (error != 0)
        *bad = wr;
    return error;
}

/* ---- queries ---- */

static uint32_t local_ip(struct verbs_device *device)
{
    return device->site.streams->local_ip(device->site.stream);
}

static uint32_t qp_num(const struct verbs_conn *conn)
{
    return conn->number;
}

static uint8_t max_rd_atomic(struct verbs_device *device)
{
    return (uint8_t)device->params.reads;
}

static time_ps cpu(const struct verbs_conn *conn)
{
    struct stream_info info;
    if (conn->stream == NULL)
        return conn->cpu;
    iwarp_streams(conn)->info(conn->stream, &info);
    return info.cpu;
}

/* What the stream has not had acknowledged may be data; its headers are few. */
static bool arrived(const struct verbs_conn *conn, struct verbs_arrived *arrived)
{
    struct stream_info info;
    if (conn->stream == NULL || (conn->state != IWARP_OPEN && conn->state != IWARP_OVER))
        return false;
    iwarp_streams(conn)->info(conn->stream, &info);
    const uint64_t waiting = info.unacked + info.notsent;
    *arrived = (struct verbs_arrived){
        .here = conn->bulk_in,
        .there = conn->bulk_out - (waiting < conn->bulk_out ? waiting : conn->bulk_out),
        .for_good = true};
    return true;
}

/* ---- device ---- */

struct verbs_device *iwarp_open(const struct iwarp_site *site, const struct iwarp_params *params)
{
    struct verbs_device *device = memory_zeroed(1, sizeof *device);
    device->site = *site;
    device->params = *params;
    mr_table_init(&device->mrs);
    return device;
}

void iwarp_free_dead(struct verbs_device *device, bool all)
{
    struct verbs_conn **link = &device->dead;
    while (*link != NULL) {
        struct verbs_conn *conn = *link;
        if (!all && conn->later.pending + conn->limit.pending + conn->busy > 0) {
            link = &conn->next;
            continue;
        }
        *link = conn->next;
        free(conn);
    }
}

static void release(struct verbs_device *device)
{
    while (device->conns != NULL)
        iwarp_destroy(device->conns);
    iwarp_free_dead(device, true);
    iwarp_free_srqs(device, true);
    while (device->listeners != NULL)
        iwarp_unlisten(device, (uint16_t)(device->listeners->port - IWARP_PORT_OFFSET));
    mr_table_fini(&device->mrs);
    free(device);
}

const struct verbs_ops iwarp_verbs = {
    .name = "iwarp",
    .fast_registration = true,
    .reg_mr = reg_mr,
    .dereg_mr = dereg_mr,
    .renew_rkey = renew_rkey,
    .listen = iwarp_listen,
    .unlisten = iwarp_unlisten,
    .connect = iwarp_connect,
    .prepare = iwarp_prepare,
    .accept = iwarp_accept,
    .reject = iwarp_reject,
    .disconnect = iwarp_disconnect,
    .destroy = iwarp_destroy,
    .post_send = post_send,
    .post_recv = post_recv,
    .create_srq = iwarp_create_srq,
    .post_srq_recv = iwarp_post_srq_recv,
    .arm_srq = iwarp_arm_srq,
    .destroy_srq = iwarp_destroy_srq,
    .local_ip = local_ip,
    .qp_num = qp_num,
    .max_rd_atomic = max_rd_atomic,
    .arrived = arrived,
    .completes_before_arrival = true,
    .cpu = cpu,
    .release = release,
};
