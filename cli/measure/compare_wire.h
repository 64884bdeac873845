/* SPDX-License-Identifier: Apache-2.0
 * compare_wire - stormglass compare --wire. */
#ifndef STORMGLASS_CLI_MEASURE_COMPARE_WIRE_H
#define STORMGLASS_CLI_MEASURE_COMPARE_WIRE_H

#include <stdbool.h>

enum wire_form { WIRE_TEXT, WIRE_JSON, WIRE_CSV };

/* Compares two captures; with b NULL, prints the frames of one. Returns the exit code. */
int compare_wire(const char *a, const char *b, enum wire_form form);

#endif
