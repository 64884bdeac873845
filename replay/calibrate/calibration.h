/* SPDX-License-Identifier: Apache-2.0
 * calibration - fits parameters so that the model reproduces what was measured on a device.
 * The simulator itself is the model function: it runs the benchmarks with candidate values, and the
 * fit minimizes the sum of squared relative errors against the measured figures; a figure that
 * contradicts all others gets less weight. Values that the figures do not determine stay near the
 * base: a factor of e from the base costs as much as one figure that is off by the noise. The fit
 * is deterministic. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_CALIBRATION_H
#define STORMGLASS_REPLAY_CALIBRATE_CALIBRATION_H

#include "base/opt.h"
#include "replay/calibrate/measurements.h"

enum { CALIBRATION_PARAMETERS_MAX = 32, CALIBRATION_FIGURES_MAX = 32 };

/* Values are in the base unit of the row. */
struct calibration_value {
    const char *path; /* below hosts.defaults: "rnic.tx-delay" */
    const struct opt *row;
    double scale, lower, upper;
    int64_t base, value;
    const char *like;    /* path of the parameter that it is taken to be equal to, or NULL */
    bool determined;     /* false: the value is that of the base */
    double spread;       /* standard deviation of the value */
    uint32_t benchmarks; /* bit set of the benchmarks that determined it */
};

struct calibration_figure {
    uint32_t benchmark;
    enum benchmark_figure figure;
    time_ps measured, modelled;
    double spread; /* of the measurements, as a fraction */
    double weight; /* at most 1; 0: compared but not fitted */
    double trust;  /* at most 1; less for a figure that contradicts the others */
};

/* A row of the RNIC that is not fitted and differs from its preset. */
struct calibration_kept {
    const char *name, *value, *evidence, *source;
};

/* The range of work in the benchmarks: one word of their workloads, with its smallest and largest
 * value. */
struct calibration_range {
    const char *word;
    const struct opt *row;
    int64_t low, high;
};

/* Result of a benchmark for a set of values; values that do not affect it are 0. */
struct calibration_play {
    int64_t values[CALIBRATION_PARAMETERS_MAX];
    time_ps times[BENCHMARK_FIGURE_COUNT];
};

struct calibration_plays {
    struct calibration_play *list;
    size_t count;
};

struct calibration {
    struct arena arena;
    const struct measurements *figures;
    const char *base; /* profile of kind rnic that provides the other values */
    struct calibration_value values[CALIBRATION_PARAMETERS_MAX];
    uint32_t value_count;
    struct calibration_kept *kept; /* of the base, the device and the user */
    size_t kept_count;
    struct calibration_range *ranges;
    size_t range_count;
    struct calibration_figure shown[CALIBRATION_FIGURES_MAX];
    uint32_t shown_count;
    struct calibration_plays played[BENCHMARK_COUNT];
    double noise; /* relative: the error of a fitted figure, or its own variation between repeats */
    uint32_t evaluations;
};

/* Runs the fit; always call calibration_end, even after failure. `figures` and `base` must outlive
 * the calibration. Returns false and adds messages if a benchmark cannot run with the facts and
 * sets of the figures. */
bool calibration_fit(struct calibration *calibration, const struct measurements *figures,
                     const char *base, struct diag *diag);

/* Runs all benchmarks with the fitted values and keeps the model's results; false if one does not
 * complete. */
bool calibration_model(struct calibration *calibration, struct diag *diag);

/* Sets up the parameters to fit, with the base's values; returns false and adds messages as
 * above. */
bool calibration_begin(struct calibration *calibration, const struct measurements *figures,
                       const char *base, struct diag *diag);

void calibration_end(struct calibration *calibration);

#endif
