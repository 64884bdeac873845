/* SPDX-License-Identifier: Apache-2.0
 * script - a scenario as lines, each of which can be taken out.
 * One key a line, in block style: what is deeper than a line belongs to it and goes with it, so
 * that any line that is no longer wanted leaves a text that is still YAML. */
#ifndef STORMGLASS_TESTS_SWARM_SCRIPT_H
#define STORMGLASS_TESTS_SWARM_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

enum { SCRIPT_LINES = 600, SCRIPT_WIDTH = 200, SCRIPT_BYTES = SCRIPT_LINES * 60 };

struct script {
    char lines[SCRIPT_LINES][SCRIPT_WIDTH];
    unsigned count;
};

/* Adds a line with so many spaces before it. */
void script_add(struct script *script, unsigned indent, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Takes out a line and what belongs to it. */
void script_cut(struct script *script, unsigned line);

/* How many lines script_cut takes out. */
unsigned script_span(const struct script *script, unsigned line);

/* The override that is wrong if links that the topology made are wrong; UINT32_MAX: none. */
unsigned script_last_override(const struct script *script);

/* The line of `pairing:` if the line is the `to:` of a workload that has one, else the line. */
unsigned script_pairing_of(const struct script *script, unsigned line);

/* The text, and a script of a text; false: it has more lines than a script. */
void script_text(const struct script *script, char text[SCRIPT_BYTES]);
bool script_read(struct script *script, const char *text);

#endif
