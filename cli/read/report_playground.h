/* SPDX-License-Identifier: Apache-2.0
 * report_playground - stormglass report --playground. */
#ifndef STORMGLASS_CLI_READ_REPORT_PLAYGROUND_H
#define STORMGLASS_CLI_READ_REPORT_PLAYGROUND_H

#include "cli/cli.h"

/* Writes the page that runs scenarios in the browser; the operand, if there is one, is shown
 * first. Returns the exit code. */
int report_playground(const struct cli_args *args);

#endif
