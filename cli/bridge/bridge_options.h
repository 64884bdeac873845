/* SPDX-License-Identifier: Apache-2.0
 * bridge_options - what the commands of stormglass-bridge share.
 * A command is a file, and a line in main.c. */
#ifndef STORMGLASS_CLI_BRIDGE_BRIDGE_OPTIONS_H
#define STORMGLASS_CLI_BRIDGE_BRIDGE_OPTIONS_H

#include "bridge/play/places.h"
#include "bridge/play/play.h"
#include "cli/cli.h"

extern const struct cli_command bridge_run, bridge_calibrate;

/* "stormglass-bridge: WHAT VALUE: expected ..."; gives CLI_USAGE. */
int bridge_options_complain(const char *what, const char *value, const char *expected);

/* --address, --role and --verify, as far as they are given, and --busy-poll: CLI_DONE, or
 * CLI_USAGE, and that was said. */
int bridge_options_read(const struct cli_args *args, struct play_options *play);

/* An option that is an address; not given, it stays. */
int bridge_options_address(const struct cli_args *args, const char *option,
                           struct places_nics *nics);

/* --allow, and with `secret` --secret or else the variable STORMGLASS_SECRET. */
int bridge_options_access(const struct cli_args *args, bool secret, struct access *access);

#endif
