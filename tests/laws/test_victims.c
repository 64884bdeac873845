/* SPDX-License-Identifier: Apache-2.0
 * Classes of victims on three leaves around one spine; host0 on leaf0 takes nothing any more.
 *   leaf0: host0 host1 host2   leaf1: host3 host4 host5   leaf2: host6 host7 host8 */
#include "replay/run/run.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "stormglass: 1\nname: victims\nseed: 1\nduration: 3ms\ndrain: 3ms\n"
    "fabric:\n"
    "  topology: {kind: leaf-spine, leaves: 3, spines: 1, hosts-per-leaf: 3}\n"
    "  host-links: {rate: 100Gbps, length: 3m, mtu: 4200B}\n"
    "  fabric-links: {rate: 100Gbps, length: 10m, mtu: 4200B}\n"
    "  switch: {buffer: 4MB, ports: 1, policy: static, xoff: 50KB, pfc: {priorities: [3]}}\n"
    "hosts: {defaults: {rnic: {profile: ideal, congestion-control: none}}}\n"
    "workloads:\n"
    "  - {name: to-culprit, kind: rdma-write, from: host3, to: host0, message-size: 1MiB, "
    "outstanding: 4}\n"
    "  - {name: from-talker, kind: rdma-write, from: host3, to: host6, message-size: 64KiB, "
    "outstanding: 1}\n"
    "  - {name: shares-a-port, kind: rdma-write, from: host4, to: host1, message-size: 64KiB, "
    "outstanding: 1}\n"
    "  - {name: elsewhere, kind: rdma-write, from: host7, to: host8, message-size: 64KiB, "
    "outstanding: 1}\n"
    "faults: [{at: 100us, for: 2ms, kind: slow-receiver, where: host0, drain: 0%}]\n";

static void victims_are_in_the_class_of_their_distance(void **state)
{
    (void)state;
    static const char *const classes[] = {"direct", "indirect", "same-path", NULL};
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct scenario_input input = {
        .name = "victims.yaml", .text = text, .length = sizeof text - 1};
    struct scenario *scenario = scenario_load(&input, diag);
    assert_non_null(scenario);
    struct run run;
    const struct run_options options = {.until = TIME_NEVER};
    assert_int_equal(run_scenario(&run, scenario, &options, diag), RUN_DONE);
    assert_string_equal(run.result.cause.node, "host0");
    assert_true(run.result.cause.sure);
    assert_int_equal(run.result.workload_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        const struct result_workload *workload = &run.result.workloads[i];
        print_message("%s: %s, %lld ps\n", workload->name,
                      workload->victim == NULL ? "no victim" : workload->victim,
                      (long long)workload->held_ps);
        assert_int_equal(workload->victim == NULL, classes[i] == NULL);
        if (classes[i] != NULL)
            assert_string_equal(workload->victim, classes[i]);
        assert_int_equal(workload->held_ps > 0, classes[i] != NULL);
    }
    struct store *store = record_store(run.record);
    assert_int_equal(store_ask_int(store, "SELECT count(*) FROM victim WHERE cause=0", 0), 3);
    char hosts[200];
    store_ask_text(store,
                   "SELECT group_concat(name||' '||class, ', ') FROM (SELECT n.name, class FROM"
                   " victim JOIN node n USING(node) WHERE cause=0 ORDER BY node, workload)",
                   hosts, sizeof hosts);
    assert_string_equal(hosts, "host3 direct, host3 indirect, host4 same-path");
    assert_true(run_close(&run));
    scenario_free(scenario);
    free(diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(victims_are_in_the_class_of_their_distance)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
