/* SPDX-License-Identifier: Apache-2.0
 * wheel_sort - the keys of a group into their order.  The wheel's own. */
#ifndef STORMGLASS_ENGINE_WHEEL_SORT_H
#define STORMGLASS_ENGINE_WHEEL_SORT_H

#include "engine/wheel.h"

enum { WHEEL_NETWORK = 8 }; /* keys that a sorting network takes */

/* Sorts the first `count` of wheel->sorted, behind which there is room for WHEEL_NETWORK more. */
void wheel_sort(struct wheel *wheel, size_t count);

#endif
