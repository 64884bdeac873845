/* SPDX-License-Identifier: Apache-2.0
 * verbs_real - the verbs table on libibverbs and librdmacm.
 * One device is one local address: what is bound, listened on and connected from.  Its events come
 * in through the loop's descriptors: CM events, completions, asynchronous events.  BULK memory
 * holds real bytes: they are made from the buffer's tag before they are posted and read back into
 * the tag when they arrive (content.h).
 * Queue pairs go through their states here and not in librdmacm, so that they have the scenario's
 * attributes from the first packet on (verbs_real_qp.c).
 * Left out: fast registration (user space has none), shared receive queues.
 * Owner: verbs_real_close.  Clock: the loop.  Errors: as verbs.h; who needs memory or a queue pair
 * that the device does not have ends with `on_fatal`; a peer that asks for it does not end anything
 * but its connection. */
#ifndef STORMGLASS_BRIDGE_VERBS_VERBS_REAL_H
#define STORMGLASS_BRIDGE_VERBS_VERBS_REAL_H

#include "bridge/bytes/content.h"
#include "bridge/verbs/loop.h"
#include "bridge/verbs/rdma_calls.h"
#include "rnic/verbs.h"

/* What the scenario's RNIC asks of the device: X(member, its row of rnic_opts).
 *   retry_count, rnr_retry  the most that there are; who asks for fewer gets fewer
 *   min_rnr_timer           0, which is the CM's 655 ms, becomes 0.64 ms
 *   timeout                 code of the ACK timer; VERBS_REAL_ANY: the CM's, 19 on RoCE
 *   accept_timeout          of what this end accepted; VERBS_REAL_ANY: the REQ's
 *   path_mtu                bytes; a larger one than the port has is no wish; 0: the port's.  Only
 *                           between ends that both play the scenario: a REQ has the port's
 *   max_rd_atomic           READs under way of a queue pair; 0: as many as the device can
 *   dscp                    of connections that set none; VERBS_REAL_ANY: the device's own
 *   accept_dscp             of what this end sends where it accepted; VERBS_REAL_ANY: the REQ's
 *   inline_size             bytes up to which a message travels in its work request */
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

/* Nothing but what the protocol asks for. */
extern const struct verbs_real_wishes verbs_real_no_wishes;

struct verbs_real_site {
    const struct rdma_calls *calls;
    struct loop *loop;
    uint32_t ip; /* local address, host byte order */
    bool any;    /* listen on every address instead */
    bool busy;   /* poll completion queues without pause */
    enum content_depth depth;
    const struct verbs_real_wishes *wishes; /* copied; NULL: none */
    /* Whether an address may connect to a port; NULL: every one. */
    bool (*admits)(void *self, uint16_t port, uint32_t ip);
    /* Told once when the device is gone, and of what cannot be survived; each may be NULL. */
    void (*on_removed)(void *self);
    /* The device's port went down, or came up again: what is under way ends by its timers. */
    void (*on_port)(void *self, bool up);
    /* A peer's connection was refused because the device can do no such thing. */
    void (*on_refused)(void *self, const char *why);
    void (*on_fatal)(void *self, const char *why);
    void *self;
};

/* What happened: X(member, name in the report).  Connects and disconnects are those asked for here,
 * accepts and rejects those answered; wakeups are completion events; refused are attributes that a
 * device would not take. */
#define VERBS_REAL_COUNTERS(X)                                                                     \
    X(connects, "connects")                                                                        \
    X(accepts, "accepts")                                                                          \
    X(rejects, "rejects")                                                                          \
    X(disconnects, "disconnects")                                                                  \
    X(completions, "completions")                                                                  \
    X(wakeups, "wakeups")                                                                          \
    X(errors, "error_completions")  /* but flush */                                                \
    X(unsound, "unsound_transfers") /* that brought bytes that nobody of ours wrote */             \
    X(async_events, "async_events")                                                                \
    X(port_downs, "port_downs")                                                                    \
    X(refused, "refused_attributes")

struct verbs_real_counters {
#define X(member, name) uint64_t member;
    VERBS_REAL_COUNTERS(X)
#undef X
    uint32_t open; /* connections now, listeners not counted */
};

/* NULL: there is no RDMA device at the address, or it cannot be used; errno says why. */
struct verbs_device *verbs_real_open(const struct verbs_real_site *site);
/* Ends what is left: connections, listeners, memory. */
void verbs_real_close(struct verbs_device *device);

const struct verbs_real_counters *verbs_real_counters(const struct verbs_device *device);
const char *verbs_real_name(const struct verbs_device *device);
const struct ibv_device_attr *verbs_real_attributes(const struct verbs_device *device);
/* False with a sentence: what the wishes ask for the device cannot do. */
bool verbs_real_can(const struct verbs_device *device, char why[VERBS_REAL_WHY_BYTES]);
/* Payload of a full packet on the device's port; 0: not known. */
uint32_t verbs_real_path_mtu(const struct verbs_device *device);

extern const struct verbs_ops verbs_real;

#endif
