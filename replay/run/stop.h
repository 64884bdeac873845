/* SPDX-License-Identifier: Apache-2.0
 * stop - signals that request an end.
 * While caught, SIGINT and SIGTERM are recorded, and loops poll for them. The first signal requests
 * a stop; a second one reaches the previous handler, which ends the program. */
#ifndef STORMGLASS_REPLAY_RUN_STOP_H
#define STORMGLASS_REPLAY_RUN_STOP_H

#include <signal.h>
#include <stdatomic.h>

struct stop {
    struct sigaction interrupt, terminate; /* previous actions */
};

/* Resets the request. */
void stop_catch(struct stop *former);
/* Catches SIGINT only, any number of times: for interactive work that continues after it. */
void stop_catch_interrupts(struct stop *former);
void stop_release(const struct stop *former);

/* The signal that requested a stop, or 0; and the variable for direct polling. */
int stop_asked(void);
const atomic_int *stop_place(void);
void stop_forget(void);

#endif
