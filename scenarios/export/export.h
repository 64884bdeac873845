/* SPDX-License-Identifier: Apache-2.0
 * export - writes a node of a scenario as the configuration of real equipment, or writes the
 * changes of a scenario.
 * Settings that a kind cannot express are reported in one sentence each; nothing is omitted
 * silently. If there is an import of the same name, it can read what the export writes.
 * Units: those of the equipment's own tools.
 * Errors: none; every loaded scenario can be written. Owner: notes belong to their arena. */
#ifndef STORMGLASS_SCENARIOS_EXPORT_EXPORT_H
#define STORMGLASS_SCENARIOS_EXPORT_EXPORT_H

#include "scenarios/data/scenario.h"
#include "scenarios/import/notes.h"

#include <stdio.h>

struct export_kind {
    const char *name, *about;   /* shown in --help */
    enum scenario_node_kind of; /* kind of node that it writes */
    void (*write)(const struct scenario *scenario, const struct scenario_node *node, FILE *out,
                  struct notes *notes);
    /* Used instead of writing a node: writes the changes of the scenario. `other`: path of the
     * changed scenario relative to the output. */
    void (*write_changes)(const struct scenario *scenario, const char *other, FILE *out);
};

extern const struct export_kind *const export_kinds[];
extern const size_t export_kind_count;

#endif
