/* SPDX-License-Identifier: Apache-2.0
 * hand_over - to another program that links what this one does not: stormglass-bridge the RDMA
 * libraries, stormglass-mpi those of Open MPI.  It stands beside this one, or in the PATH. */
#ifndef STORMGLASS_CLI_HAND_OVER_H
#define STORMGLASS_CLI_HAND_OVER_H

#include "cli/cli.h"

/* Becomes that program with `count` arguments, after `word` when there is one (else NULL).  Returns
 * only when that is not possible, after a message. */
int hand_over(const char *program, const char *word, char *const *rest, int count);

#endif
