/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme - the parameters of a storage workload, and the workload.
 * A scenario's `kind: nvme` fills the rows (wl_nvme.opts); a fio job fills also what has no row;
 * `kind: trace` has rows of its own, and a trace instead of what the others draw.
 * Units: as opt.h says.  The meaning of zero stands beside each field. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_H

#include "base/opt.h"
#include "base/units.h"
#include "nvme/limit.h"
#include "scenarios/trace/admin_list.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_plan.h"
#include "scenarios/workload/wl_replay.h"
#include "scenarios/workload/workload.h"

#define WL_NVME_PATTERNS(X) X(RANDOM, "random") X(SEQUENTIAL, "sequential")

#define X(name, word) WL_NVME_##name,
enum wl_nvme_pattern { WL_NVME_PATTERNS(X) };
#undef X

enum { WL_NVME_NO_IO = -1 };

#define WL_NVME_ONE_PASS INT64_C(-1) /* io_bytes: as many bytes as the region has */

/* What only a fio job asks for; all zero otherwise. */
struct wl_nvme_fio {
    bool planned; /* plan is filled in; the rows for it are not used */
    struct wl_plan_params plan;
    int64_t offset_step; /* each copy starts so much further on (offset_increment) */
    /* Percent of the namespace, in addition to offset and offset_step, or instead of size; rounded
     * down to whole I/Os.  Of io_bytes: percent of the region.  0: none. */
    int64_t size_percent, offset_percent, step_percent, io_percent;
    int64_t flush_writes[2]; /* a Flush after so many writes; fsync and fdatasync; 0: none */
    int64_t io_bytes;        /* per loop; 0: no limit, or WL_NVME_ONE_PASS */
    int64_t loop_ios;        /* I/Os per loop; 0: no limit */
    int64_t loops;           /* 0 and 1: once */
    int64_t rate_iops[WL_DIRECTIONS];  /* cap per direction; 0: none */
    int64_t rate_bytes[WL_DIRECTIONS]; /* per second; 0: none */
    int64_t think_blocks;              /* completions between two pauses; 0: one */
    int64_t verify_backlog; /* read back after so many writes; INT64_MAX: at the end; 0: never */
    time_ps latency_target; /* 0: none; else the depth adapts below queue_depth */
    time_ps latency_window;
    int64_t latency_ppm;  /* of the I/Os of a window must be within the target */
    int64_t latency_keep; /* bool: go on when the depth is found (latency_run) */
};

struct wl_nvme_params {
    int64_t read; /* ppm of the I/Os */
    int64_t block_size;
    int64_t queue_depth; /* commands in flight in each I/O queue */
    int64_t queues;      /* I/O queues of the controller */
    int64_t pattern;     /* enum wl_nvme_pattern */
    int64_t rate;        /* thousandths of I/Os per second of each instance; 0: closed loop */
    int64_t arrival;     /* enum wl_pace_arrival */
    int64_t count;       /* I/Os of each instance; 0: until stop; WL_NVME_NO_IO: none */
    int64_t size;        /* bytes of the namespace that are used; 0: all */
    int64_t offset;      /* where they begin */
    int64_t name_space;  /* its number, from 1; 0: instances take turns */
    int64_t think_time;  /* pause after a completion before the next I/O */
    int64_t warm_up;     /* measured from this after start on */
    /* ppm of the I/Os that are neither reads nor writes */
    int64_t flush, compare, write_zeroes, deallocate;
    int64_t admin_interval;    /* one admin command each so long; 0: none */
    int64_t linger;            /* from the last command to the end */
    struct admin_list admin;   /* commands with their times */
    struct nvme_limits limits; /* of each instance */
    struct wl_nvme_fio fio;
    struct wl_replay_params replay;
};

extern const struct opt wl_nvme_opts[];

uint32_t wl_nvme_name_space(const void *params);
bool wl_nvme_fits(const void *params, struct workload_space *space);
bool wl_nvme_empties(const void *params);
bool wl_nvme_read_admin(void *params, const struct workload_admin *admin);

/* The part of a namespace that an instance uses; false when its I/Os do not fit in. */
bool wl_nvme_region(const struct wl_nvme_params *params, const struct workload_space *space,
                    struct wl_region *region);

struct workload *wl_nvme_create(const struct workload_site *site);
void wl_nvme_start(struct workload *workload);
void wl_nvme_stop(struct workload *workload);
time_ps wl_nvme_measure(struct workload *workload, time_ps now);
struct workload_delivered wl_nvme_delivered(const struct workload *workload);
struct workload_delivered wl_nvme_arrived(const struct workload *workload);
uint64_t wl_nvme_outstanding(const struct workload *workload);
uint64_t wl_nvme_limited(const struct workload *workload);
void wl_nvme_describe(const struct workload *workload, char *text, size_t size);
const struct nvme_host *wl_nvme_controller(const struct workload *workload, uint32_t path);
const struct workload_member *wl_nvme_member(const struct workload *workload);
void wl_nvme_close(struct workload *workload, time_ps now, time_ps end);
void wl_nvme_destroy(struct workload *workload);

/* All of a kind but its name, its sentence, its rows and its file. */
#define WL_NVME_OPS                                                                                \
    .params_bytes = sizeof(struct wl_nvme_params), .needs_nvme_target = true,                      \
    .name_space = wl_nvme_name_space, .fits = wl_nvme_fits, .empties = wl_nvme_empties,            \
    .read_admin = wl_nvme_read_admin, .create = wl_nvme_create, .start = wl_nvme_start,            \
    .stop = wl_nvme_stop, .measure = wl_nvme_measure, .delivered = wl_nvme_delivered,              \
    .arrived = wl_nvme_arrived, .outstanding = wl_nvme_outstanding, .limited = wl_nvme_limited,    \
    .describe = wl_nvme_describe, .controller = wl_nvme_controller, .member = wl_nvme_member,      \
    .close = wl_nvme_close, .destroy = wl_nvme_destroy

#endif
