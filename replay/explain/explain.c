/* SPDX-License-Identifier: Apache-2.0
 * explain - intervals of holds and blocks, and folding them into totals.
 * A fold sorts the closed intervals by (port, priority, time) and walks from each hold to its
 * roots. */
#include "replay/explain/explain.h"

#include "base/check.h"
#include "base/memory.h"
#include "replay/explain/explain_verdict.h"
#include "replay/explain/explain_walk.h"
#include "replay/explain/verdict.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)EXPLAIN_KINDS <= (int)EXPLAIN_KINDS_MAX, "a root has time by each verdict");

void explain_init(struct explain *explain, const struct explain_fabric *fabric)
{
    const size_t keys = (size_t)fabric->first_port[fabric->node_count] * EXPLAIN_PRIORITIES;
    *explain = (struct explain){.fabric = fabric, .path_room = 256};
    explain->open_holds = memory_zeroed(keys, sizeof *explain->open_holds);
    explain->open_blocks = memory_zeroed(keys, sizeof *explain->open_blocks);
    explain->first_hold = memory_zeroed(keys + 1, sizeof *explain->first_hold);
    explain->first_block = memory_zeroed(keys + 1, sizeof *explain->first_block);
    explain->root_of = memory_zeroed(keys, sizeof *explain->root_of);
    explain->paths = memory_zeroed(explain->path_room, sizeof *explain->paths);
    explain->idle = memory_zeroed(keys, sizeof *explain->idle);
    memset(explain->root_of, 0xff, keys * sizeof *explain->root_of);
}

void explain_fini(struct explain *explain)
{
    free(explain->open_holds);
    free(explain->open_blocks);
    free(explain->holds);
    free(explain->blocks);
    free(explain->first_hold);
    free(explain->first_block);
    free(explain->root_of);
    free(explain->idle);
    free(explain->roots);
    free(explain->paths);
    free(explain->pieces);
    *explain = (struct explain){0};
}

static int order_holds(const void *a, const void *b)
{
    const struct explain_hold *x = a, *y = b;
    return explain_order(x->key, x->from, y->key, y->from);
}

static int order_blocks(const void *a, const void *b)
{
    const struct explain_block *x = a, *y = b;
    return explain_order(x->key, x->from, y->key, y->from);
}

static void sum_blocks(struct explain *explain)
{
    for (uint32_t i = 0; i < explain->block_count; i++) {
        struct explain_block *block = &explain->blocks[i];
        const bool first = i == 0 || block[-1].key != block->key;
        block->before = first ? 0 : block[-1].before + block[-1].until - block[-1].from;
    }
}

/* Start of each key's intervals in the sorted arrays. */
static void index_keys(struct explain *explain)
{
    const uint32_t keys =
        explain->fabric->first_port[explain->fabric->node_count] * EXPLAIN_PRIORITIES;
    uint32_t hold = 0, block = 0;
    for (uint32_t key = 0; key <= keys; key++) {
        while (hold < explain->hold_count && explain->holds[hold].key < key)
            hold++;
        while (block < explain->block_count && explain->blocks[block].key < key)
            block++;
        explain->first_hold[key] = hold;
        explain->first_block[key] = block;
    }
}

static void fold(struct explain *explain)
{
    if (explain->hold_count > 0)
        qsort(explain->holds, explain->hold_count, sizeof *explain->holds, order_holds);
    if (explain->block_count > 0)
        qsort(explain->blocks, explain->block_count, sizeof *explain->blocks, order_blocks);
    sum_blocks(explain);
    index_keys(explain);
    for (uint32_t i = 0; i < explain->hold_count; i++)
        explain_walk(explain, &explain->holds[i]);
    explain->hold_count = 0;
    explain->block_count = 0;
}

static void close_hold(struct explain *explain, struct explain_hold *open, time_ps at)
{
    explain->holds = memory_grown(explain->holds, explain->hold_count, &explain->hold_room,
                                  sizeof *explain->holds);
    struct explain_hold *hold = &explain->holds[explain->hold_count];
    *hold = *open;
    hold->until = at;
    CHECK(at >= hold->from);
    explain->hold_count += at > hold->from;
    open->until = 0;
}

/* The key of the holds that stop the key's transmitter. */
static uint32_t key_of_peer(const struct explain *explain, uint32_t key)
{
    return explain_key(explain->fabric->peer[key / EXPLAIN_PRIORITIES],
                       (uint8_t)(key % EXPLAIN_PRIORITIES));
}

static void close_block(struct explain *explain, struct explain_block *open, time_ps at)
{
    explain->blocks = memory_grown(explain->blocks, explain->block_count, &explain->block_room,
                                   sizeof *explain->blocks);
    struct explain_block *block = &explain->blocks[explain->block_count];
    *block = *open;
    block->until = at;
    if (!explain_is_repeated(explain->fabric, key_of_peer(explain, block->key)))
        explain->blocked_ps = time_sum(explain->blocked_ps, at - block->from);
    CHECK(at >= block->from);
    explain->block_count += at > block->from;
    open->until = 0;
}

/* Ends every open interval at `at`; with `again`, it continues from there as a new one. */
static void cut_open(struct explain *explain, time_ps at, bool again)
{
    const uint32_t ports = explain->fabric->first_port[explain->fabric->node_count];
    for (uint32_t key = 0; key < ports * EXPLAIN_PRIORITIES; key++) {
        struct explain_hold *hold = &explain->open_holds[key];
        struct explain_block *block = &explain->open_blocks[key];
        if (hold->until != 0) {
            close_hold(explain, hold, at);
            hold->from = at;
            hold->until = again ? TIME_NEVER : 0;
        }
        if (block->until != 0) {
            close_block(explain, block, at);
            *block = (struct explain_block){key, at, again ? TIME_NEVER : 0, 0};
        }
    }
}

static void fold_when_full(struct explain *explain, time_ps now)
{
    if (explain->hold_count + explain->block_count < EXPLAIN_INTERVALS)
        return;
    cut_open(explain, now, true);
    fold(explain);
}

void explain_on_hold(struct explain *explain, const struct explain_edge *edge)
{
    struct explain_hold *open = &explain->open_holds[explain_key(edge->port, edge->priority)];
    if (open->until != 0 && edge->begins && open->reason_count > 0 && edge->reason_count == 0)
        return; /* a refresh with less information */
    if (open->until != 0)
        close_hold(explain, open, edge->at);
    if (edge->begins) {
        *open = (struct explain_hold){
            .key = explain_key(edge->port, edge->priority),
            .reason_count = edge->reason_count,
            .full = edge->full,
            .coming = edge->coming,
            .from = edge->at,
            .until = TIME_NEVER,
        };
        memcpy(open->reasons, edge->reasons, sizeof open->reasons);
    }
    fold_when_full(explain, edge->at);
}

void explain_on_block(struct explain *explain, time_ps at, uint32_t port, uint8_t priority,
                      bool begins)
{
    struct explain_block *open = &explain->open_blocks[explain_key(port, priority)];
    if (begins && open->until == 0)
        *open = (struct explain_block){explain_key(port, priority), at, TIME_NEVER, 0};
    else if (!begins && open->until != 0)
        close_block(explain, open, at);
    fold_when_full(explain, at);
}

static enum explain_kind largest_kind(const struct explain_root *root)
{
    enum explain_kind best = 0;
    for (enum explain_kind kind = 1; kind < EXPLAIN_KINDS; kind++)
        if (root->by_kind[kind] > root->by_kind[best])
            best = kind;
    return best;
}

void explain_never_sent(struct explain *explain, uint32_t port, uint8_t priority)
{
    explain->idle[explain_key(port, priority)] = true;
}

static int order_roots(const void *a, const void *b)
{
    const struct explain_root *x = a, *y = b;
    if (x->idle != y->idle)
        return x->idle ? 1 : -1;
    if (x->fault != y->fault)
        return x->fault ? -1 : 1;
    if (x->held_ps != y->held_ps)
        return x->held_ps > y->held_ps ? -1 : 1;
    return explain_order(x->port, x->priority, y->port, y->priority);
}

static int order_paths(const void *a, const void *b)
{
    const struct explain_path *x = a, *y = b;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->hops != y->hops)
        return x->hops < y->hops ? -1 : 1;
    if (x->held_ps != y->held_ps)
        return x->held_ps > y->held_ps ? -1 : 1;
    return x->port < y->port ? -1 : x->port > y->port;
}

/* Packs the paths into an array and renumbers their roots; paths of idle roots are removed. */
static void sort_paths(struct explain *explain)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < explain->path_room; i++)
        if (explain->paths[i].hops != 0)
            explain->paths[count++] = explain->paths[i];
    CHECK(count == explain->path_count);
    explain->path_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct explain_path path = explain->paths[i];
        path.root = explain->root_of[path.root];
        if (path.root < explain->root_count)
            explain->paths[explain->path_count++] = path;
    }
    count = explain->path_count;
    if (count > 0)
        qsort(explain->paths, count, sizeof *explain->paths, order_paths);
}

/* The first priority that the host's pauses stop and in which its neighbor has traffic. */
static uint8_t stopped_priority(const struct explain *explain, const struct explain_root *root)
{
    const struct explain_fabric *fabric = explain->fabric;
    const uint32_t peer = fabric->peer[root->port];
    uint8_t priority = root->priority;
    if (fabric->is_host[fabric->node_of[root->port]] && explain_pauses_all(fabric, root->port))
        while (priority + 1 < EXPLAIN_PRIORITIES && explain->idle[explain_key(peer, priority)])
            priority++;
    return priority;
}

/* A host that pauses priorities in which its neighbor has nothing to send. */
static bool is_idle(const struct explain *explain, const struct explain_root *root)
{
    const struct explain_fabric *fabric = explain->fabric;
    return fabric->is_host[fabric->node_of[root->port]] &&
           explain->idle[explain_key(fabric->peer[root->port], stopped_priority(explain, root))];
}

static void cut_idle(struct explain *explain)
{
    while (explain->root_count > 0 && explain->roots[explain->root_count - 1].idle)
        explain->idle_ps += explain->roots[--explain->root_count].held_ps;
}

static void sort_roots(struct explain *explain)
{
    struct explain_root *roots = explain->roots;
    uint32_t *old_keys = memory_zeroed(explain->root_count, sizeof *old_keys);
    for (uint32_t i = 0; i < explain->root_count; i++) {
        roots[i].kind = largest_kind(&roots[i]);
        roots[i].idle = is_idle(explain, &roots[i]);
    }
    explain_mark_faults(explain);
    for (uint32_t i = 0; i < explain->root_count; i++) {
        old_keys[i] = explain_key(roots[i].port, roots[i].priority);
    }
    if (explain->root_count > 0)
        qsort(roots, explain->root_count, sizeof *roots, order_roots);
    for (uint32_t i = 0; i < explain->root_count; i++)
        explain->root_of[explain_key(roots[i].port, roots[i].priority)] = i;
    uint32_t *place = memory_zeroed(explain->root_count, sizeof *place);
    for (uint32_t i = 0; i < explain->root_count; i++)
        place[i] = explain->root_of[old_keys[i]];
    if (explain->root_count > 0)
        memcpy(explain->root_of, place, explain->root_count * sizeof *place);
    free(place);
    free(old_keys);
}

void explain_finish(struct explain *explain, time_ps now)
{
    cut_open(explain, now, false);
    fold(explain);
    sort_roots(explain);
    cut_idle(explain);
    sort_paths(explain);
    for (uint32_t i = 0; i < explain->root_count; i++)
        explain->roots[i].priority = stopped_priority(explain, &explain->roots[i]);
    explain_judge(explain);
}
