/* SPDX-License-Identifier: Apache-2.0
 * remedy - what repairs a finding: a sentence for people, and what --set takes to do it.
 * A sentence without sets names something that is no setting, such as a cable.  With all of the
 * sets of one finding the finding is gone, and no error is there that was not there before:
 * tests/unit/check/remedies.c applies them wherever a test makes a finding.
 * Owner: the arena of the report.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_CHECK_REMEDY_H
#define STORMGLASS_SCENARIOS_CHECK_REMEDY_H

#include "scenarios/load/scenario.h"

#include <stdbool.h>
#include <stdio.h>

/* Values of an override that is added for some things: "rnic: {pfc: true}". */
struct remedy_here {
    const char *values;
    const char **names; /* of nodes and ports */
    size_t count;
};

struct remedy {
    const char *text;  /* NULL: none is known */
    const char **sets; /* "fabric.switch.headroom=auto" */
    size_t set_count;
    struct remedy_here *here; /* until remedy_end makes sets of them */
    size_t here_count;
    bool unknown; /* one of the sets cannot be written: the sentence alone is the remedy */
};

/* Adds a set; one whose path is set already is left out. */
void remedy_set(struct remedy *remedy, struct arena *arena, const char *set);

void remedy_here(struct remedy *remedy, struct arena *arena, const char *name, const char *values);

/* No more is added. */
void remedy_end(struct remedy *remedy, struct arena *arena);

/* "TEXT (--set A=1 --set B=2)", quoted where a shell needs it. */
void remedy_print(const struct remedy *remedy, FILE *out);

/* The sets as lines; "" for none. */
const char *remedy_lines(const struct remedy *remedy, struct arena *arena);

#endif
