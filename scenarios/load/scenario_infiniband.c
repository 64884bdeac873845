/* SPDX-License-Identifier: Apache-2.0
 * scenario_infiniband - the kind of the fabric, and the values that follow from it. */
#include "scenarios/load/scenario_infiniband.h"

#include "base/nearest.h"
#include "base/quantity.h"
#include "scenarios/load/scenario_credits.h"

#include <stdio.h>
#include <string.h>

enum { IB_MTU_LEAST = 256, IB_MTU_MOST = 4096 };

/* ------------------------------------------------------------------ reading */

static void show_kind(struct loader *loader, const struct tree_node *written)
{
    const struct scenario_choice choice = {
        .path = "fabric",
        .name = "kind",
        .word = written->text,
        .preset = scenario_kind_word(SCENARIO_ETHERNET),
        .about = "Link layer of the fabric.",
        OPT_INERT,
        .where = written->place,
    };
    scenario_show_choice(loader, &choice);
}

void scenario_load_kind(struct loader *loader, const struct tree_node *fabric)
{
    const struct tree_node *written = scenario_word(loader, fabric, "kind");
    if (written == NULL)
        return;
    struct nearest nearest = nearest_to(written->text);
    for (int i = 0; i < SCENARIO_KIND_COUNT; i++) {
        const enum scenario_kind kind = (enum scenario_kind)i;
        if (strcmp(written->text, scenario_kind_word(kind)) == 0) {
            loader->kind = kind;
            show_kind(loader, written);
            return;
        }
        nearest_offer(&nearest, scenario_kind_word(kind));
    }
    tree_error(loader->diag, written,
               "kind: expected ethernet, infiniband or fibre-channel, but found \"%.32s\"%s",
               written->text, nearest_hint(&nearest).text);
}

static void load_service_level(struct loader *loader, const struct tree_item *item, uint8_t *map)
{
    static const struct opt level = {.name = "level", .type = OPT_INT, .min = "0", .max = "15"};
    static const struct opt lane = {.name = "lane", .type = OPT_INT, .min = "0", .max = "7"};
    char why[OPT_WHY_BYTES];
    int64_t from, to;
    if (!opt_parse(&level, item->key, &from, why))
        tree_error(loader->diag, item->value, "service level: %s", why);
    else if (item->value->kind != TREE_SCALAR)
        tree_error(loader->diag, item->value, "expected a virtual lane from 0 to 7");
    else if (!opt_parse(&lane, item->value->text, &to, why))
        tree_error(loader->diag, item->value, "virtual lane: %s", why);
    else
        map[from] = (uint8_t)to;
}

uint8_t *scenario_load_service_levels(struct loader *loader, const struct tree_node *section,
                                      enum scenario_kind kind)
{
    const struct tree_node *written = scenario_map(loader, section, "sl-to-vl");
    if (kind != SCENARIO_INFINIBAND) {
        if (written != NULL)
            tree_error(loader->diag, written,
                       "sl-to-vl needs kind: infiniband; Ethernet has switch.dscp");
        /* Fibre Channel: all frames are of one class. */
        return kind == SCENARIO_FIBRE_CHANNEL ? arena_take(loader->arena, SCENARIO_DSCPS) : NULL;
    }
    uint8_t *map = arena_take(loader->arena, SCENARIO_DSCPS);
    for (unsigned i = 0; i < SCENARIO_DSCPS; i++)
        map[i] = (uint8_t)(i % PRIORITIES);
    for (size_t i = 0; written != NULL && i < written->count; i++)
        load_service_level(loader, &written->items[i], map);
    return map;
}

/* ------------------------------------------------------------------ congestion control */

static bool suits(const struct cc_ops *ops, enum scenario_kind kind)
{
    return ops->link == CC_ANY_LINK ||
           (ops->link == CC_INFINIBAND ? kind == SCENARIO_INFINIBAND : kind != SCENARIO_INFINIBAND);
}

const char *scenario_default_control(enum scenario_kind kind)
{
    return kind == SCENARIO_INFINIBAND ? "none" : "dcqcn-mlx5";
}

/* `whose`: "fabric.kind", or the name of a host. */
static void refuse_control(struct loader *loader, struct diag_place place,
                           const struct cc_preset *preset, const char *whose,
                           enum scenario_kind kind)
{
    const struct cc_ops *ops = preset->ops;
    char names[DIAG_TEXT_BYTES / 2] = "", text[DIAG_TEXT_BYTES];
    size_t length = 0;
    for (const struct cc_preset *other = cc_list; other->name != NULL; other++)
        if (suits(other->ops, kind) && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length > 0 ? ", " : "", other->name);
    snprintf(text, sizeof text, "congestion-control: %s needs %s, but %s is %s; expected one of %s",
             preset->name,
             ops->link == CC_INFINIBAND ? "FECN and BECN of InfiniBand"
             : ops->wants_telemetry     ? "telemetry of Ethernet switches"
                                        : "ECN marks of Ethernet switches",
             whose, scenario_kind_word(kind), names);
    tree_message(loader->diag, DIAG_ERROR, loader->root, place, text);
}

const struct cc_preset *scenario_control(struct loader *loader, const struct tree_node *word)
{
    const struct cc_preset *found = cc_find(word->text);
    if (found == NULL) {
        struct nearest nearest = nearest_to(word->text);
        for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
            nearest_offer(&nearest, preset->name);
        tree_error(loader->diag, word, "there is no congestion control '%.64s'%s", word->text,
                   nearest_hint(&nearest).text);
        return NULL;
    }
    for (int kind = 0; kind < SCENARIO_KIND_COUNT; kind++)
        if (scenario_has_kind(loader->scenario, (enum scenario_kind)kind) &&
            suits(found->ops, (enum scenario_kind)kind))
            return found;
    refuse_control(loader, word->place, found, "fabric.kind", loader->kind);
    return NULL;
}

/* True if an earlier host has the same control on the same link layer. */
static bool is_known(const struct loader *loader, uint32_t host)
{
    for (uint32_t i = 0; i < host; i++)
        if (loader->scenario->nodes[i].link == loader->scenario->nodes[host].link &&
            loader->nodes[i].host->control == loader->nodes[host].host->control)
            return true;
    return false;
}

void scenario_check_control(struct loader *loader, uint32_t host)
{
    const struct loader_host *from = loader->nodes[host].host;
    const struct scenario_node *node = &loader->scenario->nodes[host];
    char whose[DIAG_TEXT_BYTES / 4];
    if (suits(from->cc, node->link) || is_known(loader, host))
        return;
    snprintf(whose, sizeof whose, "the link of %.64s", node->name);
    refuse_control(loader, from->control_place, from->preset, whose, node->link);
}

/* ------------------------------------------------------------------ values of an RNIC */

/* InfiniBand verbs have five MTU sizes: enum ibv_mtu. */
static void check_path_mtu(struct loader *loader, const struct tree_node *map,
                           const struct rnic_params *rnic)
{
    const struct tree_node *written = tree_get(map, "path-mtu");
    if (written != NULL && (rnic->path_mtu & (rnic->path_mtu - 1)) != 0)
        tree_error(loader->diag, written,
                   "path-mtu: expected 256B, 512B, 1024B, 2048B or 4096B, but found \"%.32s\"",
                   written->text == NULL ? "" : written->text);
}

/* Linux rxe speaks RoCEv2 alone. */
static void check_roce_version(struct loader *loader, const struct tree_node *map,
                               const struct rnic_params *rnic)
{
    const struct tree_node *written = tree_get(map, "roce-version");
    if (rnic->soft.software && rnic->roce_version == 1)
        tree_error(
            loader->diag, written == NULL ? map : written,
            "roce-version: 1 needs an RNIC in hardware, and this one is software: true, which has "
            "RoCEv2 alone; expected roce-version: 2");
}

void scenario_check_rnic(struct loader *loader, const struct tree_node *map,
                         const struct rnic_params *rnic)
{
    check_path_mtu(loader, map, rnic);
    check_roce_version(loader, map, rnic);
}

/* ------------------------------------------------------------------ ports and hosts */

/* False, with a message, for a rate that another network names, such as 32GFC. */
static bool check_rate(struct loader *loader, const struct block *block, bool infiniband,
                       const char *expected)
{
    const char *name = credits_word(block, "rate");
    const char *network = name == NULL ? NULL : quantity_rate_network(name);
    char text[DIAG_TEXT_BYTES];
    if (network == NULL || (infiniband && strcmp(network, "InfiniBand") == 0))
        return true;
    snprintf(text, sizeof text,
             "rate: %s is a rate of %s, and this fabric has kind: %s; expected %s", name, network,
             scenario_kind_word(infiniband ? SCENARIO_INFINIBAND : SCENARIO_ETHERNET), expected);
    credits_refuse(loader, block, "rate", text);
    return false;
}

static void finish_port(struct loader *loader, const struct block *block, struct port_params *port)
{
    char text[DIAG_TEXT_BYTES];
    check_rate(loader, block, true, "a rate such as EDR or 100Gbps");
    if (!credits_is_written(block, "mtu"))
        port->mtu = credits_default(SCENARIO_INFINIBAND, "mtu", port->mtu);
    const int64_t largest = port_largest_frame(port);
    if ((port->mtu & (port->mtu - 1)) != 0 || port->mtu < IB_MTU_LEAST || port->mtu > IB_MTU_MOST) {
        snprintf(text, sizeof text,
                 "mtu: expected an MTU of InfiniBand (256B, 512B, 1024B, 2048B or 4096B), but "
                 "found %lld B",
                 (long long)port->mtu);
        credits_refuse(loader, block, "mtu", text);
    } else if (port->lane_buffer < largest) {
        snprintf(text, sizeof text,
                 "vl-buffer: %lld B are less than the largest packet, %lld B with its headers at "
                 "mtu %lld B: the link would never send it",
                 (long long)port->lane_buffer, (long long)largest, (long long)port->mtu);
        credits_refuse(loader, block, "vl-buffer", text);
    }
}

static void finish_host(struct loader *loader, const struct loader_host *host,
                        struct rnic_params *rnic)
{
    (void)loader;
    if (!credits_is_written(host->rnic, "priority"))
        rnic->priority = 0;
}

static int64_t lane_of(const struct port_params *port)
{
    return port->lane_buffer;
}

/* What a link of Ethernet cannot have; one message, because links share blocks. */
static void refuse_other_links(struct loader *loader)
{
    const struct scenario *scenario = loader->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0;
             scenario->nodes[i].link == SCENARIO_ETHERNET && p < scenario->nodes[i].port_count;
             p++) {
            const struct block *block = loader->nodes[i].port_blocks[p];
            if (!check_rate(loader, block, false, "a rate such as 25Gbps"))
                return;
            if (((const struct port_params *)block->params)->flow_control != PORT_FLOW_CREDITS)
                continue;
            credits_refuse(loader, block, "flow-control",
                           "flow-control: credits needs fabric.kind: infiniband or fibre-channel; "
                           "expected pfc, global or "
                           "none");
            return;
        }
}

void scenario_finish_infiniband(struct loader *loader)
{
    static const struct credits_fabric fabric = {
        .link = PORT_INFINIBAND,
        .name = "InfiniBand",
        .kind = SCENARIO_INFINIBAND,
        .lag = "lag: InfiniBand has no link aggregation; expected none",
        .pfc_priorities = (1 << PRIORITIES) - 1,
        .buffer = lane_of,
        .finish_port = finish_port,
        .finish_host = finish_host,
    };
    const struct scenario *scenario = loader->scenario;
    refuse_other_links(loader);
    if (!scenario_has_kind(scenario, SCENARIO_INFINIBAND))
        return;
    if (scenario->endpoint_count > FRAME_LIDS)
        tree_error(loader->diag, loader->root,
                   "hosts: more than %d ports, the number of unicast LIDs of InfiniBand",
                   FRAME_LIDS);
    scenario_finish_credits(loader, &fabric);
}
