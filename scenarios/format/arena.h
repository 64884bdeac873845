/* arena - memory that is freed all at once.                     SPDX-License-Identifier: Apache-2.0
 * A loaded scenario is thousands of small pieces with one life; error paths then have nothing to
 * free.  Owner: whoever zero-initialised the struct; arena_free ends it.  Memory comes zeroed,
 * aligned for any type. */
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

/* An array that grows: returns where the new item goes.  Old copies stay in the arena until its
 * end. */
void *arena_push(struct arena *arena, void **items, size_t *count, size_t item_bytes);

#endif
