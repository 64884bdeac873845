/* SPDX-License-Identifier: Apache-2.0
 * kicks - room. */
#include "net/port/kicks.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

/* Where nothing was ever put off. */
static struct kick never = {.at = TIME_NEVER};

void kicks_init(struct kicks *kicks)
{
    *kicks = (struct kicks){.first = &never, .end = &never, .limit = &never};
}

void kicks_fini(struct kicks *kicks)
{
    free(kicks->items);
    *kicks = (struct kicks){0};
}

/* With one more, that never comes. */
static struct kick *resized(struct kick *items, size_t room)
{
    items = memory_resized(items, room + 1, sizeof *items);
    return items;
}

/* What was done makes room for what is left; it is more than half only where more is needed. */
void kicks_make_room(struct kicks *kicks)
{
    size_t room = kicks->items == NULL ? 0 : (size_t)(kicks->limit - kicks->items);
    const size_t left = (size_t)(kicks->end - kicks->first);
    if (room == 0)
        kicks->items = resized(NULL, room = FIRST_ROOM);
    memmove(kicks->items, kicks->first, (left + 1) * sizeof *kicks->items);
    if (left >= room / 2)
        kicks->items = resized(kicks->items, room *= 2);
    kicks->first = kicks->items;
    kicks->end = kicks->items + left;
    kicks->limit = kicks->items + room;
}
