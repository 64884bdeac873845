/* SPDX-License-Identifier: Apache-2.0
 * What a workload takes from its hosts: I/O queues, and the transport. */
#include "scenarios/load/load.h"

#include "scenarios/workload/wl_nvme.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEAD                                                                                       \
    "stormglass: 1\nname: test\n"                                                                  \
    "fabric: {topology: {kind: single-switch, hosts: 4}}\n"                                        \
    "hosts: {defaults: {rnic: {profile: ideal}, nvme: {queues: 3}}, targets: {where: host0, "      \
    "namespaces: [{}]},\n"                                                                         \
    "        big: {where: host3, nvme: {queues: 8}}}\n"

static struct diag diag;

/* Those of its hosts, nvme.queues, where it does not say how many. */
static void a_workload_has_the_queues_of_its_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *from, *says;
        int64_t queues;
    } cases[] = {
        {"\"host1..host2\"", "", 3},
        {"host3", "", 8},
        {"\"host2..host3\"", ", queues: 2", 2},
        {"\"host2..host3\"", "", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%sworkloads: [{name: w, kind: nvme, from: %s, to: host0%s}]\n",
                 HEAD, cases[i].from, cases[i].says);
        const struct scenario_input input = {
            .name = "t.yaml", .text = text, .length = strlen(text)};
        diag = (struct diag){0};
        struct scenario *scenario = scenario_load(&input, &diag);
        assert_int_equal(scenario != NULL, cases[i].queues > 0);
        if (scenario != NULL) {
            const struct wl_nvme_params *params = scenario->workloads[0].params;
            assert_int_equal(params->queues, cases[i].queues);
        }
        scenario_free(scenario);
    }
    assert_int_equal(diag.messages[0].place.line, 6);
    assert_string_equal(diag.messages[0].text,
                        "expected queues: host2 has nvme.queues 3, and host3 8");
}

/* The transport of hosts.defaults applies to NVMe workloads that do not set their own. */
static void a_workload_has_the_transport_of_the_defaults(void **state)
{
    (void)state;
    static const struct {
        const char *common, *kind, *own;
        bool by_tcp;
    } cases[] = {
        {"{}", "nvme, read: 50%", "", false},
        {"{}", "nvme, read: 50%", ", transport: tcp", true},
        {"{transport: tcp}", "nvme, read: 50%", "", true},
        {"{transport: tcp}", "nvme, read: 50%", ", transport: rdma", false},
        {"{transport: rdma}", "nvme, read: 50%", ", transport: tcp", true},
        {"{transport: tcp}", "rdma-write", "", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "stormglass: 1\nname: test\n"
                 "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                 "hosts: {defaults: %s, targets: {where: host0, namespaces: [{}]}}\n"
                 "workloads: [{name: w, kind: %s, from: host1, to: host0%s}]\n",
                 cases[i].common, cases[i].kind, cases[i].own);
        const struct scenario_input input = {
            .name = "t.yaml", .text = text, .length = strlen(text)};
        diag = (struct diag){0};
        struct scenario *scenario = scenario_load(&input, &diag);
        assert_non_null(scenario);
        assert_int_equal(scenario->workloads[0].by_tcp, cases[i].by_tcp);
        scenario_free(scenario);
    }
}

static void an_unknown_transport_of_the_defaults_is_an_error(void **state)
{
    (void)state;
    static const char text[] = "stormglass: 1\nname: test\n"
                               "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
                               "hosts: {defaults: {transport: udp}}\n"
                               "workloads: [{name: w, kind: rdma-write, from: host1, to: host0}]\n";
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    assert_null(scenario_load(&input, &diag));
    assert_int_equal(diag.messages[0].place.line, 4);
    assert_string_equal(diag.messages[0].text,
                        "transport: expected rdma, tcp, iscsi, fc or iwarp, but found \"udp\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workload_has_the_queues_of_its_hosts),
        cmocka_unit_test(a_workload_has_the_transport_of_the_defaults),
        cmocka_unit_test(an_unknown_transport_of_the_defaults_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
