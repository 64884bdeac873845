/* SPDX-License-Identifier: Apache-2.0
 * remedy - the repair of a finding: an instruction, and the --set arguments that do the repair.
 * An instruction without --set arguments names something that is no setting, such as a cable. With
 * all --set arguments of one finding, that finding disappears and no new error appears
 * (remedy_trial).
 * Owner: the arena of the report. Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_REMEDY_H
#define STORMGLASS_SCENARIOS_CHECK_REMEDY_H

#include "scenarios/data/scenario.h"

#include <stdbool.h>
#include <stdio.h>

/* Values of an override that is added for some nodes and ports: "rnic: {pfc: true}". */
struct remedy_here {
    const char *values;
    const char **names; /* names of the nodes and ports */
    size_t count;
};

struct remedy {
    const char *text;  /* NULL: none is known */
    const char **sets; /* "fabric.switch.headroom=auto" */
    size_t set_count;
    struct remedy_here *here; /* collected until remedy_end turns them into sets */
    size_t here_count;
    bool unknown; /* one of the sets cannot be written, so only the instruction is printed */
};

/* Adds a set, unless its path was already set. */
void remedy_set(struct remedy *remedy, struct arena *arena, const char *set);

void remedy_here(struct remedy *remedy, struct arena *arena, const char *name, const char *values);

/* Completes the remedy; nothing may be added after that. */
void remedy_end(struct remedy *remedy, struct arena *arena);

/* Prints "TEXT (--set A=1 --set B=2)", quoted where a shell needs quotes. */
void remedy_print(const struct remedy *remedy, FILE *out);

/* The sets, one per line; "" for none. */
const char *remedy_lines(const struct remedy *remedy, struct arena *arena);

#endif
