/* SPDX-License-Identifier: Apache-2.0
 * import_trace - stormglass import iolog, and import blktrace.
 * Both write an iolog of version 3, which a workload of kind trace plays, to -o or standard
 * output, and
 * tell on standard error what is in it and which line of a scenario plays it. */
#ifndef STORMGLASS_CLI_PREPARE_IMPORT_TRACE_H
#define STORMGLASS_CLI_PREPARE_IMPORT_TRACE_H

#include "cli/cli.h"

int import_iolog(const struct cli_args *args);
int import_blktrace(const struct cli_args *args);

#endif
