/* SPDX-License-Identifier: Apache-2.0
 * nvme_connect - the paths and the options of an NVMe-oF host: command lines of `nvme connect`,
 * `nvme connect-all` and `nvme discover` in a script, a history or a terminal session, lines of
 * discovery.conf, or the config.json of nvme-cli.
 * Options become parameters of `nvme:` and `tcp:`, or notes; nvme_connect.def lists them.  A
 * scenario has one value for all paths: the first one counts, and others are noted.
 *   Limits:  shell.h; CONNECT_COMMANDS_MAX commands.  Owner: the device's arena. */
#ifndef STORMGLASS_SCENARIOS_DEVICE_NVME_CONNECT_H
#define STORMGLASS_SCENARIOS_DEVICE_NVME_CONNECT_H

#include "scenarios/device/device.h"

enum { CONNECT_COMMANDS_MAX = 2048, CONNECT_OPTIONS_MAX = 64 };

/* One command line, or one port of config.json. */
struct connect_command {
    bool is_path; /* connects to one port of a subsystem */
    const char *verb;
    const char *transport, *nqn, *traddr, *trsvcid, *host_traddr, *host_iface, *tos;
    struct diag_place place;
};

struct connect_setting {
    const char *row;   /* the parameter of `nvme:` */
    const char *value; /* as a scenario writes it; NULL: not set */
    const char *spelled;
    struct diag_place place;
};

struct nvme_connect {
    struct device *device;
    const char *transport; /* of the first command that a scenario can have */
    struct connect_command *commands;
    size_t command_count, left_out;
    struct connect_setting settings[CONNECT_OPTIONS_MAX]; /* by option */
    struct connect_setting dscp;
};

/* Each returns false if there is no command. */
bool nvme_connect_read(struct device *device, struct nvme_connect *connect);
bool nvme_connect_config(struct device *device, const struct tree_node *root,
                         struct nvme_connect *connect);

/* The paths as comments, and the members of hosts.defaults. */
void nvme_connect_write_paths(struct nvme_connect *connect, FILE *out);
/* Writes a comment: how a workload uses so many paths. */
void nvme_connect_write_count(size_t paths, FILE *out);
void nvme_connect_write(struct nvme_connect *connect, FILE *out);

#endif
