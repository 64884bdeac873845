/* SPDX-License-Identifier: Apache-2.0
 * scenario_infiniband - the kind of the fabric, and the values that follow from it.
 * Blocks are shared by nodes; adapting one again changes nothing. */
#include "scenarios/load/scenario_infiniband.h"

#include "base/nearest.h"
#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "net/switch/watchdog.h"
#include "rnic/host/rnic.h"

#include <string.h>

enum { SHARED_BYTES = 256 * 1024, IB_MTU_LEAST = 256, IB_MTU_MOST = 4096 };

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

/* ------------------------------------------------------------------ ports */

/* True if the scenario sets the value itself. */
static bool is_written(const struct block *block, const char *row)
{
    const struct block_origin *origin = &block->origins[block_row(block, row)];
    return origin->where.file != NULL && origin->profile == NULL;
}

static void refuse(struct loader *loader, const struct block *block, const char *row,
                   const char *text)
{
    tree_message(loader->diag, DIAG_ERROR, loader->root,
                 block_place(block, row, loader->root->place), text);
}

/* The rows of Ethernet that contradict credits. */
static void check_port(struct loader *loader, const struct block *block,
                       const struct port_params *port)
{
    char text[DIAG_TEXT_BYTES];
    const int64_t largest = port_largest_frame(port);
    if (is_written(block, "pfc-enabled")) {
        refuse(loader, block, "pfc-enabled",
               "pfc-enabled: a link of InfiniBand has credits, not PFC; remove it");
    } else if ((port->mtu & (port->mtu - 1)) != 0 || port->mtu < IB_MTU_LEAST ||
               port->mtu > IB_MTU_MOST) {
        snprintf(text, sizeof text,
                 "mtu: expected an MTU of InfiniBand (256B, 512B, 1024B, 2048B or 4096B), but "
                 "found %lld B",
                 (long long)port->mtu);
        refuse(loader, block, "mtu", text);
    } else if (port->lane_buffer < largest) {
        snprintf(text, sizeof text,
                 "vl-buffer: %lld B are less than the largest packet, %lld B with its headers at "
                 "mtu %lld B: the link would never send it",
                 (long long)port->lane_buffer, (long long)largest, (long long)port->mtu);
        refuse(loader, block, "vl-buffer", text);
    }
}

static void finish_port(struct loader *loader, const struct block *block)
{
    struct port_params *port = block->params;
    if (port->kind == PORT_INFINIBAND)
        return;
    port->kind = PORT_INFINIBAND;
    if (is_written(block, "flow-control") && port->flow_control != PORT_FLOW_CREDITS)
        refuse(loader, block, "flow-control",
               "flow-control: a link of InfiniBand has credits; expected credits, or nothing");
    port->flow_control = PORT_FLOW_CREDITS;
    if (!is_written(block, "mtu"))
        port->mtu = IB_MTU_MOST;
    check_port(loader, block, port);
}

/* ------------------------------------------------------------------ switches and hosts */

/* The largest number of ports and of bytes per lane of all switches, which may share a block. */
struct sizes {
    int64_t ports, lane;
};

static struct sizes sizes_of(const struct loader *loader)
{
    struct sizes sizes = {0};
    for (uint32_t i = 0; i < loader->scenario->node_count; i++) {
        const struct scenario_node *node = &loader->scenario->nodes[i];
        for (uint16_t p = 0; node->kind == SCENARIO_SWITCH && p < node->port_count; p++) {
            const struct port_params *port = loader->nodes[i].port_blocks[p]->params;
            sizes.lane = port->lane_buffer > sizes.lane ? port->lane_buffer : sizes.lane;
        }
        if (node->kind == SCENARIO_SWITCH && node->port_count > sizes.ports)
            sizes.ports = node->port_count;
    }
    return sizes;
}

static void finish_switch(const struct block *block, struct sizes sizes)
{
    struct switch_params *params = block->params;
    params->pfc_priorities = (1 << PRIORITIES) - 1;
    params->cell = CREDIT_UNIT_BYTES;
    params->ports = sizes.ports;
    params->reserved = sizes.lane;
    params->headroom = 0;
    params->headroom_pool = SWITCH_HEADROOM_POOL_NONE;
    params->buffer = sizes.ports * PRIORITIES * sizes.lane + SHARED_BYTES;
    params->egress_limit = SWITCH_EGRESS_LIMIT_NONE;
    params->watchdog = WATCHDOG_OFF;
}

static void finish_host(struct loader *loader, const struct loader_host *host)
{
    struct rnic_params *rnic = host->rnic->params;
    if (rnic->link == PORT_INFINIBAND)
        return;
    rnic->link = PORT_INFINIBAND;
    rnic->roce_version = 2;
    rnic->pfc = 0;
    if (!is_written(host->rnic, "priority"))
        rnic->priority = 0;
    if (rnic->soft.software)
        refuse(loader, host->rnic, "software",
               "software: true is RoCEv2 in the host's software, and needs Ethernet; this fabric "
               "has kind: infiniband");
    if (rnic->lag != RNIC_LAG_NONE)
        refuse(loader, host->rnic, "lag", "lag: InfiniBand has no link aggregation; expected none");
    if (host->cc->wants_telemetry)
        tree_message(
            loader->diag, DIAG_ERROR, loader->root,
            host->control_place.file != NULL ? host->control_place : loader->root->place,
            "this congestion control needs telemetry of Ethernet switches; this fabric has "
            "kind: infiniband");
}

static void refuse_credits(struct loader *loader)
{
    const struct scenario *scenario = loader->scenario;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++) {
            const struct block *block = loader->nodes[i].port_blocks[p];
            if (((const struct port_params *)block->params)->flow_control != PORT_FLOW_CREDITS)
                continue;
            refuse(loader, block, "flow-control",
                   "flow-control: credits needs fabric.kind: infiniband or fibre-channel; "
                   "expected pfc, global or "
                   "none");
            return;
        }
}

void scenario_finish_infiniband(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    if (scenario->kind != SCENARIO_INFINIBAND) {
        if (scenario->kind == SCENARIO_ETHERNET)
            refuse_credits(loader);
        return;
    }
    if (scenario->endpoint_count > FRAME_LIDS)
        tree_error(loader->diag, loader->root,
                   "hosts: more than %d ports, the number of unicast LIDs of InfiniBand",
                   FRAME_LIDS);
    finish_port(loader, loader->bases.host_links);
    finish_port(loader, loader->bases.fabric_links);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0; p < scenario->nodes[i].port_count; p++)
            finish_port(loader, loader->nodes[i].port_blocks[p]);
    const struct sizes sizes = sizes_of(loader);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        if (scenario->nodes[i].kind == SCENARIO_HOST)
            finish_host(loader, loader->nodes[i].host);
        else
            finish_switch(loader->nodes[i].switch_block, sizes);
    }
}
