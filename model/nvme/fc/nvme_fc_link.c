/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc_link - link services of a target: associations and connections.
 * An association is the number that its connections have in common; a connection's identifier is
 * that number and its queue (nvmet_fc_makeconnid). */
#include "nvme/fc/nvme_fc_private.h"

#include "base/memory.h"

#include <stdlib.h>

static void answer(struct fc_exchange *exchange, const struct fc_ls *ls)
{
    unsigned char bytes[FC_LS_MOST];
    const uint32_t length = fc_ls_encode(ls, bytes);
    fc_send(exchange, &(struct fc_unit){.r_ctl = FC_RCTL_LS_REPLY,
                                        .type = FC_TYPE_NVME,
                                        .last = true,
                                        .bytes = bytes,
                                        .length = length,
                                        .cookie = 1});
}

/* An answered exchange ends when the answer has left. */
static void on_answered(void *self, struct fc_exchange *exchange, uint32_t cookie)
{
    (void)self, (void)cookie;
    fc_close(exchange);
}

static void reject(struct fc_exchange *exchange, uint8_t kind, uint8_t reason)
{
    fc_set_user(exchange, &(struct fc_user){.on_sent = on_answered});
    answer(exchange, &(struct fc_ls){.kind = FC_LS_REJECT, .answers = kind, .reason = reason});
}

/* ---- queues ---- */

static uint8_t kind_of(const struct fc_target_conn *conn)
{
    return conn->request.qid == 0 ? FC_LS_CREATE_ASSOCIATION : FC_LS_CREATE_CONNECTION;
}

static void on_link_lost(void *self, struct fc_exchange *exchange, const char *why)
{
    struct fc_target_conn *conn = self;
    (void)why;
    conn->link = NULL;
    fc_close(exchange);
}

static void established(void *self)
{
    struct fc_target_conn *conn = self;
    if (!conn->base.closed && !conn->base.failed)
        conn->user.on_established(conn->user.self);
}

uint32_t nvme_fc_accept(struct nvme_transport_conn *base, const struct nvme_transport_accept *how)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    conn->user = how->user;
    conn->slot_count = 2u * how->entries; /* a host may reuse a tag before its response is reported
                                           * as sent here */
    conn->transfers = memory_zeroed(conn->slot_count, sizeof(struct nvme_transfer *));
    conn->accepted = true;
    fc_defer(base->fc->site.fc, established, conn);
    if (conn->link == NULL)
        return conn->slot_count;
    fc_set_user(conn->link, &(struct fc_user){.on_sent = on_answered});
    answer(conn->link, &(struct fc_ls){.kind = FC_LS_ACCEPT,
                                       .answers = kind_of(conn),
                                       .association = conn->association,
                                       .connection = conn->id});
    conn->link = NULL;
    return conn->slot_count;
}

void nvme_fc_reject(struct nvme_transport_conn *base, enum nvme_cm_reject why)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    (void)why; /* LS_RJT has other reasons */
    base->closed = true;
    if (conn->link != NULL)
        reject(conn->link, kind_of(conn), FC_LS_UNABLE);
    conn->link = NULL;
}

static void begin_request(void *self, const void *what)
{
    struct fc_target_conn *conn = self;
    struct nvme_fc *fc = conn->base.fc;
    (void)what;
    fc->listener.on_request(fc->listener.self, &conn->base, &conn->request);
}

static void make_queue(struct nvme_fc *fc, struct fc_exchange *exchange, const struct fc_ls *ls,
                       uint64_t association)
{
    struct fc_target_conn *conn = memory_zeroed(1, sizeof *conn);
    const bool admin = ls->kind == FC_LS_CREATE_ASSOCIATION;
    conn->base = (struct nvme_transport_conn){.fc = fc};
    conn->association = association;
    conn->id = association | (admin ? 0 : ls->qid);
    conn->ersp_ratio = ls->ersp_ratio;
    conn->link = exchange;
    conn->request = (struct nvme_transport_request){
        .ip = fc_peer_ip(exchange),
        .announced = true,
        .qid = admin ? 0 : ls->qid,
        .entries = ls->sqsize + 1u,
        .answers = ls->sqsize + 1u,
    };
    conn->next = fc->conns;
    fc->conns = conn;
    fc_set_user(exchange, &(struct fc_user){.self = conn, .on_failed = on_link_lost});
    if (!nvme_stall_holds(fc->listener.stall, begin_request, conn, "", 1))
        begin_request(conn, NULL);
}

static bool has_association(const struct nvme_fc *fc, uint64_t association, uint32_t ip)
{
    const struct fc_target_conn *conn = fc->conns;
    while (conn != NULL && (conn->association != association || conn->request.ip != ip ||
                            conn->base.closed || conn->base.failed))
        conn = conn->next;
    return conn != NULL;
}

/* ---- the end of an association ---- */

static void part(void *self, const void *what)
{
    struct fc_target_conn *conn = self;
    (void)what;
    if (conn->base.closed || conn->base.failed || !conn->accepted)
        return;
    if (conn->user.on_parted != NULL)
        conn->user.on_parted(conn->user.self);
    else
        nvme_fc_target_fail(conn, "the host ended the association");
}

static void part_later(void *self)
{
    struct fc_target_conn *conn = self;
    if (!nvme_stall_holds(conn->base.fc->listener.stall, part, conn, "", 1))
        part(conn, NULL);
}

/* The queues of the association end one by one, I/O queues first, because they are newer. */
static void end_association(struct nvme_fc *fc, uint64_t association)
{
    for (struct fc_target_conn *at = fc->conns; at != NULL; at = at->next)
        if (at->association == association)
            fc_defer(fc->site.fc, part_later, at);
}

void nvme_fc_on_link(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct nvme_fc *fc = self;
    struct fc_ls ls;
    if (unit->r_ctl != FC_RCTL_LS_REQUEST || !fc_ls_decode(&ls, unit->bytes, unit->length)) {
        reject(exchange, unit->length > 0 ? unit->bytes[0] : 0, FC_LS_UNSUPPORTED);
        return;
    }
    const bool known = has_association(fc, ls.association, fc_peer_ip(exchange));
    switch (ls.kind) {
    case FC_LS_CREATE_ASSOCIATION:
        fc->last_association += 1 << 16;
        make_queue(fc, exchange, &ls, fc->last_association);
        return;
    case FC_LS_CREATE_CONNECTION:
        if (known && ls.qid > 0)
            make_queue(fc, exchange, &ls, ls.association);
        else
            reject(exchange, ls.kind, FC_LS_NO_ASSOCIATION);
        return;
    case FC_LS_DISCONNECT:
        fc_set_user(exchange, &(struct fc_user){.on_sent = on_answered});
        answer(exchange, &(struct fc_ls){.kind = FC_LS_ACCEPT, .answers = ls.kind});
        if (known)
            end_association(fc, ls.association);
        return;
    default:
        reject(exchange, ls.kind, FC_LS_UNSUPPORTED);
    }
}

/* ---- end of a connection ---- */

static void closed(void *self)
{
    struct fc_target_conn *conn = self;
    conn->user.on_closed(conn->user.self);
}

void nvme_fc_target_end(struct nvme_transport_conn *base, bool tell)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    struct fc *fc = base->fc->site.fc;
    if (base->closed && tell)
        return;
    base->closed = true;
    fc_forget(fc, conn);
    nvme_fc_drop_commands(conn);
    if (conn->link != NULL)
        fc_close(conn->link);
    conn->link = NULL;
    if (tell && conn->accepted)
        fc_defer(fc, closed, conn);
}

void nvme_fc_target_free(struct nvme_transport_conn *base)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    struct fc_target_conn **link = &base->fc->conns;
    while (*link != conn)
        link = &(*link)->next;
    *link = conn->next;
    while (conn->newest != NULL) {
        struct fc_capsule *capsule = conn->newest;
        conn->newest = capsule->older;
        nvme_transport_unmap(&base->fc->base, &capsule->bytes);
        free(capsule);
    }
    free(conn->transfers);
    free(conn);
}
