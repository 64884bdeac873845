/* SPDX-License-Identifier: Apache-2.0
 * pdu_transport - the table: what hosts and targets call. */
#include "tests/unit/nvme/pdu_net_private.h"

#include "base/check.h"
#include "base/memory.h"
#include "nvme/wire/discovery.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- either side ---- */

static struct nvme_transport_conn *new_conn(struct pdu_transport *transport)
{
    struct nvme_transport_conn *conn = memory_new(sizeof *conn);
    conn->net = transport->net;
    conn->transport = transport;
    conn->number = ++transport->net->numbers;
    conn->next = transport->net->conns;
    transport->net->conns = conn;
    transport->net->open++;
    return conn;
}

static void disconnect(struct nvme_transport_conn *conn)
{
    conn->ended = true;
    if (conn->peer != NULL)
        pdu_net_send(conn->peer, &(struct pdu){.type = PDU_TERM}, NULL);
    if (!conn->is_host)
        pdu_net_send_own(conn, PDU_TERM, 0);
}

static void drop(struct nvme_transport_conn *conn)
{
    conn->ended = true;
    conn->target.self = NULL;
}

/* What is on its way may still name it: its memory goes with the net. */
static void close_conn(struct nvme_transport_conn *conn)
{
    drop(conn);
    conn->closed = true;
    conn->net->open--;
    while (conn->capsules != NULL) {
        struct held_capsule *held = conn->capsules;
        conn->capsules = held->next;
        free(held->data.bytes);
        free(held);
    }
    free(conn->slots);
    free(conn->transfers);
    conn->slots = NULL;
    conn->transfers = NULL;
    conn->entries = 0;
}

static uint32_t number(const struct nvme_transport_conn *conn)
{
    return conn->number;
}

static uint32_t local_ip(struct nvme_transport *transport)
{
    return pdu_net_of(transport)->ip;
}

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    (void)directions; /* nobody reaches into it */
    *buffer = (struct nvme_buffer){.length = length, .memory = memory};
    if (memory == NVME_MEMORY_BYTES)
        buffer->bytes = memory_zeroed(length, 1);
    pdu_net_of(transport)->net->mapped++;
    return true;
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    pdu_net_of(transport)->net->mapped--;
    free(buffer->bytes);
    *buffer = (struct nvme_buffer){0};
}

/* A tag is all there is, and it comes with the data. */
static void leave(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length)
{
    (void)transport, (void)buffer, (void)length;
}

static void destroy(struct nvme_transport *transport)
{
    free(pdu_net_of(transport));
}

/* ---- what a host calls ---- */

static struct nvme_transport_conn *connect_queue(struct nvme_transport *transport,
                                                 const struct nvme_transport_connect *how)
{
    struct pdu_net *net = pdu_net_of(transport)->net;
    struct nvme_transport_conn *conn = new_conn(pdu_net_of(transport));
    conn->is_host = true;
    conn->host = how->user;
    conn->entries = how->entries;
    conn->in_capsule = how->qid == 0 ? (uint32_t)PDU_ADMIN_CAPSULE : how->in_capsule;
    conn->slots = memory_zeroed(how->entries, sizeof *conn->slots);
    if (net->listening == NULL || pdu_net_of(net->listening)->ip != how->ip) {
        pdu_net_send(conn, &(struct pdu){.type = PDU_TERM}, NULL);
        return conn;
    }
    conn->peer = new_conn(pdu_net_of(net->listening));
    conn->peer->peer = conn;
    net->open--; /* the peer's counts from its request on */
    pdu_net_send(conn->peer, &(struct pdu){.type = PDU_IC_REQ}, NULL);
    return conn;
}

static bool send_command(struct nvme_transport_conn *conn, uint16_t tag,
                         struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes)
{
    const bool out = nvme_capsule_direction(command) == NVME_DATA_OUT;
    const bool in_capsule = out && bytes > 0 && bytes <= conn->in_capsule;
    CHECK(tag < conn->entries && !conn->slots[tag].busy);
    conn->slots[tag] = (struct slot){data, bytes, command->cid, true};
    command->sgl = (struct nvme_sgl){
        .type = in_capsule ? (uint8_t)NVME_SGL_IN_CAPSULE : (uint8_t)PDU_SGL, .length = bytes};
    struct pdu pdu = {.type = PDU_COMMAND, .length = in_capsule ? bytes : 0};
    nvme_capsule_encode_command(command, pdu.head);
    pdu_net_send(conn->peer, &pdu, in_capsule ? data : NULL);
    return true;
}

/* ---- what a target calls ---- */

static bool listen_at(struct nvme_transport *transport,
                      const struct nvme_transport_listener *listener)
{
    struct pdu_net *net = pdu_net_of(transport)->net;
    if (net->listening != NULL)
        return false;
    pdu_net_of(transport)->listener = *listener;
    net->listening = transport;
    return true;
}

static void unlisten(struct nvme_transport *transport)
{
    pdu_net_of(transport)->net->listening = NULL;
}

static uint32_t accept_conn(struct nvme_transport_conn *conn,
                            const struct nvme_transport_accept *how)
{
    conn->target = how->user;
    conn->entries = how->entries;
    conn->transfers = memory_zeroed(2u * how->entries, sizeof(struct nvme_transfer *));
    pdu_net_send(conn->peer, &(struct pdu){.type = PDU_IC_RESP}, NULL);
    pdu_net_send_own(conn, PDU_IC_RESP, 0);
    return 2u * how->entries;
}

static void reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why)
{
    (void)why; /* it has no word for it */
    conn->ended = true;
    pdu_net_send(conn->peer, &(struct pdu){.type = PDU_TERM}, NULL);
}

static uint16_t judge_sgl(const struct nvme_sgl *sgl)
{
    return sgl->type == PDU_SGL ? NVME_STATUS_OK : NVME_STATUS_SGL_TYPE | NVME_STATUS_DNR;
}

static bool reserve(struct nvme_transport_conn *conn, struct nvme_transfer *transfer)
{
    const uint32_t room = conn->net->room;
    CHECK(transfer->credits == 0);
    if (room > 0 && conn->begun >= room)
        return false;
    conn->begun++;
    transfer->credits = 1;
    conn->transfers[transfer->slot] = transfer;
    return true;
}

static bool fetch(struct nvme_transport_conn *conn, struct nvme_transfer *transfer)
{
    const struct pdu r2t = {.type = PDU_R2T,
                            .cid = wire_get16(transfer->capsule->sqe + 2),
                            .slot = transfer->slot,
                            .length = transfer->length};
    pdu_net_send(conn->peer, &r2t, NULL);
    return true;
}

static void give_back(struct nvme_transport_conn *conn, struct nvme_capsule *capsule)
{
    struct held_capsule **at = &conn->capsules;
    while (&(*at)->capsule != capsule)
        at = &(*at)->next;
    struct held_capsule *held = *at;
    *at = held->next;
    free(held->data.bytes);
    free(held);
}

static bool respond(struct nvme_transport_conn *conn, struct nvme_transfer *transfer,
                    const struct nvme_response *response, bool with_data)
{
    struct pdu pdu = {.type = PDU_RESPONSE, .cid = response->cid};
    if (with_data)
        pdu_net_send_data(conn->peer, (struct pdu){.type = PDU_C2H, .cid = response->cid},
                          transfer->length, transfer->data, transfer->length);
    nvme_capsule_encode_response(response, pdu.head);
    pdu_net_send(conn->peer, &pdu, NULL);
    give_back(conn, transfer->capsule);
    pdu_net_send_own(conn, PDU_RESPONSE, transfer->slot);
    return true;
}

static void audit(const struct nvme_transport_conn *conn)
{
    CHECK(conn->begun <= 2u * conn->entries);
}

static void describe(struct nvme_discovery_record *record)
{
    snprintf(record->service, sizeof record->service, "8009");
}

static const struct nvme_transport_ops ops = {
    .name = "pdu",
    .type = PDU_TRANSPORT_TCP,
    .map = map,
    .unmap = unmap,
    .fill = leave,
    .look = leave,
    .connect = connect_queue,
    .send_command = send_command,
    .listen = listen_at,
    .unlisten = unlisten,
    .accept = accept_conn,
    .reject = reject,
    .judge_sgl = judge_sgl,
    .reserve = reserve,
    .fetch = fetch,
    .respond = respond,
    .audit = audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = disconnect,
    .drop = drop,
    .close = close_conn,
    .number = number,
    .destroy = destroy,
};

struct nvme_transport *pdu_net_transport(struct pdu_net *net, uint32_t ip)
{
    struct pdu_transport *transport = memory_new(sizeof *transport);
    *transport = (struct pdu_transport){.base = {&ops}, .net = net, .ip = ip};
    return &transport->base;
}
