/* SPDX-License-Identifier: Apache-2.0
 * wl_nvme_params - parameters of a storage workload, and whether they fit a namespace. */
#include "scenarios/workload/wl_nvme.h"

#include "scenarios/workload/wl_script.h"

#include <inttypes.h>
#include <stdio.h>

#define FIELD(name) WL_NVME_FIELD(name)

const struct opt wl_nvme_opts[] = {
    {"read", OPT_PERCENT, FIELD(read), "100%", "0%", "100%", NULL,
     "Share of the I/Os that are reads; the others are writes.", "fio rwmixread",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"block-size", OPT_SIZE, FIELD(block_size), "4KiB", "512B", "64MiB", NULL,
     "Size of one I/O, a multiple of the namespace's block size.", "fio bs",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"queue-depth", OPT_INT, FIELD(queue_depth), "32", "1", "65535", NULL,
     "Number of outstanding I/Os in each I/O queue of an instance; if `rate` is set, the maximum "
     "number.",
     "fio iodepth, counted for each queue", OPT_SCALES(DEPTH, LESS, TRACE)},
    WL_NVME_QUEUE_ROWS,
    {"pattern", OPT_CHOICE, FIELD(pattern), "random", NULL, NULL, OPT_WORDS(WL_NVME_PATTERNS),
     "Offset of each I/O. sequential: it follows the previous I/O; random: uniform over the "
     "working set.",
     "fio rw", OPT_ACTS(ASKED, ANY, TRACE)},
    {"rate", OPT_DECIMAL, FIELD(rate), "0", "0", "1000000000", NULL,
     "Number of I/Os per second that each instance issues (open loop), such as 1250.5; 0: closed "
     "loop, where each completed I/O is followed by the next.",
     "fio rate_iops", OPT_SCALES(ASKED, LIMIT, TRACE)},
    {"arrival", OPT_CHOICE, FIELD(arrival), "paced", NULL, NULL, OPT_WORDS(WL_PACE_ARRIVALS),
     "How operations arrive if `rate` is set. paced: evenly spaced, from a random start; poisson: "
     "as a Poisson process.",
     "fio rate_process", OPT_ACTS(ASKED, ANY, TRACE)},
    {"count", OPT_INT, FIELD(count), "0", "0", "1000000000000", "none",
     "Number of I/Os of each instance. 0: no limit, until `stop`; none: no I/O, only admin "
     "commands (from `admin` and admin-interval).",
     "fio number_ios", OPT_ACTS(ASKED, ANY, TRACE)},
    {"size", OPT_SIZE, FIELD(size), "0B", "0B", "1PiB", NULL,
     "Size of the working set, which is the part of the namespace that the workload uses; 0: all "
     "of the namespace from `offset`.",
     "fio size", OPT_ACTS(ASKED, ANY, TRACE)},
    {"offset", OPT_SIZE, FIELD(offset), "0B", "0B", "1PiB", NULL,
     "Offset in the namespace at which the working set starts.", "fio offset",
     OPT_ACTS(ASKED, ANY, TRACE)},
    WL_NVME_NAMESPACE_ROW,
    {"think-time", OPT_TIME, FIELD(think_time), "0s", "0s", "1h", NULL,
     "Pause after each completed I/O: the workload issues nothing until no I/O is outstanding and "
     "this time has passed since then.",
     "fio thinktime", OPT_SCALES(ASKED, MORE, TRACE)},
    WL_NVME_WARM_UP_ROW,
    {"flush", OPT_PERCENT, FIELD(flush), "0%", "0%", "100%", NULL,
     "Share of the I/Os that are Flush commands.", "NVMe base 1.4, 6.8; fio sync, fsync",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"compare", OPT_PERCENT, FIELD(compare), "0%", "0%", "100%", NULL,
     "Share of the I/Os that are Compare commands with the data last written to a block. A block "
     "that was never written is read instead.",
     "NVMe base 1.4, 6.6", OPT_ACTS(ASKED, ANY, TRACE)},
    {"write-zeroes", OPT_PERCENT, FIELD(write_zeroes), "0%", "0%", "100%", NULL,
     "Share of the I/Os that are Write Zeroes commands.", "NVMe base 1.4, 6.17",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"deallocate", OPT_PERCENT, FIELD(deallocate), "0%", "0%", "100%", NULL,
     "Share of the I/Os that deallocate blocks (Dataset Management commands).",
     "NVMe base 1.4, 6.7; fio rw=trim", OPT_ACTS(ASKED, ANY, TRACE)},
    {"admin-interval", OPT_TIME, FIELD(admin_interval), "0s", "0s", "1h", NULL,
     "Interval between two admin commands of an instance, in this order: Identify Controller, "
     "Identify Namespace, SMART log, error log; 0: no such commands.",
     "like monitoring with nvme-cli", OPT_ACTS(ASKED, ANY, TRACE)},
    WL_NVME_LINGER_ROW,
    {"iops-limit", OPT_INT, FIELD(limits.of[NVME_LIMIT_IOPS]), "0", "0", "1000000000", NULL,
     "Maximum reads and writes per second of an instance, which the host enforces in slices of 1 "
     "ms. Further I/O waits at the host, and the wait counts as latency. 0: no limit.",
     "cgroup v2 io.max: riops, wiops, for both together",
     OPT_SCALES(WORKLOAD_LIMIT, LIMIT, SERVICE)},
    {"rate-limit", OPT_RATE, FIELD(limits.of[NVME_LIMIT_RATE]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read and written by an instance, enforced as iops-limit; 0: no limit.",
     "likewise: rbps, wbps for both together", OPT_SCALES(WORKLOAD_LIMIT, LIMIT, SERVICE)},
    {"read-limit", OPT_RATE, FIELD(limits.of[NVME_LIMIT_READ]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data read by an instance, enforced as iops-limit; 0: no limit.",
     "cgroup v2 io.max: rbps", OPT_SCALES(WORKLOAD_LIMIT, LIMIT, SERVICE)},
    {"write-limit", OPT_RATE, FIELD(limits.of[NVME_LIMIT_WRITE]), "0bps", "0bps", "10Tbps", NULL,
     "Maximum rate of data written by an instance, enforced as iops-limit; 0: no limit.",
     "cgroup v2 io.max: wbps", OPT_SCALES(WORKLOAD_LIMIT, LIMIT, SERVICE)},
    {0},
};

struct nvme_host_params wl_nvme_on_host(const struct wl_nvme_params *params,
                                        const struct nvme_host_params *host)
{
    struct nvme_host_params own = *host;
    own.queues = params->queues;
    return nvme_host_params_capped(&own);
}

int64_t wl_nvme_queues(const struct wl_nvme_params *params, const struct nvme_host_params *host)
{
    const struct nvme_host_params own = wl_nvme_on_host(params, host);
    return nvme_host_params_queues(&own);
}

int64_t wl_nvme_cores(const struct wl_nvme_params *params, const struct nvme_host_params *host)
{
    const struct nvme_host_params own = wl_nvme_on_host(params, host);
    return nvme_host_params_cores(&own);
}

bool wl_nvme_read_admin(void *params, const struct workload_admin *admin)
{
    struct wl_nvme_params *nvme = params;
    return admin_list_read(admin->arena, admin->written, admin->lasts, admin->diag, &nvme->admin);
}

uint32_t wl_nvme_name_space(const void *params)
{
    return (uint32_t)((const struct wl_nvme_params *)params)->name_space;
}

/* Rounded down to the smallest I/O, as in fio. */
static int64_t percent_of(const struct wl_nvme_fio *fio, int64_t bytes, int64_t percent)
{
    if (percent == 0)
        return 0;
    const int64_t all = (int64_t)((__int128)bytes * percent / 100);
    return all - all % wl_plan_smallest(&fio->plan);
}

bool wl_nvme_region(const struct wl_nvme_params *params, const struct workload_space *space,
                    struct wl_region *region)
{
    const struct wl_nvme_fio *fio = &params->fio;
    const struct wl_region whole = {.bytes = space->bytes};
    const struct wl_region wanted = {
        .offset =
            params->offset + percent_of(fio, space->bytes, fio->offset_percent) +
            (fio->offset_step + percent_of(fio, space->bytes, fio->step_percent)) * space->copy,
        .bytes =
            fio->size_percent > 0 ? percent_of(fio, space->bytes, fio->size_percent) : params->size,
    };
    return wl_script_region(params, space->block_bytes, whole, wanted, region);
}

static void odd(struct workload_space *space, const char *row, int64_t value)
{
    const int64_t block = space->block_bytes, below = value - value % block;
    char nearest[32] = "";
    if (below > 0)
        snprintf(nearest, sizeof nearest, "%" PRId64 "B and ", below);
    space->row = row;
    snprintf(space->why, sizeof space->why,
             "%s: %" PRId64 "B is not a multiple of the namespace's block, %" PRId64
             "B; nearest: %s%" PRId64 "B",
             row, value, block, nearest, below + block);
}

bool wl_nvme_empties(const void *given)
{
    const struct wl_nvme_params *params = given;
    return params->write_zeroes + params->deallocate > 0;
}

bool wl_nvme_fits(const void *given, struct workload_space *space)
{
    const struct wl_nvme_params *params = given;
    if (params->flush + params->compare + params->write_zeroes + params->deallocate > PPM) {
        space->row = "flush";
        snprintf(space->why, sizeof space->why,
                 "flush, compare, write-zeroes and deallocate are more than 100%% together");
        return false;
    }
    const bool has_size = params->replay.trace == NULL && !params->fio.planned;
    struct wl_region region;
    if (wl_nvme_region(params, space, &region))
        return true;
    if (params->offset % space->block_bytes != 0)
        odd(space, "offset", params->offset);
    else if (has_size && params->block_size % space->block_bytes != 0)
        odd(space, "block-size", params->block_size);
    else
        snprintf(space->why, sizeof space->why,
                 "the I/Os do not fit the namespace of %" PRId64 "B in blocks of %" PRId64
                 "B, of which %" PRId64 "B are used",
                 space->bytes, space->block_bytes, region.bytes > 0 ? region.bytes : 0);
    return false;
}
