/* SPDX-License-Identifier: Apache-2.0
 * plan_front - finds the Pareto front of price, power and headroom with few runs.
 * First bisects the border between failing and leading candidates; then runs those that bound the
 * headroom of most others; then, by cost, every candidate that may have more headroom than those of
 * at most its cost by more than the tolerance. In each step a candidate waits for one that costs no
 * more and is at least as good on every axis: if that one fails, so does the candidate; if it
 * passes, the candidate has no more headroom at no lower cost.
 * Owner: plan_next_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_FRONT_H
#define STORMGLASS_REPLAY_PLAN_PLAN_FRONT_H

#include "replay/plan/plan_next.h"

/* Leaves the next runs in `next`; returns false if the front is known. */
bool plan_front_ask(struct plan_next *next);

/* Marks the candidates known to be on the front; with objective front, its cheapest is chosen. */
void plan_front_take(struct plan_next *next);

#endif
