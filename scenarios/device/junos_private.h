/* SPDX-License-Identifier: Apache-2.0
 * junos_private - the statements of a Junos configuration, one by one. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_JUNOS_PRIVATE_H
#define STORMGLASS_SCENARIOS_DEVICE_JUNOS_PRIVATE_H

#include "scenarios/device/switch_qos.h"

enum { JUNOS_DEPTH_MAX = 24 };

/* A statement with the words of the blocks around it, "class-of-service schedulers s1
 * transmit-rate percent 75", whether it is written in braces or behind `set`; brackets are left
 * out. */
typedef void junos_statement_fn(void *context, const struct command *statement);

/* Calls for each statement of the file; an error where braces do not fit. */
void junos_scan(struct device *device, junos_statement_fn *call, void *context); /* junos_scan.c */

/* The code points from a word on as a mask: "011010" of that many bits, or names of DSCPs. */
uint64_t junos_code_points(const struct command *at, int from, size_t bits);

#endif
