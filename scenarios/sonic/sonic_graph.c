/* SPDX-License-Identifier: Apache-2.0
 * Cables of a graph in DOT: a topology.dot of the whole fabric beside the configuration of its
 * switches.  Nodes are called as the switches call themselves, ports by name or alias. */
#include "scenarios/sonic/sonic_private.h"

#include "scenarios/import/dot.h"

static struct sonic_plug plug(const struct cabling_link *link, int end)
{
    const struct cabling_end *from = &link->ends[end];
    return (struct sonic_plug){.node = from->node->name,
                               .port = from->port,
                               .type = from->node->role == CABLING_SWITCH ? "switch" : NULL,
                               .place = link->place};
}

void sonic_graph(struct sonic_import *import, const struct tree_file *file)
{
    struct cabling cabling;
    cabling_begin(&cabling, &import->arena, file, import->diag);
    const bool fine = dot_read(&cabling);
    for (size_t i = 0; fine && i < cabling.link_count && import->diag->errors < DIAG_MAX; i++) {
        const struct cabling_link *link = &cabling.links[i];
        const struct sonic_cable cable = {.ends = {plug(link, 0), plug(link, 1)},
                                          .of_fabric = true};
        sonic_cable(import, file, &cable);
        if (link->value_count > 0)
            sonic_note(import, link->place,
                       "rate, length and the like of an edge: PORT and CABLE_LENGTH are used");
    }
    cabling_end(&cabling);
}
