/* SPDX-License-Identifier: Apache-2.0
 * prove - the runs, and what they say together. */
#include "replay/prove/prove_private.h"

#include "base/memory.h"
#include "replay/database/stored.h"
#include "replay/prove/prove_suspects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ the run as it was */

static enum prove_end play_as_it_was(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    const struct run_options options = {.until = trial->until,
                                        .progress = trial->question->progress};
    char digest[DIGEST_TEXT_BYTES];
    const enum run_end end = run_scenario(&trial->run, trial->scenario, &options, trial->diag);
    if (end != RUN_DONE || strcmp(trial->run.result.status, "interrupted") == 0) {
        snprintf(prove->why, sizeof prove->why, "%s",
                 end == RUN_DONE      ? "interrupted"
                 : end == RUN_REFUSED ? "the scenario cannot be built"
                                      : trial->run.error);
        run_close(&trial->run);
        return PROVE_BROKEN;
    }
    prove->events = (uint64_t)trial->run.result.totals.events;
    digest_format(&trial->run.result.digest, digest);
    if (strcmp(digest, trial->question->digest) == 0)
        return PROVE_DONE;
    snprintf(prove->why, sizeof prove->why,
             "replayed, its digest is %s instead of %s, so nothing can be proved (written by "
             "another version?)",
             digest, trial->question->digest);
    run_close(&trial->run);
    return PROVE_UNUSABLE;
}

/* ------------------------------------------------------------------ victims */

/* By workload: it has a victim.  The caller frees it. */
static bool *harmed_workloads(const struct prove_trial *trial)
{
    bool *harmed = memory_zeroed((size_t)trial->scenario->workload_count + 1, sizeof *harmed);
    for (uint32_t i = 0; i < trial->members.count; i++)
        harmed[trial->members.rows[i].workload] |= trial->victims[i];
    return harmed;
}

/* Both rows of keys are in order. */
static void mark_hops(struct prove_trial *trial, const bool *harmed)
{
    struct store_statement *rows =
        store_prepare(record_store(trial->run.record),
                      "SELECT node, port, priority, workload FROM workload_way ORDER BY 1, 2, 3");
    for (uint32_t i = 0; store_step(rows);) {
        const struct prove_hop key = {store_int(rows, "node"), store_int(rows, "port"),
                                      store_int(rows, "priority")};
        while (prove_hop_order(&trial->hops.rows[i], &key) != 0)
            i++;
        trial->on_path[i] |= harmed[store_int(rows, "workload")];
    }
    store_finish(rows);
    for (uint32_t i = 0; i < trial->hops.count; i++)
        trial->prove->transmitters += trial->on_path[i];
}

static void list_victims(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    for (uint32_t i = 0; i < trial->members.count;) {
        const uint32_t workload = trial->members.rows[i].workload;
        struct prove_victim victim = {0};
        bool any = false;
        for (; i < trial->members.count && trial->members.rows[i].workload == workload; i++) {
            const struct prove_work *work = &trial->original.works[i];
            if (!trial->victims[i])
                continue;
            any = true;
            victim.lost_ps += prove_lost_by(trial, &trial->original, i);
            victim.under_way_ps += prove_work_whole(work, prove_ideal_of(trial, i));
            victim.failed += work->failed;
            victim.inactive += work->inactive;
        }
        if (!any)
            continue;
        snprintf(victim.name, sizeof victim.name, "%s", trial->scenario->workloads[workload].name);
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

/* Nobody: then anybody may be one of the load. */
static void find_victims(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    bool any = false;
    for (uint32_t i = 0; i < trial->members.count; i++)
        any |= trial->victims[i] = prove_is_victim(trial, i);
    prove->late = false;
    for (uint32_t i = 0; i < trial->members.count; i++)
        prove->late |= prove_is_late(trial, &trial->original, i);
    for (uint32_t i = 0; i < trial->members.count; i++)
        trial->victims[i] |= !any;
    bool *harmed = harmed_workloads(trial);
    mark_hops(trial, harmed);
    free(harmed);
    prove->before = prove->after = prove_impact_of(trial, &trial->original, NULL);
    if (!any) /* what somebody lost below the least is no loss */
        prove->before.lost_ps = prove->after.lost_ps = 0;
    if (any)
        list_victims(trial);
    if (trial->ideal.works == NULL)
        return;
    prove->ideal = prove_impact_of(trial, &trial->ideal, NULL);
    prove->by = prove_loss_of(prove);
    prove->repaired = prove->by != PROVE_BY_NOTHING;
}

/* ------------------------------------------------------------------ the repaired runs */

bool prove_is_broken(const struct prove_row *row)
{
    return row->role == PROVE_SUSPECT && row->repair.kind != REPAIR_TRAFFIC;
}

struct prove_set prove_all_broken(const struct prove *prove)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (prove_is_broken(row) && !row->unplayed && !row->worse && row->tier <= prove->tier &&
            row->tier != PROVE_NAMED)
            set.rows[set.count++] = i;
    }
    return set;
}

/* The second run costs some more than the first, and gives nobody anything. */
static bool is_worse(const struct prove_trial *trial, const struct prove_measure *first,
                     const struct prove_measure *second)
{
    bool dearer = false, cheaper = false;
    for (uint32_t i = 0; i < trial->members.count; i++) {
        dearer |= prove_is_dearer(trial, first, second, i);
        cheaper |= prove_is_dearer(trial, second, first, i);
    }
    return dearer && !cheaper && second->lossless_drops >= first->lossless_drops;
}

static bool copy_measure(const struct prove_trial *trial, struct prove_measure *to,
                         const struct prove_measure *from)
{
    const size_t works = trial->members.count, hops = trial->hops.count;
    const size_t workloads = trial->scenario->workload_count;
    *to = *from;
    to->works = memory_zeroed(works, sizeof *to->works);
    to->p99_ps = memory_zeroed(workloads, sizeof *to->p99_ps);
    to->stopped_ps = memory_zeroed(hops, sizeof *to->stopped_ps);
    memcpy(to->p99_ps, from->p99_ps, workloads * sizeof *to->p99_ps);
    memcpy(to->works, from->works, works * sizeof *to->works);
    memcpy(to->stopped_ps, from->stopped_ps, hops * sizeof *to->stopped_ps);
    return true;
}

/* All that are broken repaired at once; it was played already when that is one. */
static bool play_ideal(struct prove_trial *trial)
{
    const struct prove_set all = prove_all_broken(trial->prove);
    prove_measure_free(&trial->ideal);
    if (all.count == 0)
        return true;
    if (all.count == 1)
        return copy_measure(trial, &trial->ideal, &trial->rows[all.rows[0]]);
    return prove_play_sets(trial, &all, 1, &trial->ideal);
}

/* Nobody has a twentieth more or less in the second run, nor other failures. */
static bool is_alike(const struct prove_trial *trial, const struct prove_measure *first,
                     const struct prove_measure *second)
{
    bool alike = first->lossless_drops == second->lossless_drops;
    for (uint32_t i = 0; i < trial->members.count; i++)
        alike &= !prove_is_dearer(trial, first, second, i) &&
                 !prove_is_dearer(trial, second, first, i);
    return alike;
}

/* Everything was played at once and changes nothing for anybody: that stands for each of the tier
 * alone.  Most scenarios are healthy, and have many suspects. */
static bool is_idle(struct prove_trial *trial, enum prove_tier tier)
{
    const struct prove *prove = trial->prove;
    if (trial->ideal.works == NULL || !is_alike(trial, &trial->original, &trial->ideal))
        return false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].tier == tier && prove_is_broken(&prove->rows[i]))
            copy_measure(trial, &trial->rows[i], &trial->ideal);
    return true;
}

/* Each of the tier alone; all at once first where runs are limited, else beside those of the first
 * tier. */
static bool play_alone(struct prove_trial *trial, enum prove_tier tier)
{
    struct prove *prove = trial->prove;
    const struct prove_set all = prove_all_broken(prove);
    const bool first = trial->question->runs_most > 0 && all.count > 1;
    const bool beside = !first && tier == PROVE_ODD && all.count != 1;
    struct prove_set sets[PROVE_SUSPECTS_MAX + 1];
    struct prove_measure measures[PROVE_SUSPECTS_MAX + 1] = {{0}};
    uint32_t rows[PROVE_SUSPECTS_MAX], count = 0;
    bool again = !first && !beside;
    if (first && !play_ideal(trial))
        return false;
    if (first && is_idle(trial, tier))
        return true;
    if (!prove_measure_noise(trial))
        return false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].tier == tier) {
            sets[count] = (struct prove_set){.rows = {i}, .count = 1};
            rows[count++] = i;
        }
    sets[count] = all;
    if (!prove_play_sets(trial, sets, count + beside, measures))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct prove_row *row = &prove->rows[rows[i]];
        trial->rows[rows[i]] = measures[i];
        row->unplayed = measures[i].works == NULL;
        row->worse = !row->unplayed && row->repair.kind == REPAIR_SETTING &&
                     is_worse(trial, &trial->original, &measures[i]);
        again |= row->unplayed || row->worse;
    }
    if (beside)
        trial->ideal = measures[count];
    return !again || play_ideal(trial);
}

static bool has_tier(const struct prove *prove, enum prove_tier tier)
{
    bool any = false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        any |= prove->rows[i].tier == tier;
    return any;
}

/* Nobody means operations to fail, nor lossless frames to be dropped. */
static bool is_harmed(const struct prove_impact *all)
{
    return all->failed > 0 || all->inactive > 0 || all->lossless_drops > 0;
}

/* What may be meant so is left as it is where something else explains a loss. */
static bool play_broken(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    if (!play_alone(trial, PROVE_ODD) || !prove_admit(trial))
        return false;
    find_victims(trial);
    for (enum prove_tier tier = PROVE_PLANNED; tier <= PROVE_WRITTEN && !prove->repaired; tier++) {
        if (tier == PROVE_WRITTEN && is_harmed(&prove->all))
            prove_written(prove, trial->scenario);
        if (!has_tier(prove, tier))
            continue;
        prove->tier = tier;
        if (!play_alone(trial, tier) || !prove_admit(trial))
            return false;
        memset(trial->on_path, 0, trial->hops.count * sizeof *trial->on_path);
        prove->transmitters = prove->victim_count = 0;
        find_victims(trial);
    }
    return true;
}

/* Something could be repaired, be it for the better or not. */
static bool has_broken(const struct prove *prove)
{
    bool any = false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        any |= prove_is_broken(&prove->rows[i]) && !prove->rows[i].unplayed;
    return any;
}

/* Workloads left out, from the given row on. */
static bool play_traffic(struct prove_trial *trial, uint32_t first)
{
    struct prove *prove = trial->prove;
    struct prove_set sets[PROVE_ROWS_MAX];
    struct prove_measure measures[PROVE_ROWS_MAX] = {{0}};
    uint32_t count = 0;
    for (uint32_t i = first; i < prove->row_count; i++)
        sets[count++] = (struct prove_set){.rows = {i}, .count = 1};
    const bool well = prove_play_sets(trial, sets, count, measures);
    for (uint32_t i = 0; i < count; i++)
        trial->rows[first + i] = measures[i];
    for (uint32_t i = first; i < prove->row_count; i++)
        prove->rows[i].unplayed = trial->rows[i].works == NULL;
    return well;
}

/* ------------------------------------------------------------------ the whole */

/* Where nothing that was repaired cost anything, each row is compared with the run as it was. */
static void compare_row(struct prove_trial *trial, uint32_t index)
{
    struct prove_row *row = &trial->prove->rows[index];
    if (trial->rows[index].works == NULL)
        return;
    row->before = prove_impact_of(trial, &trial->original, &row->repair);
    row->after = prove_impact_of(trial, &trial->rows[index], &row->repair);
    if (trial->prove->repaired)
        return;
    struct prove_impact change;
    prove_compare(trial, &trial->original, &trial->rows[index], &row->repair, &change);
    row->before.lost_ps = change.lost_ps < 0 ? -change.lost_ps : 0;
    row->after.lost_ps = change.lost_ps > 0 ? change.lost_ps : 0;
    row->before.whole_ps = change.whole_ps;
}

static void look_at_whole(struct prove_trial *trial)
{
    struct prove *prove = trial->prove;
    prove->all = (struct prove_impact){.lossless_drops = trial->original.lossless_drops,
                                       .drops = trial->original.drops};
    for (uint32_t i = 0; i < trial->members.count; i++) {
        prove->all.failed += trial->original.works[i].failed;
        if (trial->until == TIME_NEVER) /* else it was cut, and that is no harm */
            prove->unfinished += trial->original.works[i].unfinished;
        prove->all.inactive += trial->original.works[i].inactive;
        prove->all.done += trial->original.works[i].done;
        prove->all.whole_ps += trial->original.works[i].under_way_ps;
    }
}

/* Each takes a run alone and one beside all others; the rest is for the run as it was, the ideal
 * one, and those that rule out chance. */
static uint32_t suspects_most(const struct prove_trial *trial)
{
    enum { BESIDE = 10 };
    const uint32_t runs = trial->question->runs_most;
    const uint32_t most = runs < BESIDE + 2 ? 1 : (runs - BESIDE) / 2;
    return runs == 0 || most > PROVE_BROKEN_MAX ? PROVE_BROKEN_MAX : most;
}

static bool play_repairs(struct prove_trial *trial)
{
    struct store *store = record_store(trial->run.record);
    struct prove *prove = trial->prove;
    prove_hops_read(&trial->hops, store);
    prove_members_read(&trial->members, store, trial->scenario->workload_count);
    trial->victims = memory_zeroed((size_t)trial->members.count + 1, sizeof *trial->victims);
    trial->on_path = memory_zeroed(trial->hops.count, sizeof *trial->on_path);
    prove_measure(&trial->original, store, &trial->members, trial->scenario->workload_count,
                  &trial->hops);
    look_at_whole(trial);
    prove_suspects(prove, trial->scenario, store, &trial->run.result.harm, suspects_most(trial));
    if (!play_broken(trial))
        return false;
    const uint32_t broken = prove->row_count;
    if (trial->question->runs_most == 0) {
        bool *harmed = harmed_workloads(trial);
        prove_traffic(prove, trial->scenario, store);
        prove_others(prove, trial->scenario, store, harmed);
        free(harmed);
    }
    prove->vacuous = !has_broken(prove);
    if (!play_traffic(trial, broken))
        return false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        compare_row(trial, i);
    const bool found = prove_find_culprits(trial);
    if (found && store_error(store) != NULL)
        snprintf(prove->why, sizeof prove->why, "%s", store_error(store));
    return found && store_error(store) == NULL;
}

enum prove_end prove_ask(struct prove *prove, const struct prove_question *question,
                         struct diag *diag)
{
    *prove = (struct prove){.runs = 1};
    struct prove_trial trial = {.prove = prove,
                                .question = question,
                                .scenario = question->scenario,
                                .until = question->until,
                                .diag = diag};
    enum prove_end end = play_as_it_was(&trial);
    if (end == PROVE_DONE) {
        end = play_repairs(&trial) ? PROVE_DONE : PROVE_BROKEN;
        run_close(&trial.run);
    }
    for (uint32_t i = 0; i < PROVE_ROWS_MAX; i++)
        prove_measure_free(&trial.rows[i]);
    prove_measure_free(&trial.original);
    prove_measure_free(&trial.ideal);
    free(trial.hops.rows);
    free(trial.on_path);
    free(trial.victims);
    free(trial.noise);
    prove_members_free(&trial.members);
    return end;
}

enum prove_end prove_run(struct prove *prove, struct store *store, bool progress, struct diag *diag)
{
    char digest[DIGEST_TEXT_BYTES];
    struct stored stored;
    enum prove_end end = PROVE_UNUSABLE;
    *prove = (struct prove){.runs = 0};
    snprintf(prove->why, sizeof prove->why, "its scenario cannot be loaded");
    store_ask_text(store, "SELECT digest FROM meta", digest, sizeof digest);
    if (stored_load(&stored, store, diag)) {
        const struct prove_question question = {
            .scenario = stored.scenario,
            .until = store_ask_int(store, "SELECT until_ps FROM meta", TIME_NEVER),
            .digest = digest,
            .progress = progress};
        end = prove_ask(prove, &question, diag);
    }
    stored_free(&stored);
    return end;
}

/* ------------------------------------------------------------------ what it says */

const char *prove_role_name(enum prove_role role)
{
    static const char *const names[] = {"suspect", "innocent", "bystander"};
    return names[role];
}

static bool is_of(const struct prove_row *row, enum prove_of of)
{
    return !row->unplayed &&
           (of == PROVE_OF_ALL || (of == PROVE_OF_SUSPECTS && row->role == PROVE_SUSPECT) ||
            prove_is_broken(row));
}

const struct prove_row *prove_best(const struct prove *prove, enum prove_of of)
{
    const struct prove_row *best = NULL;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (is_of(row, of) && (best == NULL || prove_gone(prove, &row->before, &row->after) >
                                                   prove_gone(prove, &best->before, &best->after)))
            best = row;
    }
    return best;
}
