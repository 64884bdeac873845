/* SPDX-License-Identifier: Apache-2.0
 * run_many - several scenarios in one command, several at once.
 * Each is a process of its own (replay/run/jobs.h) whose output is kept until all scenarios before
 * it are printed: what is printed is what one run after the other prints. */
#ifndef STORMGLASS_CLI_PLAY_RUN_MANY_H
#define STORMGLASS_CLI_PLAY_RUN_MANY_H

#include "cli/cli.h"

/* Runs `one` with each operand, `at_once` at a time (0: as many as there are processors).  The
 * value of --output is a directory, and `one` gets the path of a database in it.  Returns the
 * largest exit code. */
int run_many(const struct cli_args *args, uint32_t at_once,
             int (*one)(const struct cli_args *args));

#endif
