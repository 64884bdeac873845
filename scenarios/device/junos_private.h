/* SPDX-License-Identifier: Apache-2.0
 * junos_private - splits a Junos configuration into statements. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_JUNOS_PRIVATE_H
#define STORMGLASS_SCENARIOS_DEVICE_JUNOS_PRIVATE_H

#include "scenarios/device/switch_qos.h"

enum { JUNOS_DEPTH_MAX = 24 };

/* A statement preceded by the words of its enclosing blocks, "class-of-service schedulers s1
 * transmit-rate percent 75". The same for configurations in braces and for `set` commands; brackets
 * are omitted. */
typedef void junos_statement_fn(void *context, const struct command *statement);

/* Calls `call` for each statement of the file; reports an error if braces do not match. */
void junos_scan(struct device *device, junos_statement_fn *call, void *context); /* junos_scan.c */

/* Mask of the code points from word `from` on: binary such as "011010" with `bits` digits, or names
 * of DSCPs. */
uint64_t junos_code_points(const struct command *at, int from, size_t bits);

#endif
