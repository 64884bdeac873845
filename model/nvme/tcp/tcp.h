/* SPDX-License-Identifier: Apache-2.0
 * tcp - NVMe over TCP: each queue is one connection, which carries PDUs (pdu.h).
 * Uses the network only through the stream table. A PDU takes effect when its last byte has
 * arrived in order.
 *   read             CapsuleCmd -> C2HData, CapsuleResp
 *   write that fits  CapsuleCmd with data -> CapsuleResp
 *   other write      CapsuleCmd -> R2T -> H2CData -> CapsuleResp, or several R2Ts (tcp_r2t.c)
 * As Linux: one R2T for all data of a command by default, one C2HData PDU for a read, data of
 * Fabrics commands and of admin commands in the capsule, FIN at the end of a queue.
 * With TLS, records lie between PDUs and stream (tcp_tls.c).
 * Source: NVMe/TCP Transport Specification 1.0; drivers/nvme/host/tcp.c and
 * drivers/nvme/target/tcp.c of Linux 6.1. */
#ifndef STORMGLASS_NVME_TCP_TCP_H
#define STORMGLASS_NVME_TCP_TCP_H

#include "base/env.h"
#include "base/opt.h"
#include "nvme/transport/transport.h"
#include "tcp/stream.h"

struct nvme_tcp_host_params {
    int64_t header_digest, data_digest; /* bool */
    int64_t alignment;                  /* HPDA: data of C2HData begins at a multiple, bytes */
    int64_t max_r2t;                    /* MAXR2T: R2Ts outstanding for a command */
    int64_t tls;                        /* bool */
};

struct nvme_tcp_target_params {
    int64_t in_capsule;   /* maximum in-capsule data, bytes */
    int64_t max_h2c_data; /* MAXH2CDATA, bytes */
    int64_t r2t_length;   /* R2TL: maximum bytes that one R2T requests; 0: all of a command */
    int64_t alignment;    /* CPDA: data from the host begins at a multiple, bytes */
    int64_t digests;      /* bool: agrees to the digests that a host requests */
    int64_t success;      /* bool: SUCCESS in C2HData also with SQ flow control */
    int64_t tls;          /* bool: accepts hosts that use TLS */
};

extern const struct opt nvme_tcp_host_opts[], nvme_tcp_target_opts[];

struct nvme_tcp_params {
    struct stream_class class; /* of a host's connections: nvme connect --tos */
    struct nvme_tcp_host_params host;
    struct nvme_tcp_target_params target;
};

/* Protection of a target whose peers may be anything. */
struct nvme_tcp_guard {
    uint64_t memory;    /* bytes of all buffers; a command beyond it fails */
    uint32_t strangers; /* connections without an ICReq; a further one replaces the oldest */
    time_ps patience;   /* from the beginning of a connection to a successful Connect, from a PDU's
                         * first byte to its last, and from an R2T to the last byte of its data */
    /* A peer broke the protocol or kept the target waiting, and its connection ends. */
    void (*on_refused)(void *self, uint32_t ip, uint16_t port, const char *why);
    void *self;
};

struct nvme_tcp_site {
    const struct env *env;
    const struct stream_ops *streams;
    struct stream_device *device;
    const struct nvme_tcp_guard *guard; /* must outlive the transport; NULL: none */
};

/* Owned by the host or target to which it is passed. */
struct nvme_transport *nvme_tcp_create(const struct nvme_tcp_site *site,
                                       const struct nvme_tcp_params *params);

#endif
