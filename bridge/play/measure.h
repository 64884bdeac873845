/* SPDX-License-Identifier: Apache-2.0
 * measure - the micro-benchmarks, played on a device.
 * Each is a run of its own, from opening the device to closing it; all of them are played, then all
 * again, so that what drifts is in the spread and not in one benchmark. */
#ifndef STORMGLASS_BRIDGE_PLAY_MEASURE_H
#define STORMGLASS_BRIDGE_PLAY_MEASURE_H

#include "bridge/play/play.h"
#include "replay/calibrate/measurements.h"

struct measure_options {
    struct play_options play;       /* role host or both; the lead is none */
    struct measurements_texts sets; /* "path=value" */
    uint32_t repeats;               /* 1 to MEASUREMENTS_REPEATS_MAX */
    void (*on_play)(void *self, const char *benchmark, uint32_t repeat); /* may be NULL */
    void *self;
};

/* NULL: messages are in diag, or the sentence says why it could not be carried out. */
struct measurements *measure_device(const struct measure_options *options, struct diag *diag,
                                    char error[STORE_ERROR_BYTES]);

#endif
