/* SPDX-License-Identifier: Apache-2.0
 * tcp_host - a host's connection.
 * The state of a command belongs to its tag. A command is done with its response: its capsule and
 * the data that an R2T requested have left before, because the controller answers them. */
#include "nvme/tcp/tcp_private.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct slot {
    unsigned char sqe[NVME_SQE_BYTES];
    struct nvme_buffer *data;
    uint32_t bytes;    /* of data */
    uint32_t received; /* C2HData so far */
    uint32_t granted;  /* by R2T so far */
    uint32_t unsent;   /* PDUs of the command in the line */
    uint32_t r2ts;     /* whose data has not left yet */
    uint16_t cid;
    bool busy, out, in_capsule;
    bool damaged; /* its data are not those that were sent */
};

struct host_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_host user;
    struct slot *slots;    /* by tag */
    uint32_t in_capsule;   /* of I/O commands */
    uint32_t max_h2c_data; /* MAXH2CDATA */
    uint16_t entries, qid;
    uint16_t sqhd; /* of the last response, for those that SUCCESS replaces */
};

static struct host_conn *host_of(struct nvme_transport_conn *conn)
{
    return (struct host_conn *)(void *)conn;
}

static const struct host_conn *const_host_of(const struct nvme_transport_conn *conn)
{
    return (const struct host_conn *)(const void *)conn;
}

/* ---- sending ---- */

static uint8_t wanted_digests(const struct nvme_tcp *tcp)
{
    return (uint8_t)((tcp->params.host.header_digest ? NVME_PDU_DGST_HEADER : 0) |
                     (tcp->params.host.data_digest ? NVME_PDU_DGST_DATA : 0));
}

static const struct nvme_buffer *describe(const struct nvme_transport_conn *base,
                                          const struct tcp_out *out, struct nvme_pdu *pdu)
{
    const struct host_conn *conn = const_host_of(base);
    const struct slot *slot = &conn->slots[out->slot];
    switch (out->type) {
    case NVME_PDU_ICREQ:
        pdu->pda = nvme_tcp_pda(base->tcp->params.host.alignment);
        pdu->digests = wanted_digests(base->tcp);
        pdu->limit = (uint32_t)base->tcp->params.host.max_r2t - 1; /* 0's based */
        return NULL;
    case NVME_PDU_COMMAND:
        memcpy(pdu->entry, slot->sqe, NVME_SQE_BYTES);
        pdu->length = out->length;
        return slot->data;
    default: /* H2CData */
        pdu->cid = slot->cid;
        pdu->ttag = out->ttag;
        pdu->at = out->at;
        pdu->length = out->length;
        return slot->data;
    }
}

static void on_sent(struct nvme_transport_conn *base, const struct tcp_out *out)
{
    struct host_conn *conn = host_of(base);
    if (out->type != NVME_PDU_COMMAND && out->type != NVME_PDU_H2C_DATA)
        return;
    conn->slots[out->slot].unsent--;
    if (out->type == NVME_PDU_H2C_DATA && (out->flags & NVME_PDU_LAST) != 0)
        conn->slots[out->slot].r2ts--;
}

static void send_pdu(struct host_conn *conn, const struct tcp_out *out)
{
    conn->slots[out->slot].unsent++;
    nvme_tcp_send(&conn->base, out);
}

/* Linux: data of Fabrics and admin commands may always be in the capsule
 * (nvme_tcp_inline_data_size). */
static uint32_t capsule_room(const struct host_conn *conn, const struct nvme_command *command)
{
    const bool small = conn->qid == 0 || command->opcode == NVME_FABRICS;
    return small ? (uint32_t)TCP_ADMIN_CAPSULE : conn->in_capsule;
}

bool nvme_tcp_send_command(struct nvme_transport_conn *base, uint16_t tag,
                           struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes)
{
    struct host_conn *conn = host_of(base);
    CHECK(tag < conn->entries && bytes <= (data == NULL ? 0 : data->length));
    struct slot *slot = &conn->slots[tag];
    CHECK(!slot->busy && slot->unsent == 0);
    if (base->failed || base->ended)
        return false;
    const bool out = bytes > 0 && nvme_capsule_direction(command) == NVME_DATA_OUT;
    const bool in_capsule = out && bytes <= capsule_room(conn, command) && !data->apart;
    *slot = (struct slot){.data = data,
                          .bytes = bytes,
                          .cid = command->cid,
                          .busy = true,
                          .out = out,
                          .in_capsule = in_capsule};
    command->sgl = (struct nvme_sgl){.type = in_capsule ? (uint8_t)NVME_SGL_IN_CAPSULE
                                                        : (uint8_t)NVME_SGL_TRANSPORT,
                                     .length = bytes};
    nvme_capsule_encode_command(command, slot->sqe);
    send_pdu(conn, &(struct tcp_out){
                       .type = NVME_PDU_COMMAND, .slot = tag, .length = in_capsule ? bytes : 0});
    nvme_tcp_flush(base);
    return true;
}

/* ---- receiving ---- */

static struct slot *slot_of(const struct host_conn *conn, uint16_t cid)
{
    const uint16_t tag = cid & 0xFFF; /* nvme_tags_cid: the upper bits count uses */
    struct slot *slot = tag < conn->entries ? &conn->slots[tag] : NULL;
    return slot != NULL && slot->busy && slot->cid == cid ? slot : NULL;
}

static bool unknown_command(const struct nvme_pdu *pdu, struct nvme_pdu_fault *fault)
{
    return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 8, "%s: no command %04Xh is outstanding",
                         nvme_pdu_name(pdu->type), pdu->cid);
}

static bool check_data(const struct host_conn *conn, struct tcp_arriving *from,
                       struct nvme_pdu_fault *fault)
{
    const struct nvme_pdu *pdu = &from->pdu;
    const struct slot *slot = slot_of(conn, pdu->cid);
    if (slot == NULL)
        return unknown_command(pdu, fault);
    if (slot->out || pdu->at != slot->received || pdu->length > slot->bytes - slot->received)
        return nvme_pdu_fail(fault, NVME_FES_OUT_OF_RANGE, 0,
                             "C2HData: %u B at %u, but %u of %u B have arrived", pdu->length,
                             pdu->at, slot->received, slot->out ? 0 : slot->bytes);
    const bool last = pdu->at + pdu->length == slot->bytes;
    if (((pdu->flags & NVME_PDU_LAST) != 0) != last)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 1,
                             "C2HData: LAST_PDU (byte 1) with %u of %u B to come",
                             slot->bytes - pdu->at - pdu->length, slot->bytes);
    from->data = slot->data;
    from->at = pdu->at;
    return true;
}

static bool check_r2t(const struct host_conn *conn, const struct nvme_pdu *pdu,
                      struct nvme_pdu_fault *fault)
{
    const struct slot *slot = slot_of(conn, pdu->cid);
    if (slot == NULL)
        return unknown_command(pdu, fault);
    const int64_t most = conn->base.tcp->params.host.max_r2t;
    if (slot->r2ts >= most)
        return nvme_pdu_fail(fault, NVME_FES_LIMIT, 0,
                             "R2T: %u outstanding whose data has not left (MAXR2T %lld)",
                             slot->r2ts, (long long)most - 1);
    if (slot->r2ts == 0 && slot->unsent > 0)
        return nvme_pdu_fail(fault, NVME_FES_SEQUENCE, 0, "R2T: command %04Xh has not left yet",
                             pdu->cid);
    if (!slot->out || slot->in_capsule || pdu->at != slot->granted ||
        pdu->length > slot->bytes - slot->granted)
        return nvme_pdu_fail(fault, NVME_FES_OUT_OF_RANGE, 0,
                             "R2T: %u B at %u, but %u of %u B were requested", pdu->length, pdu->at,
                             slot->granted, slot->out && !slot->in_capsule ? slot->bytes : 0);
    return true;
}

static bool on_header(struct nvme_transport_conn *base, struct tcp_arriving *from,
                      struct nvme_pdu_fault *fault)
{
    const struct host_conn *conn = host_of(base);
    switch (from->pdu.type) {
    case NVME_PDU_C2H_DATA:
        return check_data(conn, from, fault);
    case NVME_PDU_R2T:
        return check_r2t(conn, &from->pdu, fault);
    default:
        return true;
    }
}

static void respond(struct host_conn *conn, const struct nvme_response *response)
{
    const struct slot *sent = slot_of(conn, response->cid);
    if (sent != NULL && sent->unsent > 0) {
        nvme_tcp_fail(&conn->base, "response to a command that has not left yet");
        return;
    }
    if (sent != NULL && response->status == NVME_STATUS_OK && !sent->out &&
        sent->received != sent->bytes) {
        nvme_tcp_fail(&conn->base, "response to a read before all of its data");
        return;
    }
    struct nvme_response heard = *response;
    if (sent != NULL && sent->damaged && heard.status == NVME_STATUS_OK)
        heard.status = NVME_STATUS_DATA_TRANSFER; /* nvme_tcp_recv_ddgst */
    conn->sqhd = response->sqhd;
    const int32_t tag = conn->user.on_response(conn->user.self, &heard);
    if (tag < 0)
        return;
    CHECK(tag < conn->entries);
    conn->slots[tag].busy = false;
    conn->user.on_done(conn->user.self, (uint16_t)tag);
}

static void on_data(struct host_conn *conn, const struct nvme_pdu *pdu)
{
    struct slot *slot = slot_of(conn, pdu->cid);
    slot->received += pdu->length;
    slot->damaged |= conn->base.arriving.damaged;
    if ((pdu->flags & NVME_PDU_SUCCESS) == 0)
        return;
    const struct nvme_response success = {
        .sqhd = (uint16_t)((conn->sqhd + 1u) % conn->entries), .sqid = conn->qid, .cid = pdu->cid};
    respond(conn, &success);
}

/* nvme_tcp_setup_h2c_data_pdu */
static void on_r2t(struct host_conn *conn, const struct nvme_pdu *pdu)
{
    struct slot *slot = slot_of(conn, pdu->cid);
    const uint16_t tag = (uint16_t)(slot - conn->slots);
    slot->granted += pdu->length;
    slot->r2ts++;
    for (uint32_t at = 0; at < pdu->length;) {
        const uint32_t left = pdu->length - at;
        const uint32_t bytes = left < conn->max_h2c_data ? left : conn->max_h2c_data;
        const struct tcp_out out = {.type = NVME_PDU_H2C_DATA,
                                    .flags = bytes == left ? NVME_PDU_LAST : 0,
                                    .slot = tag,
                                    .ttag = pdu->ttag,
                                    .at = pdu->at + at,
                                    .length = bytes};
        send_pdu(conn, &out);
        at += bytes;
    }
    nvme_tcp_flush(&conn->base);
}

static void on_initialized(struct host_conn *conn, const struct nvme_pdu *pdu)
{
    conn->max_h2c_data = pdu->limit;
    /* nvme_tcp_init_connection */
    if (pdu->digests != wanted_digests(conn->base.tcp)) {
        nvme_tcp_fail(&conn->base, "the controller does not agree to the digests (ICResp)");
        return;
    }
    nvme_tcp_agree(&conn->base, pdu->digests, pdu->pda,
                   nvme_tcp_pda(conn->base.tcp->params.host.alignment));
    conn->user.on_established(conn->user.self);
}

static void on_pdu(struct nvme_transport_conn *base, struct tcp_arriving *from)
{
    struct host_conn *conn = host_of(base);
    struct nvme_response response;
    switch (from->pdu.type) {
    case NVME_PDU_ICRESP:
        on_initialized(conn, &from->pdu);
        break;
    case NVME_PDU_C2H_DATA:
        on_data(conn, &from->pdu);
        break;
    case NVME_PDU_R2T:
        on_r2t(conn, &from->pdu);
        break;
    default: /* CapsuleResp */
        nvme_capsule_decode_response(&response, from->pdu.entry);
        respond(conn, &response);
    }
}

/* ---- life ---- */

static void on_failed(struct nvme_transport_conn *base, const char *why)
{
    struct host_conn *conn = host_of(base);
    conn->user.on_failed(conn->user.self, why);
}

static void on_parted(struct nvme_transport_conn *base)
{
    nvme_tcp_fail(base, "the peer closed the connection");
}

static void on_closed(struct nvme_transport_conn *base)
{
    struct host_conn *conn = host_of(base);
    conn->user.on_closed(conn->user.self);
}

static void release(struct nvme_transport_conn *base)
{
    struct host_conn *conn = host_of(base);
    free(conn->slots);
    nvme_tcp_conn_free(base);
}

static void begin(struct nvme_transport_conn *conn)
{
    nvme_tcp_send(conn, &(struct tcp_out){.type = NVME_PDU_ICREQ});
    nvme_tcp_flush(conn);
}

static const struct tcp_role role = {
    .describe = describe,
    .on_sent = on_sent,
    .on_header = on_header,
    .on_pdu = on_pdu,
    .on_failed = on_failed,
    .on_parted = on_parted,
    .on_closed = on_closed,
    .on_secured = begin,
    .release = release,
};

static void on_connected(void *self, struct stream_conn *stream)
{
    struct nvme_transport_conn *conn = self;
    (void)stream;
    if (conn->closed)
        return;
    if (conn->tcp->params.host.tls)
        nvme_tls_connect(conn);
    else
        begin(conn);
}

struct nvme_transport_conn *nvme_tcp_connect(struct nvme_transport *transport,
                                             const struct nvme_transport_connect *how)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    struct host_conn *conn = memory_zeroed(1, sizeof *conn);
    nvme_tcp_conn_init(&conn->base, tcp, &role);
    conn->user = how->user;
    conn->in_capsule = how->in_capsule;
    conn->entries = how->entries;
    conn->qid = how->qid;
    conn->slots = memory_zeroed(how->entries, sizeof *conn->slots);
    struct stream_user user = nvme_tcp_conn_user(&conn->base);
    user.on_connected = on_connected;
    const struct stream_peer peer = {how->ip, NVME_TCP_PORT, tcp->params.class, how->polled};
    conn->base.stream = tcp->site.streams->connect(tcp->site.device, &peer, &user);
    if (conn->base.stream != NULL)
        return &conn->base;
    release(&conn->base);
    return NULL;
}
