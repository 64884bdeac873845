/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_layer.h"

#include "draw_value.h"
#include "rnic/cc/cc.h"
#include "scenarios/workload/workload.h"

#include <string.h>

static bool once_in(struct pen *pen, unsigned times)
{
    return rng_below(&pen->rng, times) == 0;
}

#define PICK(pen, list) (list)[rng_below(&(pen)->rng, sizeof(list) / sizeof((list)[0]))]

void layer_choose(struct pen *pen, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "swarm", "link layer");
    const uint64_t drawn = rng_below(&rng, 10);
    pen->kind = drawn == 0   ? SCENARIO_INFINIBAND
                : drawn == 1 ? SCENARIO_FIBRE_CHANNEL
                             : SCENARIO_ETHERNET;
    pen->roce_v1 = drawn == 2;
}

void layer_fabric(struct pen *pen)
{
    if (layer_has_credits(pen))
        script_add(pen->script, 2, "kind: %s",
                   pen->kind == SCENARIO_INFINIBAND ? "infiniband" : "fibre-channel");
    if (pen->kind == SCENARIO_INFINIBAND && once_in(pen, 3)) {
        script_add(pen->script, 2, "sl-to-vl:");
        for (unsigned level = 0; level < 8; level++)
            if (once_in(pen, 3))
                script_add(pen->script, 4, "%u: %u", level, draw_between(&pen->rng, 0, 7));
    }
}

void layer_mtu(struct pen *pen)
{
    if (pen->kind == SCENARIO_INFINIBAND)
        pen_put(pen, "mtu", "%uB", 256u << rng_below(&pen->rng, 5));
    else
        pen_put(pen, "mtu", "%uB", 4 * draw_between(&pen->rng, 256, 528));
}

static void link_of_infiniband(struct pen *pen)
{
    static const char *const rates[] = {"SDR", "QDR", "FDR", "EDR", "HDR", "NDR"};
    static const unsigned buffers[] = {8, 16, 64, 128};
    if (!once_in(pen, 3))
        pen_put(pen, "rate", "%s", PICK(pen, rates));
    if (once_in(pen, 3))
        layer_mtu(pen);
    if (!once_in(pen, 3))
        pen_put(pen, "vl-buffer", "%uKiB", PICK(pen, buffers));
    if (once_in(pen, 4))
        pen_put(pen, "credit-interval", "%uus", draw_between(&pen->rng, 1, 200));
}

static void link_of_fibre_channel(struct pen *pen)
{
    static const char *const rates[] = {"8GFC", "16GFC", "32GFC", "64GFC", "128GFC"};
    if (!once_in(pen, 3))
        pen_put(pen, "rate", "%s", PICK(pen, rates));
    if (once_in(pen, 3))
        layer_mtu(pen);
    if (!once_in(pen, 3))
        pen_put(pen, "bb-credit", "%u", draw_between(&pen->rng, 1, once_in(pen, 2) ? 4 : 40));
    if (once_in(pen, 2))
        pen_put(pen, "bb-sc-n", "%u", draw_between(&pen->rng, 0, 8));
    if (!once_in(pen, 3))
        pen_put(pen, "link-reset", "%uus", draw_between(&pen->rng, 100, 20000));
}

void layer_link(struct pen *pen)
{
    if (pen->kind == SCENARIO_INFINIBAND)
        link_of_infiniband(pen);
    else
        link_of_fibre_channel(pen);
    if (once_in(pen, 3))
        pen_put(pen, "length", "%um", draw_between(&pen->rng, 1, 400));
}

void layer_rnic(struct pen *pen)
{
    if (pen->roce_v1) {
        pen_put(pen, "roce-version", "1");
        pen_put(pen, "priority-tag", "true");
        pen_put(pen, "software", "false");
    }
    if (layer_has_credits(pen))
        pen_put(pen, "software", "false");
    if (pen->kind == SCENARIO_INFINIBAND && once_in(pen, 3))
        pen_put(pen, "priority", "%u", draw_between(&pen->rng, 0, 7));
}

const struct cc_preset *layer_control(struct pen *pen)
{
    const enum cc_link other = pen->kind == SCENARIO_INFINIBAND ? CC_ETHERNET : CC_INFINIBAND;
    const struct cc_preset *fitting[32];
    unsigned count = 0;
    for (const struct cc_preset *any = cc_list; any->name != NULL && count < 32; any++)
        if (any->ops->link != other)
            fitting[count++] = any;
    return fitting[rng_below(&pen->rng, count)];
}

void layer_targets(struct pen *pen)
{
    const struct places *places = pen->places;
    if (pen->kind == SCENARIO_FIBRE_CHANNEL && pen->bent == BENT_CIRCLE)
        pen_put(pen, "where", "\"h*\"");
    else if (places->host_count > 4)
        pen_put(pen, "where", "[%s, %s]", places->hosts[0], places->hosts[2]);
    else
        pen_put(pen, "where", "[%s]", places->hosts[0]);
}

const char *layer_any_workload(const char *text)
{
    if (strstr(text, "\n  kind: fibre-channel\n") == NULL)
        return "workloads: [{name: any, kind: rdma-write, from: \"*\", to: \"*\", pairing: "
               "permutation}]\n";
    return "hosts: {targets: {where: \"h*\", namespaces: [{media: \"null\"}]}}\n"
           "workloads: [{name: any, kind: nvme, transport: fc, from: \"*\", to: \"*\", pairing: "
           "permutation}]\n";
}

const struct workload_ops *layer_workload(const struct pen *pen, const struct workload_ops *drawn)
{
    const bool fits =
        pen->kind == SCENARIO_FIBRE_CHANNEL ? drawn->needs_nvme_target : !drawn->needs_tcp;
    return fits ? drawn : workload_find("nvme");
}

const char *layer_transport(struct pen *pen, const struct workload_ops *ops)
{
    static const char *const transports[] = {"iscsi", "tcp", "iwarp"};
    if (!ops->needs_nvme_target)
        return pen->kind == SCENARIO_ETHERNET && !ops->needs_tcp && rng_below(&pen->rng, 4) == 0
                   ? "iwarp"
                   : NULL;
    if (pen->kind == SCENARIO_FIBRE_CHANNEL)
        return "fc";
    if (pen->kind == SCENARIO_INFINIBAND || rng_below(&pen->rng, 2) > 0)
        return NULL;
    return transports[rng_below(&pen->rng, 3)];
}
