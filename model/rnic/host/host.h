/* SPDX-License-Identifier: Apache-2.0
 * host - a node with RNICs, and the world as its protocols see it.
 * Implements struct env on virtual time: a timer is one event at most, however often it is moved
 * later.
 * Owner: whoever calls host_init; the host's address must not change.  Protocols may call verbs and
 * timers from callbacks, and from outside between engine_start and the end of the run. */
#ifndef STORMGLASS_RNIC_HOST_HOST_H
#define STORMGLASS_RNIC_HOST_HOST_H

#include "base/env.h"
#include "engine/engine.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic.h"
#include "rnic/soft/machine.h"
#include "rnic/verbs.h"

enum { HOST_RNICS = 8 };

/* A host's own kinds of event. */
enum host_event {
    HOST_EVENT_TIMER = RNIC_EVENT_FIRST_OWN, /* argument: the timer */
    HOST_EVENT_PROCESSOR                     /* argument: the processor's serial */
};

struct host {
    alignas(64) struct node node; /* first: the engine knows a host by it */
    uint32_t ready_ports;         /* that became ready during this event, and RNIC_HOST_BUSY */
    uint32_t rnic_count;
    struct rnic *rnics[HOST_RNICS];
    struct frame_pool *frames;
    struct env env;
    struct machine *machine; /* NULL: everything has a processor of its own */
    struct lag *lag;         /* of all its RNICs, or NULL */
};

/* Adds the host to the engine; before engine_start. */
void host_init(struct host *host, struct engine *engine, const char *name,
               struct frame_pool *frames, const struct probe *probe);
/* Before it has RNICs: software RNICs, timers and what env_work says run on the machine's
 * processor. */
void host_join_machine(struct host *host, struct machine *machine);

void host_fini(struct host *host);

/* What an RNIC of a scenario is made from. */
struct host_rnic {
    uint32_t endpoint; /* index in the fabric: its IP address is 10.0.0.1 + endpoint */
    struct rnic *card; /* of the same params, whose pipeline it shares; NULL: a card of its own */
    const struct port_params *port;
    const struct rnic_params *params;
    const struct cc_ops *cc;         /* cc_find(...)->ops */
    const void *cc_params;           /* as its rows fill them; NULL where it has none */
    const uint8_t *priority_of_dscp; /* as struct rnic_site has it */
};

/* Adds an RNIC; its port has the index of the RNIC.  Join the port, then start the engine. */
struct rnic *host_add_rnic(struct host *host, const struct host_rnic *with);

/* Makes one link aggregate of all its RNICs, of which those in the mask have a link; before the
 * engine starts. */
void host_aggregate(struct host *host, uint8_t cabled);

static inline struct port *host_port(struct host *host, uint32_t index)
{
    return &host->rnics[index]->port;
}

struct verbs_device *host_device(struct host *host, uint32_t index);

void host_audit(const struct host *host);

#endif
