/* SPDX-License-Identifier: Apache-2.0
 * dequeue_timers - storage. */
#include "net/port/dequeue_timers.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* For switches that have never set a timer. */
static struct dequeue_timer never = {.at = TIME_NEVER};

void dequeue_timers_init(struct dequeue_timers *timers)
{
    *timers = (struct dequeue_timers){.first = &never, .end = &never, .limit = &never};
}

void dequeue_timers_fini(struct dequeue_timers *timers)
{
    free(timers->items);
    *timers = (struct dequeue_timers){0};
}

/* Includes a sentinel that never expires. */
static struct dequeue_timer *resize_timers(struct dequeue_timer *items, size_t room)
{
    items = memory_resized(items, room + 1, sizeof *items);
    return items;
}

/* Reuses the space of expired timers; the array doubles only when more than half is in use. */
void dequeue_timers_make_room(struct dequeue_timers *timers)
{
    size_t room = timers->items == NULL ? 0 : (size_t)(timers->limit - timers->items);
    const size_t left = (size_t)(timers->end - timers->first);
    if (room == 0)
        timers->items = resize_timers(NULL, room = FIRST_ROOM);
    memmove(timers->items, timers->first, (left + 1) * sizeof *timers->items);
    if (left >= room / 2)
        timers->items = resize_timers(timers->items, room *= 2);
    timers->first = timers->items;
    timers->end = timers->items + left;
    timers->limit = timers->items + room;
}
