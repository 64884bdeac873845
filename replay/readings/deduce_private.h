/* SPDX-License-Identifier: Apache-2.0
 * deduce_private - internal interface of deduce. */
#ifndef STORMGLASS_REPLAY_READINGS_DEDUCE_PRIVATE_H
#define STORMGLASS_REPLAY_READINGS_DEDUCE_PRIVATE_H

#include "replay/readings/deduce.h"

/* Whether two figures are of the same kind and work. */
bool deduce_same_work(const struct reading *a, const struct reading *b);

/* Whether the figure of a reading is a rate; otherwise it is a latency (for I/Os: with one
 * outstanding). */
bool deduce_is_rate(const struct reading *reading);

/* The model's figure with the current parameters: messages per second, or the median in ps as the
 * tool reports it. 0 if it cannot run. */
double deduce_play(const struct deduced *deduced, const struct reading *reading);

/* Returns false if the model does not have this work. */
bool deduce_can_play(const struct deduced *deduced, const struct reading *reading);

/* Rounds to the row's unit and clamps to its bounds. */
int64_t deduce_bounded(const struct opt *row, double value);

/* A value deduced from a reading; values outside the row's bounds are clamped. */
struct deduce_word {
    const struct reading *from;
    double value, spread;
    const char *how;
};
void deduce_know(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word);
void deduce_at_most(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word);
void deduce_at_least(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word);

void deduce_conflict(struct deduced *deduced, const struct reading *one,
                     const struct reading *other, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The payload share of the link rate, without headers, for messages of that size. */
double deduce_payload_share(const struct deduced *deduced, const struct reading_work *work);

/* Sets the base's values and the link's rate. */
bool deduce_begin(struct deduced *deduced, const char *rate, struct diag *diag);

/* The rules, in order. */
void deduce_settings(struct deduced *deduced);
void deduce_rates(struct deduced *deduced);
void deduce_together(struct deduced *deduced);
void deduce_latencies(struct deduced *deduced);
void deduce_ios(struct deduced *deduced);

/* Fits the costs of a TCP base to the I/Os, and holds some of them out. */
void deduce_tcp(struct deduced *deduced);

#endif
