/* SPDX-License-Identifier: Apache-2.0
 * engine - virtual time, events and nodes.
 * A node is one logical process: a host with its RNICs and SSDs, or a switch.  It is touched only
 * by its own events, which it executes in the order (time, source node's rank, that source's line
 * and number in it).  The order knows nothing of queues, threads or memory, so neither does the
 * result.  Ranks come from a hash of the seed and the node's name: no host wins every tie by its
 * number, and a new host reorders no others.
 * Owner: whoever calls engine_init owns the nodes' memory.  Clock: event.at is `now`.  No
 * allocation per event. */
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
    /* Handles each event that node_next gives, until it gives none, and calls node_digest_event for
     * each, before any other word; NULL: on_event does so one by one.  Called for a node that
     * shares its batch with no other, and posts no quiet events while nobody looks on. */
    void (*take_batch)(struct node *node);
    void (*audit)(const struct node *node); /* CHECKs every invariant of the node */
    /* Has what the events of its batch will touch come into the cache; NULL: nothing. */
    void (*fetch)(const struct node *node, const struct event *event);
    /* Does what it has put off up to `until`, and says in `due` when more is to be done; NULL: it
     * puts nothing off. */
    void (*settle)(struct node *node, time_ps until);
};

struct node {
    struct wheel *queue;  /* of the executor that runs this node */
    uint64_t first_order; /* rank << ORDER_SEQUENCE_BITS */
    uint64_t next_order;  /* of what it posts for itself */
    uint64_t digest;      /* the chain of what it executed */
    time_ps due;          /* see node_put_off; TIME_NEVER: nothing is put off */
    const struct node_ops *ops;
    struct engine *engine;
    uint32_t id;       /* index in the engine, in the order of engine_add */
    uint32_t group;    /* id of one for all nodes that touch each other's state: they run as one */
    uint32_t executor; /* that runs it, from 0 */
    bool is_late;      /* in the executor's list */
    bool alone;        /* its events come in batches of its own, which it takes itself */
    bool outer;        /* it has neighbours of other executors; before the first engine_run */
    struct node *next_late;
    char name[NODE_NAME_BYTES];
};

/* Told of every event: just before its node executes it, and just after.  While one is set, a
 * node's digest holds what the model chained and nothing else, and the watch may set it to
 * anything: two runs can then be held against each other event by event, whatever their seeds and
 * ranks.  Such a run has no digest of its own, unless the watch chains each event as the engine
 * does (node_digest_event). */
struct engine_watch {
    void *self;
    void (*before)(void *self, struct node *node, const struct event *event);
    void (*after)(void *self, struct node *node, const struct event *event);
};

/* What the model does for its executors at the end of a window: all events up to some moment have
 * been executed, none after it.  Any of it may be NULL.  With several executors also where
 * engine_run begins: between its calls nodes send too. */
struct engine_window {
    void *self;
    /* For each, on its thread: its share is executed, of one window or of several in a row. */
    void (*ran)(void *self, uint32_t executor);
    void (*end)(void *self); /* by one, when all have: between events */
    /* For each, on its thread, before its next window; at the end of engine_run on the caller's: it
     * inserts what others have sent it in the window before.  What it sends from now on belongs to
     * the next. */
    void (*begin)(void *self, uint32_t executor);
    /* By each, on its thread: no event that is before its next window can still call engine_cut,
     * unless it does so itself.  NULL: none can tell. */
    bool (*leads)(void *self, uint32_t executor);
    time_ps (*earliest)(void *self); /* after end: of the events that are not inserted yet */
};

#define ENGINE_NODES_MAX (1u << (64 - ORDER_SEQUENCE_BITS))

enum {
    ENGINE_EXECUTORS_MAX = 64,
    /* Events that a window holds at least where threads pay: to meet costs as much as a few tens of
     * them, and a window's shares are not alike.  Our choice. */
    ENGINE_WORTH = 128,
};

/* Runs nodes: their events, and the time that they are at.  Two cache lines apart from the next,
 * as processors fetch pairs of them. */
struct executor {
    alignas(128) struct wheel queue; /* first: a node finds its executor by it */
    const struct event *current;     /* NULL: between events, or somebody looks on */
    time_ps now;                     /* then */
    uint64_t events;                 /* executed, without the quiet ones */
    struct node *late;               /* nodes that have put something off */
};

struct engine {
    struct executor *executor; /* `executors` of them */
    uint32_t executors;        /* that share the nodes */
    struct parallel *parallel; /* their threads; NULL: there is one, or none has worked yet */
    struct node **nodes;
    uint32_t node_count, node_room;
    uint64_t seed;
    /* Between events: the end of the last engine_run, or what engine_set_now said.  For a watch the
     * present event's. */
    time_ps now;
    _Atomic time_ps until; /* where the running engine_run ends */
    /* What a node does at t no other node feels before t + lookahead: the least of all links. */
    time_ps lookahead;
    bool divided, scattered;
    uint32_t outer_words; /* so many times 64 groups have neighbours of other executors, or none */
    bool paused;          /* engine_pause was called, or it was asked to stop */
    const atomic_int *stop; /* NULL, or not 0 when engine_run is to end with its present windows */
    bool hostile;           /* audit the node after every event (debug and test builds) */
    const struct engine_watch *watch;   /* NULL: none; before the first engine_run */
    const struct engine_window *window; /* NULL: nothing to be done; before the first engine_run */
    uint32_t
        worth; /* windows of fewer events have one thread; 0: never; before the first engine_run */
};

void engine_init(struct engine *engine, uint64_t seed);
void engine_fini(struct engine *engine);

/* Before there are nodes: so many executors instead of one, each on a thread.  A node's `executor`
 * says at engine_start which runs it; engine->window has to pass on what they send each other. */
void engine_share(struct engine *engine, uint32_t executors);

/* Adds a node before the first engine_run; the node's id is its place. */
void engine_add(struct engine *engine, struct node *node, const struct node_ops *ops,
                const char *name);

/* Fixes the ranks; after this nodes may post.  Called once, when all nodes are added. */
void engine_start(struct engine *engine);

/* Most of an executor's events have the index of such an item as argument, see struct wheel. */
void engine_items(struct engine *engine, uint32_t executor, const void *items, uint32_t item_bytes);

/* Tells of a link: what one end does at t the other feels at t + delay, or later. */
void engine_link(struct engine *engine, time_ps delay);

/* Executes every event up to and including `until`, and leaves `now` there; returns false when none
 * is left.  Called off by engine_cut it does so up to that moment; asked to stop, up to some moment
 * before `until`, and it is paused. */
bool engine_run(struct engine *engine, time_ps until);

/* Called from an event at t: the running engine_run ends with the events of `at`, no sooner than
 * t + lookahead - 1.  Until then another node may have gone ahead already. */
void engine_cut(struct engine *engine, time_ps at);

/* Called by the watch: engine_run ends after the present event, whose time `now` is then, and the
 * next one goes on behind it. */
void engine_pause(struct engine *engine);

/* Whether the running engine_run ends before its next window. */
static inline bool engine_asked_to_stop(const struct engine *engine)
{
    return engine->stop != NULL && atomic_load_explicit(engine->stop, memory_order_relaxed) != 0;
}

/* Between two calls of engine_run: the world acts at that moment, at which no event has been
 * executed yet. */
void engine_set_now(struct engine *engine, time_ps now);

/* By whoever runs the executor: executes what it has in the window that it has opened. */
void engine_run_window(struct engine *engine, struct executor *executor);

/* Events executed, without the quiet ones. */
uint64_t engine_events(const struct engine *engine);

struct digest engine_digest(const struct engine *engine);

/* Time at the node: of the event that it executes, or of what the world does between events. */
static inline time_ps node_now(const struct node *node)
{
    const struct executor *executor = (const struct executor *)(const void *)node->queue;
    return executor->current != NULL ? executor->current->at : executor->now;
}

/* Before engine_start: the two touch each other's state, so one executor runs both, in the order of
 * their events. */
static inline void node_join(struct node *node, const struct node *other)
{
    node->group = other->group;
}

/* The order of a line's event number `count`. */
static inline uint64_t node_order(const struct node *from, uint32_t line, uint32_t count)
{
    return from->first_order + ((uint64_t)line << ORDER_LINE_BITS) + count;
}

/* Schedules an event of that order.  At another node only through a link, so its time is later than
 * now. */
static INLINE void node_post_ordered(struct node *from, uint64_t order, uint64_t target, time_ps at,
                                     uint64_t argument)
{
    const struct event event = {.at = at, .order = order, .target = target, .argument = argument};
    wheel_push(from->queue, &event);
}

/* Schedules an event at node `to`, in the order of the line that a node has for itself. */
static INLINE void node_post(struct node *from, uint32_t to, time_ps at, uint8_t kind,
                             uint16_t port, uint64_t argument)
{
    node_post_ordered(from, from->next_order++, event_target(to, port, kind), at, argument);
}

static inline void engine_insert(struct engine *engine, const struct event *event)
{
    wheel_push(engine->nodes[event->node]->queue, event);
}

/* The node will do something at that time which is no event: it does what is due, in order, before
 * each of its events, and is told to settle at the end of each window. */
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

/* The node acts as if that event were executed. */
static inline void node_act_as(struct node *node, const struct event *event)
{
    ((struct executor *)(void *)node->queue)->current = event;
}

/* Chains what an event meant (never a pointer or an index of memory) into the node's digest. */
static inline void node_digest(struct node *node, uint64_t word)
{
    digest_chain(&node->digest, word);
}

/* What every event adds, before it is executed, that is not quiet. */
static inline void node_digest_event(struct node *node, const struct event *event)
{
    const uint64_t order = event->order << 32 | event->order >> 32;
    digest_fold(&node->digest, ((uint64_t)event->at + event->kind) ^ order);
}

/* The event is the present one from now on. */
static inline void node_begin_event(struct node *node, struct executor *executor,
                                    const struct event *event)
{
    executor->current = event;
    if (UNLIKELY(event_is_quiet(event)))
        return;
    executor->events++;
    node_digest_event(node, event);
}

/* The next event of the node's batch, which is the present one then; NULL: the batch is over. */
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
