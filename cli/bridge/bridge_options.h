/* SPDX-License-Identifier: Apache-2.0
 * bridge_options - helpers shared by the commands of stormglass-bridge.
 * A command is one file, and one line in main.c. */
#ifndef STORMGLASS_CLI_BRIDGE_BRIDGE_OPTIONS_H
#define STORMGLASS_CLI_BRIDGE_BRIDGE_OPTIONS_H

#include "bridge/run/host_addresses.h"
#include "bridge/run/live_run.h"
#include "cli/cli.h"

extern const struct cli_command bridge_run, bridge_calibrate;

/* Prints "stormglass-bridge: WHAT VALUE: expected ..."; returns CLI_USAGE. */
int bridge_options_complain(const char *what, const char *value, const char *expected);

/* Reads --address, --role, --verify and --busy-poll, if given. Returns CLI_DONE, or CLI_USAGE after
 * a message. */
int bridge_options_read(const struct cli_args *args, struct live_options *play);

/* Reads an address option; without the option, `nics` is unchanged. */
int bridge_options_address(const struct cli_args *args, const char *option,
                           struct nic_addresses *nics);

/* Reads --allow, and with `secret` also --secret or else the variable STORMGLASS_SECRET. */
int bridge_options_access(const struct cli_args *args, bool secret, struct access *access);

#endif
