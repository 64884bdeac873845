/* SPDX-License-Identifier: Apache-2.0
 * compare_wire - stormglass compare --wire. */
#ifndef STORMGLASS_CLI_MEASURE_COMPARE_WIRE_H
#define STORMGLASS_CLI_MEASURE_COMPARE_WIRE_H

#include <stdbool.h>

/* Two captures against each other; of one alone (B NULL) its frames in words.  Returns the exit
 * code. */
int compare_wire(const char *a, const char *b, bool json);

#endif
