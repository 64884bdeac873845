/* SPDX-License-Identifier: Apache-2.0
 * select - resolves `where`, `from` and `to`.
 * The value is a text, or a list of texts whose union is selected:
 *   host3            a node
 *   leaf2:p3         a port
 *   leaf2-spine1     a link, its nodes in either order
 *   host0..host7     a range of numbers, both ends included (also leaf2:p0..leaf2:p3)
 *   leaf*  leaf?:p0  a wildcard: * any characters, ? one; links only if no node matches
 *   hosts  targets   hosts without namespaces, and with, by the entries under `hosts:`
 *   leaves  spines   switches of the lowest tier, and of the one above
 *   group db         the hosts of the entry `db` under `hosts:`
 *   fabric a         the switches of one of two fabrics (homing: fabrics)
 *   links of leaf0   every link of the selection that follows
 * A node with such a name takes precedence over the keyword. A prefix states the kind and is always
 * optional: "link leaf2-spine1", "port leaf2:p3", "node leaf2". Members are in the order of the
 * text, each only once. An empty selection is an error. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SELECT_H
#define STORMGLASS_SCENARIOS_LOAD_SELECT_H

#include "scenarios/data/scenario.h"
#include "scenarios/format/tree.h"

enum select_kinds {
    SELECT_HOSTS = 1,
    SELECT_SWITCHES = 2,
    SELECT_PORTS = 4,
    SELECT_LINKS = 8,
};

/* Limit for all texts of a scenario together, counting repeated selections. */
enum { SELECT_ALL_MAX = 5000000 };

/* Nodes are spots with SCENARIO_ALL_PORTS; a link is the spots of both its ports. */
struct selection {
    struct scenario_spot *spots;
    size_t count;
};

/* Selects only from the given `kinds`; false, with a message, on errors and for an empty
 * selection. */
bool select_from(struct scenario *scenario, const struct tree_node *where, unsigned kinds,
                 struct selection *selection, struct diag *diag);

/* True if the text matches the pattern with * and ?. */
bool select_matches(const char *pattern, const char *text);

#endif
