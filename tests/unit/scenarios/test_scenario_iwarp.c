/* SPDX-License-Identifier: Apache-2.0
 * Scenarios with iWARP: values out of range, a fabric without TCP, settings without effect. */
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *parse(const char *text)
{
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

/* host1 connects to host0. */
static struct scenario *load(const char *fabric, const char *defaults)
{
    char text[1024];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}%s}\n"
             "hosts: {defaults: {%s},\n"
             "  targets: {where: host0, namespaces: [{}]}}\n"
             "workloads: [{name: w, kind: nvme, transport: iwarp, from: host1, to: host0}]\n",
             fabric, defaults);
    return parse(text);
}

/* host1 connects to host0 without NVMe. */
static struct scenario *load_plain(const char *fabric, const char *workload)
{
    char text[1024];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}%s}\n"
             "workloads:\n  - {name: w, from: host1, to: host0, transport: iwarp, %s}\n",
             fabric, workload);
    return parse(text);
}

static void a_bad_setting_is_a_located_error(void **state)
{
    static const struct {
        const char *fabric, *defaults;
        int line;
    } cases[] = {
        {"", "nvme: {iwarp-reads: 0}", 4},       {"", "nvme: {iwarp-reads: 129}", 4},
        {"", "target: {iwarp-crc: perhaps}", 4}, {"", "nvme: {iwarp-marker: true}", 4},
        {", kind: infiniband", "", 6},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(load(cases[i].fabric, cases[i].defaults));
        assert_int_equal(diag.messages[0].place.line, cases[i].line);
    }
}

static void iwarp_needs_no_other_setting(void **state)
{
    (void)state;
    struct scenario *scenario = load("", "");
    assert_non_null(scenario);
    assert_true(scenario->workloads[0].by_tcp);
    scenario_free(scenario);
}

/* RFC 5040 has SEND, WRITE and READ for any protocol above; immediate data is of RFC 7306. */
static void verbs_without_nvme_run_on_iwarp(void **state)
{
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send", "rdma-ping-pong"};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        char workload[64];
        snprintf(workload, sizeof workload, "kind: %s, shared-receives: 64", kinds[i]);
        struct scenario *scenario = load_plain("", workload);
        assert_non_null(scenario);
        assert_true(scenario->workloads[0].own_verbs && scenario->workloads[0].by_tcp);
        scenario_free(scenario);
    }
}

static void what_iwarp_cannot_carry_is_a_located_error(void **state)
{
    static const struct {
        const char *fabric, *workload, *expected;
    } cases[] = {
        {"", "kind: rdma-write, immediate: true", "immediate: false"},
        {"", "kind: rdma-send, immediate: true", "immediate: false"},
        {", kind: infiniband", "kind: rdma-write", "needs Ethernet"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(load_plain(cases[i].fabric, cases[i].workload));
        assert_int_equal(diag.messages[0].place.line, 5);
        assert_non_null(strstr(diag.messages[0].text, cases[i].expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bad_setting_is_a_located_error),
        cmocka_unit_test(iwarp_needs_no_other_setting),
        cmocka_unit_test(verbs_without_nvme_run_on_iwarp),
        cmocka_unit_test(what_iwarp_cannot_carry_is_a_located_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
