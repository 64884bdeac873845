/* SPDX-License-Identifier: Apache-2.0
 * pdu_net - PDUs on their way, and what each side hears. */
#include "tests/unit/nvme/pdu_net_private.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- PDUs on their way ---- */

static uint32_t wire_length(const struct pdu *pdu)
{
    static const uint8_t heads[] = {128, 128, 24, 24, 72, 24, 24, 24, 0, 24};
    return heads[pdu->type] + (pdu->type == PDU_R2T ? 0 : pdu->length);
}

static void on_arrival(void *self, void *what);

void pdu_net_send(struct nvme_transport_conn *to, const struct pdu *like,
                  const struct nvme_buffer *data)
{
    struct pdu_net *net = to->net;
    struct pdu *pdu = memory_new(sizeof *pdu);
    *pdu = *like;
    pdu->to = to;
    if (data != NULL && data->bytes != NULL) {
        pdu->bytes = memory_zeroed(pdu->length, 1);
        memcpy(pdu->bytes, data->bytes + pdu->at, pdu->length);
    } else if (data != NULL) {
        pdu->content = data->content;
    }
    pdu->spoiled = !pdu->own && (int)pdu->type == net->spoils;
    if (pdu->spoiled)
        net->spoils = -1;
    if (!pdu->own && net->logged < PDU_LOG_MAX)
        net->log[net->logged] = (struct pdu_log){pdu->type, wire_length(pdu)};
    net->logged += !pdu->own;
    stage_at(net->stage, net->stage->now + PDU_DELAY, on_arrival, NULL, pdu);
}

void pdu_net_send_own(struct nvme_transport_conn *conn, enum pdu_type type, uint16_t slot)
{
    pdu_net_send(conn, &(struct pdu){.type = type, .slot = slot, .own = true}, NULL);
}

static void free_pdu(struct pdu *pdu)
{
    free(pdu->bytes);
    free(pdu);
}

static void take_data(struct nvme_buffer *to, const struct pdu *pdu)
{
    if (to->bytes != NULL && pdu->bytes != NULL)
        memcpy(to->bytes + pdu->at, pdu->bytes, pdu->length);
    to->content = pdu->content;
}

void pdu_net_send_data(struct nvme_transport_conn *to, struct pdu like, uint32_t length,
                       const struct nvme_buffer *data, uint32_t most)
{
    for (uint32_t at = 0; at < length; at += like.length) {
        like.at = at;
        like.length = length - at < most ? length - at : most;
        like.last = at + like.length == length;
        pdu_net_send(to, &like, data);
    }
}

/* ---- what a host hears ---- */

static void fail(const struct nvme_transport_conn *conn, const char *why)
{
    if (conn->is_host)
        conn->host.on_failed(conn->host.self, why);
    else
        conn->target.on_failed(conn->target.self, why);
}

static struct slot *slot_of(const struct nvme_transport_conn *conn, uint16_t cid)
{
    for (uint16_t i = 0; i < conn->entries; i++)
        if (conn->slots[i].busy && conn->slots[i].cid == cid)
            return &conn->slots[i];
    return NULL;
}

static void host_response(struct nvme_transport_conn *conn, const struct pdu *pdu)
{
    struct nvme_response response;
    nvme_capsule_decode_response(&response, pdu->head);
    const int32_t tag = conn->host.on_response(conn->host.self, &response);
    if (tag < 0)
        return;
    conn->slots[tag].busy = false;
    conn->host.on_done(conn->host.self, (uint16_t)tag);
}

static void host_hears(struct nvme_transport_conn *conn, struct pdu *pdu)
{
    const struct slot *slot = slot_of(conn, pdu->cid);
    switch (pdu->type) {
    case PDU_IC_RESP:
        conn->host.on_established(conn->host.self);
        break;
    case PDU_R2T:
        CHECK(slot != NULL && pdu->length == slot->bytes);
        pdu_net_send_data(conn->peer,
                          (struct pdu){.type = PDU_H2C, .cid = pdu->cid, .slot = pdu->slot},
                          slot->bytes, slot->data, PDU_H2C_MAX);
        break;
    case PDU_C2H:
        CHECK(slot != NULL && pdu->at + pdu->length <= slot->bytes);
        take_data(slot->data, pdu);
        break;
    case PDU_RESPONSE:
        host_response(conn, pdu);
        break;
    default:
        fail(conn, "disconnected");
    }
}

/* ---- what a target hears ---- */

static void target_capsule(struct nvme_transport_conn *conn, struct pdu *pdu)
{
    struct held_capsule *held = memory_new(sizeof *held);
    memcpy(held->sqe, pdu->head, sizeof held->sqe);
    held->data = (struct nvme_buffer){
        .length = pdu->length,
        .content = pdu->content,
        .memory = pdu->bytes != NULL ? NVME_MEMORY_BYTES : NVME_MEMORY_BULK,
        .bytes = pdu->bytes,
    };
    pdu->bytes = NULL;
    held->capsule =
        (struct nvme_capsule){.sqe = held->sqe, .data = &held->data, .data_bytes = pdu->length};
    held->next = conn->capsules;
    conn->capsules = held;
    conn->target.on_capsule(conn->target.self, &held->capsule);
}

static void target_hears(struct nvme_transport_conn *conn, struct pdu *pdu)
{
    struct pdu_transport *transport = conn->transport;
    const struct nvme_transport_request request = {.ip = conn->peer->transport->ip};
    struct nvme_transfer *transfer;
    switch (pdu->type) {
    case PDU_IC_REQ:
        conn->net->open++;
        transport->listener.on_request(transport->listener.self, conn, &request);
        break;
    case PDU_IC_RESP:
        conn->target.on_established(conn->target.self);
        break;
    case PDU_COMMAND:
        target_capsule(conn, pdu);
        break;
    case PDU_RESPONSE: /* has left */
        transfer = conn->transfers[pdu->slot];
        conn->begun--;
        transfer->credits = 0;
        conn->target.on_responded(conn->target.self, transfer);
        break;
    case PDU_H2C:
        transfer = conn->transfers[pdu->slot];
        take_data(transfer->data, pdu);
        if (pdu->last)
            conn->target.on_fetched(conn->target.self, transfer);
        break;
    default:
        conn->target.on_closed(conn->target.self);
    }
}

static void hear(void *self, const void *what)
{
    struct pdu *pdu = self;
    struct nvme_transport_conn *conn = pdu->to;
    const bool over = conn->closed || (conn->ended && (conn->is_host || pdu->type != PDU_TERM));
    const bool known = conn->is_host || conn->target.self != NULL || pdu->type == PDU_IC_REQ;
    (void)what;
    if (!over && known && pdu->spoiled)
        fail(conn, "wrong digest");
    else if (!over && known)
        (conn->is_host ? host_hears : target_hears)(conn, pdu);
    free_pdu(pdu);
}

static void on_arrival(void *self, void *what)
{
    struct pdu *pdu = what;
    struct nvme_transport_conn *to = pdu->to;
    (void)self;
    const bool asks = pdu->type == PDU_IC_REQ;
    if (to->closed || (to->net->silent && !pdu->own)) {
        free_pdu(pdu);
    } else if (asks && to->net->listening != &to->transport->base) {
        pdu_net_send(to->peer, &(struct pdu){.type = PDU_TERM}, NULL);
        to->closed = true;
        free_pdu(pdu);
    } else if (to->is_host ||
               !nvme_stall_holds(to->transport->listener.stall, hear, pdu, NULL, 0)) {
        hear(pdu, NULL);
    }
}

/* ---- the net ---- */

void pdu_net_init(struct pdu_net *net, struct stage *stage)
{
    *net = (struct pdu_net){.stage = stage, .spoils = -1};
}

void pdu_net_cut(struct pdu_net *net)
{
    for (struct nvme_transport_conn *conn = net->conns; conn != NULL; conn = conn->next)
        if (!conn->closed && (conn->is_host || conn->target.self != NULL))
            pdu_net_send_own(conn, PDU_TERM, 0);
}

void pdu_net_fini(struct pdu_net *net)
{
    stage_run(net->stage, net->stage->now + 2 * PDU_DELAY); /* what is on its way */
    CHECK(net->open == 0 && net->mapped == 0);
    while (net->conns != NULL) {
        struct nvme_transport_conn *conn = net->conns;
        net->conns = conn->next;
        free(conn);
    }
}
