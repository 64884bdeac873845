/* SPDX-License-Identifier: Apache-2.0
 * rdma - operations table and parameters; memory registration and the end of connections.
 * A buffer's region is its memory region. The tag of a BULK buffer follows its data: it is copied
 * to the region before the data can leave, and to the buffer when data has arrived. */
#include "nvme/rdma/rdma_private.h"

#include "base/memory.h"
#include "nvme/wire/discovery.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(VERBS_CONTENT_MIXED == NVME_CONTENT_MIXED, "one tag says that it is no tag");

const struct opt nvme_rdma_host_opts[] = {
    {"sgl-invalidate", OPT_BOOL, offsetof(struct nvme_rdma_host_params, sgl_invalidate), "true",
     NULL, NULL, NULL,
     "true: each command has a new rkey, and the target invalidates it with its response (SGL "
     "0x4F); false: it does not (SGL 0x40).",
     "Linux 6.1 nvme-rdma: register_always", OPT_ACTS_IF(OPT_NEED_RDMA, LATENCY, ANY, TRACE)},
    {0},
};

const struct opt nvme_rdma_target_opts[] = {
    {"rdma-size", OPT_SIZE, offsetof(struct nvme_rdma_target_params, rdma_size), "auto", "64KiB",
     "8MiB", "auto",
     "Maximum size of one RDMA READ or WRITE of the target; auto: the size of the command's data.",
     "Linux 6.1 rdma_rw_init_map_wrs: as many 4 KiB pages as the device has SGEs, rxe 32",
     OPT_ACTS_IF(OPT_NEED_RDMA, WRS, LESS, TRACE)},
    {"receive-queue", OPT_INT, offsetof(struct nvme_rdma_target_params, receive_queue), "auto", "1",
     "1024", "auto",
     "Number of receives posted on an I/O queue pair. A receive is in use from the arrival of a "
     "command until its response. auto: the number of entries of the submission queue.",
     "Linux 6.1 nvmet_rdma_parse_cm_connect_req: HSQSIZE + 1",
     OPT_SCALES_IF(OPT_NEED_RDMA, CREDIT, LESS, TRACE)},
    {"shared-receives", OPT_INT, offsetof(struct nvme_rdma_target_params, shared_receives), "0",
     "0", "65536", NULL,
     "Number of receives in a shared receive queue (SRQ), which all I/O queue pairs at a port "
     "use; 0: each queue pair has its own receives.",
     "Linux 6.1 nvmet-rdma: use_srq, srq_size 1024; SPDK nvmf_create_transport max-srq-depth 4096",
     OPT_SCALES_IF(OPT_NEED_RDMA, CREDIT, LIMIT, TRACE)},
    {0},
};

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    struct nvme_rdma *rdma = nvme_rdma_of(transport);
    const int access = IBV_ACCESS_LOCAL_WRITE |
                       ((directions & NVME_DATA_OUT) != 0 ? IBV_ACCESS_REMOTE_READ : 0) |
                       ((directions & NVME_DATA_IN) != 0 ? IBV_ACCESS_REMOTE_WRITE : 0);
    struct verbs_mr *mr = rdma->verbs->reg_mr(
        rdma->device, length, access, memory == NVME_MEMORY_BYTES ? VERBS_BYTES : VERBS_BULK);
    *buffer = (struct nvme_buffer){.memory = memory};
    if (mr == NULL)
        return false;
    rdma->regions++;
    buffer->length = length;
    buffer->bytes = mr->bytes;
    buffer->region = mr;
    return true;
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    nvme_rdma_release_mr(nvme_rdma_of(transport), buffer->region);
    *buffer = (struct nvme_buffer){0};
}

static void no_memory(struct nvme_transport *transport, uint32_t length)
{
    const struct nvme_rdma *rdma = nvme_rdma_of(transport);
    if (rdma->verbs->no_memory != NULL)
        rdma->verbs->no_memory(rdma->device, length);
}

static void fill(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length)
{
    const struct nvme_rdma *rdma = nvme_rdma_of(transport);
    verbs_fill(rdma->verbs, rdma->device, buffer->region, length, buffer->content);
}

static void look_at_buffer(struct nvme_transport *transport, struct nvme_buffer *buffer,
                           uint32_t length)
{
    const struct nvme_rdma *rdma = nvme_rdma_of(transport);
    buffer->content = verbs_content(rdma->verbs, rdma->device, buffer->region, length);
}

static void disconnect(struct nvme_transport_conn *conn)
{
    conn->closed = true;
    conn->rdma->verbs->disconnect(conn->verbs);
}

static time_ps cpu(const struct nvme_transport_conn *conn)
{
    const struct verbs_ops *verbs = conn->rdma->verbs;
    return conn->verbs == NULL || verbs->cpu == NULL ? conn->cpu : verbs->cpu(conn->verbs);
}

static void drop(struct nvme_transport_conn *conn)
{
    conn->cpu = cpu(conn);
    conn->closed = true;
    if (conn->verbs != NULL)
        conn->rdma->verbs->destroy(conn->verbs);
    conn->verbs = NULL;
}

static void close_conn(struct nvme_transport_conn *conn)
{
    drop(conn);
    conn->release(conn);
}

static uint32_t number(const struct nvme_transport_conn *conn)
{
    return conn->verbs == NULL ? 0 : conn->rdma->verbs->qp_num(conn->verbs);
}

static bool arrived(const struct nvme_transport_conn *conn, struct nvme_transport_arrived *arrived)
{
    const struct verbs_ops *verbs = conn->rdma->verbs;
    struct verbs_arrived both;
    if (conn->verbs == NULL || verbs->arrived == NULL || !verbs->arrived(conn->verbs, &both))
        return false;
    *arrived = (struct nvme_transport_arrived){both.here, both.there, both.for_good};
    return true;
}

static uint32_t local_ip(struct nvme_transport *transport)
{
    const struct nvme_rdma *rdma = nvme_rdma_of(transport);
    return rdma->verbs->local_ip(rdma->device);
}

/* nvmet_rdma_map_sgl; distinguishes an unknown type from a known type with an unknown subtype. */
static uint16_t judge_sgl(const struct nvme_sgl *sgl)
{
    if (sgl->type == NVME_SGL_KEYED || sgl->type == NVME_SGL_KEYED_INVALIDATE)
        return NVME_STATUS_OK;
    const unsigned type = sgl->type >> 4;
    const bool known = type == NVME_SGL_IN_CAPSULE >> 4 || type == NVME_SGL_KEYED >> 4;
    return (known ? NVME_STATUS_INVALID_FIELD : NVME_STATUS_SGL_TYPE) | NVME_STATUS_DNR;
}

static unsigned operations(const struct nvme_transport_conn *conn, uint32_t bytes)
{
    return nvme_rdma_operations((const struct rdma_target_conn *)(const void *)conn, bytes);
}

static void describe(struct nvme_discovery_record *record)
{
    snprintf(record->service, sizeof record->service, "%d", NVME_RDMA_PORT);
    record->rdma_qptype = NVME_RDMA_CONNECTED;
    record->rdma_provider = NVME_RDMA_NO_PROVIDER;
    record->rdma_cms = NVME_RDMA_CM;
}

/* The user has closed all connections and unmapped all buffers. */
static void destroy(struct nvme_transport *transport)
{
    struct nvme_rdma *rdma = nvme_rdma_of(transport);
    CHECK(rdma->regions == 0);
    if (rdma->verbs->release != NULL)
        rdma->verbs->release(rdma->device);
    free(rdma);
}

static const struct nvme_transport_ops ops = {
    .name = "rdma",
    .type = NVME_TRANSPORT_RDMA,
    .keyed_sgl = true,
    .parts = true,
    .map = map,
    .unmap = unmap,
    .no_memory = no_memory,
    .fill = fill,
    .look = look_at_buffer,
    .connect = nvme_rdma_connect,
    .send_command = nvme_rdma_send_command,
    .listen = nvme_rdma_listen,
    .unlisten = nvme_rdma_unlisten,
    .accept = nvme_rdma_accept,
    .reject = nvme_rdma_reject,
    .judge_sgl = judge_sgl,
    .operations = operations,
    .reserve = nvme_rdma_reserve,
    .fetch = nvme_rdma_fetch,
    .respond = nvme_rdma_respond,
    .audit = nvme_rdma_target_audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = disconnect,
    .drop = drop,
    .close = close_conn,
    .number = number,
    .arrived = arrived,
    .cpu = cpu,
    .destroy = destroy,
};

struct nvme_transport *nvme_rdma_create(const struct verbs_ops *verbs, struct verbs_device *device,
                                        const struct nvme_rdma_params *params)
{
    struct nvme_rdma *rdma = memory_new(sizeof *rdma);
    *rdma = (struct nvme_rdma){.base = {&ops}, .verbs = verbs, .device = device, .params = *params};
    return &rdma->base;
}
