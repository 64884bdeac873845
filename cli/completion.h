/* SPDX-License-Identifier: Apache-2.0
 * completion - scripts with which a shell completes commands, options and values of stormglass. */
#ifndef STORMGLASS_CLI_COMPLETION_H
#define STORMGLASS_CLI_COMPLETION_H

#include "cli/cli.h"

/* Prints the script for "bash", "zsh" or "fish"; CLI_USAGE, after a message, for any other
 * shell. */
int completion_print(const char *shell, const struct cli_command *const *commands, int count);

#endif
