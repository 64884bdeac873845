/* SPDX-License-Identifier: Apache-2.0
 * explain_walk - pieces of time on their way to a root.
 * A piece of time at an egress is cut along the blocks of that egress; what lies outside them
 * belongs to that egress, what lies inside goes on as a piece at the peer, cut along the peer's
 * holds.  Pieces wait on a small stack of fixed size. */
#include "replay/explain_walk.h"

#include "base/check.h"
#include "base/hash.h"

#include <stdlib.h>

enum { PIECES_MAX = 64, PATHS_MAX = 1 << 16 };

/* Time [from, until) of a hold that is caused by what `egress` waits for. */
struct piece {
    time_ps from, until;
    uint32_t egress;
    uint8_t priority;
    uint32_t hops; /* from the hold that is being explained to this egress's node */
};

struct walk {
    struct explain *explain;
    uint32_t stopped; /* the transmitter that the explained hold stopped */
    struct piece pieces[PIECES_MAX];
    uint32_t count;
};

void *explain_zeroed(size_t count, size_t bytes)
{
    void *memory = calloc(count == 0 ? 1 : count, bytes);
    CHECK(memory != NULL);
    return memory;
}

void *explain_grown(void *items, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return items;
    *room = *room == 0 ? 64 : *room * 2;
    items = realloc(items, *room * bytes);
    CHECK(items != NULL);
    return items;
}

/* Index of the last hold of the key that begins at or before `at`; else of the key's first; else
 * NONE. */
static uint32_t hold_at(const struct explain *explain, uint32_t key, time_ps at)
{
    uint32_t low = 0, high = explain->hold_count; /* first hold behind (key, at) */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct explain_hold *hold = &explain->holds[middle];
        if (explain_order(hold->key, hold->from, key, at) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low > 0 && explain->holds[low - 1].key == key)
        return low - 1;
    return low < explain->hold_count && explain->holds[low].key == key ? low : EXPLAIN_NONE;
}

/* Index of the first block of the key that ends after `at`; block_count or another key's when there
 * is none. */
static uint32_t block_from(const struct explain *explain, uint32_t key, time_ps at)
{
    uint32_t low = 0, high = explain->block_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct explain_block *block = &explain->blocks[middle];
        /* Blocks of one key do not overlap, so their ends are in order as well. */
        if (block->key < key || (block->key == key && block->until <= at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first block of the key that overlaps [from, until), or NULL. */
static const struct explain_block *block_in(const struct explain *explain, uint32_t key,
                                            time_ps from, time_ps until)
{
    const uint32_t at = block_from(explain, key, from);
    if (at == explain->block_count || explain->blocks[at].key != key)
        return NULL;
    return explain->blocks[at].from < until ? &explain->blocks[at] : NULL;
}

static struct explain_root *root_at(struct explain *explain, uint32_t port, uint8_t priority)
{
    uint32_t *index = &explain->root_of[explain_key(port, priority)];
    if (*index == EXPLAIN_NONE) {
        explain->roots = explain_grown(explain->roots, explain->root_count, &explain->root_room,
                                       sizeof *explain->roots);
        *index = explain->root_count++;
        explain->roots[*index] = (struct explain_root){.port = port, .priority = priority};
    }
    return &explain->roots[*index];
}

static uint32_t path_slot(const struct explain *explain, const struct explain_path *path)
{
    const uint64_t name = (uint64_t)path->root << 36 | (uint64_t)path->hops << 32 | path->port;
    uint32_t at = (uint32_t)hash_mix(name) & (explain->path_room - 1);
    for (;; at = (at + 1) & (explain->path_room - 1)) {
        const struct explain_path *there = &explain->paths[at];
        if (there->hops == 0 ||
            (there->root == path->root && there->hops == path->hops && there->port == path->port))
            return at;
    }
}

static void grow_paths(struct explain *explain)
{
    struct explain_path *old = explain->paths;
    const uint32_t room = explain->path_room;
    explain->path_room = room * 2;
    explain->paths = explain_zeroed(explain->path_room, sizeof *explain->paths);
    for (uint32_t i = 0; i < room; i++)
        if (old[i].hops != 0)
            explain->paths[path_slot(explain, &old[i])] = old[i];
    free(old);
}

static void add_path(struct explain *explain, const struct explain_path *path)
{
    uint32_t at = path_slot(explain, path);
    if (explain->paths[at].hops == 0) {
        if (explain->path_count == PATHS_MAX)
            return; /* the totals of the roots go on; only the drawing is cut */
        if (explain->path_count >= explain->path_room / 2) {
            grow_paths(explain);
            at = path_slot(explain, path);
        }
        explain->path_count++;
        explain->paths[at] = *path;
        explain->paths[at].held_ps = 0;
    }
    explain->paths[at].held_ps += path->held_ps;
}

/* The piece ends here: its time belongs to the root at `port`. */
static void settle(struct walk *walk, const struct piece *piece, uint32_t port,
                   enum explain_kind kind)
{
    struct explain *explain = walk->explain;
    const time_ps span = piece->until - piece->from;
    struct explain_root *root = root_at(explain, port, piece->priority);
    root->held_ps += span;
    root->by_kind[kind] += span;
    if (piece->hops == 1)
        root->direct_ps += span;
    const struct explain_path path = {
        .root = (uint32_t)(root - explain->roots),
        .hops = piece->hops,
        .port = walk->stopped,
        .held_ps = span,
    };
    add_path(explain, &path);
}

/* A piece beyond the stack's room settles where it is: the walk stays bounded, and no time is lost.
 * */
static void push(struct walk *walk, const struct piece *piece)
{
    if (piece->hops > EXPLAIN_HOPS_MAX) {
        struct piece last = *piece;
        last.hops = EXPLAIN_HOPS_MAX;
        settle(walk, &last, piece->egress, EXPLAIN_CIRCLE);
        return;
    }
    if (walk->count == PIECES_MAX) {
        settle(walk, piece, piece->egress, EXPLAIN_CONGESTION);
        return;
    }
    walk->pieces[walk->count++] = *piece;
}

/* The time of `piece` at a hold: a host is a root, a switch has a reason further down. */
static void enter_hold(struct walk *walk, const struct piece *piece,
                       const struct explain_hold *hold)
{
    const struct explain_fabric *fabric = walk->explain->fabric;
    const uint32_t port = hold->key / EXPLAIN_PRIORITIES;
    struct piece next = *piece;
    next.egress = hold->egress;
    if (fabric->is_host[fabric->node_of[port]] || hold->egress == EXPLAIN_NONE)
        settle(walk, &next, port, hold->full ? EXPLAIN_SLOW_RECEIVER : EXPLAIN_STORM);
    else
        push(walk, &next);
}

/* The egress is blocked during all of the piece: goes on at the peer, along the peer's holds.  The
 * peer has released a little before the block ends (the XON travels), so a hold counts until the
 * next one begins. */
static void follow(struct walk *walk, const struct piece *piece)
{
    const struct explain *explain = walk->explain;
    const uint32_t peer = explain->fabric->peer[piece->egress];
    const uint32_t key = explain_key(peer, piece->priority);
    struct piece rest = *piece;
    rest.hops++;
    uint32_t at = hold_at(explain, key, rest.from);
    if (at == EXPLAIN_NONE) { /* a hold that was never told of */
        const struct explain_hold unknown = {.key = key, .egress = EXPLAIN_NONE, .full = false};
        enter_hold(walk, &rest, &unknown);
        return;
    }
    while (rest.from < rest.until) {
        struct piece part = rest;
        const bool another = at + 1 < explain->hold_count && explain->holds[at + 1].key == key;
        if (another && explain->holds[at + 1].from < part.until)
            part.until = explain->holds[at + 1].from;
        if (part.from < part.until)
            enter_hold(walk, &part, &explain->holds[at]);
        rest.from = part.until;
        at++;
    }
}

/* Another egress of the same node that is blocked during the piece, the one blocked from the
 * earliest moment. */
static uint32_t blocked_beside(const struct explain *explain, const struct piece *piece)
{
    const struct explain_fabric *fabric = explain->fabric;
    const uint32_t node = fabric->node_of[piece->egress];
    uint32_t best = EXPLAIN_NONE;
    time_ps best_from = TIME_NEVER;
    for (uint32_t port = fabric->first_port[node]; port < fabric->first_port[node + 1]; port++) {
        const struct explain_block *block =
            block_in(explain, explain_key(port, piece->priority), piece->from, piece->until);
        if (block == NULL || port == piece->egress)
            continue;
        const time_ps from = block->from > piece->from ? block->from : piece->from;
        if (from < best_from) {
            best = port;
            best_from = from;
        }
    }
    return best;
}

/* Cuts the piece along the blocks of `egress`; the blocked parts are followed and the rest is
 * settled. */
static void cut(struct walk *walk, const struct piece *piece, uint32_t egress)
{
    const struct explain *explain = walk->explain;
    struct piece rest = *piece;
    while (rest.from < rest.until) {
        const struct explain_block *block =
            block_in(explain, explain_key(egress, rest.priority), rest.from, rest.until);
        struct piece part = rest;
        if (block == NULL || block->from > rest.from) {
            part.until = block == NULL ? rest.until : block->from;
            settle(walk, &part, piece->egress, EXPLAIN_CONGESTION);
        } else {
            part.until = block->until < rest.until ? block->until : rest.until;
            part.egress = egress;
            follow(walk, &part);
        }
        rest.from = part.until;
    }
}

static void walk_pieces(struct walk *walk)
{
    while (walk->count > 0) {
        const struct piece piece = walk->pieces[--walk->count];
        uint32_t egress = piece.egress;
        const uint32_t key = explain_key(egress, piece.priority);
        if (block_in(walk->explain, key, piece.from, piece.until) == NULL) {
            const uint32_t beside = blocked_beside(walk->explain, &piece);
            egress = beside == EXPLAIN_NONE ? egress : beside;
        }
        cut(walk, &piece, egress);
    }
}

void explain_walk(struct explain *explain, const struct explain_hold *hold)
{
    struct walk walk = {.explain = explain};
    walk.stopped = explain->fabric->peer[hold->key / EXPLAIN_PRIORITIES];
    const struct piece whole = {
        .from = hold->from,
        .until = hold->until,
        .egress = hold->egress,
        .priority = (uint8_t)(hold->key % EXPLAIN_PRIORITIES),
        .hops = 1,
    };
    enter_hold(&walk, &whole, hold);
    walk_pieces(&walk);
}
