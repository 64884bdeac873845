/* SPDX-License-Identifier: Apache-2.0
 * buffer - a switch's shared packet memory, in cells.
 * Source: SAI saibuffer.h and SONiC's BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG and BUFFER_QUEUE for
 * the objects; IEEE 802.1Q-2018 annex N (headroom); dynamic thresholds: Choudhury and Hahne,
 * IEEE/ACM ToN 6(2), 1998.
 * A frame occupies whole cells. It is counted twice, as in the ASIC: in the group of its (ingress
 * port, priority), which may pause the sender, and in the queue of its (egress port, priority),
 * where a lossy frame may be dropped. It is counted from its arrival until its transmission begins,
 * because the egress pipeline reads it out faster than the wire sends it.
 *   memory = reserved for groups and queues + headroom + shared pool (lossless, lossy or common)
 * Groups, at ingress
 *   - Reserved space is used first; then the pool, while the group's share of it is below a
 *     threshold (the frame that reaches it still fits, and triggers XOFF); then headroom; then the
 *     frame is dropped. Space is released in the reverse order.
 *   - Headroom is the group's own, or a share of a pool common to all groups. It takes whole
 *     frames, so that its limit is exact. A lossy group has none.
 *   - XON is sent when headroom is empty and the share is at most max(xon, threshold - xon_offset):
 *     SAI's XON_TH and XON_OFFSET_TH.
 * Queues, at egress
 *   - A lossy queue has reserved space, and a share of the egress lossy pool below a threshold.
 *   - A lossless queue has no limit or a fixed one: lossless frames are limited by their groups.
 * A policy (below) computes the threshold. Not modeled: descriptors, limits per port, multicast.
 * Owner: the switch. Units: cells internally, bytes in parameters and reports; at most INT32_MAX
 * cells. */
#ifndef STORMGLASS_NET_SWITCH_BUFFER_H
#define STORMGLASS_NET_SWITCH_BUFFER_H

#include "base/opt.h"
#include "base/units.h"
#include "net/port/port.h"

#include <stdalign.h>

enum { BUFFER_UNLIMITED = -1 }; /* instead of an alpha: limited only by the size of the pool */

/* ------------------------------------------------------------------ policies */

struct buffer;

/* A group, or a lossy queue, whose share of a pool has a threshold. */
struct buffer_place {
    uint16_t port;
    uint8_t priority;
    bool egress; /* a queue, not a group */
};

/* How shared memory is divided: one file, net/switch/buffer_<stem>.c, that ends with this table,
 * and one line of buffer.def; a scenario selects it by the stem. To write another, start from
 * buffer_dynamic; buffer_static has a parameter of its own, and buffer_abm uses the state of the
 * whole switch.
 *
 * `view` is the read-only state of memory and ports of a switch: pools, groups, queues (the prios
 * of `ports`), rates, and the policy's own params and `state`.
 *
 * A policy can rely on:
 *   - alpha is the weight that the scenario gives the place, in ppm, and never BUFFER_UNLIMITED:
 *     such a place has no threshold, and the policy is not consulted for it;
 *   - limits other than the threshold are handled elsewhere: reserved space, the size of the pool,
 *     headroom, XON (derived from the threshold by xon and xon-offset).
 * A policy must provide:
 *   - a threshold >= 0 that is a function of the view. It is computed at any time, also for
 *     observers and for values of `idle` that are not the pool's present one ("if so much were
 *     free"). No variables of its own, no allocation, no floating point, no clock but `now`;
 *   - by_idle only if true, because then the policy is not consulted for most frames. */
struct buffer_policy {
    const char *about, *source;
    const struct opt *opts; /* parameters of the policy, whose names begin with its stem; NULL:
                             * none */
    size_t params_bytes;    /* size of the struct that they fill, at most BUFFER_PARAMS_MAX */

    /* The threshold depends only on alpha, idle and params, and never rises as idle falls. Frames
     * that find ample space then pass without consulting the policy. False: this fast path is
     * disabled, and the policy is consulted for every frame. */
    bool by_idle;
    bool fixed;  /* the threshold is constant: it cannot fall below a group's occupancy */
    bool queues; /* it also defines the threshold of lossy queues; false: they get alpha times
                  * the free cells */

    /* Maximum cells of its pool that a place may use while `idle` of them are free. */
    int64_t (*threshold)(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle);

    /* Upper bound of the threshold while `idle` cells are free, whatever else changes. NULL if
     * by_idle: equal to the threshold. */
    int64_t (*most)(const struct buffer *view, struct buffer_place place, int64_t alpha,
                    int64_t idle);

    /* For `check`, in bytes: the occupancy of each of `busy` groups when all fill `shared` bytes as
     * far as their thresholds allow. */
    int64_t (*settled)(const void *params, int64_t alpha, int64_t shared, int64_t busy);

    /* ---- for policies that depend on more than idle; all may be NULL, and are if by_idle ---- */

    /* Size of view->state for that many groups and as many queues; initially zeros. */
    size_t (*state_bytes)(uint32_t groups);

    /* `cells` cells came to the place, or left it (below 0); the view already includes them. */
    void (*moved)(void *state, const struct buffer *view, struct buffer_place place, int64_t cells,
                  time_ps now);

    void (*audit)(const struct buffer *view); /* CHECKs the state. */
};

enum { BUFFER_PARAMS_MAX = 128, BUFFER_POLICIES_MAX = 8 };

/* Policies in the order of buffer.def; only indices into these arrays depend on it. buffer_kinds.h
 * counts them and declares each by name. */
extern const struct buffer_policy *const buffer_policies[];
extern const char *const buffer_policy_names[];

/* ------------------------------------------------------------------ packet memory */

/* A part of the memory that groups share. */
struct buffer_pool {
    uint32_t shared_used, shared_peak;
    uint32_t watch;      /* cells above which buffer_note_pool has work: a new peak, or the pool
                     * becomes tight */
    uint32_t size, half; /* cells; half of `size` */
    bool tight;          /* about half full: the ample limit of its groups is 0 */
};

struct buffer_group {
    alignas(64) struct buffer_pool *pool;
    uint32_t *waiting; /* its queued cells, by egress port; kept by the owner */
    uint32_t used;     /* cells without headroom; what exceeds `reserved` is its share of the
                        * pool */
    uint32_t used_peak;
    /* Below `ample` the share is certainly below the threshold. It is 0 while headroom is in use,
     * the peer is paused or a pool is tight, and ample_at_ease otherwise. */
    uint32_t ample, ample_at_ease;
    uint32_t reserved;
    uint32_t headroom, headroom_used; /* limit and cells in use */
    uint32_t headroom_peak;
    uint64_t dropped; /* frames */
    struct buffer_place place;
    bool lossless; /* pauses its sender; has headroom, possibly 0 */
    bool xoff;
};

/* All lossy queues, at egress. */
struct buffer_egress {
    int64_t alpha; /* ppm; or BUFFER_UNLIMITED */
    uint32_t size; /* cells of the egress lossy pool */
    uint32_t used, peak;
    uint32_t reserved; /* cells per lossy queue */
    uint32_t tight_above;
    bool tight; /* nearly full: every lossy frame needs the full admission check */
};

struct buffer {
    /* touched by every frame */
    struct buffer_group *groups; /* indexed by port * PRIORITIES + priority */
    uint64_t cell_scale, cell_bias;
    uint32_t used, used_peak;
    uint32_t queue_limit; /* cells of a lossless queue; UINT32_MAX: no limit */
    uint32_t cell;        /* bytes */
    struct buffer_pool pools[2];

    struct buffer_egress egress;
    const struct buffer_policy *policy;
    const void *params;       /* parameters of the policy */
    void *state;              /* state of the policy; NULL: none */
    const struct port *ports; /* ports of the switch */
    int64_t alpha[2];         /* ppm, for lossy and lossless groups; or BUFFER_UNLIMITED */
    int64_t xon, xon_offset;
    uint32_t total, group_count;
    uint32_t headroom_size; /* total of all groups, cells */
    uint32_t headroom_used, headroom_used_peak;
    uint32_t headroom_peak; /* maximum of a single group, cells */
};

enum {
    BUFFER_POOL_LOSSLESS,
    BUFFER_POOL_LOSSY
}; /* the second exists only if lossy frames have a pool of their own */

/* Sets the size of a cell, 1..65535 bytes. */
void buffer_set_cell(struct buffer *buffer, int64_t bytes);

/* Cells of a frame: bytes / cell, rounded up; exact for frames of up to 65535 bytes. */
static inline uint32_t buffer_cells(const struct buffer *buffer, uint32_t bytes)
{
    return (uint32_t)((bytes * buffer->cell_scale + buffer->cell_bias) >> 40);
}

static inline int64_t buffer_bytes(const struct buffer *buffer, int64_t cells)
{
    return cells * buffer->cell;
}

/* Computes the ample limits, once sizes, limits and groups are known. */
void buffer_reckon_ample(struct buffer *buffer);

/* True when a group can take that many cells and certainly stay below its threshold; false is
 * inconclusive. */
static inline bool buffer_is_ample(const struct buffer_group *group, uint32_t cells)
{
    return group->used + cells < group->ample;
}

/* The part above the reserved space. */
static inline uint32_t buffer_above(uint32_t used, uint32_t reserved)
{
    return used > reserved ? used - reserved : 0;
}

/* How many of `cells`, added to `below`, are above the reserved space. */
static inline uint32_t buffer_share(uint32_t below, uint32_t reserved, uint32_t cells)
{
    return LIKELY(below >= reserved) ? cells : buffer_above(below + cells, reserved);
}

/* Slow path of buffer_note_pool. */
NOINLINE void buffer_pool_grown(struct buffer *buffer, struct buffer_pool *pool, uint32_t cells);

/* Updates peak and state of a pool that may have risen above `watch`; `cells` more are in it only
 * momentarily. */
static inline void buffer_note_pool(struct buffer *buffer, struct buffer_pool *pool, uint32_t cells)
{
    const uint32_t used = pool->shared_used + cells;
    if (UNLIKELY(used > pool->half))
        buffer_pool_grown(buffer, pool, cells);
    else if (used > pool->watch)
        pool->shared_peak = pool->watch = used;
}

/* Records the momentary use by a frame that passes through: the peak of the whole memory is updated
 * only when that of the pool may be. */
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

/* True when a frame may pass through at once: it would be admitted, pause no sender, and leave the
 * state unchanged after its release; only the peaks record it. False is inconclusive: call
 * buffer_admit. */
static inline bool buffer_pass(struct buffer *buffer, struct buffer_group *group, uint32_t cells)
{
    if (UNLIKELY(!buffer_is_ample(group, cells)))
        return false;
    buffer_note_pass(buffer, group, cells);
    return true;
}

enum buffer_verdict { BUFFER_ADMIT, BUFFER_ADMIT_XOFF, BUFFER_REFUSE };

/* Slow paths of buffer_admit and buffer_release, for a group that may be near its threshold or
 * whose policy is consulted for every frame. The first decides XOFF, the second XON. */
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

/* Charges a frame to its group; XOFF: this frame reached the threshold. */
static inline enum buffer_verdict buffer_admit(struct buffer *buffer, struct buffer_group *group,
                                               uint32_t cells, time_ps now)
{
    if (UNLIKELY(!buffer_is_ample(group, cells)))
        return buffer_admit_asked(buffer, group, cells, now);
    buffer_charge(buffer, group, cells);
    return BUFFER_ADMIT;
}

/* Releases the space of a frame; true: XON is due. */
static inline bool buffer_release(struct buffer *buffer, struct buffer_group *group, uint32_t cells,
                                  time_ps now)
{
    if (UNLIKELY(group->ample == 0))
        return buffer_release_near(buffer, group, cells, now);
    buffer_discharge(buffer, group, cells);
    return false;
}

/* A group's share of its pool, and its present threshold, in cells. */
static inline uint32_t buffer_group_share(const struct buffer_group *group)
{
    return buffer_above(group->used, group->reserved);
}

int64_t buffer_group_threshold(const struct buffer *buffer, const struct buffer_group *group);

/* Decrease of the threshold per cell that the pool loses, in ppm: exact where the threshold is
 * proportional to the free cells. */
int64_t buffer_group_slope(const struct buffer *buffer, const struct buffer_group *group);

/* Whether a lossy queue of `queued` cells may accept a frame. The threshold applies only to the
 * part above the reserved space. */
bool buffer_queue_admits(const struct buffer *buffer, struct buffer_place queue, uint32_t queued,
                         uint32_t cells);
int64_t buffer_queue_threshold(const struct buffer *buffer, struct buffer_place queue);

/* Notifies that a lossy queue has grown by a frame on top of `below` cells, or has shrunk to
 * `below`. */
void buffer_queue_grown(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                        uint32_t cells, time_ps now);
void buffer_queue_shrunk(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                         uint32_t cells, time_ps now);

/* Cells of a group, including headroom. */
static inline int64_t buffer_held(const struct buffer_group *group)
{
    return (int64_t)group->used + group->headroom_used;
}

/* Cells of a group or a queue. */
static inline int64_t buffer_place_held(const struct buffer *view, struct buffer_place place)
{
    return place.egress ? (int64_t)view->ports[place.port].prios[place.priority].cells
                        : buffer_held(&view->groups[place.port * PRIORITIES + place.priority]);
}

/* The share of its pool that a group would have with only `left` of its cells left. */
uint32_t buffer_share_of_rest(const struct buffer_group *group, int64_t left);

/* True when XON could be due with `left` cells of the group left and `shared` cells of its pool in
 * use; exact for a policy that depends on nothing else. */
bool buffer_rest_resumes(const struct buffer *buffer, const struct buffer_group *group,
                         int64_t left, int64_t shared);

void buffer_audit(const struct buffer *buffer);

#endif
