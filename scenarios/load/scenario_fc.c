/* SPDX-License-Identifier: Apache-2.0
 * scenario_fc - adapts the parameters of a fabric of Fibre Channel. */
#include "scenarios/load/scenario_fc.h"

#include "base/quantity.h"
#include "fc/fc_frame.h"
#include "net/port/credits.h"
#include "scenarios/load/scenario_credits.h"

#include <string.h>

enum { DATA_LEAST = 1024 };

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
    credits_refuse(loader, block, "mtu", text);
}

static void check_rate(struct loader *loader, const struct block *block,
                       const struct port_params *port)
{
    const char *word = credits_word(block, "rate");
    char text[DIAG_TEXT_BYTES], rate[QUANTITY_TEXT_BYTES];
    if (quantity_fc_rate(port->rate) != NULL)
        return;
    quantity_format(QUANTITY_RATE, port->rate, rate, sizeof rate);
    snprintf(text, sizeof text,
             "rate: Fibre Channel has no rate of %s; expected 8GFC, 16GFC, 32GFC, 64GFC or 128GFC",
             word != NULL ? word : rate);
    credits_refuse(loader, block, "rate", text);
}

int64_t scenario_rate(const struct block *block, enum scenario_kind kind)
{
    const struct port_params *port = block->params;
    return credits_is_written(block, "rate") ? port->rate
                                             : credits_default(kind, "rate", port->rate);
}

/* A default that is written is no error. */
static bool is_usual_buffer(const struct port_params *port)
{
    struct port_params usual;
    opt_presets(port_opts, &usual);
    return port->lane_buffer == usual.lane_buffer;
}

static void finish_port(struct loader *loader, const struct block *block, struct port_params *port)
{
    if (credits_is_written(block, "vl-buffer") && !is_usual_buffer(port))
        credits_refuse(loader, block, "vl-buffer",
                       "vl-buffer: Fibre Channel counts frames, not bytes; expected bb-credit");
    if (!credits_is_written(block, "mtu"))
        port->mtu = credits_default(SCENARIO_FIBRE_CHANNEL, "mtu", port->mtu);
    port->rate = scenario_rate(block, SCENARIO_FIBRE_CHANNEL);
    check_rate(loader, block, port);
    check_data(loader, block, port);
}

static void finish_host(struct loader *loader, const struct loader_host *host,
                        struct rnic_params *rnic)
{
    (void)loader, (void)host;
    rnic->priority = 0;
    pipeline_turn_off(&rnic->pipeline);
}

static int64_t buffer_of(const struct port_params *port)
{
    const int64_t cells = (port_largest_frame(port) + CREDIT_UNIT_BYTES - 1) / CREDIT_UNIT_BYTES;
    return port->bb_credit * cells * CREDIT_UNIT_BYTES;
}

void scenario_finish_fc(struct loader *loader)
{
    static const struct credits_fabric fabric = {
        .link = PORT_FIBRE_CHANNEL,
        .name = "Fibre Channel",
        .kind = SCENARIO_FIBRE_CHANNEL,
        .lag = "lag: a host has no link aggregation on Fibre Channel; expected none",
        .pfc_priorities = 1, /* all frames */
        .buffer = buffer_of,
        .finish_port = finish_port,
        .finish_host = finish_host,
    };
    if (!scenario_has_kind(loader->scenario, SCENARIO_FIBRE_CHANNEL))
        return;
    if (loader->scenario->endpoint_count > FC_ENDPOINTS_MAX)
        tree_error(loader->diag, loader->root,
                   "hosts: more than %d ports, the areas of 239 domains", FC_ENDPOINTS_MAX);
    scenario_finish_credits(loader, &fabric);
}

/* Each end tells the other its credits (bb-credit) at login. The interval of checkpoints and the
 * largest data field must be the same at both. */
void scenario_check_fc_link(struct loader *loader, const struct scenario_link *link)
{
    static const char *const rows[] = {"bb-sc-n", "mtu"};
    char text[DIAG_TEXT_BYTES];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct opt *row = opt_find(port_opts, rows[i]);
        const struct block *ends[2];
        int64_t values[2];
        for (int end = 0; end < 2; end++) {
            ends[end] = loader->nodes[link->node[end]].port_blocks[link->port[end]];
            values[end] = *opt_field(row, ends[end]->params);
        }
        if (values[0] == values[1])
            continue;
        snprintf(text, sizeof text,
                 "%s: found %lld and %lld%s at the ends of link %s, expected the same value, on "
                 "which they agree at login; override the link, not a port",
                 rows[i], (long long)values[0], (long long)values[1],
                 row->type == OPT_SIZE ? " B" : "", link->name);
        credits_refuse(loader, ends[credits_is_written(ends[0], rows[i]) ? 0 : 1], rows[i], text);
    }
}
