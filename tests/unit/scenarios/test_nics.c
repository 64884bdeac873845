/* SPDX-License-Identifier: Apache-2.0
 * Which NICs of two hosts the queue pairs of a workload use. */
#include "scenarios/fabric/nics.h"

#include "rnic/host/rnic.h"
#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load_ending(const char *topology, const char *workload, const char *end)
{
    char text[1024];
    diag = (struct diag){0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nfabric: {topology: %s}\nworkloads: [{name: w, %s%s", topology,
             workload, end);
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    return scenario_load(&input, &diag);
}

static struct scenario *load(const char *topology, const char *workload)
{
    return load_ending(topology, workload, "}]\n");
}

/* "0-0 1-1 ": of each pair the NICs that its queue pairs use, in their turns. */
static const char *used_by(const struct scenario *scenario, char text[256])
{
    const struct scenario_workload *workload = &scenario->workloads[0];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        struct nic_pair nics[NICS_MAX];
        const uint32_t count = nics_used(scenario, workload, &workload->pairs[i], nics);
        for (uint32_t n = 0; n < count; n++)
            length +=
                (size_t)snprintf(text + length, 256 - length, "%u-%u ", nics[n].from, nics[n].to);
        length += (size_t)snprintf(text + length, 256 - length, "| ");
    }
    return text;
}

#define ONE    "{kind: single-switch, hosts: 4}"
#define SAME   "{kind: single-switch, hosts: 4, nics: 2}"
#define APART  "{kind: single-switch, hosts: 4, nics: 2, homing: fabrics}"
#define DUAL   "{kind: leaf-spine, leaves: 2, spines: 1, hosts-per-leaf: 2, nics: 2, homing: dual}"
#define WRITES "kind: rdma-write, from: host0, to: host1"
#define LINKS                                                                                      \
    "hosts: [host0, host1], switches: [s, t], links: [{ends: [host0, s]}, {ends: [host0, t]}, "    \
    "{ends: [host1, t]}]}"

static void queue_pairs_take_turns(void **state)
{
    static const struct {
        const char *topology, *workload, *used;
    } rows[] = {
        {ONE, WRITES ", qps: 4", "0-0 | "},
        {SAME, WRITES, "0-0 | "},
        {SAME, WRITES ", qps: 2", "0-0 1-1 | "},
        {SAME, WRITES ", qps: 5", "0-0 1-1 | "},
        {APART, WRITES ", qps: 3", "0-0 1-1 | "},
        {DUAL, WRITES ", qps: 2", "0-0 1-1 | "},
        {SAME, WRITES ", qps: 2, nic: 1", "1-0 1-1 | "},
        {APART, WRITES ", qps: 2, nic: 1", "1-1 | "},
        {SAME, WRITES ", qps: 2, nic: 1, peer-nic: 0", "1-0 | "},
        {APART, WRITES ", nic: 1, peer-nic: 0", "1-0 | "}, /* reaches nothing: check says so */
        /* Members of a workload: each host's NICs alike, at both ends. */
        {SAME, "kind: rdma-write, from: host0, to: host1..host3", "0-0 | 1-1 | 0-0 | "},
        {SAME, "kind: rdma-write, from: host1..host3, to: host0", "0-0 | 1-1 | 0-0 | "},
        {SAME, "kind: rdma-write, from: host0..host1, to: host2..host3, pairing: all-to-all",
         "0-0 | 1-1 | 1-1 | 0-0 | "},
        {SAME, "kind: rdma-write, from: host0..host1, to: host2..host3", "0-0 | 1-1 | "},
        /* Written links: a second one is used when that is asked for. */
        {"{kind: explicit, " LINKS, WRITES ", qps: 2", "0-0 | "},
        {"{kind: explicit, nics: 2, " LINKS, WRITES ", qps: 2", "1-0 | "},
        {"{kind: explicit, " LINKS, WRITES ", nic: 1", "1-0 | "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct scenario *scenario = load(rows[i].topology, rows[i].workload);
        if (scenario == NULL)
            fail_msg("%s: %s", rows[i].topology, diag.messages[0].text);
        if (strcmp(used_by(scenario, text), rows[i].used) != 0)
            fail_msg("%s %s: %s", rows[i].topology, rows[i].workload, text);
        scenario_free(scenario);
    }
}

/* Packets of an aggregate come by any member; who has one talks to all members of it. */
static void an_aggregate_is_one(void **state)
{
    static const struct {
        const char *topology, *hosts, *used;
    } rows[] = {
        {SAME, "host0..host1", "0-0 1-1 | "}, {SAME, "host0", "0-0 1-0 | "},
        {SAME, "host1", "0-0 0-1 | "},        {SAME, "host2", "0-0 | "},
        {DUAL, "host0..host1", "0-0 1-1 | "}, {APART, "host0..host1", "0-0 | "},
        {ONE, "host0..host1", "0-0 | "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256], workload[256];
        snprintf(workload, sizeof workload,
                 WRITES "}]\nhosts: {defaults: {rnic: {profile: ideal}}, s: {where: %s, rnic: "
                        "{lag: layer2}}}\nexpect: [",
                 rows[i].hosts);
        struct scenario *scenario = load_ending(rows[i].topology, workload, "]\n");
        if (scenario == NULL)
            fail_msg("%s: %s", rows[i].topology, diag.messages[0].text);
        if (strcmp(used_by(scenario, text), rows[i].used) != 0)
            fail_msg("%s %s: %s", rows[i].topology, rows[i].hosts, text);
        scenario_free(scenario);
    }
}

static void why_nics_are_apart(void **state)
{
    static const struct {
        const char *topology, *rnic, *why;
    } rows[] = {
        {SAME, "lag: layer2", NULL},
        {SAME, "lag: none", NULL},
        {SAME, "lag: layer2, software: true", "a software RNIC has no link aggregation"},
        {ONE, "lag: layer2", "it has one"},
        {APART, "lag: layer2", "they are in separate fabrics"},
        {"{kind: explicit, hosts: [host0, host1], switches: [s], links: [{ends: [host0, s]}, "
         "{ends: "
         "[host1, s]}, {ends: [host0, host1]}]}",
         "lag: layer2", "one of them is cabled to a host"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char workload[256];
        snprintf(workload, sizeof workload,
                 WRITES "}]\nhosts: {defaults: {rnic: {profile: ideal, %s}}}\nexpect: [",
                 rows[i].rnic);
        struct scenario *scenario = load_ending(rows[i].topology, workload, "]\n");
        if (scenario == NULL)
            fail_msg("%s: %s", rows[i].topology, diag.messages[0].text);
        const char *why = nics_why_apart(scenario, &scenario->nodes[0]);
        const bool one = i == 0;
        assert_int_equal(scenario->nodes[0].is_aggregate, one);
        if ((why == NULL) != (rows[i].why == NULL) ||
            (why != NULL && strcmp(why, rows[i].why) != 0))
            fail_msg("row %zu: %s", i, why == NULL ? "none" : why);
        scenario_free(scenario);
    }
}

static void what_is_not_there(void **state)
{
    static const struct {
        const char *topology, *workload, *says;
    } rows[] = {
        {ONE, WRITES ", nic: 1", "nic: host0 has no NIC 1 with a link: it has 1"},
        {SAME, WRITES ", peer-nic: 2", "peer-nic: host1 has no NIC 2 with a link: it has 2"},
        {SAME, WRITES ", nic: 8", "more than the maximum, 7"},
        {SAME,
         WRITES
         ", nic: 0}]\nhosts: {defaults: {rnic: {profile: ideal, lag: layer2}}}\nfaults: [{a: b",
         "nic: the NICs of host0 are aggregated by rnic.lag, which selects the NIC of each queue "
         "pair"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].topology, rows[i].workload));
        if (strstr(diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("%s gives: %s", rows[i].workload, diag.messages[0].text);
    }
}

/* A host with a slower link than most has the RNIC that it has where all links are as slow, with
 * the settings of hosts.defaults. */
static void the_rnic_follows_the_rate_of_the_link(void **state)
{
    static const char topology[] = "{kind: explicit, hosts: [a, b, c], switches: [s], links: ["
                                   "{ends: [a, s], rate: %s}, {ends: [b, s], rate: %s}, "
                                   "{ends: [c, s], rate: 25Gbps}]}";
    static const char end[] = "}]\nhosts: {defaults: {rnic: {path-mtu: 2048B}}}\n";
    static const char *const rates[] = {"100Gbps", "25Gbps"};
    const struct rnic_params *own[2] = {NULL};
    struct scenario *loaded[2] = {NULL};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[400];
        snprintf(text, sizeof text, topology, rates[i], rates[i]);
        loaded[i] = load_ending(text, "kind: rdma-write, from: a, to: b", end);
        assert_non_null(loaded[i]);
        own[i] = loaded[i]->nodes[scenario_find_node(loaded[i], "c")].host->rnic;
    }
    assert_int_equal(own[0]->line_rate, 25 * INT64_C(1000000000));
    assert_int_equal(own[0]->tx_delay, own[1]->tx_delay);
    assert_int_equal(own[0]->path_mtu, 2048);
    own[0] = loaded[0]->nodes[scenario_find_node(loaded[0], "a")].host->rnic;
    assert_int_equal(own[0]->line_rate, 100 * INT64_C(1000000000));
    assert_int_equal(own[0]->path_mtu, 2048);
    for (int i = 0; i < 2; i++)
        scenario_free(loaded[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_pairs_take_turns),
        cmocka_unit_test(an_aggregate_is_one),
        cmocka_unit_test(why_nics_are_apart),
        cmocka_unit_test(what_is_not_there),
        cmocka_unit_test(the_rnic_follows_the_rate_of_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
