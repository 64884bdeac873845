/* SPDX-License-Identifier: Apache-2.0
 * fake_rdma_qp - queue pairs and completion queues in memory. */
#include "base/check.h"
#include "tests/unit/bridge/fake_rdma_private.h"

#include <errno.h>
#include <string.h>

/* ------------------------------------------------------------------ completion queues */

struct ibv_cq *fake_rdma_create_cq(struct ibv_context *context, int entries, void *cq_context,
                                   struct ibv_comp_channel *channel, int vector)
{
    (void)vector;
    if (fake_rdma_fails("create_cq"))
        return NULL;
    struct fake_cq *cq = fake_rdma_new(sizeof *cq);
    cq->cq = (struct ibv_cq){
        .context = context, .channel = channel, .cq_context = cq_context, .cqe = entries};
    cq->last = &cq->first;
    return &cq->cq;
}

static struct fake_cq *of_cq(struct ibv_cq *cq)
{
    return (struct fake_cq *)(void *)cq;
}

static struct fake_completions *of_channel(struct ibv_comp_channel *channel)
{
    return (struct fake_completions *)(void *)channel;
}

int fake_rdma_destroy_cq(struct ibv_cq *ibv)
{
    struct fake_cq *cq = of_cq(ibv);
    struct fake_completions *channel = of_channel(ibv->channel);
    CHECK(cq->unacked == 0); /* the library would wait for ever */
    for (struct fake_cq **link = &channel->first; *link != NULL; link = &(*link)->next_event)
        if (*link == cq) {
            *link = cq->next_event;
            CHECK(fake_rdma_take_signal(channel->channel.fd));
            break;
        }
    while (cq->first != NULL) {
        struct fake_wc *wc = cq->first;
        cq->first = wc->next;
        fake_rdma_delete(wc);
    }
    fake_rdma_delete(cq);
    return 0;
}

static void signal_cq(struct fake_cq *cq)
{
    struct fake_completions *channel = of_channel(cq->cq.channel);
    if (!cq->armed)
        return;
    cq->armed = false;
    if (cq->signalled)
        return;
    cq->signalled = true;
    struct fake_cq **link = &channel->first;
    while (*link != NULL)
        link = &(*link)->next_event;
    cq->next_event = NULL;
    *link = cq;
    fake_rdma_signal(channel->channel.fd);
}

int fake_rdma_notify(struct ibv_cq *cq, int solicited)
{
    (void)solicited;
    if (fake_rdma_fails("req_notify_cq"))
        return errno;
    of_cq(cq)->armed = true;
    return 0;
}

int fake_rdma_get_cq_event(struct ibv_comp_channel *ibv, struct ibv_cq **cq, void **context)
{
    struct fake_completions *channel = of_channel(ibv);
    if (!fake_rdma_take_signal(ibv->fd))
        return -1;
    struct fake_cq *reported = channel->first;
    CHECK(reported != NULL);
    channel->first = reported->next_event;
    reported->signalled = false;
    reported->unacked++;
    *cq = &reported->cq;
    *context = reported->cq.cq_context;
    return 0;
}

void fake_rdma_ack_cq_events(struct ibv_cq *cq, unsigned count)
{
    CHECK(of_cq(cq)->unacked >= count);
    of_cq(cq)->unacked -= count;
}

int fake_rdma_poll(struct ibv_cq *ibv, int count, struct ibv_wc *wc)
{
    struct fake_cq *cq = of_cq(ibv);
    int given = 0;
    if (fake_fabric.poll_limit > 0 && count > fake_fabric.poll_limit)
        count = fake_fabric.poll_limit;
    while (given < count && cq->first != NULL) {
        struct fake_wc *first = cq->first;
        wc[given++] = first->wc;
        cq->first = first->next;
        if (cq->first == NULL)
            cq->last = &cq->first;
        cq->depth--;
        fake_rdma_delete(first);
    }
    return given;
}

static void complete(struct fake_qp *qp, const struct ibv_wc *wc)
{
    struct fake_cq *cq = of_cq(qp->qp.send_cq);
    struct fake_wc *made = fake_rdma_new(sizeof *made);
    CHECK(++cq->depth <= (unsigned)cq->cq.cqe); /* no overrun */
    made->wc = *wc;
    made->wc.qp_num = qp->qp.qp_num;
    *cq->last = made;
    cq->last = &made->next;
    signal_cq(cq);
}

/* ------------------------------------------------------------------ queue pairs */

static struct fake_qp *of_qp(struct ibv_qp *qp)
{
    return (struct fake_qp *)(void *)qp;
}

struct ibv_qp *fake_rdma_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *init)
{
    const struct ibv_qp_cap *cap = &init->cap;
    if (fake_rdma_fails("create_qp"))
        return NULL;
    if (cap->max_inline_data > fake_fabric.inline_most) {
        errno = EINVAL;
        return NULL;
    }
    struct fake_qp *qp = fake_rdma_new(sizeof *qp);
    qp->qp = (struct ibv_qp){
        .context = pd->context,
        .qp_context = init->qp_context,
        .pd = pd,
        .send_cq = init->send_cq,
        .recv_cq = init->recv_cq,
        .qp_num = ++fake_fabric.next_qp,
        .state = IBV_QPS_RESET,
        .qp_type = init->qp_type,
    };
    qp->inline_room = cap->max_inline_data;
    qp->send_room = cap->max_send_wr;
    qp->receive_room = cap->max_recv_wr;
    qp->last_send = &qp->sends;
    qp->last_receive = &qp->receives;
    qp->next = fake_fabric.qps;
    fake_fabric.qps = qp;
    return &qp->qp;
}

bool fake_rdma_name_qp(struct fake_id *id, uint32_t qp_num)
{
    for (struct fake_qp *qp = fake_fabric.qps; qp != NULL; qp = qp->next)
        if (qp->qp.qp_num == qp_num && (qp->owner == NULL || qp->owner == id)) {
            qp->owner = id;
            id->qp = qp;
            return true;
        }
    return false;
}

static void drop(struct fake_wr **first, struct fake_wr ***last, unsigned *count)
{
    struct fake_wr *wr = *first;
    *first = wr->next;
    if (*first == NULL)
        *last = first;
    --*count;
    fake_rdma_delete(wr);
}

int fake_rdma_destroy_qp(struct ibv_qp *ibv)
{
    struct fake_qp *qp = of_qp(ibv), **link = &fake_fabric.qps;
    while (qp->sends != NULL)
        drop(&qp->sends, &qp->last_send, &qp->send_count);
    while (qp->receives != NULL)
        drop(&qp->receives, &qp->last_receive, &qp->receive_count);
    if (qp->owner != NULL)
        qp->owner->qp = NULL;
    while (*link != qp)
        link = &(*link)->next;
    *link = qp->next;
    fake_rdma_delete(qp);
    return 0;
}

static void end_send(struct fake_qp *qp, enum ibv_wc_status status)
{
    static const enum ibv_wc_opcode opcodes[] = {
        [IBV_WR_RDMA_WRITE] = IBV_WC_RDMA_WRITE,
        [IBV_WR_SEND] = IBV_WC_SEND,
        [IBV_WR_RDMA_READ] = IBV_WC_RDMA_READ,
        [IBV_WR_SEND_WITH_INV] = IBV_WC_SEND,
    };
    const struct fake_wr *wr = qp->sends;
    const struct ibv_wc wc = {.wr_id = wr->wr_id, .status = status, .opcode = opcodes[wr->opcode]};
    if (wr->signalled || status != IBV_WC_SUCCESS)
        complete(qp, &wc);
    drop(&qp->sends, &qp->last_send, &qp->send_count);
}

void fake_rdma_break_qp(struct fake_qp *qp)
{
    if (qp == NULL || qp->qp.state == IBV_QPS_ERR)
        return;
    qp->qp.state = IBV_QPS_ERR;
    while (qp->sends != NULL)
        end_send(qp, IBV_WC_WR_FLUSH_ERR);
    while (qp->receives != NULL) {
        const struct ibv_wc wc = {
            .wr_id = qp->receives->wr_id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV};
        complete(qp, &wc);
        drop(&qp->receives, &qp->last_receive, &qp->receive_count);
    }
}

void fake_rdma_give_up(struct fake_qp *qp)
{
    if (qp->sends == NULL)
        return;
    end_send(qp, IBV_WC_RETRY_EXC_ERR);
    fake_rdma_break_qp(qp);
}

/* ------------------------------------------------------------------ moving bytes */

static unsigned char *local(const struct ibv_sge *sge)
{
    const struct ibv_mr *mr = sge->lkey < FAKE_MRS ? fake_fabric.mrs[sge->lkey] : NULL;
    const uint64_t start = mr == NULL ? 0 : (uint64_t)(uintptr_t)mr->addr;
    if (mr == NULL || sge->addr < start || sge->addr + sge->length > start + mr->length)
        return NULL;
    return (unsigned char *)(uintptr_t)sge->addr;
}

static uint32_t length_of(const struct fake_wr *wr)
{
    uint32_t length = 0;
    for (int i = 0; i < wr->sge_count; i++)
        length += wr->sges[i].length;
    return length;
}

/* Copies between the pieces and flat memory; false: a key or range is wrong. */
static bool copy(const struct fake_wr *wr, unsigned char *flat, uint32_t length, bool into_pieces)
{
    for (int i = 0; i < wr->sge_count && length > 0; i++) {
        unsigned char *piece = local(&wr->sges[i]);
        const uint32_t size = wr->sges[i].length < length ? wr->sges[i].length : length;
        if (piece == NULL)
            return false;
        memcpy(into_pieces ? piece : flat, into_pieces ? flat : piece, size);
        flat += size;
        length -= size;
    }
    return true;
}

static void spoil(unsigned char *bytes, uint32_t length)
{
    if (!fake_fabric.corrupt || length < 512)
        return;
    bytes[length - 300] ^= 0x40;
    fake_fabric.corrupt = false;
}

static enum ibv_wc_status rdma(const struct fake_wr *wr)
{
    const uint32_t key = wr->rkey & 0x7FFFFFFFu, length = length_of(wr);
    const struct ibv_mr *mr = key < FAKE_MRS ? fake_fabric.mrs[key] : NULL;
    const bool reads = wr->opcode == IBV_WR_RDMA_READ;
    const int right = reads ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;
    const uint64_t start = mr == NULL ? 0 : (uint64_t)(uintptr_t)mr->addr;
    if (mr == NULL || (fake_fabric.mr_access[key] & right) == 0 || wr->remote < start ||
        wr->remote + length > start + mr->length)
        return IBV_WC_REM_ACCESS_ERR;
    unsigned char *remote = (unsigned char *)(uintptr_t)wr->remote;
    if (!copy(wr, remote, length, reads))
        return IBV_WC_LOC_PROT_ERR;
    spoil(reads ? (unsigned char *)(uintptr_t)wr->sges[0].addr : remote, length);
    return IBV_WC_SUCCESS;
}

static enum ibv_wc_status deliver(struct fake_qp *from, struct fake_qp *to)
{
    static unsigned char flat[1 << 21];
    const struct fake_wr *wr = from->sends, *receive = to->receives;
    const uint32_t length = length_of(wr);
    const bool fits = length <= length_of(receive);
    CHECK(length <= sizeof flat);
    if (!copy(wr, flat, length, false))
        return IBV_WC_LOC_PROT_ERR;
    spoil(flat, length);
    const bool inv = wr->opcode == IBV_WR_SEND_WITH_INV;
    const struct ibv_wc wc = {
        .wr_id = receive->wr_id,
        .status = fits ? IBV_WC_SUCCESS : IBV_WC_LOC_LEN_ERR,
        .opcode = IBV_WC_RECV,
        .byte_len = length,
        .wc_flags = inv ? IBV_WC_WITH_INV : 0,
        .invalidated_rkey = wr->invalidate,
    };
    if (fits && !copy(receive, flat, length, true))
        return IBV_WC_REM_OP_ERR;
    complete(to, &wc);
    drop(&to->receives, &to->last_receive, &to->receive_count);
    return fits ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR;
}

static enum ibv_wc_status ending(void)
{
    if (!fake_fabric.end_set || fake_fabric.end_skip-- > 0)
        return IBV_WC_SUCCESS;
    fake_fabric.end_set = false;
    return fake_fabric.end_status;
}

static bool reachable(const struct fake_qp *qp)
{
    const struct fake_id *peer = qp->owner == NULL ? NULL : qp->owner->peer;
    return peer != NULL && peer->qp != NULL && peer->qp->qp.state == IBV_QPS_RTS &&
           !peer->node->silent && !qp->owner->node->silent;
}

void fake_rdma_progress(struct fake_qp *qp)
{
    while (qp->qp.state == IBV_QPS_RTS && qp->sends != NULL && reachable(qp)) {
        struct fake_qp *peer = qp->owner->peer->qp;
        struct fake_wr *wr = qp->sends;
        const bool sends = wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_INV;
        if (sends && peer->receives == NULL) {
            fake_fabric.rnr += !wr->announced;
            wr->announced = true;
            return;
        }
        enum ibv_wc_status status = ending();
        if (status == IBV_WC_SUCCESS)
            status = sends ? deliver(qp, peer) : rdma(wr);
        end_send(qp, status);
        if (status != IBV_WC_SUCCESS) {
            fake_rdma_break_qp(qp);
            fake_rdma_break_qp(peer);
        }
    }
}

/* ------------------------------------------------------------------ posting */

static struct fake_wr *new_wr(uint64_t wr_id, const struct ibv_sge *sges, int count)
{
    struct fake_wr *wr = fake_rdma_new(sizeof *wr);
    CHECK(count >= 0 && count <= FAKE_SGES);
    wr->wr_id = wr_id;
    wr->sge_count = count;
    for (int i = 0; i < count; i++)
        wr->sges[i] = sges[i];
    return wr;
}

static bool inline_fits(const struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    uint32_t length = 0;
    for (int i = 0; i < wr->num_sge; i++)
        length += wr->sg_list[i].length;
    return length <= qp->inline_room;
}

int fake_rdma_post_send(struct ibv_qp *ibv, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    struct fake_qp *qp = of_qp(ibv);
    for (; wr != NULL; wr = wr->next) {
        *bad = wr;
        if (fake_rdma_fails("post_send"))
            return errno;
        if (ibv->state != IBV_QPS_RTS && ibv->state != IBV_QPS_ERR)
            return EINVAL;
        if (qp->send_count == qp->send_room)
            return ENOMEM;
        if ((wr->send_flags & IBV_SEND_INLINE) != 0 && !inline_fits(qp, wr))
            return EINVAL;
        struct fake_wr *made = new_wr(wr->wr_id, wr->sg_list, wr->num_sge);
        made->opcode = wr->opcode;
        made->signalled = (wr->send_flags & IBV_SEND_SIGNALED) != 0;
        if (wr->opcode == IBV_WR_SEND_WITH_INV)
            made->invalidate = wr->invalidate_rkey;
        made->remote = wr->wr.rdma.remote_addr;
        made->rkey = wr->wr.rdma.rkey;
        *qp->last_send = made;
        qp->last_send = &made->next;
        qp->send_count++;
        if (ibv->state == IBV_QPS_ERR)
            end_send(qp, IBV_WC_WR_FLUSH_ERR);
    }
    *bad = NULL;
    fake_rdma_progress(qp);
    return 0;
}

int fake_rdma_post_recv(struct ibv_qp *ibv, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct fake_qp *qp = of_qp(ibv);
    *bad = wr;
    if (fake_rdma_fails("post_recv"))
        return errno;
    if (ibv->state == IBV_QPS_RESET)
        return EINVAL;
    if (qp->receive_count == qp->receive_room)
        return ENOMEM;
    if (ibv->state == IBV_QPS_ERR) {
        const struct ibv_wc wc = {
            .wr_id = wr->wr_id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV};
        complete(qp, &wc);
        return 0;
    }
    struct fake_wr *made = new_wr(wr->wr_id, wr->sg_list, wr->num_sge);
    *qp->last_receive = made;
    qp->last_receive = &made->next;
    qp->receive_count++;
    if (qp->owner != NULL && qp->owner->peer != NULL && qp->owner->peer->qp != NULL)
        fake_rdma_progress(qp->owner->peer->qp);
    return 0;
}
