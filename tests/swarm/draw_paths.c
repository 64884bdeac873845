/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_paths.h"

#include "draw_layer.h"
#include "draw_value.h"

enum {
    HOLD_US = 4000,   /* the longest that a fault keeps what was sent before it comes */
    CUT_US = 24000,   /* from one cut of a writer's path to the next */
    MARGIN_US = 4000, /* what retransmissions on a path that stays take, and the media */
};

/* What decides how late a command may be. */
struct load {
    unsigned writers, queues, depth;  /* of several paths */
    unsigned busy_queues, busy_depth; /* 0: nobody else is there */
    unsigned cores, cost_us;          /* of the target, and of a command */
    unsigned cuts, duration_us, nics; /* cuts: one after the other */
    bool fabrics;
};

static unsigned between(struct pen *pen, unsigned low, unsigned high)
{
    return draw_between(&pen->rng, low, high);
}

static bool once_in(struct pen *pen, unsigned times)
{
    return rng_below(&pen->rng, times) == 0;
}

#define PICK(pen, list) (list)[rng_below(&(pen)->rng, sizeof(list) / sizeof((list)[0]))]

static unsigned host_count(const struct load *load)
{
    return 1 + load->writers + 1;
}

/* One queue of the neighbor at two cores: of two paths one is behind it, and one is not. */
static void draw_load_of(struct pen *pen, struct load *load)
{
    static const unsigned few[] = {1, 1, 1, 2}, neighbors[] = {1, 1, 1, 1, 1, 1, 2, 0};
    static const unsigned cores[] = {2, 2, 2, 2, 3}, nics[] = {2, 2, 2, 2, 3};
    static const unsigned depths[] = {48, 64, 96, 127};
    load->writers = PICK(pen, few);
    load->queues = PICK(pen, few);
    load->depth = between(pen, 48, 96);
    load->cores = PICK(pen, cores);
    load->cost_us = between(pen, 60, 150);
    load->cuts = between(pen, 1, 5);
    load->duration_us = (load->cuts + 1) * CUT_US;
    load->nics = PICK(pen, nics);
    load->busy_queues = PICK(pen, neighbors);
    load->busy_depth = PICK(pen, depths);
}

/* All that can be at the target waits at one core: each I/O of a writer as often as it has paths,
 * and once more where it was sent again. */
static unsigned latest_us(const struct load *load)
{
    const unsigned own = load->writers * load->queues * load->depth * (load->nics + 1);
    return (own + load->busy_queues * load->busy_depth) * load->cost_us;
}

static void topology(struct pen *pen, struct load *load)
{
    load->fabrics = !once_in(pen, 3);
    script_add(pen->script, 2, "topology:");
    script_add(pen->script, 4, "kind: %s", load->fabrics ? "leaf-spine" : "single-switch");
    if (load->fabrics) {
        script_add(pen->script, 4, "leaves: 1");
        script_add(pen->script, 4, "spines: 1");
        script_add(pen->script, 4, "hosts-per-leaf: %u", host_count(load));
    } else
        script_add(pen->script, 4, "hosts: %u", host_count(load));
    script_add(pen->script, 4, "nics: %u", load->nics);
    script_add(pen->script, 4, "homing: %s", load->fabrics ? "fabrics" : "same");
}

static void hosts(struct pen *pen, const struct load *load)
{
    static const char *const policies[] = {"numa", "round-robin", "round-robin", "round-robin",
                                           "queue-depth"};
    static const char *const states[] = {"non-optimized", "inaccessible", "optimized"};
    static const char *const media[] = {"null", "fixed", "flash-tlc"};
    script_add(pen->script, 0, "hosts:");
    script_add(pen->script, 2, "defaults:");
    script_add(pen->script, 4, "rnic:");
    script_add(pen->script, 6, "congestion-control: %s", once_in(pen, 2) ? "none" : "dcqcn");
    if (pen->roce_v1)
        script_add(pen->script, 6, "roce-version: 1");
    script_add(pen->script, 6, "timeout: %u", between(pen, 6, 8));
    script_add(pen->script, 6, "retry-count: %u", between(pen, 0, 2));
    script_add(pen->script, 6, "cm-timeout: 1ms");
    script_add(pen->script, 6, "cm-retries: %u", between(pen, 1, 3));
    script_add(pen->script, 4, "nvme:");
    script_add(pen->script, 6, "io-policy: %s", PICK(pen, policies));
    script_add(pen->script, 6, "reconnect-delay: %ums", between(pen, 1, 12));
    script_add(pen->script, 6, "quiesce-delay: %uus", latest_us(load) + HOLD_US + MARGIN_US);
    if (once_in(pen, 4))
        script_add(pen->script, 6, "fast-io-fail-tmo: %ums", between(pen, 5, 50));
    if (once_in(pen, 4))
        script_add(pen->script, 6, "io-timeout: %ums", between(pen, 10, 100));
    if (once_in(pen, 2))
        script_add(pen->script, 6, "keep-alive: %ums", between(pen, 4, 100));
    if (once_in(pen, 4))
        script_add(pen->script, 6, "discovery: true");
    script_add(pen->script, 2, "targets:");
    script_add(pen->script, 4, "where: host0");
    script_add(pen->script, 4, "rnic:");
    script_add(pen->script, 6, "timeout: %u", between(pen, 11, 14));
    script_add(pen->script, 4, "target:");
    script_add(pen->script, 6, "cores: %u", load->cores);
    script_add(pen->script, 6, "command-cost: %uus", load->cost_us);
    if (once_in(pen, 3)) {
        script_add(pen->script, 4, "ana:");
        script_add(pen->script, 6, "- port: %u", between(pen, 0, load->nics - 1));
        script_add(pen->script, 8, "state: %s", PICK(pen, states));
    }
    script_add(pen->script, 4, "namespaces:");
    script_add(pen->script, 6, "- media:");
    script_add(pen->script, 10, "kind: %s", PICK(pen, media));
}

static void workloads(struct pen *pen, const struct load *load)
{
    const unsigned block = once_in(pen, 4) ? 8 : 4;
    script_add(pen->script, 0, "workloads:");
    script_add(pen->script, 2, "- name: db");
    script_add(pen->script, 4, "kind: nvme");
    if (pen->kind == SCENARIO_FIBRE_CHANNEL)
        script_add(pen->script, 4, "transport: fc");
    script_add(pen->script, 4, "from: \"host1..host%u\"", load->writers);
    script_add(pen->script, 4, "to: host0");
    script_add(pen->script, 4, "paths: all");
    script_add(pen->script, 4, "read: %u%%", between(pen, 30, 70));
    script_add(pen->script, 4, "block-size: %uKiB", block);
    script_add(pen->script, 4, "queue-depth: %u", load->depth);
    script_add(pen->script, 4, "queues: %u", load->queues);
    script_add(pen->script, 4, "rate: %u",
               between(pen, 300000, 700000) / load->cost_us / load->writers);
    script_add(pen->script, 4, "size: %uKiB", block * between(pen, 4, 24));
    if (once_in(pen, 2))
        script_add(pen->script, 4, "compare: %u%%", between(pen, 5, 30));
    if (load->busy_queues == 0)
        return;
    script_add(pen->script, 2, "- name: busy");
    script_add(pen->script, 4, "kind: nvme");
    if (pen->kind == SCENARIO_FIBRE_CHANNEL)
        script_add(pen->script, 4, "transport: fc");
    script_add(pen->script, 4, "from: host%u", host_count(load) - 1);
    script_add(pen->script, 4, "to: host0");
    script_add(pen->script, 4, "nic: %u", between(pen, 0, load->nics - 1));
    script_add(pen->script, 4, "read: 100%%");
    script_add(pen->script, 4, "queue-depth: %u", load->busy_depth);
    script_add(pen->script, 4, "queues: %u", load->busy_queues);
    script_add(pen->script, 4, "offset: 1GiB"); /* the writers' blocks are the judge's */
    script_add(pen->script, 4, "size: 1GiB");
    script_add(pen->script, 4, "start: %uus", between(pen, 1000, 8000));
}

enum failure {
    CABLE,
    CABLE_OF_TARGET,
    FLAP,
    SWITCH,
    STATE,
    PORT,
    CONTROLLER,
    STALL,
    STORM,
    LOSS,
};

struct moment {
    unsigned from_us, to_us; /* it begins somewhere there */
    unsigned shortest_us, longest_us;
};

static void fault(struct pen *pen, const struct load *load, enum failure failure,
                  struct moment when)
{
    static const char *const kinds[] = {
        [CABLE] = "link-down",         [CABLE_OF_TARGET] = "link-down", [FLAP] = "link-flap",
        [SWITCH] = "switch-down",      [STATE] = "ana-change",          [PORT] = "port-closed",
        [CONTROLLER] = "target-crash", [STALL] = "target-stall",        [STORM] = "pause-storm",
        [LOSS] = "random-loss",
    };
    static const char *const states[] = {"inaccessible", "inaccessible", "non-optimized",
                                         "persistent-loss", "change"};
    const unsigned nic = between(pen, 0, load->nics - 1), writer = between(pen, 1, load->writers);
    const bool held = failure == STALL || failure == STORM;
    const bool wire = failure == CABLE || failure == FLAP || failure == LOSS;
    script_add(pen->script, 2, "- kind: %s", kinds[failure]);
    if (wire || failure == CABLE_OF_TARGET)
        script_add(pen->script, 4, "where: \"host%u:p%u\"", wire ? writer : 0, nic);
    else if (failure == SWITCH)
        script_add(pen->script, 4, load->fabrics ? "where: %c-leaf0" : "where: switch0",
                   (char)('a' + (int)nic));
    else
        script_add(pen->script, 4, "where: host0");
    script_add(pen->script, 4, "at: %uus", between(pen, when.from_us, when.to_us));
    script_add(pen->script, 4, "for: %uus",
               between(pen, held ? 500 : when.shortest_us, held ? HOLD_US : when.longest_us));
    if (failure == STATE || failure == PORT || failure == CONTROLLER)
        script_add(pen->script, 4, "port: %u", nic);
    if (failure == STATE)
        script_add(pen->script, 4, "state: %s", PICK(pen, states));
    if (failure == FLAP)
        script_add(pen->script, 4, "period: %uus", between(pen, 200, 6000));
    if (failure == LOSS)
        script_add(pen->script, 4, "rate: %u%%", between(pen, 1, 20));
}

/* A writer loses one path and then another, without a word to the target; and what else fails. */
static void faults(struct pen *pen, const struct load *load)
{
    static const enum failure silent[] = {CABLE, CABLE, CABLE, SWITCH};
    static const enum failure any[] = {CABLE, CABLE_OF_TARGET, FLAP,  SWITCH, STATE, STATE,
                                       PORT,  CONTROLLER,      STALL, STORM,  LOSS};
    script_add(pen->script, 0, "faults:");
    for (unsigned i = 0; i < load->cuts; i++) {
        const unsigned from_us = 8000 + i * CUT_US;
        fault(pen, load, load->fabrics ? PICK(pen, silent) : CABLE,
              (struct moment){from_us, from_us + 6000, 4000, 12000});
    }
    for (unsigned n = between(pen, 0, 2); n > 0; n--)
        fault(pen, load, PICK(pen, any), (struct moment){8000, load->duration_us, 2000, 30000});
}

void paths_draw(struct pen *pen)
{
    struct load load = {0};
    draw_load_of(pen, &load);
    script_add(pen->script, 0, "duration: %uus", load.duration_us);
    script_add(pen->script, 0, "drain: 1s");
    script_add(pen->script, 0, "fabric:");
    layer_fabric(pen);
    topology(pen, &load);
    hosts(pen, &load);
    workloads(pen, &load);
    faults(pen, &load);
}
