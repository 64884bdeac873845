/* SPDX-License-Identifier: Apache-2.0
 * Cyclic buffer dependency: found where the routes go round, and nowhere else. */
#include "scenarios/check/check.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "stormglass: 1\nname: test\nfabric:\n"
/* Five switches in a ring, a host at each: two switches further there is one shortest way. */
#define RING                                                                                       \
    "  topology: {kind: explicit, hosts: [h0, h1, h2, h3, h4], switches: [s0, s1, s2, s3, s4],\n"  \
    "    links: [{ends: [h0, s0]}, {ends: [h1, s1]}, {ends: [h2, s2]}, {ends: [h3, s3]},\n"        \
    "      {ends: [h4, s4]}, {ends: [s0, s1]}, {ends: [s1, s2]}, {ends: [s2, s3]},\n"              \
    "      {ends: [s3, s4]}, {ends: [s4, s0]}]}\n"
#define FLOW(kind, from, to)                                                                       \
    "  - {name: w" from to ", kind: " kind ", from: h" from ", to: h" to "}\n"
#define FLOWS(kind)                                                                                \
    FLOW(kind, "0", "2")                                                                           \
    FLOW(kind, "1", "3") FLOW(kind, "2", "4") FLOW(kind, "3", "0") FLOW(kind, "4", "1")
#define CYCLE "cyclic buffer dependency on priority "

static unsigned count_of(const char *text, enum diag_level level, const char *says)
{
    static struct diag diag;
    diag = (struct diag){0};
    const struct scenario_input input = {.name = "t.yaml", .text = text, .length = strlen(text)};
    struct scenario *scenario = scenario_load(&input, &diag);
    if (scenario == NULL)
        fail_msg("%s: %s", text, diag.messages[0].text);
    struct check_report report;
    check_scenario(scenario, &report);
    unsigned count = 0;
    for (size_t i = 0; i < report.count; i++)
        count += report.findings[i].level == level && strstr(report.findings[i].text, says) != NULL;
    check_free(&report);
    scenario_free(scenario);
    return count;
}

static void ring_is_found(void **state)
{
    (void)state;
    const char *text = HEAD RING "workloads:\n" FLOWS("rdma-write");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 1);
    assert_int_equal(count_of(text, DIAG_WARNING,
                              "priority 3: s4 -> s0 -> s1 -> s2 -> s3 -> s4 (flows h3 -> h0, "
                              "h4 -> h1, h0 -> h2, ...)"),
                     1);
    /* The acknowledgments go round the other way. */
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 1);
    assert_int_equal(count_of(text, DIAG_NOTE, "h2 -> h0 (no data)"), 1);
    /* Reads carry their data back, sends out, NVMe both ways. */
    text = HEAD RING "workloads:\n" FLOWS("rdma-read");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "3: s1 -> s0 -> s4"), 1);
    text = HEAD RING "workloads:\n" FLOWS("rdma-send");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "3: s4 -> s0 -> s1"), 1);
    text = HEAD RING "hosts: {defaults: {rnic: {profile: ideal}}, targets: {where: \"h*\", "
                     "namespaces: [{media: fixed}]}}\n"
                     "workloads: [{name: a, kind: nvme, from: \"h*\", to: \"h*\", pairing: "
                     "all-to-all, read: 50%}]\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 2);
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
}

/* One flow fewer, and there is a buffer that waits for nothing. */
static void open_ring_is_none(void **state)
{
    (void)state;
    const char *text = HEAD RING "workloads:\n" FLOW("rdma-write", "0", "2")
        FLOW("rdma-write", "1", "3") FLOW("rdma-write", "2", "4") FLOW("rdma-write", "3", "0");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
    text = HEAD RING "workloads: [{name: a, kind: rdma-write, from: \"h1..h4\", to: h0}]\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
}

/* A hop that does not pause breaks it, and so does one that takes the traffic for another class. */
static void lossy_hop_breaks_the_circle(void **state)
{
    (void)state;
    const char *text = HEAD RING "  overrides: [{where: s2, pfc: {priorities: [4]}}]\n"
                                 "workloads:\n" FLOWS("rdma-write");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
    text = HEAD RING "  overrides: [{where: s2-s3, pfc-enabled: none}]\n"
                     "workloads:\n" FLOWS("rdma-write");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    text = HEAD RING "  switch: {pfc: {priorities: [3, 4]}}\n"
                     "  overrides: [{where: s2, dscp: {26: 4}}]\n"
                     "workloads:\n" FLOWS("rdma-write");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    /* Another class that is lossless everywhere goes round as well. */
    text = HEAD RING "  switch: {pfc: {priorities: [3, 4]}, dscp: {26: 4}}\n"
                     "workloads:\n" FLOWS("rdma-write");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "4: s4 -> s0"), 1);
    /* So does one that the workloads choose; its ACKs are in it too, unless they have their own. */
    text = HEAD RING "  switch: {pfc: {priorities: [4]}}\n"
                     "workloads:\n" FLOWS("rdma-write, dscp: 32");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "4: s4 -> s0"), 1);
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE "4: "), 1);
    text = HEAD RING "  switch: {pfc: {priorities: [4]}}\n"
                     "hosts: {defaults: {rnic: {profile: ideal, ack-dscp: 48}}}\n"
                     "workloads:\n" FLOWS("rdma-write, dscp: 32");
    assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
    /* One flow in a class of its own leaves the ring open. */
    text =
        HEAD RING "workloads:\n" FLOW("rdma-write, dscp: 0", "0", "2") FLOW("rdma-write", "1", "3")
            FLOW("rdma-write", "2", "4") FLOW("rdma-write", "3", "0") FLOW("rdma-write", "4", "1");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
}

/* Switches with a host at each in a random tree, and six more links. */
static void draw_fabric(char *text, size_t size, uint32_t seed, const char *algorithm)
{
    enum { SWITCHES = 12, LINKS = 6 };
    size_t used = (size_t)snprintf(text, size,
                                   HEAD "  kind: infiniband\n  routing: {algorithm: %s}\n"
                                        "  topology: {kind: explicit, hosts: [",
                                   algorithm);
#define ADD(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)
    for (int i = 0; i < SWITCHES; i++)
        ADD("%sh%d", i > 0 ? ", " : "", i);
    ADD("], switches: [");
    for (int i = 0; i < SWITCHES; i++)
        ADD("%ss%d", i > 0 ? ", " : "", i);
    ADD("],\n    links: [{ends: [h0, s0]}");
    for (uint32_t i = 1; i < SWITCHES; i++)
        ADD(", {ends: [h%u, s%u]}, {ends: [s%u, s%u]}", i, i, i,
            (seed = seed * 1664525 + 1013904223, seed >> 16) % i);
    for (uint32_t i = 0; i < LINKS; i++) {
        seed = seed * 1664525 + 1013904223;
        const uint32_t a = (seed >> 16) % SWITCHES,
                       b = (a + 1 + (seed >> 24) % (SWITCHES - 1)) % SWITCHES;
        ADD(", {ends: [s%u, s%u]}", a, b);
    }
    ADD("]}\nworkloads: [{name: w, kind: rdma-write, from: \"h*\", to: \"h*\", pairing: "
        "all-to-all}, "
        "{name: r, kind: rdma-read, from: \"h*\", to: \"h*\", pairing: all-to-all}]\n");
#undef ADD
    assert_true(used < size);
}

/* Shortest paths of irregular fabrics have credit loops, paths up and then down have none, and
 * connect all hosts. */
static void paths_up_and_down_have_no_cycles(void **state)
{
    enum { FABRICS = 20 };
    unsigned looped = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= FABRICS; seed++) {
        char text[4096];
        draw_fabric(text, sizeof text, seed, "min-hop");
        looped += count_of(text, DIAG_WARNING, CYCLE) > 0;
        draw_fabric(text, sizeof text, seed, "up-down");
        assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
        assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
        assert_int_equal(count_of(text, DIAG_ERROR, ""), 0);
    }
    assert_in_range(looped, 5, FABRICS);
}

static void clos_is_clean(void **state)
{
    (void)state;
    static const char *const topologies[] = {
        "{kind: leaf-spine, leaves: 4, spines: 3, hosts-per-leaf: 2}", "{kind: fat-tree, k: 4}",
        "{kind: single-switch, hosts: 5}"};
    for (unsigned i = 0; i < sizeof topologies / sizeof topologies[0]; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "  topology: %s\nworkloads: [{name: w, kind: rdma-write, from: \"host*\", "
                      "to: \"host*\", pairing: all-to-all}, {name: r, kind: rdma-read, from: "
                      "\"host*\", to: \"host*\", pairing: all-to-all}]\n",
                 topologies[i]);
        assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
        assert_int_equal(count_of(text, DIAG_NOTE, CYCLE), 0);
    }
}

#define FOUR                                                                                       \
    "  topology: {kind: explicit, hosts: [h0, h1, h2, h3], switches: [s0, s1, s2, s3],\n"          \
    "    links: [{ends: [h0, s0]}, {ends: [h1, s1]}, {ends: [h2, s2]}, {ends: [h3, s3]},\n"        \
    "      {ends: [s0, s1]}, {ends: [s1, s2]}, {ends: [s2, s3]}, {ends: [s3, s0]}]}\n"

/* Hu et al., HotNets 2016: two flows, each three links around a ring of four. */
static void written_routes_are_followed(void **state)
{
    (void)state;
    const char *text = HEAD FOUR
        "  routes: [{at: s0, to: h3, via: s1}, {at: s1, to: h3, via: s2}, {at: s2, to: h3, via: "
        "s3},\n"
        "    {at: s2, to: h1, via: s3}, {at: s3, to: h1, via: s0}, {at: s0, to: h1, via: s1}]\n"
        "workloads:\n" FLOW("rdma-write", "0", "3") FLOW("rdma-write", "2", "1");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "3: s3 -> s0 -> s1 -> s2 -> s3 (flows "),
                     1);
    text = HEAD FOUR "workloads:\n" FLOW("rdma-write", "0", "3") FLOW("rdma-write", "2", "1");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    /* A loop of two. */
    text = HEAD FOUR "  routes: [{at: s0, to: h1, via: s3}, {at: s3, to: h1, via: s0}]\n"
                     "workloads:\n" FLOW("rdma-write", "0", "1");
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "3: s3 -> s0 -> s3 (flows h0 -> h1, ...)"),
                     1);
}

#define LEAVES                                                                                     \
    "  topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts-per-leaf: 2}\n  routing: "         \
    "{detection: 10us, convergence: 100us}\n"                                                      \
    "workloads: [{name: w, kind: rdma-write, from: \"host*\", to: \"host*\", pairing: "            \
    "all-to-all}]\n"

/* What goes down and up again after failures, at different leaves and by different spines: a
 * circle each way round. */
static void detours_after_failures_are_found(void **state)
{
    (void)state;
    const char *text = HEAD LEAVES "faults: [{at: 100us, kind: link-down, where: leaf0-spine0}]\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    text = HEAD LEAVES "faults: [{at: 100us, kind: link-down, where: leaf0-spine0}, {at: 200us, "
                       "kind: link-down, where: leaf3-spine1}]\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 2);
    assert_int_equal(count_of(text, DIAG_WARNING, "us on, a " CYCLE "3: "), 2);
    /* Once they are back, new routes are clean; one state is told once however often it returns. */
    text = HEAD LEAVES
        "faults: [{at: 100us, for: 9ms, kind: link-flap, period: 2ms, where: leaf0-spine0}, "
        "{at: 200us, kind: link-down, where: leaf3-spine1}]\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 2);
}

/* Classes that workloads chose, and pauses that stop them all. */
static void each_class_is_for_itself_unless_pauses_are_global(void **state)
{
    (void)state;
#define TWO_CLASSES                                                                                \
    "workloads:\n" FLOW("rdma-write", "0", "2") FLOW("rdma-write", "1", "3")                       \
        FLOW("rdma-write", "2", "4")                                                               \
            FLOW("rdma-write", "3",                                                                \
                 "0") "  - {name: x, kind: rdma-write, from: h4, to: h1, dscp: 34}\n"
    const char *text = HEAD RING "  switch: {pfc: {priorities: [3, 4]}}\n" TWO_CLASSES;
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE), 0);
    text = HEAD RING "  switch: {pfc: {priorities: [3, 4]}}\n"
                     "  overrides: [{where: \"s*\", flow-control: global}]\n" TWO_CLASSES;
    assert_int_equal(count_of(text, DIAG_WARNING, "dependency on all priorities: s4 -> s0"), 1);
    text =
        HEAD RING "  switch: {pfc: {priorities: [3, 4]}}\n"
                  "workloads:\n  - {name: x, kind: rdma-write, from: \"h*\", to: \"h*\", pairing: "
                  "all-to-all, dscp: 34}\n";
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "4: "), 2);
    assert_int_equal(count_of(text, DIAG_WARNING, CYCLE "3: "), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ring_is_found),
        cmocka_unit_test(open_ring_is_none),
        cmocka_unit_test(lossy_hop_breaks_the_circle),
        cmocka_unit_test(paths_up_and_down_have_no_cycles),
        cmocka_unit_test(clos_is_clean),
        cmocka_unit_test(written_routes_are_followed),
        cmocka_unit_test(detours_after_failures_are_found),
        cmocka_unit_test(each_class_is_for_itself_unless_pauses_are_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
