/* SPDX-License-Identifier: Apache-2.0
 * Which values of a host `check` reports because they differ from its peers. */
#include "tests/unit/check/findings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#define HOSTS(odd)                                                                                 \
    "stormglass: 1\nname: test\nfabric: {topology: {kind: single-switch, hosts: 8}}\nhosts:\n"     \
    "  defaults: {transport: tcp}\n"                                                               \
    "  targets: {where: \"host0..host1\", namespaces: [{media: storage-class-gen2}]}\n" odd        \
    "workloads: [{name: w, kind: nvme, from: \"host2..host6\", to: \"host0..host1\"}]\n"
#define FINDING(odd, says, things)                                                                 \
    {                                                                                              \
        HOSTS(odd), "peers", DIAG_WARNING, says, things                                            \
    }

static void values_that_take_time_from_operations(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        /* Four times worse, in the direction of the row, at a host with traffic. */
        FINDING("  odd: {where: host4, tcp: {interrupt-delay: 40us}}\n",
                "interrupt-delay is 40us, but peers have 10us", 1),
        FINDING("  odd: {where: host4, tcp: {interrupt-delay: 39us}}\n", "", 0),
        FINDING("  odd: {where: host4, tcp: {interrupt-delay: 2us}}\n", "", 0),
        FINDING("  odd: {where: [host4, host5], tcp: {interrupt-delay: 40us}}\n",
                "interrupt-delay is 40us, but peers have 10us", 2),
        FINDING("  odd: {where: host7, tcp: {interrupt-delay: 40us}}\n", "", 0), /* idle */
        /* The value 0 turns GRO off. */
        FINDING("  odd: {where: host4, tcp: {gro-size: 0B}}\n",
                "gro-size is 0B, but peers have 64KiB", 1),
        /* A limit that the peers do not have: 0 means no limit. */
        FINDING("  odd: {where: host4, tcp: {cores: 1}}\n", "cores is 1, but peers have", 1),
    };
    assert_findings(cases, sizeof cases / sizeof cases[0]);
}

static void buffers_differ_by_ten_and_policies_at_will(void **state)
{
    (void)state;
    static const struct findings_case cases[] = {
        FINDING("  odd: {where: host4, tcp: {receive-buffer-max: 512KiB}}\n",
                "receive-buffer-max is 512KiB, but peers have 6MiB", 1),
        FINDING("  odd: {where: host4, tcp: {receive-buffer-max: 1MiB}}\n", "", 0),
        FINDING("  odd: {where: host4, tcp: {retries: 1, time-wait: 1s}}\n", "", 0),
        /* An RNIC that no traffic uses. */
        FINDING("  odd: {where: host4, rnic: {completions: interrupt, interrupt-cost: 1ms}}\n", "",
                0),
    };
    assert_findings(cases, sizeof cases / sizeof cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_take_time_from_operations),
        cmocka_unit_test(buffers_differ_by_ten_and_policies_at_will),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
