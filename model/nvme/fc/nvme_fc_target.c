/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc_target - the commands of a target's connections.
 * Data that the target itself reads (Connect, admin commands) arrive before the capsule is passed
 * on; for the command core they are in the capsule. Data of writes are fetched when the core asks.
 * While the target's software is stalled, its HBA goes on: what it reports is deferred. */
#include "nvme/fc/nvme_fc_private.h"

#include "base/memory.h"
#include "nvme/wire/wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- capsules ---- */

static struct fc_capsule *take_capsule(struct fc_target_conn *conn)
{
    struct fc_capsule *capsule = conn->free;
    if (capsule != NULL) {
        conn->free = capsule->next;
    } else {
        capsule = memory_zeroed(1, sizeof *capsule);
        capsule->conn = conn;
        capsule->older = conn->newest;
        conn->newest = capsule;
    }
    conn->out++;
    return capsule;
}

static void give_capsule(struct fc_capsule *capsule)
{
    struct fc_target_conn *conn = capsule->conn;
    CHECK(capsule->exchange == NULL && conn->out > 0);
    capsule->transfer = NULL;
    capsule->next = conn->free;
    conn->free = capsule;
    conn->out--;
}

void nvme_fc_target_fail(struct fc_target_conn *conn, const char *why)
{
    if (conn->base.closed || conn->base.failed)
        return;
    conn->base.failed = true;
    if (conn->accepted)
        conn->user.on_failed(conn->user.self, why);
}

void nvme_fc_drop_commands(struct fc_target_conn *conn)
{
    for (struct fc_capsule *at = conn->newest; at != NULL; at = at->older) {
        if (at->exchange != NULL)
            fc_close(at->exchange);
        at->exchange = NULL;
    }
}

/* ---- what the HBA reports ---- */

enum report_kind { REPORT_CAPSULE, REPORT_FETCHED, REPORT_RESPONDED, REPORT_FAILED };

struct report {
    enum report_kind kind;
    struct fc_capsule *capsule;
    const char *why;
};

static void finish(struct fc_capsule *capsule)
{
    struct fc_target_conn *conn = capsule->conn;
    struct nvme_transfer *transfer = capsule->transfer;
    fc_close(capsule->exchange);
    capsule->exchange = NULL;
    conn->transfers[transfer->slot] = NULL;
    transfer->credits = 0;
    give_capsule(capsule);
    conn->user.on_responded(conn->user.self, transfer);
}

static void handle_report(void *self, const void *what)
{
    struct fc_target_conn *conn = self;
    const struct report *report = what;
    struct fc_capsule *capsule = report->capsule;
    if (conn->base.closed || conn->base.failed)
        return;
    switch (report->kind) {
    case REPORT_CAPSULE:
        conn->user.on_capsule(conn->user.self, &capsule->capsule);
        return;
    case REPORT_FETCHED:
        conn->user.on_fetched(conn->user.self, capsule->transfer);
        return;
    case REPORT_RESPONDED:
        finish(capsule);
        return;
    default:
        nvme_fc_target_fail(conn, report->why);
    }
}

_Static_assert(sizeof(struct report) <= NVME_STALL_BYTES, "a report can wait");

static void pass(struct fc_capsule *capsule, enum report_kind kind, const char *why)
{
    struct fc_target_conn *conn = capsule->conn;
    const struct report report = {kind, capsule, why};
    if (!nvme_stall_holds(conn->base.fc->listener.stall, handle_report, conn, &report,
                          sizeof report))
        handle_report(conn, &report);
}

static void on_data(struct fc_capsule *capsule, const struct fc_unit *unit)
{
    capsule->fetched += unit->length;
    if ((!capsule->fetches && !capsule->gathers) || capsule->fetched > capsule->length) {
        pass(capsule, REPORT_FAILED, "data that no NVMe_XFER_RDY asked for");
        return;
    }
    if (capsule->fetched < capsule->length)
        return;
    if (capsule->gathers) {
        capsule->gathers = false;
        pass(capsule, REPORT_CAPSULE, NULL);
        return;
    }
    capsule->fetches = false;
    capsule->transfer->data->content = unit->content;
    pass(capsule, REPORT_FETCHED, NULL);
}

static void on_unit(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct fc_capsule *capsule = self;
    (void)exchange;
    if (unit->r_ctl == FC_RCTL_DATA)
        on_data(capsule, unit);
    else
        pass(capsule, REPORT_FAILED, "an unknown information unit in the exchange of a command");
}

static void on_sent(void *self, struct fc_exchange *exchange, uint32_t cookie)
{
    (void)exchange, (void)cookie;
    pass(self, REPORT_RESPONDED, NULL);
}

static void on_exchange_failed(void *self, struct fc_exchange *exchange, const char *why)
{
    (void)exchange;
    pass(self, REPORT_FAILED, why);
}

/* ---- commands ---- */

static void ask_for_data(struct fc_capsule *capsule)
{
    unsigned char bytes[FC_XFER_RDY_BYTES];
    fc_xfer_rdy_encode(&(struct fc_xfer_rdy){.length = capsule->length}, bytes);
    capsule->fetched = 0;
    fc_send(capsule->exchange, &(struct fc_unit){.r_ctl = FC_RCTL_XFER_RDY,
                                                 .type = FC_TYPE_FCP,
                                                 .initiative = true,
                                                 .bytes = bytes,
                                                 .length = FC_XFER_RDY_BYTES});
}

/* Data for the target itself. False: it cannot take them. */
static bool gather(struct fc_capsule *capsule)
{
    struct nvme_transport *transport = &capsule->conn->base.fc->base;
    struct nvme_command command;
    if (capsule->length > FC_ADMIN_DATA)
        return false;
    if (capsule->bytes.length == 0 &&
        !transport->ops->map(transport, &capsule->bytes, FC_ADMIN_DATA, NVME_MEMORY_BYTES, 0))
        return false;
    nvme_capsule_decode_command(&command, capsule->sqe);
    command.sgl = (struct nvme_sgl){.type = NVME_SGL_IN_CAPSULE, .length = capsule->length};
    nvme_capsule_encode_command(&command, capsule->sqe);
    capsule->capsule.data = &capsule->bytes;
    capsule->capsule.data_bytes = capsule->length;
    capsule->gathers = true;
    fc_receive_into(capsule->exchange, capsule->bytes.bytes, capsule->length);
    ask_for_data(capsule);
    return true;
}

static void begin(struct fc_target_conn *conn, struct fc_exchange *exchange,
                  const struct fc_command *command)
{
    struct fc_capsule *capsule = take_capsule(conn);
    const struct fc_user user = {
        .self = capsule, .on_unit = on_unit, .on_sent = on_sent, .on_failed = on_exchange_failed};
    memcpy(capsule->sqe, command->sqe, NVME_SQE_BYTES);
    capsule->capsule = (struct nvme_capsule){.sqe = capsule->sqe};
    capsule->exchange = exchange;
    capsule->length = command->length;
    capsule->out = command->flags == FC_COMMAND_WRITE;
    capsule->gathers = capsule->fetches = capsule->answered = false;
    fc_set_user(exchange, &user);
    const bool reads = conn->request.qid == 0 || command->sqe[0] == NVME_FABRICS;
    if (!capsule->out || !reads || capsule->length == 0)
        pass(capsule, REPORT_CAPSULE, NULL);
    else if (!gather(capsule))
        pass(capsule, REPORT_FAILED, "a command has more data than the target reads");
}

void nvme_fc_on_command(void *self, struct fc_exchange *exchange, const struct fc_unit *unit)
{
    struct nvme_fc *fc = self;
    struct fc_command command;
    struct fc_target_conn *conn = NULL;
    if (unit->r_ctl == FC_RCTL_COMMAND && fc_command_decode(&command, unit->bytes, unit->length))
        for (conn = fc->conns; conn != NULL; conn = conn->next)
            if (conn->id == command.connection && conn->accepted &&
                conn->request.ip == fc_peer_ip(exchange))
                break;
    if (conn == NULL || conn->base.closed || conn->base.failed) {
        fc_abort(exchange);
        return;
    }
    if (conn->out == conn->slot_count) {
        fc_abort(exchange);
        nvme_fc_target_fail(conn, "the host has more commands outstanding than the queue holds");
        return;
    }
    begin(conn, exchange, &command);
}

/* ---- the core's calls ---- */

static struct fc_capsule *capsule_of(const struct nvme_transfer *transfer)
{
    return (struct fc_capsule *)(void *)transfer->capsule;
}

bool nvme_fc_reserve(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    CHECK(transfer->slot < conn->slot_count && transfer->credits == 0);
    CHECK(conn->transfers[transfer->slot] == NULL);
    conn->transfers[transfer->slot] = transfer;
    capsule_of(transfer)->transfer = transfer;
    transfer->credits = 1;
    transfer->damaged = false;
    return true;
}

bool nvme_fc_fetch(struct nvme_transport_conn *base, struct nvme_transfer *transfer)
{
    struct fc_capsule *capsule = capsule_of(transfer);
    CHECK(capsule->transfer == transfer && !capsule->fetches);
    if (capsule->exchange == NULL || !capsule->out || transfer->length != capsule->length)
        return false;
    (void)base;
    capsule->fetches = true;
    if (transfer->data->memory == NVME_MEMORY_BYTES)
        fc_receive_into(capsule->exchange, transfer->data->bytes, transfer->length);
    ask_for_data(capsule);
    return true;
}

/* nvmet_fc_prep_fcp_rsp: the entry is sent only when it says something, and from time to time. */
static bool needs_entry(struct fc_target_conn *conn, const struct fc_capsule *capsule,
                        const struct nvme_response *response, uint32_t moved)
{
    const bool due = conn->ersp_ratio == 0 || ++conn->responses % conn->ersp_ratio == 0;
    const bool crowded = 10 * conn->out >= 9 * conn->request.entries; /* queue_90percent_full */
    return due || capsule->sqe[0] == NVME_FABRICS || moved != capsule->length ||
           response->status != NVME_STATUS_OK || response->result != 0 || crowded;
}

static void send_response(struct fc_target_conn *conn, const struct fc_capsule *capsule,
                          const struct nvme_response *response, uint32_t moved)
{
    unsigned char bytes[FC_EXTENDED_BYTES] = {0};
    const bool entry = needs_entry(conn, capsule, response, moved);
    if (entry) {
        struct fc_extended extended = {.rsn = conn->rsn, .moved = moved};
        nvme_capsule_encode_response(response, extended.cqe);
        fc_extended_encode(&extended, bytes);
    }
    conn->rsn++;
    fc_send(capsule->exchange,
            &(struct fc_unit){.r_ctl = entry ? FC_RCTL_EXTENDED_RESPONSE : FC_RCTL_RESPONSE,
                              .type = FC_TYPE_FCP,
                              .last = true,
                              .bytes = bytes,
                              .length = entry ? FC_EXTENDED_BYTES : FC_RESPONSE_BYTES,
                              .cookie = 1});
}

bool nvme_fc_respond(struct nvme_transport_conn *base, struct nvme_transfer *transfer,
                     const struct nvme_response *response, bool with_data)
{
    struct fc_target_conn *conn = nvme_fc_target_of(base);
    struct fc_capsule *capsule = capsule_of(transfer);
    CHECK(capsule->transfer == transfer && !capsule->answered);
    if (capsule->exchange == NULL)
        return false;
    capsule->answered = true;
    const struct nvme_buffer *data = transfer->data;
    const bool real = with_data && data->memory == NVME_MEMORY_BYTES;
    if (with_data)
        fc_send(capsule->exchange, &(struct fc_unit){.r_ctl = FC_RCTL_DATA,
                                                     .type = FC_TYPE_FCP,
                                                     .length = transfer->length,
                                                     .bytes = real ? data->bytes : NULL,
                                                     .content = data->content});
    send_response(conn, capsule, response, with_data ? transfer->length : capsule->fetched);
    return true;
}

void nvme_fc_target_audit(const struct nvme_transport_conn *base)
{
    const struct fc_target_conn *conn = (const struct fc_target_conn *)(const void *)base;
    uint32_t idle = 0, all = 0;
    for (const struct fc_capsule *at = conn->free; at != NULL; at = at->next)
        idle++;
    for (const struct fc_capsule *at = conn->newest; at != NULL; at = at->older)
        all++;
    CHECK(idle + conn->out == all);
    for (uint32_t i = 0; i < conn->slot_count; i++)
        CHECK(conn->transfers[i] == NULL || conn->transfers[i]->slot == i);
}
