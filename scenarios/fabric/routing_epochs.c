/* SPDX-License-Identifier: Apache-2.0
 * routing_epochs - collects the states of the routes by stepping the timeline without a simulation.
 * When a flapping link returns to an earlier state, that state is not counted again. */
#include "base/memory.h"
#include "scenarios/fabric/timeline.h"

#include <string.h>

enum { STEPS_MAX = 100000 }; /* a link that flaps for hours has shown all its states long before */

struct search {
    const struct scenario *scenario;
    struct routing_epoch *epochs;
    uint8_t *states; /* states of all epochs: converged, detected and misrouted, one after the
                      * other */
    size_t state_bytes;
    uint32_t count, most;
    time_ps now;
};

static void write_state(const struct search *search, const struct routing_view *view,
                        uint8_t *state)
{
    const struct scenario *scenario = search->scenario;
    const size_t links = scenario->link_count;
    memcpy(state, view->converged, links);
    memcpy(state + links, scenario->routing.local_repair ? view->detected : view->converged, links);
    memcpy(state + 2 * links, view->misrouted, scenario->fault_count);
}

static void add_epoch(void *self, const struct routing_view *view)
{
    struct search *search = self;
    if (search->count == search->most)
        return;
    uint8_t *state = search->states + search->count * search->state_bytes;
    write_state(search, view, state);
    for (uint32_t i = 0; i < search->count; i++)
        if (memcmp(search->states + i * search->state_bytes, state, search->state_bytes) == 0)
            return;
    const size_t links = search->scenario->link_count;
    search->epochs[search->count++] =
        (struct routing_epoch){search->now, {state, state + links, state + 2 * links}};
}

static void ignore(void *self, uint32_t index, bool on)
{
    (void)self;
    (void)index;
    (void)on;
}

static void ignore_loss(void *self, uint32_t node)
{
    (void)self;
    (void)node;
}

uint32_t routing_epochs(const struct scenario *scenario, uint32_t most,
                        struct routing_epoch **epochs)
{
    CHECK(most > 0);
    const size_t state_bytes = 2 * (size_t)scenario->link_count + scenario->fault_count + 1;
    *epochs = memory_zeroed(most, sizeof **epochs + state_bytes);
    struct search search = {
        .scenario = scenario,
        .epochs = *epochs,
        .states = (uint8_t *)(*epochs + most),
        .state_bytes = state_bytes,
        .most = most,
    };
    const struct timeline_calls calls = {&search, ignore, ignore, ignore_loss, add_epoch, NULL};
    struct timeline *timeline = timeline_new(scenario);
    const time_ps end = scenario->duration + scenario->drain;
    const struct routing_view first = timeline_view(timeline);
    add_epoch(&search, &first);
    for (int i = 0; i < STEPS_MAX && timeline_due(timeline) <= end; i++) {
        search.now = timeline_due(timeline);
        timeline_step(timeline, &calls);
    }
    timeline_free(timeline);
    return search.count;
}
