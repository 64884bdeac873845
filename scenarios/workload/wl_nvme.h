/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme - a storage workload and its parameters.
 * `kind: nvme` of a scenario sets the parameters (wl_nvme.opts); a fio job also sets the additional
 * ones; `kind: trace` has its own parameters, and a trace instead of random draws.
 * Units: as in opt.h. The meaning of zero is noted at each field. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_NVME_H

#include "base/opt.h"
#include "base/units.h"
#include "nvme/host/host.h"
#include "nvme/limit.h"
#include "scenarios/trace/admin_list.h"
#include "scenarios/workload/wl_pace.h"
#include "scenarios/workload/wl_plan.h"
#include "scenarios/workload/wl_replay.h"
#include "scenarios/workload/workload.h"

#include <stddef.h>

#define WL_NVME_PATTERNS(X) X(RANDOM, "random") X(SEQUENTIAL, "sequential")

#define X(name, word) WL_NVME_##name,
enum wl_nvme_pattern { WL_NVME_PATTERNS(X) };
#undef X

enum { WL_NVME_NO_IO = -1 };

#define WL_NVME_ONE_PASS INT64_C(-1) /* io_bytes: number of bytes in the region */

/* Parameters of fio jobs only; otherwise all zero. */
struct wl_nvme_fio {
    bool planned; /* `plan` is set and replaces the parameters for it */
    struct wl_plan_params plan;
    int64_t offset_step; /* distance between the regions of consecutive copies (offset_increment) */
    /* Percent of the namespace, added to offset and offset_step, or instead of size, rounded down
     * to whole I/Os. io_percent: percent of the region, for io_bytes. 0: none. */
    int64_t size_percent, offset_percent, step_percent, io_percent;
    int64_t flush_writes[2]; /* a Flush after so many writes; fsync and fdatasync; 0: none */
    int64_t io_bytes;        /* per loop; 0: no limit, or WL_NVME_ONE_PASS */
    int64_t loop_ios;        /* I/Os per loop; 0: no limit */
    int64_t loops;           /* 0 and 1: once */
    int64_t rate_iops[WL_DIRECTIONS];  /* limit per direction; 0: none */
    int64_t rate_bytes[WL_DIRECTIONS]; /* per second; 0: none */
    int64_t think_blocks;              /* completions between two pauses; 0: one */
    int64_t verify_backlog; /* read back after so many writes; INT64_MAX: at the end; 0: never */
    time_ps latency_target; /* 0: none; else the depth adapts below queue_depth */
    time_ps latency_window;
    int64_t latency_ppm;  /* share of the I/Os of a window that must meet the target */
    int64_t latency_keep; /* bool: continue when the depth is found (latency_run) */
};

struct wl_nvme_params {
    int64_t read; /* share of reads among the I/Os, ppm */
    int64_t block_size;
    int64_t queue_depth; /* commands in flight in each I/O queue */
    int64_t queues;      /* I/O queues of the controller */
    int64_t polled;      /* bool: its I/O takes poll queues */
    int64_t pattern;     /* enum wl_nvme_pattern */
    int64_t rate;        /* thousandths of I/Os per second per instance; 0: closed loop */
    int64_t arrival;     /* enum wl_pace_arrival */
    int64_t count;       /* I/Os per instance; 0: until stop; WL_NVME_NO_IO: none */
    int64_t size;        /* bytes of the namespace in use; 0: all */
    int64_t offset;      /* beginning of these bytes */
    int64_t name_space;  /* NSID, from 1; 0: instances take turns */
    int64_t think_time;  /* pause after a completion before the next I/O */
    int64_t warm_up;     /* measurement begins this long after start */
    /* ppm of the I/Os that are neither reads nor writes */
    int64_t flush, compare, write_zeroes, deallocate;
    int64_t admin_interval;    /* time between admin commands; 0: none */
    int64_t linger;            /* time from the last command to the end */
    struct admin_list admin;   /* commands with their times */
    struct nvme_limits limits; /* per instance */
    struct wl_nvme_fio fio;
    struct wl_replay_params replay;
};

extern const struct opt wl_nvme_opts[];

/* The parameters of a host for the workload's controllers; the queues that each of them requests,
 * of all types, and the cores that issue its I/O, with queue_depth I/Os each. */
struct nvme_host_params wl_nvme_on_host(const struct wl_nvme_params *params,
                                        const struct nvme_host_params *host);
int64_t wl_nvme_queues(const struct wl_nvme_params *params, const struct nvme_host_params *host);
int64_t wl_nvme_cores(const struct wl_nvme_params *params, const struct nvme_host_params *host);

uint32_t wl_nvme_name_space(const void *params);
bool wl_nvme_fits(const void *params, struct workload_space *space);
bool wl_nvme_empties(const void *params);
bool wl_nvme_read_admin(void *params, const struct workload_admin *admin);

/* The part of a namespace that an instance uses; false if its I/Os do not fit. */
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

/* Rows that both kinds have. */
#define WL_NVME_FIELD(name) offsetof(struct wl_nvme_params, name)

#define WL_NVME_QUEUE_ROWS                                                                         \
    {"queues",                                                                                     \
     OPT_INT,                                                                                      \
     WL_NVME_FIELD(queues),                                                                        \
     "1",                                                                                          \
     "1",                                                                                          \
     "1024",                                                                                       \
     NULL,                                                                                         \
     "Number of I/O queues of the controller. I/Os use them in turn. The target may grant fewer "  \
     "queues. Without a value, nvme.queues of the host applies.",                                  \
     "nvme-cli --nr-io-queues",                                                                    \
     OPT_ACTS(DEPTH, LESS, TRACE)},                                                                \
    {                                                                                              \
        "polled", OPT_BOOL, WL_NVME_FIELD(polled), "false", NULL, NULL, NULL,                      \
            "true: the threads that issue the I/O poll for its completion. The I/O then uses the " \
            "poll "                                                                                \
            "queues of the host (nvme.poll-queues), if it has any.",                               \
            "fio hipri; Linux RWF_HIPRI, IORING_SETUP_IOPOLL", OPT_ACTS(ASKED, ANY, TRACE)         \
    }

#define WL_NVME_NAMESPACE_ROW                                                                      \
    {                                                                                              \
        "namespace", OPT_INT, WL_NVME_FIELD(name_space), "0", "0", "1024", NULL,                   \
            "Namespace of the target, numbered from 1; 0: the instances use all namespaces in "    \
            "turn.",                                                                               \
            "own", OPT_ACTS(ASKED, ANY, TRACE)                                                     \
    }

#define WL_NVME_WARM_UP_ROW                                                                        \
    {                                                                                              \
        "warm-up", OPT_TIME, WL_NVME_FIELD(warm_up), "0s", "0s", "1h", NULL,                       \
            "Time after the start of the workload that the results exclude. Rates count "          \
            "completions "                                                                         \
            "after this time, latencies count I/Os issued after it.",                              \
            "fio ramp_time", OPT_ACTS(ASKED, ANY, TRACE)                                           \
    }

#define WL_NVME_LINGER_ROW                                                                         \
    {                                                                                              \
        "linger", OPT_TIME, WL_NVME_FIELD(linger), "0s", "0s", "1h", NULL,                         \
            "Idle time after the last I/O or admin command of an instance, before the instance "   \
            "ends. "                                                                               \
            "With nvme.shutdown, its host then disconnects.",                                      \
            "as between nvme connect and nvme disconnect", OPT_ACTS(ASKED, ANY, TRACE)             \
    }

/* All members of a kind except its name, description, parameters and file. */
#define WL_NVME_OPS                                                                                \
    .params_bytes = sizeof(struct wl_nvme_params), .needs_nvme_target = true,                      \
    .name_space = wl_nvme_name_space, .fits = wl_nvme_fits, .empties = wl_nvme_empties,            \
    .read_admin = wl_nvme_read_admin, .create = wl_nvme_create, .start = wl_nvme_start,            \
    .stop = wl_nvme_stop, .measure = wl_nvme_measure, .delivered = wl_nvme_delivered,              \
    .arrived = wl_nvme_arrived, .outstanding = wl_nvme_outstanding, .limited = wl_nvme_limited,    \
    .describe = wl_nvme_describe, .controller = wl_nvme_controller, .member = wl_nvme_member,      \
    .close = wl_nvme_close, .destroy = wl_nvme_destroy

#endif
