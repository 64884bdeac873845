/* SPDX-License-Identifier: Apache-2.0
 * select - what a `where`, `from` or `to` names.
 * A text, or a list of texts whose union it is:
 *   host3            a node
 *   leaf2:p3         a port
 *   leaf2-spine1     a link, its nodes in either order
 *   host0..host7     a range of numbers, both ends included (also leaf2:p0..leaf2:p3)
 *   leaf*  leaf?:p0  a wildcard: * any letters, ? one; links only where no node fits
 *   hosts  targets   hosts without namespaces, and with, by the entries under `hosts:`
 *   leaves  spines   switches of the lowest tier, and of the one above
 *   group db         the hosts of the entry `db` under `hosts:`
 *   fabric a         the switches of one of two fabrics (homing: fabrics)
 *   links of leaf0   every link of what follows, which is one of these
 * A node of such a name goes before what the word means.
 * A word before it says what is meant and is never needed: "link leaf2-spine1", "port leaf2:p3",
 * "node leaf2".  Members keep the order in which they are written, each once.  What selects nothing
 * is an error. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SELECT_H
#define STORMGLASS_SCENARIOS_LOAD_SELECT_H

#include "scenarios/format/tree.h"
#include "scenarios/load/scenario.h"

enum select_kinds {
    SELECT_HOSTS = 1,
    SELECT_SWITCHES = 2,
    SELECT_PORTS = 4,
    SELECT_LINKS = 8,
};

/* By all texts of a scenario together, each as often as it is selected. */
enum { SELECT_ALL_MAX = 5000000 };

/* Nodes are spots with SCENARIO_ALL_PORTS; a link is the spots of both its ports. */
struct selection {
    struct scenario_spot *spots;
    size_t count;
};

/* Looks among the `kinds` given; false and a message when something is wrong or selects nothing. */
bool select_from(struct scenario *scenario, const struct tree_node *where, unsigned kinds,
                 struct selection *selection, struct diag *diag);

/* Does the text match the pattern with * and ?. */
bool select_matches(const char *pattern, const char *text);

#endif
