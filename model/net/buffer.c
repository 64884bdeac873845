/* SPDX-License-Identifier: Apache-2.0
 * buffer - admission and release.
 * A group's bytes lie in three places that fill in the order reserved, shared, headroom
 * and empty in the reverse order, as the ASIC's counters do.  A frame may be split between reserved
 * and shared; headroom takes whole frames, so that its limit is exact. */
#include "net/buffer.h"

#include <stddef.h>

const struct buffer_policy *const buffer_policies[] = {
#define POLICY(stem) &buffer_##stem,
#include "net/buffer.def"
#undef POLICY
    NULL,
};

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool take_headroom(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    if (group->headroom_used + bytes > group->headroom)
        return false;
    group->headroom_used += (uint32_t)bytes;
    if (group->headroom_used > buffer->headroom_peak)
        buffer->headroom_peak = group->headroom_used;
    buffer->used += bytes;
    buffer_note_peaks(buffer, buffer->used, buffer->shared_used);
    return true;
}

static int64_t threshold_of(const struct buffer *buffer, const struct buffer_group *group)
{
    return buffer->policy->threshold(buffer, group->lossless ? buffer->alpha_lossless
                                                             : buffer->alpha_lossy);
}

static void set_ample(struct buffer_group *group)
{
    group->ample = group->headroom_used > 0 || group->xoff ? 0 : group->ample_at_ease;
}

enum buffer_verdict buffer_admit_near(struct buffer *buffer, struct buffer_group *group,
                                      int64_t bytes)
{
    const int64_t threshold = threshold_of(buffer, group);
    const int64_t shared = buffer_share(buffer, group, bytes);
    const bool fits = group->headroom_used == 0 &&
                      (shared == 0 || (group->shared_used < threshold &&
                                       buffer->shared_used + shared <= buffer->shared_size));
    if (fits)
        buffer_charge(buffer, group, bytes, shared);
    else if (!take_headroom(buffer, group, bytes))
        return BUFFER_REFUSE;
    const bool full = group->headroom_used > 0 || (shared > 0 && group->shared_used >= threshold);
    const bool pause = group->lossless && full && !group->xoff;
    group->xoff |= pause;
    set_ample(group);
    return pause ? BUFFER_ADMIT_XOFF : BUFFER_ADMIT;
}

bool buffer_release_near(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    buffer->used -= bytes;
    const int64_t headroom = least(group->headroom_used, bytes);
    const int64_t shared = least(group->shared_used, bytes - headroom);
    group->headroom_used -= (uint32_t)headroom;
    group->shared_used -= shared;
    group->reserved_used -= (uint32_t)(bytes - headroom - shared);
    buffer->shared_used -= shared;
    const int64_t resume = buffer_threshold(buffer) - buffer->xon_offset;
    const bool go_on =
        group->xoff && group->headroom_used == 0 && group->shared_used <= (resume > 0 ? resume : 0);
    group->xoff = group->xoff && !go_on;
    set_ample(group);
    return go_on;
}

int64_t buffer_share_of_rest(const struct buffer_group *group, int64_t left)
{
    const int64_t shared = left - group->reserved_used;
    return shared < 0 ? 0 : least(shared, group->shared_used);
}

bool buffer_rest_resumes(const struct buffer *buffer, const struct buffer_group *group,
                         int64_t left, int64_t shared)
{
    struct buffer then = *buffer;
    then.shared_used = shared;
    const int64_t resume = buffer_threshold(&then) - buffer->xon_offset;
    const int64_t no_headroom = (int64_t)group->reserved_used + group->shared_used;
    return left <= no_headroom && buffer_share_of_rest(group, left) <= (resume > 0 ? resume : 0);
}

/* Thresholds fall as the shared memory fills: where it is half full, they are no higher than
 * anywhere below.  A frame more then fits too. */
void buffer_reckon_ample(struct buffer *buffer)
{
    struct buffer half = *buffer;
    half.shared_used = buffer->shared_size / 2;
    buffer->ample_used = half.shared_used > UINT16_MAX ? half.shared_used : -1;
    for (uint32_t i = 0; i < buffer->group_count; i++) {
        struct buffer_group *group = &buffer->groups[i];
        group->ample_at_ease = (uint32_t)least(threshold_of(&half, group), UINT32_MAX);
        set_ample(group);
    }
}

void buffer_audit(const struct buffer *buffer)
{
    int64_t shared = 0, used = 0;
    for (uint32_t i = 0; i < buffer->group_count; i++) {
        const struct buffer_group *group = &buffer->groups[i];
        CHECK(group->reserved_used <= buffer->reserved);
        CHECK(group->shared_used >= 0);
        CHECK(group->headroom_used <= group->headroom);
        CHECK(!group->xoff || group->lossless);
        CHECK(group->lossless || group->headroom == 0);
        CHECK(group->ample == 0 || (group->headroom_used == 0 && !group->xoff));
        shared += group->shared_used;
        used += group->reserved_used + group->shared_used + group->headroom_used;
    }
    CHECK(shared == buffer->shared_used);
    CHECK(shared <= buffer->shared_size);
    CHECK(used == buffer->used && used <= buffer->total);
}
