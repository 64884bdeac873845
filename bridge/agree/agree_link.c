/* SPDX-License-Identifier: Apache-2.0
 * agree_link - two buffers with their work requests. */
#include "bridge/agree/agree_link.h"

/* A send may still be incomplete when its answer has arrived and is being answered. */
const struct ibv_qp_cap agree_link_cap = {
    .max_send_wr = 4, .max_recv_wr = 2, .max_send_sge = 1, .max_recv_sge = 1};

bool agree_link_open(struct agree_link *link, const struct agree_site *site, enum agree_side side)
{
    *link = (struct agree_link){.site = site, .side = side};
    link->in =
        site->verbs->reg_mr(site->device, AGREE_MOMENT_BYTES, IBV_ACCESS_LOCAL_WRITE, VERBS_BYTES);
    link->out = site->verbs->reg_mr(site->device, AGREE_MOMENT_BYTES, 0, VERBS_BYTES);
    return link->in != NULL && link->out != NULL;
}

void agree_link_close(struct agree_link *link)
{
    const struct agree_site *site = link->site;
    if (link->conn != NULL)
        site->verbs->destroy(link->conn);
    if (link->in != NULL)
        site->verbs->dereg_mr(site->device, link->in);
    if (link->out != NULL)
        site->verbs->dereg_mr(site->device, link->out);
    *link = (struct agree_link){0};
}

static struct ibv_sge whole(const struct verbs_mr *mr)
{
    return (struct ibv_sge){.addr = mr->addr, .length = AGREE_MOMENT_BYTES, .lkey = mr->lkey};
}

bool agree_link_listen(struct agree_link *link)
{
    struct ibv_sge sge = whole(link->in);
    struct ibv_recv_wr wr = {.sg_list = &sge, .num_sge = 1}, *bad = NULL;
    return link->site->verbs->post_recv(link->conn, &wr, &bad) == 0;
}

bool agree_link_say(struct agree_link *link, const struct agree_moment *moment)
{
    struct ibv_sge sge = whole(link->out);
    struct ibv_send_wr wr = {.sg_list = &sge,
                             .num_sge = 1,
                             .opcode = IBV_WR_SEND,
                             .send_flags = IBV_SEND_SIGNALED},
                       *bad = NULL;
    agree_write_moment(moment, link->out->bytes);
    agree_prove_moment(&link->session, link->side, link->out->bytes);
    return agree_link_listen(link) && link->site->verbs->post_send(link->conn, &wr, &bad) == 0;
}

bool agree_link_heard(const struct agree_link *link, const struct ibv_wc *wc,
                      struct agree_moment *moment)
{
    return wc->status == IBV_WC_SUCCESS && (wc->opcode & IBV_WC_RECV) != 0 &&
           agree_read_moment(link->in->bytes, wc->byte_len, moment) &&
           agree_moment_is_proven(&link->session,
                                  link->side == AGREE_HOST ? AGREE_TARGET : AGREE_HOST,
                                  link->in->bytes);
}
