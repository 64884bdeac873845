/* SPDX-License-Identifier: Apache-2.0
 * live_run - runs a scenario's workloads in real time on real verbs, or over TCP on real sockets.
 * The issuing hosts of the scenario are one host here, at the local address. Each host that they
 * issue to is a target with its own address (host_addresses.h). The targets' namespaces and the
 * workloads are the portable code, unchanged. CPU costs of the profiles are omitted, because the
 * real costs apply; media keep their model.
 * Connections are established during `lead`; the scenario's moment 0 is at its end.
 * The scenario's fabric is built but not simulated: it provides the tables of the database. Its
 * counters stay zero, because real switches cannot be read from here.
 * Namespaces store tags, or bytes if a store is named (bytes.h).
 * Faults of a target's software are applied here (live_faults.c); others are rejected unless they
 * are applied externally.
 * Owner: live_free. Errors: live_create reports in `diag` what is not supported. */
#ifndef STORMGLASS_BRIDGE_RUN_LIVE_RUN_H
#define STORMGLASS_BRIDGE_RUN_LIVE_RUN_H

#include "bridge/access/access.h"
#include "bridge/run/host_addresses.h"
#include "bridge/verbs/verbs_real.h"
#include "replay/record/result.h"
#include "replay/run/run.h"
#include "scenarios/data/scenario.h"
#include "scenarios/format/diag.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>

enum { LIVE_STORES_MAX = 64, LIVE_WHY_BYTES = VERBS_REAL_WHY_BYTES };

enum live_role { LIVE_HOST = 1, LIVE_TARGET = 2, LIVE_BOTH = 3 };

struct live_options {
    const struct rdma_calls *calls;
    struct access access; /* secret and list of allowed addresses; this machine's addresses are
                           * added */
    enum live_role role;
    struct nic_addresses address; /* local address; of the host if both roles run here */
    /* For targets without a place of their own; with LIVE_BOTH also local, possibly the same. */
    struct nic_addresses peer;
    const struct host_addresses
        *addresses;   /* must outlive the run; NULL: every target is at `peer` */
    const char *path; /* path of the database; NULL: in memory */
    FILE *capture;    /* of the connections over TCP; NULL: none; stays the caller's */
    enum record_level level;
    enum content_depth depth;
    time_ps lead;
    /* Names from bytes_kinds, for the namespaces in turn; a single one applies to all. None:
     * tags. */
    const char *stores[LIVE_STORES_MAX];
    uint32_t store_count;
    bool any, busy, serve; /* serve: a target keeps running after its last host has left */
    bool faults_outside;   /* faults are applied externally, and the bridge only records them */
    bool foreign;          /* peers are foreign, so there is no agreement */
};

struct live_run;

/* The workloads use TCP, so the addresses need no RDMA device. */
bool live_uses_tcp(const struct scenario *scenario);

/* NULL: messages are in diag, or `why` has the limitation of a device. */
struct live_run *live_create(const struct scenario *scenario, const struct live_options *options,
                             struct diag *diag, char why[LIVE_WHY_BYTES]);
/* Prints the address on which each local target listens. */
void live_print_listeners(const struct live_run *run, FILE *out);
/* Runs to the end, or until SIGINT or SIGTERM. False: the database cannot be written, or the device
 * was removed; see live_error. */
bool live_run(struct live_run *run);
/* A peer has another scenario; nothing was written. */
bool live_refused(const struct live_run *run);
const char *live_error(const struct live_run *run);
const struct result *live_result(const struct live_run *run);
struct store *live_store(const struct live_run *run);
/* Statistics of the entry of `workloads:`, valid from live_create to live_free. */
struct workload_stats *live_stats(struct live_run *run, uint32_t workload);
/* Device of the host, or of the target if no host runs here. */
struct verbs_device *live_device(const struct live_run *run);
/* Number of transfers that delivered foreign bytes. */
uint64_t live_unsound(const struct live_run *run);
bool live_free(struct live_run *run); /* false: the last writes failed */

#endif
