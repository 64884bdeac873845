/* SPDX-License-Identifier: Apache-2.0
 * fuzz_iscsi - any bytes as the stream of an iSCSI session, at a target and at a host.
 * The first byte chooses the side, whether the stream begins with a valid Login, digests, and the
 * type of I/O data, and at a target whether the second half arrives on a further connection of the
 * session. The second byte is how many bytes arrive at once. A session that failed makes no calls
 * except for its end.
 * Reads: model/nvme/iscsi/iscsi_stream.c model/nvme/iscsi/iscsi_target_receive.c
 * Reads: model/nvme/iscsi/iscsi_host.c */
#include "base/check.h"
#include "nvme/iscsi/bhs.h"
#include "nvme/iscsi/iscsi.h"
#include "nvme/iscsi/text.h"
#include "nvme/wire/identify.h"
#include "tests/fuzz/stream_stub.h"
#include "tests/unit/workload/stage.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMMANDS = 4, QUEUES = 2, SLOTS = 64 };

/* A queue of the core: the admin queue is the first. */
struct queue {
    struct nvme_transport_conn *conn;
    struct nvme_transfer transfers[SLOTS];
    struct nvme_command commands[SLOTS];
    struct nvme_buffer data[SLOTS];
    uint32_t begun;
    bool established, failed, closed;
};

static struct stage stage;
static struct nvme_stall stall;
static struct nvme_transport *transport;
static struct queue queues[QUEUES];
static uint32_t queue_count;
static enum nvme_memory memory;

/* ---- the stream ---- */

static const struct stream_ops streams = {STREAM_STUB_OPS};
static struct stream_conn further; /* the second connection of a session */

/* ---- both sides ---- */

static void on_failed(void *self, const char *why)
{
    struct queue *queue = self;
    CHECK(!queue->failed && why[0] != '\0');
    for (uint32_t i = 0; i < queue_count; i++)
        if (queues[i].conn != NULL && !queues[i].failed) {
            queues[i].failed = true;
            transport->ops->disconnect(queues[i].conn);
        }
}

static void on_established(void *self)
{
    struct queue *queue = self;
    CHECK(!queue->failed && !queue->established);
    queue->established = true;
}

static void on_closed(void *self)
{
    ((struct queue *)self)->closed = true;
}

/* ---- a target ---- */

static void respond(struct queue *queue, struct nvme_transfer *transfer, bool with_data)
{
    const struct nvme_command *command = &queue->commands[transfer->slot];
    struct nvme_response response = {.cid = command->cid, .result = 1};
    if (command->opcode == NVME_FABRICS && nvme_capsule_fctype(command) == NVME_FCTYPE_GET)
        response.result = SLOTS / 2 - 1; /* CAP: MQES */
    if (with_data && transfer->data->bytes != NULL) {
        const struct nvme_identify_namespace ns = {.blocks = 1024, .block_shift = 9};
        memset(transfer->data->bytes, 0, transfer->length);
        if (transfer->length == NVME_IDENTIFY_BYTES)
            nvme_identify_encode_namespace(&ns, transfer->data->bytes);
    }
    CHECK(transport->ops->respond(queue->conn, transfer, &response, with_data));
}

static void on_capsule(void *self, struct nvme_capsule *capsule)
{
    struct queue *queue = self;
    const uint32_t slot = queue->begun++;
    CHECK(!queue->failed);
    if (slot >= SLOTS) /* never answered */
        return;
    struct nvme_command *command = &queue->commands[slot];
    nvme_capsule_decode_command(command, capsule->sqe);
    const unsigned direction = nvme_capsule_direction(command);
    struct nvme_transfer *transfer = &queue->transfers[slot];
    *transfer = (struct nvme_transfer){.slot = (uint16_t)slot,
                                       .capsule = capsule,
                                       .sgl = &command->sgl,
                                       .length = command->sgl.length};
    if (command->sgl.length > 1 << 20) /* as the core refuses it */
        transfer->length = 0;
    if (command->sgl.type == NVME_SGL_TRANSPORT && direction != 0 && transfer->length > 0) {
        CHECK(transport->ops->map(transport, &queue->data[slot], transfer->length,
                                  queue == queues ? NVME_MEMORY_BYTES : memory, 0));
        transfer->data = &queue->data[slot];
    }
    CHECK(transport->ops->reserve(queue->conn, transfer));
    if (transfer->data != NULL && direction == NVME_DATA_OUT)
        CHECK(transport->ops->fetch(queue->conn, transfer));
    else
        respond(queue, transfer, transfer->data != NULL);
}

static void on_fetched(void *self, struct nvme_transfer *transfer)
{
    struct queue *queue = self;
    CHECK(!queue->failed);
    respond(queue, transfer, false);
}

static void on_responded(void *self, struct nvme_transfer *transfer)
{
    const struct queue *queue = self;
    CHECK(!queue->failed && transfer->credits == 0);
}

static void on_request(void *self, struct nvme_transport_conn *conn,
                       const struct nvme_transport_request *request)
{
    struct queue *queue = &queues[queue_count++];
    CHECK(self == queues && queue_count <= QUEUES && request->ip == IP);
    queue->conn = conn;
    const struct nvme_transport_accept how = {
        .entries = SLOTS / 2,
        .max_transfer = 65536,
        .memory = memory,
        .user = {.self = queue,
                 .on_established = on_established,
                 .on_capsule = on_capsule,
                 .on_fetched = on_fetched,
                 .on_responded = on_responded,
                 .on_failed = on_failed,
                 .on_closed = on_closed},
    };
    CHECK(transport->ops->accept(conn, &how) == SLOTS);
}

/* ---- a host ---- */

static int32_t on_response(void *self, const struct nvme_response *response)
{
    struct queue *queue = self;
    CHECK(!queue->failed);
    for (uint32_t i = 0; i < COMMANDS; i++)
        if (queue->commands[i].cid == response->cid && queue->begun >> i & 1)
            return (int32_t)i;
    CHECK(false); /* the transport finds these itself */
    return -1;
}

static void on_done(void *self, uint16_t tag)
{
    struct queue *queue = self;
    CHECK((queue->begun >> tag & 1) != 0);
    queue->begun &= ~(1u << tag);
}

static void send_command(struct queue *queue, uint16_t tag, const struct nvme_command *command,
                         uint32_t bytes)
{
    queue->commands[tag] = *command;
    queue->commands[tag].cid = tag;
    CHECK(transport->ops->map(transport, &queue->data[tag], 65536,
                              queue == queues ? NVME_MEMORY_BYTES : memory, 0));
    queue->begun |= 1u << tag;
    CHECK(transport->ops->send_command(queue->conn, tag, &queue->commands[tag], &queue->data[tag],
                                       bytes));
}

static void send_connect(void)
{
    const struct nvme_command command = {.opcode = NVME_FABRICS, .nsid = NVME_FCTYPE_CONNECT};
    struct nvme_connect_data data = {.cntlid = NVME_CNTLID_DYNAMIC};
    strcpy(data.host_nqn, "nqn.host");
    strcpy(data.subsystem_nqn, "nqn.target");
    struct queue *queue = &queues[0];
    queue->commands[0] = command;
    CHECK(
        transport->ops->map(transport, &queue->data[0], NVME_CONNECT_BYTES, NVME_MEMORY_BYTES, 0));
    nvme_fabrics_encode_connect(&data, queue->data[0].bytes);
    queue->begun = 1;
    CHECK(transport->ops->send_command(queue->conn, 0, &queue->commands[0], &queue->data[0],
                                       NVME_CONNECT_BYTES));
}

static void connect_queue(uint16_t qid)
{
    struct queue *queue = &queues[queue_count++];
    const struct nvme_transport_connect how = {.ip = IP,
                                               .qid = qid,
                                               .entries = SLOTS,
                                               .user = {.self = queue,
                                                        .on_established = on_established,
                                                        .on_response = on_response,
                                                        .on_done = on_done,
                                                        .on_failed = on_failed,
                                                        .on_closed = on_closed}};
    queue->conn = transport->ops->connect(transport, &how);
    CHECK(queue->conn != NULL);
}

static void send_commands(void)
{
    static const uint8_t opcodes[COMMANDS] = {NVME_READ, NVME_WRITE, NVME_COMPARE, NVME_FLUSH};
    connect_queue(1);
    stage_run(&stage, stage.now + 1);
    for (uint16_t tag = 0; tag < COMMANDS; tag++)
        send_command(
            &queues[1], tag,
            &(struct nvme_command){.opcode = opcodes[tag], .nsid = 1, .cdw12 = tag < 2 ? 7 : 127},
            tag == 3  ? 0
            : tag < 2 ? 4096
                      : 65536);
    send_command(
        &queues[0], 1,
        &(struct nvme_command){.opcode = NVME_ADMIN_IDENTIFY, .cdw10 = NVME_CNS_CONTROLLER},
        NVME_IDENTIFY_BYTES);
}

/* ---- running ---- */

/* True: there is more. */
static bool feed_some(struct stream_conn *conn, size_t step)
{
    if (queues[0].closed || conn->closed || conn->left == 0)
        return false;
    const size_t rest = conn->left - conn->ready;
    conn->ready += rest < step ? rest : step;
    conn->user.on_readable(conn->user.self, conn);
    stage_run(&stage, stage.now + 1);
    return true;
}

static void feed(const uint8_t *bytes, size_t size, size_t step)
{
    const size_t half = further.user.self == NULL ? size : size / 2;
    bool more = true;
    stream.bytes = bytes;
    stream.left = half;
    stream.ready = 0;
    further.bytes = bytes + half;
    further.left = size - half;
    further.ready = 0;
    while (more) {
        more = feed_some(&stream, step);
        if (further.user.self != NULL)
            more = feed_some(&further, step) || more;
    }
}

/* One Login PDU with its text, which is not the end of the stream. */
static void feed_login(struct stream_conn *conn, const struct iscsi_pdu *pdu,
                       const struct iscsi_text *text)
{
    unsigned char bytes[ISCSI_BHS_BYTES + ISCSI_TEXT_MAX + 4] = {0};
    struct iscsi_pdu with = *pdu;
    with.length = text->length;
    iscsi_pdu_encode(&with, bytes);
    memcpy(bytes + ISCSI_BHS_BYTES, text->bytes, text->length);
    const size_t length = ISCSI_BHS_BYTES + text->length + iscsi_pad(text->length);
    conn->left = length + 1;
    conn->bytes = bytes;
    conn->ready = length;
    conn->user.on_readable(conn->user.self, conn);
    for (unsigned i = 0; i < 16; i++)
        stage_run(&stage, stage.now + 1);
}

/* The target gave its first session TSIH 1. */
static void begin_further(const struct iscsi_terms *terms)
{
    static struct iscsi_text text;
    const struct iscsi_names nodes = {"iqn.host", "iqn.target", true};
    text.length = 0;
    iscsi_names_put(&text, &nodes, false);
    iscsi_terms_offer(&text, terms, false);
    CHECK(streams_listener.on_accept(streams_listener.self, &further, IP, &further.user));
    feed_login(&further,
               &(struct iscsi_pdu){.opcode = ISCSI_LOGIN,
                                   .immediate = true,
                                   .flags = 0x87,
                                   .lun = 1,
                                   .tag = 1u << 16,
                                   .sn = 1},
               &text);
    CHECK(!queues[0].failed && !further.closed && queue_count == 2);
}

static void begin(bool host, const struct iscsi_terms *terms)
{
    static struct iscsi_text names, keys;
    const uint8_t opcode = host ? ISCSI_LOGIN_RESPONSE : ISCSI_LOGIN;
    const struct iscsi_names nodes = {"iqn.host", "iqn.target", true};
    names.length = keys.length = 0;
    iscsi_names_put(&names, &nodes, true);
    iscsi_terms_offer(&keys, terms, true);
    if (!host) /* a security stage is before */
        feed_login(&stream, &(struct iscsi_pdu){.opcode = opcode, .immediate = true, .flags = 0x81},
                   &names);
    feed_login(&stream,
               &(struct iscsi_pdu){.opcode = opcode,
                                   .immediate = !host,
                                   .flags = 0x87,
                                   .lun = host ? 1 : 0,
                                   .sn = 1,
                                   .max = 31},
               &keys);
    CHECK(queues[0].established && !queues[0].failed && queue_count == (host ? 1 : 2));
    if (host)
        send_commands();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const bool host = (data[0] & 1) != 0;
    const struct iscsi_keys keys = {.header_digest = (data[0] & 4) != 0,
                                    .data_digest = (data[0] & 8) != 0,
                                    .initial_r2t = (data[0] & 32) != 0,
                                    .immediate_data = 1,
                                    .first_burst = 8192,
                                    .max_burst = 16384,
                                    .recv_data = 4096,
                                    .max_r2t = 2,
                                    .connections = host ? 1 : 2};
    const struct iscsi_params params = {.host = {.keys = keys, .queue_depth = 16},
                                        .target = {.keys = keys, .window = 16}};
    const struct iscsi_terms terms = {.header_digest = keys.header_digest != 0,
                                      .data_digest = keys.data_digest != 0,
                                      .initial_r2t = keys.initial_r2t != 0,
                                      .immediate_data = true,
                                      .first_burst = 8192,
                                      .max_burst = 16384,
                                      .max_r2t = 2,
                                      .connections = 2,
                                      .recv_data = 4096};
    stage_init(&stage, 1);
    stream = further = (struct stream_conn){0};
    memset(queues, 0, sizeof queues);
    queue_count = 0;
    memory = (data[0] & 16) != 0 ? NVME_MEMORY_BYTES : NVME_MEMORY_BULK;
    const struct iscsi_site site = {&stage.env, &streams, NULL};
    const struct nvme_transport_listener listener = {
        .self = queues, .on_request = on_request, .stall = &stall};
    transport = iscsi_create(&site, &params);
    if (host) {
        connect_queue(0);
        stream.user.on_connected(stream.user.self, &stream);
        send_connect();
    } else {
        CHECK(transport->ops->listen(transport, &listener));
        CHECK(streams_listener.on_accept(streams_listener.self, &stream, IP, &stream.user));
    }
    if ((data[0] & 2) != 0)
        begin(host, &terms);
    if ((data[0] & 2) != 0 && !host && (data[0] & 64) != 0)
        begin_further(&terms);
    feed(data + 2, size - 2, data[1] % 64 + 1u);
    for (uint32_t i = 0; i < queue_count; i++)
        if (queues[i].conn != NULL)
            transport->ops->close(queues[i].conn);
    for (uint32_t i = 0; i < queue_count; i++)
        for (uint32_t slot = 0; slot < SLOTS; slot++)
            nvme_transport_unmap(transport, &queues[i].data[slot]);
    transport->ops->destroy(transport);
    return 0;
}
