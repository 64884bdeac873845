/* SPDX-License-Identifier: Apache-2.0
 * plan_front - the front of price, power and headroom, by few runs.
 * First the border between what fails and what leads, by halves; then who bounds the headroom of
 * most others; then by cost whoever may have more headroom, by more than the tolerance, than what
 * costs no more.  In all of these a candidate waits for one that costs no more and is as good on
 * every axis: if that fails this does, and if it holds this has no more headroom for no less.
 * Owner: plan_next_free. */
#ifndef STORMGLASS_REPLAY_PLAN_PLAN_FRONT_H
#define STORMGLASS_REPLAY_PLAN_PLAN_FRONT_H

#include "replay/plan/plan_next.h"

/* What is to be played next is left in `next`; false: the front is known. */
bool plan_front_ask(struct plan_next *next);

/* Marks who is on it, as far as is known; with objective front its cheapest is chosen. */
void plan_front_take(struct plan_next *next);

#endif
