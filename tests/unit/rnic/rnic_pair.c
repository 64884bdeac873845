/* SPDX-License-Identifier: Apache-2.0
 * rnic_pair - the harness. */
#include "tests/unit/rnic/rnic_pair.h"

#include "rnic/host/verbs_sim.h"
#include "rnic/qp/selective.h"

#include <stdlib.h>
#include <string.h>

static void on_frame(void *self, const struct probe_frame *reported)
{
    struct pair *pair = self;
    const struct frame *frame = reported->frame;
    struct pair_frame seen = {
        .at = reported->at,
        .side = (uint8_t)reported->node,
        .opcode = frame->opcode,
        .flags = frame->flags,
        .tos = frame->tos,
        .bytes = frame->bytes,
        .payload = frame->payload,
        .psn = frame->psn,
        .aeth = frame->aeth,
        .length = frame->length,
    };
    seen.lost = pair->lose != NULL && pair->lose(pair, &seen);
    if (seen.lost) /* its frame check sequence will be wrong */
        ((struct frame *)(uintptr_t)frame)->flags |= FRAME_CORRUPT;
    if (pair->mark != NULL && pair->mark(pair, &seen))
        ((struct frame *)(uintptr_t)frame)->tos |= ECN_CE;
    if (pair->log_count < PAIR_LOG)
        pair->log[pair->log_count++] = seen;
}

static void on_drop(void *self, const struct probe_drop *drop)
{
    struct pair *pair = self;
    pair->drops[drop->cause]++;
    pair->lossless_drops += drop->lossless;
}

static void on_pause(void *self, const struct probe_pause *pause)
{
    ((struct pair *)self)->pauses += pause->xoff && !pause->refresh;
}

void pair_presets(struct pair_params *params)
{
    *params = (struct pair_params){.cc = "none", .seed = 1};
    opt_presets(port_opts, &params->port);
    opt_presets(rnic_opts, &params->rnic);
}

struct pair *pair_make(const struct pair_params *params)
{
    static const char *const names[2] = {"host0", "host1"};
    const struct cc_preset *cc = cc_find(params->cc);
    struct pair *pair = calloc(1, sizeof *pair);
    int64_t cc_params[CC_PARAMS_MAX / 8] = {0};
    CHECK(pair != NULL && cc != NULL);
    cc_presets(cc, cc_params);
    pair->log = calloc(PAIR_LOG, sizeof *pair->log);
    CHECK(pair->log != NULL);
    pair->probe = probe_none;
    pair->probe.self = pair;
    pair->probe.frame = on_frame;
    pair->probe.drop = on_drop;
    pair->probe.pause = on_pause;
    engine_init(&pair->engine, params->seed);
    pair->engine.hostile = true;
    frame_pool_init(&pair->frames);
    if (cc->ops->wants_telemetry)
        frame_pool_use_telemetry((struct frame_pool *const[]){&pair->frames}, 1);
    for (uint32_t i = 0; i < 2; i++) {
        const struct host_rnic rnic = {.endpoint = i,
                                       .port = &params->port,
                                       .params = &params->rnic,
                                       .cc = params->ops != NULL ? params->ops : cc->ops,
                                       .cc_params = cc_params};
        host_init(&pair->hosts[i], &pair->engine, names[i], &pair->frames, &pair->probe);
        if (i == 0 && params->rnic.soft.software)
            machine_init(&pair->machine, &pair->hosts[0], &params->rnic.soft);
        if (params->rnic.soft.software)
            host_join_machine(&pair->hosts[i], &pair->machine);
        pair->rnics[i] = host_add_rnic(&pair->hosts[i], &rnic);
        pair->ends[i].pair = pair;
        pair->ends[i].device = host_device(&pair->hosts[i], 0);
    }
    port_join(&pair->rnics[0]->port, (struct port_ingress){0}, &pair->rnics[1]->port,
              (struct port_ingress){0});
    return pair;
}

void pair_free(struct pair *pair)
{
    for (int i = 0; i < 2; i++)
        host_fini(&pair->hosts[i]);
    machine_fini(&pair->machine);
    frame_pool_fini(&pair->frames);
    engine_fini(&pair->engine);
    free(pair->log);
    free(pair);
}

static const struct ibv_qp_cap caps = {
    .max_send_wr = 64, .max_recv_wr = 64, .max_send_sge = 2, .max_recv_sge = 2};

static const struct rdma_conn_param conn_param = {
    .private_data = "question",
    .private_data_len = 9,
    .responder_resources = 255,
    .initiator_depth = 255,
    .retry_count = 7,
    .rnr_retry_count = 7,
};

static void on_completion(void *self, struct verbs_conn *conn, const struct ibv_wc *wc)
{
    struct pair_end *end = self;
    CHECK(conn == end->conn && end->wc_count < PAIR_WCS);
    end->wc_at[end->wc_count] = rnic_now(end->pair->rnics[end - end->pair->ends]);
    end->wcs[end->wc_count++] = *wc;
}

static void on_async(void *self, struct verbs_conn *conn, enum ibv_event_type type)
{
    struct pair_end *end = self;
    CHECK(conn == end->conn && type == IBV_EVENT_CQ_ERR);
    end->overruns++;
}

static void on_cm(void *self, struct verbs_conn *conn, const struct verbs_event *event)
{
    struct pair_end *end = self;
    const struct verbs_user user = {self, on_cm, on_completion, on_async, NULL};
    CHECK(end->cm_count < PAIR_CMS);
    end->cms[end->cm_count] = event->type;
    end->statuses[end->cm_count++] = event->status;
    if (event->private_data != NULL)
        memcpy(end->private_data, event->private_data, event->private_len);
    if (event->type != RDMA_CM_EVENT_CONNECT_REQUEST)
        return;
    end->conn = conn;
    if (end->pair->refuse) {
        CHECK(verbs_sim.reject(conn, "no", 3) == 0);
        return;
    }
    struct rdma_conn_param answer = conn_param;
    answer.private_data = "answer";
    answer.private_data_len = 7;
    CHECK(verbs_sim.prepare(conn, &caps, &user) == 0);
    if (verbs_sim.accept(conn, &answer) != 0)
        CHECK(end->pair->tolerant && verbs_sim.reject(conn, "no", 3) == 0);
}

static struct verbs_conn *connect_one(struct pair *pair)
{
    const struct verbs_user user = {&pair->ends[0], on_cm, on_completion, on_async, NULL};
    const struct verbs_peer peer = {RNIC_FIRST_IP + 1, PAIR_SERVICE, pair->class};
    return verbs_sim.connect(pair->ends[0].device, &peer, &caps, &conn_param, &user);
}

void pair_connect(struct pair *pair)
{
    const struct verbs_user server = {&pair->ends[1], on_cm, on_completion, on_async, NULL};
    engine_start(&pair->engine);
    CHECK(verbs_sim.listen(pair->ends[1].device, PAIR_SERVICE, &server) == 0);
    pair->ends[0].conn = connect_one(pair);
    pair_run(pair, 10 * PS_PER_US);
}

void pair_connect_more(struct pair *pair)
{
    pair->ends[0].conn = connect_one(pair);
    pair_run(pair, 10 * PS_PER_US);
}

void pair_run(struct pair *pair, time_ps span)
{
    engine_run(&pair->engine, pair->engine.now + span);
    for (int i = 0; i < 2; i++)
        host_audit(&pair->hosts[i]);
}

void pair_set_psn(struct pair *pair, uint32_t psn)
{
    struct qp *from = pair->ends[0].conn->qp, *to = pair->ends[1].conn->qp;
    from->next_psn = from->high_psn = from->una_psn = from->una_end = psn;
    to->epsn = psn;
    if ((from->flags & QP_SELECTIVE) == 0)
        return;
    struct selective *own = selective_of(pair->rnics[0], from);
    own->acked = own->lost_below = own->answers_below = psn;
    own->cursor = own->recovery_psn = psn;
}

struct verbs_mr *pair_mr(struct pair *pair, int side, uint32_t length, enum verbs_memory memory)
{
    const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    return verbs_sim.reg_mr(pair->ends[side].device, length, access, memory);
}

int pair_post(struct pair *pair, int side, enum ibv_wr_opcode opcode, struct verbs_mr *local,
              const struct verbs_mr *remote, unsigned flags)
{
    struct ibv_sge sge = {0};
    struct ibv_send_wr *bad, wr = {.opcode = opcode, .send_flags = flags, .sg_list = &sge};
    wr.wr_id = pair->ends[side].conn->qp->sq_tail;
    if (local != NULL) {
        sge = (struct ibv_sge){local->addr, local->length, local->lkey};
        wr.num_sge = 1;
    }
    if (remote != NULL && (opcode == IBV_WR_RDMA_WRITE || opcode == IBV_WR_RDMA_READ)) {
        wr.wr.rdma.remote_addr = remote->addr;
        wr.wr.rdma.rkey = remote->rkey;
    } else if (remote != NULL) {
        wr.invalidate_rkey = remote->rkey;
    }
    return verbs_sim.post_send(pair->ends[side].conn, &wr, &bad);
}

int pair_recv(struct pair *pair, int side, struct verbs_mr *mr)
{
    struct ibv_sge sge = {mr->addr, mr->length, mr->lkey};
    struct ibv_recv_wr *bad, wr = {.wr_id = 1000, .sg_list = &sge, .num_sge = 1};
    return verbs_sim.post_recv(pair->ends[side].conn, &wr, &bad);
}

unsigned pair_count(const struct pair *pair, int side, uint8_t opcode)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pair->log_count; i++)
        count += pair->log[i].side == side && pair->log[i].opcode == opcode;
    return count;
}

const struct pair_frame *pair_nth(const struct pair *pair, int side, uint8_t opcode, unsigned n)
{
    for (unsigned i = 0; i < pair->log_count; i++)
        if (pair->log[i].side == side && pair->log[i].opcode == opcode && n-- == 0)
            return &pair->log[i];
    return NULL;
}

struct pair *pair_of(int64_t path_mtu, int64_t ack_interval)
{
    struct pair_params params;
    pair_presets(&params);
    params.rnic.path_mtu = path_mtu;
    params.rnic.ack_interval = ack_interval;
    struct pair *pair = pair_make(&params);
    pair_connect(pair);
    pair->log_count = 0;
    return pair;
}

void pair_expect_wc(const struct pair *pair, int side, unsigned n, enum ibv_wc_status status,
                    enum ibv_wc_opcode opcode)
{
    CHECK(pair->ends[side].wc_count > n);
    CHECK(pair->ends[side].wcs[n].status == status);
    CHECK(pair->ends[side].wcs[n].opcode == opcode);
}
