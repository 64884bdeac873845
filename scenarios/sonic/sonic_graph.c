/* SPDX-License-Identifier: Apache-2.0
 * sonic_graph - reads cables from a DOT graph: a topology.dot of the whole fabric in addition to
 * the configuration of its switches.
 * Nodes have the switches' own names, ports their names or aliases. */
#include "scenarios/sonic/sonic_private.h"

#include "scenarios/import/dot.h"

#include <stdio.h>
#include <string.h>

static struct sonic_plug plug_of(const struct cabling_link *link, int end)
{
    const struct cabling_end *from = &link->ends[end];
    return (struct sonic_plug){.node = from->node->name,
                               .port = from->port,
                               .type = from->node->role == CABLING_SWITCH ? "switch" : NULL,
                               .place = link->place};
}

/* Passes on a line "FILE:LINE:COLUMN: note: sentence" of the reader: attributes used only for
 * drawing. */
static void pass_on(struct sonic_import *import, const struct tree_file *file, const char *line)
{
    struct diag_place place = {.file = file->name, .line = 1, .column = 1};
    const char *sentence = strstr(line, ": note: ");
    sscanf(line + strlen(file->name), ":%d:%d:", &place.line, &place.column);
    if (sentence != NULL)
        sonic_cosmetic(import, place, "%s", sentence + strlen(": note: "));
}

void sonic_graph(struct sonic_import *import, const struct tree_file *file)
{
    struct cabling cabling;
    cabling_begin(&cabling, &import->arena, file, import->diag);
    const bool fine = dot_read(&cabling);
    for (size_t i = 0; fine && i < cabling.link_count && import->diag->errors < DIAG_MAX; i++) {
        const struct cabling_link *link = &cabling.links[i];
        const struct sonic_cable cable = {.ends = {plug_of(link, 0), plug_of(link, 1)},
                                          .of_fabric = true};
        sonic_cable(import, file, &cable);
        if (link->value_count > 0)
            sonic_note(import, link->place,
                       "rate, length and the like of an edge: PORT and CABLE_LENGTH are used");
    }
    for (size_t i = 0; i < cabling.notes.count; i++)
        pass_on(import, file, cabling.notes.lines[i]);
    cabling_end(&cabling);
}
