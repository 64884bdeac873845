/* SPDX-License-Identifier: Apache-2.0
 * library - loads scenarios by name: a file, or an embedded scenario of cases/, works/,
 * lessons/ or claims/.
 * A file takes precedence over a case of the same name. Other files of the cases directory are in
 * the same directory as the case, as in the source tree.
 * Owner of the result: scenario_free. Errors: located messages in diag, and NULL. */
#ifndef STORMGLASS_SCENARIOS_LOAD_LIBRARY_H
#define STORMGLASS_SCENARIOS_LOAD_LIBRARY_H

#include "scenarios/data/scenario.h"

/* `name`: "pause-storm", "pause-storm.yaml", the path of a file, or "-" for standard input. */
struct scenario *library_load(const char *name, const char *const *sets, uint32_t set_count,
                              struct diag *diag);

/* A scenario whose text is in memory. Files next to it are those of the cases directory. */
struct scenario *library_load_text(const struct scenario_source *source, const char *const *sets,
                                   uint32_t set_count, struct diag *diag);

/* The scenario once more, from the files that it was read from, with these sets after its own. */
struct scenario *library_load_again(const struct scenario *scenario, const char *const *sets,
                                    uint32_t set_count, struct diag *diag);

/* True if an embedded scenario of cases/, works/, lessons/ or claims/ has that name. */
bool library_has(const char *name);

/* Resolves the scenario that a file refers to: a file relative to the file's directory, or else a
 * case. The text belongs to the arena, or is `name`. */
const char *library_beside(struct arena *arena, const char *file, const char *name);

#endif
