/* SPDX-License-Identifier: Apache-2.0
 * test_trial_relax - every resource finds its parameters in their rows. */
#include "replay/experiment/trial_private.h"

#include "net/switch/buffer_kinds.h"
#include "net/switch/switch.h"
#include "scenarios/load/library.h"
#include "scenarios/load/load.h"
#include "tcp/tcp.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char all[] =
    "stormglass: 1\nname: all\nduration: 1ms\n"
    "fabric: {topology: {kind: single-switch, hosts: 3}}\n"
    "hosts:\n"
    "  defaults: {rnic: {profile: ideal, congestion-control: dcqcn, drain: 50Gbps, max-unacked: "
    "128,\n"
    "    interrupt-cost: 2us, message-cost: 10ns, pcie-generation: 3, pcie-lanes: 8,\n"
    "    register-fence: true}}\n"
    "  targets: {where: host0, target: {data-buffers: 64, data-wr-pool: 30},\n"
    "    namespaces: [{media: {kind: flash-tlc}, iops-limit: 9000}, {media: {kind: fixed}}]}\n"
    "workloads:\n"
    "  - {name: a, kind: nvme, from: host1, to: host0, queue-depth: 4, rate: 9,"
    " rate-limit: 10Mbps}\n"
    "  - {name: b, kind: rdma-send, from: host2, to: host1, outstanding: 1, receives: 20,"
    " receive-delay: 11us}\n"
    "faults:\n"
    "  - {at: 0s, kind: slow-receiver, where: host0, drain: 10%}\n"
    "  - {at: 0s, kind: pause-storm, where: host0}\n"
    "  - {at: 0s, kind: bit-errors, where: host0-switch0, rate: 1e-9}\n"
    "  - {at: 0s, kind: target-stall, where: host0}\n";

static struct diag diag;

static struct scenario *load(void)
{
    const struct scenario_input input = {.name = "t.yaml", .text = all, .length = sizeof all - 1};
    diag = (struct diag){0};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s", diag.messages[0].text);
    return scenario;
}

/* No parameter makes messages wait less behind larger ones: which of them share a connection is up
 * to the jobs of a workload. */
static void every_resource_is_relieved(void **state)
{
    (void)state;
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++) {
        if (i == BOTTLENECK_STREAM)
            continue;
        struct scenario *scenario = load();
        if (trial_relax(scenario, i, TRIAL_TENTH) == 0)
            fail_msg("nothing relieves %s", bottleneck_word(i));
        scenario_free(scenario);
    }
}

static void nothing_changes_nothing_but_what_is_switched_off(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    assert_int_equal(trial_relax(scenario, BOTTLENECK_LINK, TRIAL_UNCHANGED), 0);
    assert_int_equal(trial_relax(scenario, BOTTLENECK_MEDIA, TRIAL_UNCHANGED), 0);
    assert_int_equal(trial_relax(scenario, BOTTLENECK_DEPTH, TRIAL_UNCHANGED), 0);
    scenario_free(scenario);
}

static void words(enum bottleneck_resource resource, int64_t permille, const char *wanted)
{
    char text[600];
    struct scenario *scenario = load();
    const struct trial_change change = {
        .kind = TRIAL_RELAX, .resource = resource, .permille = permille};
    trial_relax_words(&change, scenario, text, sizeof text);
    if (strstr(text, wanted) == NULL)
        fail_msg("'%s' is not in '%s'", wanted, text);
    scenario_free(scenario);
}

static void words_say_what_becomes_of_each(void **state)
{
    (void)state;
    words(BOTTLENECK_LINK, TRIAL_TENTH, "fabric.host-links.rate 100Gbps -> 110Gbps");
    words(BOTTLENECK_DEPTH, TRIAL_TENTH, "workloads.a.queue-depth 4 -> 5");
    words(BOTTLENECK_DEPTH, TRIAL_TENTH, "workloads.b.outstanding 1 -> 2");
    words(BOTTLENECK_DEPTH, TRIAL_LIMITLESS, "workloads.a.queue-depth 4 -> 32");
    words(BOTTLENECK_CREDIT, TRIAL_TENTH, "workloads.b.receive-delay 11us -> 10us");
    words(BOTTLENECK_CREDIT, TRIAL_TENTH, "workloads.b.receives 20 -> 22");
    words(BOTTLENECK_RNIC, TRIAL_TENTH, "hosts.defaults.rnic.message-cost 10ns -> 9.09");
    words(BOTTLENECK_PCIE, TRIAL_TENTH, "hosts.defaults.rnic.pcie-lanes 8 -> 9");
    words(BOTTLENECK_WRS, TRIAL_TENTH, "data-wr-pool 30 -> 33");
    words(BOTTLENECK_WORKLOAD_LIMIT, TRIAL_TENTH, "workloads.a.rate-limit 10Mbps -> 11Mbps");
    words(BOTTLENECK_LIMIT, TRIAL_TENTH, "iops-limit 9000 -> 9900");
    words(BOTTLENECK_HOST_CPU, TRIAL_LIMITLESS, "hosts.defaults.nvme.submit-cost 1us -> 1ns");
    words(BOTTLENECK_RECEIVER, TRIAL_TENTH, "slow-receiver at host0 from 0s, removed");
    words(BOTTLENECK_RECEIVER, TRIAL_TENTH, "hosts.defaults.rnic.drain 50Gbps -> 55Gbps");
}

/* The switch's xoff: rows of a buffer policy are in a struct of their own. */
static int64_t xoff(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (size_t k = 0; scenario->nodes[i].kind == SCENARIO_SWITCH && k < BUFFER_POLICIES; k++) {
            const struct opt *rows = buffer_policies[k]->opts;
            const struct opt *row = rows == NULL ? NULL : opt_find(rows, "xoff");
            const void *params = scenario->nodes[i].switch_params->policy_params[k];
            if (row != NULL)
                return *opt_field(row, (void *)(uintptr_t)params);
        }
    fail_msg("no switch has an xoff");
    return 0;
}

static void rows_of_a_buffer_policy_are_changed(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    const int64_t before = xoff(scenario);
    trial_relax(scenario, BOTTLENECK_PAUSES, TRIAL_TENTH);
    assert_int_equal(xoff(scenario), before * 11 / 10);
    scenario_free(scenario);
}

static void rows_of_tcp_are_changed(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    const struct tcp_params *tcp = scenario->nodes[1].host->tcp, before = *tcp;
    trial_relax(scenario, BOTTLENECK_WINDOW, TRIAL_TENTH);
    assert_int_equal(tcp->receive_buffer_max, before.receive_buffer_max * 11 / 10);
    assert_int_equal(tcp->send_buffer, before.send_buffer * 11 / 10);
    assert_int_equal(tcp->copy_cost, before.copy_cost);
    trial_relax(scenario, BOTTLENECK_HOST_CPU, TRIAL_TENTH);
    assert_int_equal(tcp->copy_cost, before.copy_cost * 10 / 11);
    trial_relax(scenario, BOTTLENECK_CONGESTION, TRIAL_TENTH);
    assert_int_equal(tcp->initial_window, before.initial_window + 1);
    scenario_free(scenario);
}

static void a_scenario_is_read_again_with_another_seed(void **state)
{
    (void)state;
    struct scenario *scenario = load();
    struct scenario *again = library_load_again(scenario, NULL, 0, &diag);
    assert_non_null(again);
    assert_int_equal(again->seed, 1);
    scenario_free(again);
    static const char *const seed = "seed=9";
    again = library_load_again(scenario, &seed, 1, &diag);
    assert_non_null(again);
    assert_int_equal(again->seed, 9);
    assert_int_equal(again->workload_count, 2);
    scenario_free(again);
    scenario_free(scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_resource_is_relieved),
        cmocka_unit_test(nothing_changes_nothing_but_what_is_switched_off),
        cmocka_unit_test(words_say_what_becomes_of_each),
        cmocka_unit_test(rows_of_a_buffer_policy_are_changed),
        cmocka_unit_test(rows_of_tcp_are_changed),
        cmocka_unit_test(a_scenario_is_read_again_with_another_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
