/* SPDX-License-Identifier: Apache-2.0
 * scenario_credits - fabrics whose links have credits: InfiniBand and Fibre Channel.
 * Links get flow control by credits, and the buffers that the credits stand for become reserved
 * memory of the switches, so that nothing is ever dropped for lack of buffer. Blocks are shared by
 * nodes; each is adapted once. The values are written into the blocks, so that the settings of a
 * run show them. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_CREDITS_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_CREDITS_H

#include "net/port/port.h"
#include "rnic/host/rnic.h"
#include "scenarios/load/scenario_load.h"

struct credits_fabric {
    enum port_kind link;
    const char *name; /* "Fibre Channel" */
    enum scenario_kind kind;
    const char *lag;        /* the error for a host with link aggregation */
    int64_t pfc_priorities; /* of a switch: those with buffers of their own */
    /* Bytes of a port's buffer, for each of these. */
    int64_t (*buffer)(const struct port_params *port);
    /* The rest of a link and of a host. */
    void (*finish_port)(struct loader *loader, const struct block *block, struct port_params *port);
    void (*finish_host)(struct loader *loader, const struct loader_host *host,
                        struct rnic_params *rnic);
};

/* Adapts the blocks of all nodes and ports, when overrides have been applied. */
void scenario_finish_credits(struct loader *loader, const struct credits_fabric *of);

/* Whether the scenario sets the value itself, rather than a profile or the default. */
bool credits_is_written(const struct block *block, const char *row);

/* The default of a link's parameter on this kind of fabric; elsewhere `preset`. */
int64_t credits_default(enum scenario_kind kind, const char *row, int64_t preset);

/* The value as the scenario itself writes it, or NULL. */
const char *credits_word(const struct block *block, const char *row);

/* An error at the place of the value. */
void credits_refuse(struct loader *loader, const struct block *block, const char *row,
                    const char *text);

#endif
