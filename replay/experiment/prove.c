/* SPDX-License-Identifier: Apache-2.0
 * prove - does the runs and draws the conclusion. */
#include "replay/experiment/prove_private.h"

#include "base/memory.h"
#include "base/numbers.h"
#include "replay/database/stored.h"
#include "replay/experiment/prove_suspects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ unchanged run */

static enum prove_end play_as_it_was(struct proof *proof)
{
    struct prove *prove = proof->prove;
    const struct run_options options = {.until = proof->question->until,
                                        .progress = proof->question->progress};
    char digest[DIGEST_TEXT_BYTES];
    const enum run_end end = run_scenario(&proof->run, proof->scenario, &options, proof->diag);
    if (end != RUN_DONE || strcmp(proof->run.result.status, "interrupted") == 0) {
        snprintf(prove->why, sizeof prove->why, "%s",
                 end == RUN_DONE      ? "interrupted"
                 : end == RUN_REFUSED ? "the scenario cannot be built"
                                      : proof->run.error);
        run_close(&proof->run);
        return PROVE_BROKEN;
    }
    proof->experiment.events = (uint64_t)proof->run.result.totals.events;
    digest_format(&proof->run.result.digest, digest);
    if (strcmp(digest, proof->question->digest) == 0)
        return PROVE_DONE;
    snprintf(prove->why, sizeof prove->why,
             "replayed, its digest is %s instead of %s, so nothing can be proved (written by "
             "another version?)",
             digest, proof->question->digest);
    run_close(&proof->run);
    return PROVE_UNUSABLE;
}

/* ------------------------------------------------------------------ victims */

/* By workload: whether it has a victim. The caller frees the result. */
static bool *harmed_workloads(const struct proof *proof)
{
    bool *harmed = memory_zeroed((size_t)proof->scenario->workload_count + 1, sizeof *harmed);
    for (uint32_t i = 0; i < proof->members.count; i++)
        harmed[proof->members.rows[i].workload] |= proof->victims[i];
    return harmed;
}

/* Both lists of keys are sorted. */
static void mark_hops(struct proof *proof, const bool *harmed)
{
    struct store_statement *rows =
        store_prepare(record_store(proof->run.record),
                      "SELECT node, port, priority, workload FROM workload_way ORDER BY 1, 2, 3");
    for (uint32_t i = 0; store_step(rows);) {
        const struct measure_hop key = {store_int(rows, "node"), store_int(rows, "port"),
                                        store_int(rows, "priority")};
        while (measure_hop_order(&proof->hops.rows[i], &key) != 0)
            i++;
        proof->on_path[i] |= harmed[store_int(rows, "workload")];
    }
    store_finish(rows);
    for (uint32_t i = 0; i < proof->hops.count; i++)
        proof->prove->transmitters += proof->on_path[i];
}

static void list_victims(struct proof *proof)
{
    struct prove *prove = proof->prove;
    for (uint32_t i = 0; i < proof->members.count;) {
        const uint32_t workload = proof->members.rows[i].workload;
        struct prove_victim victim = {0};
        bool any = false;
        for (; i < proof->members.count && proof->members.rows[i].workload == workload; i++) {
            const struct loss_work *work = &proof->original.works[i];
            const struct loss loss = prove_loss_by(proof, &proof->original, i);
            if (!proof->victims[i])
                continue;
            any = true;
            victim.lost_ps += loss.lost_ps;
            victim.under_way_ps += loss.whole_ps;
            victim.failed += work->failed;
            victim.inactive += work->inactive;
        }
        if (!any)
            continue;
        snprintf(victim.name, sizeof victim.name, "%s", proof->scenario->workloads[workload].name);
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

/* Without victims, any workload may be part of the load. */
static void find_victims(struct proof *proof)
{
    struct prove *prove = proof->prove;
    bool any = false;
    for (uint32_t i = 0; i < proof->members.count; i++)
        any |= proof->victims[i] = prove_is_victim(proof, i);
    prove->late = false;
    for (uint32_t i = 0; i < proof->members.count; i++)
        prove->late |= prove_is_late(proof, &proof->original, i);
    for (uint32_t i = 0; i < proof->members.count; i++)
        proof->victims[i] |= !any;
    bool *harmed = harmed_workloads(proof);
    mark_hops(proof, harmed);
    free(harmed);
    prove->before = prove->after = prove_impact_of(proof, &proof->original, NULL);
    if (!any) /* individual losses below the minimum do not count */
        prove->before.lost_ps = prove->after.lost_ps = 0;
    if (any)
        list_victims(proof);
    if (proof->ideal.works == NULL)
        return;
    prove->ideal = prove_impact_of(proof, &proof->ideal, NULL);
    prove->by = prove_loss_of(prove);
    prove->repaired = prove->by != PROVE_BY_NOTHING;
}

/* ------------------------------------------------------------------ the repaired runs */

bool prove_is_broken(const struct prove_row *row)
{
    return row->role == PROVE_SUSPECT && row->repair.kind != TRIAL_REMOVE_TRAFFIC;
}

struct prove_set prove_all_broken(const struct prove *prove)
{
    struct prove_set set = {.count = 0};
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        if (prove_is_broken(row) && !row->unplayed && !row->worse && row->tier == PROVE_ODD)
            set.rows[set.count++] = i;
    }
    return set;
}

/* The mean member completes a twentieth less in the second run. */
static bool does_less(const struct proof *proof, const struct measure *first,
                      const struct measure *second)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        const int64_t was = first->works[i].done, is = second->works[i].done;
        sum += share_ppm(was - is, was) - share_ppm(is - was, is);
    }
    return sum > 0 && sum >= (int64_t)proof->members.count * EXPERIMENT_HARM_LEAST;
}

/* Compared with the first run, the second costs some members time, and either gains no member
 * anything or takes more work from the members than it gives to them. */
static bool is_worse(const struct proof *proof, const struct measure *first,
                     const struct measure *second)
{
    struct prove_impact change;
    bool dearer = false, cheaper = false;
    for (uint32_t i = 0; i < proof->members.count; i++) {
        dearer |= prove_is_dearer(proof, first, second, i);
        cheaper |= prove_is_dearer(proof, second, first, i);
    }
    prove_compare(proof, first, second, NULL, &change);
    cheaper &= change.failed < 0 || !does_less(proof, first, second);
    return dearer && !cheaper && second->lossless_drops >= first->lossless_drops;
}

static struct measure_shape shape_of(const struct proof *proof)
{
    return (struct measure_shape){proof->members.count, proof->scenario->workload_count,
                                  proof->hops.count};
}

/* All that are broken repaired at once. */
static bool play_ideal(struct proof *proof)
{
    const struct prove_set all = prove_all_broken(proof->prove);
    measure_free(&proof->ideal);
    return all.count == 0 || prove_run_sets(proof, &all, 1, &proof->ideal);
}

/* No member's time differs by a twentieth, and failures are the same. */
static bool is_alike(const struct proof *proof, const struct measure *first,
                     const struct measure *second)
{
    bool alike = first->lossless_drops == second->lossless_drops;
    for (uint32_t i = 0; i < proof->members.count; i++)
        alike &=
            !prove_is_dearer(proof, first, second, i) && !prove_is_dearer(proof, second, first, i);
    return alike;
}

/* Everything was repaired at once without any effect, which then holds for each deviation alone.
 * Most scenarios are healthy and have many suspects. */
static bool is_idle(struct proof *proof)
{
    const struct prove *prove = proof->prove;
    if (proof->ideal.works == NULL || !is_alike(proof, &proof->original, &proof->ideal))
        return false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].tier == PROVE_ODD && prove_is_broken(&prove->rows[i]))
            measure_copy(&proof->rows[i], &proof->ideal, shape_of(proof));
    return true;
}

/* Repairs each deviation on its own. The run with all of them repaired comes first if runs are
 * limited, otherwise in parallel. */
static bool play_alone(struct proof *proof)
{
    struct prove *prove = proof->prove;
    const struct prove_set all = prove_all_broken(prove);
    const bool first = proof->question->runs_most > 0 && all.count > 1;
    const bool beside = !first && all.count > 1;
    struct prove_set sets[PROVE_SUSPECTS_MAX + 1];
    struct measure measures[PROVE_SUSPECTS_MAX + 1] = {{0}};
    uint32_t rows[PROVE_SUSPECTS_MAX], count = 0;
    bool again = !first && !beside;
    if (all.count == 0)
        return true;
    if (first && !play_ideal(proof))
        return false;
    if (first && is_idle(proof))
        return true;
    if (!prove_find_noise(proof, &all))
        return false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (prove->rows[i].tier == PROVE_ODD) {
            sets[count] = (struct prove_set){.rows = {i}, .count = 1};
            rows[count++] = i;
        }
    sets[count] = all;
    if (!prove_run_sets(proof, sets, count + beside, measures))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct prove_row *row = &prove->rows[rows[i]];
        proof->rows[rows[i]] = measures[i];
        row->unplayed = measures[i].works == NULL;
        row->worse = !row->unplayed && row->repair.kind == TRIAL_RESTORE_SETTING &&
                     is_worse(proof, &proof->original, &measures[i]);
        again |= row->unplayed || row->worse;
    }
    if (beside)
        proof->ideal = measures[count];
    return !again || play_ideal(proof);
}

/* Settings that all objects have stay as they are unless they cost somebody something. */
static bool play_broken(struct proof *proof)
{
    struct prove *prove = proof->prove;
    bool found = false;
    if (!play_alone(proof) || !prove_admit(proof))
        return false;
    find_victims(proof);
    prove_unlike_default(prove, proof->base);
    if (!prove_refer(proof, &found))
        return false;
    if (!found)
        return true;
    memset(proof->on_path, 0, proof->hops.count * sizeof *proof->on_path);
    prove->transmitters = prove->victim_count = 0;
    if (!play_ideal(proof))
        return false;
    find_victims(proof);
    return true;
}

/* Something could be repaired, regardless of the sign of the effect. */
static bool has_broken(const struct prove *prove)
{
    bool any = false;
    for (uint32_t i = 0; i < prove->row_count; i++)
        any |= prove_is_broken(&prove->rows[i]) && !prove->rows[i].unplayed;
    return any;
}

/* Runs without individual workloads, starting at the given row. */
static bool play_traffic(struct proof *proof, uint32_t first)
{
    struct prove *prove = proof->prove;
    struct prove_set sets[PROVE_ROWS_MAX] = {{.count = 0}};
    struct measure measures[PROVE_ROWS_MAX] = {{0}};
    uint32_t count = 0;
    for (uint32_t i = first; i < prove->row_count; i++)
        sets[count++] = (struct prove_set){.rows = {i}, .count = 1};
    const bool well = prove_run_sets(proof, sets, count, measures);
    for (uint32_t i = 0; i < count; i++)
        proof->rows[first + i] = measures[i];
    for (uint32_t i = first; i < prove->row_count; i++)
        prove->rows[i].unplayed = proof->rows[i].works == NULL;
    return well;
}

/* ------------------------------------------------------------------ all together */

/* If no repair had an effect, rows are compared with the unchanged run. */
static void compare_row(struct proof *proof, uint32_t index)
{
    struct prove_row *row = &proof->prove->rows[index];
    if (proof->rows[index].works == NULL)
        return;
    row->before = prove_impact_of(proof, &proof->original, &row->repair);
    row->after = prove_impact_of(proof, &proof->rows[index], &row->repair);
    if (proof->prove->repaired)
        return;
    struct prove_impact change;
    prove_compare(proof, &proof->original, &proof->rows[index], &row->repair, &change);
    row->before.lost_ps = change.lost_ps < 0 ? -change.lost_ps : 0;
    row->after.lost_ps = change.lost_ps > 0 ? change.lost_ps : 0;
    row->before.whole_ps = change.whole_ps;
}

static void look_at_whole(struct proof *proof)
{
    struct prove *prove = proof->prove;
    prove->all = (struct prove_impact){.lossless_drops = proof->original.lossless_drops,
                                       .drops = proof->original.drops};
    for (uint32_t i = 0; i < proof->members.count; i++) {
        prove->all.failed += proof->original.works[i].failed;
        if (proof->question->until == TIME_NEVER) /* a run that was cut off is not harmed by that */
            prove->unfinished += proof->original.works[i].unfinished;
        prove->all.inactive += proof->original.works[i].inactive;
        prove->all.done += proof->original.works[i].done;
        prove->all.whole_ps += proof->original.works[i].under_way_ps;
    }
}

/* Each suspect takes one run alone and one with all others repaired; the rest is for the unchanged
 * run, the ideal run, and those that rule out chance. */
static uint32_t suspects_most(const struct proof *proof)
{
    enum { BESIDE = 10 };
    const uint32_t runs = proof->question->runs_most;
    const uint32_t most = runs < BESIDE + 2 ? 1 : (runs - BESIDE) / 2;
    const uint32_t limit = proof->question->all ? PROVE_SUSPECTS_MAX : PROVE_BROKEN_MAX;
    return runs == 0 || most > limit ? limit : most;
}

static bool give_up(struct proof *proof)
{
    snprintf(proof->prove->why, sizeof proof->prove->why, "%s", proof->experiment.why);
    return false;
}

static bool play_repairs(struct proof *proof)
{
    struct store *store = record_store(proof->run.record);
    struct prove *prove = proof->prove;
    measure_hops_read(&proof->hops, store);
    measure_members_read(&proof->members, store, proof->scenario->workload_count);
    proof->victims = memory_zeroed((size_t)proof->members.count + 1, sizeof *proof->victims);
    proof->listed = memory_zeroed((size_t)proof->members.count + 1, sizeof *proof->listed);
    proof->harmed = memory_zeroed((size_t)proof->scenario->node_count + 1, sizeof *proof->harmed);
    proof->on_path = memory_zeroed(proof->hops.count, sizeof *proof->on_path);
    measure_read(&proof->original, store, &proof->members, proof->scenario->workload_count,
                 &proof->hops);
    memo_keep(&proof->memo, &(struct trial){.count = 0}, shape_of(proof), &proof->original);
    look_at_whole(proof);
    prove_sum_time(proof);
    prove_suspects(prove, proof->base, store, &proof->run.result.harm, suspects_most(proof));
    if (!play_broken(proof))
        return give_up(proof);
    const uint32_t broken = prove->row_count;
    if (proof->question->runs_most == 0) {
        bool *harmed = harmed_workloads(proof);
        prove_traffic(prove, proof->base, store);
        prove_others(prove, proof->base, store, harmed);
        free(harmed);
    }
    prove->vacuous = !has_broken(prove);
    if (!play_traffic(proof, broken))
        return give_up(proof);
    for (uint32_t i = 0; i < prove->row_count; i++)
        compare_row(proof, i);
    if (!prove_find_culprits(proof) || !prove_find_neighbor(proof))
        return give_up(proof);
    if (store_error(store) != NULL)
        snprintf(prove->why, sizeof prove->why, "%s", store_error(store));
    return store_error(store) == NULL;
}

enum prove_end prove_ask(struct prove *prove, const struct prove_question *question,
                         struct diag *diag)
{
    struct proof proof = {.prove = prove,
                          .question = question,
                          .scenario = question->base->scenario,
                          .base = question->base,
                          .experiment = {.base = question->base,
                                         .until = question->until,
                                         .members = &proof.members,
                                         .hops = &proof.hops,
                                         .memo = &proof.memo,
                                         .runs_most = question->runs_most,
                                         .events_most = question->events_most,
                                         .runs = 1},
                          .diag = diag};
    *prove = (struct prove){.runs = 0};
    enum prove_end end = play_as_it_was(&proof);
    if (end == PROVE_DONE) {
        end = play_repairs(&proof) ? PROVE_DONE : PROVE_BROKEN;
        run_close(&proof.run);
    }
    prove->runs = proof.experiment.runs;
    prove->events = proof.experiment.events;
    prove->crashed = proof.experiment.crashed;
    for (uint32_t i = 0; i < PROVE_ROWS_MAX; i++)
        measure_free(&proof.rows[i]);
    measure_free(&proof.original);
    measure_free(&proof.ideal);
    free(proof.hops.rows);
    free(proof.on_path);
    free(proof.victims);
    free(proof.listed);
    free(proof.harmed);
    free(proof.noise);
    free(proof.workload_noise);
    measure_members_free(&proof.members);
    memo_free(&proof.memo);
    return end;
}

enum prove_end prove_run(struct prove *prove, struct store *store, bool all, bool progress,
                         struct diag *diag)
{
    char digest[DIGEST_TEXT_BYTES];
    struct stored stored;
    enum prove_end end = PROVE_UNUSABLE;
    *prove = (struct prove){.runs = 0};
    snprintf(prove->why, sizeof prove->why, "its scenario cannot be loaded");
    store_ask_text(store, "SELECT digest FROM meta", digest, sizeof digest);
    if (stored_load(&stored, store, diag)) {
        struct trial_base base;
        trial_base_find(&base, stored.scenario);
        const struct prove_question question = {
            .base = &base,
            .until = store_ask_int(store, "SELECT until_ps FROM meta", TIME_NEVER),
            .digest = digest,
            .all = all,
            .progress = progress};
        end = prove_ask(prove, &question, diag);
        trial_base_free(&base);
    }
    stored_free(&stored);
    return end;
}

/* ------------------------------------------------------------------ conclusion */

const char *prove_role_name(enum prove_role role)
{
    static const char *const names[] = {"suspect", "innocent", "bystander"};
    return names[role];
}
