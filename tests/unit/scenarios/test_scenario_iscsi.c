/* SPDX-License-Identifier: Apache-2.0
 * Scenarios with iSCSI: parameters of Login that exclude each other, features that it does not
 * carry, and the number of commands that both sides allow. */
#include "scenarios/carrier/nvme_carrier.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

/* host1 connects to host0; defaults and targets are written in lines 4 and 5. */
static struct scenario *load(const char *defaults, const char *targets, const char *own)
{
    char text[1024];
    snprintf(text, sizeof text,
             "stormglass: 1\nname: test\n"
             "fabric: {topology: {kind: single-switch, hosts: 2}}\n"
             "hosts: {defaults: {%s},\n"
             "  targets: {where: host0, %s}}\n"
             "workloads: [{name: w, kind: nvme, transport: iscsi, from: host1, to: host0%s}]\n",
             defaults, targets, own);
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    diag = (struct diag){0};
    return scenario_load(&input, &diag);
}

static void what_cannot_be_agreed_on_is_a_located_error(void **state)
{
    static const struct {
        const char *defaults, *targets, *own;
        int line;
        const char *text;
    } cases[] = {
        {"nvme: {iscsi-first-burst: 1MiB, iscsi-max-burst: 512KiB}", "namespaces: [{}]", "", 4,
         "'w': nvme.iscsi-first-burst of host1 is 1048576 B, more than its iscsi-max-burst: "
         "expected at most 524288 B"},
        {"", "target: {iscsi-first-burst: 512KiB}, namespaces: [{}]", "", 5,
         "'w': target.iscsi-first-burst of host0 is 524288 B, more than its iscsi-max-burst: "
         "expected at most 262144 B"},
        {"nvme: {iscsi-header-digest: true}",
         "target: {iscsi-header-digest: false}, namespaces: [{}]", "", 4,
         "'w': host1 requires a digest (nvme.iscsi-header-digest) that host0 does not support: "
         "expected target.iscsi-header-digest: true there, or no digest"},
        {"nvme: {iscsi-data-digest: true}", "target: {iscsi-data-digest: false}, namespaces: [{}]",
         "", 4,
         "'w': host1 requires a digest (nvme.iscsi-data-digest) that host0 does not support: "
         "expected target.iscsi-data-digest: true there, or no digest"},
        {"nvme: {iscsi-connections: 3}", "target: {iscsi-max-connections: 2}, namespaces: [{}]", "",
         4,
         "'w': nvme.iscsi-connections of host1 is 3, more than target.iscsi-max-connections of "
         "host0: expected at most 2"},
        {"nvme: {iscsi-connections: 0}", "namespaces: [{}]", "", 4,
         "iscsi-connections: 0 is less than the minimum, 1"},
        {"", "namespaces: [{pi-type: 1}]", "", 6,
         "'w': transport iscsi does not carry protection information (pi-type of a namespace): "
         "expected transport rdma or tcp"},
        {"", "namespaces: [{}]",
         ", count: none, subsystem: \"nqn.2014-08.org.nvmexpress.discovery\"", 6,
         "'w': transport iscsi does not carry the discovery subsystem (subsystem): expected "
         "transport rdma or tcp"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_null(load(cases[i].defaults, cases[i].targets, cases[i].own));
        assert_string_equal(diag.messages[0].text, cases[i].text);
        assert_int_equal(diag.messages[0].place.line, cases[i].line);
    }
}

static void digests_of_both_sides_agree(void **state)
{
    (void)state;
    struct scenario *scenario =
        load("nvme: {iscsi-header-digest: true, iscsi-data-digest: true}", "namespaces: [{}]", "");
    assert_non_null(scenario);
    assert_true(scenario->workloads[0].by_tcp);
    assert_int_equal(scenario->workloads[0].transport, NVME_CARRIER_iscsi);
    assert_string_equal(nvme_carrier_name(NVME_CARRIER_iscsi), "iscsi");
    scenario_free(scenario);
}

/* The least of the host's depth, its queue, the target's window and the target's queue. */
static void the_smallest_depth_applies(void **state)
{
    static const struct {
        const char *defaults, *targets;
        int64_t commands;
        const char *row;
    } cases[] = {
        {"", "namespaces: [{}]", 32, "nvme.iscsi-queue-depth"},
        {"nvme: {iscsi-queue-depth: 100}", "namespaces: [{}]", 64, "target.iscsi-window"},
        {"nvme: {queue-size: 16}", "namespaces: [{}]", 15, "nvme.queue-size"},
        {"", "target: {max-queue-size: 8}, namespaces: [{}]", 7, "target.max-queue-size"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scenario *scenario = load(cases[i].defaults, cases[i].targets, "");
        assert_non_null(scenario);
        const struct scenario_pair *pair = &scenario->workloads[0].pairs[0];
        const struct nvme_carrier_depth depth =
            nvme_carrier_depth(NVME_CARRIER_iscsi, scenario->nodes[pair->from].host->nvme_host,
                               scenario->nodes[pair->to].host->nvme_target);
        assert_int_equal(depth.commands, cases[i].commands);
        assert_string_equal(depth.row, cases[i].row);
        scenario_free(scenario);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_be_agreed_on_is_a_located_error),
        cmocka_unit_test(digests_of_both_sides_agree),
        cmocka_unit_test(the_smallest_depth_applies),
    };
    return cmocka_run_group_tests_name("scenario_iscsi", tests, NULL, NULL);
}
