/* SPDX-License-Identifier: Apache-2.0
 * run_many - runs several scenarios in one command, several at a time.
 * Each is a separate process (replay/run/jobs.h) whose output is kept until all scenarios before it
 * have been printed, so the output is the same as that of consecutive runs. */
#ifndef STORMGLASS_CLI_RUN_RUN_MANY_H
#define STORMGLASS_CLI_RUN_RUN_MANY_H

#include "cli/cli.h"

/* Runs `one` for each operand, `at_once` at a time (0: as many as there are processors). The value
 * of --output is a directory, and `one` gets the path of a database in it. Returns the largest exit
 * code. */
int run_many(const struct cli_args *args, uint32_t at_once,
             int (*one)(const struct cli_args *args));

#endif
