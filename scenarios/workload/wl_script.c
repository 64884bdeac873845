/* SPDX-License-Identifier: Apache-2.0
 * wl_script - decides what a storage workload does next, and when. */
#include "scenarios/workload/wl_script.h"

void wl_script_plan(const struct wl_nvme_params *params, struct wl_plan_params *plan)
{
    if (params->fio.planned) {
        *plan = params->fio.plan;
        return;
    }
    *plan = (struct wl_plan_params){
        .read_ppm = params->read,
        .random = params->pattern == WL_NVME_RANDOM,
    };
    wl_plan_fixed(plan, params->block_size);
}

bool wl_script_region(const struct wl_nvme_params *params, int64_t block_bytes,
                      struct wl_region whole, struct wl_region wanted, struct wl_region *region)
{
    if (params->replay.trace != NULL)
        return wl_replay_region(&params->replay, block_bytes, wl_plan_cut(whole, wanted), region);
    struct wl_plan_params plan;
    wl_script_plan(params, &plan);
    return wl_plan_region(&plan, block_bytes, whole, wanted, region);
}

int64_t wl_script_compares(const struct wl_nvme_params *params, struct wl_region region)
{
    if (params->replay.trace != NULL)
        return 0;
    struct wl_plan_params plan;
    wl_script_plan(params, &plan);
    const bool returns = plan.read_ppm > 0 || params->fio.verify_backlog > 0;
    const bool can = plan.read_ppm < PPM && returns && region.offset % wl_plan_largest(&plan) == 0;
    return can ? wl_plan_uniform(&plan) : 0;
}

/* Cost of an I/O: its size for a rate in bytes, WL_PACE_EVENT for a rate in I/Os. */
static int64_t units(const struct wl_script *script, int index, int64_t bytes)
{
    return script->params->fio.rate_bytes[index] > 0 ? bytes : WL_PACE_EVENT;
}

static bool is_taken(const struct wl_script *script, int direction)
{
    const int64_t read_ppm = script->plan_params.read_ppm;
    return direction == WL_READ ? read_ppm > 0 : read_ppm < PPM;
}

static void init_pace(struct wl_script *script, int index, time_ps start, struct rng rng)
{
    const struct wl_nvme_params *params = script->params;
    int64_t rate = params->fio.rate_bytes[index];
    if (rate == 0)
        rate = script->one_rate ? params->rate : WL_PACE_EVENT * params->fio.rate_iops[index];
    if (!script->one_rate && !is_taken(script, index))
        rate = 0;
    const struct rng own = {.key = hash_mix(rng.key ^ (UINT64_C(0x70616365) + (uint64_t)index))};
    wl_pace_init(&script->pace[index], rate, params->arrival == WL_PACE_POISSON, start, own,
                 units(script, index, wl_plan_smallest(&script->plan_params)));
}

static void init_plan(struct wl_script *script, struct wl_region region, time_ps start,
                      struct rng rng)
{
    wl_script_plan(script->params, &script->plan_params);
    wl_plan_init(&script->plan, &script->plan_params, region, rng);
    script->bookmark = script->plan;
    for (int index = 0; index < WL_DIRECTIONS; index++)
        init_pace(script, index, start, rng);
}

static void begin_loop(struct wl_script *script)
{
    script->bytes_left = script->loop_bytes;
    script->ios_left = script->params->fio.loop_ios;
    script->loops_left--;
}

static int64_t share_of(int64_t bytes, int64_t percent)
{
    return percent == 0 ? bytes : (int64_t)((__int128)bytes * percent / 100);
}

void wl_script_init(struct wl_script *script, const struct wl_nvme_params *params,
                    struct wl_region region, int64_t depth, time_ps start, struct rng rng)
{
    const struct wl_nvme_fio *fio = &params->fio;
    *script = (struct wl_script){
        .params = params,
        .one_rate = params->rate > 0,
        .loop_bytes = fio->io_bytes == WL_NVME_ONE_PASS ? share_of(region.bytes, fio->io_percent)
                                                        : fio->io_bytes,
        .flushed = true,
        .loops_left = fio->loops > 1 ? fio->loops : 1,
        .drawn = -1,
        .other_ppm = params->flush + params->compare + params->write_zeroes + params->deallocate,
    };
    script->deeds = (struct rng){.key = hash_mix(rng.key ^ UINT64_C(0x6465656473))};
    if (params->replay.trace == NULL)
        init_plan(script, region, start, rng);
    const struct wl_depth_params depth_params = {
        .most = depth,
        .target = fio->latency_target,
        .window = fio->latency_window,
        .ppm = fio->latency_ppm,
        .keep = fio->latency_keep,
    };
    wl_depth_init(&script->depth, &depth_params, start);
    begin_loop(script);
}

static bool count_reached(const struct wl_script *script)
{
    const int64_t count = script->params->count;
    return count == WL_NVME_NO_IO || (count > 0 && script->issued >= count);
}

static bool loop_over(const struct wl_script *script)
{
    return (script->loop_bytes > 0 && script->bytes_left <= 0) ||
           (script->params->fio.loop_ios > 0 && script->ios_left <= 0);
}

/* Actions after draining: a pause, then the read-back of the batch. */
static void drained(struct wl_script *script, time_ps now)
{
    script->draining = false;
    if (script->pausing) {
        script->pausing = false;
        script->since_pause = 0;
        script->quiet_until = now + script->params->think_time;
    }
    if (script->batch_ends) {
        script->batch_ends = false;
        script->read_back_left = script->batch_writes;
        script->batch_writes = 0;
    }
}

static struct wl_step issue_read_back(struct wl_script *script, time_ps now)
{
    struct wl_step step = {.kind = WL_ISSUE, .at = now, .read_back = true};
    step.io = wl_plan_next(&script->bookmark, WL_WRITE);
    step.io.direction = WL_READ;
    script->read_back_left--; /* after the last one, the bookmark is where the plan's writes are */
    return step;
}

/* The pace of a direction. */
static int pace_of(const struct wl_script *script, int direction)
{
    return script->one_rate ? WL_READ : direction;
}

static bool is_due(const struct wl_script *script, int direction, time_ps now)
{
    const struct wl_pace *pace = &script->pace[pace_of(script, direction)];
    return pace->per_second == 0 || pace->due <= now;
}

/* Direction to issue now, or -1 with the time to wait for. The mix proposes a direction; if that
 * one is ahead of its rate, the other one may go if it has a rate and is due, as in fio. */
static int choose_direction(struct wl_script *script, time_ps now, time_ps *wait_until)
{
    if (script->drawn < 0)
        script->drawn = (int)wl_plan_direction(&script->plan);
    const int drawn = script->drawn, other = WL_WRITE - drawn;
    const struct wl_pace *paces = script->pace;
    if (is_due(script, drawn, now))
        return drawn;
    *wait_until = paces[pace_of(script, drawn)].due;
    if (script->one_rate || !is_taken(script, other) || paces[other].per_second == 0)
        return -1;
    if (is_due(script, other, now))
        return other;
    if (paces[other].due < *wait_until)
        *wait_until = paces[other].due;
    return -1;
}

static void account(struct wl_script *script, const struct wl_plan_io *io)
{
    script->issued++;
    script->bytes_left -= io->bytes;
    script->ios_left--;
    if (io->direction != WL_WRITE)
        return;
    script->writes++;
    script->flushed = false;
    const int64_t backlog = script->params->fio.verify_backlog;
    if (backlog == 0)
        return;
    script->batch_writes++;
    if (script->batch_writes >= backlog)
        script->batch_ends = script->draining = true;
}

static enum wl_deed draw_deed(struct wl_script *script)
{
    const struct wl_nvme_params *params = script->params;
    const int64_t parts[] = {params->flush, params->compare, params->write_zeroes,
                             params->deallocate};
    int64_t drawn = (int64_t)rng_below(&script->deeds, PPM);
    for (int i = 0; i < 4; i++) {
        if (drawn < parts[i])
            return (enum wl_deed)(WL_FLUSH + i);
        drawn -= parts[i];
    }
    return WL_TRANSFER;
}

/* A compare uses the offset of a read; Write Zeroes and Deallocate that of a write. */
static void choose_deed(struct wl_script *script, struct wl_step *step, int direction)
{
    step->deed = script->other_ppm == 0 ? WL_TRANSFER : draw_deed(script);
    if (step->deed == WL_COMPARE)
        direction = WL_READ;
    else if (step->deed == WL_ZERO || step->deed == WL_DEALLOCATE)
        direction = WL_WRITE;
    if (step->deed == WL_FLUSH)
        step->io = (struct wl_plan_io){.direction = WL_WRITE};
    else
        step->io = wl_plan_next(&script->plan, (enum wl_direction)direction);
}

/* fsync=N, fdatasync=N: the Nth write was issued, and its Flush was not. As in fio, no Flush
 * follows the last write. */
static bool needs_flush(const struct wl_script *script)
{
    const int64_t *each = script->params->fio.flush_writes;
    for (int i = 0; !script->flushed && i < 2; i++)
        if (each[i] > 0 && script->writes % each[i] == 0)
            return true;
    return false;
}

static struct wl_step issue_flush(struct wl_script *script, time_ps now)
{
    script->flushed = true;
    return (struct wl_step){
        .kind = WL_ISSUE, .at = now, .io = {.direction = WL_WRITE}, .deed = WL_FLUSH};
}

static struct wl_step issue_fresh(struct wl_script *script, time_ps now)
{
    time_ps wait_until = now;
    const int direction = choose_direction(script, now, &wait_until);
    if (direction < 0)
        return (struct wl_step){.kind = WL_SLEEP, .at = wait_until};
    script->drawn = -1;
    struct wl_step step = {.kind = WL_ISSUE, .at = now};
    choose_deed(script, &step, direction);
    const int index = pace_of(script, direction);
    if (script->pace[index].per_second > 0)
        step.at = wl_pace_take(&script->pace[index], units(script, index, step.io.bytes));
    account(script, &step.io);
    return step;
}

static struct wl_step issue_replayed(struct wl_script *script, time_ps now)
{
    const struct wl_replay_io io = wl_replay_peek(&script->replay, now);
    if (io.due == TIME_NEVER)
        return (struct wl_step){.kind = WL_END};
    if (io.due > now)
        return (struct wl_step){.kind = WL_SLEEP, .at = io.due};
    wl_replay_take(&script->replay);
    return (struct wl_step){
        .kind = WL_ISSUE,
        .at = io.due,
        .io = {io.op == TRACE_READ ? WL_READ : WL_WRITE, io.offset, io.bytes},
        .deed = io.op == TRACE_FLUSH ? WL_FLUSH : WL_TRANSFER,
    };
}

/* At the end of a loop or of the job: reads back the rest, then continues or ends. */
static struct wl_step end_loop(struct wl_script *script, time_ps now, int64_t under_way)
{
    if (script->batch_writes > 0) {
        script->batch_ends = script->draining = true;
        return wl_script_next(script, now, under_way);
    }
    if (count_reached(script) || script->loops_left == 0)
        return (struct wl_step){.kind = WL_END};
    begin_loop(script);
    wl_plan_rewind(&script->plan);
    script->bookmark = script->plan;
    return wl_script_next(script, now, under_way);
}

struct wl_step wl_script_next(struct wl_script *script, time_ps now, int64_t under_way)
{
    CHECK(under_way >= 0);
    if (script->depth.done)
        return (struct wl_step){.kind = WL_END};
    if (script->draining && under_way > 0)
        return (struct wl_step){.kind = WL_WAIT};
    if (script->draining)
        drained(script, now);
    if (now < script->quiet_until)
        return (struct wl_step){.kind = WL_SLEEP, .at = script->quiet_until};
    if (under_way >= script->depth.now)
        return (struct wl_step){.kind = WL_WAIT};
    if (script->params->replay.trace != NULL)
        return issue_replayed(script, now);
    if (script->read_back_left > 0)
        return issue_read_back(script, now);
    if (count_reached(script) || loop_over(script))
        return end_loop(script, now, under_way);
    return needs_flush(script) ? issue_flush(script, now) : issue_fresh(script, now);
}

void wl_script_completed(struct wl_script *script, time_ps now, time_ps latency)
{
    wl_depth_completed(&script->depth, now, latency);
    if (wl_depth_lowered(&script->depth))
        script->draining = true;
    if (script->params->think_time == 0)
        return;
    const int64_t blocks = script->params->fio.think_blocks;
    if (++script->since_pause >= (blocks > 1 ? blocks : 1))
        script->pausing = script->draining = true;
}

uint64_t wl_script_missed(const struct wl_script *script, time_ps stop)
{
    if (script->params->replay.trace != NULL)
        return wl_replay_missed(&script->replay, stop);
    uint64_t missed = 0;
    const int paces = script->one_rate ? 1 : WL_DIRECTIONS;
    for (int index = 0; index < paces; index++)
        missed += wl_pace_count(&script->pace[index], stop,
                                units(script, index, wl_plan_smallest(&script->plan_params)));
    const int64_t count = script->params->count;
    const uint64_t left = count == 0  ? UINT64_MAX
                          : count > 0 ? (uint64_t)(count - script->issued)
                                      : 0;
    return missed < left ? missed : left;
}
