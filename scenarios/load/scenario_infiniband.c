/* SPDX-License-Identifier: Apache-2.0
 * scenario_infiniband - the kind of the fabric, and the values that follow from it. */
#include "scenarios/load/scenario_infiniband.h"

#include "base/nearest.h"
#include "base/quantity.h"
#include "scenarios/load/scenario_credits.h"

#include <stdio.h>
#include <string.h>

enum { IB_MTU_LEAST = 256, IB_MTU_MOST = 4096 };

static const char *const kind_words[] = {
#define X(name, word) word,
    SCENARIO_KINDS(X)
#undef X
};

/* ------------------------------------------------------------------ reading */

static void show_kind(struct loader *loader, const struct tree_node *written)
{
    const struct scenario_choice choice = {
        .path = "fabric",
        .name = "kind",
        .word = written->text,
        .preset = kind_words[SCENARIO_ETHERNET],
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
    for (size_t i = 0; i < sizeof kind_words / sizeof kind_words[0]; i++) {
        if (strcmp(written->text, kind_words[i]) == 0) {
            loader->scenario->kind = (enum scenario_kind)i;
            show_kind(loader, written);
            return;
        }
        nearest_offer(&nearest, kind_words[i]);
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

uint8_t *scenario_load_service_levels(struct loader *loader, const struct tree_node *fabric)
{
    const struct tree_node *written = scenario_map(loader, fabric, "sl-to-vl");
    if (loader->scenario->kind != SCENARIO_INFINIBAND) {
        if (written != NULL)
            tree_error(loader->diag, written,
                       "sl-to-vl needs kind: infiniband; Ethernet has switch.dscp");
        /* Fibre Channel: all frames are of one class. */
        return loader->scenario->kind == SCENARIO_FIBRE_CHANNEL
                   ? arena_take(loader->arena, SCENARIO_DSCPS)
                   : NULL;
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

static void refuse_control(struct loader *loader, const struct tree_node *word,
                           const struct cc_ops *ops)
{
    const enum scenario_kind kind = loader->scenario->kind;
    char names[DIAG_TEXT_BYTES / 2] = "";
    size_t length = 0;
    for (const struct cc_preset *preset = cc_list; preset->name != NULL; preset++)
        if (suits(preset->ops, kind) && length < sizeof names)
            length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
                                       length > 0 ? ", " : "", preset->name);
    tree_error(loader->diag, word,
               "congestion-control: %s needs %s, but fabric.kind is %s; expected one of %s",
               word->text,
               ops->link == CC_INFINIBAND ? "FECN and BECN of InfiniBand"
               : ops->wants_telemetry     ? "telemetry of Ethernet switches"
                                          : "ECN marks of Ethernet switches",
               kind_words[kind], names);
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
    if (suits(found->ops, loader->scenario->kind))
        return found;
    refuse_control(loader, word, found->ops);
    return NULL;
}

/* ------------------------------------------------------------------ ports and hosts */

/* False, with a message, for a rate that another network names, such as 32GFC. */
static bool check_rate(struct loader *loader, const struct block *block, const char *expected)
{
    const char *name = credits_word(block, "rate");
    const char *network = name == NULL ? NULL : quantity_rate_network(name);
    const bool infiniband = loader->scenario->kind == SCENARIO_INFINIBAND;
    char text[DIAG_TEXT_BYTES];
    if (network == NULL || (infiniband && strcmp(network, "InfiniBand") == 0))
        return true;
    snprintf(text, sizeof text,
             "rate: %s is a rate of %s, and this fabric has kind: %s; expected %s", name, network,
             infiniband ? "infiniband" : "ethernet", expected);
    credits_refuse(loader, block, "rate", text);
    return false;
}

static void finish_port(struct loader *loader, const struct block *block, struct port_params *port)
{
    char text[DIAG_TEXT_BYTES];
    check_rate(loader, block, "a rate such as EDR or 100Gbps");
    if (!credits_is_written(block, "mtu"))
        port->mtu = credits_default(loader->scenario->kind, "mtu", port->mtu);
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
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++) {
            const struct block *block = loader->nodes[i].port_blocks[p];
            if (!check_rate(loader, block, "a rate such as 25Gbps"))
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
        .kind = "infiniband",
        .lag = "lag: InfiniBand has no link aggregation; expected none",
        .pfc_priorities = (1 << PRIORITIES) - 1,
        .buffer = lane_of,
        .finish_port = finish_port,
        .finish_host = finish_host,
    };
    const struct scenario *scenario = loader->scenario;
    if (scenario->kind != SCENARIO_INFINIBAND) {
        if (scenario->kind == SCENARIO_ETHERNET)
            refuse_other_links(loader);
        return;
    }
    if (scenario->endpoint_count > FRAME_LIDS)
        tree_error(loader->diag, loader->root,
                   "hosts: more than %d ports, the number of unicast LIDs of InfiniBand",
                   FRAME_LIDS);
    scenario_finish_credits(loader, &fabric);
}
