/* SPDX-License-Identifier: Apache-2.0
 * agree - hosts and targets agree on the scenario and on its start.
 * A target listens on a port of its own in addition to NVMe's. A host connects there first and
 * sends the digest of its scenario, after all --set, and the scenario's name of the target host
 * that it expects. A host with another scenario is rejected; it then finds the first difference by
 * bisection, with one rejected request per step, so that both ends can report it. An accepted host
 * exchanges some messages with the target; half of the shortest round trip is the maximum error of
 * the clock offset. Then it proposes moment 0, the start of the scenario, and keeps the connection
 * during the run.
 * The target decides on moment 0: the first host's proposal is valid until the last host has left,
 * so that several hosts begin together.
 * With a shared secret (access.h), every request, answer and moment proves that its sender has the
 * secret (agree_proof.h), and a target reveals nothing about the scenario to other senders. Without
 * a secret, a target answers only its own machine.
 * A peer without this port is a foreign one (nvmet, an SPDK target) and is used as it is. A foreign
 * host connects to NVMe's port directly.
 * Clock: env. Owner: the _free functions, outside of callbacks.
 * Errors: agree_host_text. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_H

#include "base/env.h"
#include "bridge/access/access.h"
#include "bridge/agree/agree_plan.h"
#include "rnic/verbs.h"
#include "scenarios/fabric/nics.h"

enum { AGREE_PORT = 18516, AGREE_SESSIONS_MAX = 1024 }; /* next to WORKLOAD_RDMA_PORT */

struct agree_site {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    const struct agree_plan *plan;
    const struct access *access;
    uint32_t node; /* node of the target */
};

/* Shared by all targets of a process. */
struct agree_state {
    time_ps zero;      /* moment 0; TIME_NEVER: no host has proposed one */
    time_ps last_zero; /* like zero, but kept after the hosts have left */
    uint32_t hosts;    /* number of hosts that are running now */
    uint64_t joined, refused;
};

struct agree_target;

/* NULL: it cannot listen; errno has the reason. `on_refused` may be NULL. */
struct agree_target *agree_target_create(const struct agree_site *site, struct agree_state *state,
                                         void (*on_refused)(void *self, const char *text),
                                         void *self);
void agree_target_free(struct agree_target *target);
/* True if a host that has agreed has this address. */
bool agree_target_knows(const struct agree_target *target, uint32_t ip);

enum agree_end {
    AGREE_ASKING,
    AGREE_AGREED,
    AGREE_FOREIGN, /* the peer is not a stormglass bridge */
    AGREE_REFUSED, /* the peer is one of ours, with another scenario */
    AGREE_SILENT   /* no path, or no answer within the time limit */
};

struct agree_host;

/* Starts an agreement with the target at `ip`. `ips`: all addresses of this host, 0 for none.
 * `zero`: moment 0 to propose; TIME_NEVER: `lead` after the answer. on_done is called once,
 * possibly before this function returns. */
struct agree_host *agree_host_create(const struct agree_site *site, uint32_t ip,
                                     const uint32_t ips[NICS_MAX], time_ps zero, time_ps lead,
                                     void (*on_done)(void *self), void *self);
void agree_host_free(struct agree_host *host); /* leaves the run */

enum agree_end agree_host_end(const struct agree_host *host);
const char *agree_host_text(const struct agree_host *host);   /* the reason, for messages */
time_ps agree_host_zero(const struct agree_host *host);       /* on this clock */
time_ps agree_host_round_trip(const struct agree_host *host); /* shortest round trip */

#endif
