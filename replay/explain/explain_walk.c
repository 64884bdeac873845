/* SPDX-License-Identifier: Apache-2.0
 * explain_walk - walks pieces of time to their roots.
 * A piece is a time interval at an egress and an amount of held time to attribute to it. It is cut
 * along the blocks of that egress: time outside them belongs to the egress itself or to the
 * preceding block; time inside them continues at the peer, cut along the peer's holds and their
 * reasons. Amounts are divided without remainder, so no time is lost. Pieces wait on a stack. */
#include "replay/explain/explain_walk.h"
#include "replay/explain/verdict.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdlib.h>

enum { PATHS_MAX = 1 << 16, WHOLE_SHARE = 256 };

/* `amount` of held time, attributed to whatever the queue waits for in [from, until). */
struct explain_piece {
    time_ps from, until, amount;
    uint32_t egress;
    uint32_t hops;   /* from the hold being explained to this egress's node */
    uint32_t queued; /* bytes in the queue */
    uint8_t priority;
};

struct walk {
    struct explain *explain;
    uint32_t stopped; /* transmitter stopped by the hold being explained */
    time_ps whole;    /* ps; total time being explained */
    uint32_t count, steps;
    /* trail[n] is the egress at hop n on the way from the hold to the current piece. Pieces are
     * processed depth first, so the entries of its ancestors are valid. */
    uint32_t trail[EXPLAIN_HOPS_MAX + 1];
};

/* Index of the key's last hold that begins at or before `at`, otherwise of its first hold, or
 * NONE. */
static uint32_t hold_at(const struct explain *explain, uint32_t key, time_ps at)
{
    const uint32_t first = explain->first_hold[key], end = explain->first_hold[key + 1];
    uint32_t low = first, high = end; /* first hold that begins after `at` */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (explain->holds[middle].from <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return first == end ? EXPLAIN_NONE : low > first ? low - 1 : first;
}

/* Index of the key's first block that ends after `at`, or the end of its blocks. Blocks of a key do
 * not overlap, so their ends are sorted, too. */
static uint32_t block_from(const struct explain *explain, uint32_t key, time_ps at)
{
    uint32_t low = explain->first_block[key], high = explain->first_block[key + 1];
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (explain->blocks[middle].until <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct explain_root *root_at(struct explain *explain, uint32_t port, uint8_t priority)
{
    uint32_t *index = &explain->root_of[explain_key(port, priority)];
    if (*index == EXPLAIN_NONE) {
        explain->roots = memory_grown(explain->roots, explain->root_count, &explain->root_room,
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
    explain->paths = memory_zeroed(explain->path_room, sizeof *explain->paths);
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
            return; /* totals of roots are unaffected; only the path list is cut off */
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

/* Number of nodes from the hold to the end of a walk of `hops` hops, including both but without
 * loops: a walk may circle through switches before it leaves them. */
static uint32_t distance(const struct walk *walk, uint32_t hops)
{
    const uint32_t *node_of = walk->explain->fabric->node_of;
    uint32_t nodes = 0;
    for (uint32_t at = 1; at <= hops; at++, nodes++)
        for (uint32_t again = hops; again > at; again--)
            if (node_of[walk->trail[again]] == node_of[walk->trail[at]])
                at = again;
    return nodes;
}

/* The piece ends here: adds its amount to the root at `port`. */
static void settle_piece(struct walk *walk, const struct explain_piece *piece, uint32_t port,
                         struct explain_end end)
{
    struct explain *explain = walk->explain;
    if (piece->amount == 0)
        return;
    end.priority = piece->priority;
    const bool whole = end.at_host && explain_pauses_all(explain->fabric, port);
    struct explain_root *root = root_at(explain, port, whole ? 0 : piece->priority);
    root->held_ps += piece->amount;
    root->by_kind[verdict_on(&end)] += piece->amount;
    if (piece->hops == 1)
        root->direct_ps += piece->amount;
    const struct explain_path path = {
        .root = (uint32_t)(root - explain->roots),
        .hops = end.at_host ? distance(walk, piece->hops - 1) + 1 : distance(walk, piece->hops),
        .port = walk->stopped,
        .held_ps = piece->amount,
    };
    add_path(explain, &path);
}

/* A walk with more hops than any fabric is cyclic. All walks into one cycle end at the same root,
 * its lowest port. */
static void settle_circle(struct walk *walk, const struct explain_piece *piece)
{
    struct explain_piece last = *piece;
    uint32_t hops = 1;
    while (hops <= EXPLAIN_HOPS_MAX && walk->trail[hops] != piece->egress)
        hops++;
    if (hops > EXPLAIN_HOPS_MAX) {
        walk->explain->unknown_ps += piece->amount;
        return;
    }
    for (; hops <= EXPLAIN_HOPS_MAX; hops++)
        if (walk->trail[hops] <= last.egress) {
            last.egress = walk->trail[hops];
            last.hops = hops;
        }
    settle_piece(walk, &last, last.egress, (struct explain_end){.went_round = true});
}

static void push_piece(struct walk *walk, const struct explain_piece *piece)
{
    struct explain *explain = walk->explain;
    if (piece->amount == 0)
        return;
    if (piece->hops > EXPLAIN_HOPS_MAX) {
        settle_circle(walk, piece);
        return;
    }
    if (walk->steps == EXPLAIN_STEPS) {
        explain->unknown_ps += piece->amount;
        return;
    }
    walk->steps++;
    explain->pieces =
        memory_grown(explain->pieces, walk->count, &explain->piece_room, sizeof *explain->pieces);
    explain->pieces[walk->count++] = *piece;
}

/* Divides an amount proportionally; the parts add up exactly to the whole. */
struct dealer {
    time_ps left;
    int64_t shares_left;
};

static time_ps deal_share(struct dealer *dealer, int64_t share)
{
    const time_ps part = share >= dealer->shares_left
                             ? dealer->left
                             : (time_ps)((__int128)dealer->left * share / dealer->shares_left);
    dealer->left -= part;
    dealer->shares_left -= share;
    return part;
}

/* ------------------------------------------------------------------ holds and their reasons */

static time_ps time_to_send(const struct explain *explain, uint32_t port, uint64_t bytes)
{
    return units_transfer_ps(bytes, (uint64_t)explain->fabric->rate_bps[port]);
}

/* Time, since the start of the hold, at which the queue of a reason and later arrivals have been
 * sent; at most `limit`. */
static time_ps sent_at(const struct explain *explain, const struct explain_hold *hold,
                       const struct explain_reason *reason, time_ps limit)
{
    const uint32_t key = explain_key(reason->port, reason->priority);
    time_ps left = time_to_send(explain, reason->port, (uint64_t)reason->queued + hold->coming);
    time_ps at = hold->from;
    const uint32_t end = explain->first_block[key + 1];
    for (uint32_t i = block_from(explain, key, at); i < end && at < limit; i++) {
        const struct explain_block *block = &explain->blocks[i];
        const time_ps open = block->from > at ? block->from - at : 0;
        if (open >= left)
            break;
        left -= open;
        at = block->until > at ? block->until : at;
    }
    return left < limit - at ? at + left : limit;
}

/* Continues the reason as a piece of its own. */
static void push_reason(struct walk *walk, const struct explain_piece *piece,
                        const struct explain_reason *reason, time_ps amount)
{
    struct explain_piece next = *piece;
    next.egress = reason->port;
    next.priority = reason->priority;
    next.queued = reason->queued;
    next.amount = amount;
    push_piece(walk, &next);
}

/* Divides the piece among the reasons in the mask, which apply throughout. */
static void share_out(struct walk *walk, const struct explain_piece *piece,
                      const struct explain_hold *hold, unsigned mask)
{
    struct dealer dealer = {.left = piece->amount};
    for (unsigned i = 0; i < hold->reason_count; i++)
        dealer.shares_left += (mask & 1u << i) != 0 ? hold->reasons[i].weight : 0;
    for (unsigned i = 0; i < hold->reason_count; i++)
        if ((mask & 1u << i) != 0)
            push_reason(walk, piece, &hold->reasons[i],
                        deal_share(&dealer, hold->reasons[i].weight));
}

/* Cuts the piece at the times when the queue of a reason has been sent. After the last one, that
 * reason remains. */
static void cut_by_reasons(struct walk *walk, const struct explain_piece *piece,
                           const struct explain_hold *hold)
{
    time_ps sent[EXPLAIN_REASONS], last = 0;
    for (int i = 0; i < hold->reason_count; i++) {
        sent[i] = sent_at(walk->explain, hold, &hold->reasons[i], piece->until);
        last = sent[i] > last ? sent[i] : last;
    }
    struct dealer dealer = {piece->amount, piece->until - piece->from};
    struct explain_piece part = *piece;
    while (part.from < piece->until) {
        unsigned mask = 0;
        part.until = piece->until;
        for (unsigned i = 0; i < hold->reason_count; i++) {
            if (sent[i] <= part.from && sent[i] != last)
                continue;
            mask |= 1u << i;
            if (sent[i] > part.from && sent[i] < part.until && sent[i] != last)
                part.until = sent[i];
        }
        part.amount = deal_share(&dealer, part.until - part.from);
        share_out(walk, &part, hold, mask);
        part.from = part.until;
    }
}

/* A piece at a hold: a host is a root; a switch continues with its reasons downstream. */
static void enter_hold(struct walk *walk, const struct explain_piece *piece,
                       const struct explain_hold *hold)
{
    const struct explain_fabric *fabric = walk->explain->fabric;
    const uint32_t port = hold->key / EXPLAIN_PRIORITIES;
    if (fabric->is_host[fabric->node_of[port]])
        settle_piece(walk, piece, port, (struct explain_end){.at_host = true, .full = hold->full});
    else if (hold->reason_count == 0)
        walk->explain->unknown_ps += piece->amount;
    else if (hold->reason_count == 1 || piece->amount < walk->whole / WHOLE_SHARE)
        push_reason(walk, piece, &hold->reasons[0], piece->amount);
    else
        cut_by_reasons(walk, piece, hold);
}

/* The egress is blocked during the whole piece: continues at the peer, along the peer's holds. The
 * peer releases the hold slightly before the block ends (XON propagation), so a hold counts until
 * the next one begins. */
static void follow_block(struct walk *walk, const struct explain_piece *piece)
{
    const struct explain *explain = walk->explain;
    const uint32_t key = explain_key(explain->fabric->peer[piece->egress], piece->priority);
    struct explain_piece part = *piece;
    part.hops++;
    uint32_t at = hold_at(explain, key, part.from);
    if (at == EXPLAIN_NONE) { /* the hold was never reported */
        const struct explain_hold unknown = {.key = key};
        enter_hold(walk, &part, &unknown);
        return;
    }
    struct dealer dealer = {piece->amount, piece->until - piece->from};
    for (; part.from < piece->until; at++) {
        const bool another = at + 1 < explain->first_hold[key + 1];
        part.until = piece->until;
        if (another && explain->holds[at + 1].from < part.until)
            part.until = explain->holds[at + 1].from;
        if (part.from >= part.until)
            continue;
        part.amount = deal_share(&dealer, part.until - part.from);
        enter_hold(walk, &part, &explain->holds[at]);
        part.from = part.until;
    }
}

/* ------------------------------------------------------------------ egresses and their blocks */

/* The key's blocked time before `at`, in this fold. */
static time_ps blocked_before(const struct explain *explain, uint32_t key, time_ps at)
{
    const uint32_t next = block_from(explain, key, at);
    if (next < explain->first_block[key + 1]) {
        const struct explain_block *block = &explain->blocks[next];
        return block->before + (at > block->from ? at - block->from : 0);
    }
    if (next == explain->first_block[key])
        return 0;
    const struct explain_block *last = &explain->blocks[next - 1];
    return last->before + last->until - last->from;
}

/* The part of `amount` at `moment`, when the egress may send, that is backlog from earlier
 * blocks. */
static time_ps left_behind(const struct explain *explain, const struct explain_piece *piece,
                           time_ps moment, time_ps amount)
{
    const uint32_t key = explain_key(piece->egress, piece->priority);
    const time_ps span = time_to_send(explain, piece->egress, piece->queued);
    if (span == 0)
        return 0;
    const time_ps blocked =
        blocked_before(explain, key, moment) - blocked_before(explain, key, moment - span);
    return (time_ps)((__int128)amount * blocked / span);
}

/* The key's last block that begins before `at`, or NULL. */
static const struct explain_block *block_before(const struct explain *explain, uint32_t key,
                                                time_ps at)
{
    uint32_t next = block_from(explain, key, at);
    next += next < explain->first_block[key + 1] && explain->blocks[next].from < at;
    return next == explain->first_block[key] ? NULL : &explain->blocks[next - 1];
}

/* Time in which the egress could send is its own, except for the backlog of a block, which is
 * attributed to that block. */
static void blame_open(struct walk *walk, const struct explain_piece *piece, time_ps *own)
{
    const struct explain *explain = walk->explain;
    const uint32_t key = explain_key(piece->egress, piece->priority);
    const time_ps moment = piece->from + (piece->until - piece->from) / 2;
    const struct explain_block *block = block_before(explain, key, piece->until);
    struct explain_piece debt = *piece;
    debt.amount = block == NULL ? 0 : left_behind(explain, piece, moment, piece->amount);
    *own += piece->amount - debt.amount;
    if (debt.amount == 0)
        return;
    debt.from = block->from;
    debt.until = block->until;
    follow_block(walk, &debt);
}

/* Cuts the piece along the blocks of its egress. */
static void cut_by_blocks(struct walk *walk, const struct explain_piece *piece)
{
    const struct explain *explain = walk->explain;
    const uint32_t key = explain_key(piece->egress, piece->priority);
    struct dealer dealer = {piece->amount, piece->until - piece->from};
    struct explain_piece part = *piece;
    time_ps own = 0;
    const uint32_t end = explain->first_block[key + 1];
    for (uint32_t i = block_from(explain, key, part.from); part.from < piece->until;) {
        const bool any = i < end && explain->blocks[i].from < piece->until;
        const struct explain_block *block = any ? &explain->blocks[i] : NULL;
        const bool blocked = any && block->from <= part.from;
        part.until = !any ? piece->until : blocked ? block->until : block->from;
        part.until = part.until < piece->until ? part.until : piece->until;
        part.amount = deal_share(&dealer, part.until - part.from);
        if (blocked)
            follow_block(walk, &part);
        else
            blame_open(walk, &part, &own);
        part.from = part.until;
        i += blocked;
    }
    part = *piece;
    part.amount = own;
    settle_piece(walk, &part, piece->egress, (struct explain_end){0});
}

/* How long the hold stopped its transmitter, at most until the port's next hold: a pause whose XON
 * is lost lasts until its quanta expire. */
static time_ps stopped_by(const struct explain *explain, const struct explain_hold *hold)
{
    const uint32_t peer = explain->fabric->peer[hold->key / EXPLAIN_PRIORITIES];
    const uint32_t key = explain_key(peer, hold->key % EXPLAIN_PRIORITIES);
    const bool last = hold + 1 == explain->holds + explain->first_hold[hold->key + 1];
    return blocked_before(explain, key, last ? TIME_NEVER : hold[1].from) -
           blocked_before(explain, key, hold->from);
}

void explain_walk(struct explain *explain, const struct explain_hold *hold)
{
    struct walk walk = {.explain = explain};
    if (explain_is_repeated(explain->fabric, hold->key))
        return;
    walk.whole = stopped_by(explain, hold);
    walk.stopped = explain->fabric->peer[hold->key / EXPLAIN_PRIORITIES];
    explain->asked_ps += walk.whole > 0 ? hold->until - hold->from : 0;
    const struct explain_piece whole = {
        .from = hold->from,
        .until = hold->until,
        .amount = walk.whole,
        .egress = hold->key / EXPLAIN_PRIORITIES,
        .priority = (uint8_t)(hold->key % EXPLAIN_PRIORITIES),
        .hops = 1,
    };
    enter_hold(&walk, &whole, hold);
    while (walk.count > 0) {
        const struct explain_piece piece = explain->pieces[--walk.count];
        walk.trail[piece.hops] = piece.egress;
        cut_by_blocks(&walk, &piece);
    }
}
