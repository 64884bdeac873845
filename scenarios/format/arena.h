/* SPDX-License-Identifier: Apache-2.0
 * arena - memory that is freed all at once.
 * A loaded scenario consists of thousands of small pieces with the same lifetime; error paths then
 * have nothing to free. Owner: the code that zero-initialized the struct; arena_free releases all
 * memory. Memory is zeroed and aligned for any type. */
#ifndef STORMGLASS_SCENARIOS_FORMAT_ARENA_H
#define STORMGLASS_SCENARIOS_FORMAT_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *blocks; /* newest first */
};

void *arena_take(struct arena *arena, size_t bytes);
void *arena_array(struct arena *arena, size_t count, size_t item_bytes);
char *arena_text(struct arena *arena, const char *text, size_t length); /* a copy, NUL-terminated */
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

/* Grows an array and returns the place of the new item. Old copies stay in the arena until it is
 * freed. */
void *arena_push(struct arena *arena, void **items, size_t *count, size_t item_bytes);

#endif
