/* SPDX-License-Identifier: Apache-2.0
 * nvme_fc - operations table and memory. */
#include "nvme/fc/nvme_fc_private.h"

#include "base/memory.h"
#include "nvme/wire/discovery.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAP_UNIT = 64 }; /* aligned_alloc needs a multiple of its alignment */

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    const uint32_t room = (length + MAP_UNIT - 1) / MAP_UNIT * MAP_UNIT;
    unsigned char *bytes = NULL;
    (void)directions;
    if (memory == NVME_MEMORY_BYTES) {
        bytes = memory_aligned_or_null(1, room, MAP_UNIT);
        if (bytes == NULL)
            return false;
    }
    *buffer = (struct nvme_buffer){.length = length, .memory = memory, .bytes = bytes};
    nvme_fc_of(transport)->mapped++;
    return true;
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    struct nvme_fc *fc = nvme_fc_of(transport);
    CHECK(fc->mapped > 0);
    fc->mapped--;
    free(buffer->bytes);
    *buffer = (struct nvme_buffer){0};
}

/* The tag is all the content there is, and it travels with the data. */
static void keep_content(struct nvme_transport *transport, struct nvme_buffer *buffer,
                         uint32_t length)
{
    (void)transport, (void)buffer, (void)length;
}

/* No data is in a capsule. */
static uint32_t in_capsule(const struct nvme_transport *transport)
{
    (void)transport;
    return 0;
}

static bool listen(struct nvme_transport *transport, const struct nvme_transport_listener *listener)
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

static uint16_t judge_sgl(const struct nvme_sgl *sgl)
{
    return sgl->type == NVME_SGL_TRANSPORT ? NVME_STATUS_OK
                                           : NVME_STATUS_SGL_TYPE | NVME_STATUS_DNR;
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

static uint32_t number(const struct nvme_transport_conn *conn)
{
    (void)conn;
    return 0;
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
    .fill = keep_content,
    .look = keep_content,
    .connect = nvme_fc_connect,
    .send_command = nvme_fc_send_command,
    .in_capsule = in_capsule,
    .listen = listen,
    .unlisten = unlisten,
    .accept = nvme_fc_accept,
    .reject = nvme_fc_reject,
    .judge_sgl = judge_sgl,
    .reserve = nvme_fc_reserve,
    .fetch = nvme_fc_fetch,
    .respond = nvme_fc_respond,
    .audit = nvme_fc_target_audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = disconnect,
    .drop = drop,
    .close = close_conn,
    .number = number,
    .destroy = destroy,
};

struct nvme_transport *nvme_fc_create(const struct nvme_fc_site *site)
{
    struct nvme_fc *fc = memory_new(sizeof *fc);
    *fc = (struct nvme_fc){.base = {&ops}, .site = *site};
    return &fc->base;
}
