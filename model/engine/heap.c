/* SPDX-License-Identifier: Apache-2.0
 * heap - sift up, sift down. */
#include "engine/heap.h"

#include "base/memory.h"

#include <stdlib.h>

enum { ARITY = 4 };

void heap_fini(struct heap *heap)
{
    free(heap->events);
    *heap = (struct heap){0};
}

static void grow(struct heap *heap)
{
    heap->events =
        memory_grown(heap->events, (uint32_t)heap->count, &heap->room, sizeof *heap->events);
}

void heap_push(struct heap *heap, const struct event *event)
{
    if (heap->count == heap->room)
        grow(heap);
    size_t hole = heap->count++;
    while (hole > 0) {
        const size_t parent = (hole - 1) / ARITY;
        if (!event_before(event, &heap->events[parent]))
            break;
        heap->events[hole] = heap->events[parent];
        hole = parent;
    }
    heap->events[hole] = *event;
}

static size_t least_child(const struct heap *heap, size_t parent)
{
    const size_t first = parent * ARITY + 1;
    const size_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    size_t least = first;
    for (size_t child = first + 1; child < end; child++)
        if (event_before(&heap->events[child], &heap->events[least]))
            least = child;
    return least;
}

struct event heap_pop(struct heap *heap)
{
    CHECK(heap->count > 0);
    const struct event top = heap->events[0];
    const struct event last = heap->events[--heap->count];
    size_t hole = 0;
    while (hole * ARITY + 1 < heap->count) {
        const size_t child = least_child(heap, hole);
        if (!event_before(&heap->events[child], &last))
            break;
        heap->events[hole] = heap->events[child];
        hole = child;
    }
    heap->events[hole] = last;
    return top;
}
