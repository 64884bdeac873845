/* SPDX-License-Identifier: Apache-2.0
 * calibration - the parameters with which the model shows what a device showed.
 * The simulator itself is the formula: the benchmarks are played in it with candidate values, and
 * those are sought whose figures are nearest to the measured ones (the sum of squared relative
 * errors; a figure that all others contradict counts less).  What the figures leave open stays near
 * the base: a factor of e from it counts as much as a figure that is off by the noise.  The same
 * figures give the same values. */
#ifndef STORMGLASS_REPLAY_CALIBRATE_CALIBRATION_H
#define STORMGLASS_REPLAY_CALIBRATE_CALIBRATION_H

#include "base/opt.h"
#include "replay/calibrate/measurements.h"

enum { CALIBRATION_PARAMETERS_MAX = 32, CALIBRATION_FIGURES_MAX = 32 };

/* Values in the base unit of the row. */
struct calibration_value {
    const char *path; /* below hosts.defaults: "rnic.tx-delay" */
    const struct opt *row;
    double scale, lower, upper;
    int64_t base, value;
    const char *like;    /* path of the one that it is taken to be equal to, or NULL */
    bool determined;     /* false: the value is the base's */
    double spread;       /* of the value, one standard deviation */
    uint32_t benchmarks; /* a bit for each that determined it */
};

struct calibration_figure {
    uint32_t benchmark;
    enum benchmark_figure figure;
    time_ps measured, modelled;
    double spread; /* of the measured, as a share */
    double weight; /* at most 1; 0: it is compared, but not fitted */
    double trust;  /* at most 1, of a figure that the others contradict less */
};

/* A row of the RNIC that is not sought, and is not at its preset. */
struct calibration_kept {
    const char *name, *value, *evidence, *source;
};

/* The work that the benchmarks were: a word of their workloads and its least and greatest value. */
struct calibration_range {
    const char *word;
    const struct opt *row;
    int64_t low, high;
};

/* What a benchmark showed with values; those that are nothing to it are 0. */
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
    const char *base; /* profile of kind rnic: where the rest comes from */
    struct calibration_value values[CALIBRATION_PARAMETERS_MAX];
    uint32_t value_count;
    struct calibration_kept *kept; /* of the base, the device, the user */
    size_t kept_count;
    struct calibration_range *ranges;
    size_t range_count;
    struct calibration_figure shown[CALIBRATION_FIGURES_MAX];
    uint32_t shown_count;
    struct calibration_plays played[BENCHMARK_COUNT];
    double noise; /* relative: what a fitted figure is off by, or by itself from play to play */
    uint32_t evaluations;
};

/* Fits; calibration_end ends it, also a failed one.  `figures` and `base` outlive the calibration.
 * False and messages when a benchmark with the figures' facts and sets cannot be played. */
bool calibration_fit(struct calibration *calibration, const struct measurements *figures,
                     const char *base, struct diag *diag);

/* Plays all benchmarks with the values of the calibration and keeps what the model shows; false
 * when one is not completed. */
bool calibration_model(struct calibration *calibration, struct diag *diag);

/* The parameters that are sought, with the base's values; false and messages as above. */
bool calibration_begin(struct calibration *calibration, const struct measurements *figures,
                       const char *base, struct diag *diag);

void calibration_end(struct calibration *calibration);

#endif
