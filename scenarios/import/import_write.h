/* SPDX-License-Identifier: Apache-2.0
 * import_write - what the scenarios of all importers have: lists of names, and a workload to begin
 * with, because no switch's configuration says what its hosts do. */
#ifndef STORMGLASS_SCENARIOS_IMPORT_IMPORT_WRITE_H
#define STORMGLASS_SCENARIOS_IMPORT_IMPORT_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* "[a, b, ..]", some to a line. */
void import_names(FILE *out, const char *const *names, size_t count);

/* The largest path MTU whose packets a link with this MTU lets pass. */
int64_t import_path_mtu(int64_t link_mtu);

/* `targets:` below `hosts:`, and `workloads:`.  Targets are the hosts that `said` marks (NULL:
 * none) or whose names say it: target, tgt, nvmet, array, storage; where that is none or all, the
 * second half.  With fewer than two hosts comments say what to add, with `port` as an example of a
 * free port (NULL: none is known). */
void import_workload(FILE *out, const char *const *hosts, const bool *said, size_t count,
                     const char *port);

#endif
