/* SPDX-License-Identifier: Apache-2.0
 * fuzz_nvme_tcp - any bytes as the stream of an NVMe/TCP connection, at a target and at a host.
 * The first byte chooses the side, whether the stream begins with a valid ICReq or ICResp, digests,
 * the type of I/O data, several R2Ts for one command, and whether a host uses TLS; a target does if
 * the first byte of the stream says so. The second byte is how many bytes arrive at once. A
 * connection that failed makes no calls except for its end.
 * Reads: model/nvme/tcp/tcp_stream.c model/nvme/tcp/tcp_target.c
 * Reads: model/nvme/tcp/tcp_r2t.c model/nvme/tcp/tcp_host.c */
#include "base/check.h"
#include "nvme/tcp/pdu.h"
#include "nvme/tcp/tcp.h"
#include "tests/fuzz/stream_stub.h"
#include "tests/unit/workload/stage.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMMANDS = 4, SLOTS = 64 };

struct user {
    struct nvme_transport *transport;
    struct nvme_transport_conn *conn;
    struct nvme_transfer transfers[SLOTS];
    struct nvme_command commands[SLOTS];
    struct nvme_buffer data[SLOTS];
    uint32_t begun;
    enum nvme_memory memory;
    bool established, failed, closed;
};

static struct stage stage;
static struct nvme_stall stall;
static struct user user;

/* ---- the stream ---- */

static bool stream_work(struct stream_conn *conn, enum stream_work what, uint32_t bytes)
{
    (void)conn, (void)bytes;
    CHECK(what < STREAM_WORKS);
    return false;
}

static bool stream_holds(const struct stream_conn *conn, uint32_t bytes)
{
    return conn->ready >= bytes || conn->ready == conn->left;
}

static const struct stream_ops streams = {
    STREAM_STUB_OPS,
    .work = stream_work,
    .holds = stream_holds,
};

/* ---- both sides ---- */

static void on_failed(void *self, const char *why)
{
    CHECK(self == &user && !user.failed && why[0] != '\0');
    user.failed = true;
    user.transport->ops->disconnect(user.conn);
}

static void on_established(void *self)
{
    CHECK(self == &user && !user.failed);
    user.established = true;
}

static void on_closed(void *self)
{
    CHECK(self == &user);
    user.closed = true;
}

/* ---- a target ---- */

static void respond(struct nvme_transfer *transfer, bool with_data)
{
    const struct nvme_response response = {.cid = user.commands[transfer->slot].cid};
    CHECK(user.transport->ops->respond(user.conn, transfer, &response, with_data));
}

static void on_capsule(void *self, struct nvme_capsule *capsule)
{
    const uint32_t slot = user.begun++;
    CHECK(self == &user && !user.failed);
    if (slot >= SLOTS) /* never answered */
        return;
    struct nvme_command *command = &user.commands[slot];
    nvme_capsule_decode_command(command, capsule->sqe);
    const uint32_t length = command->sgl.length % 65536 + 1;
    const unsigned direction = nvme_capsule_direction(command);
    struct nvme_transfer *transfer = &user.transfers[slot];
    *transfer = (struct nvme_transfer){
        .slot = (uint16_t)slot, .capsule = capsule, .sgl = &command->sgl, .length = length};
    if (command->sgl.type == NVME_SGL_TRANSPORT && direction != 0) {
        CHECK(user.transport->ops->map(user.transport, &user.data[slot], length, user.memory, 0));
        transfer->data = &user.data[slot];
    }
    CHECK(user.transport->ops->reserve(user.conn, transfer));
    if (transfer->data != NULL && direction == NVME_DATA_OUT)
        CHECK(user.transport->ops->fetch(user.conn, transfer));
    else
        respond(transfer, transfer->data != NULL);
}

static void on_fetched(void *self, struct nvme_transfer *transfer)
{
    CHECK(self == &user && !user.failed);
    respond(transfer, false);
}

static void on_responded(void *self, struct nvme_transfer *transfer)
{
    CHECK(self == &user && !user.failed && transfer->credits == 0);
}

static void on_request(void *self, struct nvme_transport_conn *conn,
                       const struct nvme_transport_request *request)
{
    CHECK(self == &user && user.conn == NULL && request->ip == IP);
    user.conn = conn;
    const struct nvme_transport_accept how = {
        .entries = SLOTS / 2,
        .in_capsule = 16384,
        .max_transfer = 65536,
        .memory = user.memory,
        .user = {.self = &user,
                 .on_established = on_established,
                 .on_capsule = on_capsule,
                 .on_fetched = on_fetched,
                 .on_responded = on_responded,
                 .on_failed = on_failed,
                 .on_closed = on_closed},
    };
    CHECK(user.transport->ops->accept(conn, &how) == SLOTS);
}

/* ---- a host ---- */

static int32_t on_response(void *self, const struct nvme_response *response)
{
    CHECK(self == &user && !user.failed);
    for (uint32_t i = 0; i < COMMANDS; i++)
        if (user.commands[i].cid == response->cid && user.begun >> i & 1)
            return (int32_t)i;
    on_failed(self, "response to no command");
    return -1;
}

static void on_done(void *self, uint16_t tag)
{
    CHECK(self == &user && (user.begun >> tag & 1) != 0);
    user.begun &= ~(1u << tag);
}

static void send_commands(void)
{
    for (uint16_t tag = 0; tag < COMMANDS; tag++) {
        user.commands[tag] = (struct nvme_command){
            .opcode = tag % 2 == 0 ? NVME_READ : NVME_WRITE, .cid = tag, .nsid = 1};
        CHECK(user.transport->ops->map(user.transport, &user.data[tag], 65536, user.memory, 0));
        user.begun |= 1u << tag;
        CHECK(user.transport->ops->send_command(user.conn, tag, &user.commands[tag],
                                                &user.data[tag], tag < 2 ? 4096 : 65536));
    }
}

/* ---- running ---- */

static void feed(const uint8_t *bytes, size_t size, size_t step)
{
    stream.bytes = bytes;
    stream.left = size;
    stream.ready = 0;
    while (!user.closed && !stream.closed && stream.left > 0) {
        const size_t rest = stream.left - stream.ready;
        stream.ready += rest < step ? rest : step;
        stream.user.on_readable(stream.user.self, &stream);
        stage_run(&stage, stage.now + 1);
    }
}

static void begin(bool host, uint8_t digests)
{
    unsigned char bytes[NVME_PDU_BEFORE_MAX];
    static const struct nvme_pdu_format plain;
    const struct nvme_pdu ic = {.type = host ? NVME_PDU_ICRESP : NVME_PDU_ICREQ,
                                .digests = digests,
                                .limit = host ? NVME_PDU_H2C_DATA_MIN : 3};
    const uint32_t length = nvme_pdu_encode(&ic, &plain, bytes);
    stream.left = length + 1; /* not the end of the stream */
    stream.bytes = bytes;
    stream.ready = length;
    stream.user.on_readable(stream.user.self, &stream);
    stage_run(&stage, stage.now + 1);
    CHECK(user.established && !user.failed);
    if (host)
        send_commands();
}

static void open_side(bool host)
{
    const struct nvme_transport_listener listener = {
        .self = &user, .on_request = on_request, .stall = &stall};
    if (!host) {
        CHECK(user.transport->ops->listen(user.transport, &listener));
        CHECK(streams_listener.on_accept(streams_listener.self, &stream, IP, &stream.user));
        return;
    }
    const struct nvme_transport_connect how = {.ip = IP,
                                               .qid = 1,
                                               .entries = SLOTS,
                                               .in_capsule = 16384,
                                               .user = {.self = &user,
                                                        .on_established = on_established,
                                                        .on_response = on_response,
                                                        .on_done = on_done,
                                                        .on_failed = on_failed,
                                                        .on_closed = on_closed}};
    user.conn = user.transport->ops->connect(user.transport, &how);
    stream.user.on_connected(stream.user.self, &stream);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const bool host = (data[0] & 1) != 0;
    const bool tls = host && (data[0] & 32) != 0;
    const uint8_t digests = data[0] >> 2 & 3;
    const bool several = (data[0] & 64) != 0; /* R2Ts for one command */
    const struct nvme_tcp_params params = {
        .host = {.header_digest = (digests & NVME_PDU_DGST_HEADER) != 0,
                 .data_digest = (digests & NVME_PDU_DGST_DATA) != 0,
                 .alignment = 4,
                 .max_r2t = several ? 4 : 1,
                 .tls = tls},
        .target = {.in_capsule = 16384,
                   .max_h2c_data = 4096,
                   .r2t_length = several ? 1024 : 0,
                   .alignment = 4,
                   .digests = 1,
                   .tls = 1}};
    stage_init(&stage, 1);
    stream = (struct stream_conn){0};
    user = (struct user){.memory = (data[0] & 16) != 0 ? NVME_MEMORY_BYTES : NVME_MEMORY_BULK};
    const struct nvme_tcp_site site = {&stage.env, &streams, NULL};
    user.transport = nvme_tcp_create(&site, &params);
    open_side(host);
    if ((data[0] & 2) != 0 && !tls)
        begin(host, digests);
    feed(data + 2, size - 2, data[1] % 64 + 1u);
    if (user.conn != NULL)
        user.transport->ops->close(user.conn);
    for (uint32_t i = 0; i < SLOTS; i++)
        nvme_transport_unmap(user.transport, &user.data[i]);
    user.transport->ops->destroy(user.transport);
    return 0;
}
