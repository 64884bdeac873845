/* SPDX-License-Identifier: Apache-2.0
 * exec_helper - executes another program that links additional libraries: stormglass-bridge the
 * RDMA libraries, stormglass-mpi those of Open MPI. The program is in the same directory as this
 * one, or in the PATH. */
#ifndef STORMGLASS_CLI_EXEC_HELPER_H
#define STORMGLASS_CLI_EXEC_HELPER_H

#include "cli/cli.h"

/* Executes that program with `count` arguments, preceded by `word` unless NULL. Returns only on
 * failure, after a message. */
int exec_helper(const char *program, const char *word, char *const *rest, int count);

#endif
