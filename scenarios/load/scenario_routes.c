/* SPDX-License-Identifier: Apache-2.0
 * scenario_routes - loads `fabric.routes` and `fabric.routing`.
 * A route is written with names: a neighbor stands for all links to it, a port or a link for
 * itself. They are resolved to ports of each switch of the route. */
#include "scenarios/load/scenario_load.h"
#include "scenarios/load/select.h"

#include <string.h>

/* Limit of ports in the static routes of one switch, which need room in its route table in addition
 * to the computed ones. */
enum { WRITTEN_PORTS_MAX = 8192 };

#define FIELD(name) offsetof(struct scenario_routing, name)

const struct opt scenario_routing_opts[] = {
    {"detection", OPT_TIME, FIELD(detection), "1ms", "0s", "1000s", NULL,
     "Time from a link's failure or recovery until the switches at its ends detect it.",
     "assumed: loss of signal by interrupt, RFC 7938 7.1; BFD (RFC 5880) of 3 x 50 ms takes 150 "
     "ms",
     OPT_ACTS(PATHS, MORE, TRACE)},
    {"convergence", OPT_TIME, FIELD(convergence), "100ms", "0s", "1000s", NULL,
     "Time from the detection of a failure or recovery until all switches have updated their "
     "routes.",
     "assumed: BGP in a Clos, RFC 7938 7.2, without an advertisement interval: some 100 ms",
     OPT_ACTS(PATHS, MORE, TRACE)},
    {"local-repair", OPT_BOOL, FIELD(local_repair), "true", NULL, NULL, NULL,
     "true: a switch that detects a failure of one of its own ports removes the port from its "
     "routes at once; false: the port stays in use until all switches have converged.",
     "RFC 7938 7.3: ECMP members; false: the port stays in use until all switches have converged",
     OPT_ACTS(PATHS, ANY, TRACE)},
    {"algorithm", OPT_CHOICE, FIELD(algorithm), "min-hop", NULL, NULL, OPT_WORDS(SCENARIO_ROUTINGS),
     "InfiniBand: routing algorithm of the subnet manager. min-hop: shortest paths, which may "
     "form credit loops; up-down: paths that go up to a root and then down, without credit loops; "
     "fat-tree: shortest paths, where all paths to one destination use the same root.",
     "OpenSM -R minhop, updn, ftree; minhop is its default",
     OPT_ACTS_IF(OPT_NEED_INFINIBAND, PATHS, ANY, TRACE)},
    {0},
};

/* ---- ports of a route ---- */

/* A link is named by a neighbor or by either of its ends. */
static bool is_named(const struct scenario_node *node, uint32_t at, uint16_t port,
                     const struct scenario_spot *via)
{
    const struct scenario_port *own = &node->ports[port];
    if (own->link == SCENARIO_NO_LINK)
        return false;
    if (via->port == SCENARIO_ALL_PORTS)
        return own->peer_node == via->node;
    return (via->node == at && via->port == port) ||
           (via->node == own->peer_node && via->port == own->peer_port);
}

/* Finds the switch's ports named in `via` and marks these members as used. */
static struct scenario_egress egress_of(struct loader *loader, uint32_t at,
                                        const struct selection *via, uint8_t *is_used)
{
    const struct scenario_node *node = &loader->scenario->nodes[at];
    uint16_t *ports = arena_array(loader->arena, node->port_count, sizeof *ports);
    struct scenario_egress egress = {ports, 0};
    for (uint16_t p = 0; p < node->port_count; p++) {
        bool named = false;
        for (size_t i = 0; i < via->count; i++) {
            if (!is_named(node, at, p, &via->spots[i]))
                continue;
            is_used[i] = 1;
            named = true;
        }
        if (named)
            ports[egress.count++] = p;
    }
    return egress;
}

static void check_use(struct loader *loader, const struct selection *via, const uint8_t *is_used,
                      const struct tree_node *written)
{
    for (size_t i = 0; i < via->count; i++) {
        const struct scenario_spot *spot = &via->spots[i];
        const struct scenario_node *node = &loader->scenario->nodes[spot->node];
        if (is_used[i])
            continue;
        if (spot->port == SCENARIO_ALL_PORTS)
            tree_error(loader->diag, written, "no link from these switches to '%s'", node->name);
        else
            tree_error(loader->diag, written, "'%s' is not a linked port of these switches",
                       scenario_port_name(node, spot->port).text);
        return;
    }
}

/* Reports hosts as next hops: a host drops frames for other hosts. */
static void check_hosts(struct loader *loader, const struct scenario_route *route, uint32_t index,
                        const struct tree_node *written)
{
    const struct scenario_node *nodes = loader->scenario->nodes;
    const struct scenario_node *node = &nodes[route->at[index].node];
    for (uint32_t i = 0; i < route->egress[index].count; i++) {
        const uint16_t port = route->egress[index].ports[i];
        const uint32_t peer = node->ports[port].peer_node;
        if (nodes[peer].kind == SCENARIO_SWITCH ||
            (route->to_count == 1 && route->to[0].node == peer))
            continue;
        tree_error(loader->diag, written, "%s leads to %s, but hosts do not forward packets",
                   scenario_port_name(node, port).text, nodes[peer].name);
        return;
    }
}

static void fill_egress(struct loader *loader, struct scenario_route *route,
                        const struct selection *via, const struct tree_node *written)
{
    struct scenario_egress *egress = arena_array(loader->arena, route->at_count, sizeof *egress);
    uint8_t *is_used = arena_take(loader->arena, via->count + 1);
    const int errors = loader->diag->errors;
    route->egress = egress;
    for (uint32_t i = 0; i < route->at_count && loader->diag->errors == errors; i++) {
        const uint32_t at = route->at[i].node;
        egress[i] = egress_of(loader, at, via, is_used);
        loader->nodes[at].written_ports += egress[i].count + 1;
        if (egress[i].count == 0)
            tree_error(loader->diag, written, "%s has no such neighbor or port",
                       loader->scenario->nodes[at].name);
        else if (loader->nodes[at].written_ports > WRITTEN_PORTS_MAX)
            tree_error(loader->diag, written, "more than %d ports in the configured routes of %s",
                       WRITTEN_PORTS_MAX, loader->scenario->nodes[at].name);
        check_hosts(loader, route, i, written);
    }
    if (loader->diag->errors == errors)
        check_use(loader, via, is_used, written);
}

/* ---- sections ---- */

static bool select_part(struct loader *loader, const struct tree_node *written, const char *key,
                        unsigned kinds, struct selection *selection)
{
    const struct tree_node *part = tree_get(written, key);
    if (part != NULL)
        return select_from(loader->scenario, part, kinds, selection, loader->diag);
    tree_error(loader->diag, written,
               "expected %s: a route has at: (switches), to: (hosts) and via: (neighbors or ports)",
               key);
    return false;
}

const struct scenario_route *scenario_load_route(struct loader *loader,
                                                 const struct tree_node *written, const char *where)
{
    const unsigned any = SELECT_HOSTS | SELECT_SWITCHES | SELECT_PORTS | SELECT_LINKS;
    const int errors = loader->diag->errors;
    struct selection at, to, via;
    if (!select_part(loader, written, where, SELECT_SWITCHES, &at) ||
        !select_part(loader, written, "to", SELECT_HOSTS, &to) ||
        !select_part(loader, written, "via", any, &via))
        return NULL;
    struct scenario_route *route = arena_array(loader->arena, 1, sizeof *route);
    *route = (struct scenario_route){
        .at = at.spots,
        .at_count = (uint32_t)at.count,
        .to = to.spots,
        .to_count = (uint32_t)to.count,
        .place = written->place,
    };
    fill_egress(loader, route, &via, tree_get(written, "via"));
    return loader->diag->errors == errors ? route : NULL;
}

static void load_list(struct loader *loader, const struct tree_node *list)
{
    static const char *const keys[] = {"at", "to", "via", NULL};
    struct scenario_route *routes = arena_array(loader->arena, list->count, sizeof *routes);
    for (size_t i = 0; i < list->count; i++) {
        const struct tree_node *written = list->items[i].value;
        if (!block_only(written, keys, NULL, loader->diag))
            continue;
        const struct scenario_route *route = scenario_load_route(loader, written, "at");
        if (route != NULL)
            routes[loader->scenario->route_count++] = *route;
    }
    loader->scenario->routes = routes;
}

/* A tree: each link between switches joins two tiers that follow each other. */
static bool is_tree(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_node *a = &scenario->nodes[scenario->links[i].node[0]];
        const struct scenario_node *b = &scenario->nodes[scenario->links[i].node[1]];
        if (a->link == SCENARIO_INFINIBAND && a->tier != b->tier + 1 && b->tier != a->tier + 1)
            return false;
    }
    return true;
}

static void check_algorithm(struct loader *loader, const struct block *block,
                            const struct tree_node *written)
{
    const struct scenario *scenario = loader->scenario;
    const struct diag_place place =
        block_place(block, "algorithm", written == NULL ? loader->root->place : written->place);
    if (!scenario_has_kind(scenario, SCENARIO_INFINIBAND) &&
        scenario->routing.algorithm != SCENARIO_ROUTING_MIN_HOP)
        tree_message(loader->diag, DIAG_ERROR, loader->root, place,
                     "algorithm: only InfiniBand has a subnet manager; expected kind: infiniband, "
                     "or algorithm: min-hop");
    else if (scenario->routing.algorithm == SCENARIO_ROUTING_FAT_TREE && !is_tree(scenario))
        tree_message(loader->diag, DIAG_ERROR, loader->root, place,
                     "algorithm: fat-tree needs a tree, in which each link between switches joins "
                     "two tiers; expected min-hop or up-down for this topology");
}

void scenario_load_routes(struct loader *loader)
{
    const struct tree_node *fabric = scenario_map(loader, loader->root, "fabric");
    struct block *block = block_new(loader->arena, "fabric.routing", scenario_routing_opts,
                                    sizeof loader->scenario->routing);
    scenario_take(loader, block, scenario_map(loader, fabric, "routing"), NULL);
    scenario_show(loader, block, false);
    memcpy(&loader->scenario->routing, block->params, sizeof loader->scenario->routing);
    check_algorithm(loader, block, scenario_map(loader, fabric, "routing"));
    const struct tree_node *list = scenario_list(loader, fabric, "routes");
    if (list != NULL)
        load_list(loader, list);
}
