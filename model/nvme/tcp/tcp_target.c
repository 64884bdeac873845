/* SPDX-License-Identifier: Apache-2.0
 * tcp_target - a target's connection.
 * An accepted stream is a stranger until its ICReq; then the listener decides. The Connect command
 * names the queue, so the memory of capsules grows with their use. As nvmet, a queue holds up to
 * twice as many commands as it has entries. */
#include "nvme/tcp/tcp_target.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- sending ---- */

static const struct nvme_buffer *describe(const struct nvme_transport_conn *base,
                                          const struct tcp_out *out, struct nvme_pdu *pdu)
{
    const struct target_conn *conn = const_target_of(base);
    const struct target_slot *slot = &conn->slots[out->slot];
    switch (out->type) {
    case NVME_PDU_ICRESP:
        pdu->pda = nvme_tcp_pda(base->tcp->params.target.alignment);
        pdu->digests = conn->digests;
        pdu->limit = (uint32_t)base->tcp->params.target.max_h2c_data;
        return NULL;
    case NVME_PDU_RESPONSE:
        memcpy(pdu->entry, slot->cqe, NVME_CQE_BYTES);
        return NULL;
    case NVME_PDU_R2T:
        pdu->ttag = out->ttag;
        break;
    default: /* C2HData */
        break;
    }
    pdu->cid = slot->cid;
    pdu->at = out->at;
    pdu->length = out->length;
    return slot->transfer->data;
}

static void on_sent(struct nvme_transport_conn *base, const struct tcp_out *out)
{
    struct target_conn *conn = target_of(base);
    const bool last = out->type == NVME_PDU_RESPONSE ||
                      (out->type == NVME_PDU_C2H_DATA && (out->flags & NVME_PDU_SUCCESS) != 0);
    if (!last)
        return;
    conn->slots[out->slot].next = NO_SLOT;
    if (conn->first_answered == NO_SLOT)
        conn->first_answered = out->slot;
    else
        conn->slots[conn->last_answered].next = out->slot;
    conn->last_answered = out->slot;
    nvme_tcp_later(base);
}

static void report_answered(struct nvme_transport_conn *base)
{
    struct target_conn *conn = target_of(base);
    while (conn->first_answered != NO_SLOT && !base->failed && !base->closed) {
        struct target_slot *slot = &conn->slots[conn->first_answered];
        struct nvme_transfer *transfer = slot->transfer;
        conn->first_answered = slot->next;
        slot->transfer = NULL;
        slot->answered = false;
        transfer->credits = 0;
        conn->begun--;
        conn->user.on_responded(conn->user.self, transfer);
    }
}

bool nvme_tcp_reserve(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct target_conn *conn = target_of(base);
    CHECK(transfer->slot < conn->slot_count && transfer->credits == 0);
    struct target_slot *slot = &conn->slots[transfer->slot];
    CHECK(slot->transfer == NULL);
    *slot =
        (struct target_slot){.transfer = transfer, .cid = wire_get16(transfer->capsule->sqe + 2)};
    transfer->credits = 1;
    transfer->damaged = false;
    return true;
}

static void free_capsule(struct target_conn *conn, struct nvme_capsule *capsule)
{
    struct tcp_capsule *at = (struct tcp_capsule *)(void *)capsule;
    at->next = conn->free;
    conn->free = at;
    conn->capsules_out--;
}

/* nvmet_tcp_install_queue: twice the entries of the submission queue. */
static void note_connect(struct target_conn *conn, const unsigned char *sqe)
{
    struct nvme_command connect;
    nvme_capsule_decode_command(&connect, sqe);
    const uint32_t limit = 2 * ((connect.cdw11 & 0xFFFF) + 1);
    conn->connected = true;
    conn->qid = (uint16_t)(connect.cdw10 >> 16);
    conn->no_flow_control = (connect.cdw11 & NVME_CONNECT_NO_FLOW_CONTROL) != 0;
    conn->limit = limit < conn->slot_count ? limit : conn->slot_count;
}

bool nvme_tcp_respond(struct nvme_transport_conn *base, struct nvme_transfer *transfer,
                      const struct nvme_response *response, bool with_data)
{
    struct target_conn *conn = target_of(base);
    struct target_slot *slot = &conn->slots[transfer->slot];
    CHECK(slot->transfer == transfer && !slot->answered);
    slot->answered = true;
    if (!conn->connected && response->status == NVME_STATUS_OK) /* nothing else succeeds before */
        note_connect(conn, transfer->capsule->sqe);
    nvme_capsule_encode_response(response, slot->cqe);
    /* nvmet_setup_c2h_data_pdu: only without SQ flow control, since no CQE returns SQHD */
    const bool success = with_data && response->status == NVME_STATUS_OK && conn->qid > 0 &&
                         (conn->no_flow_control || base->tcp->params.target.success);
    if (with_data)
        nvme_tcp_send(base, &(struct tcp_out){.type = NVME_PDU_C2H_DATA,
                                              .flags = success ? NVME_PDU_LAST | NVME_PDU_SUCCESS
                                                               : NVME_PDU_LAST,
                                              .slot = transfer->slot,
                                              .length = transfer->length});
    if (!success)
        nvme_tcp_send(base, &(struct tcp_out){.type = NVME_PDU_RESPONSE, .slot = transfer->slot});
    free_capsule(conn, transfer->capsule);
    nvme_tcp_flush(base);
    return true;
}

void nvme_tcp_target_audit(const struct nvme_transport_conn *base)
{
    const struct target_conn *conn = const_target_of(base);
    uint32_t idle = 0;
    for (const struct tcp_capsule *at = conn->free; at != NULL; at = at->next)
        idle++;
    CHECK(idle + conn->capsules_out + (conn->arriving != NULL) == conn->capsule_count);
    for (uint32_t i = 0; i < conn->slot_count; i++)
        CHECK(conn->slots[i].transfer == NULL || conn->slots[i].transfer->slot == i);
}

/* ---- receiving ---- */

static struct tcp_capsule *take_capsule(struct target_conn *conn)
{
    struct tcp_capsule *capsule = conn->free;
    if (conn->begun >= conn->limit)
        return NULL;
    if (capsule != NULL) {
        conn->free = capsule->next;
        return capsule;
    }
    capsule = memory_zeroed(1, sizeof *capsule);
    capsule->older = conn->newest;
    conn->newest = capsule;
    conn->capsule_count++;
    return capsule;
}

/* The target reads the data of Fabrics and admin commands; other data is for the medium. NULL: no
 * memory. */
static struct nvme_buffer *capsule_data(struct target_conn *conn, struct tcp_capsule *capsule,
                                        bool read)
{
    struct nvme_tcp *tcp = conn->base.tcp;
    struct nvme_buffer *data = read ? &capsule->bytes : &capsule->bulk;
    if (data->length == 0) {
        const uint32_t bytes = read ? (uint32_t)TCP_ADMIN_CAPSULE : conn->in_capsule;
        const enum nvme_memory memory = read ? NVME_MEMORY_BYTES : conn->memory;
        if (!tcp->base.ops->map(&tcp->base, data, bytes, memory, 0))
            return NULL;
    }
    return data;
}

static bool begin_capsule(struct target_conn *conn, struct tcp_arriving *from,
                          struct nvme_pdu_fault *fault)
{
    const struct nvme_pdu *pdu = &from->pdu;
    const bool fabrics = pdu->entry[0] == NVME_FABRICS, read = conn->qid == 0 || fabrics;
    const uint32_t most = read ? (uint32_t)TCP_ADMIN_CAPSULE : conn->in_capsule;
    const uint32_t room = conn->connected || fabrics ? most : 0;
    if (pdu->length > room)
        return nvme_pdu_fail(fault, NVME_FES_LIMIT, 0,
                             "CapsuleCmd: %u B of data, expected at most %u B", pdu->length, room);
    struct tcp_capsule *capsule = take_capsule(conn);
    if (capsule == NULL)
        return nvme_pdu_fail(fault, NVME_FES_SEQUENCE, 0,
                             "CapsuleCmd: the queue is full (outstanding: %u)", conn->begun);
    conn->arriving = capsule;
    memcpy(capsule->sqe, pdu->entry, NVME_SQE_BYTES);
    capsule->capsule = (struct nvme_capsule){.sqe = capsule->sqe, .data_bytes = pdu->length};
    if (pdu->length > 0)
        capsule->capsule.data = capsule_data(conn, capsule, read);
    if (pdu->length > 0 && capsule->capsule.data == NULL)
        nvme_tcp_fail(&conn->base, "no memory for the data of a capsule");
    from->data = capsule->capsule.data;
    return true;
}

static bool on_header(struct nvme_transport_conn *base, struct tcp_arriving *from,
                      struct nvme_pdu_fault *fault)
{
    switch (from->pdu.type) {
    case NVME_PDU_COMMAND:
        return begin_capsule(target_of(base), from, fault);
    case NVME_PDU_H2C_DATA:
        return nvme_tcp_begin_data(target_of(base), from, fault);
    default:
        return true;
    }
}

/* nvmet_tcp_handle_icreq */
static void on_icreq(struct target_conn *conn, const struct nvme_pdu *pdu)
{
    struct nvme_tcp *tcp = conn->base.tcp;
    conn->host_pda = pdu->pda;
    conn->r2ts = (pdu->limit < NVME_TCP_R2TS_MAX ? pdu->limit : NVME_TCP_R2TS_MAX - 1u) + 1;
    conn->digests =
        tcp->params.target.digests ? pdu->digests & (NVME_PDU_DGST_HEADER | NVME_PDU_DGST_DATA) : 0;
    conn->base.initialized = true;
    nvme_tcp_forget_stranger(&conn->base);
    tcp->listener.on_request(tcp->listener.self, &conn->base, &conn->request);
    if (!conn->accepted || conn->base.closed)
        return;
    nvme_tcp_send(&conn->base, &(struct tcp_out){.type = NVME_PDU_ICRESP});
    nvme_tcp_flush(&conn->base);
    nvme_tcp_agree(&conn->base, conn->digests, conn->host_pda,
                   nvme_tcp_pda(tcp->params.target.alignment));
    conn->user.on_established(conn->user.self);
}

static void on_command(struct target_conn *conn)
{
    struct tcp_capsule *capsule = conn->arriving;
    conn->arriving = NULL;
    capsule->capsule.damaged = conn->base.arriving.damaged;
    conn->capsules_out++;
    conn->begun++;
    conn->user.on_capsule(conn->user.self, &capsule->capsule);
}

static void on_pdu(struct nvme_transport_conn *base, struct tcp_arriving *from)
{
    struct target_conn *conn = target_of(base);
    switch (from->pdu.type) {
    case NVME_PDU_ICREQ:
        on_icreq(conn, &from->pdu);
        break;
    case NVME_PDU_COMMAND:
        on_command(conn);
        break;
    default: /* H2CData */
        nvme_tcp_end_data(conn, &from->pdu);
    }
}

/* ---- life ---- */

static void on_failed(struct nvme_transport_conn *base, const char *why)
{
    struct target_conn *conn = target_of(base);
    if (conn->accepted)
        conn->user.on_failed(conn->user.self, why);
    else
        nvme_tcp_disconnect(base);
}

/* A connection without a queue, the data of an R2T. */
static time_ps awaits_since(const struct nvme_transport_conn *base)
{
    const struct target_conn *conn = const_target_of(base);
    time_ps since = conn->connected ? TIME_NEVER : conn->accepted_at;
    for (uint32_t i = 0; i < conn->slot_count; i++)
        if (conn->slots[i].transfer != NULL && conn->slots[i].fetches)
            since = time_earlier(since, conn->slots[i].asked_at);
    return since;
}

/* nvmet_tcp_state_change: the queue is released, and the controller stays. */
static void on_parted(struct nvme_transport_conn *base)
{
    struct target_conn *conn = target_of(base);
    if (conn->accepted && conn->user.on_parted != NULL)
        conn->user.on_parted(conn->user.self);
    else
        nvme_tcp_fail(base, "the peer closed the connection");
}

static void on_closed(struct nvme_transport_conn *base)
{
    struct target_conn *conn = target_of(base);
    if (conn->accepted)
        conn->user.on_closed(conn->user.self);
    else if (!base->initialized && base->tcp->site.guard != NULL)
        env_timer_set(base->tcp->site.env, &base->tcp->reaper, env_now(base->tcp->site.env));
}

static void release(struct nvme_transport_conn *base)
{
    struct target_conn *conn = target_of(base);
    if (!base->initialized)
        nvme_tcp_forget_stranger(&conn->base);
    while (conn->newest != NULL) {
        struct tcp_capsule *capsule = conn->newest;
        conn->newest = capsule->older;
        nvme_transport_unmap(&base->tcp->base, &capsule->bytes);
        nvme_transport_unmap(&base->tcp->base, &capsule->bulk);
        free(capsule);
    }
    free(conn->slots);
    nvme_tcp_conn_free(base);
}

static const struct tcp_role role = {
    .describe = describe,
    .on_sent = on_sent,
    .on_header = on_header,
    .on_pdu = on_pdu,
    .on_failed = on_failed,
    .on_parted = on_parted,
    .on_closed = on_closed,
    .awaits_since = awaits_since,
    .on_later = report_answered,
    .release = release,
};

static bool on_accept(void *self, struct stream_conn *stream, uint32_t peer_ip,
                      struct stream_user *user)
{
    struct nvme_tcp *tcp = self;
    if (!nvme_tcp_bound_strangers(tcp))
        return false;
    struct target_conn *conn = memory_zeroed(1, sizeof *conn);
    nvme_tcp_conn_init(&conn->base, tcp, &role);
    conn->base.stream = stream;
    conn->request.ip = peer_ip;
    conn->accepted_at = env_now(tcp->site.env);
    conn->first_answered = NO_SLOT;
    conn->base.next_stranger = tcp->strangers;
    tcp->strangers = &conn->base;
    tcp->stranger_count++;
    nvme_tcp_guard(&conn->base);
    *user = nvme_tcp_conn_user(&conn->base);
    return true;
}

bool nvme_tcp_listen(struct nvme_transport *transport,
                     const struct nvme_transport_listener *listener)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    tcp->listener = *listener;
    const struct stream_listener streams = {.self = tcp, .on_accept = on_accept};
    return tcp->site.streams->listen(tcp->site.device, NVME_TCP_PORT, &streams);
}

void nvme_tcp_unlisten(struct nvme_transport *transport)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    tcp->site.streams->unlisten(tcp->site.device, NVME_TCP_PORT);
    for (struct nvme_transport_conn *at = tcp->strangers; at != NULL; at = at->next_stranger)
        nvme_tcp_drop(at);
}

uint32_t nvme_tcp_accept(struct nvme_transport_conn *base, const struct nvme_transport_accept *how)
{
    struct target_conn *conn = target_of(base);
    conn->user = how->user;
    conn->memory = how->memory;
    conn->in_capsule = how->in_capsule;
    conn->slot_count = 2u * how->entries; /* nvmet_tcp_alloc_cmds */
    conn->slots = memory_zeroed(conn->slot_count, sizeof *conn->slots);
    conn->limit = 1; /* nvmet_tcp_queue.connect */
    conn->accepted = true;
    return conn->slot_count;
}

void nvme_tcp_reject(struct nvme_transport_conn *conn, enum nvme_cm_reject why)
{
    (void)why; /* NVMe/TCP has no reason for it: the connection ends */
    nvme_tcp_disconnect(conn);
}
