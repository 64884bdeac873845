/* SPDX-License-Identifier: Apache-2.0
 * deduce_private - what the rules of deduce share. */
#ifndef STORMGLASS_REPLAY_READINGS_DEDUCE_PRIVATE_H
#define STORMGLASS_REPLAY_READINGS_DEDUCE_PRIVATE_H

#include "replay/readings/deduce.h"

/* Two figures of the same kind and work. */
bool deduce_same_work(const struct reading *a, const struct reading *b);

/* Is the figure of a reading a rate?  Else it is a latency: of I/Os where one is under way. */
bool deduce_is_rate(const struct reading *reading);

/* The model with the parameters as they are: messages a second, or the median in ps as the tool
 * counts it.  0: it could not be played. */
double deduce_play(const struct deduced *deduced, const struct reading *reading);

/* False: the model has no such work. */
bool deduce_can_play(const struct reading *reading);

/* A whole number of the row's unit inside its bounds. */
int64_t deduce_bounded(const struct opt *row, double value);

/* What a reading says; a value outside the row's bounds becomes the nearest. */
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

/* Payload that the link carries in its bits: the share that is no header, of messages of that
 * size. */
double deduce_payload_share(const struct deduced *deduced, const struct reading_work *work);

/* The base's values and the rate of the link. */
bool deduce_begin(struct deduced *deduced, const char *rate, struct diag *diag);

/* The rules, in their order. */
void deduce_settings(struct deduced *deduced);
void deduce_rates(struct deduced *deduced);
void deduce_together(struct deduced *deduced);
void deduce_latencies(struct deduced *deduced);
void deduce_ios(struct deduced *deduced);

#endif
