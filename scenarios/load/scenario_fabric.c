/* SPDX-License-Identifier: Apache-2.0
 * scenario_fabric - loads `fabric:`.
 * The topology becomes nodes and links, each with the block for its parameters. Parameters are
 * computed at the end (scenario_finish_nodes), after all overrides. */
#include "scenarios/load/profile.h"
#include "scenarios/load/select.h"

#include "net/switch/switch.h"
#include "scenarios/fabric/nics.h"
#include "scenarios/load/load.h"
#include "scenarios/load/scenario_fc.h"
#include "scenarios/load/scenario_infiniband.h"
#include "scenarios/load/scenario_layers.h"
#include "scenarios/load/scenario_subsystems.h"

#include <stdlib.h>
#include <string.h>

/* Sections that group the parameters of a switch; the parameters' own names are accepted, too. */
const struct block_word scenario_switch_words[] = {
    {"pfc.headroom", "headroom", NULL},
    {"pfc.xoff", "xoff", NULL},
    {"pfc.xon", "xon", NULL},
    {"pfc.xon-offset", "xon-offset", NULL},
    {"pfc.headroom-pool", "headroom-pool", NULL},
    {"pfc.headroom-ratio", "headroom-ratio", NULL},
    {"pfc.smallest-frame", "smallest-frame", NULL},
    {"buffer.size", "buffer", NULL},
    {"buffer.ports", "ports", NULL},
    {"buffer.cell", "cell", NULL},
    {"buffer.reserved", "reserved", NULL},
    {"buffer.reserved-lossy", "reserved-lossy", NULL},
    {"buffer.reserved-queue", "reserved-queue", NULL},
    {"buffer.lossy-pool", "lossy-pool", NULL},
    {"buffer.egress-lossy-pool", "egress-lossy-pool", NULL},
    {"buffer.egress-limit", "egress-limit", NULL},
    {"buffer.headroom", "headroom", NULL},
    {"buffer.headroom-pool", "headroom-pool", NULL},
    {"buffer.headroom-ratio", "headroom-ratio", NULL},
    {"buffer.policy", "policy", NULL},
    {"buffer.alpha", "alpha", NULL},
    {"dynamic_th", "alpha", "dynamic_th "},
    {"buffer.dynamic_th", "alpha", "dynamic_th "},
    {"buffer.alpha-lossy", "alpha-lossy", NULL},
    {"buffer.alpha-egress", "alpha-egress", NULL},
    {"buffer.xoff", "xoff", NULL},
    {"buffer.xon", "xon", NULL},
    {"buffer.xon-offset", "xon-offset", NULL},
    {"watchdog.action", "watchdog", NULL},
    {"scheduler.weights.0", "weight-0", NULL},
    {"scheduler.weights.1", "weight-1", NULL},
    {"scheduler.weights.2", "weight-2", NULL},
    {"scheduler.weights.3", "weight-3", NULL},
    {"scheduler.weights.4", "weight-4", NULL},
    {"scheduler.weights.5", "weight-5", NULL},
    {"scheduler.weights.6", "weight-6", NULL},
    {"scheduler.weights.7", "weight-7", NULL},
    {0}};

const struct block_word scenario_tos_words[] = {{"tos", "dscp", "tos "},
                                                {"accept-tos", "accept-dscp", "tos "},
                                                {"ack-tos", "ack-dscp", "tos "},
                                                {"cnp-tos", "cnp-dscp", "tos "},
                                                {0}};

/* ---- parameters ---- */

const struct opt *scenario_rows(struct loader *loader, const struct opt **rows,
                                size_t (*join)(struct opt *rows))
{
    if (*rows == NULL) {
        struct opt *made = arena_array(loader->arena, join(NULL), sizeof *made);
        join(made);
        *rows = made;
    }
    return *rows;
}

struct block *scenario_switch_block(struct loader *loader, const char *path)
{
    const struct opt *rows = scenario_rows(loader, &loader->switch_rows, switch_rows);
    struct block *block = block_new(loader->arena, path, rows, sizeof(struct switch_params));
    block->words = scenario_switch_words;
    return block;
}

void scenario_load_dscp(struct loader *loader, const struct tree_node *written, uint8_t *map)
{
    static const struct opt dscp = {.name = "dscp", .type = OPT_DSCP, .min = "0", .max = "63"};
    static const struct opt priority = {
        .name = "priority", .type = OPT_INT, .min = "0", .max = "7"};
    for (size_t i = 0; written != NULL && i < written->count; i++) {
        const struct tree_item *item = &written->items[i];
        char why[OPT_WHY_BYTES];
        int64_t from, to;
        if (!opt_parse(&dscp, item->key, &from, why))
            tree_error(loader->diag, item->value, "dscp: %s", why);
        else if (item->value->kind != TREE_SCALAR)
            tree_error(loader->diag, item->value, "expected a priority");
        else if (!opt_parse(&priority, item->value->text, &to, why))
            tree_error(loader->diag, item->value, "priority: %s", why);
        else
            map[from] = (uint8_t)to;
    }
}

/* ---- nodes and links ---- */

static void make_nodes(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    const struct topology *topology = &loader->topology;
    scenario->node_count = topology->node_count;
    scenario->nics = topology->nics;
    scenario->host_count = topology->host_count;
    scenario->switch_count = topology->node_count - topology->host_count;
    scenario->nodes = arena_array(loader->arena, topology->node_count, sizeof *scenario->nodes);
    loader->nodes = arena_array(loader->arena, topology->node_count, sizeof *loader->nodes);
    for (uint32_t i = 0; i < topology->node_count; i++) {
        const struct topology_node *from = &topology->nodes[i];
        struct scenario_node *node = &scenario->nodes[i];
        *node = (struct scenario_node){
            .name = from->name,
            .kind = from->is_host ? SCENARIO_HOST : SCENARIO_SWITCH,
            .index = from->is_host ? i : i - topology->host_count,
            .tier = from->tier,
            .port_count = from->port_count,
            .outer_ports = from->port_count,
            .place = from->place,
        };
        node->ports = arena_array(loader->arena, node->port_count, sizeof *node->ports);
        for (uint16_t p = 0; p < node->port_count; p++)
            node->ports[p].link = SCENARIO_NO_LINK;
    }
}

static void give_blocks(struct loader *loader)
{
    for (uint32_t i = 0; i < loader->scenario->node_count; i++) {
        struct scenario_node *node = &loader->scenario->nodes[i];
        const struct loader_layer *layer = &loader->bases.layers[node->link];
        const bool is_host = node->kind == SCENARIO_HOST;
        struct loader_node *making = &loader->nodes[i];
        node->priority_of_dscp = is_host ? NULL : layer->dscp;
        making->switch_block = is_host ? NULL : layer->switches;
        making->port_blocks =
            arena_array(loader->arena, node->port_count, sizeof *making->port_blocks);
        for (uint16_t p = 0; p < node->port_count; p++)
            making->port_blocks[p] = is_host ? layer->host_links : layer->fabric_links;
    }
}

/* An explicit link may have its own parameters in addition to those of its class. */
static const struct block *link_block(struct loader *loader, const struct topology_link *link,
                                      uint32_t index, const struct block *of_class)
{
    static const char *const also[] = {"ends", "names", NULL};
    if (link->written == NULL)
        return of_class;
    const char *path = arena_format(loader->arena, "fabric.topology.links[%u]", index);
    struct block *over = block_new(loader->arena, path, port_opts, sizeof(struct port_params));
    scenario_take(loader, over, link->written, also);
    if (link->written->count <= (tree_get(link->written, "names") == NULL ? 1 : 2))
        return of_class;
    scenario_show(loader, over, true);
    struct block *block = block_copy(loader->arena, of_class, path);
    block_overlay(block, over);
    return block;
}

static void make_links(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    const struct topology *topology = &loader->topology;
    scenario->link_count = topology->link_count;
    scenario->links = arena_array(loader->arena, topology->link_count, sizeof *scenario->links);
    for (uint32_t i = 0; i < topology->link_count; i++) {
        const struct topology_link *from = &topology->links[i];
        const struct topology_node *a = &topology->nodes[from->node[0]];
        const struct topology_node *b = &topology->nodes[from->node[1]];
        const struct loader_layer *layer =
            &loader->bases.layers[scenario->nodes[from->node[0]].link];
        const struct block *block = link_block(
            loader, from, i, a->is_host || b->is_host ? layer->host_links : layer->fabric_links);
        scenario->links[i] = (struct scenario_link){
            .name = arena_format(loader->arena, "%s-%s", a->name, b->name),
            .node = {from->node[0], from->node[1]},
            .port = {from->port[0], from->port[1]},
            .place = from->place,
        };
        for (uint8_t end = 0; end < 2; end++) {
            const uint32_t node = from->node[end];
            const uint16_t port = from->port[end];
            loader->nodes[node].port_blocks[port] = block;
            scenario->nodes[node].ports[port] = (struct scenario_port){
                .link = i,
                .end = end,
                .peer_node = from->node[1 - end],
                .peer_port = from->port[1 - end],
                .name = from->port_name[end],
            };
        }
    }
}

static void show_topology(struct loader *loader, const struct tree_node *written)
{
    const struct tree_node *kind = tree_get(written, "kind");
    const struct scenario_choice choice = {
        .path = "fabric.topology",
        .name = "kind",
        .word = kind->text,
        .preset = kind->text,
        .about = "Kind of topology.",
        OPT_INERT,
        .where = kind->place,
    };
    scenario_show_choice(loader, &choice);
    if (loader->topology.sizes != NULL)
        scenario_show(loader, loader->topology.sizes, false);
}

void scenario_load_fabric(struct loader *loader)
{
#define X(name, word) word,
    static const char *const keys[] = {
        "kind",      "topology", "host-links", "fabric-links", "switch",
        "overrides", "routes",   "routing",    "sl-to-vl",     SCENARIO_KINDS(X) NULL};
#undef X
    const struct tree_node *section = scenario_map(loader, loader->root, "fabric");
    const struct tree_node *topology =
        section == NULL ? NULL : scenario_map(loader, section, "topology");
    if (topology == NULL) {
        if (!diag_failed(loader->diag))
            tree_error(loader->diag, section == NULL ? loader->root : section,
                       "expected fabric: {topology: ..}, such as {kind: single-switch, hosts: 2}");
        return;
    }
    block_only(section, keys, NULL, loader->diag);
    scenario_load_kind(loader, section);
    scenario_load_layer(loader, section);
    const struct tree_node *kind = tree_get(topology, "kind");
    const struct topology_ops *ops =
        kind == NULL || kind->text == NULL ? NULL : topology_find(kind->text);
    const struct tree_node *made =
        ops != NULL && ops->translate != NULL ? ops->translate(loader, topology) : topology;
    if (made == NULL || !topology_load(loader->arena, made, &loader->topology, loader->diag))
        return;
    show_topology(loader, topology);
    make_nodes(loader);
    scenario_load_layers(loader, section);
    give_blocks(loader);
    make_links(loader);
    nics_number_endpoints(loader->scenario);
    nics_find_segments(loader->scenario);
}

/* A link is one cable, so overrides of a single port must not make its ends differ. It also needs a
 * delay, because the simulation of a node is independent of its peers only during that time. */
static void check_link(struct loader *loader, const struct scenario_link *link)
{
    const struct port_params *ends[2];
    char text[DIAG_TEXT_BYTES] = "";
    for (int end = 0; end < 2; end++)
        ends[end] = loader->nodes[link->node[end]].port_blocks[link->port[end]]->params;
    if (ends[0]->rate != ends[1]->rate || ends[0]->length != ends[1]->length ||
        port_propagation(ends[0]) != port_propagation(ends[1]))
        snprintf(text, sizeof text,
                 "the ends of link %s differ in rate, length, delay, cable or FEC; override the "
                 "link, not a port",
                 link->name);
    else if (port_propagation(ends[0]) == 0)
        snprintf(text, sizeof text, "link %s has no delay: give it a length or a delay",
                 link->name);
    if (text[0] != '\0')
        tree_message(loader->diag, DIAG_ERROR, loader->root, link->place, text);
    else if (loader->scenario->nodes[link->node[0]].link == SCENARIO_FIBRE_CHANNEL)
        scenario_check_fc_link(loader, link);
}

static void finish_port(struct scenario_port *port, const struct block *block)
{
    port->params = block->params;
    port->values = block;
}

static void finish_switch(struct scenario_node *node, const struct block *block)
{
    node->switch_params = block->params;
    node->switch_values = block;
}

void scenario_finish_nodes(struct loader *loader)
{
    struct scenario *scenario = loader->scenario;
    scenario_finish_infiniband(loader);
    scenario_finish_fc(loader);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        struct scenario_node *node = &scenario->nodes[i];
        const struct loader_node *from = &loader->nodes[i];
        for (uint16_t p = 0; p < node->port_count; p++)
            finish_port(&node->ports[p], from->port_blocks[p]);
        if (node->kind == SCENARIO_HOST)
            scenario_finish_host(loader, i);
        else
            finish_switch(node, from->switch_block);
    }
    nics_find_aggregates(scenario);
    scenario_name_targets(loader);
    struct scenario_origins *origins = arena_take(loader->arena, sizeof *origins);
    *origins = (struct scenario_origins){loader->bases, loader->nodes};
    scenario->origins = origins;
    for (uint32_t i = 0; i < scenario->link_count; i++)
        check_link(loader, &scenario->links[i]);
}
