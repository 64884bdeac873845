/* SPDX-License-Identifier: Apache-2.0
 * rdma_shared - an SRQ: receives shared by all I/O queue pairs at a target's port.
 * A receive may get any capsule, so its memory suits both the data of a Connect, which is read, and
 * I/O data. It is created with the first queue pair and destroyed with the last. A capsule that is
 * flushed, or will not be answered any more, returns its receive.
 * Source: nvmet_rdma_init_srq and nvmet_rdma_queue_response of Linux 6.1; SPDK lib/nvmf/rdma.c.
 * Linux has an SRQ per completion vector, SPDK one per poll group; here there is one. */
#include "nvme/rdma/rdma_private.h"

#include "base/memory.h"

#include <stdlib.h>

bool nvme_rdma_is_shared(const struct rdma_target_conn *conn)
{
    const struct nvme_rdma *rdma = conn->base.rdma;
    return conn->qid > 0 && rdma->params.target.shared_receives > 0 &&
           rdma->verbs->create_srq != NULL;
}

bool nvme_rdma_shared_post(struct nvme_rdma *rdma, struct rdma_receive *receive)
{
    const struct rdma_shared *shared = rdma->shared;
    const unsigned index = (unsigned)(receive - shared->receives);
    const uint64_t at = (uint64_t)index * NVME_SQE_BYTES;
    struct ibv_sge sges[2] = {nvme_rdma_sge(shared->capsules, at, NVME_SQE_BYTES)};
    struct ibv_recv_wr wr = {
        .wr_id = nvme_rdma_wr_id(RDMA_WR_RECEIVE, index), .sg_list = sges, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    receive->holder = NULL;
    receive->capsule.sqe = shared->capsules->bytes + at;
    receive->capsule.data = receive->data.length > 0 ? &receive->data : NULL;
    if (receive->data.length > 0) {
        wr.num_sge = 2;
        sges[1] = nvme_rdma_sge(receive->data.region, 0, shared->data_room);
    }
    return rdma->verbs->post_srq_recv(shared->srq, &wr, &bad) == 0;
}

static bool make_room(struct nvme_rdma *rdma, struct rdma_receive *receive, enum nvme_memory memory)
{
    const uint32_t room = rdma->shared->data_room;
    if (room == 0)
        return true;
    struct verbs_mr *mr =
        rdma->verbs->reg_mr(rdma->device, room, IBV_ACCESS_LOCAL_WRITE, VERBS_EITHER);
    if (mr == NULL)
        return false;
    rdma->regions++;
    receive->data =
        (struct nvme_buffer){.length = room, .memory = memory, .bytes = mr->bytes, .region = mr};
    return true;
}

static void destroy(struct nvme_rdma *rdma)
{
    struct rdma_shared *shared = rdma->shared;
    rdma->verbs->destroy_srq(shared->srq);
    nvme_rdma_release_mr(rdma, shared->capsules);
    for (uint32_t i = 0; i < shared->count; i++)
        nvme_transport_unmap(&rdma->base, &shared->receives[i].data);
    free(shared->receives);
    free(shared);
    rdma->shared = NULL;
}

static bool fill(struct nvme_rdma *rdma, enum nvme_memory memory)
{
    struct rdma_shared *shared = rdma->shared;
    shared->capsules = rdma->verbs->reg_mr(rdma->device, shared->count * NVME_SQE_BYTES,
                                           IBV_ACCESS_LOCAL_WRITE, VERBS_BYTES);
    if (shared->capsules == NULL)
        return false;
    rdma->regions++;
    for (uint32_t i = 0; i < shared->count; i++)
        if (!make_room(rdma, &shared->receives[i], memory) ||
            !nvme_rdma_shared_post(rdma, &shared->receives[i]))
            return false;
    return true;
}

struct rdma_shared *nvme_rdma_shared_join(struct nvme_rdma *rdma, uint32_t data_room,
                                          enum nvme_memory memory)
{
    const uint32_t count = (uint32_t)rdma->params.target.shared_receives;
    if (rdma->shared == NULL) {
        static const struct verbs_srq_user nobody = {0};
        rdma->shared = memory_new(sizeof *rdma->shared);
        *rdma->shared = (struct rdma_shared){
            .srq = rdma->verbs->create_srq(rdma->device, count, &nobody),
            .receives = memory_zeroed(count, sizeof *rdma->shared->receives),
            .count = count,
            .data_room = data_room,
        };
        if (!fill(rdma, memory)) {
            destroy(rdma);
            return NULL;
        }
    }
    CHECK(rdma->shared->data_room == data_room);
    rdma->shared->users++;
    return rdma->shared;
}

void nvme_rdma_shared_leave(struct rdma_target_conn *conn)
{
    struct rdma_shared *shared = conn->shared;
    struct nvme_rdma *rdma = conn->base.rdma;
    if (shared == NULL)
        return;
    CHECK(shared == rdma->shared && shared->users > 0);
    conn->shared = NULL;
    if (--shared->users == 0) {
        destroy(rdma);
        return;
    }
    for (uint32_t i = 0; i < shared->count; i++)
        if (shared->receives[i].holder == conn)
            CHECK(nvme_rdma_shared_post(rdma, &shared->receives[i]));
}
