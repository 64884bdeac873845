/* SPDX-License-Identifier: Apache-2.0
 * places - the ranks of an MPI program: rank 0 hands out runs of a plan, all play.
 * Who waits looks now and then, and sleeps in between: MPI's own waiting takes a processor. */
#ifndef STORMGLASS_CLI_MPI_PLACES_H
#define STORMGLASS_CLI_MPI_PLACES_H

#include "cli/play/cmd_plan.h"

/* Of rank 0. */
struct places {
    struct cmd_plan_others others;
    int count;  /* of other ranks */
    bool heard; /* what each of them has loaded */
    char (*loaded)[160];
};

void places_open(struct places *places);
/* Tells all that there is no more. */
void places_close(struct places *places);

/* Of any other rank; its `self` is unused. */
struct cmd_plan_serving places_serving(void);

#endif
