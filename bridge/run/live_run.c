/* SPDX-License-Identifier: Apache-2.0
 * live_run - targets, time. */
#include "base/memory.h"
#include "base/units.h"
#include "bridge/run/live_private.h"

#include "base/check.h"
#include "base/printable.h"
#include "replay/run/fabric.h"
#include "replay/run/progress.h"
#include "replay/run/stop.h"
#include "rnic/host/rnic.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const time_ps slice = 50 * PS_PER_MS; /* longest delay of the reaction to Ctrl-C */
static const time_ps quiet = PS_PER_S;       /* a target without hosts ends after this time */
static const double commit_s = 1.0;

/* ------------------------------------------------------------------ targets */

struct env live_env(struct live_run *run, const char *owner)
{
    return (struct env){.ops = &loop_env_ops,
                        .world = run->loop,
                        .probe = &run->probe,
                        .seed = run->scenario->seed,
                        .owner = owner};
}

/* Creates a sink on each NIC if there are raw RDMA workloads. */
static bool make_sinks(struct live_target *target)
{
    for (uint32_t i = 0; target->run->raw && i < target->nics.count; i++) {
        struct verbs_device *device = live_device_at(target->run, target->nics.ip[i]);
        target->sinks[i] = rdma_sink_create(&target->env, &verbs_real, device);
        if (target->sinks[i] == NULL)
            return false;
    }
    live_guard_sinks(target);
    return true;
}

static bool make_listeners(struct live_run *run)
{
    for (uint32_t i = 0; i < run->target_count; i++) {
        struct live_target *target = &run->targets[i];
        if (!target->here)
            continue;
        target->env = live_env(run, run->scenario->nodes[target->node].name);
        if (!make_sinks(target) || !live_target_make(target))
            return false;
    }
    return true;
}

struct live_run *live_create(const struct scenario *scenario, const struct live_options *options,
                             struct diag *diag, char why[LIVE_WHY_BYTES])
{
    struct live_run *run = memory_new(sizeof *run);
    why[0] = '\0';
    run->options = *options;
    run->scenario = scenario;
    run->loop = loop_create();
    CHECK(run->loop != NULL);
    fabric_init(&run->fabric, scenario);
    observe_init(&run->observe, &run->fabric, scenario->workload_count,
                 &(struct observe_wishes){0});
    run->probe = run->observe.probe;
    if (options->role == LIVE_TARGET) /* the other half of a command is at the peer */
        run->probe.target_io = probe_none.target_io;
    run->zero = options->lead;
    live_targets_find(run, diag);
    run->verbs = run->by_tcp ? &verbs_tcp : &verbs_real;
    live_access_prepare(run);
    live_access_guard(run);
    live_survey(run, diag);
    if (!diag_failed(diag)) /* prepared last, because it creates files */
        live_target_prepare(run, diag);
    if (diag_failed(diag)) {
        live_free(run);
        return NULL;
    }
    live_capture_begin(run);
    const bool open = live_devices_open(run, why);
    if (!open || !make_listeners(run) || !live_agree_listen(run)) {
        if (open)
            snprintf(why, LIVE_WHY_BYTES, "cannot listen for connections: %s",
                     strerror(errno != 0 ? errno : EIO));
        live_free(run);
        return NULL;
    }
    live_survey_devices(run, diag);
    live_target_keep(run);
    live_hosts_init(run);
    live_faults_init(run);
    return run;
}

/* ------------------------------------------------------------------ time */

/* True if a target without local hosts has had hosts and then none for a while. */
static bool is_deserted(struct live_run *run, time_ps *alone_since)
{
    const struct live_counts counts = live_counts(run);
    const time_ps now = loop_now(run->loop);
    if (run->options.serve || counts.had == 0 || counts.has > 0)
        *alone_since = TIME_NEVER;
    else if (*alone_since == TIME_NEVER)
        *alone_since = now;
    return *alone_since != TIME_NEVER && now - *alone_since >= quiet;
}

bool live_stopped(const struct live_run *run)
{
    return stop_asked() != 0 || run->gone;
}

static bool is_over(struct live_run *run, time_ps last, time_ps *alone_since)
{
    if (live_stopped(run) || record_error(run->record) != NULL)
        return true;
    if (run->options.role == LIVE_TARGET)
        return is_deserted(run, alone_since);
    return live_hosts_attend(run) || loop_now(run->loop) >= last;
}

static void live_slices(struct live_run *run)
{
    const time_ps end = run->zero + run->scenario->duration;
    const time_ps drain = run->scenario->drain;
    const bool endless = run->options.role == LIVE_TARGET || end > TIME_NEVER - drain;
    const time_ps last = endless ? TIME_NEVER : end + drain;
    time_ps alone_since = TIME_NEVER;
    double committed_s = progress_clock_s();
    if (run->options.role != LIVE_TARGET || run->options.foreign)
        live_faults_set(run);
    while (!is_over(run, last, &alone_since)) {
        loop_run(run->loop, time_earlier(loop_now(run->loop) + slice, last));
        loop_touch(run->loop);
        if (run->agreed.joined > 0 && run->zero != run->agreed.last_zero) {
            run->zero = run->agreed.last_zero;
            live_faults_set(run);
        }
        const bool due = progress_clock_s() - committed_s >= commit_s;
        committed_s = due ? progress_clock_s() : committed_s;
        record_reached(run->record, loop_now(run->loop));
        record_tick(run->record, due);
    }
    run->cut_short = stop_asked() != 0 || run->options.role == LIVE_TARGET;
}

static double cpu_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void live_and_record(struct live_run *run)
{
    if (!live_record_open(run))
        return;
    run->wall_s = progress_clock_s();
    run->cpu_s = cpu_clock_s();
    live_slices(run);
    run->wall_s = progress_clock_s() - run->wall_s;
    run->cpu_s = cpu_clock_s() - run->cpu_s;
    if (record_error(run->record) == NULL)
        live_record_finish(run);
    if (run->gone)
        snprintf(run->error, sizeof run->error, "the RDMA device was removed");
    if (record_error(run->record) != NULL)
        snprintf(run->error, sizeof run->error, "%s", record_error(run->record));
}

bool live_run(struct live_run *run)
{
    struct stop former;
    stop_catch(&former);
    loop_begin(run->loop);
    if (live_agree_ask(run))
        live_and_record(run);
    stop_release(&former);
    stop_forget(); /* the run ended as requested, so its result counts */
    return run->error[0] == '\0';
}

bool live_free(struct live_run *run)
{
    live_hosts_fini(run);
    live_faults_fini(run);
    live_agree_fini(run);
    for (uint32_t i = 0; i < run->target_count; i++) {
        live_target_free(&run->targets[i]);
        for (uint32_t n = 0; n < NICS_MAX; n++)
            if (run->targets[i].sinks[n] != NULL)
                rdma_sink_destroy(run->targets[i].sinks[n]);
    }
    live_devices_close(run);
    free(run->targets);
    free(run->stores);
    const bool well = run->record == NULL || record_close(run->record);
    result_free(&run->result);
    free(run->stats);
    observe_fini(&run->observe);
    fabric_fini(&run->fabric);
    loop_free(run->loop);
    free(run);
    return well;
}
