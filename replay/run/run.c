/* SPDX-License-Identifier: Apache-2.0
 * run - executes slices and ends the run. */
#include "replay/run/run.h"

#include "base/check.h"
#include "replay/record/collect.h"
#include "replay/record/record_end.h"
#include "replay/run/checkpoint.h"
#include "replay/run/expect_eval.h"
#include "replay/run/fabric.h"
#include "replay/run/progress.h"
#include "replay/run/resident.h"
#include "replay/run/stop.h"
#include "replay/usage/usages.h"
#include "scenarios/embedded.h"
#include "scenarios/world/division.h"
#include "tcp/tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Events per slice: a few hundredths of a second, after which the progress bar is updated. */
static const uint64_t slice_events_min = 200000, slice_events_max = 800000;
static const double commit_s = 0.1; /* maximum loss on kill -9, in seconds */
static const time_ps slice_first = 10 * PS_PER_US;

static struct run_clock clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (struct run_clock){progress_clock_s(), (double)now.tv_sec + (double)now.tv_nsec * 1e-9};
}

static struct run_clock clock_since(struct run_clock begun)
{
    const struct run_clock now = clock_now();
    return (struct run_clock){now.wall_s - begun.wall_s, now.cpu_s - begun.cpu_s};
}

/* State of one run in progress. */
struct play {
    const struct scenario *scenario;
    const struct run_options *options;
    struct explain_fabric fabric;
    struct observe observe;
    struct listening listening;
    const atomic_int *stop; /* nonzero: end the run */
    struct world *world;
    struct record *record;
    struct series series;
    struct usages usages;
    bool stopped;   /* by a signal or the listener */
    bool cut_short; /* by them or --until: work may be unfinished */
    time_ps played; /* end of the last slice */
};

static bool is_stopped(const struct play *play)
{
    return atomic_load(play->stop) != 0;
}

static time_ps next_slice(time_ps slice, uint64_t events)
{
    if (events < slice_events_min && slice < PS_PER_S)
        return slice * 2;
    return events > slice_events_max && slice > PS_PER_US ? slice / 2 : slice;
}

/* The end of the next slice. Checkpoints and samples are at the same times in every run. */
static time_ps slice_end(const struct play *play, const struct checkpoint *checkpoint, time_ps now,
                         time_ps slice)
{
    const time_ps until = play->options->until;
    const time_ps end = until - now < slice ? until : now + slice;
    const time_ps looks[] = {checkpoint->next, play->series.next, play->usages.next};
    time_ps first = end;
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++)
        first = looks[i] < first ? looks[i] : first;
    return first;
}

static void play_slices(struct play *play)
{
    const time_ps until = play->options->until;
    const time_ps end = until < play->scenario->duration ? until : play->scenario->duration;
    struct checkpoint checkpoint;
    checkpoint_init(&checkpoint, record_store(play->record), play->scenario);
    struct progress progress;
    progress_begin(&progress, play->options->progress);
    double committed_s = progress_clock_s();
    uint64_t before = 0;
    time_ps now = 0, slice = slice_first;
    bool more = true;
    while (more && now < until && !is_stopped(play) && record_error(play->record) == NULL) {
        now = slice_end(play, &checkpoint, now, slice);
        more = world_run(play->world, now);
        if (play->world->engine.paused) /* a stop was requested */
            now = play->world->engine.now;
        if (more && now == checkpoint.next)
            checkpoint_take(&checkpoint, play->world);
        if (more && now == play->series.next)
            series_take(&play->series);
        bool lost = false;
        if (more && now == play->usages.next) {
            usages_take(&play->usages);
            lost = play->options->ends_at_loss && collect_unbuffered(&play->observe, true) > 0;
        }
        progress_show(&progress, now, end);
        if (play->options->listener != NULL)
            listening_progress(&play->listening, now, end);
        const uint64_t after = engine_events(&play->world->engine);
        slice = next_slice(slice, after - before);
        before = after;
        const double after_s = progress_clock_s();
        const bool due = after_s - committed_s >= commit_s;
        committed_s = due ? after_s : committed_s;
        record_reached(play->record, now);
        record_tick(play->record, due);
        if (lost || (play->options->events_most > 0 && after > play->options->events_most))
            break;
    }
    progress_end(&progress);
    checkpoint_fini(&checkpoint);
    play->stopped = more && is_stopped(play);
    play->cut_short = more;
    play->played = now;
}

/* Virtual time at which the measured part of the run ended. */
static time_ps window_end(const struct play *play)
{
    const time_ps until = play->options->until;
    const time_ps end = play->scenario->duration < until ? play->scenario->duration : until;
    return play->stopped && play->world->engine.now < end ? play->world->engine.now : end;
}

/* Reports the transmitters that had nothing to send in a priority. */
static void tell_idle(struct play *play)
{
    const struct explain_fabric *fabric = &play->fabric;
    for (uint32_t i = 0; i < fabric->first_port[fabric->node_count]; i++) {
        const uint32_t node = fabric->node_of[i];
        const struct port *port =
            world_port(play->world, node, (uint16_t)(i - fabric->first_port[node]));
        for (uint8_t priority = 0; priority < PRIORITIES; priority++)
            if (port->prios[priority].tx_frames == 0 && (port->ready >> priority & 1) == 0)
                explain_never_sent(&play->observe.explain, i, priority);
    }
}

static time_ps last_completion(const struct world *world)
{
    time_ps last = 0;
    for (uint32_t i = 0; i < world->workload_count; i++)
        last = world->stats[i].last_completion > last ? world->stats[i].last_completion : last;
    return last;
}

static bool member_of(const void *player, uint32_t workload, uint32_t number,
                      struct workload_delivered *delivered)
{
    const struct world *world = player;
    if (number >= world_instances(world, workload))
        return false;
    *delivered = world_delivered(world, workload, number);
    return true;
}

static void finish_run(struct play *play, struct run *run)
{
    struct world *world = play->world;
    world_close(world, window_end(play));
    world_audit(world);
    deadlock_look(&world->deadlocks, world->engine.now);
    tell_idle(play);
    series_end(&play->series, world->engine.now);
    observe_finish(&play->observe, world->engine.now);
    if (!play->options->blind)
        usages_end(&play->usages, world->engine.now, last_completion(world));
    struct route_table *routes = world_routes(world);
    const struct collect collect = {
        .scenario = play->scenario,
        .stats = world->stats,
        .routes = routes,
        .world = world,
        .member = member_of,
        .player = world,
        .observe = &play->observe,
        .usages = play->options->blind ? NULL : &play->usages,
        .now = world->engine.now,
        .window_end = window_end(play),
        .cut = play->cut_short,
        .until = play->stopped ? play->played : play->options->until,
    };
    struct result *result = &run->result;
    *result = (struct result){
        .waits = breakdown_is_traced(play->observe.waits) ? play->observe.waits : NULL,
        .scenario = play->scenario->name,
        .version = stormglass_version,
        .seed = play->scenario->seed,
        .threads = world->engine.executors,
        .digest = engine_digest(&world->engine),
        .status = play->stopped ? "interrupted" : "complete",
    };
    collect_result(&collect, result);
    const struct run_clock begun = clock_now();
    if (play->options->judge != NULL && !play->stopped && !is_stopped(play))
        play->options->judge(play->options->judge_self, play->scenario, collect.until,
                             engine_events(&world->engine), result);
    run->cost.judge = clock_since(begun);
    expect_eval(play->scenario, result, play->cut_short);
    record_end(play->record, &collect, result);
    free(routes);
    result->waits = NULL;
    result_keep_latencies(result);
}

/* Maximum number of frames in use: pools reuse the frame returned last, so the touched ones are
 * those in use at the same time. */
static uint64_t most_frames(const struct world *world)
{
    uint64_t frames = 0;
    for (uint32_t i = 0; i < world->engine.executors; i++)
        frames += world->executors[i].frames.frames.used - world->executors[i].frames.frames.first;
    return frames;
}

static uint64_t most_queue_pairs(const struct world *world)
{
    uint64_t queue_pairs = 0;
    for (uint32_t i = 0; i < world->host_count; i++)
        for (uint32_t port = 0; port < world->hosts[i]->rnic_count; port++)
            queue_pairs += world->hosts[i]->rnics[port]->qps.used;
    return queue_pairs;
}

static uint64_t tcp_segments(const struct world *world)
{
    uint64_t segments = 0;
    for (uint32_t i = 0; i < world->host_count; i++)
        for (uint32_t port = 0; port < world->hosts[i]->rnic_count; port++)
            if (world->hosts[i]->rnics[port]->tcp != NULL)
                segments += tcp_counters(world->hosts[i]->rnics[port]->tcp)->in_segs;
    return segments;
}

static enum run_end play_recorded(struct play *play, struct run *run)
{
    struct run_cost *cost = &run->cost;
    struct run_clock begun = clock_now();
    struct stop former;
    const bool signals = play->options->listener == NULL;
    if (signals)
        stop_catch(&former);
    play->world->engine.stop = play->stop;
    play_slices(play);
    cost->play = clock_since(begun);
    cost->played_bytes = resident_bytes();
    cost->frames = most_frames(play->world);
    cost->queue_pairs = most_queue_pairs(play->world);
    cost->segments = tcp_segments(play->world);
    begun = clock_now();
    run->reached = play->played;
    if (record_error(play->record) == NULL)
        finish_run(play, run);
    if (signals)
        stop_release(&former);
    if (signals && !play->stopped)
        stop_forget(); /* too late, the run is complete */
    cost->end = clock_since(begun);
    cost->end.wall_s -= cost->judge.wall_s;
    cost->end.cpu_s -= cost->judge.cpu_s;
    cost->peak_bytes = resident_peak_bytes();
    run->wall_s = cost->play.wall_s + cost->end.wall_s;
    run->cpu_s = cost->play.cpu_s + cost->end.cpu_s;
    record_wall(play->record, "wall_s", run->wall_s);
    record_wall(play->record, "cpu_s", run->cpu_s);
    record_wall(play->record, "started_unix_s", (double)time(NULL) - run->wall_s);
    record_tick(play->record, true);
    if (record_error(play->record) == NULL)
        return RUN_DONE;
    snprintf(run->error, sizeof run->error, "%s", record_error(play->record));
    return RUN_BROKEN;
}

static enum run_end play_built(struct play *play, struct run *run)
{
    const struct record_options record = {
        .path = play->options->path,
        .unread = play->options->unread,
        .brief = play->options->brief,
        .members = play->options->members,
        .level = play->options->level,
        .until = play->options->until,
        .threads = play->world->engine.executors,
        .version = stormglass_version,
    };
    run->record = play->record = record_open(&record, play->scenario, run->error);
    if (play->record == NULL)
        return RUN_BROKEN;
    play->observe.record = play->record;
    series_init(&play->series, record_store(play->record), play->world, play->options->interval,
                play->options->level == RECORD_SUMMARY && play->options->interval == SERIES_AUTO);
    play->usages.next = TIME_NEVER;
    if (!play->options->blind)
        usages_init(&play->usages, play->world);
    const enum run_end end = play_recorded(play, run);
    usages_fini(&play->usages);
    series_fini(&play->series);
    return end;
}

static uint32_t processors(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : (uint32_t)online;
}

/* At least one node per thread. */
static struct world *build(const struct play *play, struct diag *diag)
{
    const struct scenario *scenario = play->scenario;
    const struct probe *probe =
        play->options->listener == NULL ? &play->observe.probe : &play->listening.probe;
    uint32_t threads = play->options->threads;
    if (threads == RUN_THREADS_AUTO)
        threads = division_worthwhile(scenario, processors());
    threads = threads < ENGINE_EXECUTORS_MAX ? threads : ENGINE_EXECUTORS_MAX;
    threads = threads < scenario->node_count ? threads : scenario->node_count;
    if (threads <= 1)
        return world_build(scenario, probe, diag);
    uint32_t *executor_of = division_make(scenario, threads);
    const struct world_division division = {threads, executor_of};
    struct world *world = world_build_divided(scenario, probe, &division, diag);
    free(executor_of);
    return world;
}

/* Whether a workload waits for its own messages, not only for NVMe commands. */
static bool sends_messages(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (!scenario->workloads[i].ops->needs_nvme_target)
            return true;
    return false;
}

enum run_end run_scenario(struct run *run, const struct scenario *scenario,
                          const struct run_options *options, struct diag *diag)
{
    CHECK(options->until > 0);
    *run = (struct run){0};
    const struct run_clock begun = clock_now();
    struct play play = {.scenario = scenario, .options = options};
    fabric_init(&play.fabric, scenario);
    const struct observe_wishes wishes = {.frames = options->level == RECORD_PACKETS,
                                          .waits = options->waits,
                                          .acks = sends_messages(scenario)};
    observe_init(&play.observe, &play.fabric, scenario->workload_count, &wishes);
    play.stop = stop_place();
    if (options->listener != NULL) {
        listening_init(&play.listening, options->listener, scenario, &play.observe.probe);
        play.stop = &play.listening.stop;
    }
    play.world = build(&play, diag);
    if (play.world != NULL)
        play.world->looks = options->blind ? 0 : options->until;
    run->cost.build = clock_since(begun);
    run->cost.built_bytes = resident_bytes();
    const enum run_end end = play.world == NULL ? RUN_REFUSED : play_built(&play, run);
    world_free(play.world);
    listening_fini(&play.listening);
    observe_fini(&play.observe);
    fabric_fini(&play.fabric);
    return end;
}

bool run_close(struct run *run)
{
    const bool well = run->record == NULL || record_close(run->record);
    run->record = NULL;
    result_free(&run->result);
    return well;
}
