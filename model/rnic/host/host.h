/* SPDX-License-Identifier: Apache-2.0
 * host - a node with RNICs, and the env of its protocols.
 * Implements struct env on virtual time; a timer has at most one pending event, however often it is
 * moved to a later time.
 * Owner: the caller of host_init; the host's address must not change. Protocols may call verbs and
 * timers from callbacks, and from outside between engine_start and the end of the run. */
#ifndef STORMGLASS_RNIC_HOST_HOST_H
#define STORMGLASS_RNIC_HOST_HOST_H

#include "base/env.h"
#include "engine/engine.h"
#include "rnic/host/lag.h"
#include "rnic/host/rnic.h"
#include "rnic/soft/machine.h"
#include "rnic/verbs.h"

struct fc;
struct tcp;
struct tcp_params;

enum { HOST_RNICS = 8 };

/* Event kinds of a host itself. */
enum host_event {
    HOST_EVENT_TIMER = RNIC_EVENT_FIRST_OWN, /* argument: timer */
    HOST_EVENT_PROCESSOR                     /* argument: the processor's serial */
};

struct host {
    alignas(64) struct node node; /* first member: the engine casts it to a host */
    uint32_t ready_ports;         /* mask of ports that became ready during this event, and
                                   * RNIC_HOST_BUSY */
    uint32_t rnic_count;
    struct rnic *rnics[HOST_RNICS];
    struct frame_pool *frames;
    struct env env;
    struct machine *machine; /* NULL: every RNIC and protocol has a processor of its own */
    struct lag *lag;         /* aggregate of all its RNICs, or NULL */
};

/* Adds the host to the engine; before engine_start. */
void host_init(struct host *host, struct engine *engine, const char *name,
               struct frame_pool *frames, const struct probe *probe);
/* Before RNICs are added: software RNICs, timers and env_work use the machine's processor. */
void host_join_machine(struct host *host, struct machine *machine);

void host_fini(struct host *host);

/* Parameters for creating an RNIC. */
struct host_rnic {
    uint32_t endpoint; /* index in the fabric: its IP address is 10.0.0.1 + endpoint */
    struct rnic *card; /* RNIC with the same params whose pipeline it shares; NULL: a card of its
                        * own */
    const struct port_params *port;
    const struct rnic_params *params;
    const struct cc_ops *cc;         /* cc_find(...)->ops */
    const void *cc_params;           /* filled in by its rows; NULL: no parameters */
    const uint8_t *priority_of_dscp; /* as in struct rnic_site */
};

/* Adds an RNIC; its port has the index of the RNIC. Join the port, then start the engine. */
struct rnic *host_add_rnic(struct host *host, const struct host_rnic *with);

/* Gives an RNIC's port a TCP of its own. */
struct tcp *host_add_tcp(struct host *host, uint32_t index, const struct tcp_params *params);

/* Makes the RNIC at a port of Fibre Channel an HBA: an N_Port takes the port over. */
struct fc *host_add_fc(struct host *host, uint32_t index);

/* Combines all its RNICs into a link aggregate; those in mask `cabled` have a link. Before the
 * engine starts. */
void host_aggregate(struct host *host, uint8_t cabled);

static inline struct port *host_port(struct host *host, uint32_t index)
{
    return &host->rnics[index]->port;
}

struct verbs_device *host_device(struct host *host, uint32_t index);

void host_audit(const struct host *host);

#endif
