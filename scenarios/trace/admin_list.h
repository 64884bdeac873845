/* SPDX-License-Identifier: Apache-2.0
 * admin_list - `admin:` of a storage workload: the admin commands that tools send, and their times.
 * Commands are sent one after the other; `at` is the earliest time, relative to the workload's
 * start.
 * Source: NVMe base 1.4, 5; the commands of nvme-cli. Data flow only from the controller.
 * Owner: the arena. Errors: located messages. */
#ifndef STORMGLASS_SCENARIOS_TRACE_ADMIN_LIST_H
#define STORMGLASS_SCENARIOS_TRACE_ADMIN_LIST_H

#include "base/opt.h"
#include "base/units.h"
#include "scenarios/format/tree.h"

struct admin_call {
    time_ps at;
    uint8_t opcode;
    uint32_t nsid, bytes, cdw[6]; /* CDW10 to CDW15 */
    struct diag_place place;
};

struct admin_list {
    const struct admin_call *calls; /* ordered by `at` */
    size_t count;
};

enum { ADMIN_LIST_MAX = 10000 };

extern const struct opt admin_list_opts[];

/* False, with messages, on errors. `most`: time from the start of the workload to its stop, within
 * which each command must be due. */
bool admin_list_read(struct arena *arena, const struct tree_node *written, time_ps most,
                     struct diag *diag, struct admin_list *list);

#endif
