/* SPDX-License-Identifier: Apache-2.0 */
#include "draw_layer.h"

#include "draw_value.h"
#include "rnic/cc/cc.h"
#include "scenarios/workload/workload.h"

#include <stdio.h>
#include <string.h>

static bool once_in(struct pen *pen, unsigned times)
{
    return rng_below(&pen->rng, times) == 0;
}

#define PICK(pen, list) (list)[rng_below(&(pen)->rng, sizeof(list) / sizeof((list)[0]))]

static const char *const words[] = {
#define X(name, word) word,
    SCENARIO_KINDS(X)
#undef X
};

static void choose_islands(struct pen *pen, struct rng *rng)
{
    const unsigned first = (unsigned)rng_below(rng, SCENARIO_KIND_COUNT);
    unsigned hosts = 0, switches = 0;
    pen->island_count = draw_between(rng, 2, SCENARIO_KIND_COUNT);
    for (unsigned i = 0; i < pen->island_count; i++) {
        struct island *island = &pen->islands[i];
        *island = (struct island){
            .kind = (enum scenario_kind)((first + i) % SCENARIO_KIND_COUNT),
            .first_host = hosts,
            .host_count = draw_between(rng, 2, 4),
            .first_switch = switches,
            .switch_count = draw_between(rng, 1, 2),
        };
        hosts += island->host_count;
        switches += island->switch_count;
    }
    pen->kind = pen->islands[0].kind;
}

void layer_choose(struct pen *pen, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "swarm", "link layer");
    const uint64_t drawn = rng_below(&rng, 10);
    pen->kind = drawn == 0   ? SCENARIO_INFINIBAND
                : drawn == 1 ? SCENARIO_FIBRE_CHANNEL
                             : SCENARIO_ETHERNET;
    pen->roce_v1 = drawn == 2;
    if (drawn == 3 && pen->bent != BENT_PATHS && pen->bent != BENT_CIRCLE) {
        choose_islands(pen, &rng);
        pen->roce_v1 = rng_below(&rng, 3) == 0;
    }
}

static void put_lanes(struct pen *pen, unsigned indent)
{
    if (pen->kind != SCENARIO_INFINIBAND || !once_in(pen, 3))
        return;
    script_add(pen->script, indent, "sl-to-vl:");
    for (unsigned level = 0; level < 8; level++)
        if (once_in(pen, 3))
            script_add(pen->script, indent + 2, "%u: %u", level, draw_between(&pen->rng, 0, 7));
}

void layer_fabric(struct pen *pen)
{
    if (pen->kind != SCENARIO_ETHERNET)
        script_add(pen->script, 2, "kind: %s", words[pen->kind]);
    put_lanes(pen, 2);
}

/* "h3, h4, h5" */
static void list_names(char *text, size_t room, char letter, unsigned first, unsigned count)
{
    size_t used = 0;
    for (unsigned i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%c%u", i > 0 ? ", " : "", letter,
                                 first + i);
}

bool layer_topology(struct pen *pen)
{
    if (pen->island_count == 0)
        return false;
    const struct island *last = &pen->islands[pen->island_count - 1];
    char text[160];
    pen->nics = 1;
    script_add(pen->script, 2, "topology:");
    script_add(pen->script, 4, "kind: explicit");
    list_names(text, sizeof text, 'h', 0, last->first_host + last->host_count);
    script_add(pen->script, 4, "hosts: [%s]", text);
    list_names(text, sizeof text, 's', 0, last->first_switch + last->switch_count);
    script_add(pen->script, 4, "switches: [%s]", text);
    script_add(pen->script, 4, "links:");
    for (unsigned i = 0; i < pen->island_count; i++) {
        const struct island *island = &pen->islands[i];
        for (unsigned h = 0; h < island->host_count; h++)
            script_add(pen->script, 6, "- {ends: [h%u, s%u]}", island->first_host + h,
                       island->first_switch + h % island->switch_count);
        for (unsigned s = 1; s < island->switch_count; s++)
            script_add(pen->script, 6, "- {ends: [s%u, s%u]}", island->first_switch + s - 1,
                       island->first_switch + s);
    }
    return true;
}

void layer_enter(struct pen *pen, unsigned number)
{
    const struct island *island = &pen->islands[number];
    struct places *places = pen->places;
    pen->kind = island->kind;
    for (unsigned i = 0; i < island->host_count; i++)
        snprintf(places->hosts[i], PLACE_BYTES, "h%u", island->first_host + i);
    places->host_count = island->host_count;
}

void layer_turn(struct pen *pen, unsigned number)
{
    if (pen->island_count > 0)
        layer_enter(pen, number % pen->island_count);
}

void layer_open(struct pen *pen, unsigned number)
{
    const struct island *island = &pen->islands[number];
    char text[160];
    layer_enter(pen, number);
    list_names(text, sizeof text, 's', island->first_switch, island->switch_count);
    script_add(pen->script, 2, "%s:", words[pen->kind]);
    script_add(pen->script, 4, "where: [%s]", text);
    put_lanes(pen, 4);
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
    if (layer_has_credits(pen) || pen->island_count > 0)
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
    if (pen->island_count == 3)
        pen_put(pen, "where", "[h0, h%u, h%u]", pen->islands[1].first_host,
                pen->islands[2].first_host);
    else if (pen->island_count == 2)
        pen_put(pen, "where", "[h0, h%u]", pen->islands[1].first_host);
    else if (pen->kind == SCENARIO_FIBRE_CHANNEL && pen->bent == BENT_CIRCLE)
        pen_put(pen, "where", "\"h*\"");
    else if (places->host_count > 4)
        pen_put(pen, "where", "[%s, %s]", places->hosts[0], places->hosts[2]);
    else
        pen_put(pen, "where", "[%s]", places->hosts[0]);
}

const char *layer_any_workload(const struct pen *pen)
{
    const bool islands = pen->island_count > 0;
    if ((islands ? pen->islands[0].kind : pen->kind) != SCENARIO_FIBRE_CHANNEL)
        return islands ? "workloads: [{name: any, kind: rdma-write, from: h0, to: h1}]\n"
                       : "workloads: [{name: any, kind: rdma-write, from: \"*\", to: \"*\", "
                         "pairing: permutation}]\n";
    return islands ? "hosts: {targets: {where: h1, namespaces: [{media: \"null\"}]}}\n"
                     "workloads: [{name: any, kind: nvme, transport: fc, from: h0, to: h1}]\n"
                   : "hosts: {targets: {where: \"h*\", namespaces: [{media: \"null\"}]}}\n"
                     "workloads: [{name: any, kind: nvme, transport: fc, from: \"*\", to: \"*\", "
                     "pairing: permutation}]\n";
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
