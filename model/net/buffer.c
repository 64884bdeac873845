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

static void charge(struct buffer *buffer, struct buffer_group *group, int64_t reserved,
                   int64_t shared)
{
    group->reserved_used += reserved;
    group->shared_used += shared;
    buffer->shared_used += shared;
    if (buffer->shared_used > buffer->shared_peak)
        buffer->shared_peak = buffer->shared_used;
}

static bool take_headroom(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    if (group->headroom_used + bytes > group->headroom)
        return false;
    group->headroom_used += bytes;
    if (group->headroom_used > buffer->headroom_peak)
        buffer->headroom_peak = group->headroom_used;
    return true;
}

enum buffer_verdict buffer_admit(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    const bool lossless = group->headroom > 0;
    const int64_t alpha = lossless ? buffer->alpha_lossless : buffer->alpha_lossy;
    const int64_t threshold = buffer->policy->threshold(buffer, alpha);
    const int64_t reserved = least(buffer->reserved - group->reserved_used, bytes);
    const int64_t shared = bytes - reserved;
    const bool fits = group->headroom_used == 0 &&
                      (shared == 0 || (group->shared_used < threshold &&
                                       buffer->shared_used + shared <= buffer->shared_size));
    if (LIKELY(fits))
        charge(buffer, group, reserved, shared);
    else if (!take_headroom(buffer, group, bytes))
        return BUFFER_REFUSE;
    buffer->used += bytes;
    if (buffer->used > buffer->used_peak)
        buffer->used_peak = buffer->used;
    const bool full = group->headroom_used > 0 || (shared > 0 && group->shared_used >= threshold);
    if (LIKELY(!lossless || group->xoff || !full))
        return BUFFER_ADMIT;
    group->xoff = true;
    return BUFFER_ADMIT_XOFF;
}

bool buffer_release(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    buffer->used -= bytes;
    const int64_t headroom = least(group->headroom_used, bytes);
    const int64_t shared = least(group->shared_used, bytes - headroom);
    group->headroom_used -= headroom;
    group->shared_used -= shared;
    group->reserved_used -= bytes - headroom - shared;
    buffer->shared_used -= shared;
    if (LIKELY(!group->xoff) || group->headroom_used > 0)
        return false;
    const int64_t resume = buffer_threshold(buffer) - buffer->xon_offset;
    if (group->shared_used > (resume > 0 ? resume : 0))
        return false;
    group->xoff = false;
    return true;
}

void buffer_audit(const struct buffer *buffer)
{
    int64_t shared = 0, used = 0;
    for (uint32_t i = 0; i < buffer->group_count; i++) {
        const struct buffer_group *group = &buffer->groups[i];
        CHECK(group->reserved_used >= 0 && group->reserved_used <= buffer->reserved);
        CHECK(group->shared_used >= 0);
        CHECK(group->headroom_used >= 0 && group->headroom_used <= group->headroom);
        CHECK(!group->xoff || group->headroom > 0);
        shared += group->shared_used;
        used += group->reserved_used + group->shared_used + group->headroom_used;
    }
    CHECK(shared == buffer->shared_used);
    CHECK(shared <= buffer->shared_size);
    CHECK(used == buffer->used && used <= buffer->total);
}
