/* SPDX-License-Identifier: Apache-2.0
 * engine - ranks, the event loop, the digest. */
#include "engine/engine.h"

#include "base/memory.h"
#include "engine/parallel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void engine_init(struct engine *engine, uint64_t seed)
{
    *engine = (struct engine){.seed = seed, .lookahead = TIME_NEVER, .worth = ENGINE_WORTH};
    engine_share(engine, 1);
}

static void free_executors(struct engine *engine)
{
    for (uint32_t i = 0; i < engine->executors; i++)
        wheel_fini(&engine->executor[i].queue);
    free(engine->executor);
}

void engine_share(struct engine *engine, uint32_t executors)
{
    CHECK(engine->node_count == 0 && executors > 0 && executors <= ENGINE_EXECUTORS_MAX);
    free_executors(engine);
    engine->executors = executors;
    engine->executor =
        memory_aligned(executors, sizeof *engine->executor, alignof(struct executor));
    for (uint32_t i = 0; i < executors; i++)
        wheel_init(&engine->executor[i].queue);
}

void engine_fini(struct engine *engine)
{
    parallel_destroy(engine->parallel);
    free_executors(engine);
    free(engine->nodes);
    *engine = (struct engine){0};
}

void engine_add(struct engine *engine, struct node *node, const struct node_ops *ops,
                const char *name)
{
    CHECK(engine->node_count < ENGINE_NODES_MAX);
    engine->nodes =
        memory_grown(engine->nodes, engine->node_count, &engine->node_room, sizeof *engine->nodes);
    node->queue = &engine->executor[0].queue;
    node->ops = ops;
    node->engine = engine;
    node->id = node->group = engine->node_count;
    node->executor = 0;
    node->due = TIME_NEVER;
    snprintf(node->name, sizeof node->name, "%s", name);
    engine->nodes[engine->node_count++] = node;
}

/* A node's rank, which breaks ties between simultaneous events: ordered by a hash of the seed and
 * the name, then by the name. */
struct rank {
    uint64_t hash;
    struct node *node;
};

static int rank_compare(const void *left, const void *right)
{
    const struct rank *a = left, *b = right;
    if (a->hash != b->hash)
        return a->hash < b->hash ? -1 : 1;
    return strcmp(a->node->name, b->node->name);
}

void engine_start(struct engine *engine)
{
    struct rank *ranks = memory_zeroed(engine->node_count, sizeof *ranks);
    for (uint32_t i = 0; i < engine->node_count; i++) {
        ranks[i].node = engine->nodes[i];
        ranks[i].hash = hash_mix(hash_text(engine->nodes[i]->name, hash_mix(engine->seed)));
    }
    qsort(ranks, engine->node_count, sizeof *ranks,
          rank_compare); /* a total order, so the sort need not be stable */
    for (uint32_t i = 0; i < engine->node_count; i++) {
        CHECK(i == 0 || rank_compare(&ranks[i - 1], &ranks[i]) < 0); /* names are unique */
        ranks[i].node->first_order = (uint64_t)i << ORDER_SEQUENCE_BITS;
        ranks[i].node->next_order = node_order(ranks[i].node, ORDER_OWN_LINE, 0);
        ranks[i].node->digest = hash_mix(ranks[i].hash);
        ranks[i].node->queue = &engine->executor[ranks[i].node->executor].queue;
    }
    free(ranks);
}

void engine_items(struct engine *engine, uint32_t executor, const void *items, uint32_t item_bytes)
{
    engine->executor[executor].queue.items = (uintptr_t)items;
    engine->executor[executor].queue.item_bytes = item_bytes;
}

/* With many nodes, a node's state is not in the cache when its batch begins: prefetches all memory
 * that the events will touch in parallel. */
static void fetch_group(const struct executor *executor, struct node *const *nodes)
{
    const struct wheel *queue = &executor->queue;
    const struct event *event;
    struct agenda_look look = {0};
    while ((event = agenda_look(&queue->agenda, &look)) != NULL) {
        const struct node *node = nodes[event->node];
        if (node->ops->fetch != NULL)
            node->ops->fetch(node, event);
    }
}

/* Executes the present group's events; returns one of the group's nodes, the only one if it is
 * alone. */
static struct node *run_group(struct executor *executor, struct node *const *nodes)
{
    struct wheel *queue = &executor->queue;
    const struct event *event = wheel_any(queue);
    struct node *node = nodes[event->node];
    if (node->alone) {
        node->ops->take_batch(node);
        return node;
    }
    while ((event = wheel_next(queue)) != NULL) {
        node = nodes[event->node];
        node_begin_event(node, executor, event);
        node->ops->on_event(node, event);
    }
    return node;
}

/* Runs a group and audits a node after each of its events (hostile builds). */
static void run_group_audited(struct executor *executor, struct node *const *nodes)
{
    struct wheel *queue = &executor->queue;
    const struct event *event;
    while ((event = wheel_next(queue)) != NULL) {
        struct node *node = nodes[event->node];
        node_begin_event(node, executor, event);
        node->ops->on_event(node, event);
        node->ops->audit(node);
    }
}

/* Runs a group under a watch, up to `until` or a pause. Events come in the global order, so
 * `current` stays NULL and reports are passed on at once. */
static void run_group_watched(struct engine *engine, struct executor *executor)
{
    struct wheel *queue = &executor->queue;
    const struct engine_watch *watch = engine->watch;
    const struct event *event;
    while (!engine->paused && (event = wheel_peek(queue)) != NULL && event->at <= engine->until) {
        struct node *node = engine->nodes[event->node];
        wheel_next(queue);
        executor->now = engine->now = event->at;
        watch->before(watch->self, node, event);
        node->ops->on_event(node, event);
        watch->after(watch->self, node, event);
        executor->events += !event_is_quiet(event);
    }
}

/* Above this number of nodes a batch's memory is prefetched. Measured with 208 and 1,344 nodes:
 * prefetching costs the former as much as it saves, and saves the latter a tenth. */
enum { NODES_IN_SECOND_CACHE = 512 };

/* Nodes per shared batch. A host's batch has two or three events, so with one host each, half of
 * the time would go into beginning and ending batches; measured with 128 and 1,024 hosts: 16 and 64
 * are as good. Few nodes stay in the cache anyway. */
enum { COMPANY = 32, NODES_IN_CACHE = 64 };

/* By group: whether one of its nodes has neighbors on other executors. */
static bool *outer_groups(const struct engine *engine)
{
    bool *outer = memory_zeroed(engine->node_count, sizeof *outer);
    for (uint32_t i = 0; i < engine->node_count; i++)
        outer[engine->nodes[i]->group] |= engine->nodes[i]->outer;
    return outer;
}

/* State of numbering the groups consecutively. */
struct numbering {
    uint32_t count;
    uint32_t company;  /* maximum nodes per group */
    uint32_t room;     /* nodes that still fit into the last group */
    uint32_t executor; /* executor of the last group */
};

/* Nodes with take_batch get a group each; others, whose batches would be short, share a group with
 * adjacent nodes. */
static uint32_t number_of(struct numbering *numbering, const struct node *node)
{
    const bool single = node->ops->take_batch != NULL;
    if (single || numbering->executor != node->executor)
        numbering->room = 0;
    if (numbering->room == 0) {
        numbering->count++;
        numbering->room = numbering->company;
    }
    numbering->executor = node->executor;
    numbering->room = single ? 0 : numbering->room - 1;
    return numbering->count;
}

/* Assigns a group number to each node; joined nodes share one. Numbers follow the order of
 * execution: outer groups first, the others from the next multiple of 64. Returns the number of
 * group numbers. */
static uint32_t groups_of(struct engine *engine, uint32_t *of)
{
    bool *outer = outer_groups(engine);
    uint32_t *number = memory_zeroed(engine->node_count, sizeof *number); /* group number plus one;
                                                                           * 0: none yet */
    const bool few = engine->node_count <= NODES_IN_CACHE;
    struct numbering numbering = {.company = few ? NODES_IN_CACHE : COMPANY};
    for (int inner = 0; inner < 2; inner++) {
        for (uint32_t i = 0; i < engine->node_count; i++) {
            const uint32_t group = engine->nodes[i]->group;
            if (outer[group] == !inner && number[group] == 0)
                number[group] = number_of(&numbering, engine->nodes[i]);
        }
        if (!inner) {
            engine->outer_words = (numbering.count + 63) / 64;
            numbering.count = 64 * engine->outer_words;
            numbering.room = 0;
        }
    }
    for (uint32_t i = 0; i < engine->node_count; i++)
        of[i] = number[engine->nodes[i]->group] - 1;
    free(outer);
    free(number);
    return numbering.count;
}

static void find_alone_nodes(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->node_count; i++)
        engine->nodes[i]->alone = engine->nodes[i]->ops->take_batch != NULL;
    for (uint32_t i = 0; i < engine->node_count; i++)
        if (engine->nodes[i]->group != i)
            engine->nodes[i]->alone = engine->nodes[engine->nodes[i]->group]->alone = false;
}

/* Under a watch all nodes form one group, because the watch needs the global order of all
 * events. */
static void divide_nodes(struct engine *engine)
{
    const bool several = engine->executors > 1;
    const bool batches = engine->watch == NULL;
    CHECK(!several || batches);
    uint32_t *of = memory_zeroed(engine->node_count, sizeof *of);
    const struct wheel_division division = {
        .group_of = of,
        .nodes = engine->node_count,
        .groups = batches ? groups_of(engine, of) : 1,
    };
    for (uint32_t i = 0; i < engine->executors; i++)
        wheel_divide(&engine->executor[i].queue, &division, engine->lookahead);
    free(of);
    if (batches)
        find_alone_nodes(engine);
    if (several)
        engine->parallel = parallel_create(engine);
    engine->divided = true;
    engine->scattered = engine->node_count > NODES_IN_SECOND_CACHE;
}

void engine_link(struct engine *engine, time_ps delay)
{
    CHECK(delay > 1); /* nodes affect each other only after a delay */
    if (delay < engine->lookahead)
        engine->lookahead = delay;
}

/* Executes everything that the node has deferred up to `until`. */
static inline void settle(struct node *node, time_ps until)
{
    node->ops->settle(node, until);
    CHECK(node->due > until);
}

/* Executes deferred work up to the end of the window: of all nodes, or of outer nodes only while
 * the window is halted. */
static void settle_late(struct executor *executor)
{
    const time_ps until = executor->queue.bound;
    const bool halted = wheel_is_halted(&executor->queue);
    struct node **link = &executor->late;
    time_ps wake = TIME_NEVER;
    for (struct node *node; (node = *link) != NULL;) {
        if (node->due <= until && (node->outer || !halted))
            settle(node, until);
        if (node->due < wake)
            wake = node->due;
        node->is_late = node->due != TIME_NEVER;
        if (node->is_late)
            link = &node->next_late;
        else
            *link = node->next_late;
    }
    executor->queue.wake = wake;
}

/* A node settles its deferred work at the end of its batch, while it is in the cache; a node
 * without a batch of its own at the end of the window. */
void engine_run_window(struct engine *engine, struct executor *executor)
{
    while (wheel_group(&executor->queue)) {
        if (UNLIKELY(engine->hostile)) {
            run_group_audited(executor, engine->nodes);
            continue;
        }
        if (engine->scattered)
            fetch_group(executor, engine->nodes);
        struct node *node = run_group(executor, engine->nodes);
        if (node->due <= executor->queue.bound)
            settle(node, executor->queue.bound);
    }
    if (executor->late != NULL)
        settle_late(executor);
    executor->current = NULL;
}

/* Window end with a single executor, to which no other sends anything. */
static void report_window_end(const struct engine *engine)
{
    const struct engine_window *window = engine->window;
    if (window != NULL && window->ran != NULL)
        window->ran(window->self, 0);
    if (window != NULL && window->end != NULL)
        window->end(window->self);
}

static void run_windows(struct engine *engine, struct executor *executor)
{
    while (!engine_asked_to_stop(engine) && wheel_open(&executor->queue, engine->until)) {
        engine_run_window(engine, executor);
        report_window_end(engine);
    }
}

/* Runs the only group, whose batch a pause may have interrupted. */
static void run_watched(struct engine *engine, struct executor *executor)
{
    struct wheel *queue = &executor->queue;
    for (;;) {
        if (!queue->open && !wheel_open(queue, engine->until))
            return;
        if (wheel_peek(queue) == NULL && !wheel_group(queue))
            continue;
        run_group_watched(engine, executor);
        report_window_end(engine);
        if (wheel_peek(queue) != NULL || engine->paused)
            return;
    }
}

static bool is_idle(const struct engine *engine)
{
    for (uint32_t i = 0; i < engine->executors; i++)
        if (!wheel_is_empty(&engine->executor[i].queue))
            return false;
    return true;
}

/* The time up to which all executors have executed their events: the end of the last window that
 * any of them opened. */
static time_ps executed_until(const struct engine *engine)
{
    time_ps until = engine->now;
    for (uint32_t i = 0; i < engine->executors; i++)
        if (engine->executor[i].queue.bound > until)
            until = engine->executor[i].queue.bound;
    return until;
}

bool engine_run(struct engine *engine, time_ps until)
{
    struct executor *executor = &engine->executor[0];
    if (!engine->divided)
        divide_nodes(engine);
    engine->until = until;
    engine->paused = false;
    if (engine->executors > 1)
        parallel_run(engine->parallel);
    else if (LIKELY(engine->watch == NULL))
        run_windows(engine, executor);
    else
        run_watched(engine, executor);
    if (engine_asked_to_stop(engine) && engine->watch == NULL) {
        engine->paused = true;
        engine_set_now(engine, executed_until(engine));
    } else {
        engine_set_now(engine, engine->paused ? executor->now : engine->until);
    }
    return !is_idle(engine);
}

void engine_pause(struct engine *engine)
{
    engine->paused = true;
}

void engine_set_now(struct engine *engine, time_ps now)
{
    engine->now = now;
    for (uint32_t i = 0; i < engine->executors; i++)
        engine->executor[i].now = now;
}

uint64_t engine_events(const struct engine *engine)
{
    uint64_t events = 0;
    for (uint32_t i = 0; i < engine->executors; i++)
        events += engine->executor[i].events;
    return events;
}

void engine_cut(struct engine *engine, time_ps at)
{
    time_ps until = atomic_load(&engine->until);
    while (at < until && !atomic_compare_exchange_weak(&engine->until, &until, at))
        ;
}

struct digest engine_digest(const struct engine *engine)
{
    struct digest digest = {0};
    for (uint32_t i = 0; i < engine->node_count; i++)
        digest_add(&digest, engine->nodes[i]->digest);
    return digest;
}
