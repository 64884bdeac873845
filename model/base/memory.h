/* SPDX-License-Identifier: Apache-2.0
 * memory - the only place that allocates memory.
 * Allocation never returns failure, except where stated: when memory runs out the program prints
 * how much was requested and exits with status 3.
 * Owner: the caller, who releases memory with free() and ranges with memory_range_free. */
#ifndef STORMGLASS_BASE_MEMORY_H
#define STORMGLASS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zeroed memory for one object. */
void *memory_new(size_t bytes);

/* Zeroed memory for exactly `count` items of `bytes`, so that a sanitizer detects the first access
 * beyond the end; an empty table has an address too. */
void *memory_zeroed(size_t count, size_t bytes);

/* Zeroed memory for `count` items, at least one, of the given alignment. */
void *memory_aligned(size_t count, size_t bytes, size_t alignment);

/* Like memory_aligned, but returns NULL when there is not enough memory: for sizes chosen by a
 * peer. */
void *memory_aligned_or_null(size_t count, size_t bytes, size_t alignment);

/* Resizes `items`, which may be NULL, to `count` items. New memory is not zeroed. */
void *memory_resized(void *items, size_t count, size_t bytes);

/* Ensures that `items` has room for one item more than `count`; *room is the capacity of the table,
 * initially 0. New memory is not zeroed. */
void *memory_grown(void *items, uint32_t count, uint32_t *room, size_t bytes);

/* Copies a string. */
char *memory_text(const char *text);

/* Opens a stream that writes into memory. After memory_stream_end, *text is everything that was
 * written, terminated by a NUL. */
FILE *memory_stream(char **text, size_t *length);
void memory_stream_end(FILE *stream);

/* Reserves `bytes` of zeroed address space; pages take memory when they are first touched. NULL
 * when there is not enough address space. */
void *memory_range(size_t bytes);
void memory_range_free(void *range, size_t bytes);

/* Like memory_range, at an address where the range can grow in place if such an address is free. */
void *memory_range_roomy(size_t bytes);

/* Resizes a range in place from `before` to `after` bytes. Returns false, and changes nothing, when
 * that is impossible. */
bool memory_range_resize(void *range, size_t before, size_t after);

/* Reports that `bytes` could not be allocated for `what` (such as "frames", may be NULL) and exits.
 * Also for libraries that allocate for themselves; bytes 0: amount unknown. */
_Noreturn void memory_out(size_t bytes, const char *what);

#endif
