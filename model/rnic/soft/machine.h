/* SPDX-License-Identifier: Apache-2.0
 * machine - what hosts share that are one computer: its processor, and the process in which their
 * protocols run.
 * Owner: whoever calls machine_init; its address must not change.  Hosts join it with
 * host_join_machine before they get RNICs. */
#ifndef STORMGLASS_RNIC_SOFT_MACHINE_H
#define STORMGLASS_RNIC_SOFT_MACHINE_H

#include "rnic/soft/process.h"

struct host;

struct machine {
    struct processor processor;
    struct process process;
    struct soft_params costs;
    struct work work;              /* what env_work asks for */
    struct env_work *first, *last; /* in the order of asking */
};

/* `home`: one of its hosts, whose events its own work is; `costs`: of the processor and process. */
void machine_init(struct machine *machine, struct host *home, const struct soft_params *costs);
void machine_fini(struct machine *machine);

/* As struct env_ops has them. */
void machine_work(struct machine *machine, struct env_work *work);
void machine_work_cancel(struct machine *machine, struct env_work *work);

#endif
