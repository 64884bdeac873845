/* SPDX-License-Identifier: Apache-2.0
 * sonic_cables - turns the neighbors of all ports, from DEVICE_NEIGHBOR or from files of cables,
 * into hosts and links.
 * A cable between two switches may be in both files, in one of them, or differ between them. Cables
 * that both files agree on come first, then the others as long as both ports are free. */
#include "scenarios/import/cabling.h"
#include "scenarios/sonic/sonic_private.h"

#include <search.h>
#include <string.h>

/* ---- node at the other end ---- */

static const char *row_text(const struct tree_item *row, const char *field)
{
    const struct tree_node *value = row == NULL ? NULL : tree_get(row->value, field);
    return value == NULL || value->kind != TREE_SCALAR ? NULL : value->text;
}

/* Finds a port by its name, or by its alias, which neighbors sometimes use. */
static struct sonic_port *find_port(const struct sonic_switch *node, const char *name)
{
    struct sonic_port *port = name == NULL ? NULL : sonic_port(node, name, strlen(name));
    for (uint32_t i = 0; port == NULL && name != NULL && i < node->port_count; i++)
        if (node->ports[i].alias != NULL && strcmp(node->ports[i].alias, name) == 0)
            port = &node->ports[i];
    return port;
}

struct sonic_port *sonic_far_port(const struct sonic_switch *node,
                                  const struct sonic_neighbor *neighbor)
{
    struct sonic_port *port = find_port(node, neighbor->port);
    return port != NULL ? port : find_port(node, neighbor->other_port);
}

static bool names_back(const struct sonic_import *import, const struct sonic_port *far,
                       const struct sonic_switch *node, const struct sonic_port *near)
{
    const struct sonic_neighbor *neighbor = &far->neighbor;
    return neighbor->name != NULL && sonic_switch_called(import, neighbor->name) == node &&
           sonic_far_port(node, neighbor) == near;
}

/* ---- links ---- */

static struct sonic_link *add_link(struct sonic_import *import)
{
    return arena_push(&import->arena, (void **)(void *)&import->links, &import->link_count,
                      sizeof *import->links);
}

static void join_ports(struct sonic_import *import, const struct sonic_switch *node,
                       struct sonic_port *near, const struct sonic_switch *other,
                       struct sonic_port *far)
{
    *add_link(import) = (struct sonic_link){.near = {node, near}, .far = {other, far}};
    near->linked = far->linked = true;
}

static void note_unlinked(struct sonic_import *import, const struct sonic_switch *node,
                          const struct sonic_port *port, const char *why)
{
    sonic_port_note(import, node, port, port->neighbor.place, "not linked: %s", why);
}

/* Reason why the two ports cannot be connected; NULL: none. */
static const char *obstacle(const struct sonic_switch *node, const struct sonic_port *near,
                            const struct sonic_switch *other, const struct sonic_port *far)
{
    if (far == NULL)
        return "the neighbor's file has no such port";
    if (other == node)
        return "it names its own switch";
    if (near->down != NULL || far->down != NULL)
        return near->down != NULL ? near->down : "the port at the other end is down";
    return far->linked ? "the port at the other end has a link already" : NULL;
}

static void link_switches(struct sonic_import *import, const struct sonic_switch *node,
                          struct sonic_port *near, const struct sonic_switch *other, bool second)
{
    struct sonic_port *far = sonic_far_port(other, &near->neighbor);
    const char *why = obstacle(node, near, other, far);
    if (why != NULL && second)
        note_unlinked(import, node, near, why);
    if (why != NULL || (!second && !names_back(import, far, node, near)))
        return;
    if (second && far->neighbor.name != NULL)
        sonic_note(import, near->neighbor.place,
                   "%s %s: the file of %s names another neighbor for this cable", node->name,
                   sonic_clean(import, near->name), other->name);
    join_ports(import, node, near, other, far);
}

/* By LLDP, hosts announce the MAC address of their port as its ID, and its name as the
 * description. */
static const char *host_port(const struct sonic_neighbor *neighbor)
{
    const bool is_address = neighbor->port != NULL && strchr(neighbor->port, ':') != NULL;
    return is_address && neighbor->other_port != NULL ? neighbor->other_port : neighbor->port;
}

static int by_neighbor(const void *a, const void *b)
{
    const struct sonic_host *x = a, *y = b;
    return strcmp(x->neighbor, y->neighbor);
}

static struct sonic_host *new_host(struct sonic_import *import, const struct sonic_switch *node,
                                   const struct sonic_port *near)
{
    const char *neighbor = near->neighbor.name;
    struct sonic_host *host = arena_take(&import->arena, sizeof *host);
    struct sonic_host **slot = arena_push(&import->arena, (void **)(void *)&import->hosts,
                                          &import->host_count, sizeof *slot);
    *slot = host;
    *host = (struct sonic_host){.name = names_pick(&import->names, neighbor),
                                .neighbor = neighbor,
                                .number = import->host_count};
    if (strcmp(host->name, neighbor) != 0)
        sonic_note(import, near->neighbor.place, "the neighbor '%s' at %s %s is the host %s here",
                   sonic_clean(import, neighbor), node->name, sonic_clean(import, near->name),
                   host->name);
    return host;
}

/* A neighbor of several ports is one host with one NIC per cable, and a further host beyond
 * CABLING_NICS_MAX cables. */
static struct sonic_host *host_of(struct sonic_import *import, const struct sonic_switch *node,
                                  const struct sonic_port *near)
{
    const struct sonic_host wanted = {.neighbor = near->neighbor.name};
    struct sonic_host **known = tfind(&wanted, &import->by_neighbor, by_neighbor);
    if (known == NULL) {
        struct sonic_host *host = new_host(import, node, near);
        tsearch(host, &import->by_neighbor, by_neighbor);
        return host;
    }
    if ((*known)->nics == CABLING_NICS_MAX)
        *known = new_host(import, node, near);
    return *known;
}

static void forget_hosts(struct sonic_import *import)
{
    while (import->by_neighbor != NULL) /* the first member of a tsearch node is the pointer to
                                         * its key */
        tdelete(*(struct sonic_host *const *)import->by_neighbor, &import->by_neighbor,
                by_neighbor);
}

static void add_host(struct sonic_import *import, const struct sonic_switch *node,
                     struct sonic_port *near)
{
    if (near->down != NULL) {
        note_unlinked(import, node, near, near->down);
        return;
    }
    struct sonic_host *host = host_of(import, node, near);
    *add_link(import) = (struct sonic_link){.near = {node, near},
                                            .host = host->number,
                                            .nic = host->nics++,
                                            .far_port = host_port(&near->neighbor)};
    import->nics = host->nics > import->nics ? host->nics : import->nics;
    near->linked = true;
}

/* Reports a neighbor that is known to be a switch but has no file. */
static void note_type(struct sonic_import *import, const struct sonic_switch *node,
                      const struct sonic_port *near)
{
    const char *neighbor = near->neighbor.name;
    const struct tree_node *rows = tree_get(node->root, "DEVICE_NEIGHBOR_METADATA");
    const char *type = row_text(tree_item(rows, neighbor), "type");
    if (type == NULL)
        type = near->neighbor.type;
    if (type != NULL && strcmp(type, "Server") != 0)
        sonic_note(
            import, near->neighbor.place,
            "%s reports the type %s but has no configuration file here; it is imported as a host",
            sonic_clean(import, neighbor), sonic_clean(import, type));
}

/* First pass: cables on which both ends agree; second pass: the others. */
static void link_ports(struct sonic_import *import, bool second)
{
    for (uint32_t i = 0; i < import->switch_count; i++) {
        const struct sonic_switch *node = &import->switches[i];
        for (uint32_t p = 0; p < node->port_count; p++) {
            struct sonic_port *near = &node->ports[p];
            const char *name = near->neighbor.name;
            if (name == NULL || near->linked)
                continue;
            const struct sonic_switch *other = sonic_switch_called(import, name);
            if (other != NULL) {
                link_switches(import, node, near, other, second);
            } else if (second) {
                note_type(import, node, near);
                add_host(import, node, near);
            }
        }
    }
}

/* ---- agreement between the ends of a cable ---- */

static void compare_ends(struct sonic_import *import, const struct sonic_link *link)
{
    const struct sonic_port *near = link->near.port, *far = link->far.port;
    const struct diag_place place = near->item->key_place;
    if (far == NULL)
        return;
    const char *who = arena_format(&import->arena, "%s %s and %s %s", link->near.node->name,
                                   sonic_clean(import, near->name), link->far.node->name,
                                   sonic_clean(import, far->name));
    if (near->speed != far->speed)
        sonic_note(import, place, "%s differ in speed: the first one's is used", who);
    if (near->length != SONIC_UNSET && far->length != SONIC_UNSET && near->length != far->length)
        sonic_note(import, place, "%s differ in cable length: the first one's is used", who);
    if ((near->fec == NULL) != (far->fec == NULL))
        sonic_note(import, place, "%s differ in fec: the first one's is used", who);
}

static void note_alone(struct sonic_import *import)
{
    for (uint32_t i = 0; i < import->switch_count; i++) {
        const struct sonic_switch *node = &import->switches[i];
        for (uint32_t p = 0; p < node->port_count; p++) {
            const struct sonic_port *port = &node->ports[p];
            if (port->neighbor.name == NULL && !port->linked)
                sonic_port_note(import, node, port, port->item->key_place,
                                import->cabled ? "not linked: no cable, no row in DEVICE_NEIGHBOR"
                                               : "not linked: no row in DEVICE_NEIGHBOR");
        }
    }
}

/* Reports the lack of links; if a port has a neighbor but is down, names that port. */
static void no_links(struct sonic_import *import)
{
    for (uint32_t i = 0; i < import->switch_count; i++)
        for (uint32_t p = 0; p < import->switches[i].port_count; p++) {
            const struct sonic_port *port = &import->switches[i].ports[p];
            if (port->neighbor.name == NULL || port->down == NULL)
                continue;
            char text[DIAG_TEXT_BYTES];
            snprintf(text, sizeof text, "expected a port that is up: %s has a neighbor, but %s",
                     sonic_clean(import, port->name), port->down);
            tree_message(import->diag, DIAG_ERROR, port->item->value, port->item->key_place, text);
            return;
        }
    tree_error(import->diag, import->switches[0].root,
               "expected at least one neighbor in DEVICE_NEIGHBOR, or a file of cables beside it: "
               "show lldp table, a DOT graph, or lines such as 'leaf0 Ethernet0 spine0 Ethernet8'");
}

void sonic_cables(struct sonic_import *import)
{
    link_ports(import, false);
    link_ports(import, true);
    forget_hosts(import);
    sonic_defaults(import);
    for (size_t i = 0; i < import->link_count; i++)
        compare_ends(import, &import->links[i]);
    note_alone(import);
    if (import->host_count < 2)
        sonic_note(import, import->switches[0].root->place,
                   "fewer than two hosts: the scenario needs a workload before it runs");
    if (import->link_count == 0)
        no_links(import);
}
