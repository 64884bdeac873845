/* SPDX-License-Identifier: Apache-2.0
 * play - a scenario's workloads, in real time on real verbs.
 * The scenario's hosts that issue are one here, at the local address; each host that they issue to
 * is a target with an address of its own (places.h).  Targets' namespaces and the workloads are the
 * portable code, unchanged; CPU costs of the profiles are left out, because the real ones are
 * there, but media keep their model.
 * Connections are made during `lead`; the scenario's moment 0 is at its end.
 * The scenario's fabric is built, but never played: it gives the database its tables, and its
 * counters, which nobody can read from outside of real switches, stay zero.
 * Namespaces hold tags, or bytes where a store is named (bytes.h).
 * Faults of a target's software are made here (play_faults.c); others are refused unless somebody
 * makes them outside.
 * Owner: play_free.  Errors: play_create says in `diag` what cannot be played. */
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
    struct access access; /* the secret, the list; this machine's addresses are added */
    enum play_role role;
    struct places_nics address; /* local; of the host where both are played */
    /* Of targets without a place; for PLAY_BOTH local as well, may be the same. */
    struct places_nics peer;
    const struct places *places; /* outlives the play; NULL: every target is at `peer` */
    const char *path;            /* of the database; NULL: in memory */
    enum record_level level;
    enum content_depth depth;
    time_ps lead;
    /* Words of bytes_kinds, for the namespaces in turn; one alone is for all.  None: tags. */
    const char *stores[PLAY_STORES_MAX];
    uint32_t store_count;
    bool any, busy, serve; /* serve: a target keeps running when its last host has left */
    bool faults_outside;   /* somebody makes them, and the bridge only says so */
    bool foreign;          /* peers are not asked whether they agree, and cannot ask */
};

struct play;

/* NULL: messages are in diag, or `why` says what a device cannot do. */
struct play *play_create(const struct scenario *scenario, const struct play_options *options,
                         struct diag *diag, char why[PLAY_WHY_BYTES]);
/* Says on which address each target that is played here listens. */
void play_tell_listening(const struct play *play, FILE *out);
/* Plays to the end or to SIGINT or SIGTERM.  False: the database cannot be written, or the device
 * was removed; see play_error. */
bool play_run(struct play *play);
/* A peer plays something else; nothing was written. */
bool play_refused(const struct play *play);
const char *play_error(const struct play *play);
const struct result *play_result(const struct play *play);
struct store *play_store(const struct play *play);
/* Of an entry of `workloads:`, from play_create to play_free. */
struct workload_stats *play_stats(struct play *play, uint32_t workload);
/* The host's, or where none is played the target's. */
struct verbs_device *play_device(const struct play *play);
/* Transfers that brought bytes that nobody of ours wrote. */
uint64_t play_unsound(const struct play *play);
bool play_free(struct play *play); /* false: the last writes failed */

#endif
