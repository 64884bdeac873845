/* SPDX-License-Identifier: Apache-2.0
 * scenario_credits - what links, switches and hosts with credits have in common. */
#include "scenarios/load/scenario_credits.h"

#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "net/switch/watchdog.h"

#include <string.h>

enum { SHARED_BYTES = 256 * 1024 };

bool credits_is_written(const struct block *block, const char *row)
{
    const struct block_origin *origin = &block->origins[block_row(block, row)];
    return origin->where.file != NULL && origin->profile == NULL;
}

int64_t credits_default(enum scenario_kind kind, const char *row, int64_t preset)
{
    static const struct {
        enum scenario_kind kind;
        const char *row;
        int64_t value;
    } defaults[] = {
        {SCENARIO_INFINIBAND, "mtu", 4096},
        {SCENARIO_FIBRE_CHANNEL, "mtu", 2048},
        {SCENARIO_FIBRE_CHANNEL, "rate", INT64_C(27200000000)}, /* 32GFC */
    };
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        if (defaults[i].kind == kind && strcmp(defaults[i].row, row) == 0)
            return defaults[i].value;
    return preset;
}

const char *credits_word(const struct block *block, const char *row)
{
    return credits_is_written(block, row) ? block->origins[block_row(block, row)].word : NULL;
}

void credits_refuse(struct loader *loader, const struct block *block, const char *row,
                    const char *text)
{
    tree_message(loader->diag, DIAG_ERROR, loader->root,
                 block_place(block, row, loader->root->place), text);
}

static void finish_port(struct loader *loader, const struct block *block,
                        const struct credits_fabric *of)
{
    struct port_params *port = block->params;
    char text[DIAG_TEXT_BYTES];
    if (port->kind == of->link)
        return;
    port->kind = of->link;
    if (credits_is_written(block, "flow-control") && port->flow_control != PORT_FLOW_CREDITS) {
        snprintf(text, sizeof text,
                 "flow-control: a link of %s has credits; expected credits, or nothing", of->name);
        credits_refuse(loader, block, "flow-control", text);
    }
    if (credits_is_written(block, "pfc-enabled") && port->pfc_enabled != PORT_PFC_AUTO) {
        snprintf(text, sizeof text,
                 "pfc-enabled: a link of %s has credits, not PFC; expected auto, or nothing",
                 of->name);
        credits_refuse(loader, block, "pfc-enabled", text);
    }
    port->flow_control = PORT_FLOW_CREDITS;
    of->finish_port(loader, block, port);
}

static void finish_host(struct loader *loader, const struct loader_host *host,
                        const struct credits_fabric *of)
{
    struct rnic_params *rnic = host->rnic->params;
    char text[DIAG_TEXT_BYTES];
    if (rnic->link == of->link)
        return;
    rnic->link = of->link;
    rnic->roce_version = 2;
    rnic->pfc = 0;
    if (rnic->soft.software) {
        snprintf(text, sizeof text,
                 "software: true is RoCEv2 in the host's software, and needs Ethernet; this fabric "
                 "has kind: %s",
                 scenario_kind_word(of->kind));
        credits_refuse(loader, host->rnic, "software", text);
    }
    if (rnic->lag != RNIC_LAG_NONE)
        credits_refuse(loader, host->rnic, "lag", of->lag);
    of->finish_host(loader, host, rnic);
}

/* The largest number of ports and of bytes of a buffer of all switches, which may share a block. */
struct sizes {
    int64_t ports, buffer;
};

static struct sizes sizes_of(const struct loader *loader, const struct credits_fabric *of)
{
    struct sizes sizes = {0};
    for (uint32_t i = 0; i < loader->scenario->node_count; i++) {
        const struct scenario_node *node = &loader->scenario->nodes[i];
        const bool counts = node->kind == SCENARIO_SWITCH && node->link == of->kind;
        for (uint16_t p = 0; counts && p < node->port_count; p++) {
            const int64_t buffer = of->buffer(loader->nodes[i].port_blocks[p]->params);
            sizes.buffer = buffer > sizes.buffer ? buffer : sizes.buffer;
        }
        if (counts && node->port_count > sizes.ports)
            sizes.ports = node->port_count;
    }
    return sizes;
}

static void finish_switch(const struct block *block, struct sizes sizes,
                          const struct credits_fabric *of)
{
    struct switch_params *params = block->params;
    params->pfc_priorities = of->pfc_priorities;
    params->cell = CREDIT_UNIT_BYTES;
    params->ports = sizes.ports;
    params->reserved = sizes.buffer;
    params->headroom = 0;
    params->headroom_pool = SWITCH_HEADROOM_POOL_NONE;
    params->buffer = sizes.ports * PRIORITIES * sizes.buffer + SHARED_BYTES;
    params->egress_limit = SWITCH_EGRESS_LIMIT_NONE;
    params->watchdog = WATCHDOG_OFF;
}

void scenario_finish_credits(struct loader *loader, const struct credits_fabric *of)
{
    const struct scenario *scenario = loader->scenario;
    finish_port(loader, loader->bases.layers[of->kind].host_links, of);
    finish_port(loader, loader->bases.layers[of->kind].fabric_links, of);
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t p = 0;
             scenario->nodes[i].link == of->kind && p < scenario->nodes[i].port_count; p++)
            finish_port(loader, loader->nodes[i].port_blocks[p], of);
    const struct sizes sizes = sizes_of(loader, of);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        if (scenario->nodes[i].link != of->kind)
            continue;
        if (scenario->nodes[i].kind == SCENARIO_HOST)
            finish_host(loader, loader->nodes[i].host, of);
        else
            finish_switch(loader->nodes[i].switch_block, sizes, of);
    }
}
