/* SPDX-License-Identifier: Apache-2.0
 * machine - what hosts on the same computer share: its processor, and the process in which their
 * protocols run.
 * Owner: the caller of machine_init; its address must not change. Hosts join it with
 * host_join_machine before they get RNICs. */
#ifndef STORMGLASS_RNIC_SOFT_MACHINE_H
#define STORMGLASS_RNIC_SOFT_MACHINE_H

#include "rnic/soft/process.h"

struct host;

struct machine {
    struct processor processor;
    struct process process;
    struct soft_params costs;
    struct work work;              /* work requested by env_work */
    struct env_work *first, *last; /* in the order of the requests */
};

/* `home`: the host whose events include the machine's own work; `costs`: of processor and
 * process. */
void machine_init(struct machine *machine, struct host *home, const struct soft_params *costs);
void machine_fini(struct machine *machine);

/* As in struct env_ops. */
void machine_work(struct machine *machine, struct env_work *work);
void machine_work_cancel(struct machine *machine, struct env_work *work);

#endif
