/* SPDX-License-Identifier: Apache-2.0
 * ranks - the ranks of an MPI program: rank 0 distributes the runs of a plan, and all ranks
 * execute them.
 * Waiting ranks poll and sleep in between, because MPI's own waiting uses a whole processor. */
#ifndef STORMGLASS_CLI_MPI_RANKS_H
#define STORMGLASS_CLI_MPI_RANKS_H

#include "cli/run/cmd_plan.h"

/* State of rank 0. */
struct ranks {
    struct cmd_plan_others others;
    int count;  /* number of other ranks */
    bool heard; /* `loaded` has the fingerprint of each of them */
    char (*loaded)[160];
};

void ranks_open(struct ranks *ranks);
/* Notifies all ranks that there are no more runs. */
void ranks_close(struct ranks *ranks);

/* For any other rank; its `self` is unused. */
struct cmd_plan_serving ranks_serving(void);

#endif
