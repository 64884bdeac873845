/* SPDX-License-Identifier: Apache-2.0
 * scenario_fc - adapts the parameters of a fabric of Fibre Channel.
 * Blocks are shared by nodes; adapting one again changes nothing. */
#include "scenarios/load/scenario_fc.h"

#include "fc/fc_frame.h"
#include "net/port/credits.h"
#include "net/switch/switch.h"
#include "net/switch/watchdog.h"
#include "rnic/host/rnic.h"

#include <string.h>

enum { SHARED_BYTES = 256 * 1024, DATA_LEAST = 1024, DATA_USUAL = 2048 };
#define RATE_USUAL INT64_C(27200000000) /* 32GFC */

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

/* ------------------------------------------------------------------ ports */

/* An NVMe link service has 1024 B, which must fit in one frame of the model. */
static void check_data(struct loader *loader, const struct block *block,
                       const struct port_params *port)
{
    char text[DIAG_TEXT_BYTES];
    if (port->mtu >= DATA_LEAST && port->mtu <= WIRE_FC_DATA_MOST && port->mtu % 4 == 0)
        return;
    snprintf(text, sizeof text,
             "mtu: expected the largest data field of a frame, 1024B to 2112B in words of 4 B, but "
             "found %lld B",
             (long long)port->mtu);
    refuse(loader, block, "mtu", text);
}

static void finish_port(struct loader *loader, const struct block *block)
{
    struct port_params *port = block->params;
    if (port->kind == PORT_FIBRE_CHANNEL)
        return;
    port->kind = PORT_FIBRE_CHANNEL;
    if (is_written(block, "pfc-enabled"))
        refuse(loader, block, "pfc-enabled",
               "pfc-enabled: a link of Fibre Channel has credits, not PFC; remove it");
    if (is_written(block, "flow-control") && port->flow_control != PORT_FLOW_CREDITS)
        refuse(loader, block, "flow-control",
               "flow-control: a link of Fibre Channel has credits; expected credits, or nothing");
    if (is_written(block, "vl-buffer"))
        refuse(loader, block, "vl-buffer",
               "vl-buffer: Fibre Channel counts frames, not bytes; expected bb-credit");
    port->flow_control = PORT_FLOW_CREDITS;
    if (!is_written(block, "mtu"))
        port->mtu = DATA_USUAL;
    if (!is_written(block, "rate"))
        port->rate = RATE_USUAL;
    check_data(loader, block, port);
}

/* ------------------------------------------------------------------ switches and hosts */

/* The largest number of ports and of bytes of a port's buffer of all switches, which may share a
 * block. */
struct sizes {
    int64_t ports, buffer;
};

static struct sizes sizes_of(const struct loader *loader)
{
    struct sizes sizes = {0};
    for (uint32_t i = 0; i < loader->scenario->node_count; i++) {
        const struct scenario_node *node = &loader->scenario->nodes[i];
        for (uint16_t p = 0; node->kind == SCENARIO_SWITCH && p < node->port_count; p++) {
            const struct port_params *port = loader->nodes[i].port_blocks[p]->params;
            const int64_t cells =
                (port_largest_frame(port) + CREDIT_UNIT_BYTES - 1) / CREDIT_UNIT_BYTES;
            const int64_t buffer = port->bb_credit * cells * CREDIT_UNIT_BYTES;
            sizes.buffer = buffer > sizes.buffer ? buffer : sizes.buffer;
        }
        if (node->kind == SCENARIO_SWITCH && node->port_count > sizes.ports)
            sizes.ports = node->port_count;
    }
    return sizes;
}

static void finish_switch(const struct block *block, struct sizes sizes)
{
    struct switch_params *params = block->params;
    params->pfc_priorities = 1; /* all frames */
    params->cell = CREDIT_UNIT_BYTES;
    params->ports = sizes.ports;
    params->reserved = sizes.buffer;
    params->headroom = 0;
    params->headroom_pool = SWITCH_HEADROOM_POOL_NONE;
    params->buffer = sizes.ports * PRIORITIES * sizes.buffer + SHARED_BYTES;
    params->egress_limit = SWITCH_EGRESS_LIMIT_NONE;
    params->watchdog = WATCHDOG_OFF;
}

static void finish_host(struct loader *loader, const struct loader_host *host)
{
    struct rnic_params *rnic = host->rnic->params;
    if (rnic->link == PORT_FIBRE_CHANNEL)
        return;
    rnic->link = PORT_FIBRE_CHANNEL;
    rnic->roce_version = 2;
    rnic->pfc = 0;
    rnic->priority = 0;
    pipeline_turn_off(&rnic->pipeline);
    if (rnic->soft.software)
        refuse(loader, host->rnic, "software",
               "software: true is RoCEv2 in the host's software, and needs Ethernet; this fabric "
               "has kind: fibre-channel");
    if (rnic->lag != RNIC_LAG_NONE)
        refuse(loader, host->rnic, "lag",
               "lag: a host has no link aggregation on Fibre Channel; expected none");
}

void scenario_finish_fc(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    if (scenario->kind != SCENARIO_FIBRE_CHANNEL)
        return;
    if (scenario->endpoint_count > FC_ENDPOINTS_MAX)
        tree_error(loader->diag, loader->root,
                   "hosts: more than %d ports, the areas of 239 domains", FC_ENDPOINTS_MAX);
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
