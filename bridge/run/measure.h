/* SPDX-License-Identifier: Apache-2.0
 * measure - runs the micro-benchmarks on a device.
 * Each benchmark is a separate run, from opening the device to closing it. All benchmarks run once,
 * then all again, so that drift appears in the spread of all of them instead of in one. */
#ifndef STORMGLASS_BRIDGE_RUN_MEASURE_H
#define STORMGLASS_BRIDGE_RUN_MEASURE_H

#include "bridge/run/live_run.h"
#include "replay/calibrate/measurements.h"

struct measure_options {
    struct live_options run;        /* role host or both; lead 0 */
    struct measurements_texts sets; /* "path=value" */
    uint32_t repeats;               /* 1 to MEASUREMENTS_REPEATS_MAX */
    void (*on_run)(void *self, const char *benchmark, uint32_t repeat); /* may be NULL */
    void *self;
};

/* NULL: messages are in diag, or `error` has the reason. */
struct measurements *measure_device(const struct measure_options *options, struct diag *diag,
                                    char error[STORE_ERROR_BYTES]);

#endif
