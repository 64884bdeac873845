/* SPDX-License-Identifier: Apache-2.0
 * report_several - stormglass report on runs, plans and incidents in any number and order. */
#ifndef STORMGLASS_CLI_READ_REPORT_SEVERAL_H
#define STORMGLASS_CLI_READ_REPORT_SEVERAL_H

#include "cli/cli.h"

/* Whether the inputs need a page of several: more than two databases, a plan with another one, or
 * the files of an incident. */
bool report_is_several(const struct cli_args *args);

/* Returns the exit code. */
int report_several(const struct cli_args *args);

#endif
