/* SPDX-License-Identifier: Apache-2.0
 * memory - tables that are made once, or grow. */
#include "base/memory.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

void *memory_zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);
    CHECK(memory != NULL);
    return memory;
}

void *memory_aligned(size_t count, size_t bytes, size_t alignment)
{
    void *memory = aligned_alloc(alignment, count * bytes);
    CHECK(memory != NULL);
    return memset(memory, 0, count * bytes);
}

void *memory_grown(void *items, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return items;
    *room = *room == 0 ? 64 : *room * 2;
    items = realloc(items, *room * bytes);
    CHECK(items != NULL);
    return items;
}
