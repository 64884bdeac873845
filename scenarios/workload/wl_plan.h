/* SPDX-License-Identifier: Apache-2.0
 * wl_plan - which block a storage workload touches next.
 * A plan is a pure generator: from its parameters and its random streams it yields (offset, bytes)
 * per direction without end.  A copy of the struct is a bookmark: the same calls on it yield the
 * same I/Os again, which is how written data are read back for verification.
 * The words are fio's: bssplit, blockalign, rw=read:-8k, zonemode=strided, random_distribution.
 * Not modelled: fio's random map (each block once per pass); random offsets are drawn with
 * replacement.
 * Units: bytes; shares are relative weights.  Owner: the workload instance.  Errors: none. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_PLAN_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_PLAN_H

#include "base/rng.h"
#include "base/skew.h"

#include <stdbool.h>

enum {
    WL_PLAN_SIZES_MAX = 64, /* fio 3.33, BSSPLIT_MAX */
    WL_PLAN_ZONES_MAX = 64
};

enum wl_direction { WL_READ, WL_WRITE, WL_DIRECTIONS };

/* The multiples of low up to high, equally likely among each other; one size where low == high. */
struct wl_plan_size {
    int64_t low, high;
    int64_t share;
};

struct wl_plan_sizes {
    int64_t count, total; /* total: sum of the shares */
    struct wl_plan_size entries[WL_PLAN_SIZES_MAX];
};

/* A slice of the region that gets a share of the accesses. */
struct wl_plan_zone {
    int32_t share;   /* of the accesses */
    int32_t percent; /* of the region; where it is 0 and bytes is not, so many bytes */
    int64_t bytes;
};

struct wl_plan_zones {
    int64_t count; /* 0: uniform */
    struct wl_plan_zone entries[WL_PLAN_ZONES_MAX];
};

struct wl_plan_params {
    int64_t read_ppm; /* chance that an I/O is a read */
    bool random;
    struct wl_plan_sizes sizes[WL_DIRECTIONS];
    int64_t align[WL_DIRECTIONS]; /* of random offsets; 0: the smallest size of that direction */
    int64_t stride;               /* sequential: bytes added after each I/O, may be negative */
    int64_t run;        /* random: I/Os in sequence from each drawn offset; 0 and 1: one */
    int64_t zone_bytes; /* sequential: after so many bytes ...; 0: never */
    int64_t zone_skip;  /* ... leap over so many */
    struct wl_plan_zones zones[WL_DIRECTIONS]; /* random */
    struct skew_params skew;                   /* random, instead of zones */
};

/* The part of a namespace that is used. */
struct wl_region {
    int64_t offset, bytes;
};

struct wl_plan_cursor {
    struct rng rng;
    int64_t position;   /* where the next sequential I/O begins, relative to the region */
    int64_t zone_start; /* zonemode=strided */
    int64_t zone_done;
    int64_t run_left;
};

struct wl_plan {
    const struct wl_plan_params *params;
    struct wl_region region;
    struct rng mix;
    struct skew skew; /* both directions have their hot places in common, as in fio */
    struct wl_plan_cursor cursors[WL_DIRECTIONS];
};

struct wl_plan_io {
    enum wl_direction direction;
    int64_t offset, bytes;
};

/* Every I/O has this one size. */
void wl_plan_fixed(struct wl_plan_params *params, int64_t bytes);

/* The largest and the smallest I/O that a plan can yield; the region must hold the largest. */
int64_t wl_plan_largest(const struct wl_plan_params *params);
int64_t wl_plan_smallest(const struct wl_plan_params *params);

/* The one size of every I/O when each begins at a multiple of it, so that blocks never overlap in
 * part; or 0. */
int64_t wl_plan_uniform(const struct wl_plan_params *params);

/* The part of `whole` that is wanted (0 bytes: all from its offset on), cut where `whole` ends. */
struct wl_region wl_plan_cut(struct wl_region whole, struct wl_region wanted);

/* That part; false when an I/O would not fit in or would not consist of whole blocks. */
bool wl_plan_region(const struct wl_plan_params *params, int64_t block_bytes,
                    struct wl_region whole, struct wl_region wanted, struct wl_region *region);

void wl_plan_init(struct wl_plan *plan, const struct wl_plan_params *params,
                  struct wl_region region, struct rng rng);

/* Sequential I/O begins anew; the random streams go on. */
void wl_plan_rewind(struct wl_plan *plan);

/* The direction that the mix asks for next; a mix of one kind draws nothing. */
enum wl_direction wl_plan_direction(struct wl_plan *plan);

/* The next I/O of that direction. */
struct wl_plan_io wl_plan_next(struct wl_plan *plan, enum wl_direction direction);

#endif
