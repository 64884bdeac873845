/* SPDX-License-Identifier: Apache-2.0
 * compare_private - internal interface of compare.
 *   compare.c           the two sides, and whether they are comparable
 *   compare_protocol.c  protocol rows
 *   compare_states.c    rows on the states of NVMe hosts and queues
 *   compare_timing.c    figures */
#ifndef STORMGLASS_REPLAY_COMPARE_COMPARE_PRIVATE_H
#define STORMGLASS_REPLAY_COMPARE_COMPARE_PRIVATE_H

#include "replay/compare/compare.h"

struct compare_input {
    struct compare *compare;
    struct store *stores[2]; /* 0: model, 1: measurement */
};

/* Appends a row; the texts are copied. */
void compare_add(struct compare *compare, const char *what, const char *model, const char *measured,
                 bool counts);

void compare_protocol(const struct compare_input *input);
void compare_states(const struct compare_input *input);
void compare_timing(const struct compare_input *input);

#endif
