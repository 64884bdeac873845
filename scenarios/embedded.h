/* SPDX-License-Identifier: Apache-2.0
 * embedded - files embedded in the program.
 * The build converts every profile, benchmark and case under scenarios/, and the files of the
 * report page, into byte arrays (scenarios/embed/embed.pl), so that the program runs from any
 * directory. Names are relative to scenarios/ and reports/, in byte order. */
#ifndef STORMGLASS_SCENARIOS_EMBEDDED_H
#define STORMGLASS_SCENARIOS_EMBEDDED_H

#include <stddef.h>

struct embedded_file {
    const char *name;           /* such as "profiles/rnic-100g.yaml", "cases/pause-storm.yaml" */
    const unsigned char *bytes; /* followed by a zero byte */
    size_t length;
};

extern const struct embedded_file embedded_files[]; /* terminated by an entry without a name */

extern const char stormglass_version[]; /* text of the file VERSION, such as "0.2.0" */
/* Hash of the sources of model, scenarios and replay, twelve hexadecimal digits: the same for every
 * compiler and machine, different after any change. */
extern const char stormglass_build[];

#endif
