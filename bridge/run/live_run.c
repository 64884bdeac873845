/* SPDX-License-Identifier: Apache-2.0
 * live_run - devices, targets, time. */
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

static void on_removed(void *self)
{
    struct live_run *run = self;
    run->gone = true;
    loop_stop(run->loop);
}

static void on_port(void *self, bool up)
{
    (void)self;
    printable_say("stormglass-bridge", "the port of the RDMA device %s",
                  up ? "is up again" : "went down: outstanding operations end by their timeouts");
}

static void on_refused(void *self, const char *why)
{
    (void)self;
    printable_say("stormglass-bridge", "a connection was refused: %s", why);
}

/* The portable core cannot continue, and its memory cannot be released. */
static void on_fatal(void *self, const char *why)
{
    (void)self;
    printable_say("stormglass-bridge", "%s", why);
    exit(3);
}

/* ------------------------------------------------------------------ devices and targets */

struct env live_env(struct live_run *run, const char *owner)
{
    return (struct env){.ops = &loop_env_ops,
                        .world = run->loop,
                        .probe = &run->probe,
                        .seed = run->scenario->seed,
                        .owner = owner};
}

struct verbs_device *live_device_at(const struct live_run *run, uint32_t ip)
{
    for (uint32_t i = 0; i < run->device_count; i++)
        if (run->devices[i].ip == ip)
            return run->devices[i].device;
    return NULL;
}

/* READs in flight that the scenario allows the queue pairs of its targets; each device limits them
 * further. */
static int64_t rd_atomic_of(const struct live_run *run)
{
    int64_t least = 0;
    for (uint32_t i = 0; i < run->target_count; i++) {
        const struct scenario_node *node = &run->scenario->nodes[run->targets[i].node];
        if (least == 0 || node->host->rnic->max_rd_atomic < least)
            least = node->host->rnic->max_rd_atomic;
    }
    return least;
}

/* The smallest path MTU of all hosts, so that both ends compute the same value. A foreign peer has
 * that of the REQ, which is the port's. */
static int64_t path_mtu_of(const struct live_run *run)
{
    int64_t least = 0;
    if (run->options.foreign)
        return 0;
    for (uint32_t i = 0; i < run->scenario->host_count; i++) {
        const int64_t wanted = run->scenario->nodes[i].host->rnic->path_mtu;
        least = least == 0 || wanted < least ? wanted : least;
    }
    return least;
}

static struct verbs_real_wishes wishes_of(const struct live_run *run, uint32_t node)
{
    const struct rnic_params *rnic = run->scenario->nodes[node].host->rnic;
    static_assert((int)VERBS_REAL_ANY == (int)RNIC_AUTO, "nothing asked for");
    return (struct verbs_real_wishes){
        .retry_count = rnic->retry_count,
        .rnr_retry = rnic->rnr_retry,
        .min_rnr_timer = rnic->min_rnr_timer,
        .timeout = rnic->timeout,
        .accept_timeout = rnic->accept_timeout,
        .path_mtu = path_mtu_of(run),
        .max_rd_atomic = rd_atomic_of(run),
        .dscp = rnic->dscp,
        .accept_dscp = rnic->accept_dscp,
        .inline_size = rnic->pipeline.inline_size,
    };
}

/* False, with the reason. */
static bool open_device(struct live_run *run, uint32_t ip, uint32_t node, char why[LIVE_WHY_BYTES])
{
    const struct live_options *options = &run->options;
    const struct verbs_real_wishes wishes = wishes_of(run, node);
    const struct verbs_real_site site = {
        .calls = options->calls,
        .loop = run->loop,
        .ip = ip,
        .any = options->any,
        .busy = options->busy,
        .depth = options->depth,
        .wishes = &wishes,
        .admits = live_access_admits,
        .on_removed = on_removed,
        .on_port = on_port,
        .on_refused = on_refused,
        .on_fatal = on_fatal,
        .self = run,
    };
    if (live_device_at(run, ip) != NULL)
        return true;
    struct verbs_device *open = verbs_real_open(&site);
    if (open == NULL) {
        snprintf(why, LIVE_WHY_BYTES, "no usable RDMA device at the address: %s", strerror(errno));
        return false;
    }
    run->devices[run->device_count++] = (struct live_device){ip, open};
    return verbs_real_can(open, why);
}

static bool open_all(struct live_run *run, const struct nic_addresses *nics, uint32_t node,
                     char why[LIVE_WHY_BYTES])
{
    for (uint32_t i = 0; i < nics->count; i++)
        if (!open_device(run, nics->ip[i], node, why))
            return false;
    return true;
}

/* All hosts are one device here, with the requested settings of the first host. */
static bool open_devices(struct live_run *run, char why[LIVE_WHY_BYTES])
{
    const bool host = (run->options.role & LIVE_HOST) != 0;
    const uint32_t first = run->scenario->workloads[0].pairs[0].from;
    run->devices = memory_zeroed((1 + (size_t)run->target_count) * NICS_MAX, sizeof *run->devices);
    bool open = !host || open_all(run, &run->options.address, first, why);
    for (uint32_t i = 0; open && i < run->target_count; i++)
        if (run->targets[i].here)
            open = open_all(run, &run->targets[i].nics, run->targets[i].node, why);
    return open;
}

static void each_device(const struct live_run *run,
                        void (*call)(void *self, struct verbs_device *device), void *self)
{
    for (uint32_t i = 0; i < run->device_count; i++)
        call(self, run->devices[i].device);
}

static void add_counters(void *self, struct verbs_device *device)
{
    struct verbs_real_counters *sum = self;
    const struct verbs_real_counters *counters = verbs_real_counters(device);
#define X(member, name) sum->member += counters->member;
    VERBS_REAL_COUNTERS(X)
#undef X
    sum->open += counters->open;
}

struct verbs_real_counters live_counters(const struct live_run *run)
{
    struct verbs_real_counters sum = {0};
    each_device(run, add_counters, &sum);
    return sum;
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
    live_access_prepare(run);
    live_survey(run, diag);
    if (!diag_failed(diag)) /* prepared last, because it creates files */
        live_target_prepare(run, diag);
    if (diag_failed(diag)) {
        live_free(run);
        return NULL;
    }
    const bool open = open_devices(run, why);
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
    const struct verbs_real_counters counters = live_counters(run);
    const time_ps now = loop_now(run->loop);
    if (run->options.serve || counters.accepts == 0 || counters.open > 0)
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

static void close_device(void *self, struct verbs_device *device)
{
    (void)self;
    verbs_real_close(device);
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
    each_device(run, close_device, NULL);
    free(run->devices);
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
