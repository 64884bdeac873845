/* SPDX-License-Identifier: Apache-2.0
 * test_prove_settings - whose setting it was: a few scenarios of which it is known. */
#include "replay/experiment/prove.h"
#include "replay/run/run.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define BEGIN                                                                                      \
    "stormglass: 1\n"                                                                              \
    "name: settings\n"                                                                             \
    "duration: 300us\n"                                                                            \
    "drain: 2ms\n"

#define TREE                                                                                       \
    "fabric:\n"                                                                                    \
    "  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 2}\n"

#define WRITES(name, from, to)                                                                     \
    "  - {name: " name ", kind: rdma-write, from: " from ", to: " to ", message-size: 16KiB,"      \
    " outstanding: 2, pairing: all-to-all}\n"

struct stand {
    struct diag diag;
    struct scenario *scenario;
    struct run run;
    struct prove prove;
};

static struct stand *proved(const char *text)
{
    struct stand *stand = calloc(1, sizeof *stand);
    assert_non_null(stand);
    const struct scenario_input input = {.name = "p.yaml", .text = text, .length = strlen(text)};
    const struct run_options options = {.until = TIME_NEVER};
    stand->scenario = scenario_load(&input, &stand->diag);
    diag_print(&stand->diag, stdout);
    assert_non_null(stand->scenario);
    assert_int_equal(run_scenario(&stand->run, stand->scenario, &options, &stand->diag), RUN_DONE);
    assert_int_equal(
        prove_run(&stand->prove, record_store(stand->run.record), false, false, &stand->diag),
        PROVE_DONE);
    return stand;
}

static void take_down(struct stand *stand)
{
    assert_true(run_close(&stand->run));
    scenario_free(stand->scenario);
    free(stand);
}

static const struct prove_row *row_of(const struct prove *prove, const char *name)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        if (strcmp(prove->rows[i].name, name) == 0)
            return &prove->rows[i];
    fail_msg("no suspect: %s", name);
    return NULL;
}

static double gone(const struct prove *prove, const char *name)
{
    const struct prove_row *row = row_of(prove, name);
    return prove_gone(prove, &row->before, &row->after);
}

/* What never arrives at leaf1 has lost all of its time; nothing of it passes leaf2. */
static void who_never_connects_has_lost_all_to_the_setting(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "  overrides: [{where: leaf1, mtu: 256B}, {where: leaf2, latency: 310ns}]\n"
                   "workloads:\n" WRITES("a", "host0", "host2") WRITES("b", "host0", "host6")
                       WRITES("c", "host4", "host5"));
    const struct prove *prove = &stand->prove;
    const struct prove_row *mtu = row_of(prove, "fabric.overrides[0].mtu");
    assert_string_equal(mtu->text, "fabric.overrides[0].mtu 256B -> 4200B at leaf1:p0 and 3 more");
    assert_true(mtu->culprit);
    assert_false(row_of(prove, "fabric.overrides[1].latency")->culprit);
    assert_true(gone(prove, "fabric.overrides[1].latency") < 0.01);
    assert_int_equal(prove->culprits, 1);
    assert_int_equal(prove->victim_count, 1);
    assert_int_equal(prove->victims[0].inactive, 1);
    assert_int_equal(prove->victims[0].lost_ps, prove->victims[0].under_way_ps);
    assert_int_equal(prove->all.inactive, 1);
    assert_int_equal(prove->before.inactive, 1);
    assert_int_equal(prove->after.inactive, 0);
    take_down(stand);
}

/* Two that stop different workloads are both named, and what helps is left as it is. */
static void two_settings_are_a_set(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "  overrides: [{where: leaf1, mtu: 256B}, {where: leaf3-spine0, rate: 1Gbps},\n"
                   "    {where: leaf3-spine1, rate: 1Gbps}, {where: leaf2, latency: 10ns}]\n"
                   "workloads:\n" WRITES("a", "host0", "host2") WRITES("b", "host0", "host6")
                       WRITES("c", "host4", "host1"));
    const struct prove *prove = &stand->prove;
    assert_true(row_of(prove, "fabric.overrides[0].mtu")->culprit);
    assert_true(row_of(prove, "fabric.overrides[1].rate")->culprit ||
                row_of(prove, "fabric.overrides[2].rate")->culprit);
    assert_false(row_of(prove, "fabric.overrides[3].latency")->culprit);
    assert_true(prove_gone(prove, &prove->before, &prove->after) >= 0.9);
    take_down(stand);
}

/* Of an entry that says three things the one that does the harm is named. */
static void of_an_entry_the_value_that_is_enough_is_named(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "  overrides: [{where: leaf1, latency: 310ns, mtu: 256B, alpha: 13%}]\n"
                   "workloads:\n" WRITES("a", "host0", "host2") WRITES("b", "host0", "host6"));
    const struct prove *prove = &stand->prove;
    const struct prove_row *mtu = row_of(prove, "fabric.overrides[0].mtu");
    assert_true(mtu->culprit);
    assert_true(mtu->repair.single);
    assert_int_equal(prove->culprits, 1);
    assert_true(gone(prove, "fabric.overrides[0].mtu") >= 0.9);
    assert_true(prove_gone(prove, &prove->before, &prove->after) >= 0.9);
    take_down(stand);
}

/* The same where it is not the first of them. */
static void of_an_entry_any_value_may_be_enough(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "  overrides: [{where: host2-leaf1, length: 12m, mtu: 256B}]\n"
                   "workloads:\n" WRITES("a", "host0", "host2") WRITES("b", "host0", "host6"));
    const struct prove *prove = &stand->prove;
    const struct prove_row *mtu = row_of(prove, "fabric.overrides[0].mtu");
    assert_true(mtu->culprit);
    assert_true(mtu->repair.single);
    assert_int_equal(prove->culprits, 1);
    assert_true(gone(prove, "fabric.overrides[0].mtu") >= 0.9);
    take_down(stand);
}

/* No setting that may be intended was repaired. */
static void assert_none_shared(const struct prove *prove)
{
    for (uint32_t i = 0; i < prove->row_count; i++)
        assert_false(prove->rows[i].for_all);
}

/* A class of its own is no mistake as long as something else explains the loss. */
static void a_plan_is_left_alone_where_a_setting_is_odd(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "  overrides: [{where: host2-leaf1, rate: 1Gbps}]\n"
                   "workloads:\n"
                   "  - {name: a, kind: rdma-write, from: host0, to: host2, dscp: 34}\n" WRITES(
                       "b", "host0", "host2") WRITES("c", "host4", "host2"));
    const struct prove *prove = &stand->prove;
    assert_true(row_of(prove, "fabric.overrides[0].rate")->culprit);
    assert_true(row_of(prove, "workloads.a.dscp")->tier == PROVE_PLANNED);
    assert_false(row_of(prove, "workloads.a.dscp")->culprit);
    assert_none_shared(prove);
    take_down(stand);
}

/* Nothing ends, and nothing differs that could be repaired: that is said, not "no harm". */
static void without_anything_to_repair_nothing_is_compared(void **state)
{
    (void)state;
    struct stand *stand = proved("stormglass: 1\n"
                                 "name: settings\n"
                                 "duration: 2us\n"
                                 "drain: 1us\n"
                                 "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
                                 "hosts: {defaults: {rnic: {profile: ideal}}}\n"
                                 "workloads:\n" WRITES("a", "host0", "host2"));
    assert_true(stand->prove.vacuous);
    assert_false(stand->prove.repaired);
    assert_int_equal(stand->prove.unfinished, 2);
    assert_int_equal(stand->prove.culprits, 0);
    assert_int_equal(stand->prove.by, PROVE_BY_NOTHING);
    take_down(stand);
}

/* What all have is looked at where the account of the run names it; what is merely written, only
 * where that is not enough. */
static void what_all_have_is_odd_by_what_happened(void **state)
{
    (void)state;
    struct stand *stand = proved(
        BEGIN TREE "hosts: {defaults: {rnic: {profile: ideal, ttl: 1, timeout: 8, rx-delay: 310ns,"
                   " cm-timeout: 100us, cm-retries: 2}}}\n"
                   "workloads:\n" WRITES("a", "host0", "host2"));
    const struct prove *prove = &stand->prove;
    assert_true(row_of(prove, "hosts.defaults.rnic.ttl")->culprit);
    assert_true(row_of(prove, "hosts.defaults.rnic.ttl")->repair.written);
    assert_none_shared(prove);
    assert_int_equal(prove->culprits, 1);
    take_down(stand);
    stand = proved(BEGIN TREE
                   "hosts: {defaults: {rnic: {profile: ideal, timeout: 8, rx-delay: 310ns}}}\n"
                   "workloads:\n" WRITES("a", "host0", "host2"));
    assert_true(stand->prove.vacuous);
    take_down(stand);
}

/* Either removal alone happens to avoid the timeouts of this run, but bit errors cause others when
 * workloads start a little later. */
static void a_cause_that_needs_luck_is_found_beside_a_sufficient_one(void **state)
{
    (void)state;
    struct stand *stand = proved(
        "stormglass: 1\nname: p\nseed: 1\nduration: 8ms\ndrain: 200ms\n"
        "fabric:\n"
        "  topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts-per-leaf: 6}\n"
        "  host-links: {rate: 50Gbps, length: 3m, mtu: 4200B}\n"
        "  fabric-links: {rate: 200Gbps, length: 30m, mtu: 9216B}\n"
        "  switch: {profile: shared-buffer-32mb, buffer: 8MB, pfc: {priorities: [3],"
        " headroom: auto}}\n"
        "hosts:\n"
        "  arrays: {where: \"host0..host2\", namespaces: [{media: {kind: fixed,"
        " read-latency: 80us, write-latency: 20us, parallel: 256}}]}\n"
        "workloads:\n"
        "  - {name: oltp, kind: nvme, from: \"host3..host11\", to: \"host0..host2\", read: 70%,"
        " block-size: 32KiB, queue-depth: 4, queues: 2}\n"
        "faults:\n"
        "  - {kind: pause-storm, where: host8, at: 2ms, for: 3ms}\n"
        "  - {kind: bit-errors, where: host5-leaf0, rate: 3e-7}\n");
    const struct prove_row *storm = row_of(&stand->prove, "faults.0"),
                           *errors = row_of(&stand->prove, "faults.1");
    assert_int_equal(stand->prove.culprits, 2);
    assert_true(storm->culprit && !storm->rare);
    assert_true(errors->culprit && errors->rare && errors->harm.permille >= 50);
    assert_int_equal(errors->harm.from, 5);
    assert_true(errors->hosts.count > 0);
    take_down(stand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_never_connects_has_lost_all_to_the_setting),
        cmocka_unit_test(two_settings_are_a_set),
        cmocka_unit_test(of_an_entry_the_value_that_is_enough_is_named),
        cmocka_unit_test(of_an_entry_any_value_may_be_enough),
        cmocka_unit_test(a_plan_is_left_alone_where_a_setting_is_odd),
        cmocka_unit_test(without_anything_to_repair_nothing_is_compared),
        cmocka_unit_test(what_all_have_is_odd_by_what_happened),
        cmocka_unit_test(a_cause_that_needs_luck_is_found_beside_a_sufficient_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
