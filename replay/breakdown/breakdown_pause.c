/* SPDX-License-Identifier: Apache-2.0
 * breakdown_pause - a sorted list of pause intervals, summed by binary search. */
#include "base/memory.h"
#include "replay/breakdown/breakdown_private.h"

void breakdown_pauses_reported(struct breakdown_pauses *pauses, time_ps at, bool paused)
{
    if (paused == pauses->open)
        return;
    pauses->open = paused;
    if (!paused) {
        pauses->list[pauses->count - 1].until = at;
        return;
    }
    const struct breakdown_pause *last =
        pauses->count > 0 ? &pauses->list[pauses->count - 1] : NULL;
    const time_ps before = last == NULL ? 0 : last->before + last->until - last->from;
    pauses->list = memory_grown(pauses->list, pauses->count, &pauses->room, sizeof *pauses->list);
    pauses->list[pauses->count++] = (struct breakdown_pause){at, TIME_NEVER, before};
}

/* Total pause time up to a given time. */
static time_ps paused_until(const struct breakdown_pauses *pauses, time_ps at)
{
    uint32_t low = 0, high = pauses->count; /* first later pause: in [low, high] */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (pauses->list[middle].from <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct breakdown_pause *pause = &pauses->list[low - 1];
    return pause->before + (at < pause->until ? at : pause->until) - pause->from;
}

time_ps breakdown_paused_between(const struct breakdown_pauses *pauses, time_ps from, time_ps to)
{
    if (pauses->count == 0 || from >= to)
        return 0;
    return paused_until(pauses, to) - paused_until(pauses, from);
}
