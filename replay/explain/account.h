/* SPDX-License-Identifier: Apache-2.0
 * account - what a run's database tells of who waited for whom.
 * Everything is read from the rows: the cause of the pauses with its path hop by hop, whom it
 * stopped, what kept each workload from going faster, and what of the scenario no frame touched.
 * Why a port was asked to stop (occupancy, threshold) is known from the level counters up.
 * Times are virtual picoseconds.  Owner: account_free. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_ACCOUNT_H
#define STORMGLASS_REPLAY_EXPLAIN_ACCOUNT_H

#include "replay/database/store.h"
#include "replay/explain/bottleneck.h"

#include <stdbool.h>

enum { ACCOUNT_NAME_BYTES = 96, ACCOUNT_TEXT_BYTES = 480 };

/* A root of pauses; the first `cause_count` are the causes. */
struct account_root {
    char node[ACCOUNT_NAME_BYTES], kind[24], text[ACCOUNT_TEXT_BYTES];
    char port[ACCOUNT_NAME_BYTES]; /* the congested egress; empty: the host itself */
    int64_t priority, held_ps, direct_ps;
    int64_t depth;   /* hops to the farthest transmitter that had to stop */
    int64_t stopped; /* transmitters */
};

/* A transmitter that had to stop because of a cause, nearest first. */
struct account_hop {
    int64_t root, hops;
    char stopped[ACCOUNT_NAME_BYTES], by[ACCOUNT_NAME_BYTES];
    int64_t held_ps;
    /* The first XOFF since that cause itself asked for one; xoffs 0: not recorded. */
    int64_t xoffs, at_ps, occupancy_bytes, threshold_bytes;
    char because_of[ACCOUNT_NAME_BYTES]; /* the queue that filled the memory; empty: a host */
};

/* The members of a workload that begin at a host; by cause, those that lost most first. */
struct account_victim {
    char workload[ACCOUNT_NAME_BYTES], host[ACCOUNT_NAME_BYTES], class[16];
    int64_t cause; /* of causes[] */
    int64_t root;  /* of pauses; -1: none */
    int64_t lost_ppm, failed;
    int64_t held_ps, span_ps; /* span: of the workload's own work */
};

struct account_limit {
    char workload[ACCOUNT_NAME_BYTES], kind[32], text[ACCOUNT_TEXT_BYTES];
    char account[BOTTLENECK_ACCOUNT_BYTES]; /* may be empty */
    int64_t gain_ppm, span_ps;
    struct account_use {
        char resource[32], place[BOTTLENECK_WHERE_BYTES];
        int64_t used_ppm, waiting_ppm, covers_ppm;
    } uses[BOTTLENECK_RESOURCES];
    uint32_t use_count;
};

struct account_unused {
    char what[ACCOUNT_TEXT_BYTES], why[ACCOUNT_TEXT_BYTES];
};

/* A key of `run --json`, of harm or of causes[]. */
struct account_item {
    char path[ACCOUNT_NAME_BYTES], type[12], text[ACCOUNT_TEXT_BYTES];
    int64_t integer;
    double real;
};

struct account {
    struct store *store; /* that it was read from; outlives it */
    char scenario[ACCOUNT_NAME_BYTES], about[ACCOUNT_TEXT_BYTES];
    char record[16], status[16], digest[64], root_cause[ACCOUNT_TEXT_BYTES]; /* may be empty */
    bool sure;
    bool measured; /* by stormglass-bridge: it counts no frames, so nothing is called unused */
    int64_t severity, span_ps, paused_ps, cause_count;
    struct account_root *roots;
    struct account_hop *hops;
    struct account_victim *victims;
    struct account_limit *limits;
    struct account_unused *unused;
    struct account_text {
        char text[ACCOUNT_TEXT_BYTES];
    } * deadlocks;
    struct account_item *harm;
    uint32_t harm_count;
    uint32_t root_count, hop_count, victim_count, limit_count, unused_count, deadlock_count;
};

/* How many of the roots are causes: at least one, if there are roots. */
int64_t account_causes(struct store *store);

/* The value of a key of harm or causes[] as text; "": it has none. */
const char *account_of_harm(const struct account *account, const char *path);

/* False: the database cannot be read, or its run did not end; a sentence is in `why`. */
bool account_read(struct account *account, struct store *store, char why[STORE_ERROR_BYTES]);
void account_free(struct account *account);

/* ------------------------------------------------------------------ its parts */

/* SQL: the time of a row of `workload`, from its start until its last completion, or to the end of
 * the run when something of it never completed. */
#define ACCOUNT_WORKLOAD_PS                                                                        \
    "(CASE WHEN unfinished=0 AND last_completion_ps IS NOT NULL THEN last_completion_ps"           \
    " ELSE (SELECT simulated_ps + drain_ps FROM meta) END - start_ps)"

void account_harm(struct account *account, struct store *store);
void account_limits(struct account *account, struct store *store);
void account_unused(struct account *account, struct store *store);

#endif
