/* SPDX-License-Identifier: Apache-2.0 */
#include "scenarios/format/arena.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

static struct arena_block *block_new(struct arena *arena, size_t least, size_t usual)
{
    const size_t size = least > usual ? least : usual;
    struct arena_block *block = memory_new(sizeof *block + size);
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *arena_take(struct arena *arena, size_t bytes)
{
    CHECK(bytes < SIZE_MAX / 2);
    const size_t align = alignof(max_align_t);
    const size_t need = (bytes + align - 1) / align * align;
    struct arena_block *block = arena->blocks;
    if (STORMGLASS_HOSTILE) /* a separate block, so that a sanitizer detects overruns */
        return block_new(arena, bytes, bytes)->bytes;
    if (block == NULL || block->size - block->used < need)
        block = block_new(arena, need, BLOCK_BYTES);
    void *taken = block->bytes + block->used;
    block->used += need;
    return taken;
}

void *arena_array(struct arena *arena, size_t count, size_t item_bytes)
{
    CHECK(item_bytes == 0 || count <= SIZE_MAX / 2 / item_bytes);
    return arena_take(arena, count * item_bytes);
}

char *arena_text(struct arena *arena, const char *text, size_t length)
{
    char *copy = arena_take(arena, length + 1);
    if (length > 0)
        memcpy(copy, text, length);
    return copy;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    CHECK(length >= 0);
    char *text = arena_take(arena, (size_t)length + 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

/* In hostile builds, an array of up to this many items has no spare capacity. */
enum { EXACT_ITEMS = 64 };

/* Capacities are powers of two from 8 on, so the count alone shows whether the array is full. */
void *arena_push(struct arena *arena, void **items, size_t *count, size_t item_bytes)
{
    const size_t have = *count;
    const bool exact = STORMGLASS_HOSTILE && have < EXACT_ITEMS;
    const bool full = have == 0 || (have >= 8 && (have & (have - 1)) == 0);
    if (full || exact) {
        const size_t usual = have == 0 ? 8 : have * 2;
        void *grown = arena_array(arena, exact ? have + 1 : usual, item_bytes);
        if (have > 0)
            memcpy(grown, *items, have * item_bytes);
        *items = grown;
    }
    (*count)++;
    return (unsigned char *)*items + have * item_bytes;
}

void arena_free(struct arena *arena)
{
    struct arena_block *block = arena->blocks;
    while (block != NULL) {
        struct arena_block *next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
