/* SPDX-License-Identifier: Apache-2.0
 * wl_sizes - distributions of message sizes: published ones, and a user's own.
 * A distribution is a cumulative table: each point has a size and the share of messages of at most
 * this size; between two points, sizes are uniformly distributed. A file has one point per line,
 * "BYTES PERCENT", like the files of HPCC's flow generator. Sizes and percentages increase, the
 * last percentage is 100, and '#' begins a comment.
 *     0 0
 *     4096 25.5
 *     1000000 100
 * Units: bytes; shares in 10^-9. Owner: the arena; built-in distributions are static. Errors:
 * located messages. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_SIZES_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_SIZES_H

#include "base/rng.h"
#include "scenarios/format/tree.h"

#include <stdbool.h>

#define WL_SIZES_KINDS(X) X(FIXED, "fixed") X(WEB_SEARCH, "web-search") X(STORAGE, "storage")

#define X(name, word) WL_SIZES_##name,
enum wl_sizes_kind { WL_SIZES_KINDS(X) };
#undef X

enum { WL_SIZES_POINTS_MAX = 10000, WL_SIZES_BYTES_MAX = 1 << 30, WL_SIZES_ALL = 1000000000 };

struct wl_size_point {
    int64_t bytes;
    int64_t share; /* share of messages of at most this size, in 10^-9 */
};

struct wl_sizes {
    const struct wl_size_point *points; /* the first has share 0, the last WL_SIZES_ALL */
    uint32_t count;
};

/* NULL: FIXED */
const struct wl_sizes *wl_sizes_named(enum wl_sizes_kind kind);

/* NULL, with messages, if the file is invalid. */
const struct wl_sizes *wl_sizes_read(struct arena *arena, const struct tree_file *file,
                                     struct diag *diag);

int64_t wl_sizes_mean(const struct wl_sizes *sizes); /* rounded down */
int64_t wl_sizes_largest(const struct wl_sizes *sizes);

/* From 1 to the largest. */
int64_t wl_sizes_draw(const struct wl_sizes *sizes, struct rng *rng);

#endif
