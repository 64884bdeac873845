/* SPDX-License-Identifier: Apache-2.0
 * export - a node of a scenario as the configuration of real equipment, or what was changed in it.
 * What a kind cannot say is reported, a sentence each: nothing is left out silently.  What the kind
 * writes, the import of the same name reads where there is one.
 * Units:  as the equipment's own tools take them.
 * Errors: none; a scenario that was loaded can be written.  Owner: notes belong to their arena. */
#ifndef STORMGLASS_SCENARIOS_EXPORT_EXPORT_H
#define STORMGLASS_SCENARIOS_EXPORT_EXPORT_H

#include "scenarios/import/notes.h"
#include "scenarios/load/scenario.h"

#include <stdio.h>

struct export_kind {
    const char *name, *about;   /* its line in --help */
    enum scenario_node_kind of; /* whose configuration it is */
    void (*write)(const struct scenario *scenario, const struct scenario_node *node, FILE *out,
                  struct notes *notes);
    /* Instead: of no node, but what was changed in the scenario; `other`: its path, beside what is
     * written. */
    void (*write_changes)(const struct scenario *scenario, const char *other, FILE *out);
};

extern const struct export_kind *const export_kinds[];
extern const size_t export_kind_count;

#endif
