/* SPDX-License-Identifier: Apache-2.0
 * places - the ranks of an MPI program: rank 0 distributes the runs of a plan, and all ranks
 * execute them.
 * Waiting ranks poll and sleep in between, because MPI's own waiting uses a whole processor. */
#ifndef STORMGLASS_CLI_MPI_PLACES_H
#define STORMGLASS_CLI_MPI_PLACES_H

#include "cli/play/cmd_plan.h"

/* State of rank 0. */
struct places {
    struct cmd_plan_others others;
    int count;  /* number of other ranks */
    bool heard; /* `loaded` has the fingerprint of each of them */
    char (*loaded)[160];
};

void places_open(struct places *places);
/* Notifies all ranks that there are no more runs. */
void places_close(struct places *places);

/* For any other rank; its `self` is unused. */
struct cmd_plan_serving places_serving(void);

#endif
