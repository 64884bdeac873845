/* SPDX-License-Identifier: Apache-2.0
 * stop - signals that ask for an end.
 * While they are caught SIGINT and SIGTERM are noted, and whoever works looks for them.  The first
 * one asks; a second one finds the former handler, which ends the program. */
#ifndef STORMGLASS_REPLAY_RUN_STOP_H
#define STORMGLASS_REPLAY_RUN_STOP_H

#include <signal.h>
#include <stdatomic.h>

struct stop {
    struct sigaction interrupt, terminate; /* as they were */
};

/* Nothing has been asked for since. */
void stop_catch(struct stop *former);
/* SIGINT alone, as often as it comes: for work at a terminal that goes on after it. */
void stop_catch_interrupts(struct stop *former);
void stop_release(const struct stop *former);

/* The signal that asked, or 0; and the place where others look for it. */
int stop_asked(void);
const atomic_int *stop_place(void);
void stop_forget(void);

#endif
