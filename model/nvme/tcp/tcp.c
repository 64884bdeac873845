/* SPDX-License-Identifier: Apache-2.0
 * tcp - operations table and parameters of NVMe/TCP; memory and the end of connections. */
#include "nvme/tcp/tcp_private.h"

#include "base/memory.h"
#include "nvme/transport/plain.h"
#include "nvme/wire/discovery.h"

#include <stdio.h>
#include <stdlib.h>

#define HOST(member)   offsetof(struct nvme_tcp_host_params, member)
#define TARGET(member) offsetof(struct nvme_tcp_target_params, member)

const struct opt nvme_tcp_host_opts[] = {
    {"tcp-header-digest", OPT_BOOL, HOST(header_digest), "false", NULL, NULL, NULL,
     "NVMe/TCP: the host requests a CRC32C of each PDU header (header digest).",
     "nvme connect --hdr-digest", OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE)},
    {"tcp-data-digest", OPT_BOOL, HOST(data_digest), "false", NULL, NULL, NULL,
     "NVMe/TCP: the host requests a CRC32C of the data of each PDU (data digest).",
     "nvme connect --data-digest", OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE)},
    {"tcp-data-alignment", OPT_SIZE, HOST(alignment), "4B", "4B", "128B", NULL,
     "NVMe/TCP: alignment of the data in a PDU from the controller: the data begin at a multiple "
     "of this size (HPDA).",
     "NVMe/TCP 1.0, 3.6.2.2; Linux 6.1 nvme-tcp: 4 B",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE), .step = "4B"},
    {"tcp-max-r2t", OPT_INT, HOST(max_r2t), "1", "1", "16", NULL,
     "NVMe/TCP: maximum number of outstanding R2Ts of one command. MAXR2T in the ICReq is one "
     "less.",
     "NVMe/TCP 1.0, 3.6.2.2; Linux nvme_tcp_init_connection: maxr2t 0, one at a time",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE)},
    {"tcp-tls", OPT_BOOL, HOST(tls), "false", NULL, NULL, NULL,
     "NVMe/TCP: the host uses TLS 1.3 with a pre-shared key, in the kernel.",
     "nvme connect --tls; NVMe/TCP 1.0, 3.6.1; Linux 6.7",
     OPT_ACTS_IF(OPT_NEED_TCP, HOST_CPU, ANY, TRACE), OPT_AGREES(ENDS, SET)},
    {0},
};

const struct opt nvme_tcp_target_opts[] = {
    {"tcp-in-capsule", OPT_SIZE, TARGET(in_capsule), "16KiB", "0B", "64KiB", NULL,
     "NVMe/TCP: maximum size of the data in a command capsule of an I/O queue.",
     "Linux 6.1 nvmet-tcp: NVMET_TCP_DEF_INLINE_DATA_SIZE; SPDK: 4 KiB",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, LESS, TRACE)},
    {"tcp-max-h2c-data", OPT_SIZE, TARGET(max_h2c_data), "4MiB", "4KiB", "16MiB", NULL,
     "NVMe/TCP: maximum data of one H2CData PDU (MAXH2CDATA).",
     "Linux nvmet-tcp: NVMET_TCP_MAXH2CDATA", OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE),
     .step = "4B"},
    {"tcp-r2t-length", OPT_SIZE, TARGET(r2t_length), "0B", "0B", "16MiB", NULL,
     "NVMe/TCP: maximum data that one R2T requests (R2TL); 0: no limit, one R2T requests all data "
     "of a command.",
     "0: Linux nvmet_setup_r2t_pdu, SPDK nvmf_tcp_send_r2t_pdu; FreeBSD nvmf_tcp_send_r2t splits",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE), .step = "512B"},
    {"tcp-data-alignment", OPT_SIZE, TARGET(alignment), "4B", "4B", "128B", NULL,
     "NVMe/TCP: alignment of the data in a PDU from the host: the data begin at a multiple of "
     "this size (CPDA).",
     "NVMe/TCP 1.0, 3.6.2.3; Linux 6.1 nvmet-tcp: 4 B",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE), .step = "4B"},
    {"tcp-digests", OPT_BOOL, TARGET(digests), "true", NULL, NULL, NULL,
     "NVMe/TCP: the target accepts the header and data digests that a host requests.",
     "NVMe/TCP 1.0, 3.6.2.3; Linux 6.1 nvmet-tcp: always",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE)},
    {"tcp-success", OPT_BOOL, TARGET(success), "false", NULL, NULL, NULL,
     "NVMe/TCP: the last data PDU of a read has the SUCCESS flag and replaces the response, even "
     "if SQ flow control is enabled.",
     "false: Linux 6.1 nvmet_setup_c2h_data_pdu, true: SPDK c2h_success",
     OPT_ACTS_IF(OPT_NEED_TCP, LATENCY, ANY, TRACE)},
    {"tcp-tls", OPT_BOOL, TARGET(tls), "true", NULL, NULL, NULL,
     "NVMe/TCP: the target accepts hosts with TLS as well as hosts without.",
     "Linux 6.7 nvmet-tcp: addr_tsas tls1.3, addr_treq not required",
     OPT_ACTS_IF(OPT_NEED_TCP, CONNECTING, ANY, TRACE)},
    {0},
};

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    const struct nvme_tcp_guard *guard = tcp->site.guard;
    const uint32_t bytes = memory == NVME_MEMORY_BYTES ? length : 0;
    (void)directions;
    if (bytes > 0 && guard != NULL && tcp->mapped_bytes + bytes > guard->memory)
        return false;
    if (!nvme_plain_map(buffer, length, memory, &tcp->mapped))
        return false;
    tcp->mapped_bytes += bytes;
    return true;
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    tcp->mapped_bytes -= buffer->memory == NVME_MEMORY_BYTES ? buffer->length : 0;
    nvme_plain_unmap(buffer, &tcp->mapped);
}

static void close_conn(struct nvme_transport_conn *conn)
{
    nvme_tcp_drop(conn);
    conn->role->release(conn);
}

static uint32_t in_capsule(const struct nvme_transport *transport)
{
    return (uint32_t)((const struct nvme_tcp *)(const void *)transport)->params.target.in_capsule;
}

static void describe(struct nvme_discovery_record *record)
{
    snprintf(record->service, sizeof record->service, "%d", NVME_TCP_PORT);
}

static uint32_t local_ip(struct nvme_transport *transport)
{
    const struct nvme_tcp_site *site = &nvme_tcp_of(transport)->site;
    return site->streams->local_ip(site->device);
}

void nvme_tcp_conn_free(struct nvme_transport_conn *conn)
{
    free(conn->line);
    nvme_tls_free(conn);
    conn->line = NULL;
    conn->next_dead = conn->tcp->dead;
    conn->tcp->dead = conn;
    nvme_tcp_free_dead(conn->tcp, false);
}

void nvme_tcp_free_dead(struct nvme_tcp *tcp, bool all)
{
    struct nvme_transport_conn **link = &tcp->dead;
    while (*link != NULL) {
        struct nvme_transport_conn *conn = *link;
        if (!all && conn->later.pending + conn->linger.pending + conn->idle.pending > 0) {
            link = &conn->next_dead;
            continue;
        }
        *link = conn->next_dead;
        free(conn);
    }
}

static void expect(struct nvme_transport *transport, int64_t bytes)
{
    const struct nvme_tcp *tcp = nvme_tcp_of(transport);
    if (tcp->site.streams->expect != NULL)
        tcp->site.streams->expect(tcp->site.device, bytes);
}

static void destroy(struct nvme_transport *transport)
{
    struct nvme_tcp *tcp = nvme_tcp_of(transport);
    while (tcp->strangers != NULL)
        close_conn(tcp->strangers);
    if (tcp->site.guard != NULL)
        env_timer_cancel(tcp->site.env, &tcp->reaper);
    nvme_tcp_free_dead(tcp, true);
    CHECK(tcp->mapped == 0);
    free(tcp);
}

static const struct nvme_transport_ops ops = {
    .name = "tcp",
    .type = NVME_TRANSPORT_TCP,
    .parts = true,
    .map = map,
    .unmap = unmap,
    .fill = nvme_plain_keep,
    .look = nvme_plain_keep,
    .connect = nvme_tcp_connect,
    .send_command = nvme_tcp_send_command,
    .in_capsule = in_capsule,
    .listen = nvme_tcp_listen,
    .unlisten = nvme_tcp_unlisten,
    .accept = nvme_tcp_accept,
    .reject = nvme_tcp_reject,
    .judge_sgl = nvme_plain_judge_sgl,
    .reserve = nvme_tcp_reserve,
    .fetch = nvme_tcp_fetch,
    .respond = nvme_tcp_respond,
    .audit = nvme_tcp_target_audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = nvme_tcp_disconnect,
    .drop = nvme_tcp_drop,
    .close = close_conn,
    .number = nvme_plain_number,
    .run_on = nvme_tcp_run_on,
    .expect = expect,
    .cpu = nvme_tcp_cpu,
    .destroy = destroy,
};

struct nvme_transport *nvme_tcp_create(const struct nvme_tcp_site *site,
                                       const struct nvme_tcp_params *params)
{
    struct nvme_tcp *tcp = memory_new(sizeof *tcp);
    *tcp = (struct nvme_tcp){.base = {&ops}, .site = *site, .params = *params};
    tcp->reaper = (struct timer){.fire = nvme_tcp_on_reaper, .self = tcp, .due = TIME_NEVER};
    return &tcp->base;
}
