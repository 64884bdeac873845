/* SPDX-License-Identifier: Apache-2.0
 * prove - suspects, runs, tolls. */
#include "replay/prove.h"

#include "base/memory.h"
#include "replay/run.h"
#include "replay/stored.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE_LEAST_PERCENT = 1 };
static const double proved_share = 0.5;

/* A transmitter in one priority. */
struct way {
    int64_t node, port, priority;
};

struct trial {
    struct prove *prove;
    const struct scenario *scenario;
    struct run_options options;
    struct diag *diag;
    char digest[64]; /* of the stored run */
    struct way *ways;
    bool *victims; /* by workload */
    uint32_t way_room;
    uint32_t culprit; /* the host of the first root, or REPAIR_ANY_HOST */
};

/* ------------------------------------------------------------------ what a run cost */

static int order_ways(const struct way *a, const struct way *b)
{
    const int64_t node = a->node - b->node, port = a->port - b->port;
    const int64_t order = node != 0 ? node : port != 0 ? port : a->priority - b->priority;
    return order < 0 ? -1 : order > 0;
}

/* Both rows of keys are in order. */
static int64_t lost_in(const struct trial *trial, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT node, port, priority, value FROM counter WHERE name GLOB"
                             " 'tx_prio?_blocked_ps' ORDER BY node, port, priority");
    int64_t lost = 0;
    uint32_t next = 0;
    while (store_step(rows)) {
        const struct way key = {store_int(rows, 0), store_int(rows, 1), store_int(rows, 2)};
        while (next < trial->prove->transmitters && order_ways(&trial->ways[next], &key) < 0)
            next++;
        if (next < trial->prove->transmitters && order_ways(&trial->ways[next], &key) == 0)
            lost += store_int(rows, 3);
    }
    store_finish(rows);
    return lost;
}

/* A workload that a repair takes from is no measure of it. */
static struct prove_toll toll_of(const struct trial *trial, struct store *store,
                                 const struct repair *repair)
{
    struct prove_toll toll = {.lost_ps = lost_in(trial, store)};
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, completed, latency_p99_ps, without_service_ps FROM workload"
               " LEFT JOIN recovery USING(workload)");
    while (store_step(rows)) {
        const int64_t workload = store_int(rows, 0), p99 = store_int(rows, 2);
        const bool out = repair->kind == REPAIR_TRAFFIC && workload == repair->workload;
        if (workload >= trial->scenario->workload_count || !trial->victims[workload] || out)
            continue;
        toll.done += store_int(rows, 1);
        toll.lost_ps += store_int(rows, 3);
        toll.p99_ps = p99 > toll.p99_ps ? p99 : toll.p99_ps;
    }
    store_finish(rows);
    return toll;
}

/* Plays the scenario into memory; the run is to be closed when this is true. */
static bool play(const struct trial *trial, const struct scenario *scenario, struct run *run)
{
    const enum run_end end = run_scenario(run, scenario, &trial->options, trial->diag);
    if (end == RUN_DONE && strcmp(run->result.status, "interrupted") != 0)
        return true;
    snprintf(trial->prove->why, sizeof trial->prove->why, "%s",
             end == RUN_DONE      ? "interrupted"
             : end == RUN_REFUSED ? "the scenario cannot be built"
                                  : run->error);
    run_close(run);
    return false;
}

static bool play_row(const struct trial *trial, struct prove_row *row)
{
    struct repaired repaired;
    struct run run;
    repair_apply(&repaired, &row->repair, 1, trial->scenario);
    const bool played = play(trial, &repaired.scenario, &run);
    if (played) {
        row->after = toll_of(trial, record_store(run.record), &row->repair);
        run_close(&run);
    }
    repair_free(&repaired);
    return played;
}

/* ------------------------------------------------------------------ suspects and innocents */

static void add_row(struct trial *trial, struct repair repair, bool suspect, bool cause)
{
    struct prove *prove = trial->prove;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (repair_equal(&prove->rows[i].repair, &repair)) {
            prove->rows[i].cause |= cause;
            return;
        }
    if (suspect && prove->row_count >= PROVE_SUSPECTS_MAX)
        return;
    struct prove_row *row = &prove->rows[prove->row_count++];
    *row = (struct prove_row){.repair = repair, .suspect = suspect, .cause = cause};
    repair_words(&repair, trial->scenario, row->text, sizeof row->text);
}

/* A fault makes this host pause. */
static bool is_at(const struct scenario_fault *fault, uint32_t host)
{
    if (fault->kind != SCENARIO_FAULT_SLOW_RECEIVER && fault->kind != SCENARIO_FAULT_PAUSE_STORM)
        return false;
    for (uint32_t i = 0; i < fault->spot_count; i++)
        if (fault->spots[i].node == host)
            return true;
    return false;
}

static bool talks_to(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from == host || workload->pairs[i].to == host)
            return true;
    return false;
}

/* Pairs without the host. */
static bool has_others(const struct scenario_workload *workload, uint32_t host)
{
    for (uint32_t i = 0; i < workload->pair_count; i++)
        if (workload->pairs[i].from != host && workload->pairs[i].to != host)
            return host != REPAIR_ANY_HOST;
    return false;
}

static void add_slow_host(struct trial *trial, uint32_t host, bool cause)
{
    const struct scenario *scenario = trial->scenario;
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        if (is_at(&scenario->faults[i], host))
            add_row(trial, (struct repair){.kind = REPAIR_FAULT, .fault = i}, true, cause);
    if (scenario->nodes[host].host->rnic->drain != RNIC_UNLIMITED)
        add_row(trial, (struct repair){.kind = REPAIR_DRAIN, .host = host}, true, cause);
}

static bool uses(struct store *store, uint32_t workload, int64_t node, int64_t port)
{
    struct store_statement *row = store_prepare(
        store, "SELECT 1 FROM workload_way WHERE workload=?1 AND node=?2 AND port=?3");
    store_bind(row, 1, STORE_I(workload));
    store_bind(row, 2, STORE_I(node));
    store_bind(row, 3, STORE_I(port));
    const bool found = store_step(row);
    store_finish(row);
    return found;
}

/* Traffic meets at the port: `host` is behind it, or another switch. */
static void add_congestion(struct trial *trial, struct store *store, const struct way *at,
                           uint32_t host, bool cause)
{
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &trial->scenario->workloads[i];
        const bool meets =
            host == REPAIR_ANY_HOST ? uses(store, i, at->node, at->port) : talks_to(workload, host);
        const uint32_t with = has_others(workload, host) ? host : REPAIR_ANY_HOST;
        if (meets && workload->job == NULL)
            add_row(trial, (struct repair){.kind = REPAIR_TRAFFIC, .workload = i, .host = with},
                    true, cause);
    }
}

static uint32_t host_of(const struct scenario *scenario, int64_t node)
{
    return scenario->nodes[node].kind == SCENARIO_HOST ? (uint32_t)node : REPAIR_ANY_HOST;
}

static void add_roots(struct trial *trial, struct store *store)
{
    struct store_statement *rows = store_prepare(
        store, "SELECT r.node, r.port, r.priority, p.peer_node, position FROM pause_root r"
               " LEFT JOIN port p ON p.node=r.node AND p.port=r.port WHERE held_ps*100 >="
               " ?1*(SELECT sum(held_ps) FROM pause_root) ORDER BY position");
    store_bind(rows, 1, STORE_I(SHARE_LEAST_PERCENT));
    while (store_step(rows)) {
        const struct way at = {store_int(rows, 0), store_int(rows, 1), store_int(rows, 2)};
        const bool cause = store_int(rows, 4) == 0;
        uint32_t host = host_of(trial->scenario, at.node);
        if (host != REPAIR_ANY_HOST) {
            add_slow_host(trial, host, cause);
        } else {
            host = host_of(trial->scenario, store_int(rows, 3));
            add_congestion(trial, store, &at, host, cause);
        }
        trial->culprit = cause ? host : trial->culprit;
    }
    store_finish(rows);
}

static bool is_suspected(const struct prove *prove, uint32_t workload)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].repair.kind == REPAIR_TRAFFIC &&
            prove->rows[i].repair.workload == workload)
            return true;
    return false;
}

/* With the culprit's host, or one that a fault is at. */
static bool is_involved(const struct trial *trial, const struct scenario_workload *workload)
{
    bool involved = talks_to(workload, trial->culprit);
    for (uint32_t i = 0; i < trial->scenario->fault_count; i++)
        for (uint32_t k = 0; k < trial->scenario->faults[i].spot_count; k++)
            involved |= talks_to(workload, trial->scenario->faults[i].spots[k].node);
    return involved;
}

static void add_innocents(struct trial *trial)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &trial->scenario->workloads[i];
        if (workload->job != NULL || is_suspected(trial->prove, i) ||
            is_involved(trial, workload) || added == PROVE_INNOCENTS_MAX)
            continue;
        added++;
        add_row(trial,
                (struct repair){.kind = REPAIR_TRAFFIC, .workload = i, .host = REPAIR_ANY_HOST},
                false, false);
    }
}

static void find_rows(struct trial *trial, struct store *store)
{
    for (uint32_t i = 0; i < trial->scenario->fault_count; i++)
        add_row(trial, (struct repair){.kind = REPAIR_FAULT, .fault = i}, true, false);
    add_roots(trial, store);
    add_innocents(trial);
}

/* ------------------------------------------------------------------ the run as it was */

#define VICTIMS                                                                                    \
    "(SELECT workload FROM pause_victim WHERE root=0 UNION SELECT workload FROM workload"          \
    " WHERE NOT EXISTS(SELECT 1 FROM pause_victim WHERE root=0))"

static void find_victims(struct trial *trial, struct store *store)
{
    struct store_statement *rows =
        store_prepare(store, "SELECT workload FROM workload WHERE workload IN " VICTIMS);
    while (store_step(rows))
        if (store_int(rows, 0) < trial->scenario->workload_count)
            trial->victims[store_int(rows, 0)] = true;
    store_finish(rows);
    rows = store_prepare(store, "SELECT DISTINCT node, port, priority FROM workload_way WHERE"
                                " workload IN " VICTIMS " ORDER BY node, port, priority");
    uint32_t count = 0;
    while (store_step(rows)) {
        trial->ways = memory_grown(trial->ways, count, &trial->way_room, sizeof *trial->ways);
        trial->ways[count++] =
            (struct way){store_int(rows, 0), store_int(rows, 1), store_int(rows, 2)};
    }
    store_finish(rows);
    trial->prove->transmitters = count;
}

static enum prove_end play_as_it_was(struct trial *trial)
{
    struct prove *prove = trial->prove;
    struct run run;
    char digest[DIGEST_TEXT_BYTES];
    if (!play(trial, trial->scenario, &run))
        return PROVE_BROKEN;
    struct store *store = record_store(run.record);
    digest_format(&run.result.digest, digest);
    const bool same = strcmp(digest, trial->digest) == 0;
    if (same) {
        find_victims(trial, store);
        find_rows(trial, store);
        prove->lost_ps =
            toll_of(trial, store, &(struct repair){.kind = REPAIR_FAULT, .fault = 0}).lost_ps;
        for (uint32_t i = 0; i < prove->row_count; i++)
            prove->rows[i].before = toll_of(trial, store, &prove->rows[i].repair);
    } else {
        snprintf(prove->why, sizeof prove->why,
                 "played again its digest is %s instead of %s, so it proves nothing (was it another"
                 " version that wrote it?)",
                 digest, trial->digest);
    }
    const bool read = store_error(store) == NULL;
    if (!read)
        snprintf(prove->why, sizeof prove->why, "%s", store_error(store));
    run_close(&run);
    return !read ? PROVE_BROKEN : same ? PROVE_DONE : PROVE_UNUSABLE;
}

static enum prove_end play_all(struct trial *trial)
{
    trial->victims = memory_zeroed(trial->scenario->workload_count, sizeof *trial->victims);
    enum prove_end end = play_as_it_was(trial);
    for (uint32_t i = 0; end == PROVE_DONE && i < trial->prove->row_count; i++)
        if (!play_row(trial, &trial->prove->rows[i]))
            end = PROVE_BROKEN;
    free(trial->victims);
    free(trial->ways);
    return end;
}

enum prove_end prove_run(struct prove *prove, struct store *store, bool progress, struct diag *diag)
{
    *prove = (struct prove){0};
    struct trial trial = {
        .prove = prove,
        .options = {.until = store_ask_int(store, "SELECT until_ps FROM meta", TIME_NEVER),
                    .progress = progress},
        .diag = diag,
        .culprit = REPAIR_ANY_HOST,
    };
    store_ask_text(store, "SELECT digest FROM meta", trial.digest, sizeof trial.digest);
    struct stored stored;
    const bool loaded = stored_load(&stored, store, diag);
    trial.scenario = stored.scenario;
    snprintf(prove->why, sizeof prove->why, "its scenario cannot be loaded");
    enum prove_end end = PROVE_UNUSABLE;
    if (loaded)
        end = play_all(&trial);
    stored_free(&stored);
    return end;
}

/* ------------------------------------------------------------------ what it says */

double prove_gone(const struct prove_row *row)
{
    const int64_t before = row->before.lost_ps;
    return before == 0 ? 0 : (double)(before - row->after.lost_ps) / (double)before;
}

static const struct prove_row *larger(const struct prove_row *best, const struct prove_row *row)
{
    return best == NULL || prove_gone(row) > prove_gone(best) ? row : best;
}

const struct prove_row *prove_best(const struct prove *prove, bool cause)
{
    const struct prove_row *best = NULL;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].suspect && (prove->rows[i].cause || !cause))
            best = larger(best, &prove->rows[i]);
    return best;
}

const struct prove_row *prove_culprit(const struct prove *prove)
{
    const struct prove_row *cause = prove_best(prove, true);
    const struct prove_row *best = cause != NULL ? cause : prove_best(prove, false);
    return best != NULL && prove_gone(best) >= proved_share ? best : NULL;
}
