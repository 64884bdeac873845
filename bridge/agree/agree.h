/* SPDX-License-Identifier: Apache-2.0
 * agree - hosts and targets agree on what they play and when.
 * A target listens on a port of its own beside NVMe's.  A host connects there first, and names the
 * digest of its scenario, after all --set, and the host of the scenario that it looks for there.
 * Who plays something else is rejected; the host then finds the first difference by halving, one
 * rejected request for each step, and both ends can say it.  Who is welcome sends some messages to
 * and fro; of the fastest, half its round trip is how far the two clocks may be apart.  Then it
 * proposes moment 0, and keeps the connection as long as it plays.
 * Moment 0 belongs to the target: the first host's proposal holds until the last host has left, so
 * that several hosts begin together.
 * With a shared secret (access.h) every request, answer and moment proves that its sender has it
 * (agree_proof.h), and a target reveals nothing of the scenario to anybody else.  Without one a
 * target answers only its own machine.
 * A peer that has no such port is a foreign one (nvmet, an SPDK target): it is played with as it
 * is.  A foreign host comes to NVMe's port without a word.
 * Clock: env.  Owner: the _free functions, outside of callbacks.
 * Errors: agree_host_text. */
#ifndef STORMGLASS_BRIDGE_AGREE_AGREE_H
#define STORMGLASS_BRIDGE_AGREE_AGREE_H

#include "base/env.h"
#include "bridge/access/access.h"
#include "bridge/agree/agree_plan.h"
#include "rnic/verbs.h"
#include "scenarios/fabric/nics.h"

enum { AGREE_PORT = 18516, AGREE_SESSIONS_MAX = 1024 }; /* beside WORKLOAD_RDMA_PORT */

struct agree_site {
    const struct env *env;
    const struct verbs_ops *verbs;
    struct verbs_device *device;
    const struct agree_plan *plan;
    const struct access *access;
    uint32_t node; /* of the target */
};

/* Of all targets of a process together. */
struct agree_state {
    time_ps zero;      /* moment 0; TIME_NEVER: no host has proposed one */
    time_ps last_zero; /* the same, but kept when the hosts have left */
    uint32_t hosts;    /* that play now */
    uint64_t joined, refused;
};

struct agree_target;

/* NULL: it cannot listen; errno says why.  `on_refused` may be NULL. */
struct agree_target *agree_target_create(const struct agree_site *site, struct agree_state *state,
                                         void (*on_refused)(void *self, const char *text),
                                         void *self);
void agree_target_free(struct agree_target *target);
/* Does a host that has agreed have this address? */
bool agree_target_knows(const struct agree_target *target, uint32_t ip);

enum agree_end {
    AGREE_ASKING,
    AGREE_AGREED,
    AGREE_FOREIGN, /* nobody of ours is there */
    AGREE_REFUSED, /* one of ours, who plays something else */
    AGREE_SILENT   /* no path there, or no word for too long */
};

struct agree_host;

/* Asks the target at `ip`.  `ips`: all addresses of this host, 0 for none.  `zero`: what to
 * propose, TIME_NEVER: `lead` after the answer.  on_done
 * is reported once, at the earliest before this returns. */
struct agree_host *agree_host_create(const struct agree_site *site, uint32_t ip,
                                     const uint32_t ips[NICS_MAX], time_ps zero, time_ps lead,
                                     void (*on_done)(void *self), void *self);
void agree_host_free(struct agree_host *host); /* leaves */

enum agree_end agree_host_end(const struct agree_host *host);
const char *agree_host_text(const struct agree_host *host);   /* why, for people */
time_ps agree_host_zero(const struct agree_host *host);       /* on this clock */
time_ps agree_host_round_trip(const struct agree_host *host); /* to and fro, the fastest */

#endif
