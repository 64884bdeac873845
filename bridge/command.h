/* SPDX-License-Identifier: Apache-2.0
 * command - what the subcommands of stormglass-bridge share.
 * One file for each, and a line in main.c. */
#ifndef STORMGLASS_BRIDGE_COMMAND_H
#define STORMGLASS_BRIDGE_COMMAND_H

#include "bridge/play/play.h"

/* Exit codes. */
enum { DONE, BROKEN, USAGE, FAILED };

/* argv[0] is the subcommand's name. */
int command_run(int argc, char **argv);
int command_calibrate(int argc, char **argv);

/* "stormglass-bridge: WHAT VALUE: expected ..."; gives USAGE. */
int command_complain(const char *what, const char *value, const char *expected);

/* The words of --role and --verify; DONE, or a complaint's USAGE. */
int command_role(const char *value, enum play_role *role);
int command_depth(const char *value, enum content_depth *depth);

#endif
