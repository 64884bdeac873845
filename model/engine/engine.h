/* SPDX-License-Identifier: Apache-2.0
 * engine - virtual time, events and nodes.
 * A node is one logical process: a host with its RNICs and SSDs, or a switch. Its state is touched
 * only by its own events, which it executes in the order (time, rank of the source node, line of
 * the source, number within the line). The order does not depend on queues, threads or memory, so
 * neither does the result. Ranks come from a hash of the seed and the node's name: no host wins
 * every tie because of its number, and adding a host does not reorder the others.
 * Owner: the caller of engine_init owns the nodes' memory. Clock: event.at is `now`. No allocation
 * per event. */
#ifndef STORMGLASS_ENGINE_ENGINE_H
#define STORMGLASS_ENGINE_ENGINE_H

#include "base/digest.h"
#include "base/units.h"
#include "engine/wheel.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#define NODE_NAME_BYTES 48

struct parallel;
struct engine;
struct node;

struct node_ops {
    const char *name;
    void (*on_event)(struct node *node, const struct event *event);
    /* Handles the events that node_next returns until it returns NULL, and calls node_digest_event
     * for each before adding any other word; NULL: on_event handles them one by one. Used for a
     * node that shares its batch with no other. It passes quiet events to node_discount_event. */
    void (*take_batch)(struct node *node);
    void (*audit)(const struct node *node); /* CHECKs every invariant of the node */
    /* Prefetches what the event will touch; NULL: nothing. */
    void (*fetch)(const struct node *node, const struct event *event);
    /* Executes deferred work up to `until`, and sets `due` to the time of the next; NULL: the node
     * defers nothing. */
    void (*settle)(struct node *node, time_ps until);
};

struct node {
    struct wheel *queue;  /* wheel of the executor that runs this node */
    uint64_t first_order; /* rank << ORDER_SEQUENCE_BITS */
    uint64_t next_order;  /* order of the next event that it posts for itself */
    uint64_t digest;      /* chain of the events it executed */
    time_ps due;          /* see node_put_off; TIME_NEVER: nothing is deferred */
    const struct node_ops *ops;
    struct engine *engine;
    uint32_t id;       /* index in the engine, in the order of engine_add */
    uint32_t group;    /* same id for all nodes that touch each other's state; they run as one */
    uint32_t executor; /* index of the executor that runs it */
    bool is_late;      /* it is in the executor's list `late` */
    bool alone;        /* it has a batch of its own, which take_batch handles */
    bool outer;        /* has neighbors on other executors; set before the first engine_run */
    struct node *next_late;
    char name[NODE_NAME_BYTES];
};

/* Called just before and just after a node executes each event. While a watch is set, a node's
 * digest contains only what the model chained, and the watch may overwrite it: two runs can then be
 * compared event by event, whatever their seeds and ranks. Such a run has no digest of its own,
 * unless the watch chains each event as the engine does (node_digest_event). */
struct engine_watch {
    void *self;
    void (*before)(void *self, struct node *node, const struct event *event);
    void (*after)(void *self, struct node *node, const struct event *event);
};

/* Callbacks of the model at the end of a window, when all events up to some moment have been
 * executed and none after it. Any may be NULL. With several executors they are also called when
 * engine_run begins, because nodes send between its calls too. */
struct engine_window {
    void *self;
    /* Each executor, on its thread: its share of one or several consecutive windows is done. */
    void (*ran)(void *self, uint32_t executor);
    void (*end)(void *self); /* called once, when all executors are done: between events */
    /* Each executor, on its thread, before its next window, and on the caller's thread at the end
     * of engine_run: inserts what the others sent in the previous window. What it sends from now on
     * belongs to the next. */
    void (*begin)(void *self, uint32_t executor);
    /* Each executor, on its thread: whether no event before its next window can still call
     * engine_cut, except its own. NULL: unknown. */
    bool (*leads)(void *self, uint32_t executor);
    time_ps (*earliest)(void *self); /* after `end`: time of the earliest event not yet inserted */
};

#define ENGINE_NODES_MAX (1u << (64 - ORDER_SEQUENCE_BITS))

enum {
    ENGINE_EXECUTORS_MAX = 64,
    /* Minimum events per window for which threads pay: synchronizing costs as much as a few tens of
     * events, and shares are uneven. Our choice. */
    ENGINE_WORTH = 128,
};

/* Runs a subset of the nodes. Aligned to two cache lines, because processors prefetch pairs of
 * lines. */
struct executor {
    alignas(128) struct wheel queue; /* first member: a node finds its executor by this address */
    const struct event *current;     /* NULL: between events, or under a watch */
    time_ps now;                     /* time while `current` is NULL */
    uint64_t events;                 /* executed events, without quiet ones */
    struct node *late;               /* list of nodes with deferred work */
};

struct engine {
    struct executor *executor; /* array of `executors` entries */
    uint32_t executors;        /* number of executors that share the nodes */
    struct parallel *parallel; /* threads of the executors; NULL: a single one, or not started
                                * yet */
    struct node **nodes;
    uint32_t node_count, node_room;
    uint64_t seed;
    /* Between events: the end of the last engine_run, or the argument of engine_set_now. Under a
     * watch: time of the present event. */
    time_ps now;
    _Atomic time_ps until; /* end of the running engine_run */
    /* Minimum delay of all links: an action of a node at t affects no other node before t +
     * lookahead. */
    time_ps lookahead;
    bool divided, scattered;
    uint32_t outer_words;   /* 64-bit words of group numbers for groups with neighbors on other
                           * executors */
    bool paused;            /* engine_pause was called, or `stop` was set */
    const atomic_int *stop; /* NULL, or a flag: nonzero ends engine_run after its present windows */
    bool hostile;           /* audit the node after every event (debug and test builds) */
    const struct engine_watch *watch;   /* NULL: none; set before the first engine_run */
    const struct engine_window *window; /* NULL: none; set before the first engine_run */
    uint32_t worth; /* windows with fewer events run on one thread; 0: never; set before the first
                * engine_run */
};

void engine_init(struct engine *engine, uint64_t seed);
void engine_fini(struct engine *engine);

/* Before nodes are added: uses `executors` threads instead of one. At engine_start a node's
 * `executor` selects the one that runs it; engine->window has to pass on what executors send each
 * other. */
void engine_share(struct engine *engine, uint32_t executors);

/* Adds a node before the first engine_run; its id is its index. */
void engine_add(struct engine *engine, struct node *node, const struct node_ops *ops,
                const char *name);

/* Fixes the ranks; nodes may post events afterwards. Called once, when all nodes have been
 * added. */
void engine_start(struct engine *engine);

/* Declares that the argument of most events of an executor is the index of such an item, see struct
 * wheel. */
void engine_items(struct engine *engine, uint32_t executor, const void *items, uint32_t item_bytes);

/* Declares a link: an action at one end at t affects the other end at t + delay or later. */
void engine_link(struct engine *engine, time_ps delay);

/* Executes every event up to and including `until`, and leaves `now` there; returns false when none
 * is left. After engine_cut it runs only up to the requested time; when asked to stop, only up to
 * some moment before `until`, and it is paused. */
bool engine_run(struct engine *engine, time_ps until);

/* Called from an event at t: the running engine_run ends with the events of `at`, but not before t
 * + lookahead - 1, because another node may already have executed events up to then. */
void engine_cut(struct engine *engine, time_ps at);

/* Called by the watch: engine_run returns after the present event, with `now` at its time, and the
 * next call continues after it. */
void engine_pause(struct engine *engine);

/* Whether the running engine_run has to end before its next window. */
static inline bool engine_asked_to_stop(const struct engine *engine)
{
    return engine->stop != NULL && atomic_load_explicit(engine->stop, memory_order_relaxed) != 0;
}

/* Between two calls of engine_run: sets the time for actions of the world. No event at that time
 * has been executed yet. */
void engine_set_now(struct engine *engine, time_ps now);

/* Called by the thread that runs the executor: executes its events in the open window. */
void engine_run_window(struct engine *engine, struct executor *executor);

/* Number of executed events, without quiet ones. */
uint64_t engine_events(const struct engine *engine);

struct digest engine_digest(const struct engine *engine);

/* Time at the node: of the event being executed, or of the world between events. */
static inline time_ps node_now(const struct node *node)
{
    const struct executor *executor = (const struct executor *)(const void *)node->queue;
    return executor->current != NULL ? executor->current->at : executor->now;
}

/* Before engine_start: the two nodes touch each other's state, so one executor runs both, in event
 * order. */
static inline void node_join(struct node *node, const struct node *other)
{
    node->group = other->group;
}

/* Order key of event number `count` of a line. */
static inline uint64_t node_order(const struct node *from, uint32_t line, uint32_t count)
{
    return from->first_order + ((uint64_t)line << ORDER_LINE_BITS) + count;
}

/* Schedules an event with that order key. Events reach another node only through a link, so their
 * time is later than now. */
static INLINE void node_post_ordered(struct node *from, uint64_t order, uint64_t target, time_ps at,
                                     uint64_t argument)
{
    const struct event event = {.at = at, .order = order, .target = target, .argument = argument};
    wheel_push(from->queue, &event);
}

/* Schedules an event at node `to` on the sending node's own line. */
static INLINE void node_post(struct node *from, uint32_t to, time_ps at, uint8_t kind,
                             uint16_t port, uint64_t argument)
{
    node_post_ordered(from, from->next_order++, event_target(to, port, kind), at, argument);
}

static inline void engine_insert(struct engine *engine, const struct event *event)
{
    wheel_push(engine->nodes[event->node]->queue, event);
}

/* Defers work until `at` without an event: the node does what is due, in order, before each of its
 * events, and settles at the end of each window. */
static inline void node_put_off(struct node *node, time_ps at)
{
    struct executor *executor = (struct executor *)(void *)node->queue;
    if (at >= node->due)
        return;
    node->due = at;
    if (at < executor->queue.wake)
        executor->queue.wake = at;
    if (!node->is_late) {
        node->is_late = true;
        node->next_late = executor->late;
        executor->late = node;
    }
}

/* Makes the node act as if `event` were being executed. */
static inline void node_act_as(struct node *node, const struct event *event)
{
    ((struct executor *)(void *)node->queue)->current = event;
}

/* Chains the meaning of an event (never a pointer or an index of memory) into the node's digest. */
static inline void node_digest(struct node *node, uint64_t word)
{
    digest_chain(&node->digest, word);
}

/* Chained for every non-quiet event before it is executed. */
static inline void node_digest_event(struct node *node, const struct event *event)
{
    const uint64_t order = event->order << 32 | event->order >> 32;
    digest_fold(&node->digest, ((uint64_t)event->at + event->kind) ^ order);
}

/* Makes the event the present one. */
static inline void node_begin_event(struct node *node, struct executor *executor,
                                    const struct event *event)
{
    executor->current = event;
    if (UNLIKELY(event_is_quiet(event)))
        return;
    executor->events++;
    node_digest_event(node, event);
}

/* For take_batch: the present event is quiet, which is neither counted nor chained. */
static inline void node_discount_event(struct node *node)
{
    ((struct executor *)(void *)node->queue)->events--;
}

/* Takes the next event of the node's batch and makes it the present one; NULL: the batch is
 * finished. */
static inline const struct event *node_next(struct node *node)
{
    struct executor *executor = (struct executor *)(void *)node->queue;
    const struct event *event = wheel_next(&executor->queue);
    if (LIKELY(event != NULL)) {
        executor->current = event;
        executor->events++;
    }
    return event;
}

#endif
