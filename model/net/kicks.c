/* SPDX-License-Identifier: Apache-2.0
 * kicks - room. */
#include "net/kicks.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void kicks_fini(struct kicks *kicks)
{
    free(kicks->items);
    *kicks = (struct kicks){0};
}

/* What was done makes room for what is left; it is more than half only where more is needed. */
void kicks_make_room(struct kicks *kicks)
{
    const uint32_t left = kicks->end - kicks->first;
    if (left > 0)
        memmove(kicks->items, kicks->items + kicks->first, left * sizeof *kicks->items);
    kicks->first = 0;
    kicks->end = left;
    if (left >= kicks->room / 2)
        kicks->items = memory_grown(kicks->items, kicks->room, &kicks->room, sizeof *kicks->items);
}
