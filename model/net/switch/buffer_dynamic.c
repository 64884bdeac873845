/* SPDX-License-Identifier: Apache-2.0
 * buffer_dynamic - a group may use alpha times the free memory.
 * T(t) = alpha * (B - Q(t)): with n busy groups each settles at alpha*B / (1 + n*alpha), so the
 * memory is well used and some is always left for a newly active group.
 * Source: Choudhury and Hahne 1998; SONiC dynamic_th = log2(alpha). */
#include "net/switch/buffer.h"

static int64_t threshold(const struct buffer *view, struct buffer_place place, int64_t alpha,
                         int64_t idle)
{
    (void)view, (void)place;
    return idle * alpha / PPM; /* fits: 2^31 * 2^27 */
}

static int64_t settled(const void *params, int64_t alpha, int64_t shared, int64_t busy)
{
    (void)params;
    return (int64_t)((__int128)shared * alpha / (PPM + (__int128)busy * alpha));
}

const struct buffer_policy buffer_dynamic = {
    .about = "a group may use alpha times the free shared memory",
    .source = "Choudhury and Hahne, Dynamic Queue Length Thresholds, IEEE/ACM ToN 6(2), 1998",
    .by_idle = true,
    .threshold = threshold,
    .settled = settled,
};
