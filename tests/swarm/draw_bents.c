/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_bents.h"

#include "draw_layer.h"
#include "draw_value.h"
#include "net/switch/buffer_kinds.h"
#include "scenarios/fault/fault_kinds.h"

#include "net/switch/buffer.h"
#include "rnic/qp/recovery.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

static const char *const names[BENT_COUNT] = {
    [BENT_PLAIN] = "plain", [BENT_MIXED] = "mixed",   [BENT_CIRCLE] = "circle",
    [BENT_STORM] = "storm", [BENT_CRASH] = "crash",   [BENT_TIGHT] = "tight",
    [BENT_GIANT] = "giant", [BENT_LOOP] = "loop",     [BENT_UNREADY] = "unready",
    [BENT_LOSSY] = "lossy", [BENT_BROKEN] = "broken", [BENT_PATHS] = "paths",
};

const char *bents_name(enum bent bent)
{
    return names[bent];
}

enum bent bents_find(const char *name)
{
    unsigned bent = 0;
    while (bent < BENT_COUNT && strcmp(names[bent], name) != 0)
        bent++;
    return (enum bent)bent;
}

static bool once_in(struct pen *pen, unsigned times)
{
    return rng_below(&pen->rng, times) == 0;
}

#define PICK(pen, list) (list)[rng_below(&(pen)->rng, sizeof(list) / sizeof((list)[0]))]

/* ------------------------------------------------------------------ all of it */

void bents_choose(struct pen *pen, enum bent only)
{
    static const enum bent often[] = {
        BENT_PLAIN, BENT_PLAIN, BENT_PLAIN,  BENT_PLAIN,  BENT_MIXED,   BENT_MIXED,
        BENT_MIXED, BENT_MIXED, BENT_CIRCLE, BENT_STORM,  BENT_CRASH,   BENT_CRASH,
        BENT_TIGHT, BENT_TIGHT, BENT_GIANT,  BENT_LOOP,   BENT_UNREADY, BENT_UNREADY,
        BENT_LOSSY, BENT_LOSSY, BENT_LOSSY,  BENT_BROKEN, BENT_BROKEN,  BENT_PATHS};
    pen->bent = only < BENT_COUNT ? only : PICK(pen, often);
    pen->calm = pen->bent != BENT_MIXED && !once_in(pen, 4);
}

void bents_span(struct pen *pen)
{
    const bool storm = pen->bent == BENT_STORM;
    pen->duration_us =
        storm ? draw_between(&pen->rng, 250000, 700000) : draw_between(&pen->rng, 60, 500);
    script_add(pen->script, 0, "duration: %uus", pen->duration_us);
    script_add(pen->script, 0, "drain: %ums", storm ? 100 : draw_between(&pen->rng, 60, 120));
}

/* ------------------------------------------------------------------ fabric */

/* Switches in a circle, one or two hosts at each. */
static void circle(struct pen *pen, unsigned switches, unsigned each)
{
    const char *rate = pen->kind == SCENARIO_FIBRE_CHANNEL ? "32GFC" : "100Gbps";
    char text[160];
    int used = 0;
    script_add(pen->script, 2, "topology:");
    script_add(pen->script, 4, "kind: explicit");
    for (unsigned i = 0; i < switches * each; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%sh%u", i > 0 ? ", " : "", i);
    script_add(pen->script, 4, "hosts: [%s]", text);
    used = 0;
    for (unsigned i = 0; i < switches; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%ss%u", i > 0 ? ", " : "", i);
    script_add(pen->script, 4, "switches: [%s]", text);
    script_add(pen->script, 4, "links:");
    for (unsigned i = 0; i < switches * each; i++)
        script_add(pen->script, 6, "- {ends: [h%u, s%u], rate: %s}", i, i / each, rate);
    for (unsigned i = 0; i < switches; i++)
        script_add(pen->script, 6, "- {ends: [s%u, s%u], rate: %s, length: %um}", i,
                   (i + 1) % switches, rate, draw_between(&pen->rng, 1, 200));
}

bool bents_topology(struct pen *pen)
{
    if (pen->bent == BENT_CIRCLE)
        circle(pen, draw_between(&pen->rng, 3, 5), draw_between(&pen->rng, 1, 2));
    else if (once_in(pen, 12))
        circle(pen, draw_between(&pen->rng, 3, 4), 2);
    else if (pen->bent == BENT_LOOP || pen->bent == BENT_BROKEN) {
        script_add(pen->script, 2, "topology:");
        script_add(pen->script, 4, "kind: leaf-spine");
        script_add(pen->script, 4, "leaves: 3");
        script_add(pen->script, 4, "spines: 2");
        script_add(pen->script, 4, "hosts-per-leaf: 2");
    } else
        return false;
    return true;
}

void bents_link(struct pen *pen)
{
    static const char *const rates[] = {"10Gbps",  "25Gbps",  "40Gbps",
                                        "100Gbps", "200Gbps", "33Gbps"};
    if (layer_has_credits(pen)) {
        layer_link(pen);
        return;
    }
    if (pen->bent == BENT_STORM)
        pen_put(pen, "rate", "%s", rates[1 + rng_below(&pen->rng, 2)]);
    else if (!once_in(pen, 3))
        pen_put(pen, "rate", "%s", PICK(pen, rates));
    if (pen->calm)
        pen_put(pen, "flow-control", "pfc");
    if (once_in(pen, 3))
        pen_put(pen, "length", "%um", draw_between(&pen->rng, 1, 400));
}

void bents_switch(struct pen *pen)
{
    static const char *const alphas[] = {"6.25%", "12.5%", "25%", "50%", "100%"};
    static const char *const actions[] = {"drop", "forward", "alert"};
    pen_put(pen, "ports", "1");
    if (pen->bent == BENT_TIGHT) {
        pen_put(pen, "buffer", "%uKB", draw_between(&pen->rng, 150, 900));
        pen_put(pen, "headroom", "%uB", draw_between(&pen->rng, 0, 30000));
        if (once_in(pen, 2))
            pen_put(pen, "pfc-priorities", "%s", once_in(pen, 2) ? "none" : "3");
        if (once_in(pen, 3))
            pen_put(pen, "headroom-pool", "%uKB", draw_between(&pen->rng, 1, 100));
        if (once_in(pen, 3))
            pen_put(pen, "egress-limit", "%uKB", draw_between(&pen->rng, 10, 200));
    } else if (pen->bent == BENT_CIRCLE) {
        pen_put(pen, "buffer", "%uKB", draw_between(&pen->rng, 2500, 4000));
        pen_put(pen, "policy", "%s", buffer_policy_names[rng_below(&pen->rng, BUFFER_POLICIES)]);
        pen_put(pen, "xoff", "%uKB", draw_between(&pen->rng, 20, 100));
        pen_put(pen, "alpha", "%u%%", 6u << rng_below(&pen->rng, 4));
    } else {
        pen_put(pen, "buffer", "%uKB", draw_between(&pen->rng, 4000, 12000));
        if (!once_in(pen, 4)) {
            pen_put(pen, "policy", "%s",
                    buffer_policy_names[rng_below(&pen->rng, BUFFER_POLICIES)]);
            pen_put(pen, "xoff", "%uKB", draw_between(&pen->rng, 10, 120));
            pen_put(pen, "alpha", "%s", pen->bent == BENT_STORM ? "6.25%" : PICK(pen, alphas));
        }
    }
    if (pen->bent == BENT_STORM || (pen->bent == BENT_CIRCLE && once_in(pen, 3))) {
        pen_put(pen, "watchdog", "%s", PICK(pen, actions));
        pen_put(pen, "watchdog-detection", "100ms");
        pen_put(pen, "watchdog-restoration", "100ms");
        pen_put(pen, "watchdog-poll", "100ms");
    }
    if (once_in(pen, 3)) {
        pen_put(pen, "ecn-kmin", "%uKB", draw_between(&pen->rng, 5, 100));
        pen_put(pen, "ecn-kmax", "%uKB", draw_between(&pen->rng, 100, 400));
    }
    if (!pen->calm && once_in(pen, 8))
        pen_put(pen, "dscp", "{%u: %u}", draw_between(&pen->rng, 0, 63),
                draw_between(&pen->rng, 0, 7));
}

void bents_overrides(struct pen *pen)
{
    const bool giant = pen->bent == BENT_GIANT;
    if (!giant && (pen->calm || !once_in(pen, 3)))
        return;
    script_add(pen->script, 2, "overrides:");
    for (unsigned n = draw_between(&pen->rng, 1, 2); n > 0; n--) {
        script_add(pen->script, 4, "- where: \"%s\"", pen_place(pen));
        struct pen inner = *pen;
        inner.indent = 6;
        inner.used_count = 0;
        if (giant && layer_has_credits(pen))
            layer_mtu(&inner);
        else if (giant)
            pen_put(&inner, "mtu", "%uB", draw_between(&pen->rng, 300, 4000));
        else
            pen_rows(&inner, once_in(pen, 3) ? "fabric.switch" : "fabric.host-links", 15);
        if (inner.used_count == 0)
            pen_put(&inner, "length", "7m");
        pen->rng = inner.rng;
    }
}

void bents_routes(struct pen *pen)
{
    if (pen->bent != BENT_LOOP && !(pen->bent == BENT_MIXED && once_in(pen, 8)))
        return;
    script_add(pen->script, 2, "routes:");
    for (unsigned n = draw_between(&pen->rng, 1, 3); n > 0; n--) {
        const struct places *places = pen->places;
        script_add(pen->script, 4, "- at: \"%s\"",
                   places->switches[rng_below(&pen->rng, places->switch_count)]);
        script_add(pen->script, 6, "to: \"%s\"",
                   places->hosts[rng_below(&pen->rng, places->host_count)]);
        script_add(pen->script, 6, "via: \"%s\"",
                   places->switches[rng_below(&pen->rng, places->switch_count)]);
    }
}

/* ------------------------------------------------------------------ hosts */

static void put_recovery(struct pen *pen)
{
    uint32_t count = 0;
    while (recovery_list[count] != NULL)
        count++;
    const struct recovery_ops *recovery = recovery_list[rng_below(&pen->rng, count)];
    pen_put(pen, "loss-recovery", "%s", recovery->name);
    if (recovery->selective && once_in(pen, 2)) {
        pen_put(pen, "bdp-cap", "%uKB", draw_between(&pen->rng, 1, 300));
        pen_put(pen, "rto-low", "%uus", draw_between(&pen->rng, 20, 400));
        pen_put(pen, "rto-low-packets", "%u", draw_between(&pen->rng, 0, 8));
    }
}

void bents_rnic(struct pen *pen)
{
    const bool loses = pen->bent == BENT_LOSSY || pen->bent == BENT_BROKEN ||
                       pen->bent == BENT_LOOP || pen->bent == BENT_GIANT ||
                       pen->bent == BENT_TIGHT || pen->bent == BENT_CRASH;
    if (loses || once_in(pen, 3))
        pen_put(pen, "timeout", "%u", draw_between(&pen->rng, 6, 8));
    if (loses && once_in(pen, 2)) /* 0: any loss ends a connection, also one that is made again */
        pen_put(pen, "retry-count", "%u", once_in(pen, 2) ? 0 : draw_between(&pen->rng, 0, 7));
    pen_put(pen, "min-rnr-timer", "%u", draw_between(&pen->rng, 1, 14));
    if (once_in(pen, 2))
        pen_put(pen, "rnr-retry", "%u", draw_between(&pen->rng, 1, 7));
    if (pen->bent == BENT_CRASH || pen->bent == BENT_BROKEN || pen->bent == BENT_LOSSY ||
        once_in(pen, 4)) {
        pen_put(pen, "cm-timeout", "%uus", draw_between(&pen->rng, 100, 1500));
        pen_put(pen, "cm-retries", "%u", draw_between(&pen->rng, 1, 15));
    } else {
        pen_put(pen, "cm-timeout", "4ms");
    }
    if (once_in(pen, 3))
        pen_put(pen, "ack-interval", "%u", draw_between(&pen->rng, 1, 16));
    if (once_in(pen, 3))
        pen_put(pen, "ack-coalescing", "%s", once_in(pen, 2) ? "true" : "false");
    pen->large = once_in(pen, 24);
    /* A software RNIC queues all packets of a READ at once: those of 1 GiB exceed the pool of
     * frames. */
    if (pen->large)
        pen_put(pen, "software", "false");
    if (pen->large || once_in(pen, 3))
        pen_put(pen, "path-mtu", "%uB", 256u << rng_below(&pen->rng, pen->large ? 2 : 5));
    if (pen->bent != BENT_PLAIN && once_in(pen, 4))
        put_recovery(pen);
    if (pen->bent != BENT_PLAIN && once_in(pen, 6))
        pen_put(pen, "max-rd-atomic", "%u", draw_between(&pen->rng, 1, 6));
    if (pen->bent != BENT_PLAIN && once_in(pen, 12)) {
        pen_put(pen, "completions", "interrupt");
        if (once_in(pen, 2)) {
            pen_put(pen, "cq-moderation-count", "%u", draw_between(&pen->rng, 2, 32));
            pen_put(pen, "cq-moderation-time", "%uus", draw_between(&pen->rng, 1, 40));
        }
    }
    if (pen->bent == BENT_STORM && once_in(pen, 3))
        pen_put(pen, "pfc-watchdog", "%ums", draw_between(&pen->rng, 1, 120));
    if (pen->bent == BENT_TIGHT && once_in(pen, 2)) {
        pen_put(pen, "rx-buffer", "%uKiB", draw_between(&pen->rng, 16, 64));
        pen_put(pen, "drain", "%uGbps", draw_between(&pen->rng, 1, 20));
        pen_put(pen, "pfc", "%s", once_in(pen, 2) ? "true" : "false");
    }
}

/* Times that let a controller come back within the run. */
/* As in a data center, so that a lost tail is repaired within a run. */
void bents_tcp(struct pen *pen)
{
    if (once_in(pen, 4))
        return;
    pen_put(pen, "rto-min", "%uus", draw_between(&pen->rng, 200, 5000));
    pen_put(pen, "timer-slack", "%uus", draw_between(&pen->rng, 0, 500));
    pen_put(pen, "rto-initial", "%uus", draw_between(&pen->rng, 500, 5000));
}

void bents_nvme(struct pen *pen)
{
    pen_put(pen, "io-timeout", "%ums", draw_between(&pen->rng, 8, 25));
    pen_put(pen, "admin-timeout", "%ums", draw_between(&pen->rng, 8, 25));
    pen_put(pen, "reconnect-delay", "%uus", draw_between(&pen->rng, 50, 2000));
    pen_put(pen, "ctrl-loss-tmo", "%ums", draw_between(&pen->rng, 0, 25));
    if (once_in(pen, 6))
        pen_put(pen, "partition-scan", "true");
    if (once_in(pen, 3))
        pen_put(pen, "iscsi-connections", "%u", draw_between(&pen->rng, 2, 4));
    if ((pen->bent == BENT_LOSSY || pen->bent == BENT_CRASH) &&
        once_in(pen, 2)) /* lost meanwhile */
        pen_put(pen, "queues", "%u", draw_between(&pen->rng, 2, 8));
    if (once_in(pen, 2))
        pen_put(pen, "keep-alive", "%ums", draw_between(&pen->rng, 1, 12));
}

/* ------------------------------------------------------------------ workloads */

unsigned bents_workloads(struct pen *pen)
{
    return draw_between(&pen->rng, pen->bent == BENT_CIRCLE ? 2 : 1, 3);
}

const struct workload_ops *bents_workload(struct pen *pen, unsigned number,
                                          const struct workload_ops *drawn)
{
    if (pen->bent == BENT_CRASH && number == 0)
        return workload_find("nvme");
    if (pen->bent == BENT_CIRCLE)
        return workload_find("rdma-write");
    if (pen->bent == BENT_UNREADY && number == 0)
        return workload_find("rdma-send");
    return drawn;
}

void bents_pair(struct pen *pen, bool needs_target)
{
    const struct places *places = pen->places;
    const unsigned last = places->host_count - 1;
    if (pen->bent == BENT_CIRCLE) {
        static const unsigned steps[] = {1, 2};
        char targets[120];
        int used = 0;
        const unsigned step = PICK(pen, steps) * (places->host_count > 5 ? 2 : 1);
        for (unsigned i = 0; i <= last; i++)
            used += snprintf(targets + used, sizeof targets - (size_t)used, "%s%s",
                             i > 0 ? ", " : "", places->hosts[(i + step) % (last + 1)]);
        pen_put(pen, "from", "\"h*\"");
        pen_put(pen, "to", "[%s]", targets);
        pen_put(pen, "pairing", "one-to-one");
    } else if (needs_target) {
        pen_put(pen, "from", "\"%s..%s\"", places->hosts[1],
                places->hosts[draw_between(&pen->rng, 1, last)]);
        pen_put(pen, "to", "%s", places->hosts[places->host_count > 4 && once_in(pen, 3) ? 2 : 0]);
    } else if (pen->bent != BENT_STORM && once_in(pen, 3)) {
        pen_put(pen, "from", "\"%s..%s\"", places->hosts[0], places->hosts[last]);
        pen_put(pen, "to", "\"%s..%s\"", places->hosts[0], places->hosts[last]);
        pen_put(pen, "pairing", "permutation");
    } else {
        const unsigned to =
            pen->bent == BENT_STORM ? 0 : (unsigned)rng_below(&pen->rng, places->host_count);
        pen_put(pen, "from", "\"%s..%s\"", places->hosts[to == 0], places->hosts[last]);
        pen_put(pen, "to", "%s", places->hosts[to]);
    }
    if (once_in(pen, 5))
        pen_put(pen, "loopback", "true");
}

void bents_load(struct pen *pen, const struct workload_ops *ops)
{
    if (ops->read_file != NULL)
        return;
    if (ops->needs_nvme_target) {
        pen_put(pen, "read", "%u%%", draw_between(&pen->rng, 0, 100));
        const bool large = once_in(pen, 6); /* more than a target takes at once */
        pen_put(pen, "block-size", "%uB",
                (large ? 131072u : 512u) << rng_below(&pen->rng, large ? 4 : 8));
        pen_put(pen, "queue-depth", "%u", draw_between(&pen->rng, 1, large ? 3 : 16));
        pen_put(pen, "size", "%uMiB", draw_between(&pen->rng, 1, 16));
    } else {
        pen_put(pen, "message-size", "%uB",
                pen->large ? 268435456u << rng_below(&pen->rng, 3)
                : pen->bent == BENT_CIRCLE
                    ? draw_between(&pen->rng, 16384, 65536)
                    : 1 + draw_between(&pen->rng, 0, 40000) * draw_between(&pen->rng, 0, 2));
        pen_put(pen, "outstanding", "%u", draw_between(&pen->rng, 1, pen->large ? 24 : 6));
    }
    if (pen->bent == BENT_UNREADY && strcmp(ops->name, "rdma-send") == 0) {
        pen_put(pen, "receives", "%u", draw_between(&pen->rng, 1, 3));
        pen_put(pen, "receive-delay", "%uus", draw_between(&pen->rng, 1, 60));
    }
    if (pen->bent == BENT_STORM)
        pen_put(pen, "count", "%u", draw_between(&pen->rng, 20, 100));
    if (pen->bent != BENT_STORM && once_in(pen, 6))
        pen_put(pen, "rate", "%u", draw_between(&pen->rng, 100, 200000));
}

/* ------------------------------------------------------------------ targets */

void bents_array(struct pen *pen)
{
    static const char *const layouts[] = {"stripe", "mirror", "parity", "parity"};
    pen_put(pen, "drives", "%u", draw_between(&pen->rng, 3, 6));
    pen_put(pen, "layout", "%s", layouts[rng_below(&pen->rng, 4)]);
    pen_put(pen, "parity", "%u", draw_between(&pen->rng, 1, 2));
    pen_put(pen, "copies", "%u", rng_below(&pen->rng, 2) == 0 ? 2 : 0);
}

void bents_subsystem(struct pen *pen)
{
    script_add(pen->script, 4, "subsystems:");
    struct pen entry = pen_inner(pen, "- nqn: \"nqn.2014-08.org.example:drawn\"");
    pen_rows(&entry, "hosts.targets.subsystems", 40);
    pen->rng = entry.rng;
}

/* ------------------------------------------------------------------ faults */

unsigned bents_faults(struct pen *pen)
{
    static const unsigned few[BENT_COUNT] = {
        [BENT_MIXED] = 3, [BENT_STORM] = 2,  [BENT_CRASH] = 4,
        [BENT_LOSSY] = 3, [BENT_BROKEN] = 3, [BENT_CIRCLE] = 1,
    };
    const unsigned most = few[pen->bent];
    if (pen->bent == BENT_MIXED || pen->bent == BENT_CIRCLE)
        return (unsigned)rng_below(&pen->rng, most + 1);
    return most == 0 ? 0 : draw_between(&pen->rng, 1, most);
}

const struct fault_ops *bents_fault(struct pen *pen)
{
    static const struct fault_ops *const lossy[] = {&fault_bit_errors, &fault_drop_every,
                                                    &fault_random_loss, &fault_random_loss};
    static const struct fault_ops *const broken[] = {&fault_link_down, &fault_link_flap,
                                                     &fault_switch_down, &fault_misroute};
    static const struct fault_ops *const crash[] = {&fault_target_crash, &fault_target_crash,
                                                    &fault_target_stall};
    unsigned count = 0;
    while (fault_kinds[count] != NULL)
        count++;
    switch (pen->bent) {
    case BENT_STORM:
        return &fault_pause_storm;
    case BENT_CRASH:
        return PICK(pen, crash);
    case BENT_LOSSY:
        return PICK(pen, lossy);
    case BENT_BROKEN:
        return PICK(pen, broken);
    default:
        return fault_kinds[rng_below(&pen->rng, count)];
    }
}

void bents_fault_keys(struct pen *pen, const struct fault_ops *ops)
{
    const struct places *places = pen->places;
    pen_put(pen, "where", "\"%s\"",
            pen->bent == BENT_STORM && !once_in(pen, 4) ? places->hosts[0] : pen_place(pen));
    if (ops->has_route) {
        pen_put(pen, "to", "\"%s\"", places->hosts[rng_below(&pen->rng, places->host_count)]);
        pen_put(pen, "via", "\"%s\"", places->switches[rng_below(&pen->rng, places->switch_count)]);
    }
    /* While hosts connect, which takes a controller some fifty round trips. */
    const unsigned before = pen->bent == BENT_STORM ? 50
                            : once_in(pen, 6)       ? draw_between(&pen->rng, 20, 400)
                                                    : pen->duration_us;
    pen_put(pen, "at", "%uus", (unsigned)rng_below(&pen->rng, before));
    if (pen->bent == BENT_STORM)
        pen_put(pen, "for", "%ums", draw_between(&pen->rng, 150, 600));
    else if (!once_in(pen, pen->bent == BENT_LOSSY ? 2 : 6)) /* or while they connect again */
        pen_put(pen, "for", "%uus", draw_between(&pen->rng, 5, 2 * pen->duration_us));
    if (ops == &fault_random_loss && once_in(pen, 2))
        pen_put(pen, "rate", "%u%%", draw_between(&pen->rng, 1, 8));
    if (ops == &fault_drop_every)
        pen_put(pen, "n", "%u", draw_between(&pen->rng, 2, 60));
}
