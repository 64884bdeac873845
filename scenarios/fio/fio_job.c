/* SPDX-License-Identifier: Apache-2.0
 * fio_job - converts the options of a section to a workload.
 * The amount of I/O is determined as in fio: `size` is both the region and the bytes of one loop;
 * filesize * nrfiles sets only the region, io_size only the bytes; time_based removes the limit of
 * bytes; runtime, plus ramp_time, limits the time in any case. */
#include "scenarios/fio/fio_private.h"

#include <string.h>

static void choose_sizes(const struct fio_raw *raw, struct wl_plan_params *plan)
{
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        struct wl_plan_sizes *sizes = &plan->sizes[direction];
        const struct wl_plan_size fixed = {
            .low = raw->bs[direction], .high = raw->bs[direction], .share = 1};
        if (raw->bssplit[direction].count > 0) {
            *sizes = raw->bssplit[direction];
            continue;
        }
        *sizes = (struct wl_plan_sizes){.count = 1, .total = 1};
        sizes->entries[0] = raw->bsrange[direction].share > 0 ? raw->bsrange[direction] : fixed;
    }
}

static bool choose_zones(struct fio_reader *reader, const struct fio_raw *raw,
                         struct wl_plan_params *plan)
{
    for (int direction = 0; raw->random && direction < WL_DIRECTIONS; direction++)
        plan->zones[direction] = raw->zones[direction];
    if (raw->random)
        plan->skew = raw->skew;
    if (raw->zonemode == 0)
        return true;
    if (raw->random)
        return fio_error(reader, 1, "zonemode=strided is supported for sequential jobs only");
    const int64_t range = raw->zonerange > 0 ? raw->zonerange : raw->zonesize;
    if (raw->zonesize == 0 || range < raw->zonesize)
        return fio_error(reader, 1,
                         "zonemode=strided needs a zonesize, not larger than the zonerange");
    if (raw->zonesize % 512 != 0 || range % 512 != 0 || raw->zoneskip % 512 != 0)
        return fio_error(reader, 1, "zones are multiples of 512 bytes");
    plan->zone_bytes = raw->zonesize;
    plan->zone_skip = range - raw->zonesize + raw->zoneskip;
    return true;
}

static bool make_plan(struct fio_reader *reader, const struct fio_raw *raw,
                      struct wl_plan_params *plan)
{
    const int64_t read_ppm[] = {
        [FIO_RW_READ] = PPM,
        [FIO_RW_WRITE] = 0,
        [FIO_RW_MIXED] = raw->rwmixread * (PPM / 100),
    };
    *plan = (struct wl_plan_params){
        .read_ppm = read_ppm[raw->rw],
        .random = raw->random != 0,
        .align = {raw->ba[WL_READ], raw->ba[WL_WRITE]},
    };
    choose_sizes(raw, plan);
    if (raw->random)
        plan->run = raw->offset_modifier;
    else
        plan->stride = raw->offset_modifier;
    if (raw->random && raw->offset_modifier < 0)
        return fio_error(reader, 1, "the number after the colon of a random rw counts I/Os");
    if (plan->stride % 512 != 0 || plan->align[WL_READ] % 512 != 0 ||
        plan->align[WL_WRITE] % 512 != 0)
        return fio_error(reader, 1, "offsets are multiples of 512 bytes");
    return choose_zones(reader, raw, plan);
}

/* Bytes of a FIO_PART. */
static int64_t bytes_of(int64_t part)
{
    return part < 0 ? 0 : part;
}

static int64_t percent_of(int64_t part)
{
    return part < 0 ? -1 - part : 0;
}

static int64_t region_of(const struct fio_raw *raw)
{
    int64_t bytes = bytes_of(raw->size);
    if (raw->filesize > 0 && __builtin_mul_overflow(raw->filesize, raw->nrfiles, &bytes))
        bytes = 0;
    return bytes;
}

static int64_t loop_bytes(const struct fio_raw *raw)
{
    if (raw->time_based && raw->runtime > 0)
        return 0;
    if (raw->io_size != 0)
        return raw->io_size > 0 ? raw->io_size : WL_NVME_ONE_PASS;
    return raw->size > 0 && raw->filesize > 0 ? raw->size : WL_NVME_ONE_PASS;
}

static int64_t backlog_of(const struct fio_raw *raw)
{
    if (!raw->verify || !raw->do_verify || raw->rw == FIO_RW_READ)
        return 0;
    return raw->verify_backlog > 0 ? raw->verify_backlog : INT64_MAX;
}

static void make_params(const struct fio_raw *raw, struct wl_nvme_params *params)
{
    const bool goes_on = raw->time_based && raw->runtime > 0;
    params->block_size = wl_plan_largest(&params->fio.plan);
    params->read = params->fio.plan.read_ppm;
    params->pattern = raw->random ? WL_NVME_RANDOM : WL_NVME_SEQUENTIAL;
    params->queue_depth = raw->engine_sync ? 1 : raw->iodepth;
    params->queues = 1;
    params->polled = raw->hipri;
    params->arrival = raw->rate_process == 0 ? WL_PACE_PACED : WL_PACE_POISSON;
    params->size = region_of(raw);
    params->offset = bytes_of(raw->offset);
    params->deallocate = raw->trim ? PPM : 0;
    params->think_time = raw->thinktime;
    params->warm_up = raw->ramp_time;
    struct wl_nvme_fio *fio = &params->fio;
    fio->planned = true;
    fio->io_bytes = loop_bytes(raw);
    fio->size_percent = raw->filesize > 0 ? 0 : percent_of(raw->size);
    fio->offset_percent = percent_of(raw->offset);
    fio->offset_step = bytes_of(raw->offset_increment);
    fio->step_percent = percent_of(raw->offset_increment);
    fio->io_percent = fio->io_bytes == WL_NVME_ONE_PASS ? percent_of(raw->io_size) : 0;
    fio->flush_writes[0] = raw->fsync;
    fio->flush_writes[1] = raw->fdatasync;
    fio->loop_ios = raw->number_ios;
    fio->loops = goes_on ? 1 : raw->loops;
    for (int direction = 0; direction < WL_DIRECTIONS; direction++) {
        fio->rate_bytes[direction] = raw->rate[direction];
        fio->rate_iops[direction] = raw->rate_iops[direction];
    }
    fio->think_blocks = raw->thinktime_blocks;
    fio->verify_backlog = backlog_of(raw);
    fio->latency_target = raw->latency_target;
    fio->latency_window = raw->latency_window;
    fio->latency_ppm = raw->latency_percentile;
    fio->latency_keep = raw->latency_run;
}

static enum fio_exit exit_of(const struct fio_raw *raw)
{
    static const enum fio_exit exits[] = {FIO_EXIT_GROUP, FIO_EXIT_STONEWALL, FIO_EXIT_ALL};
    return raw->exitall ? exits[raw->exit_what] : FIO_EXIT_NONE;
}

/* Like fio, warns and then ends the job when its bytes are done. */
static void warn_time_based(struct fio_reader *reader, const struct fio_raw *raw)
{
    if (!raw->time_based || raw->runtime > 0)
        return;
    const struct diag_place place = {
        .file = reader->file, .line = reader->line, .column = 1, .width = 1};
    diag_add(reader->diag, DIAG_WARNING, place, reader->line_text,
             "time_based needs a runtime: the job ends when its size is done");
}

bool fio_job_make(struct fio_reader *reader, const struct fio_raw *raw, struct fio_job *job)
{
    job->copies = (uint32_t)raw->numjobs;
    job->exit = exit_of(raw);
    job->start_delay = raw->startdelay;
    job->runtime = raw->runtime > 0 ? raw->runtime + raw->ramp_time : TIME_NEVER;
    if (!make_plan(reader, raw, &job->nvme.fio.plan))
        return false;
    make_params(raw, &job->nvme);
    const int64_t region = job->nvme.size;
    if (region > 0 && region < job->nvme.block_size)
        return fio_error(reader, 1, "the job's size is less than one of its blocks");
    if (job->nvme.offset % 512 != 0 || job->nvme.fio.offset_step % 512 != 0)
        return fio_error(reader, 1, "offsets are multiples of 512 bytes");
    if (raw->rate[WL_READ] + raw->rate[WL_WRITE] > 0 &&
        raw->rate_iops[WL_READ] + raw->rate_iops[WL_WRITE] > 0)
        return fio_error(reader, 1, "rate and rate_iops exclude each other");
    warn_time_based(reader, raw);
    return true;
}

uint32_t fio_load_of(const struct fio_job *job, const char *option, int64_t values[WL_DIRECTIONS])
{
    const struct wl_nvme_fio *fio = &job->nvme.fio;
    const bool bytes = strcmp(option, "rate") == 0;
    if (strcmp(option, "iodepth") == 0 || strcmp(option, "numjobs") == 0) {
        values[0] = option[0] == 'i' ? job->nvme.queue_depth : job->copies;
        return 1;
    }
    if (!bytes && strcmp(option, "rate_iops") != 0)
        return 0;
    for (int i = 0; i < WL_DIRECTIONS; i++)
        values[i] = bytes ? fio->rate_bytes[i] : fio->rate_iops[i];
    return WL_DIRECTIONS;
}
