/* SPDX-License-Identifier: Apache-2.0
 * play - runs a scenario's workloads in real time on real verbs.
 * The issuing hosts of the scenario are one host here, at the local address. Each host that they
 * issue to is a target with its own address (places.h). The targets' namespaces and the workloads
 * are the portable code, unchanged. CPU costs of the profiles are omitted, because the real costs
 * apply; media keep their model.
 * Connections are established during `lead`; the scenario's moment 0 is at its end.
 * The scenario's fabric is built but not simulated: it provides the tables of the database. Its
 * counters stay zero, because real switches cannot be read from here.
 * Namespaces store tags, or bytes if a store is named (bytes.h).
 * Faults of a target's software are applied here (play_faults.c); others are rejected unless they
 * are applied externally.
 * Owner: play_free. Errors: play_create reports in `diag` what is not supported. */
#ifndef STORMGLASS_BRIDGE_PLAY_PLAY_H
#define STORMGLASS_BRIDGE_PLAY_PLAY_H

#include "bridge/access/access.h"
#include "bridge/play/places.h"
#include "bridge/verbs/verbs_real.h"
#include "replay/record/result.h"
#include "replay/run/run.h"
#include "scenarios/format/diag.h"
#include "scenarios/load/scenario.h"
#include "scenarios/workload/workload.h"

enum { PLAY_STORES_MAX = 64, PLAY_WHY_BYTES = VERBS_REAL_WHY_BYTES };

enum play_role { PLAY_HOST = 1, PLAY_TARGET = 2, PLAY_BOTH = 3 };

struct play_options {
    const struct rdma_calls *calls;
    struct access access; /* secret and list of allowed addresses; this machine's addresses are
                           * added */
    enum play_role role;
    struct places_nics address; /* local address; of the host if both roles run here */
    /* For targets without a place of their own; with PLAY_BOTH also local, possibly the same. */
    struct places_nics peer;
    const struct places *places; /* must outlive the play; NULL: every target is at `peer` */
    const char *path;            /* path of the database; NULL: in memory */
    enum record_level level;
    enum content_depth depth;
    time_ps lead;
    /* Names from bytes_kinds, for the namespaces in turn; a single one applies to all. None:
     * tags. */
    const char *stores[PLAY_STORES_MAX];
    uint32_t store_count;
    bool any, busy, serve; /* serve: a target keeps running after its last host has left */
    bool faults_outside;   /* faults are applied externally, and the bridge only records them */
    bool foreign;          /* peers are foreign, so there is no agreement */
};

struct play;

/* NULL: messages are in diag, or `why` has the limitation of a device. */
struct play *play_create(const struct scenario *scenario, const struct play_options *options,
                         struct diag *diag, char why[PLAY_WHY_BYTES]);
/* Prints the address on which each local target listens. */
void play_tell_listening(const struct play *play, FILE *out);
/* Runs to the end, or until SIGINT or SIGTERM. False: the database cannot be written, or the device
 * was removed; see play_error. */
bool play_run(struct play *play);
/* A peer has another scenario; nothing was written. */
bool play_refused(const struct play *play);
const char *play_error(const struct play *play);
const struct result *play_result(const struct play *play);
struct store *play_store(const struct play *play);
/* Statistics of the entry of `workloads:`, valid from play_create to play_free. */
struct workload_stats *play_stats(struct play *play, uint32_t workload);
/* Device of the host, or of the target if no host runs here. */
struct verbs_device *play_device(const struct play *play);
/* Number of transfers that delivered foreign bytes. */
uint64_t play_unsound(const struct play *play);
bool play_free(struct play *play); /* false: the last writes failed */

#endif
