/* SPDX-License-Identifier: Apache-2.0
 * heap - a 4-ary min-heap of events.
 * Four children share two cache lines, and the tree is half as deep as a binary one. The wheel uses
 * it for events of the far future, and the benchmark compares the wheel with it. */
#ifndef STORMGLASS_ENGINE_HEAP_H
#define STORMGLASS_ENGINE_HEAP_H

#include "engine/event.h"

#include <stddef.h>

struct heap {
    struct event *events;
    size_t count;
    uint32_t room;
};

void heap_fini(struct heap *heap);
void heap_push(struct heap *heap, const struct event *event);

/* The earliest event; the heap must not be empty. */
static inline const struct event *heap_top(const struct heap *heap)
{
    return &heap->events[0];
}

struct event heap_pop(struct heap *heap);

#endif
