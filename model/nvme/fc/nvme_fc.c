/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc - operations table and memory. */
#include "nvme/fc/nvme_fc_private.h"

#include "base/memory.h"
#include "nvme/transport/plain.h"
#include "nvme/wire/discovery.h"

#include <stdio.h>
#include <stdlib.h>

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    (void)directions;
    return nvme_plain_map(buffer, length, memory, &nvme_fc_of(transport)->mapped);
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    nvme_plain_unmap(buffer, &nvme_fc_of(transport)->mapped);
}

/* No data is in a capsule. */
static uint32_t in_capsule(const struct nvme_transport *transport)
{
    (void)transport;
    return 0;
}

static bool listen_on_port(struct nvme_transport *transport,
                           const struct nvme_transport_listener *listener)
{
    struct nvme_fc *fc = nvme_fc_of(transport);
    fc->listener = *listener;
    fc_listen(fc->site.fc, FC_TYPE_NVME,
              &(struct fc_listener){.self = fc, .on_exchange = nvme_fc_on_link});
    fc_listen(fc->site.fc, FC_TYPE_FCP,
              &(struct fc_listener){.self = fc, .on_exchange = nvme_fc_on_command});
    return true;
}

static void unlisten(struct nvme_transport *transport)
{
    struct fc *fc = nvme_fc_of(transport)->site.fc;
    fc_unlisten(fc, FC_TYPE_NVME);
    fc_unlisten(fc, FC_TYPE_FCP);
}

static void describe(struct nvme_discovery_record *record)
{
    snprintf(record->service, sizeof record->service, "none");
}

static uint32_t local_ip(struct nvme_transport *transport)
{
    return fc_ip(nvme_fc_of(transport)->site.fc);
}

static void end(struct nvme_transport_conn *conn, bool tell)
{
    if (conn->host)
        nvme_fc_host_end(conn, tell);
    else
        nvme_fc_target_end(conn, tell);
}

static void disconnect(struct nvme_transport_conn *conn)
{
    end(conn, true);
}

static void drop(struct nvme_transport_conn *conn)
{
    end(conn, false);
}

static void close_conn(struct nvme_transport_conn *conn)
{
    end(conn, false);
    if (conn->host)
        nvme_fc_host_free(conn);
    else
        nvme_fc_target_free(conn);
}

static void destroy(struct nvme_transport *transport)
{
    struct nvme_fc *fc = nvme_fc_of(transport);
    while (fc->conns != NULL)
        close_conn(&fc->conns->base);
    CHECK(fc->mapped == 0);
    free(fc);
}

static const struct nvme_transport_ops ops = {
    .name = "fc",
    .type = NVME_TRANSPORT_FC,
    .map = map,
    .unmap = unmap,
    .fill = nvme_plain_keep,
    .look = nvme_plain_keep,
    .connect = nvme_fc_connect,
    .send_command = nvme_fc_send_command,
    .in_capsule = in_capsule,
    .listen = listen_on_port,
    .unlisten = unlisten,
    .accept = nvme_fc_accept,
    .reject = nvme_fc_reject,
    .judge_sgl = nvme_plain_judge_sgl,
    .reserve = nvme_fc_reserve,
    .fetch = nvme_fc_fetch,
    .respond = nvme_fc_respond,
    .audit = nvme_fc_target_audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = disconnect,
    .drop = drop,
    .close = close_conn,
    .number = nvme_plain_number,
    .destroy = destroy,
};

struct nvme_transport *nvme_fc_create(const struct nvme_fc_site *site)
{
    struct nvme_fc *fc = memory_new(sizeof *fc);
    *fc = (struct nvme_fc){.base = {&ops}, .site = *site};
    return &fc->base;
}
