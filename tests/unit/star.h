/* SPDX-License-Identifier: Apache-2.0
 * star - a switch with a watchdog between three pumps.
 * Pump 0 sends to pump 1, which storms in priority LOSSLESS; pump 2 sends and receives beside them.
 */
#ifndef STORMGLASS_TESTS_STAR_H
#define STORMGLASS_TESTS_STAR_H

#include "net/watchdog.h"
#include "pump.h"

#define MS(n) ((time_ps)(n)*PS_PER_MS)

enum { PUMPS = 3, LOSSLESS = 3, LOSSY = 0 };

struct star {
    struct engine engine;
    struct frame_pool frames;
    struct swtch swtch;
    struct pump pumps[PUMPS];
    struct port_params port;
    struct switch_params params;
    struct probe probe;
    time_ps storm_at[8], restored_at[8]; /* as noted */
    int storms, restored;
    char text[128]; /* of the first note */
};

/* Presets of ports and switch; the first poll is at 0. */
void star_presets(struct star *star, enum watchdog_action action);

/* The switch is audited after every event. */
void star_init(struct star *star);
void star_fini(struct star *star);

/* Pump `from` sends a frame each period (1 ms) from now on. */
void star_send(struct star *star, int from, int to, uint8_t priority);
void star_run(struct star *star, time_ps until);

/* Runs up to `at`; then pump 1 begins or ends its storm. */
void star_storm(struct star *star, bool on, time_ps at);

#endif
