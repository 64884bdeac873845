/* SPDX-License-Identifier: Apache-2.0
 * account - reads from a run's database which transmitters waited for which.
 * Everything comes from rows: the cause of the pauses with its path hop by hop, the transmitters
 * that it stopped, the bottleneck of each workload, and parts of the scenario that no frame used.
 * The reason for an individual pause (occupancy, threshold) is recorded from level counters up.
 * Times are virtual picoseconds. Owner: account_free. */
#ifndef STORMGLASS_REPLAY_EXPLAIN_ACCOUNT_H
#define STORMGLASS_REPLAY_EXPLAIN_ACCOUNT_H

#include "replay/database/flow_words.h"
#include "replay/database/store.h"
#include "replay/explain/bottleneck.h"

#include <stdbool.h>

enum { ACCOUNT_NAME_BYTES = 96, ACCOUNT_TEXT_BYTES = 480 };

/* A root of pauses; the first `cause_count` roots are the causes. */
struct account_root {
    char node[ACCOUNT_NAME_BYTES], kind[24], text[ACCOUNT_TEXT_BYTES];
    char port[ACCOUNT_NAME_BYTES]; /* the congested egress; empty: the host itself */
    int64_t priority, held_ps, direct_ps;
    int64_t depth;   /* hops to the farthest transmitter that was stopped */
    int64_t stopped; /* number of transmitters */
};

/* A transmitter that was stopped by a cause, nearest first. */
struct account_hop {
    int64_t root, hops;
    char stopped[ACCOUNT_NAME_BYTES], by[ACCOUNT_NAME_BYTES];
    int64_t held_ps;
    /* The first XOFF since the cause itself first sent one; xoffs 0: not recorded. */
    int64_t xoffs, at_ps, occupancy_bytes, threshold_bytes;
    char because_of[ACCOUNT_NAME_BYTES]; /* queue that filled the buffer; empty: a host */
};

/* Members of a workload that start at a host; by cause, largest loss first. */
struct account_victim {
    char workload[ACCOUNT_NAME_BYTES], host[ACCOUNT_NAME_BYTES], class[16];
    int64_t cause; /* index in causes[] */
    int64_t root;  /* index of the pause root; -1: none */
    int64_t lost_ppm, failed;
    int64_t held_ps, span_ps; /* span: duration of the workload itself */
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

/* How TCP repaired losses: by the counters of all ports. */
struct account_repair {
    const char *key, *name; /* "fast_retransmission", "fast retransmission" */
    int64_t times;          /* recoveries, timeouts, probes */
    int64_t segments;       /* sent again; -1: not counted */
    int64_t mean_wait_ps;   /* from sending to sending again, or to the probe */
};

enum { ACCOUNT_REPAIRS = 3 };

/* A key of `run --json` in harm or causes[]. */
struct account_item {
    char path[ACCOUNT_NAME_BYTES], type[12], text[ACCOUNT_TEXT_BYTES];
    int64_t integer;
    double real;
};

struct account {
    struct store *store; /* the database; must outlive the account */
    char scenario[ACCOUNT_NAME_BYTES], about[ACCOUNT_TEXT_BYTES];
    char record[16], status[16], digest[64], root_cause[ACCOUNT_TEXT_BYTES]; /* may be empty */
    bool sure;
    const struct flow_words *flow;
    bool measured; /* by the bridge: no frame counters, so nothing is unused */
    int64_t severity, span_ps, paused_ps, cause_count;
    struct account_root *roots;
    struct account_hop *hops;
    struct account_victim *victims;
    struct account_limit *limits;
    struct account_unused *unused;
    struct account_repair repairs[ACCOUNT_REPAIRS];
    uint32_t repair_count;
    int64_t probe_repairs; /* losses that tail loss probes repaired */
    struct account_text {
        char text[ACCOUNT_TEXT_BYTES];
    } * deadlocks;
    struct account_item *harm;
    uint32_t harm_count;
    uint32_t root_count, hop_count, victim_count, limit_count, unused_count, deadlock_count;
};

/* How many of the roots are causes: at least one if there are roots. */
int64_t account_causes(struct store *store);

/* The value of a key of harm or causes[] as text; "" if it has none. */
const char *account_of_harm(const struct account *account, const char *path);

/* False and a message in `why` if the database cannot be read or its run did not end. */
bool account_read(struct account *account, struct store *store, char why[STORE_ERROR_BYTES]);
void account_free(struct account *account);

/* ------------------------------------------------------------------ parts */

/* SQL: the time of a row of `workload`, from its start to its last completion, or to the end of the
 * run if any operation never completed. */
#define ACCOUNT_WORKLOAD_PS                                                                        \
    "(CASE WHEN unfinished=0 AND last_completion_ps IS NOT NULL THEN last_completion_ps"           \
    " ELSE (SELECT simulated_ps + drain_ps FROM meta) END - start_ps)"

void account_harm(struct account *account, struct store *store);
void account_limits(struct account *account, struct store *store);
void account_unused(struct account *account, struct store *store);
void account_repairs(struct account *account, struct store *store);

#endif
