/* SPDX-License-Identifier: Apache-2.0
 * limits_engines - a table of what an RNIC with a pipeline is made of. */
#include "replay/record/limits_engines.h"

#include "replay/record/usage.h"

#include <stdio.h>

static const struct part {
    enum bottleneck_resource resource;
    enum usage_rnic what;
    const char *before, *behind; /* the host's name */
} parts[] = {
    {BOTTLENECK_RNIC, USAGE_RNIC_MESSAGES, "the message engine of ", "'s RNIC"},
    {BOTTLENECK_RNIC, USAGE_RNIC_TX, "the engine for packets sent by ", "'s RNIC"},
    {BOTTLENECK_RNIC, USAGE_RNIC_RX, "the engine for packets received by ", "'s RNIC"},
    {BOTTLENECK_PCIE, USAGE_RNIC_PCIE_DOWN, "PCIe from the memory of ", " to its RNIC"},
    {BOTTLENECK_PCIE, USAGE_RNIC_PCIE_UP, "PCIe from the RNIC of ", " to its memory"},
    {BOTTLENECK_RNIC, USAGE_QP_RESTS, "the engine of each queue pair in ", "'s RNIC"},
};

static int64_t used_of(const struct usage *usage, uint32_t node, uint16_t port,
                       enum usage_rnic what)
{
    const int64_t busy = usage_of_rnic(usage, node, port, what);
    const int64_t whole = what == USAGE_QP_RESTS ? usage_of_rnic(usage, node, port, USAGE_QP_ACTIVE)
                                                 : usage_span(usage);
    if (busy <= 0 || whole <= 0)
        return 0;
    return busy >= whole ? PPM : (int64_t)((__int128)busy * PPM / whole);
}

static void add(const struct collect *collect, uint32_t node, uint16_t port,
                const struct part *part, struct bottleneck_input *input)
{
    struct bottleneck_use *use = &input->uses[part->resource];
    const int64_t used = used_of(collect->usage, node, port, part->what);
    if (used <= use->used)
        return;
    use->used = used;
    use->covers = PPM;
    snprintf(use->where, sizeof use->where, "%s%.60s%s", part->before,
             collect->scenario->nodes[node].name, part->behind);
}

void limits_engines(const struct collect *collect, const bool *nodes,
                    struct bottleneck_input *input)
{
    const struct scenario *scenario = collect->scenario;
    for (uint32_t node = 0; node < scenario->node_count; node++)
        for (uint16_t port = 0; nodes[node] && port < scenario->nodes[node].port_count; port++)
            for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
                add(collect, node, port, &parts[i], input);
}
