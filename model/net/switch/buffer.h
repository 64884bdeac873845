/* SPDX-License-Identifier: Apache-2.0
 * buffer - a switch's shared packet memory, in cells.
 * Source:  SAI saibuffer.h and SONiC's BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE for
 *          what there is; IEEE 802.1Q-2018 annex N (headroom); dynamic thresholds: Choudhury and
 *          Hahne, IEEE/ACM ToN 6(2), 1998.
 *
 * A frame takes whole cells.  It is counted twice, as in the ASIC: in the group of its (ingress
 * port, priority), which may pause the sender, and in the queue of its (egress port, priority),
 * where a lossy frame may be dropped.  It is counted from arrival until its transmission begins:
 * the egress pipeline reads it out faster than the wire sends it.
 *
 *   memory = reserved for groups and queues + headroom + shared pool (lossless, lossy or common)
 *
 * Groups, at ingress
 *   - Reserved room first; then the pool, while the group's share of it is below a threshold (the
 *     frame that reaches it still fits, and XOFF is sent for it); then headroom; then there is none
 *     and the frame is dropped.  Room is given back in the reverse order.
 *   - Headroom is the group's own, or its part of a pool that all groups share.  It takes whole
 *     frames, so that its limit is exact.  A lossy group has none.
 *   - XON when headroom is empty and the share is at most max(xon, threshold - xon_offset): SAI's
 *     XON_TH and XON_OFFSET_TH.
 * Queues, at egress
 *   - A lossy queue has reserved room, and a share of the egress lossy pool below a threshold.
 *   - A lossless queue has no limit, or a fixed one: it is the groups that hold lossless frames
 *     back.
 * What the threshold is, a policy says: below.
 * Not modelled: descriptors, limits of a whole port, multicast.  Owner: the switch.  Units: cells
 * here, bytes in what is asked for and reported; at most INT32_MAX cells. */
#ifndef STORMGLASS_NET_SWITCH_BUFFER_H
#define STORMGLASS_NET_SWITCH_BUFFER_H

#include "base/opt.h"
#include "base/units.h"
#include "net/port/port.h"

#include <stdalign.h>

enum { BUFFER_UNLIMITED = -1 }; /* instead of an alpha: as much as the pool has */

/* ------------------------------------------------------------------ policies */

struct buffer;

/* One whose share of a pool has a threshold: a group, or a lossy queue. */
struct buffer_place {
    uint16_t port;
    uint8_t priority;
    bool egress; /* a queue */
};

/* How shared memory is divided: one file, net/switch/buffer_<stem>.c, whose last thing is this
 * table, and one line of buffer.def; its stem is the word of a scenario.  buffer_dynamic is the one
 * to copy, buffer_static has a parameter of its own, and buffer_abm looks at the whole switch.
 *
 * `view` is the memory and the ports of a switch, to be read only: pools, groups, queues (the prios
 * of `ports`), rates, and what belongs to the policy: params and `state`.
 *
 * A policy may rely on:
 *   - alpha is the weight that the scenario gives the place, in ppm, and never BUFFER_UNLIMITED:
 *     such a place has no threshold, and its policy is not asked;
 *   - what is limited besides the threshold is not its affair: reserved room, the size of the pool,
 *     headroom, XON (from the threshold by xon and xon-offset).
 * It owes:
 *   - a threshold from 0 up that is a function of what the view shows: it is asked for at any time,
 *     also by observers, and with an `idle` that is not the pool's just now ("if so much were
 *     free"); no variables of its own, no allocation, no floating point, no clock but `now`;
 *   - by_idle only if it is true, for then most frames are never asked for. */
struct buffer_policy {
    const char *about, *source;
    const struct opt *opts; /* its own rows, of a name that begins with its word; NULL: none */
    size_t params_bytes;    /* of the struct that they are over, at most BUFFER_PARAMS_MAX */

    /* The threshold depends on alpha, idle and params alone, and never rises as idle falls.  Frames
     * that find ample room then pass without a question.  False: that fast path is off for the
     * switch, and the policy is asked for every frame. */
    bool by_idle;
    bool fixed;  /* it depends on nothing: it cannot sink below what a group holds already */
    bool queues; /* it says so of lossy queues too; false: they have alpha times what is free */

    /* Cells of its pool that a place may have while `idle` of them are free. */
    int64_t (*threshold)(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle);

    /* The most that this can become, whatever else happens, while `idle` cells are free.  NULL if
     * by_idle: it is the threshold. */
    int64_t (*most)(const struct buffer *view, struct buffer_place place, int64_t alpha,
                    int64_t idle);

    /* For `check`, in bytes: what each of `busy` groups holds when all are as full as they may be,
     * of `shared` bytes. */
    int64_t (*settled)(const void *params, int64_t alpha, int64_t shared, int64_t busy);

    /* ---- for who looks at more than idle; all may be NULL, and are if by_idle ---- */

    /* Size of view->state for that many groups, and as many queues; zeroes at first. */
    size_t (*state_bytes)(uint32_t groups);

    /* So many cells came to the place, or left it (below 0); the view has it already. */
    void (*moved)(void *state, const struct buffer *view, struct buffer_place place, int64_t cells,
                  time_ps now);

    void (*audit)(const struct buffer *view); /* CHECKs the state */
};

enum { BUFFER_PARAMS_MAX = 128, BUFFER_POLICIES_MAX = 8 };

/* In the order of buffer.def, which nothing but an index into these depends on; how many they are,
 * and each by name: buffer_kinds.h. */
extern const struct buffer_policy *const buffer_policies[];
extern const char *const buffer_policy_names[];

/* ------------------------------------------------------------------ the memory */

/* A part of the memory that groups share. */
struct buffer_pool {
    uint32_t shared_used, shared_peak;
    uint32_t watch; /* above it somebody must be told: of a new peak, or that the pool is tight */
    uint32_t size, half; /* half as much */
    bool tight;          /* about half used: its groups' ample room is none */
};

struct buffer_group {
    alignas(64) struct buffer_pool *pool;
    uint32_t *waiting; /* its cells in queues, by egress port; the owner keeps it */
    uint32_t used;     /* without headroom: what is above `reserved` is its share of the pool */
    uint32_t used_peak;
    /* Below it the share is below the threshold.  0 while headroom is in use, the peer paused or a
     * pool tight; ample_at_ease is what it is at other times. */
    uint32_t ample, ample_at_ease;
    uint32_t reserved;
    uint32_t headroom, headroom_used; /* limit, and what is in use */
    uint32_t headroom_peak;
    uint64_t dropped; /* frames */
    struct buffer_place place;
    bool lossless; /* pauses its sender; has headroom, if only none */
    bool xoff;
};

/* The egress view of all lossy queues. */
struct buffer_egress {
    int64_t alpha; /* ppm; or BUFFER_UNLIMITED */
    uint32_t size; /* of the egress lossy pool */
    uint32_t used, peak;
    uint32_t reserved; /* for each lossy queue */
    uint32_t tight_above;
    bool tight; /* little is left: no lossy frame may pass unasked */
};

struct buffer {
    /* what every frame touches */
    struct buffer_group *groups; /* port * PRIORITIES + priority */
    uint64_t cell_scale, cell_bias;
    uint32_t used, used_peak;
    uint32_t queue_limit; /* of a lossless queue; UINT32_MAX: none */
    uint32_t cell;        /* bytes */
    struct buffer_pool pools[2];

    struct buffer_egress egress;
    const struct buffer_policy *policy;
    const void *params;       /* the policy's own */
    void *state;              /* likewise; NULL: it has none */
    const struct port *ports; /* of the switch */
    int64_t alpha[2];         /* ppm, of lossy and of lossless groups; or BUFFER_UNLIMITED */
    int64_t xon, xon_offset;
    uint32_t total, group_count;
    uint32_t headroom_size; /* of all groups together */
    uint32_t headroom_used, headroom_used_peak;
    uint32_t headroom_peak; /* of one group */
};

enum {
    BUFFER_POOL_LOSSLESS,
    BUFFER_POOL_LOSSY
}; /* the second only if lossy frames have their own */

/* Sets the size of a cell, 1..65535 bytes. */
void buffer_set_cell(struct buffer *buffer, int64_t bytes);

/* Cells that a frame takes: bytes / cell, rounded up; exact for frames of up to 65535 bytes. */
static inline uint32_t buffer_cells(const struct buffer *buffer, uint32_t bytes)
{
    return (uint32_t)((bytes * buffer->cell_scale + buffer->cell_bias) >> 40);
}

static inline int64_t buffer_bytes(const struct buffer *buffer, int64_t cells)
{
    return cells * buffer->cell;
}

/* Works out what is ample, once sizes, limits and the groups are known. */
void buffer_reckon_ample(struct buffer *buffer);

/* True when a group can take that much without coming near a threshold; false says nothing. */
static inline bool buffer_is_ample(const struct buffer_group *group, uint32_t cells)
{
    return group->used + cells < group->ample;
}

/* What is above the reserved room. */
static inline uint32_t buffer_above(uint32_t used, uint32_t reserved)
{
    return used > reserved ? used - reserved : 0;
}

/* How many of `cells` on top of `below` lie above the reserved room. */
static inline uint32_t buffer_share(uint32_t below, uint32_t reserved, uint32_t cells)
{
    return LIKELY(below >= reserved) ? cells : buffer_above(below + cells, reserved);
}

/* For a pool that has come above what it watches. */
NOINLINE void buffer_pool_grown(struct buffer *buffer, struct buffer_pool *pool, uint32_t cells);

/* A pool may have come above what it watches; `cells` more are in it only for a moment. */
static inline void buffer_note_pool(struct buffer *buffer, struct buffer_pool *pool, uint32_t cells)
{
    const uint32_t used = pool->shared_used + cells;
    if (UNLIKELY(used > pool->half))
        buffer_pool_grown(buffer, pool, cells);
    else if (used > pool->watch)
        pool->shared_peak = pool->watch = used;
}

/* Notes what a frame that goes through adds for a moment: to the peak of the whole memory only with
 * that of its pool. */
static inline void buffer_note_pass(struct buffer *buffer, struct buffer_group *group,
                                    uint32_t cells)
{
    struct buffer_pool *pool = group->pool;
    if (UNLIKELY(group->used + cells > group->used_peak))
        group->used_peak = group->used + cells;
    if (UNLIKELY(pool->shared_used + cells > pool->watch)) {
        if (buffer->used + cells > buffer->used_peak)
            buffer->used_peak = buffer->used + cells;
        buffer_note_pool(buffer, pool, buffer_share(group->used, group->reserved, cells));
    }
}

/* True when a frame may go through at once: it would be admitted, pause nobody, and leave all as it
 * was when its room is given back.  Only the peaks know that it was here.  False says nothing: ask
 * buffer_admit. */
static inline bool buffer_pass(struct buffer *buffer, struct buffer_group *group, uint32_t cells)
{
    if (UNLIKELY(!buffer_is_ample(group, cells)))
        return false;
    buffer_note_pass(buffer, group, cells);
    return true;
}

enum buffer_verdict { BUFFER_ADMIT, BUFFER_ADMIT_XOFF, BUFFER_REFUSE };

/* The parts of buffer_admit and buffer_release for a group that is not far from its threshold, or
 * whose policy is asked for every frame.  The first decides XOFF, the second XON. */
enum buffer_verdict buffer_admit_asked(struct buffer *buffer, struct buffer_group *group,
                                       uint32_t cells, time_ps now);
NOINLINE bool buffer_release_near(struct buffer *buffer, struct buffer_group *group, uint32_t cells,
                                  time_ps now);

static inline void buffer_charge(struct buffer *buffer, struct buffer_group *group, uint32_t cells)
{
    struct buffer_pool *pool = group->pool;
    pool->shared_used += buffer_share(group->used, group->reserved, cells);
    group->used += cells;
    buffer->used += cells;
    if (group->used > group->used_peak)
        group->used_peak = group->used;
    if (buffer->used > buffer->used_peak)
        buffer->used_peak = buffer->used;
    if (UNLIKELY(pool->shared_used > pool->watch))
        buffer_note_pool(buffer, pool, 0);
}

static inline void buffer_discharge(struct buffer *buffer, struct buffer_group *group,
                                    uint32_t cells)
{
    group->used -= cells;
    group->pool->shared_used -= buffer_share(group->used, group->reserved, cells);
    buffer->used -= cells;
}

/* Charges a frame to its group; XOFF: the threshold was reached by this frame. */
static inline enum buffer_verdict buffer_admit(struct buffer *buffer, struct buffer_group *group,
                                               uint32_t cells, time_ps now)
{
    if (UNLIKELY(!buffer_is_ample(group, cells)))
        return buffer_admit_asked(buffer, group, cells, now);
    buffer_charge(buffer, group, cells);
    return BUFFER_ADMIT;
}

/* Gives a frame's room back; true: XON is due. */
static inline bool buffer_release(struct buffer *buffer, struct buffer_group *group, uint32_t cells,
                                  time_ps now)
{
    if (UNLIKELY(group->ample == 0))
        return buffer_release_near(buffer, group, cells, now);
    buffer_discharge(buffer, group, cells);
    return false;
}

/* A group's share of its pool, and how much it may be just now. */
static inline uint32_t buffer_group_share(const struct buffer_group *group)
{
    return buffer_above(group->used, group->reserved);
}

int64_t buffer_group_threshold(const struct buffer *buffer, const struct buffer_group *group);

/* By how much it sinks for each cell that the pool loses, in ppm: exact where it is proportional to
 * what is free. */
int64_t buffer_group_slope(const struct buffer *buffer, const struct buffer_group *group);

/* May the lossy queue, which holds `queued` cells, take a frame?  Then its threshold counts only
 * for what is above its reserved room. */
bool buffer_queue_admits(const struct buffer *buffer, struct buffer_place queue, uint32_t queued,
                         uint32_t cells);
int64_t buffer_queue_threshold(const struct buffer *buffer, struct buffer_place queue);

/* A lossy queue has grown by a frame on top of `below` cells, or has shrunk to them. */
void buffer_queue_grown(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                        uint32_t cells, time_ps now);
void buffer_queue_shrunk(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                         uint32_t cells, time_ps now);

/* Cells that a group holds, wherever they lie. */
static inline int64_t buffer_held(const struct buffer_group *group)
{
    return (int64_t)group->used + group->headroom_used;
}

/* Cells that a group or a queue holds. */
static inline int64_t buffer_place_held(const struct buffer *view, struct buffer_place place)
{
    return place.egress ? (int64_t)view->ports[place.port].prios[place.priority].cells
                        : buffer_held(&view->groups[place.port * PRIORITIES + place.priority]);
}

/* What of its pool a group has when only `left` of its cells are left. */
uint32_t buffer_share_of_rest(const struct buffer_group *group, int64_t left);

/* True when XON might be due once `left` cells of the group are left, and `shared` cells of its
 * pool in use: it is, by a policy that looks at nothing else. */
bool buffer_rest_resumes(const struct buffer *buffer, const struct buffer_group *group,
                         int64_t left, int64_t shared);

void buffer_audit(const struct buffer *buffer);

#endif
