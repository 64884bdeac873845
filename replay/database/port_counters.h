/* SPDX-License-Identifier: Apache-2.0
 * port_counters - the counters of a run's ports, under all names that the ports have.
 * Those that a run's table leaves out are zero; those that a kind of port has not are not there.
 * Owner: port_counters_free.  Errors: the store's; then there are no ports. */
#ifndef STORMGLASS_REPLAY_DATABASE_PORT_COUNTERS_H
#define STORMGLASS_REPLAY_DATABASE_PORT_COUNTERS_H

#include "replay/database/counter.h"
#include "replay/database/store.h"

#include <stdint.h>

struct port_counter {
    enum counter_id id;
    int priority; /* -1: of none */
    int64_t value;
};

struct port_counters_port {
    char *name, *node;     /* "leaf0:Ethernet12" or "leaf0:p3", and "leaf0" */
    char *numbered;        /* "leaf0:p3" */
    const char *equipment; /* what the equipment calls it, "Ethernet12"; NULL: not known */
    bool of_switch;
    bool has_tcp;          /* a TCP counter of the port is above 0 */
    uint32_t first, count; /* among the values */
};

#define PORT_COUNTERS_SEVERAL UINT32_MAX

struct port_counters_key {
    const char *name; /* of a port in any way, or of a node that has one port alone */
    uint32_t port;    /* or PORT_COUNTERS_SEVERAL */
};

struct port_counters {
    struct port_counters_port *ports; /* as the table port has them */
    uint32_t port_count, port_room;
    struct port_counter *values;
    uint32_t value_count, value_room;
    struct port_counters_key *keys; /* by name */
    uint32_t key_count;
};

void port_counters_load(struct port_counters *counters, struct store *store);
void port_counters_free(struct port_counters *counters);

/* Does such a port have the counter? */
bool port_counters_has(const struct port_counters_port *port, enum counter_id id);

/* `priority`: -1 for counters of none. */
int64_t port_counters_get(const struct port_counters *counters,
                          const struct port_counters_port *port, enum counter_id id, int priority);

/* The port of that name ("leaf0:p3", "leaf0:Ethernet12"), or the only one of that name ("leaf0",
 * "Ethernet12"); NULL: none, or several. */
const struct port_counters_port *port_counters_find(const struct port_counters *counters,
                                                    const char *name);

#endif
