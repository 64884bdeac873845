/* SPDX-License-Identifier: Apache-2.0
 * prove - the runs, and what they say together. */
#include "replay/prove/prove.h"

#include "base/memory.h"
#include "replay/database/stored.h"
#include "replay/prove/prove_impact.h"
#include "replay/prove/prove_suspects.h"
#include "replay/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX, VICTIM_LEAST_PERCENT = 5 };
static const double proved_share = 0.9;

struct trial {
    struct prove *prove;
    const struct scenario *scenario;
    struct run_options options;
    struct diag *diag;
    char digest[64]; /* of the stored run */
    struct run run;  /* as it was, played again */
    struct prove_hops hops;
    bool *on_path; /* by way: a victim's */
    bool *victims;
    struct prove_work *ideal;
    struct prove_measure original, repaired;
    struct prove_measure rows[ROWS_MAX];
};

/* ------------------------------------------------------------------ runs */

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

static bool play_repaired(const struct trial *trial, const struct repair *repairs, uint32_t count,
                          struct prove_measure *measure)
{
    struct repaired repaired;
    struct run run;
    repair_apply(&repaired, repairs, count, trial->scenario);
    const bool played = play(trial, &repaired.scenario, &run);
    if (played) {
        prove_measure(measure, record_store(run.record), trial->scenario->workload_count,
                      &trial->hops);
        run_close(&run);
    }
    repair_free(&repaired);
    return played;
}

static enum prove_end play_as_it_was(struct trial *trial)
{
    struct prove *prove = trial->prove;
    char digest[DIGEST_TEXT_BYTES];
    if (!play(trial, trial->scenario, &trial->run))
        return PROVE_BROKEN;
    digest_format(&trial->run.result.digest, digest);
    if (strcmp(digest, trial->digest) == 0)
        return PROVE_DONE;
    snprintf(prove->why, sizeof prove->why,
             "replayed, its digest is %s instead of %s, so nothing can be proved (written by "
             "another version?)",
             digest, trial->digest);
    run_close(&trial->run);
    return PROVE_UNUSABLE;
}

/* ------------------------------------------------------------------ sets of repairs */

/* Something is broken there, and a run in which it is not is an ideal. */
static bool is_repairable(const struct prove_row *row)
{
    return row->role == PROVE_SUSPECT && row->repair.kind != REPAIR_TRAFFIC;
}

struct set {
    uint32_t rows[PROVE_SUSPECTS_MAX], count;
};

static struct set all_repairable(const struct prove *prove)
{
    struct set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (is_repairable(&prove->rows[i]))
            set.rows[set.count++] = i;
    return set;
}

static struct set without(const struct set *set, uint32_t row)
{
    struct set rest = {.count = 0};
    for (uint32_t i = 0; i < set->count; i++)
        if (set->rows[i] != row)
            rest.rows[rest.count++] = set->rows[i];
    return rest;
}

static bool play_set(const struct trial *trial, const struct set *set,
                     struct prove_measure *measure)
{
    struct repair repairs[PROVE_SUSPECTS_MAX];
    for (uint32_t i = 0; i < set->count; i++)
        repairs[i] = trial->prove->rows[set->rows[i]].repair;
    return play_repaired(trial, repairs, set->count, measure);
}

static bool play_rows(struct trial *trial)
{
    const bool alone = all_repairable(trial->prove).count == 1;
    for (uint32_t i = 0; i < trial->prove->row_count; i++) {
        const struct prove_row *row = &trial->prove->rows[i];
        if (alone && is_repairable(row)) { /* that run was played already */
            trial->rows[i] = trial->repaired;
            trial->repaired = (struct prove_measure){0};
        } else if (!play_repaired(trial, &row->repair, 1, &trial->rows[i])) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ what they lost */

static int64_t lost_by(const struct trial *trial, const struct prove_measure *measure, uint32_t i)
{
    return prove_work_lost(&measure->works[i], &trial->ideal[i]);
}

/* A workload that a repair takes from (`but`) is no measure of it. */
static struct prove_impact impact_of(const struct trial *trial, const struct prove_measure *measure,
                                     const struct repair *but)
{
    struct prove_impact impact = {0};
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        const struct prove_work *work = &measure->works[i];
        if (!trial->victims[i] ||
            (but != NULL && but->kind == REPAIR_TRAFFIC && but->workload == i))
            continue;
        impact.lost_ps += lost_by(trial, measure, i);
        impact.done += work->done;
        impact.p99_ps = work->p99_ps > impact.p99_ps ? work->p99_ps : impact.p99_ps;
    }
    for (uint32_t i = 0; i < trial->hops.count; i++)
        impact.stopped_ps += trial->on_path[i] ? measure->stopped_ps[i] : 0;
    return impact;
}

static bool find_victims(struct trial *trial)
{
    bool any = false;
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        const __int128 lost = lost_by(trial, &trial->original, i);
        trial->victims[i] =
            lost > 0 &&
            lost * 100 >= (__int128)trial->original.works[i].under_way_ps * VICTIM_LEAST_PERCENT;
        any |= trial->victims[i];
    }
    return any;
}

/* a's commands took less time each than b's. */
static bool is_faster(const struct prove_work *a, const struct prove_work *b)
{
    return a->done > 0 && (b->done == 0 || (__int128)a->under_way_ps * b->done <
                                               (__int128)b->under_way_ps * a->done);
}

static void keep_best(struct trial *trial, const struct prove_measure *measure,
                      const struct repair *but)
{
    for (uint32_t i = 0; measure->works != NULL && i < trial->scenario->workload_count; i++)
        if ((but == NULL || but->kind != REPAIR_TRAFFIC || but->workload != i) &&
            is_faster(&measure->works[i], &trial->ideal[i]))
            trial->ideal[i] = measure->works[i];
}

/* Nobody lost anything against the mended run: against the best of all runs then. */
static void take_best(struct trial *trial)
{
    memset(trial->ideal, 0, trial->scenario->workload_count * sizeof *trial->ideal);
    keep_best(trial, &trial->original, NULL);
    keep_best(trial, &trial->repaired, NULL);
    for (uint32_t i = 0; i < trial->prove->row_count; i++)
        keep_best(trial, &trial->rows[i], &trial->prove->rows[i].repair);
    find_victims(trial);
}

/* ------------------------------------------------------------------ the culprits */

static double gone_with(const struct trial *trial, const struct prove_measure *measure)
{
    const struct prove_impact after = impact_of(trial, measure, NULL);
    return prove_gone(&trial->prove->before, &after);
}

/* The one of the set whose repair takes the least time away, of those not `kept`. */
static uint32_t least_of(const struct prove *prove, const struct set *set, const bool *kept)
{
    uint32_t least = UINT32_MAX;
    double gone = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct prove_row *row = &prove->rows[set->rows[i]];
        const double this = prove_gone(&row->before, &row->after);
        if (!kept[set->rows[i]] && (least == UINT32_MAX || this <= gone)) {
            least = set->rows[i];
            gone = this;
        }
    }
    return least;
}

static void name_culprits(struct trial *trial, const struct set *set,
                          const struct prove_measure *measure)
{
    for (uint32_t i = 0; i < set->count; i++)
        trial->prove->rows[set->rows[i]].culprit = true;
    trial->prove->culprits = set->count;
    trial->prove->after = impact_of(trial, measure, NULL);
}

/* Leaves one after another broken again, as long as the time stays away. */
static bool thin_out(struct trial *trial, struct set set)
{
    bool kept[ROWS_MAX] = {false}, played = true;
    struct prove_measure best = {0};
    name_culprits(trial, &set, &trial->repaired);
    uint32_t row = least_of(trial->prove, &set, kept);
    for (; row != UINT32_MAX && played; row = least_of(trial->prove, &set, kept)) {
        const struct set rest = without(&set, row);
        struct prove_measure measure = {0};
        kept[row] = true;
        played = play_set(trial, &rest, &measure);
        if (played && gone_with(trial, &measure) >= proved_share) {
            set = rest;
            prove_measure_free(&best);
            best = measure;
            trial->prove->rows[row].culprit = false;
            name_culprits(trial, &set, &best);
        } else if (played) {
            prove_measure_free(&measure);
        }
    }
    prove_measure_free(&best);
    return played;
}

static bool takes_all(const struct prove_row *row)
{
    return row != NULL && row->before.lost_ps > 0 &&
           prove_gone(&row->before, &row->after) >= proved_share;
}

/* Of what is broken, before traffic that could be left out. */
static const struct prove_row *best_alone(const struct prove *prove)
{
    const struct prove_row *mended = prove_best(prove, PROVE_OF_BROKEN);
    return takes_all(mended) ? mended : prove_best(prove, PROVE_OF_SUSPECTS);
}

static bool find_culprits(struct trial *trial)
{
    struct prove *prove = trial->prove;
    const struct set all = all_repairable(prove);
    const struct prove_row *best = best_alone(prove);
    if (takes_all(best) && (!prove->repaired || is_repairable(best))) {
        const struct set one = {.rows = {(uint32_t)(best - prove->rows)}, .count = 1};
        name_culprits(trial, &one, &trial->rows[one.rows[0]]);
        prove->after = best->after;
    } else if (prove->repaired && all.count > 1) {
        return thin_out(trial, all);
    }
    return true;
}

/* ------------------------------------------------------------------ the whole */

/* Both rows of keys are in order. */
static void mark_hops(struct trial *trial)
{
    struct store_statement *rows =
        store_prepare(record_store(trial->run.record),
                      "SELECT node, port, priority, workload FROM workload_way ORDER BY 1, 2, 3");
    for (uint32_t i = 0; store_step(rows);) {
        const struct prove_hop key = {store_int(rows, 0), store_int(rows, 1), store_int(rows, 2)};
        while (prove_hop_order(&trial->hops.rows[i], &key) != 0)
            i++;
        trial->on_path[i] |= trial->victims[store_int(rows, 3)];
    }
    store_finish(rows);
    for (uint32_t i = 0; i < trial->hops.count; i++)
        trial->prove->transmitters += trial->on_path[i];
}

static void list_victims(struct trial *trial)
{
    struct prove *prove = trial->prove;
    for (uint32_t i = 0; i < trial->scenario->workload_count; i++) {
        if (!trial->victims[i])
            continue;
        struct prove_victim victim = {.lost_ps = lost_by(trial, &trial->original, i),
                                      .under_way_ps = trial->original.works[i].under_way_ps};
        snprintf(victim.name, sizeof victim.name, "%s", trial->scenario->workloads[i].name);
        uint32_t at =
            prove->victim_count < PROVE_VICTIMS_MAX ? prove->victim_count : PROVE_VICTIMS_MAX;
        for (; at > 0 && prove->victims[at - 1].lost_ps < victim.lost_ps; at--)
            if (at < PROVE_VICTIMS_MAX)
                prove->victims[at] = prove->victims[at - 1];
        if (at < PROVE_VICTIMS_MAX)
            prove->victims[at] = victim;
        prove->victim_count++;
    }
}

static void compare_rows(struct trial *trial)
{
    struct prove *prove = trial->prove;
    mark_hops(trial);
    list_victims(trial);
    prove->before = prove->after = impact_of(trial, &trial->original, NULL);
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct repair *repair = &prove->rows[i].repair;
        prove->rows[i].before = impact_of(trial, &trial->original, repair);
        prove->rows[i].after = impact_of(trial, &trial->rows[i], repair);
    }
}

/* All that is broken mended at once. */
static bool play_ideal(struct trial *trial)
{
    const struct set all = all_repairable(trial->prove);
    if (all.count == 0)
        return true;
    if (!play_set(trial, &all, &trial->repaired))
        return false;
    memcpy(trial->ideal, trial->repaired.works,
           trial->scenario->workload_count * sizeof *trial->ideal);
    trial->prove->repaired = find_victims(trial);
    return true;
}

static bool play_repairs(struct trial *trial)
{
    struct store *store = record_store(trial->run.record);
    struct prove *prove = trial->prove;
    prove_hops_read(&trial->hops, store);
    trial->on_path = memory_zeroed(trial->hops.count, sizeof *trial->on_path);
    prove_measure(&trial->original, store, trial->scenario->workload_count, &trial->hops);
    prove_suspects(prove, trial->scenario, store);
    if (!play_ideal(trial))
        return false;
    for (uint32_t i = 0; i < trial->scenario->workload_count && !prove->repaired; i++)
        trial->victims[i] = true; /* not known yet: anybody may be */
    prove_others(prove, trial->scenario, store, trial->victims);
    if (!play_rows(trial))
        return false;
    if (!prove->repaired)
        take_best(trial);
    compare_rows(trial);
    const bool found = find_culprits(trial);
    if (found && store_error(store) != NULL)
        snprintf(prove->why, sizeof prove->why, "%s", store_error(store));
    return found && store_error(store) == NULL;
}

static enum prove_end play_all(struct trial *trial)
{
    trial->victims = memory_zeroed(trial->scenario->workload_count, sizeof *trial->victims);
    trial->ideal = memory_zeroed(trial->scenario->workload_count, sizeof *trial->ideal);
    enum prove_end end = play_as_it_was(trial);
    if (end == PROVE_DONE) {
        end = play_repairs(trial) ? PROVE_DONE : PROVE_BROKEN;
        run_close(&trial->run);
    }
    for (uint32_t i = 0; i < ROWS_MAX; i++)
        prove_measure_free(&trial->rows[i]);
    prove_measure_free(&trial->original);
    prove_measure_free(&trial->repaired);
    free(trial->hops.rows);
    free(trial->on_path);
    free(trial->victims);
    free(trial->ideal);
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

double prove_gone(const struct prove_impact *before, const struct prove_impact *after)
{
    const int64_t lost = before->lost_ps;
    return lost == 0 ? 0 : (double)(lost - after->lost_ps) / (double)lost;
}

const char *prove_role_name(enum prove_role role)
{
    static const char *const names[] = {"suspect", "innocent", "bystander"};
    return names[role];
}

static bool is_of(const struct prove_row *row, enum prove_of of)
{
    return of == PROVE_OF_ALL || (of == PROVE_OF_SUSPECTS && row->role == PROVE_SUSPECT) ||
           is_repairable(row);
}

const struct prove_row *prove_best(const struct prove *prove, enum prove_of of)
{
    const struct prove_row *best = NULL;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (is_of(row, of) && (best == NULL || prove_gone(&row->before, &row->after) >
                                                   prove_gone(&best->before, &best->after)))
            best = row;
    }
    return best;
}
