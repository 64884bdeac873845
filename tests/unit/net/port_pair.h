/* SPDX-License-Identifier: Apache-2.0
 * port_pair - two pumps joined by a cable, and an observer of their pauses. */
#ifndef STORMGLASS_TESTS_PORT_PAIR_H
#define STORMGLASS_TESTS_PORT_PAIR_H

#include "tests/unit/net/pump.h"

/* What the observer saw in one priority.  Edges that do not alternate are counted. */
struct pair_edges {
    uint64_t xoff, xon, refreshes, blocks, unblocks, wrong;
    bool asserted, blocked;
};

struct pair {
    struct engine engine;
    struct frame_pool frames;
    struct probe probe;
    struct pair_edges edges[PRIORITIES];
    struct pump a, b;
};

/* Defaults of the rows but for rate and response. */
struct port_params pair_params(int64_t gbps, int64_t response);

void pair_init_ports(struct pair *pair, const struct port_params *a, const struct port_params *b);
void pair_init(struct pair *pair, int64_t gbps, int64_t response);
void pair_fini(struct pair *pair);

/* Runs until then; b wants a paused (xoff) or lets it go. */
void pair_ask(struct pair *pair, uint8_t priority, bool xoff, time_ps at);

/* Runs until then; the carrier of both ends comes or goes. */
void pair_set_up(struct pair *pair, bool up, time_ps at);

/* From the start of a MAC control frame to its effect at the peer. */
time_ps pair_heard_ps(const struct pair *pair);

#endif
