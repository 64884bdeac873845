/* SPDX-License-Identifier: Apache-2.0
 * buffer - a switch's shared packet memory.
 * Source:  IEEE 802.1Q-2018 annex N (headroom); dynamic thresholds: Choudhury and Hahne,
 * IEEE/ACM ToN 6(2), 1998; the carving into reserved, shared and headroom: SONiC buffer model
 * (BUFFER_POOL, BUFFER_PROFILE, BUFFER_PG). The memory is cut into a reserved minimum for each
 * (ingress port, priority) group, headroom for each lossless group, and the shared rest.  A frame
 * is charged to its group from arrival until its transmission begins: the egress pipeline reads it
 * out faster than the wire sends it.
 *   - reserved room first; then shared room while the group's share is below the policy's threshold
 * (the frame that reaches it still fits: XOFF is sent then); then headroom; then there is none: the
 * frame is dropped.
 *   - a lossy frame has no headroom, and its egress queue must be below its own threshold.
 *   - XON when headroom is empty and the share is `xon_offset` below the threshold.
 * Not modelled: cells, shared headroom pools.  Owner: the switch.  Units: bytes. */
#ifndef STORMGLASS_NET_BUFFER_H
#define STORMGLASS_NET_BUFFER_H

#include "base/units.h"
#include "net/port.h"

struct buffer;

struct buffer_group {
    int64_t reserved_used, shared_used, headroom_used;
    int64_t headroom; /* limit; 0: lossy */
    bool xoff;
};

/* How much of the shared memory one group or queue may have. */
struct buffer_policy {
    const char *name, *about, *source;
    int64_t (*threshold)(const struct buffer *buffer, int64_t alpha_ppm);
};

#define POLICY(stem) extern const struct buffer_policy buffer_##stem;
#include "net/buffer.def"
#undef POLICY

extern const struct buffer_policy *const buffer_policies[]; /* NULL ends it */

struct buffer {
    const struct buffer_policy *policy;
    int64_t shared_size, shared_used;
    int64_t total, reserved;             /* of the memory; for each group */
    int64_t alpha_lossless, alpha_lossy; /* ppm */
    int64_t static_threshold, xon_offset;
    struct buffer_group *groups; /* port * PRIORITIES + priority */
    uint32_t group_count;
    int64_t used, used_peak, shared_peak, headroom_peak;
};

enum buffer_verdict { BUFFER_ADMIT, BUFFER_ADMIT_XOFF, BUFFER_REFUSE };

/* Charges a frame to its group; XOFF: the threshold was reached by this frame. */
enum buffer_verdict buffer_admit(struct buffer *buffer, struct buffer_group *group, int64_t bytes);

/* Gives a frame's room back; true: XON is due. */
bool buffer_release(struct buffer *buffer, struct buffer_group *group, int64_t bytes);

/* True when a lossy egress queue of that many bytes may grow. */
static inline bool buffer_queue_may_grow(const struct buffer *buffer, int64_t queue_bytes)
{
    return queue_bytes < buffer->policy->threshold(buffer, buffer->alpha_lossy);
}

static inline int64_t buffer_threshold(const struct buffer *buffer)
{
    return buffer->policy->threshold(buffer, buffer->alpha_lossless);
}

void buffer_audit(const struct buffer *buffer);

#endif
