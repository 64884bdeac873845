/* SPDX-License-Identifier: Apache-2.0
 * buffer - a switch's shared packet memory.
 * Source:  IEEE 802.1Q-2018 annex N (headroom); dynamic thresholds: Choudhury and Hahne, IEEE/ACM
 *          ToN 6(2), 1998; the carving: SONiC (BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG).
 *
 * The memory is cut into a reserved minimum for each (ingress port, priority) group, headroom for
 * each lossless group, and the shared rest.  A frame is charged to its group from arrival until its
 * transmission begins: the egress pipeline reads it out faster than the wire sends it.
 *   - Reserved room first; then shared room while the group's share is below the policy's threshold
 *     (the frame that reaches it still fits, and XOFF is sent for it); then headroom; then there is
 *     none and the frame is dropped.
 *   - A lossy frame has no headroom, and its egress queue must be below a threshold of its own.
 *   - XON when headroom is empty and the share is `xon_offset` below the threshold.
 * Not modelled: cells, shared headroom pools.  Owner: the switch.  Units: bytes. */
#ifndef STORMGLASS_NET_BUFFER_H
#define STORMGLASS_NET_BUFFER_H

#include "base/units.h"
#include "net/port.h"

#include <stdalign.h>

struct buffer;

struct buffer_group {
    alignas(32) int64_t shared_used;
    uint32_t reserved_used, headroom_used;
    uint32_t headroom; /* limit */
    /* Below it shared_used is below the threshold while buffer.shared_used <= ample_used.  0 while
     * headroom is in use or the peer paused; ample_at_ease is what it is at other times. */
    uint32_t ample, ample_at_ease;
    bool lossless; /* pauses its sender; has headroom, if only none */
    bool xoff;
};

/* How much of the shared memory one group or queue may have: never more when more of it is used. */
struct buffer_policy {
    const char *name, *about, *source;
    int64_t (*threshold)(const struct buffer *buffer, int64_t alpha_ppm);
};

#define POLICY(stem) extern const struct buffer_policy buffer_##stem;
#include "net/buffer.def"
#undef POLICY

extern const struct buffer_policy *const buffer_policies[]; /* NULL ends it */

struct buffer {
    /* what every frame touches */
    struct buffer_group *groups; /* port * PRIORITIES + priority */
    int64_t shared_used;
    int64_t ample_used; /* up to it groups have ample room, see above; -1: never */
    int64_t reserved;   /* for each group */
    int64_t used, used_peak, shared_peak;

    const struct buffer_policy *policy;
    int64_t total, shared_size;          /* of the memory, and of its shared part */
    int64_t alpha_lossless, alpha_lossy; /* ppm */
    int64_t static_threshold, xon_offset;
    int64_t headroom_peak;
    uint32_t group_count;
};

/* Works out what is ample, once size, policy and the groups' headroom are known. */
void buffer_reckon_ample(struct buffer *buffer);

/* True when a group can take that much of the shared memory without coming near a threshold; false
 * says nothing. */
static inline bool buffer_is_ample(const struct buffer *buffer, const struct buffer_group *group,
                                   int64_t bytes)
{
    return group->shared_used + bytes < group->ample && buffer->shared_used <= buffer->ample_used;
}

/* The part of `bytes` that the group's reserved room does not take. */
static inline int64_t buffer_share(const struct buffer *buffer, const struct buffer_group *group,
                                   int64_t bytes)
{
    const int64_t left = buffer->reserved - group->reserved_used;
    return left < bytes ? bytes - left : 0;
}

static inline void buffer_note_peaks(struct buffer *buffer, int64_t used, int64_t shared_used)
{
    if (UNLIKELY(used > buffer->used_peak))
        buffer->used_peak = used;
    if (UNLIKELY(shared_used > buffer->shared_peak))
        buffer->shared_peak = shared_used;
}

/* True when a frame may go through at once: it would be admitted, pause nobody, and leave all as it
 * was when its room is given back.  Only the peaks know that it was here.  False says nothing: ask
 * buffer_admit. */
static inline bool buffer_pass(struct buffer *buffer, const struct buffer_group *group,
                               int64_t bytes)
{
    if (UNLIKELY(!buffer_is_ample(buffer, group, bytes)))
        return false;
    buffer_note_peaks(buffer, buffer->used + bytes,
                      buffer->shared_used + buffer_share(buffer, group, bytes));
    return true;
}

enum buffer_verdict { BUFFER_ADMIT, BUFFER_ADMIT_XOFF, BUFFER_REFUSE };

/* The parts of the next two for a group that is not far from its threshold. */
enum buffer_verdict buffer_admit_near(struct buffer *buffer, struct buffer_group *group,
                                      int64_t bytes);
bool buffer_release_near(struct buffer *buffer, struct buffer_group *group, int64_t bytes);

static inline void buffer_charge(struct buffer *buffer, struct buffer_group *group, int64_t bytes,
                                 int64_t shared)
{
    group->reserved_used += (uint32_t)(bytes - shared);
    group->shared_used += shared;
    buffer->shared_used += shared;
    buffer->used += bytes;
    buffer_note_peaks(buffer, buffer->used, buffer->shared_used);
}

/* Charges a frame to its group; XOFF: the threshold was reached by this frame. */
static inline enum buffer_verdict buffer_admit(struct buffer *buffer, struct buffer_group *group,
                                               int64_t bytes)
{
    if (UNLIKELY(!buffer_is_ample(buffer, group, bytes)))
        return buffer_admit_near(buffer, group, bytes);
    buffer_charge(buffer, group, bytes, buffer_share(buffer, group, bytes));
    return BUFFER_ADMIT;
}

/* Gives a frame's room back; true: XON is due. */
static inline bool buffer_release(struct buffer *buffer, struct buffer_group *group, int64_t bytes)
{
    if (UNLIKELY(group->ample == 0))
        return buffer_release_near(buffer, group, bytes);
    const int64_t shared = group->shared_used < bytes ? group->shared_used : bytes;
    group->shared_used -= shared;
    group->reserved_used -= (uint32_t)(bytes - shared);
    buffer->shared_used -= shared;
    buffer->used -= bytes;
    return false;
}

/* True when a lossy egress queue of that many bytes may grow. */
static inline bool buffer_queue_may_grow(const struct buffer *buffer, int64_t queue_bytes)
{
    return queue_bytes < buffer->policy->threshold(buffer, buffer->alpha_lossy);
}

static inline int64_t buffer_threshold(const struct buffer *buffer)
{
    return buffer->policy->threshold(buffer, buffer->alpha_lossless);
}

/* Bytes that a group holds, wherever they lie. */
static inline int64_t buffer_held(const struct buffer_group *group)
{
    return (int64_t)group->reserved_used + group->shared_used + group->headroom_used;
}

/* What of the shared memory a group has when only `left` of its bytes are left. */
int64_t buffer_share_of_rest(const struct buffer_group *group, int64_t left);

/* True when XON would be due once `left` bytes of the group are left, and `shared` bytes of the
 * shared memory in use. */
bool buffer_rest_resumes(const struct buffer *buffer, const struct buffer_group *group,
                         int64_t left, int64_t shared);

void buffer_audit(const struct buffer *buffer);

#endif
