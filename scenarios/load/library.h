/* SPDX-License-Identifier: Apache-2.0
 * library - scenarios by name: a file, or a case or work that travels inside the program.
 * A file of that name goes before a case.  Other files of the cases' folder stand beside a case, as
 * they do in the source tree.
 * Owner of the result: scenario_free.  Errors: located messages in diag, and NULL. */
#ifndef STORMGLASS_SCENARIOS_LOAD_LIBRARY_H
#define STORMGLASS_SCENARIOS_LOAD_LIBRARY_H

#include "scenarios/load/scenario.h"

/* "pause-storm", "pause-storm.yaml", the path of a file, or "-" for standard input. */
struct scenario *library_load(const char *name, const char *const *sets, uint32_t set_count,
                              struct diag *diag);

/* The scenario once more, from the files that it was read from, with these sets after its own. */
struct scenario *library_load_again(const struct scenario *scenario, const char *const *sets,
                                    uint32_t set_count, struct diag *diag);

/* Whether a case or work has that name. */
bool library_has(const char *name);

/* What a file names as its scenario: a file beside it, or if there is none a case.  The text is the
 * arena's, or `name`. */
const char *library_beside(struct arena *arena, const char *file, const char *name);

#endif
