/* SPDX-License-Identifier: Apache-2.0
 * verbs_real - the verbs table on libibverbs and librdmacm.
 * A device is one local address: it is used to bind, listen and connect. Its events arrive through
 * the loop's descriptors: CM events, completions, asynchronous events. BULK memory holds real
 * bytes: they are generated from the buffer's tag before they are posted, and converted back to the
 * tag when they arrive (content.h).
 * The states of queue pairs are changed here and not in librdmacm, so that they have the scenario's
 * attributes from the first packet on (verbs_real_qp.c).
 * Not supported: fast registration (not available in user space), shared receive queues.
 * Owner: verbs_real_close. Clock: the loop. Errors: as in verbs.h. If memory or a queue pair of the
 * local user exceeds the limits of the device, on_fatal is called; a request of a peer only ends
 * its connection. */
#ifndef STORMGLASS_BRIDGE_VERBS_VERBS_REAL_H
#define STORMGLASS_BRIDGE_VERBS_VERBS_REAL_H

#include "bridge/bytes/content.h"
#include "bridge/loop/loop.h"
#include "bridge/verbs/rdma_calls.h"
#include "rnic/verbs.h"

/* Settings that the scenario's RNIC requests from the device: X(member, its row of rnic_opts).
 *   retry_count, rnr_retry  upper limits; a connection that requests less gets less
 *   min_rnr_timer           0, which is the CM's 655 ms, becomes 0.64 ms
 *   timeout                 code of the ACK timer; VERBS_REAL_ANY: the CM's, 19 on RoCE
 *   accept_timeout          of accepted connections; VERBS_REAL_ANY: that of the REQ
 *   path_mtu                bytes; ignored if larger than the port's; 0: the port's.  Only between
 *                           ends that both run the scenario: a REQ has the port's
 *   max_rd_atomic           READs in flight per queue pair; 0: the maximum of the device
 *   dscp                    of connections that set none; VERBS_REAL_ANY: the device's own
 *   accept_dscp             of packets on accepted connections; VERBS_REAL_ANY: that of the REQ
 *   inline_size             bytes up to which a message is placed in its work request */
#define VERBS_REAL_WISHES(X)                                                                       \
    X(retry_count, "retry-count")                                                                  \
    X(rnr_retry, "rnr-retry")                                                                      \
    X(min_rnr_timer, "min-rnr-timer")                                                              \
    X(timeout, "timeout")                                                                          \
    X(accept_timeout, "accept-timeout")                                                            \
    X(path_mtu, "path-mtu")                                                                        \
    X(max_rd_atomic, "max-rd-atomic")                                                              \
    X(dscp, "dscp")                                                                                \
    X(accept_dscp, "accept-dscp")                                                                  \
    X(inline_size, "inline-size")

enum { VERBS_REAL_ANY = -1, VERBS_REAL_WHY_BYTES = 320 };

struct verbs_real_wishes {
#define X(member, row) int64_t member;
    VERBS_REAL_WISHES(X)
#undef X
};

/* Requests only what the protocol needs. */
extern const struct verbs_real_wishes verbs_real_no_wishes;

struct verbs_real_site {
    const struct rdma_calls *calls;
    struct loop *loop;
    uint32_t ip; /* local address, host byte order */
    bool any;    /* listen on all addresses instead */
    bool busy;   /* poll completion queues continuously */
    enum content_depth depth;
    const struct verbs_real_wishes *wishes; /* copied; NULL: none */
    /* True if an address may connect to a port; NULL: all may. */
    bool (*admits)(void *self, uint16_t port, uint32_t ip);
    /* Called once when the device was removed; on_fatal: for unrecoverable errors. Each callback
     * may be NULL. */
    void (*on_removed)(void *self);
    /* The device's port went down or came up; operations in flight end by their timers. */
    void (*on_port)(void *self, bool up);
    /* A peer's connection was rejected because it exceeds the capabilities of the device. */
    void (*on_refused)(void *self, const char *why);
    void (*on_fatal)(void *self, const char *why);
    void *self;
};

/* Event counters: X(member, name in the report). Connects and disconnects are those requested here,
 * accepts and rejects are answers to requests of peers; wakeups are completion events; refused are
 * attributes that a device did not accept. */
#define VERBS_REAL_COUNTERS(X)                                                                     \
    X(connects, "connects")                                                                        \
    X(accepts, "accepts")                                                                          \
    X(rejects, "rejects")                                                                          \
    X(disconnects, "disconnects")                                                                  \
    X(completions, "completions")                                                                  \
    X(wakeups, "wakeups")                                                                          \
    X(errors, "error_completions")  /* except flushed ones */                                      \
    X(unsound, "unsound_transfers") /* transfers that delivered foreign bytes */                   \
    X(async_events, "async_events")                                                                \
    X(port_downs, "port_downs")                                                                    \
    X(refused, "refused_attributes")

struct verbs_real_counters {
#define X(member, name) uint64_t member;
    VERBS_REAL_COUNTERS(X)
#undef X
    uint32_t open; /* current connections, without listeners */
};

/* NULL: there is no RDMA device at the address, or it cannot be used; errno has the reason. */
struct verbs_device *verbs_real_open(const struct verbs_real_site *site);
/* Ends remaining connections, listeners and memory regions. */
void verbs_real_close(struct verbs_device *device);

const struct verbs_real_counters *verbs_real_counters(const struct verbs_device *device);
const char *verbs_real_name(const struct verbs_device *device);
const struct ibv_device_attr *verbs_real_attributes(const struct verbs_device *device);
/* False, with a sentence, if the device cannot provide the requested settings. */
bool verbs_real_can(const struct verbs_device *device, char why[VERBS_REAL_WHY_BYTES]);
/* Payload of a full packet on the device's port; 0: unknown. */
uint32_t verbs_real_path_mtu(const struct verbs_device *device);

extern const struct verbs_ops verbs_real;

#endif
