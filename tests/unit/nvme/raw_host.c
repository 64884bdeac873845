/* SPDX-License-Identifier: Apache-2.0
 * raw_host - see raw_host.h. */
#include "tests/unit/nvme/raw_host.h"

#include "base/check.h"
#include "nvme/wire/discovery.h"
#include "nvme/wire/wire.h"
#include "tests/unit/base/fuzz_input.h"

#include <string.h>

static bool post_receive(struct raw_queue *queue, unsigned index)
{
    struct ibv_sge sge = {.addr = queue->responses->addr + (uint64_t)index * NVME_CQE_BYTES,
                          .length = NVME_CQE_BYTES,
                          .lkey = queue->responses->lkey};
    struct ibv_recv_wr wr = {.wr_id = 1000 + index, .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return fake_verbs.post_recv(queue->conn, &wr, &bad) == 0;
}

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct raw_queue *queue = self;
    (void)conn;
    if (wc->status != IBV_WC_SUCCESS) {
        queue->failed += wc->status != IBV_WC_WR_FLUSH_ERR;
        return;
    }
    if (wc->wr_id < 1000)
        return;
    const unsigned index = (unsigned)wc->wr_id - 1000;
    CHECK(wc->byte_len == NVME_CQE_BYTES);
    nvme_capsule_decode_response(&queue->last,
                                 queue->responses->bytes + (size_t)index * NVME_CQE_BYTES);
    queue->answered++;
    queue->limited += (queue->last.status & NVME_STATUS_CODE) == NVME_STATUS_ABORT_LIMIT;
    post_receive(queue, index);
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct raw_queue *queue = self;
    (void)conn;
    switch (event->type) {
    case RDMA_CM_EVENT_ESTABLISHED:
        queue->up = true;
        queue->crqsize = wire_get16(event->private_data + 2);
        break;
    case RDMA_CM_EVENT_REJECTED:
        queue->reject = event->status;
        queue->reject_sts = wire_get16(event->private_data + 2);
        break;
    default:
        queue->down = true;
    }
}

void raw_init(struct raw_host *raw)
{
    raw_init_with(raw, NULL, 0);
}

/* What the target is; 0: the preset. */
struct wish {
    struct nvme_store *store;
    int64_t size, pi_type, identity;
    time_ps cost;
    const struct nvme_target_subsystem *subsystems;
    uint32_t count;
    bool ports; /* two */
};

static void init(struct raw_host *raw, const struct wish *wish)
{
    memset(raw, 0, sizeof *raw);
    fake_init(&raw->world);
    raw->device = fake_device(&raw->world, 2);
    raw->target_device = fake_device(&raw->world, 1);
    opt_presets(nvme_target_opts, &raw->params);
    raw->params.identity = wish->identity;
    if (wish->cost > 0)
        raw->params.command_cost = wish->cost;
    opt_presets(nvme_namespace_opts, &raw->ns.params);
    raw->ns.media = media_find("null");
    raw->ns.store = wish->store;
    raw->ns.params.pi_type = wish->pi_type;
    if (wish->size > 0)
        raw->ns.params.size = wish->size;
    struct nvme_rdma_params rdma = {0};
    opt_presets(nvme_rdma_target_opts, &rdma.target);
    struct nvme_transport *further = NULL;
    if (wish->ports) {
        raw->second_device = fake_device(&raw->world, 3);
        further = nvme_rdma_create(&fake_verbs, raw->second_device, &rdma);
    }
    const struct nvme_target_site site = {
        .further = &further,
        .further_count = wish->ports,
        .env = &raw->world.env,
        .transport = nvme_rdma_create(&fake_verbs, raw->target_device, &rdma),
        .params = &raw->params,
        .namespaces = &raw->ns,
        .namespace_count = 1,
        .subsystems = wish->subsystems,
        .subsystem_count = wish->count,
    };
    raw->target = nvme_target_create(&site);
    CHECK(raw->target != NULL);
    raw->buffer = fake_verbs.reg_mr(
        raw->device, RAW_BUFFER_BYTES,
        IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE, VERBS_BYTES);
}

void raw_init_with(struct raw_host *raw, struct nvme_store *store, int64_t size)
{
    init(raw, &(struct wish){.store = store, .size = size});
}

void raw_init_as(struct raw_host *raw, const struct nvme_target_subsystem *subsystems,
                 uint32_t count, int64_t identity, time_ps cost)
{
    init(raw, &(struct wish){
                  .identity = identity, .cost = cost, .subsystems = subsystems, .count = count});
}

void raw_init_with_ports(struct raw_host *raw, int64_t identity)
{
    init(raw, &(struct wish){.identity = identity, .ports = true});
}

void raw_init_protected(struct raw_host *raw, int64_t pi_type)
{
    init(raw, &(struct wish){.pi_type = pi_type});
}

void raw_fini(struct raw_host *raw)
{
    nvme_target_destroy(raw->target);
    CHECK(fake_held(raw->target_device) == 0);
    fake_fini(&raw->world);
}

void raw_connect(struct raw_host *raw, unsigned index, const void *private_data, uint8_t length)
{
    struct raw_queue *queue = &raw->queues[index];
    const struct ibv_qp_cap cap = {.max_send_wr = 1024, .max_recv_wr = RAW_RECEIVES};
    const struct rdma_conn_param param = {.private_data = private_data,
                                          .private_data_len = length,
                                          .responder_resources = 16,
                                          .rnr_retry_count = 7};
    const struct verbs_user user = {.self = queue, .on_cm = on_cm, .on_completion = on_completion};
    queue->capsule = fake_verbs.reg_mr(raw->device, RAW_BUFFER_BYTES, 0, VERBS_BYTES);
    queue->responses = fake_verbs.reg_mr(raw->device, RAW_RECEIVES * NVME_CQE_BYTES,
                                         IBV_ACCESS_LOCAL_WRITE, VERBS_BYTES);
    const struct verbs_peer peer = {.ip = queue->port == RAW_SECOND_PORT ? 3 : 1,
                                    .port = NVME_RDMA_PORT};
    queue->conn = fake_verbs.connect(raw->device, &peer, &cap, &param, &user);
    for (unsigned i = 0; i < RAW_RECEIVES; i++)
        post_receive(queue, i);
    fake_run(&raw->world, raw->world.now + PS_PER_MS);
}

void raw_connect_as(struct raw_host *raw, unsigned index, uint16_t qid, uint16_t size)
{
    unsigned char bytes[NVME_CM_REQUEST_BYTES];
    const struct nvme_cm_request request = {
        .qid = qid, .hrqsize = size, .hsqsize = (uint16_t)(size - 1)};
    nvme_fabrics_encode_request(&request, bytes);
    raw_connect(raw, index, bytes, sizeof bytes);
}

/* For a fuzz target: of a connection that is up, one record, whose buffer is made good. */
static void keep_capsule(const unsigned char *bytes, unsigned index, uint32_t length)
{
    unsigned char input[3 + RAW_BUFFER_BYTES] = {
        index == 0 ? 2 : 3, (unsigned char)(0x40 | length >> 8), (unsigned char)length};
    CHECK(length <= RAW_BUFFER_BYTES);
    if (!fuzz_inputs_wanted())
        return;
    memcpy(input + 3, bytes, length);
    fuzz_input("capsule", input, 3 + length);
}

void raw_send_bytes(struct raw_host *raw, unsigned index, uint32_t length)
{
    struct raw_queue *queue = &raw->queues[index];
    struct ibv_sge sge = {
        .addr = queue->capsule->addr, .length = length, .lkey = queue->capsule->lkey};
    struct ibv_send_wr wr = {
        .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad = NULL;
    keep_capsule(queue->capsule->bytes, index, length);
    fake_verbs.post_send(queue->conn, &wr, &bad);
    fake_run(&raw->world, raw->world.now + PS_PER_MS);
    nvme_target_audit(raw->target);
}

void raw_post_many(struct raw_host *raw, unsigned index, unsigned count)
{
    struct raw_queue *queue = &raw->queues[index];
    for (unsigned i = 0; i < count; i++) {
        struct ibv_sge sge = {.addr = queue->capsule->addr + (uint64_t)i * NVME_SQE_BYTES,
                              .length = NVME_SQE_BYTES,
                              .lkey = queue->capsule->lkey};
        struct ibv_send_wr wr = {
            .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
        struct ibv_send_wr *bad = NULL;
        CHECK(fake_verbs.post_send(queue->conn, &wr, &bad) == 0);
    }
}

uint16_t raw_send(struct raw_host *raw, unsigned index, const struct nvme_command *command,
                  uint32_t more)
{
    struct raw_queue *queue = &raw->queues[index];
    const uint32_t before = queue->answered;
    nvme_capsule_encode_command(command, queue->capsule->bytes);
    raw_send_bytes(raw, index, NVME_SQE_BYTES + more);
    return queue->answered == before ? NVME_STATUS_TRANSPORT : queue->last.status;
}

struct nvme_connect_data raw_identity(uint16_t cntlid)
{
    return (struct nvme_connect_data){
        .cntlid = cntlid, .subsystem_nqn = NVME_SUBSYSTEM_NQN, .host_nqn = "nqn.raw"};
}

uint16_t raw_fabrics_connect(struct raw_host *raw, unsigned index, uint16_t qid, uint16_t sqsize,
                             const struct nvme_connect_data *data)
{
    nvme_fabrics_encode_connect(data, raw->buffer->bytes);
    const struct nvme_command connect = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_CONNECT,
        .sgl = {raw->buffer->addr, NVME_CONNECT_BYTES, raw->buffer->rkey, NVME_SGL_KEYED},
        .cdw10 = (uint32_t)qid << 16,
        .cdw11 = sqsize,
    };
    return raw_send(raw, index, &connect, 0);
}

/* The controller's identifier. */
static uint16_t bring_up_admin(struct raw_host *raw, const char *subsystem)
{
    const struct nvme_command enable = {
        .opcode = NVME_FABRICS,
        .flags = NVME_FLAGS_SGL,
        .nsid = NVME_FCTYPE_SET,
        .sgl.type = NVME_SGL_KEYED,
        .cdw11 = NVME_PROPERTY_CC,
        .cdw12 = NVME_CC_IOSQES | NVME_CC_IOCQES | NVME_CC_ENABLE,
    };
    struct nvme_connect_data data = raw_identity(NVME_CNTLID_DYNAMIC);
    strcpy(data.subsystem_nqn, subsystem);
    raw_connect_as(raw, 0, 0, 32);
    CHECK(raw_fabrics_connect(raw, 0, 0, 31, &data) == NVME_STATUS_OK);
    const uint16_t cntlid = (uint16_t)raw->queues[0].last.result;
    CHECK(raw_send(raw, 0, &enable, 0) == NVME_STATUS_OK);
    return cntlid;
}

void raw_bring_up(struct raw_host *raw)
{
    raw_bring_up_named(raw, NVME_SUBSYSTEM_NQN);
}

void raw_bring_up_named(struct raw_host *raw, const char *subsystem)
{
    struct nvme_connect_data data = raw_identity(bring_up_admin(raw, subsystem));
    strcpy(data.subsystem_nqn, subsystem);
    raw_connect_as(raw, 1, 1, 128);
    CHECK(raw_fabrics_connect(raw, 1, 1, 127, &data) == NVME_STATUS_OK);
}

void raw_bring_up_discovery(struct raw_host *raw)
{
    bring_up_admin(raw, NVME_DISCOVERY_NQN);
}
