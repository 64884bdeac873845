/* SPDX-License-Identifier: Apache-2.0
 * import_write - parts of the scenarios of all importers: lists of names, and an initial workload,
 * because the configuration of a switch does not show what its hosts do. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_IMPORT_WRITE_H
#define STORMGLASS_SCENARIOS_IMPORT_IMPORT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Writes "[a, b, ..]", several names per line. */
void import_names(FILE *out, const char *const *names, size_t count);

/* Largest path MTU whose packets fit a link with this MTU. */
int64_t import_path_mtu(int64_t link_mtu);

/* Writes `targets:` below `hosts:`, and `workloads:`. Targets are the hosts marked in `said` (NULL:
 * none) or named target, tgt, nvmet, array or storage; if that is none or all, the second half.
 * With fewer than two hosts, comments explain what to add, with `port` as an example of a free port
 * (NULL: unknown). */
void import_workload(FILE *out, const char *const *hosts, const bool *said, size_t count,
                     const char *port);

#endif
