/* SPDX-License-Identifier: Apache-2.0
 * hold - one benchmark loop for two queues. */
#include "engine/hold.h"

#include "base/digest.h"
#include "base/rng.h"
#include "engine/heap.h"
#include "engine/wheel.h"

/* Of 64 delays one is a distant timer, 31 are a frame's serialization and 32 a link delay, each
 * with some spread so that few events tie. */
static time_ps draw_delay(struct rng *rng)
{
    const uint64_t draw = rng_next(rng);
    const time_ps spread = (time_ps)(draw >> 44); /* below 2^20 ps, about 1 us */
    if ((draw & 63) == 0)
        return 50 * PS_PER_US + spread;
    return ((draw & 63) < 32 ? 334240 : PS_PER_US) + spread;
}

enum { WIDTH = 1 << 17 }; /* width of a window, ps; measured: half as wide costs more */

static struct event make_first_event(struct rng *rng, uint64_t order)
{
    return (struct event){.at = draw_delay(rng), .order = order};
}

static void reschedule_event(struct event *event, struct rng *rng, uint64_t *order, uint64_t *sum)
{
    digest_chain(sum, (uint64_t)event->at ^ event->order);
    event->at += draw_delay(rng);
    event->order = (*order)++;
}

static uint64_t hold_wheel(size_t pending, uint64_t holds, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "hold", "delay");
    struct wheel wheel;
    uint64_t order = 0, sum = 0;
    wheel_init(&wheel);
    wheel_divide(&wheel, &(struct wheel_division){&(uint32_t){0}, 1, 1}, WIDTH);
    for (size_t i = 0; i < pending; i++) {
        const struct event event = make_first_event(&rng, order++);
        wheel_push(&wheel, &event);
    }
    for (uint64_t i = 0; i < holds && wheel_open(&wheel, TIME_NEVER);) {
        const struct event *least;
        while (wheel_group(&wheel))
            for (; i < holds && (least = wheel_next(&wheel)) != NULL; i++) {
                struct event event = *least;
                reschedule_event(&event, &rng, &order, &sum);
                wheel_push(&wheel, &event);
            }
    }
    wheel_fini(&wheel);
    return sum;
}

static uint64_t hold_heap(size_t pending, uint64_t holds, uint64_t seed)
{
    struct rng rng = rng_stream(seed, "hold", "delay");
    struct heap heap = {0};
    uint64_t order = 0, sum = 0;
    for (size_t i = 0; i < pending; i++) {
        const struct event event = make_first_event(&rng, order++);
        heap_push(&heap, &event);
    }
    for (uint64_t i = 0; i < holds && heap.count > 0; i++) {
        struct event event = heap_pop(&heap);
        reschedule_event(&event, &rng, &order, &sum);
        heap_push(&heap, &event);
    }
    heap_fini(&heap);
    return sum;
}

const struct hold_queue hold_queues[] = {
    {"wheel", "buckets of time, sorted when opened", hold_wheel},
    {"heap", "4-ary heap", hold_heap},
    {0},
};
