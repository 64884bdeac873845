/* SPDX-License-Identifier: Apache-2.0
 * fuzz_iwarp - any bytes as the stream of an iWARP connection, and as one header.
 * The first byte chooses the side, whether the stream begins with a valid MPA frame, and whether
 * the receives are those of a shared receive queue; the second is how many bytes arrive at once.
 * After its end a connection makes no calls except for DISCONNECTED.
 * Reads: model/rnic/iwarp/fpdu.c model/rnic/iwarp/iwarp_receive.c model/rnic/iwarp/iwarp_conn.c */
#include "base/check.h"
#include "rnic/iwarp/fpdu.h"
#include "rnic/iwarp/iwarp.h"
#include "tests/fuzz/stream_stub.h"
#include "tests/unit/workload/stage.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 256, RECEIVES = 4, LIMIT = 3, DEPTH = 2, TEXT_MAX = 8192 };

static const struct stream_ops streams = {STREAM_STUB_OPS};
static struct stage stage;
static struct verbs_device *device;
static struct verbs_conn *conn;
static struct verbs_mr *memory;
static struct verbs_srq *shared; /* NULL: the connection has its own receives */
static unsigned limits, taken;   /* taken: receives that have completed */
static bool open, over;

static void on_completion(void *self, struct verbs_conn *of, const struct ibv_wc *wc)
{
    const bool flushed = shared != NULL && wc->status == IBV_WC_WR_FLUSH_ERR;
    (void)self;
    CHECK(of == conn && (flushed || (open && !over && wc->status == IBV_WC_SUCCESS)));
    CHECK(wc->byte_len <= ROOM);
    if ((wc->opcode & IBV_WC_RECV) != 0)
        CHECK(++taken <= RECEIVES);
}

static void post(void)
{
    struct ibv_sge sge = {.addr = memory->addr, .length = ROOM, .lkey = memory->lkey};
    struct ibv_recv_wr receive = {.sg_list = &sge, .num_sge = 1}, *bad_receive;
    for (unsigned i = 0; i < RECEIVES; i++)
        CHECK((shared != NULL ? iwarp_verbs.post_srq_recv(shared, &receive, &bad_receive)
                              : iwarp_verbs.post_recv(conn, &receive, &bad_receive)) == 0);
    if (shared != NULL)
        iwarp_verbs.arm_srq(shared, LIMIT);
}

/* The queue is armed once. */
static void on_limit(void *self)
{
    CHECK(self == &limits && limits++ == 0);
}

static void post_read(void)
{
    struct ibv_sge sge = {.addr = memory->addr, .length = ROOM, .lkey = memory->lkey};
    struct ibv_send_wr read = {.sg_list = &sge,
                               .num_sge = 1,
                               .opcode = IBV_WR_RDMA_READ,
                               .send_flags = IBV_SEND_SIGNALED},
                       *bad;
    (void)iwarp_verbs.post_send(conn, &read, &bad);
}

static void on_cm(void *self, struct verbs_conn *of, const struct verbs_event *event)
{
    (void)self;
    CHECK(of == conn && !over);
    open |= event->type == RDMA_CM_EVENT_ESTABLISHED;
    over = event->type != RDMA_CM_EVENT_ESTABLISHED;
    if (open && !over)
        post_read();
}

static const struct ibv_qp_cap cap = {.max_send_wr = 4, .max_recv_wr = RECEIVES};
static struct verbs_user user = {.on_cm = on_cm, .on_completion = on_completion};

static void on_request(void *self, struct verbs_conn *of, const struct verbs_event *event)
{
    const struct rdma_conn_param param = {.initiator_depth = DEPTH};
    (void)self;
    CHECK(conn == NULL && event->type == RDMA_CM_EVENT_CONNECT_REQUEST);
    conn = of;
    CHECK(iwarp_verbs.prepare(conn, &cap, &user) == 0);
    post();
    CHECK(iwarp_verbs.accept(conn, &param) == 0);
}

static void one_header(const uint8_t *data, size_t size)
{
    unsigned char bytes[IWARP_HEAD_MAX];
    struct iwarp_fault fault = {0};
    struct iwarp_fpdu fpdu, back;
    if (size < IWARP_UNTAGGED_BYTES)
        return;
    if (!iwarp_fpdu_decode(&fpdu, data, &fault)) {
        CHECK(fault.why != NULL && fault.why[0] != '\0');
        return;
    }
    CHECK(iwarp_fpdu_encode(&fpdu, bytes) == iwarp_head_bytes(fpdu.opcode));
    CHECK(iwarp_fpdu_decode(&back, bytes, &fault));
    CHECK(back.opcode == fpdu.opcode && back.payload == fpdu.payload && back.stag == fpdu.stag);
    CHECK(back.offset == fpdu.offset && back.queue == fpdu.queue && back.msn == fpdu.msn);
}

static void feed(const uint8_t *data, size_t size, size_t at_once)
{
    stream.bytes = data;
    stream.left = size;
    stream.ready = 0;
    while (stream.ready < stream.left && !stream.closed) {
        const size_t more = stream.left - stream.ready;
        stream.ready += more < at_once ? more : at_once;
        stream.user.on_readable(stream.user.self, &stream);
        stage_run(&stage, stage.now);
    }
}

/* The MPA frame of the peer; returns its length. */
static size_t greet(bool asks, unsigned char *to)
{
    const struct iwarp_mpa mpa = {.reply = asks, .enhanced = true, .ird = DEPTH, .ord = DEPTH};
    return iwarp_mpa_encode(&mpa, to);
}

static void begin(bool asks)
{
    const struct verbs_peer peer = {.ip = IP + 1, .port = 1};
    const struct rdma_conn_param param = {.responder_resources = DEPTH, .initiator_depth = DEPTH};
    if (asks) {
        conn = iwarp_verbs.connect(device, &peer, &cap, &param, &user);
        post();
        stream.user.on_connected(stream.user.self, &stream);
    } else {
        static const struct verbs_user listener = {.on_cm = on_request,
                                                   .on_completion = on_completion};
        CHECK(iwarp_verbs.listen(device, 1, &listener) == 0);
        CHECK(streams_listener.on_accept(streams_listener.self, &stream, IP + 1, &stream.user));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    static unsigned char text[TEXT_MAX];
    const bool asks = (data[0] & 1) != 0;
    const struct iwarp_params params = {.crc = (data[0] & 4) != 0, .reads = DEPTH};
    one_header(data + 2, size - 2);
    stage_init(&stage, 1);
    const struct iwarp_site site = {.env = &stage.env, .streams = &streams};
    memset(&stream, 0, sizeof stream);
    conn = NULL;
    open = over = false;
    device = iwarp_open(&site, &params);
    memory = iwarp_verbs.reg_mr(
        device, ROOM, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
        VERBS_BYTES);
    memset(memory->bytes, 0, ROOM);
    limits = taken = 0;
    user.srq = shared =
        (data[0] & 8) != 0
            ? iwarp_verbs.create_srq(
                  device, RECEIVES, &(struct verbs_srq_user){.self = &limits, .on_limit = on_limit})
            : NULL;
    begin(asks);
    const size_t greeting = (data[0] & 2) != 0 ? greet(asks, text) : 0;
    const size_t rest = size - 2 < TEXT_MAX - greeting ? size - 2 : TEXT_MAX - greeting;
    memcpy(text + greeting, data + 2, rest);
    feed(text, greeting + rest, 1 + (size_t)data[1]);
    iwarp_verbs.dereg_mr(device, memory);
    iwarp_verbs.release(device);
    return 0;
}
