/* SPDX-License-Identifier: Apache-2.0
 * record_fabric - the columns of each row. */
#include "replay/record/record_fabric.h"

#include "base/memory.h"
#include "replay/database/record_schema.h"
#include "rnic/host/rnic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row as store_made expects it: values in column order. */
#define VALUES(table, ...)                                                                         \
    memcpy(values, &(const struct record_row_##table){__VA_ARGS__},                                \
           sizeof(struct record_row_##table))

static void read_node(const void *self, uint64_t row, struct store_value *values,
                      char text[STORE_MADE_TEXT_BYTES])
{
    const struct record_fabric *fabric = self;
    const struct scenario_node *node = &fabric->scenario->nodes[row];
    (void)text;
    VALUES(node, .node = STORE_I(row), .name = STORE_T(node->name),
           .kind = STORE_T(node->kind == SCENARIO_HOST ? "host" : "switch"),
           .tier = STORE_I(node->tier), .link_layer = STORE_T(scenario_kind_word(node->link)));
}

/* The node of the port with that number. */
static uint32_t node_of(const struct record_fabric *fabric, uint64_t port)
{
    uint32_t low = 0, high = fabric->scenario->node_count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (fabric->first_port[middle] <= port)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static void read_port(const void *self, uint64_t row, struct store_value *values,
                      char text[STORE_MADE_TEXT_BYTES])
{
    const struct record_fabric *fabric = self;
    const uint32_t index = node_of(fabric, row);
    const uint32_t i = (uint32_t)row - fabric->first_port[index];
    const struct scenario_node *node = &fabric->scenario->nodes[index];
    const struct scenario_port *port = &node->ports[i];
    const bool host = node->kind == SCENARIO_HOST;
    const uint32_t address = node->endpoint + (node->is_aggregate ? 0 : i);
    snprintf(text, STORE_MADE_TEXT_BYTES, "%s", scenario_port_name(node, i).text);
    VALUES(port, .node = STORE_I(index), .port = STORE_I(i), .name = STORE_T(text),
           .link = STORE_I(port->link), .peer_node = STORE_I(port->peer_node),
           .peer_port = STORE_I(port->peer_port), .rate_bps = STORE_I(port->params->rate),
           .mtu_bytes = STORE_I(port->params->mtu), .length_mm = STORE_I(port->params->length),
           .delay_ps = STORE_I(port_propagation(port->params)),
           .endpoint = host ? STORE_I(address) : STORE_N,
           .ip = host ? STORE_I(rnic_ip(address)) : STORE_N,
           .migreq = host ? STORE_I(node->host->rnic->migreq) : STORE_N);
}

static void read_link(const void *self, uint64_t row, struct store_value *values,
                      char text[STORE_MADE_TEXT_BYTES])
{
    const struct record_fabric *fabric = self;
    const struct scenario_link *link = &fabric->scenario->links[row];
    (void)text;
    VALUES(link, .link = STORE_I(row), .name = STORE_T(link->name),
           .a_node = STORE_I(link->node[0]), .a_port = STORE_I(link->port[0]),
           .b_node = STORE_I(link->node[1]), .b_port = STORE_I(link->port[1]));
}

/* Finds rows whose key is the row number. */
static struct store_range numbered(uint32_t rows, const int64_t *keys, int count)
{
    if (count == 0)
        return (struct store_range){0, rows};
    if (keys[0] < 0 || keys[0] >= rows)
        return (struct store_range){0, 0};
    return (struct store_range){(uint64_t)keys[0], (uint64_t)keys[0] + 1};
}

static struct store_range find_nodes(const void *self, const int64_t *keys, int count)
{
    return numbered(((const struct record_fabric *)self)->scenario->node_count, keys, count);
}

static struct store_range find_links(const void *self, const int64_t *keys, int count)
{
    return numbered(((const struct record_fabric *)self)->scenario->link_count, keys, count);
}

static struct store_range find_ports(const void *self, const int64_t *keys, int count)
{
    const struct record_fabric *fabric = self;
    const uint32_t nodes = fabric->scenario->node_count;
    const struct store_range node = numbered(nodes, keys, count);
    if (count == 0)
        return (struct store_range){0, fabric->first_port[nodes]};
    if (node.end == 0)
        return node;
    const uint32_t first = fabric->first_port[node.first];
    const struct store_range port =
        numbered(fabric->scenario->nodes[node.first].port_count, keys + 1, count - 1);
    return (struct store_range){first + port.first, first + port.end};
}

void record_fabric_init(struct record_fabric *fabric, const struct scenario *scenario)
{
    const uint32_t nodes = scenario->node_count;
    *fabric = (struct record_fabric){
        .scenario = scenario,
        .first_port = memory_zeroed((size_t)nodes + 1, sizeof *fabric->first_port),
        .tables = {{RECORD_TABLE_node, 1, fabric, find_nodes, read_node},
                   {RECORD_TABLE_port, 2, fabric, find_ports, read_port},
                   {RECORD_TABLE_link, 1, fabric, find_links, read_link}},
    };
    for (uint32_t i = 0; i < nodes; i++)
        fabric->first_port[i + 1] = fabric->first_port[i] + scenario->nodes[i].port_count;
}

void record_fabric_free(struct record_fabric *fabric)
{
    free(fabric->first_port);
    *fabric = (struct record_fabric){0};
}

void record_fabric_write(const struct record_fabric *fabric, struct store *store)
{
    for (int i = 0; i < RECORD_FABRIC_TABLES; i++) {
        const struct store_made *table = &fabric->tables[i];
        const struct store_range rows = table->find(fabric, NULL, 0);
        for (uint64_t row = rows.first; store_keeps(store, table->table) && row < rows.end; row++) {
            struct store_value values[STORE_MADE_COLUMNS];
            char text[STORE_MADE_TEXT_BYTES];
            table->read(fabric, row, values, text);
            store_insert_row(store, table->table, values);
        }
    }
}
