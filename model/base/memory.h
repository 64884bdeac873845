/* SPDX-License-Identifier: Apache-2.0
 * memory - tables that are made once, or grow.
 * Out of memory is not an answer that a run could go on with: it stops the program (CHECK).
 * Owner: the caller, who gives the memory back with free().  Errors: none. */
#ifndef STORMGLASS_BASE_MEMORY_H
#define STORMGLASS_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for `count` items of `bytes` and one more: an empty table has an address, and a
 * table of ranges has its end. */
void *memory_zeroed(size_t count, size_t bytes);

/* Zeroed memory for `count` items, at least one, of an aligned type. */
void *memory_aligned(size_t count, size_t bytes, size_t alignment);

/* `items` with room for one more behind `count`; *room is the table's, 0 at first.  What is new is
 * not zeroed. */
void *memory_grown(void *items, uint32_t count, uint32_t *room, size_t bytes);

#endif
