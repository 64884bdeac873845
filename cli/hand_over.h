/* SPDX-License-Identifier: Apache-2.0
 * hand_over - to stormglass-bridge, the program that links the RDMA libraries.
 * It stands beside this one, or in the PATH. */
#ifndef STORMGLASS_CLI_HAND_OVER_H
#define STORMGLASS_CLI_HAND_OVER_H

#include "cli/cli.h"

/* Becomes the other program with the command's operands, after `word` when there is one (else
 * NULL).  Returns only when that is not possible, after a message. */
int hand_over(const char *word, const struct cli_args *args);

#endif
