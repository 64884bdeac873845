/* SPDX-License-Identifier: Apache-2.0
 * culprit - the generator. */
#include "tests/laws/truth/culprit.h"

#include "scenarios/load/load.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void culprit_add(struct culprit_draft *draft, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more =
        vsnprintf(draft->text + draft->used, CULPRIT_TEXT_BYTES - draft->used, format, arguments);
    va_end(arguments);
    draft->used += (size_t)more;
    assert_true(draft->used < CULPRIT_TEXT_BYTES);
}

unsigned culprit_between(struct culprit_draft *draft, unsigned low, unsigned high)
{
    return low + (unsigned)rng_below(&draft->rng, high - low + 1);
}

bool culprit_chance(struct culprit_draft *draft, unsigned percent)
{
    return rng_below(&draft->rng, 100) < percent;
}

const char *culprit_pick(struct culprit_draft *draft, const char *const *words)
{
    unsigned count = 0;
    while (words[count] != NULL)
        count++;
    return words[culprit_between(draft, 0, count - 1)];
}

static const char *const host_rates[] = {"10Gbps", "25Gbps", "40Gbps", "100Gbps", "200Gbps", NULL};
static const char *const fabric_rates[] = {"25Gbps",  "40Gbps",  "100Gbps",
                                           "200Gbps", "400Gbps", NULL};
static const char *const lengths[] = {"1m", "3m", "10m", "30m", "100m", "300m", NULL};

/* A tree of switches with hosts anywhere, each link with its own rate and length. */
static void add_tree(struct culprit_draft *draft)
{
    const unsigned switches = culprit_between(draft, 2, 8);
    draft->hosts = culprit_between(draft, 4, 20);
    culprit_add(draft, "  topology:\n    kind: explicit\n    hosts: [");
    for (unsigned i = 0; i < draft->hosts; i++)
        culprit_add(draft, "%shost%u", i == 0 ? "" : ", ", i);
    culprit_add(draft, "]\n    switches: [");
    for (unsigned i = 0; i < switches; i++)
        culprit_add(draft, "%ss%u", i == 0 ? "" : ", ", i);
    culprit_add(draft, "]\n    links:\n");
    for (unsigned i = 1; i < switches; i++)
        culprit_add(draft, "      - {ends: [s%u, s%u], rate: %s, length: %s, mtu: 9216B}\n", i,
                    culprit_between(draft, 0, i - 1), culprit_pick(draft, fabric_rates),
                    culprit_pick(draft, lengths));
    for (unsigned i = 0; i < draft->hosts; i++)
        culprit_add(draft, "      - {ends: [host%u, s%u], rate: %s, length: %s}\n", i,
                    culprit_between(draft, 0, switches - 1), culprit_pick(draft, host_rates),
                    culprit_pick(draft, lengths));
}

static void add_topology(struct culprit_draft *draft)
{
    switch (culprit_between(draft, 0, 3)) {
    case 0:
        draft->hosts = culprit_between(draft, 3, 16);
        culprit_add(draft, "  topology: {kind: single-switch, hosts: %u}\n", draft->hosts);
        break;
    case 1: {
        const unsigned leaves = culprit_between(draft, 2, 6), each = culprit_between(draft, 2, 6);
        draft->hosts = leaves * each;
        culprit_add(draft,
                    "  topology: {kind: leaf-spine, leaves: %u, spines: %u, hosts-per-leaf: %u}\n",
                    leaves, culprit_between(draft, 1, 4), each);
        break;
    }
    case 2: {
        const unsigned k = culprit_chance(draft, 75) ? 4 : 6;
        draft->hosts = k * k * k / 4;
        culprit_add(draft, "  topology: {kind: fat-tree, k: %u}\n", k);
        break;
    }
    default:
        add_tree(draft);
        break;
    }
}

static void add_switch(struct culprit_draft *draft)
{
    static const char *const profiles[] = {"shared-buffer-12mb", "shared-buffer-32mb",
                                           "shared-buffer-64mb", NULL};
    static const char *const alphas[] = {"6.25%", "12.5%", "50%", "100%", "800%", NULL};
    static const char *const headrooms[] = {"auto", "auto", "auto", "60KB", NULL};
    culprit_add(draft, "  host-links: {rate: %s, length: %s, mtu: 4200B}\n",
                culprit_pick(draft, host_rates), culprit_pick(draft, lengths));
    culprit_add(draft, "  fabric-links: {rate: %s, length: %s, mtu: 9216B}\n",
                culprit_pick(draft, fabric_rates), culprit_pick(draft, lengths));
    const bool small = culprit_chance(draft, 50);
    culprit_add(draft, "  switch: {profile: %s, ports: 1, pfc: {priorities: [3%s], headroom: %s}",
                culprit_pick(draft, profiles), !small && culprit_chance(draft, 30) ? ", 4" : "",
                culprit_pick(draft, headrooms));
    if (small)
        culprit_add(draft, ", buffer: %uMB", culprit_between(draft, 5, 8));
    if (culprit_chance(draft, 60))
        culprit_add(draft, ", alpha: %s", culprit_pick(draft, alphas));
    if (culprit_chance(draft, 25))
        culprit_add(draft, ", policy: static, xoff: %uKB", culprit_between(draft, 20, 200));
    if (culprit_chance(draft, 30))
        culprit_add(draft, ", ecn: {kmin: %uKB, kmax: 800KB, pmax: 20%%}",
                    culprit_between(draft, 20, 400));
    culprit_add(draft, ", forwarding: %s}\n",
                culprit_chance(draft, 50) ? "cut-through" : "store-and-forward");
}

/* Some hosts, never `but`. */
static void add_hosts(struct culprit_draft *draft, unsigned count, unsigned but)
{
    culprit_add(draft, "[");
    for (unsigned i = 0; i < count; i++) {
        unsigned host = culprit_between(draft, 0, draft->hosts - 1);
        if (host == but)
            host = (host + 1) % draft->hosts;
        culprit_add(draft, "%shost%u", i == 0 ? "" : ", ", host);
    }
    culprit_add(draft, "]");
}

/* One entry of workloads: from some hosts to one, or the other way round. */
static void add_load(struct culprit_draft *draft, unsigned number, unsigned host)
{
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send", NULL};
    const unsigned others =
        culprit_between(draft, 1, draft->hosts - 1 < 16 ? draft->hosts - 1 : 16);
    const bool to = culprit_chance(draft, 65);
    culprit_add(draft, "  - {name: w%u, from: ", number);
    if (to)
        add_hosts(draft, others, host);
    else
        culprit_add(draft, "host%u", host);
    culprit_add(draft, ", to: ");
    if (to)
        culprit_add(draft, "host%u", host);
    else
        add_hosts(draft, others, host);
    if (culprit_chance(draft, 50))
        culprit_add(draft,
                    ", kind: nvme, read: %u%%, block-size: %uKiB, queue-depth: %u, queues: %u",
                    culprit_between(draft, 0, 100), 4u << culprit_between(draft, 0, 6),
                    culprit_between(draft, 1, 32), culprit_between(draft, 1, 4));
    else
        culprit_add(draft, ", kind: %s, message-size: %uKiB, outstanding: %u",
                    culprit_pick(draft, kinds), 4u << culprit_between(draft, 0, 8),
                    culprit_between(draft, 1, 8));
    culprit_add(draft, ", pairing: all-to-all}\n");
}

static void add_fault(struct culprit_draft *draft, unsigned duration_us)
{
    culprit_add(draft, "faults:\n  - {at: %uus, ",
                culprit_between(draft, duration_us / 20, duration_us * 6 / 10));
    if (culprit_chance(draft, 85))
        culprit_add(draft, "for: %uus, ", culprit_between(draft, duration_us / 10, duration_us));
    draft->kind = culprit_chance(draft, 65) ? "slow-receiver" : "pause-storm";
    if (strcmp(draft->kind, "slow-receiver") == 0)
        culprit_add(draft, "kind: slow-receiver, drain: %u%%", culprit_between(draft, 0, 30));
    else
        culprit_add(draft, "kind: pause-storm, priority: %u",
                    culprit_chance(draft, 90) ? 3 : culprit_between(draft, 0, 7));
    culprit_add(draft, ", where: %s}\n", draft->name);
}

void culprit_draft(struct culprit_draft *draft, uint64_t seed, unsigned number)
{
    static const char *const controls[] = {"none", "dcqcn", "dcqcn-mlx5", NULL};
    static const char *const media[] = {"null", "fixed", "storage-class", NULL};
    *draft = (struct culprit_draft){.rng = rng_stream(seed + number, "root-cause", "scenario")};
    const unsigned duration_us = culprit_between(draft, 300, 1500);
    culprit_add(draft,
                "stormglass: 1\nname: cause-%u\nseed: %u\nduration: %uus\ndrain: 2ms\nfabric:\n",
                number, culprit_between(draft, 0, 1000000), duration_us);
    add_topology(draft);
    add_switch(draft);
    draft->culprit = culprit_between(draft, 0, draft->hosts - 1);
    snprintf(draft->name, sizeof draft->name, "host%u", draft->culprit);
    culprit_add(draft, "hosts:\n  defaults: {rnic: {profile: ideal, congestion-control: %s}}\n",
                culprit_pick(draft, controls));
    culprit_add(draft, "  targets: {where: \"host*\", namespaces: [{media: %s}]}\nworkloads:\n",
                culprit_chance(draft, 34) ? "\"null\"" : culprit_pick(draft, media + 1));
    add_load(draft, 0, draft->culprit);
    const unsigned loads = culprit_between(draft, 0, 6);
    for (unsigned i = 1; i <= loads; i++)
        add_load(draft, i, culprit_between(draft, 0, draft->hosts - 1));
    add_fault(draft, duration_us);
}

void culprit_run(struct run *run, const char *text, size_t length, struct scenario **scenario)
{
    struct diag *diag = calloc(1, sizeof *diag);
    assert_non_null(diag);
    const struct scenario_input input = {.name = "cause.yaml", .text = text, .length = length};
    const struct run_options options = {.until = TIME_NEVER};
    *run = (struct run){0};
    *scenario = scenario_load(&input, diag);
    const enum run_end end =
        *scenario == NULL ? RUN_REFUSED : run_scenario(run, *scenario, &options, diag);
    if (end != RUN_DONE) {
        diag_print(diag, stdout);
        print_message("%s\n%s", run->error, text);
    }
    assert_int_equal(end, RUN_DONE);
    free(diag);
}

unsigned culprit_setting(const char *name, unsigned otherwise)
{
    const char *text = getenv(name);
    return text == NULL ? otherwise : (unsigned)atoi(text);
}
