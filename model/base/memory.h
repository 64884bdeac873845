/* SPDX-License-Identifier: Apache-2.0
 * memory - the one place that takes memory.
 * Out of memory is not an answer that a run could go on with, and no mistake of ours either: the
 * program says how much was asked for, and ends with the exit code 3.  So whoever calls has what it
 * asked for.
 * Owner: the caller, who gives the memory back with free(), a range with memory_range_free. */
#ifndef STORMGLASS_BASE_MEMORY_H
#define STORMGLASS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Zeroed memory for one thing. */
void *memory_new(size_t bytes);

/* Zeroed memory for `count` items of `bytes`, and no more, so that a sanitizer sees the first step
 * beyond them; an empty table has an address. */
void *memory_zeroed(size_t count, size_t bytes);

/* Zeroed memory for `count` items, at least one, of an aligned type. */
void *memory_aligned(size_t count, size_t bytes, size_t alignment);

/* The same, or NULL where there is not so much: for sizes that a peer chose. */
void *memory_aligned_or_null(size_t count, size_t bytes, size_t alignment);

/* `items`, which may be NULL, with room for `count`.  What is new is not zeroed. */
void *memory_resized(void *items, size_t count, size_t bytes);

/* `items` with room for one more behind `count`; *room is the table's, 0 at first.  What is new is
 * not zeroed. */
void *memory_grown(void *items, uint32_t count, uint32_t *room, size_t bytes);

/* A copy of a text. */
char *memory_text(const char *text);

/* A stream into memory.  When memory_stream_end closes it, all that was written is in *text, and a
 * zero behind it. */
FILE *memory_stream(char **text, size_t *length);
void memory_stream_end(FILE *stream);

/* Addresses for `bytes` of zeroes, of which only what is touched takes memory; NULL when there are
 * not so many. */
void *memory_range(size_t bytes);
void memory_range_free(void *range, size_t bytes);

/* A range of zeroes that is placed where it can become larger without moving, if there is such a
 * place. */
void *memory_range_roomy(size_t bytes);

/* A range of `before` bytes is one of `after` where it is; false, and as it was: it cannot be. */
bool memory_range_resize(void *range, size_t before, size_t after);

/* Ends the program: there were no `bytes` "for frames"; `what` may be NULL.  For libraries that
 * take memory themselves, too; bytes 0: nobody knows how much. */
_Noreturn void memory_out(size_t bytes, const char *what);

#endif
