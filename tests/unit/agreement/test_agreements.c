/* SPDX-License-Identifier: Apache-2.0
 * The settings that must agree on a path, counted by hand. Two leaves and a spine: three switches
 * and four links between hosts of different leaves. */
#include "scenarios/agreement/agreements.h"
#include "scenarios/check/check.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define FABRIC(kind)                                                                               \
    "stormglass: 1\nname: t\nfabric:\n  kind: " kind                                               \
    "\n  topology: {kind: leaf-spine, spines: 1, leaves: 2, hosts-per-leaf: 1}\n"
#define NVME(transport)                                                                            \
    "hosts: {targets: {where: host0, namespaces: [{media: fixed}]}}\n"                             \
    "workloads: [{name: w, kind: nvme, transport: " transport ", from: host1, to: host0}]\n"
enum { LINKS = 4, SWITCHES = 3 };

struct counted {
    const char *text, *transport;
    size_t settings;
    uint32_t places;
    const char *has, *lacks; /* names of settings */
};

static const struct agreement *find(const struct agreements *of, const char *name)
{
    for (size_t i = 0; i < of->count; i++)
        if (strcmp(of->settings[i].row->name, name) == 0)
            return &of->settings[i];
    return NULL;
}

static void assert_counted(const struct counted *one)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {
        .name = "t.yaml", .text = one->text, .length = strlen(one->text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    struct arena arena = {0};
    struct agreements *all;
    if (scenario == NULL)
        fail_msg("%s: %s", one->text, diag.messages[0].text);
    assert_int_equal(agreements_of(scenario, &arena, &all), 1);
    assert_string_equal(all->transport, one->transport);
    assert_int_equal(all->switches, SWITCHES);
    if (find(all, one->has) == NULL || find(all, one->lacks) != NULL)
        fail_msg("%s: has %s, or lacks %s", one->text, one->lacks, one->has);
    if (all->count != one->settings || all->values != one->places)
        fail_msg("%s: %zu settings in %u places", one->text, all->count, all->values);
    arena_free(&arena);
    scenario_free(scenario);
}

/* Each link has rate, FEC and MTU; a lossless class also flow control and the priorities of PFC at
 * both ends; each switch the lossless priorities, and with ECN three thresholds; hosts path MTU,
 * RoCE version, PFC and its priorities; hosts and switches DSCP, priority and the DSCP of CNPs. */
static void each_transport(void **state)
{
    (void)state;
    enum { LINK = 2 * LINKS, HOSTS = 2, ALL = HOSTS + SWITCHES };
    static const struct counted cases[] = {
        {FABRIC("ethernet") NVME("rdma"), "roce-v2", 16,
         5 * LINK + 4 * SWITCHES + 4 * HOSTS + 3 * ALL, "pfc-priorities", "tcp-tls"},
        {FABRIC(
             "ethernet") "hosts: {defaults: {rnic: {congestion-control: none}}, targets: {where: "
                         "host0, namespaces: [{media: fixed}]}}\n"
                         "workloads: [{name: w, kind: nvme, from: host1, to: host0}]\n",
         "roce-v2", 12, 5 * LINK + SWITCHES + 4 * HOSTS + 2 * ALL, "dscp", "ecn-kmax"},
        {FABRIC("ethernet") NVME("tcp"), "tcp", 3, 3 * LINK, "mtu", "pfc-priorities"},
        {FABRIC("ethernet") "hosts: {defaults: {nvme: {tcp-tls: true}}, targets: {where: host0, "
                            "namespaces: [{media: fixed}]}}\n"
                            "workloads: [{name: w, kind: nvme, transport: tcp, from: host1, to: "
                            "host0}]\n",
         "tcp", 4, 3 * LINK + HOSTS, "tcp-tls", "dscp"},
        {FABRIC("infiniband") NVME("rdma"), "infiniband", 4, 3 * LINK + HOSTS, "path-mtu", "dscp"},
        {FABRIC("fibre-channel") NVME("fc"), "fc", 3, 3 * LINK, "mtu", "path-mtu"},
        {FABRIC("fibre-channel") "  host-links: {bb-sc-n: 4}\n" NVME("fc"), "fc", 4, 4 * LINK,
         "bb-sc-n", "path-mtu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_counted(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_transport)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
