/* SPDX-License-Identifier: Apache-2.0
 * watch_devices - counters of this machine's network devices, and of SONiC on it, as text that
 * reads like a terminal session: prompt, date, command, output.
 * Commands that do not end within WATCH_DEVICE_SECONDS are killed.
 * Owner: the arena. Errors: a message, and false. */
#ifndef STORMGLASS_CLI_READ_WATCH_DEVICES_H
#define STORMGLASS_CLI_READ_WATCH_DEVICES_H

#include "scenarios/incident/incident.h"

enum { WATCH_DEVICE_SECONDS = 10 };

bool watch_is_device(const char *name);

/* `ethtool -S` of a network device, and the hw_counters of its RDMA device. */
bool watch_device(struct arena *arena, const char *device, struct incident_text *text);

/* The tables of counters and the neighbors of this SONiC switch. */
bool watch_sonic(struct arena *arena, struct incident_text *text);

#endif
