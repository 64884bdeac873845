/* SPDX-License-Identifier: Apache-2.0
 * port_counters - the counters of a run's ports. */
#include "replay/port_counters.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text)
{
    char *made = strdup(text);
    CHECK(made != NULL);
    return made;
}

static void add_port(struct port_counters *counters, const struct store_statement *row)
{
    counters->ports = memory_grown(counters->ports, counters->port_count, &counters->port_room,
                                   sizeof *counters->ports);
    counters->ports[counters->port_count++] = (struct port_counters_port){
        .name = copy(store_text(row, 2)),
        .node = copy(store_text(row, 3)),
        .of_switch = strcmp(store_text(row, 4), "switch") == 0,
        .first = counters->value_count,
    };
}

static void add_value(struct port_counters *counters, const struct store_statement *row)
{
    struct port_counter value = {.value = store_int(row, 7)};
    int in_name;
    if (!counter_find(store_text(row, 5), &value.id, &in_name))
        return; /* SQL's NULL: the port has none; else of another version */
    const bool none = store_column_type(row, 6) == STORE_NULL;
    value.priority = none ? -1 : (int)store_int(row, 6);
    counters->values = memory_grown(counters->values, counters->value_count, &counters->value_room,
                                    sizeof *counters->values);
    counters->values[counters->value_count++] = value;
    counters->ports[counters->port_count - 1].count++;
}

static int by_name(const void *a, const void *b)
{
    const struct port_counters_key *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* Ports of a node follow each other. */
static bool is_alone(const struct port_counters *counters, uint32_t index)
{
    const struct port_counters_port *port = &counters->ports[index];
    return (index == 0 || strcmp(port[-1].node, port->node) != 0) &&
           (index + 1 == counters->port_count || strcmp(port[1].node, port->node) != 0);
}

static void make_keys(struct port_counters *counters)
{
    const uint32_t count = counters->port_count;
    counters->keys = memory_zeroed(2 * (size_t)count, sizeof *counters->keys);
    for (uint32_t i = 0; i < count; i++) {
        struct port_counters_key *keys = counters->keys;
        keys[counters->key_count++] = (struct port_counters_key){counters->ports[i].name, i};
        if (is_alone(counters, i))
            keys[counters->key_count++] = (struct port_counters_key){counters->ports[i].node, i};
    }
    qsort(counters->keys, counters->key_count, sizeof *counters->keys, by_name);
}

void port_counters_load(struct port_counters *counters, struct store *store)
{
    *counters = (struct port_counters){0};
    struct store_statement *rows = store_prepare(
        store, "SELECT p.node, p.port, p.name, n.name, n.kind, c.name, c.priority, c.value"
               " FROM port p JOIN node n ON n.node=p.node"
               " LEFT JOIN counter c ON c.node=p.node AND c.port=p.port ORDER BY p.node, p.port");
    int64_t node = -1, port = -1;
    while (store_step(rows)) {
        if (store_int(rows, 0) != node || store_int(rows, 1) != port)
            add_port(counters, rows);
        node = store_int(rows, 0);
        port = store_int(rows, 1);
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
    return found == NULL ? NULL : &counters->ports[found->port];
}
