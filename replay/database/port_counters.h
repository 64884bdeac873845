/* SPDX-License-Identifier: Apache-2.0
 * port_counters - the port counters of a run, accessible under every name of a port.
 * Counters that the table omits are zero; counters that a kind of port does not have are absent.
 * Owner: port_counters_free. Errors: those of the store; the list is then empty. */
#ifndef STORMGLASS_REPLAY_DATABASE_PORT_COUNTERS_H
#define STORMGLASS_REPLAY_DATABASE_PORT_COUNTERS_H

#include "replay/database/counter.h"
#include "replay/database/store.h"

#include <stdint.h>

struct port_counter {
    enum counter_id id;
    int priority; /* -1: without priority */
    int64_t value;
};

struct port_counters_port {
    char *name, *node;     /* "leaf0:Ethernet12" or "leaf0:p3", and "leaf0" */
    char *numbered;        /* "leaf0:p3" */
    const char *equipment; /* the vendor's name, "Ethernet12"; NULL: unknown */
    char *link_layer;      /* of its node: "ethernet" */
    bool of_switch;
    bool has_tcp;          /* a TCP counter of the port is above 0 */
    bool has_credits;      /* a counter of credits is above 0 */
    uint32_t first, count; /* range in values */
};

#define PORT_COUNTERS_SEVERAL UINT32_MAX

struct port_counters_key {
    const char *name; /* any name of a port, or of a node with a single port */
    uint32_t port;    /* or PORT_COUNTERS_SEVERAL */
};

struct port_counters {
    struct port_counters_port *ports; /* in the order of the table port */
    uint32_t port_count, port_room;
    struct port_counter *values;
    uint32_t value_count, value_room;
    struct port_counters_key *keys; /* by name */
    uint32_t key_count;
};

void port_counters_load(struct port_counters *counters, struct store *store);
void port_counters_free(struct port_counters *counters);

/* Whether this port can have the counter. */
bool port_counters_has(const struct port_counters_port *port, enum counter_id id);

/* `priority` is -1 for counters without priority. */
int64_t port_counters_get(const struct port_counters *counters,
                          const struct port_counters_port *port, enum counter_id id, int priority);

/* Finds a port by its full name ("leaf0:p3", "leaf0:Ethernet12"), or by a name that only one port
 * has ("leaf0", "Ethernet12"). Returns NULL if there is none or more than one. */
const struct port_counters_port *port_counters_find(const struct port_counters *counters,
                                                    const char *name);

#endif
