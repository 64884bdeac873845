/* SPDX-License-Identifier: Apache-2.0
 * star - a switch between pumps.
 * Six, or with a watchdog three: pump 0 sends to pump 1, which storms in priority LOSSLESS; pump 2
 * sends and receives beside them. */
#ifndef STORMGLASS_TESTS_STAR_H
#define STORMGLASS_TESTS_STAR_H

#include "net/switch/watchdog.h"
#include "tests/unit/net/pump.h"

#define MS(n) ((time_ps)(n)*PS_PER_MS)

enum { PUMPS = 6, LOSSLESS = 3, LOSSY = 0 };

struct star {
    struct engine engine;
    struct frame_pool frames;
    struct swtch swtch;
    struct pump pumps[PUMPS];
    struct port_params port;
    int64_t rates[PUMPS]; /* of a pump's link; 0: that of `port` */
    struct switch_params params;
    struct probe probe;
    const char *name; /* of the switch */
    uint32_t pump_count;
    time_ps period; /* of a pump's frames; 0: as fast as the link */
    bool hostile;   /* the switch is audited after every event */
    struct probe_drop last_drop;
    time_ps storm_at[8], restored_at[8]; /* as noted */
    int storms, restored;
    char text[128]; /* of the first note */
};

/* Presets of ports and switch. */
void star_presets(struct star *star);

/* Presets of ports and of a switch with a watchdog, whose first poll is at 0. */
void star_presets_watched(struct star *star, enum watchdog_action action);

void star_init(struct star *star);
void star_fini(struct star *star);

/* Pump `from` sends a frame each period (watched: 1 ms) from now on. */
void star_send(struct star *star, int from, int to, uint8_t priority);
void star_run(struct star *star, time_ps until);

/* Runs up to `at`; then pump 1 begins or ends its storm. */
void star_storm(struct star *star, bool on, time_ps at);

#endif
