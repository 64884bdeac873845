/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc_host - a host's connections.
 * The state of a command belongs to its tag. As in Linux, each command has an exchange, and its
 * HBA answers an XFER_RDY with the data. */
#include "nvme/fc/nvme_fc_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { ADMIN_RATIO = 8, IO_RATIO_PART = 5 }; /* nvme_fc_connect_admin_queue, _io_queues */

struct slot {
    struct host_conn *conn;
    struct fc_exchange *exchange; /* NULL: not busy */
    struct nvme_buffer *data;
    uint32_t bytes, moved; /* of the data: of the command, asked for or received */
    uint16_t cid;
    bool out;
};

struct host_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_host user;
    struct slot *slots; /* by tag */
    struct fc_exchange *link;
    uint64_t id;
    uint32_t ip, csn;
    uint16_t entries, qid, sqhd;
};

static struct host_conn *host_of(struct nvme_transport_conn *conn)
{
    return (struct host_conn *)(void *)conn;
}

static void fail(struct host_conn *conn, const char *why)
{
    if (conn->base.closed || conn->base.failed)
        return;
    conn->base.failed = true;
    conn->user.on_failed(conn->user.self, why);
}

/* ---- connecting ---- */

static void on_link_answer(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct host_conn *conn = self;
    struct fc_ls ls;
    const bool valid = fc_ls_decode(&ls, unit->bytes, unit->length);
    conn->link = NULL;
    fc_close(exchange);
    if (!valid || ls.kind != FC_LS_ACCEPT) {
        fail(conn, "connection rejected by the target (LS_RJT)");
        return;
    }
    conn->id = ls.connection;
    if (conn->qid == 0)
        conn->base.fc->association = ls.association;
    conn->user.on_established(conn->user.self);
}

static void on_link_failed(void *self, struct fc_exchange *exchange, const char *why)
{
    struct host_conn *conn = self;
    conn->link = NULL;
    fc_close(exchange);
    fail(conn, why);
}

static void send_link(struct fc_exchange *exchange, const struct fc_ls *ls)
{
    unsigned char bytes[FC_LS_MOST];
    const uint32_t length = fc_ls_encode(ls, bytes);
    fc_send(exchange, &(struct fc_unit){.r_ctl = FC_RCTL_LS_REQUEST,
                                        .type = FC_TYPE_NVME,
                                        .initiative = true,
                                        .bytes = bytes,
                                        .length = length});
}

/* nvme_fc_connect_admin_queue, nvme_fc_connect_queue */
static void on_login(void *self)
{
    struct host_conn *conn = self;
    const bool admin = conn->qid == 0;
    const struct fc_user user = {
        .self = conn, .on_unit = on_link_answer, .on_failed = on_link_failed};
    const struct fc_ls ls = {
        .kind = admin ? FC_LS_CREATE_ASSOCIATION : FC_LS_CREATE_CONNECTION,
        .ersp_ratio = admin ? (uint16_t)ADMIN_RATIO : conn->entries / IO_RATIO_PART,
        .qid = admin ? 0xFFFF : conn->qid, /* Create Association: any controller */
        .sqsize = (uint16_t)(conn->entries - 1),
        .association = admin ? 0 : conn->base.fc->association,
    };
    if (conn->base.closed)
        return;
    conn->link = fc_open(conn->base.fc->site.fc, conn->ip, &user);
    if (conn->link == NULL)
        fail(conn, "the port has no exchange left");
    else
        send_link(conn->link, &ls);
}

struct nvme_transport_conn *nvme_fc_connect(struct nvme_transport *transport,
                                            const struct nvme_transport_connect *how)
{
    struct nvme_fc *fc = nvme_fc_of(transport);
    struct host_conn *conn = memory_zeroed(1, sizeof *conn);
    conn->base = (struct nvme_transport_conn){.fc = fc, .host = true};
    conn->user = how->user;
    conn->ip = how->ip;
    conn->entries = how->entries;
    conn->qid = how->qid;
    conn->slots = memory_zeroed(how->entries, sizeof *conn->slots);
    fc_login(fc->site.fc, how->ip, on_login, conn);
    return &conn->base;
}

/* ---- commands ---- */

/* Responses are units of different exchanges, which may take different paths: one may overtake
 * another whose entry it counts in its SQHD. So the head counts the responses that have arrived. */
static void respond(struct slot *slot, const struct nvme_response *given)
{
    struct host_conn *conn = slot->conn;
    struct nvme_response response = *given;
    const bool whole = slot->moved == slot->bytes;
    fc_close(slot->exchange);
    slot->exchange = NULL;
    if (response.status == NVME_STATUS_OK && !whole) { /* nvme_fc_fcpio_done */
        fail(conn, "response to a command without all of its data");
        return;
    }
    conn->sqhd = response.sqhd = (uint16_t)((conn->sqhd + 1u) % conn->entries);
    const int32_t tag = conn->user.on_response(conn->user.self, &response);
    if (tag >= 0)
        conn->user.on_done(conn->user.self, (uint16_t)tag);
}

/* An NVMe_RSP has no entry: the command has succeeded. */
static void on_plain(struct slot *slot, const struct fc_unit *unit)
{
    struct host_conn *conn = slot->conn;
    if (unit->length != FC_RESPONSE_BYTES) {
        fail(conn, "NVMe_RSP of another size than 12 B");
        return;
    }
    respond(slot, &(struct nvme_response){.cid = slot->cid, .sqid = conn->qid});
}

static void on_extended(struct slot *slot, const struct fc_unit *unit)
{
    struct fc_extended extended;
    struct nvme_response response;
    if (!fc_extended_decode(&extended, unit->bytes, unit->length) || extended.status != 0) {
        fail(slot->conn, "NVMe_ERSP is invalid or rejects the command");
        return;
    }
    nvme_capsule_decode_response(&response, extended.cqe);
    respond(slot, &response);
}

static void on_ready(struct slot *slot, const struct fc_unit *unit)
{
    struct fc_xfer_rdy ready;
    if (!fc_xfer_rdy_decode(&ready, unit->bytes, unit->length) || !slot->out ||
        ready.offset != slot->moved || ready.length == 0 ||
        ready.length > slot->bytes - slot->moved) {
        fail(slot->conn, "NVMe_XFER_RDY asks for data that the command does not have");
        return;
    }
    slot->moved += ready.length;
    const bool real = slot->data->memory == NVME_MEMORY_BYTES;
    fc_send(slot->exchange,
            &(struct fc_unit){.r_ctl = FC_RCTL_DATA,
                              .type = FC_TYPE_FCP,
                              .initiative = true,
                              .length = ready.length,
                              .bytes = real ? slot->data->bytes + ready.offset : NULL,
                              .content = slot->data->content,
                              .offset = ready.offset});
}

static void on_data(struct slot *slot, const struct fc_unit *unit)
{
    if (slot->out || unit->length > slot->bytes - slot->moved) {
        fail(slot->conn, "more data than the command has room for");
        return;
    }
    slot->moved += unit->length;
    slot->data->content = unit->content;
}

static void on_unit(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct slot *slot = self;
    (void)exchange;
    switch (unit->r_ctl) {
    case FC_RCTL_XFER_RDY:
        on_ready(slot, unit);
        return;
    case FC_RCTL_DATA:
        on_data(slot, unit);
        return;
    case FC_RCTL_RESPONSE:
        on_plain(slot, unit);
        return;
    case FC_RCTL_EXTENDED_RESPONSE:
        on_extended(slot, unit);
        return;
    default:
        fail(slot->conn, "an unknown information unit in the exchange of a command");
    }
}

static void on_exchange_failed(void *self, struct fc_exchange *exchange, const char *why)
{
    struct slot *slot = self;
    (void)exchange;
    fail(slot->conn, why);
}

static void encode(const struct host_conn *conn, const struct slot *slot,
                   struct nvme_command *command, unsigned char bytes[FC_COMMAND_BYTES])
{
    struct fc_command unit = {
        .flags = slot->bytes == 0 ? 0
                 : slot->out      ? FC_COMMAND_WRITE
                                  : FC_COMMAND_READ,
        .connection = conn->id,
        .csn = conn->csn,
        .length = slot->bytes,
    };
    command->sgl = (struct nvme_sgl){.type = NVME_SGL_TRANSPORT, .length = slot->bytes};
    nvme_capsule_encode_command(command, unit.sqe);
    fc_command_encode(&unit, bytes);
}

bool nvme_fc_send_command(struct nvme_transport_conn *base, uint16_t tag,
                          struct nvme_command *command, struct nvme_buffer *data, uint32_t bytes)
{
    struct host_conn *conn = host_of(base);
    struct slot *slot = &conn->slots[tag];
    unsigned char unit[FC_COMMAND_BYTES];
    CHECK(tag < conn->entries && bytes <= (data == NULL ? 0 : data->length));
    CHECK(slot->exchange == NULL);
    if (base->failed || base->closed)
        return false;
    const struct fc_user user = {.self = slot, .on_unit = on_unit, .on_failed = on_exchange_failed};
    *slot = (struct slot){.conn = conn,
                          .exchange = fc_open(base->fc->site.fc, conn->ip, &user),
                          .data = data,
                          .bytes = bytes,
                          .cid = command->cid,
                          .out = bytes > 0 && nvme_capsule_direction(command) == NVME_DATA_OUT};
    if (slot->exchange == NULL)
        return false;
    encode(conn, slot, command, unit);
    conn->csn++;
    if (bytes > 0 && !slot->out && data->memory == NVME_MEMORY_BYTES)
        fc_receive_into(slot->exchange, data->bytes, bytes);
    fc_send(slot->exchange, &(struct fc_unit){.r_ctl = FC_RCTL_COMMAND,
                                              .type = FC_TYPE_FCP,
                                              .initiative = true,
                                              .bytes = unit,
                                              .length = FC_COMMAND_BYTES});
    return true;
}

/* ---- end ---- */

static void forget_answer(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    (void)self, (void)unit;
    fc_close(exchange);
}

static void tell_target(struct nvme_fc *fc, uint32_t ip)
{
    const struct fc_user user = {.on_unit = forget_answer};
    struct fc_exchange *exchange = fc_open(fc->site.fc, ip, &user);
    if (exchange != NULL)
        send_link(exchange,
                  &(struct fc_ls){.kind = FC_LS_DISCONNECT, .association = fc->association});
}

/* nvme_fc_delete_association: exchanges are aborted, then the association ends. */
void nvme_fc_host_end(struct nvme_transport_conn *base, bool tell)
{
    struct host_conn *conn = host_of(base);
    if (base->closed)
        return;
    base->closed = true;
    fc_login_forget(base->fc->site.fc, conn);
    if (conn->link != NULL)
        fc_close(conn->link);
    conn->link = NULL;
    for (uint32_t i = 0; i < conn->entries; i++) {
        struct fc_exchange *exchange = conn->slots[i].exchange;
        conn->slots[i].exchange = NULL;
        if (exchange != NULL && tell)
            fc_abort(exchange);
        else if (exchange != NULL)
            fc_close(exchange);
    }
    if (conn->qid == 0 && base->fc->association != 0) {
        if (tell)
            tell_target(base->fc, conn->ip);
        base->fc->association = 0;
    }
}

void nvme_fc_host_free(struct nvme_transport_conn *base)
{
    free(host_of(base)->slots);
    free(base);
}
