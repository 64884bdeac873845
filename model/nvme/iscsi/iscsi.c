/* SPDX-License-Identifier: Apache-2.0
 * iscsi - operations table and parameters of iSCSI; memory and the end of sessions. */
#include "nvme/iscsi/iscsi_private.h"

#include "base/memory.h"
#include "nvme/transport/plain.h"
#include "nvme/wire/discovery.h"

#include <stdio.h>
#include <stdlib.h>

#define HOST(member)   offsetof(struct iscsi_host_params, member)
#define TARGET(member) offsetof(struct iscsi_target_params, member)

#define LIO  "drivers/target/iscsi/iscsi_target_parameters.h of Linux 6.1"
#define OPEN "open-iscsi 2.1 iscsid.conf"

const struct opt iscsi_host_opts[] = {
    {"iscsi-header-digest", OPT_BOOL, HOST(keys.header_digest), "false", NULL, NULL, NULL,
     "iSCSI: the host requests a CRC32C of each PDU header (HeaderDigest=CRC32C).", OPEN ": None",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-data-digest", OPT_BOOL, HOST(keys.data_digest), "false", NULL, NULL, NULL,
     "iSCSI: the host requests a CRC32C of the data of each PDU (DataDigest=CRC32C).",
     OPEN ": None", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-initial-r2t", OPT_BOOL, HOST(keys.initial_r2t), "false", NULL, NULL, NULL,
     "iSCSI: the host sends no data of a write before the target requests it with an R2T, except "
     "immediate data (InitialR2T). The setting applies if the host or the target has it.",
     OPEN ": No", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-immediate-data", OPT_BOOL, HOST(keys.immediate_data), "true", NULL, NULL, NULL,
     "iSCSI: the host sends the first data of a write in the SCSI Command itself, if the target "
     "accepts this (ImmediateData).",
     OPEN ": Yes", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-first-burst", OPT_SIZE, HOST(keys.first_burst), "256KiB", "512B", "16776192B", NULL,
     "iSCSI: maximum data of a write that is sent before the first R2T (FirstBurstLength); the "
     "smaller value of host and target applies.",
     OPEN ": 262144", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, LESS, TRACE), .step = "4B"},
    {"iscsi-max-burst", OPT_SIZE, HOST(keys.max_burst), "16776192B", "512B", "16776192B", NULL,
     "iSCSI: maximum data that one R2T requests, and maximum data of one Data-In sequence "
     "(MaxBurstLength). The smaller value of host and target applies.",
     OPEN ": 16776192", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, LESS, TRACE), .step = "4B"},
    {"iscsi-max-recv-data", OPT_SIZE, HOST(keys.recv_data), "256KiB", "512B", "16776192B", NULL,
     "iSCSI: maximum data of one Data-In PDU (MaxRecvDataSegmentLength of the "
     "host).",
     OPEN ": 262144", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE), .step = "4B"},
    {"iscsi-max-outstanding-r2t", OPT_INT, HOST(keys.max_r2t), "1", "1", "65535", NULL,
     "iSCSI: maximum number of outstanding R2Ts of one write (MaxOutstandingR2T); the smaller "
     "value of host and target applies.",
     OPEN ": 1", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-connections", OPT_INT, HOST(keys.connections), "1", "1", "64", NULL,
     "iSCSI: number of TCP connections of a session (MaxConnections); its I/O commands take them "
     "in "
     "turn, and the target executes them in the order of their CmdSN.",
     "usr/config.h of open-iscsi 2.1: ISCSI_CONN_MAX 1",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-queue-depth", OPT_INT, HOST(queue_depth), "32", "1", "1023", NULL,
     "iSCSI: maximum number of outstanding commands of a session. If nvme.queue-size or the "
     "target's iscsi-window is lower, that limit applies.",
     OPEN ": node.session.queue_depth 32",
     OPT_SCALES_IF(OPT_NEED_ISCSI, QUEUE_SIZE, LESS, SERVICE)},
    {"iscsi-submit-cost", OPT_TIME, HOST(submit_cost), "5230ns", "0ps", "1s", NULL,
     "iSCSI: CPU time to send one command, in addition to submit-cost; a session has one core.",
     "Hwang et al., NSDI 2020 (i10), section 1: 70,000 IOPS per core, less the time "
     "of submit-cost, complete-cost and TCP; halves assumed",
     OPT_SCALES_IF(OPT_NEED_ISCSI, HOST_CPU, MORE, COST)},
    {"iscsi-complete-cost", OPT_TIME, HOST(complete_cost), "5230ns", "0ps", "1s", NULL,
     "iSCSI: CPU time to complete one command, in addition to complete-cost.",
     "see iscsi-submit-cost", OPT_SCALES_IF(OPT_NEED_ISCSI, HOST_CPU, MORE, COST)},
    {"iscsi-unit-scan", OPT_BOOL, HOST(unit_scan), "false", NULL, NULL, NULL,
     "iSCSI: true: after its first Login, the host sends the 34 SCSI commands by which Linux scans "
     "a logical unit; false: it sends the 6 commands whose answers it needs.",
     "capture of Linux 6.1; drivers/scsi/scsi_scan.c, sd.c",
     OPT_ACTS_IF(OPT_NEED_ISCSI, CONNECTING, MORE, TRACE)},
    {0},
};

const struct opt iscsi_target_opts[] = {
    {"iscsi-header-digest", OPT_BOOL, TARGET(keys.header_digest), "true", NULL, NULL, NULL,
     "iSCSI: the target agrees to a header digest that a host requests.", LIO ": CRC32C,None",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-data-digest", OPT_BOOL, TARGET(keys.data_digest), "true", NULL, NULL, NULL,
     "iSCSI: the target agrees to a data digest that a host requests.", LIO ": CRC32C,None",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-initial-r2t", OPT_BOOL, TARGET(keys.initial_r2t), "true", NULL, NULL, NULL,
     "iSCSI: the target requires that hosts send no data of a write before an R2T, except "
     "immediate data (InitialR2T).",
     LIO ": Yes", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-immediate-data", OPT_BOOL, TARGET(keys.immediate_data), "true", NULL, NULL, NULL,
     "iSCSI: the target accepts immediate data, which is data in the SCSI Command itself "
     "(ImmediateData).",
     LIO ": Yes", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-first-burst", OPT_SIZE, TARGET(keys.first_burst), "64KiB", "512B", "16776192B", NULL,
     "iSCSI: maximum data of a write that the target accepts before the first R2T "
     "(FirstBurstLength).",
     LIO ": 65536", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, LESS, TRACE), .step = "4B"},
    {"iscsi-max-burst", OPT_SIZE, TARGET(keys.max_burst), "256KiB", "512B", "16776192B", NULL,
     "iSCSI: maximum data that one R2T requests, and maximum data of one Data-In sequence "
     "(MaxBurstLength).",
     LIO ": 262144", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, LESS, TRACE), .step = "4B"},
    {"iscsi-max-recv-data", OPT_SIZE, TARGET(keys.recv_data), "256KiB", "512B", "16776192B", NULL,
     "iSCSI: maximum data of one SCSI Command or Data-Out PDU (MaxRecvDataSegmentLength of the "
     "target).",
     LIO ": MaxXmitDataSegmentLength 262144, which LIO declares as its MaxRecvDataSegmentLength",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE), .step = "4B"},
    {"iscsi-max-outstanding-r2t", OPT_INT, TARGET(keys.max_r2t), "1", "1", "65535", NULL,
     "iSCSI: maximum number of outstanding R2Ts of one write (MaxOutstandingR2T).", LIO ": 1",
     OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-max-connections", OPT_INT, TARGET(keys.connections), "1", "1", "65535", NULL,
     "iSCSI: maximum number of TCP connections of a session (MaxConnections).",
     LIO ": INITIAL_MAXCONNECTIONS 1", OPT_ACTS_IF(OPT_NEED_ISCSI, LATENCY, ANY, TRACE)},
    {"iscsi-window", OPT_INT, TARGET(window), "64", "1", "1023", NULL,
     "iSCSI: maximum number of commands that a session may have outstanding at the target "
     "(MaxCmdSN).",
     "drivers/target/iscsi/iscsi_target_core.h of Linux 6.1: TA_DEFAULT_CMDSN_DEPTH 64",
     OPT_SCALES_IF(OPT_NEED_ISCSI, QUEUE_SIZE, LESS, SERVICE)},
    {0},
};

struct iscsi_terms iscsi_terms_of(const struct iscsi_keys *keys)
{
    return (struct iscsi_terms){
        .header_digest = keys->header_digest != 0,
        .data_digest = keys->data_digest != 0,
        .initial_r2t = keys->initial_r2t != 0,
        .immediate_data = keys->immediate_data != 0,
        .first_burst = (uint32_t)keys->first_burst,
        .max_burst = (uint32_t)keys->max_burst,
        .max_r2t = (uint32_t)keys->max_r2t,
        .connections = (uint32_t)keys->connections,
        .recv_data = (uint32_t)keys->recv_data,
        .send_data = ISCSI_TEXT_MAX,
    };
}

struct iscsi_terms iscsi_terms_of_further(const struct iscsi_keys *keys,
                                          const struct iscsi_terms *leading)
{
    const struct iscsi_terms own = iscsi_terms_of(keys);
    struct iscsi_terms terms = *leading;
    terms.header_digest = own.header_digest;
    terms.data_digest = own.data_digest;
    terms.recv_data = own.recv_data;
    terms.send_data = own.send_data;
    return terms;
}

/* ---- memory ---- */

static bool map(struct nvme_transport *transport, struct nvme_buffer *buffer, uint32_t length,
                enum nvme_memory memory, unsigned directions)
{
    (void)directions;
    return nvme_plain_map(buffer, length, memory, &iscsi_of(transport)->mapped);
}

static void unmap(struct nvme_transport *transport, struct nvme_buffer *buffer)
{
    nvme_plain_unmap(buffer, &iscsi_of(transport)->mapped);
}

/* ---- sessions ---- */

static void free_dead(struct iscsi *iscsi, bool all)
{
    struct iscsi_session **link = &iscsi->dead;
    while (*link != NULL) {
        struct iscsi_session *session = *link;
        if (!all && session->later.pending + session->linger.pending > 0) {
            link = &session->next;
            continue;
        }
        *link = session->next;
        free(session);
    }
}

static bool is_attached(const struct iscsi_session *session)
{
    for (unsigned i = 0; i < ISCSI_QUEUES; i++)
        if (session->queues[i] != NULL && session->queues[i]->attached)
            return true;
    return false;
}

void iscsi_session_free(struct iscsi_session *session)
{
    struct iscsi *iscsi = session->iscsi;
    struct iscsi_session **link = &iscsi->sessions;
    if (is_attached(session))
        return;
    iscsi_abort(session);
    while (*link != session)
        link = &(*link)->next;
    *link = session->next;
    for (unsigned i = 0; i < ISCSI_QUEUES; i++)
        if (session->queues[i] != NULL) {
            session->role->release_queue(session->queues[i]);
            free(session->queues[i]);
        }
    session->role->release(session);
    while (session->connections != NULL) {
        struct iscsi_connection *connection = session->connections;
        session->connections = connection->next;
        free(connection->line);
        free(connection);
    }
    session->next = iscsi->dead;
    iscsi->dead = session;
    free_dead(iscsi, false);
}

/* Aborts the connections, which both queues have in common. */
static void drop(struct nvme_transport_conn *conn)
{
    struct iscsi_session *session = conn->session;
    for (unsigned i = 0; i < ISCSI_QUEUES; i++)
        if (session->queues[i] != NULL)
            session->queues[i]->closed = session->queues[i]->reported = true;
    iscsi_abort(session);
}

static void close_conn(struct nvme_transport_conn *conn)
{
    drop(conn);
    conn->attached = false;
    iscsi_session_free(conn->session);
}

/* ---- table ---- */

/* The CPU time of a session counts for its I/O queue. The leading connection runs on the queue's
 * core, the others on the cores that TCP gives them. */
static bool run_on(struct nvme_transport_conn *conn, struct cpu_core *core)
{
    const struct iscsi_connection *leader = conn->session->connections;
    const struct stream_ops *streams = conn->session->iscsi->site.streams;
    return conn->index == ISCSI_IO && leader->stream != NULL && streams->run_on != NULL &&
           streams->run_on(leader->stream, core);
}

static time_ps cpu(const struct nvme_transport_conn *conn)
{
    const struct stream_ops *streams = conn->session->iscsi->site.streams;
    struct stream_info info;
    time_ps sum = 0;
    if (conn->index != ISCSI_IO)
        return 0;
    for (const struct iscsi_connection *at = conn->session->connections; at != NULL;
         at = at->next) {
        if (at->stream != NULL) {
            streams->info(at->stream, &info);
            sum += info.cpu;
        } else {
            sum += at->cpu;
        }
    }
    return sum;
}

/* Discovery of NVMe does not reach it, but finds the port. */
static void describe(struct nvme_discovery_record *record)
{
    snprintf(record->service, sizeof record->service, "%d", ISCSI_PORT);
}

static uint32_t local_ip(struct nvme_transport *transport)
{
    const struct iscsi_site *site = &iscsi_of(transport)->site;
    return site->streams->local_ip(site->device);
}

static void costs(const struct nvme_transport *transport, time_ps *submit, time_ps *complete)
{
    const struct iscsi_host_params *params =
        &((const struct iscsi *)(const void *)transport)->params.host;
    *submit = params->submit_cost;
    *complete = params->complete_cost;
}

static void expect(struct nvme_transport *transport, int64_t bytes)
{
    const struct iscsi *iscsi = iscsi_of(transport);
    if (iscsi->site.streams->expect != NULL)
        iscsi->site.streams->expect(iscsi->site.device, bytes);
}

static void destroy(struct nvme_transport *transport)
{
    struct iscsi *iscsi = iscsi_of(transport);
    while (iscsi->sessions != NULL) {
        for (unsigned i = 0; i < ISCSI_QUEUES; i++)
            CHECK(iscsi->sessions->queues[i] == NULL || !iscsi->sessions->queues[i]->attached);
        iscsi_session_free(iscsi->sessions);
    }
    free_dead(iscsi, true);
    CHECK(iscsi->mapped == 0);
    free(iscsi);
}

static void disconnect(struct nvme_transport_conn *conn)
{
    if (conn->closed)
        return;
    conn->closed = true;
    if (iscsi_is_host(conn->session))
        iscsi_host_disconnect(conn);
    else
        iscsi_part(conn->session);
    iscsi_later(conn->session);
}

static const struct nvme_transport_ops ops = {
    .name = "iscsi",
    .type = NVME_TRANSPORT_NONE,
    .parts = true,
    .map = map,
    .unmap = unmap,
    .fill = nvme_plain_keep,
    .look = nvme_plain_keep,
    .connect = iscsi_connect,
    .send_command = iscsi_send_command,
    .listen = iscsi_listen,
    .unlisten = iscsi_unlisten,
    .accept = iscsi_accept,
    .reject = iscsi_reject_queue,
    .judge_sgl = nvme_plain_judge_sgl,
    .reserve = iscsi_reserve,
    .fetch = iscsi_fetch,
    .respond = iscsi_respond,
    .audit = iscsi_target_audit,
    .describe = describe,
    .local_ip = local_ip,
    .disconnect = disconnect,
    .drop = drop,
    .close = close_conn,
    .number = nvme_plain_number,
    .run_on = run_on,
    .expect = expect,
    .cpu = cpu,
    .costs = costs,
    .destroy = destroy,
};

struct nvme_transport *iscsi_create(const struct iscsi_site *site,
                                    const struct iscsi_params *params)
{
    struct iscsi *iscsi = memory_new(sizeof *iscsi);
    *iscsi = (struct iscsi){.base = {&ops}, .site = *site, .params = *params};
    return &iscsi->base;
}
