/* SPDX-License-Identifier: Apache-2.0
 * truth - the generator. */
#include "tests/laws/truth/truth.h"

#include <stdio.h>
#include <string.h>

enum { HOSTS_MAX = 12, LOADS_MAX = 8, LOAD_LEAST_PERCENT = 4, LOAD_MOST_PERCENT = 12 };

struct load {
    unsigned from, to;
    bool nvme;
};

struct make {
    struct truth *truth;
    struct culprit_draft *draft;
    unsigned duration_us, gbps, hosts_per_leaf; /* 0: one switch */
    struct load loads[LOADS_MAX];
    unsigned load_count;
    bool broken[HOSTS_MAX];
};

static void add_fabric(struct make *make)
{
    struct culprit_draft *draft = make->draft;
    make->gbps = culprit_chance(draft, 50) ? 25 : 100;
    if (culprit_chance(draft, 50)) {
        draft->hosts = culprit_between(draft, 4, 8);
        culprit_add(draft, "  topology: {kind: single-switch, hosts: %u}\n", draft->hosts);
    } else {
        const unsigned leaves = culprit_between(draft, 2, 3);
        make->hosts_per_leaf = culprit_between(draft, 2, 4);
        draft->hosts = leaves * make->hosts_per_leaf;
        culprit_add(draft,
                    "  topology: {kind: leaf-spine, leaves: %u, spines: %u, hosts-per-leaf: %u}\n",
                    leaves, culprit_between(draft, 1, 2), make->hosts_per_leaf);
    }
    culprit_add(draft,
                "  host-links: {rate: %uGbps, length: 3m, mtu: 4200B}\n"
                "  fabric-links: {rate: 100Gbps, length: 30m, mtu: 9216B}\n"
                "  switch: {profile: shared-buffer-12mb, policy: static, xoff: %uKB, pfc:"
                " {priorities: [3]}}\n",
                make->gbps, culprit_between(draft, 20, 100));
}

/* Open loop, each a small part of a host's link. */
static void add_load(struct make *make, unsigned number)
{
    struct culprit_draft *draft = make->draft;
    struct load *load = &make->loads[number];
    load->from = culprit_between(draft, 0, draft->hosts - 1);
    load->to = (load->from + culprit_between(draft, 1, draft->hosts - 1)) % draft->hosts;
    load->nvme = culprit_chance(draft, 50);
    const unsigned kib = 4u << culprit_between(draft, 0, 3);
    const unsigned percent = culprit_between(draft, LOAD_LEAST_PERCENT, LOAD_MOST_PERCENT);
    const unsigned rate =
        (unsigned)((uint64_t)make->gbps * 1000000000 / 100 * percent / (kib * 1024 * 8));
    culprit_add(draft, "  - {name: w%u, from: host%u, to: host%u, arrival: %s, rate: %u, ", number,
                load->from, load->to, culprit_chance(draft, 50) ? "poisson" : "paced", rate);
    if (load->nvme)
        culprit_add(draft,
                    "kind: nvme, read: %u%%, block-size: %uKiB, queue-depth: 64, queues: 2}\n",
                    culprit_between(draft, 0, 2) * 50, kib);
    else
        culprit_add(draft, "kind: %s, message-size: %uKiB, outstanding: 64}\n",
                    culprit_chance(draft, 60) ? "rdma-write" : "rdma-send", kib);
}

static void draw_loads(struct make *make)
{
    culprit_add(make->draft, "workloads:\n");
    make->load_count = culprit_between(make->draft, 4, LOADS_MAX);
    for (unsigned i = 0; i < make->load_count; i++)
        add_load(make, i);
}

static void add_window(struct make *make)
{
    culprit_add(make->draft, "  - {at: %uus, for: %uus, ",
                make->duration_us * culprit_between(make->draft, 10, 30) / 100,
                make->duration_us * culprit_between(make->draft, 20, 50) / 100);
}

static void add_link(struct make *make, unsigned host)
{
    if (make->hosts_per_leaf == 0)
        culprit_add(make->draft, "where: host%u-switch0}\n", host);
    else
        culprit_add(make->draft, "where: host%u-leaf%u}\n", host, host / make->hosts_per_leaf);
}

/* What it is that the host of that load does; it gets the load's data or is on its way. */
static void add_culprit(struct make *make, const struct load *load)
{
    static const char *const kinds[] = {"slow-receiver", "slow-receiver",  "pause-storm",
                                        "pause-storm",   "link-down",      "link-flap",
                                        "bit-errors",    "drop-every",     "random-loss",
                                        "target-stall",  "slow-by-nature", NULL};
    struct truth *truth = make->truth;
    struct culprit_draft *draft = make->draft;
    const char *kind = culprit_pick(draft, kinds);
    if (strcmp(kind, "target-stall") == 0 && !load->nvme)
        kind = "pause-storm";
    truth->culprit[truth->culprits].host = load->to;
    truth->culprit[truth->culprits].kind = kind;
    const bool by_nature = strcmp(kind, "slow-by-nature") == 0;
    truth->culprit[truth->culprits++].fault = by_nature ? -1 : (int)truth->faults++;
    make->broken[load->to] = true;
    if (by_nature)
        return;
    add_window(make);
    culprit_add(draft, "kind: %s, ", kind);
    if (strcmp(kind, "slow-receiver") == 0)
        culprit_add(draft, "drain: %u%%, where: host%u}\n", culprit_between(draft, 0, 2), load->to);
    else if (strcmp(kind, "pause-storm") == 0)
        culprit_add(draft, "priority: 3, where: host%u}\n", load->to);
    else if (strcmp(kind, "target-stall") == 0)
        culprit_add(draft, "where: host%u}\n", load->to);
    else if (strcmp(kind, "bit-errors") == 0)
        culprit_add(draft, "rate: 1e-5, ");
    else if (strcmp(kind, "drop-every") == 0)
        culprit_add(draft, "n: %u, ", culprit_between(draft, 3, 8));
    else if (strcmp(kind, "random-loss") == 0)
        culprit_add(draft, "rate: 0.%u, ", culprit_between(draft, 12, 33));
    else if (strcmp(kind, "link-flap") == 0)
        culprit_add(draft, "period: %uus, ", make->duration_us / 10);
    if (strncmp(kind, "link", 4) == 0 || strcmp(kind, "bit-errors") == 0 ||
        strcmp(kind, "drop-every") == 0 || strcmp(kind, "random-loss") == 0)
        add_link(make, load->to);
}

static void add_culprits(struct make *make)
{
    culprit_add(make->draft, "faults:\n");
    const unsigned count = culprit_chance(make->draft, 50) ? 1 : 2;
    const unsigned first = culprit_between(make->draft, 0, make->load_count - 1);
    for (unsigned i = 0; i < make->load_count && make->truth->culprits < count; i++) {
        const struct load *load = &make->loads[(first + i) % make->load_count];
        if (!make->broken[load->to])
            add_culprit(make, load);
    }
}

/* A culprit by nature drains more slowly than its load from the beginning to the end. */
static void add_hosts(struct make *make)
{
    static const char *const controls[] = {"none", "dcqcn", "dcqcn-mlx5", NULL};
    const struct truth *truth = make->truth;
    bool any = false;
    culprit_add(make->draft,
                "hosts:\n  defaults: {rnic: {profile: ideal, congestion-control: %s, timeout: 8}}\n"
                "  targets: {where: \"host*\", namespaces: [{media: \"null\"}]}\n",
                culprit_pick(make->draft, controls));
    for (unsigned i = 0; i < truth->culprits; i++)
        if (truth->culprit[i].fault < 0) {
            culprit_add(make->draft, "%s  - {where: host%u, rnic: {drain: %uMbps}}\n",
                        any ? "" : "  overrides:\n", truth->culprit[i].host,
                        make->gbps * 10 * LOAD_LEAST_PERCENT / 2);
            any = true;
        }
}

/* Adds a time in which nobody is kept waiting. */
static void add_moment(struct make *make)
{
    culprit_add(make->draft, "  - {at: %uus, for: %uns, ",
                make->duration_us * culprit_between(make->draft, 10, 80) / 100,
                culprit_between(make->draft, 50, 500));
}

static bool is_idle(const struct make *make, unsigned host)
{
    for (unsigned i = 0; i < make->load_count; i++)
        if (make->loads[i].from == host || make->loads[i].to == host)
            return false;
    return true;
}

static void add_decoy(struct make *make)
{
    struct culprit_draft *draft = make->draft;
    unsigned host = culprit_between(draft, 0, draft->hosts - 1);
    while (make->broken[host])
        host = (host + 1) % draft->hosts;
    make->broken[host] = true;
    make->truth->faults++;
    const unsigned what = culprit_between(draft, is_idle(make, host) ? 0 : 1, 5);
    if (what < 4)
        add_window(make);
    else
        add_moment(make);
    if (what == 0)
        culprit_add(draft, "kind: link-down, ");
    else if (what == 1)
        culprit_add(draft, "kind: pause-storm, priority: 5, where: host%u}\n", host);
    else if (what == 2)
        culprit_add(draft, "kind: bit-errors, rate: 1e-15, ");
    else if (what == 3)
        culprit_add(draft, "kind: drop-every, n: 1000000000, ");
    else if (what == 4)
        culprit_add(draft, "kind: slow-receiver, drain: 0%%, where: host%u}\n", host);
    else
        culprit_add(draft, "kind: target-stall, where: host%u}\n", host);
    if (what == 0 || what == 2 || what == 3)
        add_link(make, host);
}

void truth_draft(struct truth *truth, uint64_t seed, unsigned number)
{
    *truth = (struct truth){.draft.rng = rng_stream(seed + number, "truth", "scenario")};
    struct make make = {.truth = truth, .draft = &truth->draft};
    make.duration_us = culprit_between(make.draft, 1000, 2000);
    culprit_add(make.draft,
                "stormglass: 1\nname: truth-%u\nseed: %u\nduration: %uus\ndrain: 20ms\nfabric:\n",
                number, culprit_between(make.draft, 0, 1000000), make.duration_us);
    add_fabric(&make);
    draw_loads(&make);
    add_culprits(&make);
    const unsigned decoys = culprit_between(make.draft, 1, 2);
    for (unsigned i = 0; i < decoys; i++)
        add_decoy(&make);
    add_hosts(&make);
}
