/* SPDX-License-Identifier: Apache-2.0
 * scenario_namespaces - loads `namespaces:` of a section of hosts.
 *   namespaces: [{media: flash-tlc, count: 4, size: 1TiB}, {media: {kind: fixed, read: 10us}}]
 * `media` is a profile of kind media, or a media kind; a mapping may set further values. */
#ifndef STORMGLASS_SCENARIOS_LOAD_SCENARIO_NAMESPACES_H
#define STORMGLASS_SCENARIOS_LOAD_SCENARIO_NAMESPACES_H

#include "scenarios/load/scenario_load.h"

struct scenario_namespaces {
    const char *path; /* "hosts.targets.namespaces" */
    struct scenario_namespace *list;
    size_t count;
};

const struct scenario_namespaces *scenario_load_namespaces(struct loader *loader, const char *path,
                                                           const struct tree_node *written);

#endif
