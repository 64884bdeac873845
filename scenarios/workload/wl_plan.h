/* SPDX-License-Identifier: Apache-2.0
 * wl_plan - offsets and sizes of a storage workload's I/Os.
 * A plan is a pure generator: its parameters and random streams give an endless sequence of
 * (offset, bytes) per direction. A copy of the struct is a bookmark: the same calls return the same
 * I/Os again, which is used to read back written data for verification.
 * Terms are those of fio: bssplit, blockalign, rw=read:-8k, zonemode=strided, random_distribution.
 * Not modeled: fio's random map (each block once per pass); random offsets are drawn with
 * replacement.
 * Units: bytes; shares are relative weights. Owner: the workload instance. Errors: none. */
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

/* Multiples of `low` up to `high` with equal probability; a single size if low == high. */
struct wl_plan_size {
    int64_t low, high;
    int64_t share;
};

struct wl_plan_sizes {
    int64_t count, total; /* total: sum of the shares */
    struct wl_plan_size entries[WL_PLAN_SIZES_MAX];
};

/* A part of the region with its share of the accesses. */
struct wl_plan_zone {
    int32_t share;   /* of the accesses */
    int32_t percent; /* of the region; if 0 and `bytes` is not, the size is `bytes` */
    int64_t bytes;
};

struct wl_plan_zones {
    int64_t count; /* 0: uniform */
    struct wl_plan_zone entries[WL_PLAN_ZONES_MAX];
};

struct wl_plan_params {
    int64_t read_ppm; /* probability that an I/O is a read */
    bool random;
    struct wl_plan_sizes sizes[WL_DIRECTIONS];
    int64_t align[WL_DIRECTIONS]; /* of random offsets; 0: the smallest size in that direction */
    int64_t stride;               /* sequential: bytes added after each I/O; may be negative */
    int64_t run;        /* random: number of sequential I/Os from each drawn offset; 0 and 1: one */
    int64_t zone_bytes; /* sequential: after so many bytes ...; 0: never */
    int64_t zone_skip;  /* ... skip so many */
    struct wl_plan_zones zones[WL_DIRECTIONS]; /* random */
    struct skew_params skew;                   /* random, instead of zones */
};

/* The part of a namespace that is used. */
struct wl_region {
    int64_t offset, bytes;
};

struct wl_plan_cursor {
    struct rng rng;
    int64_t position;   /* beginning of the next sequential I/O, relative to the region */
    int64_t zone_start; /* zonemode=strided */
    int64_t zone_done;
    int64_t run_left;
};

struct wl_plan {
    const struct wl_plan_params *params;
    struct wl_region region;
    struct rng mix;
    struct skew skew; /* both directions share their hot spots, as in fio */
    struct wl_plan_cursor cursors[WL_DIRECTIONS];
};

struct wl_plan_io {
    enum wl_direction direction;
    int64_t offset, bytes;
};

/* Sets a single size for all I/Os. */
void wl_plan_fixed(struct wl_plan_params *params, int64_t bytes);

/* Largest and smallest I/O of a plan; the region must be at least as large as the largest. */
int64_t wl_plan_largest(const struct wl_plan_params *params);
int64_t wl_plan_smallest(const struct wl_plan_params *params);

/* The common size of all I/Os if each begins at a multiple of it, so that I/Os never overlap
 * partially; otherwise 0. */
int64_t wl_plan_uniform(const struct wl_plan_params *params);

/* The wanted part of `whole` (0 bytes: everything from its offset on), cut at the end of
 * `whole`. */
struct wl_region wl_plan_cut(struct wl_region whole, struct wl_region wanted);

/* The same part; false if an I/O would not fit or would not consist of whole blocks. */
bool wl_plan_region(const struct wl_plan_params *params, int64_t block_bytes,
                    struct wl_region whole, struct wl_region wanted, struct wl_region *region);

void wl_plan_init(struct wl_plan *plan, const struct wl_plan_params *params,
                  struct wl_region region, struct rng rng);

/* Restarts sequential I/O; the random streams continue. */
void wl_plan_rewind(struct wl_plan *plan);

/* Next direction according to the mix; a mix with one direction draws nothing. */
enum wl_direction wl_plan_direction(struct wl_plan *plan);

/* The next I/O in that direction. */
struct wl_plan_io wl_plan_next(struct wl_plan *plan, enum wl_direction direction);

#endif
