/* SPDX-License-Identifier: Apache-2.0
 * tcp_intruder - a peer that breaks the protocol, at a bridge that listens for TCP on real sockets.
 * The ports of NVMe and of agreements listen at a loopback address of this process. The intruder
 * connects, sends arbitrary bytes, and resets connections. */
#ifndef STORMGLASS_TESTS_TCP_INTRUDER_H
#define STORMGLASS_TESTS_TCP_INTRUDER_H

#include "base/probe.h"
#include "bridge/agree/agree.h"
#include "bridge/streams/verbs_tcp.h"
#include "nvme/host/host.h"
#include "nvme/target/target.h"
#include "nvme/tcp/pdu.h"
#include "nvme/tcp/tcp.h"

enum {
    TCP_INTRUDER_CONNS = 6,
    TCP_INTRUDER_STRANGERS = 3,
    TCP_INTRUDER_BYTES = 65536,
    TCP_INTRUDER_MEMORY = 1 << 20
};

struct tcp_intruder_conn {
    int fd; /* -1: none */
    unsigned char answer[TCP_INTRUDER_BYTES];
    size_t answered; /* bytes that came; the oldest are kept */
    bool ended;      /* by the target */
};

struct tcp_intruder {
    struct loop *loop;
    struct probe probe;
    struct env env;
    uint32_t ip;
    struct stream_real_site site;
    struct verbs_device *target_device, *host_device;
    struct nvme_tcp_guard guard;
    struct nvme_tcp_params tcp;
    struct nvme_host_params host_params;
    struct nvme_target_params target_params;
    struct nvme_target_namespace space;
    unsigned char media_params[MEDIA_PARAMS_MAX];
    struct nvme_target *target;
    struct nvme_host *host;
    struct nvme_io io;
    bool ready, done;
    uint16_t ready_status;
    struct scenario *scenario;
    struct agree_plan plan;
    struct access access;
    struct agree_site agree_site;
    struct agree_state state;
    struct agree_target *agree;
    struct tcp_intruder_conn conns[TCP_INTRUDER_CONNS];
    char refused[320]; /* the last one */
    unsigned refusals;
};

/* An address of 127.0.0.0/8 for this process; other tests run at the same time. */
uint32_t tcp_intruder_ip(unsigned index);

void tcp_intruder_open(struct tcp_intruder *intruder);

/* Each plays until the loop has nothing more to do. */
void tcp_intruder_connect(struct tcp_intruder *intruder, unsigned index, uint16_t port);
void tcp_intruder_send(struct tcp_intruder *intruder, unsigned index, const void *bytes,
                       size_t length);
void tcp_intruder_leave(struct tcp_intruder *intruder, unsigned index, bool reset);
void tcp_intruder_run(struct tcp_intruder *intruder, time_ps span);

/* Sends a PDU with these data behind its header. */
void tcp_intruder_send_pdu(struct tcp_intruder *intruder, unsigned index,
                           const struct nvme_pdu *pdu, const struct nvme_pdu_format *format,
                           const void *data);
/* Sends ICReq, then Connect of that queue. */
void tcp_intruder_begin(struct tcp_intruder *intruder, unsigned index, uint8_t digests);
void tcp_intruder_join(struct tcp_intruder *intruder, unsigned index, uint16_t qid, uint16_t cntlid,
                       const struct nvme_pdu_format *format);

/* Does what the bytes say, any bytes. */
void tcp_intruder_play(struct tcp_intruder *intruder, const uint8_t *data, size_t size);

/* Leaves; and then a host connects and is served as if nothing had been. CHECKs that nothing is
 * left behind. */
void tcp_intruder_close(struct tcp_intruder *intruder);

#endif
