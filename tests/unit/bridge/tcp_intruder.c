/* SPDX-License-Identifier: Apache-2.0
 * tcp_intruder - see tcp_intruder.h. */
#include "tests/unit/bridge/tcp_intruder.h"

#include "base/check.h"
#include "base/crc32c.h"
#include "nvme/wire/capsule.h"
#include "nvme/wire/fabrics.h"
#include "nvme/wire/wire.h"
#include "tests/unit/bridge/bridge_case.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACTS_MAX = 32, SENT_MAX = 255, QUIET_ROUNDS = 3, ROUNDS_MAX = 1000 };

static const time_ps turn = 20 * PS_PER_US, patience = 5 * PS_PER_S;

static const char text[] =
    "stormglass: 1\nname: one\nduration: 200ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
    "hosts: {targets: {where: host0, namespaces: [{media: \"null\", count: 1}]}}\n"
    "workloads:\n"
    "  - {name: w, kind: nvme, from: host1, to: host0, block-size: 4KiB, transport: tcp}\n";

uint32_t tcp_intruder_ip(unsigned index)
{
    const uint32_t pid = (uint32_t)getpid();
    return 127u << 24 | (1 + pid / 250 % 250) << 16 | (1 + pid % 250) << 8 | (1 + index);
}

/* ---- the bridge ---- */

static void on_refused(void *self, uint32_t ip, uint16_t port, const char *why)
{
    struct tcp_intruder *intruder = self;
    CHECK(ip >> 24 == 127 && port > 0 && why[0] != '\0');
    snprintf(intruder->refused, sizeof intruder->refused, "%s", why);
    intruder->refusals++;
}

static void set_parameters(struct tcp_intruder *intruder)
{
    opt_presets(nvme_host_opts, &intruder->host_params);
    opt_presets(nvme_target_opts, &intruder->target_params);
    opt_presets(nvme_tcp_host_opts, &intruder->tcp.host);
    opt_presets(nvme_tcp_target_opts, &intruder->tcp.target);
    opt_presets(nvme_namespace_opts, &intruder->space.params);
    intruder->tcp.target.max_h2c_data = NVME_PDU_H2C_DATA_MIN;
    intruder->tcp.target.in_capsule = 4096;
    intruder->host_params.submit_cost = intruder->host_params.complete_cost = 0;
    intruder->host_params.queues = 1;
    intruder->host_params.ctrl_loss_tmo = 0;
    intruder->target_params.command_cost = 0;
    intruder->target_params.strangers = TCP_INTRUDER_STRANGERS;
    intruder->space.media = media_find("null");
    opt_presets(intruder->space.media->opts, intruder->media_params);
    intruder->space.media_params = intruder->media_params;
}

static struct nvme_transport *transport_at(const struct tcp_intruder *intruder,
                                           const struct verbs_device *device, bool guarded)
{
    const struct nvme_tcp_site site = {.env = &intruder->env,
                                       .streams = &stream_real,
                                       .device = verbs_tcp_streams(device),
                                       .guard = guarded ? &intruder->guard : NULL};
    return nvme_tcp_create(&site, &intruder->tcp);
}

static void open_agreement(struct tcp_intruder *intruder)
{
    intruder->scenario = bridge_case_load(text);
    agree_plan_make(&intruder->plan, intruder->scenario);
    intruder->state.zero = TIME_NEVER;
    intruder->agree_site = (struct agree_site){.env = &intruder->env,
                                               .verbs = &verbs_tcp,
                                               .device = intruder->target_device,
                                               .plan = &intruder->plan,
                                               .access = &intruder->access};
    intruder->agree = agree_target_create(&intruder->agree_site, &intruder->state, NULL, NULL);
    CHECK(intruder->agree != NULL);
}

void tcp_intruder_open(struct tcp_intruder *intruder)
{
    memset(intruder, 0, sizeof *intruder);
    for (unsigned i = 0; i < TCP_INTRUDER_CONNS; i++)
        intruder->conns[i].fd = -1;
    intruder->loop = loop_create();
    CHECK(intruder->loop != NULL);
    intruder->probe = probe_none;
    intruder->env = (struct env){.ops = &loop_env_ops,
                                 .world = intruder->loop,
                                 .probe = &intruder->probe,
                                 .seed = 1,
                                 .owner = "intruder"};
    intruder->ip = tcp_intruder_ip(0);
    intruder->guard = (struct nvme_tcp_guard){.memory = TCP_INTRUDER_MEMORY,
                                              .strangers = TCP_INTRUDER_STRANGERS,
                                              .patience = 400 * PS_PER_MS,
                                              .on_refused = on_refused,
                                              .self = intruder};
    set_parameters(intruder);
    intruder->site = (struct stream_real_site){
        .loop = intruder->loop, .ip = intruder->ip, .depth = CONTENT_FULL};
    intruder->target_device = verbs_tcp_open(&intruder->site);
    CHECK(intruder->target_device != NULL);
    intruder->site.ip = tcp_intruder_ip(1);
    intruder->host_device = verbs_tcp_open(&intruder->site);
    CHECK(intruder->host_device != NULL);
    const struct nvme_target_site site = {
        .env = &intruder->env,
        .transport = transport_at(intruder, intruder->target_device, true),
        .params = &intruder->target_params,
        .namespaces = &intruder->space,
        .namespace_count = 1,
    };
    intruder->target = nvme_target_create(&site);
    CHECK(intruder->target != NULL);
    open_agreement(intruder);
}

/* ---- its connections ---- */

/* True if something came. */
static bool hear(struct tcp_intruder_conn *conn)
{
    unsigned char bytes[4096];
    if (conn->fd < 0 || conn->ended)
        return false;
    const ssize_t got = recv(conn->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return false;
    conn->ended = got <= 0;
    for (ssize_t i = 0; i < got && conn->answered < TCP_INTRUDER_BYTES; i++)
        conn->answer[conn->answered++] = bytes[i];
    return true;
}

void tcp_intruder_run(struct tcp_intruder *intruder, time_ps span)
{
    loop_touch(intruder->loop);
    loop_run(intruder->loop, loop_now(intruder->loop) + span);
    for (unsigned i = 0; i < TCP_INTRUDER_CONNS; i++)
        while (hear(&intruder->conns[i]))
            ;
}

/* Loopback delivers within the call, so a few turns of the loop without an answer are the end. */
static void settle(struct tcp_intruder *intruder)
{
    unsigned quiet = 0;
    for (unsigned round = 0; quiet < QUIET_ROUNDS; round++) {
        size_t before = 0, after = 0;
        CHECK(round < ROUNDS_MAX);
        for (unsigned i = 0; i < TCP_INTRUDER_CONNS; i++)
            before += intruder->conns[i].answered + intruder->conns[i].ended;
        tcp_intruder_run(intruder, turn);
        for (unsigned i = 0; i < TCP_INTRUDER_CONNS; i++)
            after += intruder->conns[i].answered + intruder->conns[i].ended;
        quiet = before == after ? quiet + 1 : 0;
    }
}

void tcp_intruder_leave(struct tcp_intruder *intruder, unsigned index, bool reset)
{
    struct tcp_intruder_conn *conn = &intruder->conns[index];
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (conn->fd < 0)
        return;
    if (reset)
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(conn->fd);
    conn->fd = -1;
    settle(intruder);
}

void tcp_intruder_connect(struct tcp_intruder *intruder, unsigned index, uint16_t port)
{
    struct tcp_intruder_conn *conn = &intruder->conns[index];
    const struct sockaddr_in there = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(intruder->ip)};
    tcp_intruder_leave(intruder, index, true);
    conn->answered = 0;
    conn->ended = false;
    conn->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(conn->fd >= 0);
    /* The kernel answers the SYN, so this needs no turn of the loop. */
    CHECK(connect(conn->fd, (const struct sockaddr *)&there, sizeof there) == 0);
    settle(intruder);
}

void tcp_intruder_send(struct tcp_intruder *intruder, unsigned index, const void *bytes,
                       size_t length)
{
    struct tcp_intruder_conn *conn = &intruder->conns[index];
    const unsigned char *at = bytes;
    for (unsigned round = 0; length > 0 && conn->fd >= 0 && !conn->ended; round++) {
        const ssize_t sent = send(conn->fd, at, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        CHECK(round < ROUNDS_MAX);
        if (sent < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
            break; /* the target has reset it */
        at += sent > 0 ? sent : 0;
        length -= sent > 0 ? (size_t)sent : 0;
        settle(intruder);
    }
}

/* ---- PDUs ---- */

void tcp_intruder_send_pdu(struct tcp_intruder *intruder, unsigned index,
                           const struct nvme_pdu *pdu, const struct nvme_pdu_format *format,
                           const void *data)
{
    static unsigned char bytes[NVME_PDU_BEFORE_MAX + TCP_INTRUDER_BYTES + NVME_PDU_DIGEST_BYTES];
    uint32_t length = nvme_pdu_encode(pdu, format, bytes);
    if (nvme_pdu_has_data(pdu)) {
        CHECK(pdu->length <= TCP_INTRUDER_BYTES);
        memcpy(bytes + length, data, pdu->length);
        length += pdu->length;
    }
    if ((bytes[1] & NVME_PDU_DDGST) != 0) {
        wire_put32(bytes + length, crc32c(0, data, pdu->length));
        length += NVME_PDU_DIGEST_BYTES;
    }
    tcp_intruder_send(intruder, index, bytes, length);
}

void tcp_intruder_begin(struct tcp_intruder *intruder, unsigned index, uint8_t digests)
{
    static const struct nvme_pdu_format plain = {0};
    const struct nvme_pdu pdu = {.type = NVME_PDU_ICREQ, .digests = digests};
    tcp_intruder_send_pdu(intruder, index, &pdu, &plain, NULL);
}

void tcp_intruder_join(struct tcp_intruder *intruder, unsigned index, uint16_t qid, uint16_t cntlid,
                       const struct nvme_pdu_format *format)
{
    struct nvme_connect_data data = {.cntlid = cntlid};
    unsigned char bytes[NVME_CONNECT_BYTES];
    struct nvme_pdu pdu = {.type = NVME_PDU_COMMAND, .length = sizeof bytes};
    const struct nvme_command connect = {
        .opcode = NVME_FABRICS,
        .flags = 0x40, /* PSDT: SGL */
        .cid = 1,
        .nsid = NVME_FCTYPE_CONNECT,
        .sgl = {.type = NVME_SGL_IN_CAPSULE, .length = sizeof bytes},
        .cdw10 = (uint32_t)qid << 16,
        .cdw11 = 31,
    };
    snprintf(data.subsystem_nqn, sizeof data.subsystem_nqn, "%s", NVME_SUBSYSTEM_NQN);
    snprintf(data.host_nqn, sizeof data.host_nqn, "%s", "nqn.2024-01.example.stormglass:intruder");
    data.host_id[0] = 7;
    nvme_fabrics_encode_connect(&data, bytes);
    nvme_capsule_encode_command(&connect, pdu.entry);
    tcp_intruder_send_pdu(intruder, index, &pdu, format, bytes);
}

/* ---- any bytes ---- */

struct script {
    const uint8_t *data;
    size_t size;
};

static uint8_t next_byte(struct script *script)
{
    if (script->size == 0)
        return 0;
    script->size--;
    return *script->data++;
}

static void send_some(struct tcp_intruder *intruder, unsigned index, struct script *script)
{
    unsigned char bytes[SENT_MAX];
    const unsigned length = next_byte(script);
    for (unsigned i = 0; i < length; i++)
        bytes[i] = next_byte(script);
    tcp_intruder_send(intruder, index, bytes, length);
}

/* A PDU whose every field is the script's, with digests that are right. */
static void send_made(struct tcp_intruder *intruder, unsigned index, struct script *script)
{
    static const unsigned char data[TCP_INTRUDER_BYTES];
    static const uint8_t types[] = {NVME_PDU_ICREQ, NVME_PDU_H2C_TERM, NVME_PDU_COMMAND,
                                    NVME_PDU_H2C_DATA};
    const uint8_t how = next_byte(script);
    const struct nvme_pdu_format format = {(how & 1) != 0, (how & 2) != 0, 0};
    struct nvme_pdu pdu = {.type = types[how >> 2 & 3], .flags = next_byte(script)};
    pdu.cid = next_byte(script);
    pdu.ttag = next_byte(script);
    pdu.at = (uint32_t)next_byte(script) << 8;
    pdu.length = (uint32_t)next_byte(script) << (how >> 4 & 7);
    pdu.digests = next_byte(script) & 3;
    if (nvme_pdu_is_term(pdu.type) && pdu.length > NVME_PDU_TERM_DATA_MAX)
        pdu.length = NVME_PDU_TERM_DATA_MAX;
    for (unsigned i = 0; pdu.type == NVME_PDU_COMMAND && i < NVME_SQE_BYTES; i++)
        pdu.entry[i] = next_byte(script);
    tcp_intruder_send_pdu(intruder, index, &pdu, &format, data);
}

void tcp_intruder_play(struct tcp_intruder *intruder, const uint8_t *data, size_t size)
{
    struct script script = {data, size};
    for (unsigned act = 0; act < ACTS_MAX && script.size > 0; act++) {
        const uint8_t what = next_byte(&script);
        const unsigned index = (what >> 3) % TCP_INTRUDER_CONNS;
        const uint8_t digests = (uint8_t)(index & 3);
        const struct nvme_pdu_format format = {(digests & 1) != 0, (digests & 2) != 0, 0};
        switch (what & 7) {
        case 0:
            tcp_intruder_connect(intruder, index, NVME_TCP_PORT);
            break;
        case 1:
            tcp_intruder_connect(intruder, index, AGREE_PORT);
            break;
        case 2:
            tcp_intruder_connect(intruder, index, NVME_TCP_PORT);
            tcp_intruder_begin(intruder, index, digests);
            break;
        case 3:
            tcp_intruder_join(intruder, index, next_byte(&script) & 1, NVME_CNTLID_DYNAMIC,
                              &format);
            break;
        case 4:
            tcp_intruder_leave(intruder, index, (next_byte(&script) & 1) != 0);
            break;
        case 5:
            send_made(intruder, index, &script);
            break;
        default:
            send_some(intruder, index, &script);
        }
    }
}

/* ---- afterwards ---- */

static void on_ready(void *self, uint16_t status)
{
    struct tcp_intruder *intruder = self;
    intruder->ready = true;
    intruder->ready_status = status;
    loop_stop(intruder->loop);
}

static void on_io(void *self, struct nvme_io *io)
{
    struct tcp_intruder *intruder = self;
    (void)io;
    intruder->done = true;
    loop_stop(intruder->loop);
}

static void submit(struct tcp_intruder *intruder, enum nvme_opcode opcode, uint32_t content)
{
    loop_touch(intruder->loop);
    intruder->done = false;
    intruder->io = (struct nvme_io){.opcode = (uint8_t)opcode,
                                    .nsid = 1,
                                    .bytes = 32768,
                                    .content = content,
                                    .issued_at = loop_now(intruder->loop)};
    CHECK(nvme_host_submit(intruder->host, 0, &intruder->io));
    if (!intruder->done)
        tcp_intruder_run(intruder, patience);
    CHECK(intruder->done && intruder->io.status == NVME_STATUS_OK);
}

static void serve_a_host(struct tcp_intruder *intruder)
{
    const struct nvme_host_site site = {
        .env = &intruder->env,
        .transport = transport_at(intruder, intruder->host_device, false),
        .params = &intruder->host_params,
        .target_ip = intruder->ip,
        .user = {.self = intruder, .on_ready = on_ready, .on_io = on_io},
    };
    loop_touch(intruder->loop);
    intruder->host = nvme_host_create(&site);
    if (!intruder->ready)
        tcp_intruder_run(intruder, patience);
    CHECK(intruder->ready && intruder->ready_status == NVME_STATUS_OK);
    submit(intruder, NVME_WRITE, 42);
    submit(intruder, NVME_READ, 0);
    CHECK(intruder->io.content == 42);
    nvme_host_destroy(intruder->host);
}

void tcp_intruder_close(struct tcp_intruder *intruder)
{
    for (unsigned i = 0; i < TCP_INTRUDER_CONNS; i++)
        tcp_intruder_leave(intruder, i, true);
    serve_a_host(intruder);
    nvme_target_destroy(intruder->target);
    agree_target_free(intruder->agree);
    agree_plan_free(&intruder->plan);
    scenario_free(intruder->scenario);
    verbs_tcp_close(intruder->host_device);
    verbs_tcp_close(intruder->target_device);
    loop_free(intruder->loop);
}
