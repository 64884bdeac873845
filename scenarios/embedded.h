/* SPDX-License-Identifier: Apache-2.0
 * embedded - files that travel inside the program.
 * The build turns every profile, benchmark and case under scenarios/ into bytes
 * (scenarios/embed/embed.sh), and what a report's page is made of, so that the program runs from
 * any directory.  Names are relative to scenarios/ and reports/, in the order of their bytes. */
#ifndef STORMGLASS_SCENARIOS_EMBEDDED_H
#define STORMGLASS_SCENARIOS_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name;           /* "profiles/rnic-100g.yaml", "cases/pause-storm.yaml" */
    const unsigned char *bytes; /* a zero follows the last one */
    size_t length;
};

extern const struct embedded_file embedded_files[]; /* an entry without a name ends it */

extern const char stormglass_version[]; /* "0.2.0", the text of the file VERSION */
/* Twelve hexadecimal digits that the sources of model, scenarios and replay make: the same for
 * every compiler and machine, and another one for each change. */
extern const char stormglass_build[];

#endif
