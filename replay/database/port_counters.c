/* SPDX-License-Identifier: Apache-2.0
 * port_counters - the port counters of a run. */
#include "replay/database/port_counters.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "leaf0:p3" */
static char *numbered(const char *node, int64_t port)
{
    const size_t size = strlen(node) + 24;
    char *name = memory_zeroed(size, 1);
    snprintf(name, size, "%s:p%lld", node, (long long)port);
    return name;
}

static void add_port(struct port_counters *counters, const struct store_statement *row)
{
    char *name = memory_text(store_text(row, "name")),
         *number = numbered(store_text(row, "owner"), store_int(row, "port"));
    const char *colon = strrchr(name, ':');
    counters->ports = memory_grown(counters->ports, counters->port_count, &counters->port_room,
                                   sizeof *counters->ports);
    counters->ports[counters->port_count++] = (struct port_counters_port){
        .name = name,
        .numbered = number,
        .equipment = colon != NULL && strcmp(name, number) != 0 ? colon + 1 : NULL,
        .node = memory_text(store_text(row, "owner")),
        .link_layer = memory_text(store_text(row, "link_layer")),
        .of_switch = strcmp(store_text(row, "kind"), "switch") == 0,
        .first = counters->value_count,
    };
}

static void add_value(struct port_counters *counters, const struct store_statement *row)
{
    struct port_counter value = {.value = store_int(row, "value")};
    int in_name;
    if (!counter_find(store_text(row, "counter"), &value.id, &in_name))
        return; /* NULL, or a name of another version */
    const bool none = store_is_null(row, "priority");
    value.priority = none ? -1 : (int)store_int(row, "priority");
    counters->values = memory_grown(counters->values, counters->value_count, &counters->value_room,
                                    sizeof *counters->values);
    counters->values[counters->value_count++] = value;
    counters->ports[counters->port_count - 1].count++;
    if (counters_about[value.id].scope == COUNTER_OF_TCP)
        counters->ports[counters->port_count - 1].has_tcp = true;
    if (counters_about[value.id].scope == COUNTER_OF_CREDITS)
        counters->ports[counters->port_count - 1].has_credits = true;
}

static int by_name(const void *a, const void *b)
{
    const struct port_counters_key *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static void add_key(struct port_counters *counters, const char *name, uint32_t port)
{
    if (name != NULL)
        counters->keys[counters->key_count++] = (struct port_counters_key){name, port};
}

/* A name shared by several ports identifies none of them. */
static void join_keys(struct port_counters *counters)
{
    struct port_counters_key *keys = counters->keys;
    uint32_t count = 0;
    qsort(keys, counters->key_count, sizeof *keys, by_name);
    for (uint32_t i = 0; i < counters->key_count; i++) {
        if (count == 0 || strcmp(keys[count - 1].name, keys[i].name) != 0)
            keys[count++] = keys[i];
        else if (keys[count - 1].port != keys[i].port)
            keys[count - 1].port = PORT_COUNTERS_SEVERAL;
    }
    counters->key_count = count;
}

static void make_keys(struct port_counters *counters)
{
    counters->keys = memory_zeroed(4 * (size_t)counters->port_count, sizeof *counters->keys);
    for (uint32_t i = 0; i < counters->port_count; i++) {
        const struct port_counters_port *port = &counters->ports[i];
        add_key(counters, port->name, i);
        add_key(counters, port->node, i);
        add_key(counters, port->equipment, i);
        add_key(counters, port->numbered, i);
    }
    join_keys(counters);
}

void port_counters_load(struct port_counters *counters, struct store *store)
{
    *counters = (struct port_counters){0};
    struct store_statement *rows = store_prepare(
        store,
        "SELECT p.node, p.port, p.name, n.name AS owner, n.kind, n.link_layer, c.name AS counter,"
        " c.priority, c.value"
        " FROM port p JOIN node n ON n.node=p.node"
        " LEFT JOIN counter c ON c.node=p.node AND c.port=p.port ORDER BY p.node, p.port");
    int64_t node = -1, port = -1;
    while (store_step(rows)) {
        if (store_int(rows, "node") != node || store_int(rows, "port") != port)
            add_port(counters, rows);
        node = store_int(rows, "node");
        port = store_int(rows, "port");
        add_value(counters, rows);
    }
    store_finish(rows);
    make_keys(counters);
}

void port_counters_free(struct port_counters *counters)
{
    for (uint32_t i = 0; i < counters->port_count; i++) {
        free(counters->ports[i].name);
        free(counters->ports[i].node);
        free(counters->ports[i].link_layer);
        free(counters->ports[i].numbered);
    }
    free(counters->keys);
    free(counters->ports);
    free(counters->values);
    *counters = (struct port_counters){0};
}

bool port_counters_has(const struct port_counters_port *port, enum counter_id id)
{
    switch (counters_about[id].scope) {
    case COUNTER_OF_PRIORITY:
    case COUNTER_OF_PORT:
        return true;
    case COUNTER_OF_RNIC:
        return !port->of_switch;
    case COUNTER_OF_TCP:
        return port->has_tcp;
    case COUNTER_OF_CREDITS:
        return port->has_credits;
    case COUNTER_OF_SWITCH_PRIORITY:
    case COUNTER_OF_SWITCH_PORT:
        return port->of_switch;
    case COUNTER_OF_SWITCH:
        return false;
    }
    return false;
}

int64_t port_counters_get(const struct port_counters *counters,
                          const struct port_counters_port *port, enum counter_id id, int priority)
{
    for (uint32_t i = 0; i < port->count; i++) {
        const struct port_counter *value = &counters->values[port->first + i];
        if (value->id == id && value->priority == priority)
            return value->value;
    }
    return 0;
}

const struct port_counters_port *port_counters_find(const struct port_counters *counters,
                                                    const char *name)
{
    const struct port_counters_key wanted = {.name = name};
    const struct port_counters_key *found =
        bsearch(&wanted, counters->keys, counters->key_count, sizeof wanted, by_name);
    const bool one = found != NULL && found->port != PORT_COUNTERS_SEVERAL;
    return one ? &counters->ports[found->port] : NULL;
}
