/* SPDX-License-Identifier: Apache-2.0
 * buffer - admission and release.
 * Most frames find ample space, and the inline functions of the header are sufficient for them. The
 * ample limits are computed once for a half-full pool: thresholds never rise as the pool fills, so
 * at lower occupancy they are at least as high. */
#include "net/switch/buffer_kinds.h"

#include "base/numbers.h"

#include <stddef.h>

/* ------------------------------------------------------------------ policies */

const struct buffer_policy *const buffer_policies[BUFFER_POLICIES] = {
#define POLICY(stem) &buffer_##stem,
#include "net/switch/buffer.def"
#undef POLICY
};

const char *const buffer_policy_names[BUFFER_POLICIES] = {
#define POLICY(stem) #stem,
#include "net/switch/buffer.def"
#undef POLICY
};

/* ------------------------------------------------------------------ cells */

/* ceil(n / c) = floor((n + c - 1) / c) = (n + c - 1) * ceil(2^40 / c) >> 40: the scale is too large
 * by less than c/2^40 of itself, which for (n + c - 1) < 2^17 cannot reach the next 1/c. */
void buffer_set_cell(struct buffer *buffer, int64_t bytes)
{
    CHECK(bytes >= 1 && bytes <= UINT16_MAX);
    buffer->cell = (uint32_t)bytes;
    buffer->cell_scale = ((UINT64_C(1) << 40) + (uint64_t)bytes - 1) / (uint64_t)bytes;
    buffer->cell_bias = (uint64_t)(bytes - 1) * buffer->cell_scale;
}

static uint32_t least(int64_t a, int64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* ------------------------------------------------------------------ thresholds */

/* Threshold when `idle` cells of its pool are free. */
static int64_t threshold_at(const struct buffer *buffer, const struct buffer_group *group,
                            int64_t idle)
{
    const int64_t alpha = buffer->alpha[group->lossless];
    return alpha == BUFFER_UNLIMITED ? INT32_MAX
                                     : buffer->policy->threshold(buffer, group->place, alpha, idle);
}

/* Upper bound of the threshold. */
static int64_t most_at(const struct buffer *buffer, const struct buffer_group *group, int64_t idle)
{
    const int64_t alpha = buffer->alpha[group->lossless];
    return alpha == BUFFER_UNLIMITED || buffer->policy->most == NULL
               ? threshold_at(buffer, group, idle)
               : buffer->policy->most(buffer, group->place, alpha, idle);
}

int64_t buffer_group_threshold(const struct buffer *buffer, const struct buffer_group *group)
{
    const struct buffer_pool *pool = group->pool;
    return threshold_at(buffer, group, (int64_t)pool->size - pool->shared_used);
}

int64_t buffer_group_slope(const struct buffer *buffer, const struct buffer_group *group)
{
    return threshold_at(buffer, group, PPM) - threshold_at(buffer, group, 0);
}

/* In most cases the free part of the pool is shared dynamically, whatever the policy of the
 * groups. */
static int64_t queue_threshold_at(const struct buffer *buffer, struct buffer_place queue,
                                  int64_t idle)
{
    const int64_t alpha = buffer->egress.alpha;
    if (alpha == BUFFER_UNLIMITED)
        return INT32_MAX;
    return buffer->policy->queues ? buffer->policy->threshold(buffer, queue, alpha, idle)
                                  : idle * alpha / PPM; /* fits: 2^31 * 2^27 */
}

int64_t buffer_queue_threshold(const struct buffer *buffer, struct buffer_place queue)
{
    return queue_threshold_at(buffer, queue, (int64_t)buffer->egress.size - buffer->egress.used);
}

/* Notifies a policy that tracks cells. */
static inline void notify_policy(struct buffer *buffer, struct buffer_place place, int64_t cells,
                                 time_ps now)
{
    if (UNLIKELY(buffer->policy->moved != NULL))
        buffer->policy->moved(buffer->state, buffer, place, cells, now);
}

/* ------------------------------------------------------------------ ample space */

static void set_ample(const struct buffer *buffer, struct buffer_group *group)
{
    const bool never = group->headroom_used > 0 || group->xoff || group->pool->tight ||
                       (!group->lossless && buffer->egress.tight);
    group->ample = never ? 0 : group->ample_at_ease;
}

static void set_all_ample(struct buffer *buffer)
{
    for (uint32_t i = 0; i < buffer->group_count; i++)
        set_ample(buffer, &buffer->groups[i]);
}

/* A pool is tight from more than half full until the used part has fallen by a sixteenth of the
 * pool, so that many cells are moved between two updates of all groups. */
static void set_tight(struct buffer *buffer, struct buffer_pool *pool, bool tight)
{
    pool->tight = tight;
    pool->watch = tight ? pool->shared_peak : least(pool->shared_peak, pool->half);
    set_all_ample(buffer);
}

void buffer_pool_grown(struct buffer *buffer, struct buffer_pool *pool, uint32_t cells)
{
    pool->shared_peak = max_u32(pool->shared_peak, pool->shared_used + cells);
    if (pool->tight)
        pool->watch = pool->shared_peak;
    else if (pool->shared_used > pool->half)
        set_tight(buffer, pool, true);
    else
        pool->watch = least(pool->shared_peak, pool->half);
}

static void pool_shrunk(struct buffer *buffer, struct buffer_pool *pool)
{
    if (pool->tight && pool->shared_used <= pool->half - pool->size / 16)
        set_tight(buffer, pool, false);
}

/* A frame that passes finds an empty queue: it needs only a threshold above 0 and space. */
static void update_egress_ample(struct buffer *buffer)
{
    struct buffer_egress *egress = &buffer->egress;
    const uint32_t half = egress->size / 2;
    const struct buffer_place any = {.egress = true};
    const bool roomy = buffer->policy->by_idle && half >= buffer_cells(buffer, UINT16_MAX) &&
                       queue_threshold_at(buffer, any, (int64_t)egress->size - half) > 0;
    egress->tight_above = roomy ? half : 0;
    egress->tight = !roomy;
}

/* While no pool is tight, the largest frame fits. Without by_idle nothing is ample: the policy is
 * consulted for each frame, and notified of each change. */
static void update_group_ample(const struct buffer *buffer, struct buffer_group *group)
{
    const struct buffer_pool *pool = group->pool;
    const int64_t half = pool->half;
    const bool roomy = buffer->policy->by_idle && half >= buffer_cells(buffer, UINT16_MAX);
    const int64_t threshold =
        threshold_at(buffer, group, pool->size - half - buffer_cells(buffer, UINT16_MAX));
    group->ample_at_ease = roomy ? least(group->reserved + threshold, INT32_MAX) : 0;
    set_ample(buffer, group);
}

void buffer_reckon_ample(struct buffer *buffer)
{
    const struct buffer_policy *policy = buffer->policy;
    CHECK(!policy->by_idle || (policy->most == NULL && policy->moved == NULL));
    CHECK(policy->by_idle || !policy->fixed);
    CHECK((policy->state_bytes == NULL) == (buffer->state == NULL));
    for (unsigned i = 0; i < 2; i++)
        buffer->pools[i].half = buffer->pools[i].size / 2;
    update_egress_ample(buffer);
    for (uint32_t i = 0; i < buffer->group_count; i++)
        update_group_ample(buffer, &buffer->groups[i]);
}

/* ------------------------------------------------------------------ groups */

static bool take_headroom(struct buffer *buffer, struct buffer_group *group, uint32_t cells)
{
    if (group->headroom_used + cells > group->headroom ||
        buffer->headroom_used + cells > buffer->headroom_size)
        return false;
    CHECK(group->lossless && buffer->headroom_used <= buffer->headroom_size);
    group->ample = 0;
    group->headroom_used += cells;
    buffer->headroom_used += cells;
    buffer->used += cells;
    buffer->used_peak = max_u32(buffer->used_peak, buffer->used);
    group->headroom_peak = max_u32(group->headroom_peak, group->headroom_used);
    buffer->headroom_peak = max_u32(buffer->headroom_peak, group->headroom_used);
    buffer->headroom_used_peak = max_u32(buffer->headroom_used_peak, buffer->headroom_used);
    return true;
}

enum buffer_verdict buffer_admit_asked(struct buffer *buffer, struct buffer_group *group,
                                       uint32_t cells, time_ps now)
{
    const int64_t threshold = buffer_group_threshold(buffer, group);
    const uint32_t share = buffer_share(group->used, group->reserved, cells);
    const bool fits = group->headroom_used == 0 &&
                      (share == 0 || (buffer_group_share(group) < threshold &&
                                      group->pool->shared_used + share <= group->pool->size));
    if (fits) {
        buffer_charge(buffer, group, cells);
    } else if (!take_headroom(buffer, group, cells)) {
        group->dropped++;
        return BUFFER_REFUSE;
    }
    notify_policy(buffer, group->place, cells, now);
    const bool full =
        group->headroom_used > 0 || (share > 0 && buffer_group_share(group) >= threshold);
    if (LIKELY(!full) || !group->lossless || group->xoff)
        return BUFFER_ADMIT;
    group->xoff = true;
    group->ample = 0;
    return BUFFER_ADMIT_XOFF;
}

/* The share at or below which the sender may resume. */
static int64_t resume_at(const struct buffer *buffer, int64_t threshold)
{
    const int64_t below = threshold - buffer->xon_offset;
    return below > buffer->xon ? below : buffer->xon;
}

static bool may_go_on(const struct buffer *buffer, const struct buffer_group *group)
{
    const int64_t threshold = buffer_group_threshold(buffer, group);
    return group->headroom_used == 0 && buffer_group_share(group) <= resume_at(buffer, threshold);
}

bool buffer_release_near(struct buffer *buffer, struct buffer_group *group, uint32_t cells,
                         time_ps now)
{
    CHECK(cells <= buffer_held(group));
    const uint32_t headroom = least(group->headroom_used, cells);
    group->headroom_used -= headroom;
    buffer->headroom_used -= headroom;
    buffer->used -= headroom;
    buffer_discharge(buffer, group, cells - headroom);
    notify_policy(buffer, group->place, -(int64_t)cells, now);
    const bool go_on = group->xoff && may_go_on(buffer, group);
    group->xoff = group->xoff && !go_on;
    pool_shrunk(buffer, group->pool);
    set_ample(buffer, group);
    return go_on;
}

uint32_t buffer_share_of_rest(const struct buffer_group *group, int64_t left)
{
    const int64_t shared = left - group->reserved;
    return shared < 0 ? 0 : least(shared, buffer_group_share(group));
}

bool buffer_rest_resumes(const struct buffer *buffer, const struct buffer_group *group,
                         int64_t left, int64_t shared)
{
    const int64_t threshold = most_at(buffer, group, group->pool->size - shared);
    return left <= group->used && buffer_share_of_rest(group, left) <= resume_at(buffer, threshold);
}

/* ------------------------------------------------------------------ lossy queues */

bool buffer_queue_admits(const struct buffer *buffer, struct buffer_place queue, uint32_t queued,
                         uint32_t cells)
{
    const struct buffer_egress *egress = &buffer->egress;
    const uint32_t share = buffer_share(queued, egress->reserved, cells);
    return share == 0 ||
           (buffer_above(queued, egress->reserved) < buffer_queue_threshold(buffer, queue) &&
            egress->used + share <= egress->size);
}

/* As for the pools of groups, but from half full to a quarter. */
static void set_egress_tight(struct buffer *buffer, bool tight)
{
    buffer->egress.tight = tight;
    set_all_ample(buffer);
}

void buffer_queue_grown(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                        uint32_t cells, time_ps now)
{
    struct buffer_egress *egress = &buffer->egress;
    egress->used += buffer_share(below, egress->reserved, cells);
    egress->peak = max_u32(egress->peak, egress->used);
    if (!egress->tight && egress->used > egress->tight_above)
        set_egress_tight(buffer, true);
    if (buffer->policy->queues)
        notify_policy(buffer, queue, cells, now);
}

void buffer_queue_shrunk(struct buffer *buffer, struct buffer_place queue, uint32_t below,
                         uint32_t cells, time_ps now)
{
    struct buffer_egress *egress = &buffer->egress;
    const uint32_t share = buffer_share(below, egress->reserved, cells);
    CHECK(share <= egress->used);
    egress->used -= share;
    if (egress->tight && egress->tight_above > 0 && egress->used <= egress->tight_above / 2)
        set_egress_tight(buffer, false);
    if (buffer->policy->queues)
        notify_policy(buffer, queue, -(int64_t)cells, now);
}

/* ------------------------------------------------------------------ audit */

static void audit_group(const struct buffer *buffer, const struct buffer_group *group)
{
    CHECK(group->headroom_used <= group->headroom);
    CHECK(group->used <= group->used_peak && group->headroom_used <= group->headroom_peak);
    CHECK(!group->xoff || group->lossless);
    CHECK(group->lossless || group->headroom == 0);
    const bool never = group->headroom_used > 0 || group->xoff || group->pool->tight ||
                       (!group->lossless && buffer->egress.tight);
    CHECK(group->ample == (never ? 0 : group->ample_at_ease));
    CHECK(group->ample == 0 || buffer->policy->by_idle);
    CHECK(&buffer->groups[group->place.port * PRIORITIES + group->place.priority] == group);
    CHECK(group->pool == &buffer->pools[0] || group->pool == &buffer->pools[1]);
}

/* Tight from above half until a sixteenth less is used. */
static void audit_pool(const struct buffer_pool *pool, uint64_t shared)
{
    CHECK(shared == pool->shared_used && shared <= pool->size && shared <= pool->shared_peak);
    CHECK(pool->tight ? shared > pool->half - pool->size / 16 : shared <= pool->half);
}

void buffer_audit(const struct buffer *buffer)
{
    uint64_t shared[2] = {0}, used = 0, headroom = 0;
    for (uint32_t i = 0; i < buffer->group_count; i++) {
        const struct buffer_group *group = &buffer->groups[i];
        audit_group(buffer, group);
        shared[group->pool - buffer->pools] += buffer_group_share(group);
        used += group->used;
        headroom += group->headroom_used;
    }
    for (unsigned i = 0; i < 2; i++)
        audit_pool(&buffer->pools[i], shared[i]);
    CHECK(headroom == buffer->headroom_used && headroom <= buffer->headroom_size);
    CHECK(used + headroom == buffer->used && buffer->used <= buffer->total);
    CHECK(buffer->used <= buffer->used_peak);
    CHECK(buffer->egress.used <= buffer->egress.size);
    if (buffer->policy->audit != NULL)
        buffer->policy->audit(buffer);
}
