/* SPDX-License-Identifier: Apache-2.0
 * test_prove - a proof, computed again: all runs that it rests on are run here too, and its
 * victims, losses, suspects and culprits follow from them. */
#include "replay/experiment/measure.h"
#include "replay/experiment/prove.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN                                                                                      \
    "stormglass: 1\n"                                                                              \
    "name: proved\n"                                                                               \
    "duration: 300us\n"                                                                            \
    "fabric: {topology: {kind: single-switch, hosts: 8}}\n"

#define WRITES(name, from, to)                                                                     \
    "  - {name: " name ", kind: rdma-write, from: " from ", to: " to ", message-size: 64KiB,"      \
    " outstanding: 2, pairing: all-to-all}\n"

#define SLOW(at, span, drain, where)                                                               \
    "  - {at: " at ", for: " span ", kind: slow-receiver, drain: " drain ", where: " where "}\n"

/* The fault at host0 costs a and b time, the one at host6 next to nothing; nobody shares a
 * transmitter with c. */
static const char one_culprit[] =
    BEGIN "workloads:\n" WRITES("a", "[host1, host2]", "host0") WRITES("b", "host1", "host3")
        WRITES("c", "host4", "host5") "faults:\n" SLOW("20us", "150us", "2%", "host0")
            SLOW("50us", "1us", "50%", "host6");

/* Each costs the same victims half of what they lost; a host that is slow by nature, which the
 * fault of one that nobody talks to is not. */
static const char two_culprits[] =
    BEGIN "hosts:\n  overrides: [{where: host7, rnic: {drain: 3Gbps}}]\n"
          "workloads:\n" WRITES("a", "host1", "[host0, host7]") WRITES("b", "host2", "host0")
              WRITES("c", "host3", "host4") "faults:\n" SLOW("20us", "200us", "2%", "host0")
                  SLOW("40us", "9us", "0%", "host5");

/* Nothing is broken: traffic meets traffic at host0. */
static const char congestion[] =
    "stormglass: 1\n"
    "name: congestion\n"
    "duration: 300us\n"
    "fabric: {topology: {kind: single-switch, hosts: 8}, switch: {alpha: 25%, buffer: 8MiB}}\n"
    "workloads:\n"
    "  - {name: burst, kind: rdma-write, from: [host1, host2, host3, host4], to: host0,"
    " message-size: 1MiB, outstanding: 4, pairing: all-to-all}\n"
    "  - {name: both, kind: rdma-write, from: [host2, host3], to: [host0, host5],"
    " message-size: 1MiB, outstanding: 4, pairing: all-to-all}\n" WRITES("beside", "host1", "host5")
        WRITES("far", "host6", "host7");

/* More victims than are listed. */
static const char many_victims[] = BEGIN "workloads:\n" WRITES("a", "host1", "host0")
    WRITES("b", "host2", "host0") WRITES("c", "host3", "host0") WRITES("d", "host4", "host0")
        WRITES("e", "host5", "host0") WRITES("f", "host6", "host0") WRITES("g", "host7", "host0")
            WRITES("h", "[host1, host2]", "host0") WRITES("i", "[host3, host4, host5]", "host0")
                WRITES("j", "host0", "host1") "faults:\n" SLOW("10us", "200us", "1%", "host0");

struct stand {
    struct diag diag;
    struct scenario *scenario;
    struct trial_base base;
    struct run run;
    struct prove prove;
    struct measure_hops hops;
    struct measure_members members;
    struct measure original, ideal;
    bool *victims;
};

static void play(struct stand *stand, const struct scenario *scenario, struct run *run)
{
    const struct run_options all = {.until = TIME_NEVER};
    assert_int_equal(run_scenario(run, scenario, &all, &stand->diag), RUN_DONE);
}

static struct stand *stand_of(const char *text)
{
    struct stand *stand = calloc(1, sizeof *stand);
    assert_non_null(stand);
    const struct scenario_input input = {.name = "p.yaml", .text = text, .length = strlen(text)};
    stand->scenario = scenario_load(&input, &stand->diag);
    diag_print(&stand->diag, stdout);
    assert_non_null(stand->scenario);
    trial_base_find(&stand->base, stand->scenario);
    play(stand, stand->scenario, &stand->run);
    return stand;
}

static enum prove_end prove_it(struct stand *stand)
{
    return prove_run(&stand->prove, record_store(stand->run.record), false, false, &stand->diag);
}

static void take_down(struct stand *stand)
{
    measure_free(&stand->original);
    measure_free(&stand->ideal);
    free(stand->hops.rows);
    measure_members_free(&stand->members);
    free(stand->victims);
    assert_true(run_close(&stand->run));
    trial_base_free(&stand->base);
    scenario_free(stand->scenario);
    free(stand);
}

/* What a run with these rows repaired shows. */
static struct measure play_repaired(struct stand *stand, const bool *rows)
{
    struct trial trial = {.count = 0};
    for (uint32_t i = 0; i < stand->prove.row_count; i++)
        if (rows[i])
            trial.changes[trial.count++] = stand->prove.rows[i].repair;
    struct tried tried;
    struct run run;
    struct measure measure;
    assert_true(trial_apply(&tried, &trial, &stand->base, &stand->diag));
    play(stand, &tried.scenario, &run);
    measure_read(&measure, record_store(run.record), &stand->members,
                 stand->scenario->workload_count, &stand->hops);
    assert_true(run_close(&run));
    tried_free(&tried);
    return measure;
}

static struct measure play_repaired_one(struct stand *stand, uint32_t row)
{
    bool rows[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX] = {false};
    rows[row] = true;
    return play_repaired(stand, rows);
}

static bool takes_from(const struct stand *stand, const struct trial_change *repair,
                       uint32_t member)
{
    return repair != NULL && repair->kind == TRIAL_REMOVE_TRAFFIC &&
           repair->workload == stand->members.rows[member].workload;
}

/* All that is broken repaired at once, but for what makes it worse. */
static void reckon_ideal(struct stand *stand)
{
    bool broken[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX] = {false};
    bool any = false;
    for (uint32_t i = 0; i < stand->prove.row_count; i++)
        any |= broken[i] = prove_is_broken(&stand->prove.rows[i]) && !stand->prove.rows[i].worse;
    if (any)
        stand->ideal = play_repaired(stand, broken);
    assert_int_equal(stand->prove.vacuous, !any);
}

static void reckon_victims(struct stand *stand)
{
    const uint32_t count = stand->members.count;
    stand->victims = calloc(count, sizeof *stand->victims);
    assert_non_null(stand->victims);
    for (uint32_t i = 0; i < count; i++) {
        if (!stand->prove.repaired) {
            stand->victims[i] = true;
            continue;
        }
        const struct loss_work *work = &stand->original.works[i], *ideal = &stand->ideal.works[i];
        const int64_t lost = loss_between(work, ideal).lost_ps;
        stand->victims[i] = (lost > 0 && lost >= loss_between(work, ideal).whole_ps / 20) ||
                            work->failed > ideal->failed || work->inactive > ideal->inactive;
    }
}

/* A transmitter is on a victim's way. */
static bool is_on_path(struct stand *stand, const struct measure_hop *hop)
{
    bool found = false;
    for (uint32_t i = 0; i < stand->members.count && !found; i++) {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM workload_way WHERE workload=%u AND node=%lld AND port=%lld"
                 " AND priority=%lld",
                 stand->members.rows[i].workload, (long long)hop->node, (long long)hop->port,
                 (long long)hop->priority);
        found = stand->victims[i] && store_ask_int(record_store(stand->run.record), sql, 0) > 0;
    }
    return found;
}

static struct prove_impact impact_of(struct stand *stand, const struct measure *measure,
                                     const struct trial_change *but)
{
    struct prove_impact impact = {.lossless_drops = measure->lossless_drops,
                                  .drops = measure->drops};
    for (uint32_t i = 0; i < stand->members.count; i++) {
        const int64_t p99_ps = measure->workloads[stand->members.rows[i].workload].p99_ps;
        if (!stand->victims[i] || takes_from(stand, but, i))
            continue;
        impact.lost_ps += loss_between(&measure->works[i], &stand->ideal.works[i]).lost_ps;
        impact.done += measure->works[i].done;
        impact.failed += measure->works[i].failed;
        impact.inactive += measure->works[i].inactive;
        if (impact.p99_ps < p99_ps)
            impact.p99_ps = p99_ps;
    }
    for (uint32_t i = 0; i < stand->hops.count; i++)
        if (is_on_path(stand, &stand->hops.rows[i]))
            impact.stopped_ps += measure->stopped_ps[i];
    return impact;
}

static void assert_impact(const struct prove_impact *is, struct prove_impact expected)
{
    assert_int_equal(is->lost_ps, expected.lost_ps);
    assert_int_equal(is->done, expected.done);
    assert_int_equal(is->p99_ps, expected.p99_ps);
    assert_int_equal(is->stopped_ps, expected.stopped_ps);
    assert_int_equal(is->failed, expected.failed);
    assert_int_equal(is->inactive, expected.inactive);
    assert_int_equal(is->lossless_drops, expected.lossless_drops);
    assert_int_equal(is->drops, expected.drops);
}

/* Of the members of a workload that are victims; false: none is. */
static bool sum_victims(struct stand *stand, uint32_t workload, int64_t *lost, int64_t *whole)
{
    bool any = false;
    *lost = *whole = 0;
    for (uint32_t i = 0; i < stand->members.count; i++) {
        if (stand->members.rows[i].workload != workload || !stand->victims[i])
            continue;
        any = true;
        *lost += loss_between(&stand->original.works[i], &stand->ideal.works[i]).lost_ps;
        *whole += loss_between(&stand->original.works[i], &stand->ideal.works[i]).whole_ps;
    }
    return any;
}

static void check_victims(struct stand *stand)
{
    const struct prove *prove = &stand->prove;
    uint32_t count = 0, listed = 0;
    int64_t lost, whole;
    for (uint32_t i = 0; i < stand->scenario->workload_count; i++) {
        if (!sum_victims(stand, i, &lost, &whole))
            continue;
        count++;
        for (uint32_t k = 0; k < prove->victim_count && k < PROVE_VICTIMS_MAX; k++) {
            if (strcmp(prove->victims[k].name, stand->scenario->workloads[i].name) != 0)
                continue;
            listed++;
            assert_int_equal(prove->victims[k].lost_ps, lost);
            assert_int_equal(prove->victims[k].under_way_ps, whole);
        }
    }
    assert_int_equal(prove->victim_count, count);
    assert_int_equal(listed, count < PROVE_VICTIMS_MAX ? count : PROVE_VICTIMS_MAX);
    for (uint32_t k = 1; k < listed; k++)
        assert_true(prove->victims[k - 1].lost_ps >= prove->victims[k].lost_ps);
    for (uint32_t i = 0; listed > 0 && i < stand->scenario->workload_count; i++)
        if (sum_victims(stand, i, &lost, &whole)) /* the one that lost most is listed */
            assert_true(listed == count || lost <= prove->victims[0].lost_ps);
}

static void check_rows(struct stand *stand)
{
    const struct prove *prove = &stand->prove;
    uint32_t culprits = 0, transmitters = 0;
    for (uint32_t i = 0; i < prove->row_count; i++) {
        const struct prove_row *row = &prove->rows[i];
        struct measure measure = play_repaired_one(stand, i);
        char text[PROVE_WORDS_BYTES];
        trial_words(&row->repair, &stand->base, text, sizeof text);
        assert_string_equal(row->text, text);
        assert_impact(&row->before, impact_of(stand, &stand->original, &row->repair));
        assert_impact(&row->after, impact_of(stand, &measure, &row->repair));
        measure_free(&measure);
        culprits += row->culprit;
        for (uint32_t k = 0; k < i; k++)
            assert_false(trial_change_equal(&row->repair, &prove->rows[k].repair));
    }
    for (uint32_t i = 0; i < stand->hops.count; i++)
        transmitters += is_on_path(stand, &stand->hops.rows[i]);
    assert_int_equal(prove->culprits, culprits);
    assert_int_equal(prove->transmitters, transmitters);
    assert_impact(&prove->before, impact_of(stand, &stand->original, NULL));
}

static struct measure play_without(struct stand *stand, uint32_t but)
{
    bool rows[PROVE_SUSPECTS_MAX + PROVE_OTHERS_MAX] = {false};
    for (uint32_t i = 0; i < stand->prove.row_count; i++)
        rows[i] = stand->prove.rows[i].culprit && i != but;
    return play_repaired(stand, rows);
}

static double gone_without(struct stand *stand, uint32_t but)
{
    struct measure measure = play_without(stand, but);
    const struct prove_impact after = impact_of(stand, &measure, NULL);
    measure_free(&measure);
    return prove_gone(&stand->prove, &stand->prove.before, &after);
}

static void check_culprits(struct stand *stand)
{
    const struct prove *prove = &stand->prove;
    assert_true(gone_without(stand, UINT32_MAX) >= 0.9);
    assert_true(prove_gone(prove, &prove->before, &prove->after) >= 0.9);
    for (uint32_t i = 0; i < prove->row_count; i++)
        assert_true(!prove->rows[i].culprit || gone_without(stand, i) < 0.9);
}

/* Each host of a culprit lost as much as the run with this culprit alone shows. */
static void check_hosts(struct stand *stand)
{
    const struct measure_member *members = stand->members.rows;
    struct measure without = play_without(stand, UINT32_MAX);
    for (uint32_t i = 0; i < stand->prove.row_count; i++) {
        const struct prove_row *row = &stand->prove.rows[i];
        struct measure with = play_without(stand, i);
        assert_true(row->hosts.count > 0 || !row->culprit);
        for (uint32_t k = 0; k < row->hosts.count; k++) {
            const struct prove_host *host = &row->hosts.list[k];
            int64_t lost = 0;
            for (uint32_t m = 0; m < stand->members.count; m++)
                if (members[m].workload == host->workload && members[m].from == host->host)
                    lost += loss_between(&with.works[m], &without.works[m]).lost_ps;
            assert_int_equal(host->loss.lost_ps, lost);
        }
        measure_free(&with);
    }
    measure_free(&without);
}

/* What the others take less when one of the load is absent, of all that they take. */
static void check_load(struct stand *stand)
{
    for (uint32_t i = 0; i < stand->prove.row_count; i++) {
        const struct prove_row *row = &stand->prove.rows[i];
        struct measure measure = play_repaired_one(stand, i);
        int64_t less = 0, whole = 0;
        for (uint32_t k = 0; k < stand->members.count; k++) {
            const struct loss_work *was = &stand->original.works[k], *is = &measure.works[k];
            if (takes_from(stand, &row->repair, k))
                continue;
            less += loss_between(was, is).lost_ps - loss_between(is, was).lost_ps;
            whole += loss_between(was, is).whole_ps;
        }
        const double gone = prove_gone(&stand->prove, &row->before, &row->after);
        assert_true(whole == 0 ? gone == 0 : gone == (double)less / (double)whole);
        assert_false(row->culprit);
        measure_free(&measure);
    }
    assert_int_equal(stand->prove.culprits, 0);
    assert_int_equal(stand->prove.victim_count, 0);
    assert_int_equal(stand->prove.before.lost_ps, 0);
}

static struct stand *proved(const char *text)
{
    struct stand *stand = stand_of(text);
    assert_int_equal(prove_it(stand), PROVE_DONE);
    struct store *store = record_store(stand->run.record);
    measure_hops_read(&stand->hops, store);
    measure_members_read(&stand->members, store, stand->scenario->workload_count);
    measure_read(&stand->original, store, &stand->members, stand->scenario->workload_count,
                 &stand->hops);
    reckon_ideal(stand);
    reckon_victims(stand);
    if (stand->prove.repaired) {
        check_victims(stand);
        check_rows(stand);
        check_culprits(stand);
        check_hosts(stand);
    } else {
        check_load(stand);
    }
    return stand;
}

static const struct prove_row *row_of(const struct prove *prove, const char *text)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (strcmp(prove->rows[i].text, text) == 0)
            return &prove->rows[i];
    for (uint32_t i = 0; i < prove->row_count; i++)
        print_message("  %s %s%s%s: %.3f\n", prove_role_name(prove->rows[i].role),
                      prove->rows[i].text, prove->rows[i].culprit ? ", culprit" : "",
                      prove->rows[i].cause ? ", cause" : "",
                      prove_gone(prove, &prove->rows[i].before, &prove->rows[i].after));
    fail_msg("no row: %s", text);
    return NULL;
}

static void assert_row(const struct prove *prove, const char *text, enum prove_role role,
                       bool cause, bool culprit)
{
    const struct prove_row *row = row_of(prove, text);
    assert_int_equal(row->role, role);
    assert_int_equal(row->cause, cause);
    assert_int_equal(row->culprit, culprit);
}

static void a_culprit_alone_is_told_from_a_decoy(void **state)
{
    (void)state;
    struct stand *stand = proved(one_culprit);
    const struct prove *prove = &stand->prove;
    assert_true(prove->repaired);
    assert_row(prove, "slow-receiver at host0 from 20us, removed", PROVE_SUSPECT, true, true);
    assert_row(prove, "slow-receiver at host6 from 50us, removed", PROVE_SUSPECT, false, false);
    assert_row(prove, "c removed", PROVE_INNOCENT, false, false);
    assert_row(prove, "b removed", PROVE_BYSTANDER, false, false);
    assert_int_equal(prove->row_count, 4);
    assert_int_equal(prove->culprits, 1);
    assert_impact(&prove->after, prove->rows[0].after);
    take_down(stand);
}

static void two_together_are_a_set_of_which_none_can_be_missed(void **state)
{
    (void)state;
    struct stand *stand = proved(two_culprits);
    const struct prove *prove = &stand->prove;
    assert_true(prove->repaired);
    assert_row(prove, "slow-receiver at host0 from 20us, removed", PROVE_SUSPECT, true, true);
    assert_row(prove, "slow-receiver at host5 from 40us, removed", PROVE_SUSPECT, false, false);
    assert_row(prove, "host7 drains at line rate", PROVE_SUSPECT, false, true);
    assert_row(prove, "c removed", PROVE_INNOCENT, false, false);
    assert_int_equal(prove->culprits, 2);
    assert_string_equal(row_of(prove, "host7 drains at line rate")->hosts.list[0].name, "host1");
    take_down(stand);
}

static void where_nothing_is_broken_no_workload_is_a_culprit(void **state)
{
    (void)state;
    struct stand *stand = proved(congestion);
    const struct prove *prove = &stand->prove;
    assert_false(prove->repaired);
    assert_row(prove, "burst removed", PROVE_SUSPECT, true, false);
    assert_true(prove->vacuous);
    assert_row(prove, "both, traffic with host0 removed", PROVE_SUSPECT, true, false);
    assert_row(prove, "both, traffic with host5 removed", PROVE_SUSPECT, false, false);
    assert_row(prove, "beside removed", PROVE_SUSPECT, false, false);
    assert_row(prove, "far removed", PROVE_BYSTANDER, false, false);
    assert_int_equal(prove->row_count, 5);
    take_down(stand);
}

static void of_many_victims_those_that_lost_most_are_listed(void **state)
{
    (void)state;
    struct stand *stand = proved(many_victims);
    assert_true(stand->prove.victim_count > PROVE_VICTIMS_MAX);
    take_down(stand);
}

/* Nothing follows from a run that does not play to the same digest, or not at all. */
static void what_cannot_be_played_again_proves_nothing(void **state)
{
    (void)state;
    struct stand *stand = stand_of(one_culprit);
    struct store *store = record_store(stand->run.record);
    char digest[64], why[96];
    store_ask_text(store, "SELECT digest FROM meta", digest, sizeof digest);
    snprintf(why, sizeof why, "its digest is %s instead", digest);
    store_exec(store, "UPDATE meta SET digest='another'");
    assert_int_equal(prove_it(stand), PROVE_UNUSABLE);
    assert_non_null(strstr(stand->prove.why, why));
    assert_non_null(strstr(stand->prove.why, "instead of another"));
    assert_int_equal(stand->prove.row_count, 0);
    store_exec(store, "UPDATE source SET text='stormglass: 7'");
    assert_int_equal(prove_it(stand), PROVE_UNUSABLE);
    assert_string_equal(stand->prove.why, "its scenario cannot be loaded");
    take_down(stand);
}

static void roles_have_names(void **state)
{
    (void)state;
    assert_string_equal(prove_role_name(PROVE_SUSPECT), "suspect");
    assert_string_equal(prove_role_name(PROVE_INNOCENT), "innocent");
    assert_string_equal(prove_role_name(PROVE_BYSTANDER), "bystander");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_culprit_alone_is_told_from_a_decoy),
        cmocka_unit_test(two_together_are_a_set_of_which_none_can_be_missed),
        cmocka_unit_test(where_nothing_is_broken_no_workload_is_a_culprit),
        cmocka_unit_test(of_many_victims_those_that_lost_most_are_listed),
        cmocka_unit_test(what_cannot_be_played_again_proves_nothing),
        cmocka_unit_test(roles_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
