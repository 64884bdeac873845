/* SPDX-License-Identifier: Apache-2.0
 * Which NICs of two hosts the queue pairs of a workload use. */
#include "scenarios/fabric/nics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct diag diag;

static struct scenario *load(const char *topology, const char *workload)
{
    char text[1024];
    diag = (struct diag){0};
    snprintf(text, sizeof text,
             "stormglass: 1\nname: t\nfabric: {topology: %s}\nworkloads: [{name: w, %s}]\n",
             topology, workload);
    const struct scenario_input input = {.name = "t", .text = text, .length = strlen(text)};
    return scenario_load(&input, &diag);
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

static void what_is_not_there(void **state)
{
    static const struct {
        const char *topology, *workload, *says;
    } rows[] = {
        {ONE, WRITES ", nic: 1", "nic: host0 has no NIC 1 with a link: it has 1"},
        {SAME, WRITES ", peer-nic: 2", "peer-nic: host1 has no NIC 2 with a link: it has 2"},
        {SAME, WRITES ", nic: 8", "more than the maximum, 7"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(load(rows[i].topology, rows[i].workload));
        if (strstr(diag.messages[0].text, rows[i].says) == NULL)
            fail_msg("%s gives: %s", rows[i].workload, diag.messages[0].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queue_pairs_take_turns),
        cmocka_unit_test(what_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
