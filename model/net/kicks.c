/* SPDX-License-Identifier: Apache-2.0
 * kicks - room. */
#include "net/kicks.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

void kicks_init(struct kicks *kicks)
{
    kicks->items = memory_zeroed(FIRST_ROOM + 1, sizeof *kicks->items);
    kicks->room = FIRST_ROOM;
    kicks->first = kicks->end = kicks->items;
    kicks->end->at = TIME_NEVER;
}

void kicks_fini(struct kicks *kicks)
{
    free(kicks->items);
    *kicks = (struct kicks){0};
}

/* What was done makes room for what is left; it is more than half only where more is needed. */
void kicks_make_room(struct kicks *kicks)
{
    const size_t left = (size_t)(kicks->end - kicks->first);
    struct kick *items = kicks->items;
    memmove(items, kicks->first, (left + 1) * sizeof *items);
    if (left >= kicks->room / 2) {
        kicks->room *= 2;
        items = realloc(items, (kicks->room + 1) * sizeof *items);
        CHECK(items != NULL);
    }
    kicks->items = kicks->first = items;
    kicks->end = items + left;
}
