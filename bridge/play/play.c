/* SPDX-License-Identifier: Apache-2.0
 * play - devices, targets, time. */
#include "base/memory.h"
#include "base/units.h"
#include "bridge/play/play_private.h"

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
    struct play *play = self;
    play->gone = true;
    loop_stop(play->loop);
}

static void on_port(void *self, bool up)
{
    (void)self;
    printable_say("stormglass-bridge", "the port of the RDMA device %s",
                  up ? "is up again" : "went down: outstanding work ends by its timeouts");
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

struct env play_env(struct play *play, const char *owner)
{
    return (struct env){.ops = &loop_env_ops,
                        .world = play->loop,
                        .probe = &play->probe,
                        .seed = play->scenario->seed,
                        .owner = owner};
}

struct verbs_device *play_device_at(const struct play *play, uint32_t ip)
{
    for (uint32_t i = 0; i < play->device_count; i++)
        if (play->devices[i].ip == ip)
            return play->devices[i].device;
    return NULL;
}

/* READs in flight that the scenario allows the queue pairs of its targets; each device limits them
 * further. */
static int64_t rd_atomic_of(const struct play *play)
{
    int64_t least = 0;
    for (uint32_t i = 0; i < play->target_count; i++) {
        const struct scenario_node *node = &play->scenario->nodes[play->targets[i].node];
        if (least == 0 || node->host->rnic->max_rd_atomic < least)
            least = node->host->rnic->max_rd_atomic;
    }
    return least;
}

/* The smallest path MTU of all hosts, so that both ends compute the same value. A foreign peer has
 * that of the REQ, which is the port's. */
static int64_t path_mtu_of(const struct play *play)
{
    int64_t least = 0;
    if (play->options.foreign)
        return 0;
    for (uint32_t i = 0; i < play->scenario->host_count; i++) {
        const int64_t wanted = play->scenario->nodes[i].host->rnic->path_mtu;
        least = least == 0 || wanted < least ? wanted : least;
    }
    return least;
}

static struct verbs_real_wishes wishes_of(const struct play *play, uint32_t node)
{
    const struct rnic_params *rnic = play->scenario->nodes[node].host->rnic;
    static_assert((int)VERBS_REAL_ANY == (int)RNIC_AUTO, "nothing asked for");
    return (struct verbs_real_wishes){
        .retry_count = rnic->retry_count,
        .rnr_retry = rnic->rnr_retry,
        .min_rnr_timer = rnic->min_rnr_timer,
        .timeout = rnic->timeout,
        .accept_timeout = rnic->accept_timeout,
        .path_mtu = path_mtu_of(play),
        .max_rd_atomic = rd_atomic_of(play),
        .dscp = rnic->dscp,
        .accept_dscp = rnic->accept_dscp,
        .inline_size = rnic->pipeline.inline_size,
    };
}

/* False, with the reason. */
static bool open_device(struct play *play, uint32_t ip, uint32_t node, char why[PLAY_WHY_BYTES])
{
    const struct play_options *options = &play->options;
    const struct verbs_real_wishes wishes = wishes_of(play, node);
    const struct verbs_real_site site = {
        .calls = options->calls,
        .loop = play->loop,
        .ip = ip,
        .any = options->any,
        .busy = options->busy,
        .depth = options->depth,
        .wishes = &wishes,
        .admits = play_access_admits,
        .on_removed = on_removed,
        .on_port = on_port,
        .on_refused = on_refused,
        .on_fatal = on_fatal,
        .self = play,
    };
    if (play_device_at(play, ip) != NULL)
        return true;
    struct verbs_device *open = verbs_real_open(&site);
    if (open == NULL) {
        snprintf(why, PLAY_WHY_BYTES, "no usable RDMA device at the address: %s", strerror(errno));
        return false;
    }
    play->devices[play->device_count++] = (struct play_device){ip, open};
    return verbs_real_can(open, why);
}

static bool open_all(struct play *play, const struct places_nics *nics, uint32_t node,
                     char why[PLAY_WHY_BYTES])
{
    for (uint32_t i = 0; i < nics->count; i++)
        if (!open_device(play, nics->ip[i], node, why))
            return false;
    return true;
}

/* All hosts are one device here, with the requested settings of the first host. */
static bool open_devices(struct play *play, char why[PLAY_WHY_BYTES])
{
    const bool host = (play->options.role & PLAY_HOST) != 0;
    const uint32_t first = play->scenario->workloads[0].pairs[0].from;
    play->devices =
        memory_zeroed((1 + (size_t)play->target_count) * NICS_MAX, sizeof *play->devices);
    bool open = !host || open_all(play, &play->options.address, first, why);
    for (uint32_t i = 0; open && i < play->target_count; i++)
        if (play->targets[i].here)
            open = open_all(play, &play->targets[i].nics, play->targets[i].node, why);
    return open;
}

static void each_device(const struct play *play,
                        void (*call)(void *self, struct verbs_device *device), void *self)
{
    for (uint32_t i = 0; i < play->device_count; i++)
        call(self, play->devices[i].device);
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

struct verbs_real_counters play_counters(const struct play *play)
{
    struct verbs_real_counters sum = {0};
    each_device(play, add_counters, &sum);
    return sum;
}

/* Creates a sink on each NIC if there are raw RDMA workloads. */
static bool make_sinks(struct play_target *target)
{
    for (uint32_t i = 0; target->play->raw && i < target->nics.count; i++) {
        struct verbs_device *device = play_device_at(target->play, target->nics.ip[i]);
        target->sinks[i] = rdma_sink_create(&target->env, &verbs_real, device);
        if (target->sinks[i] == NULL)
            return false;
    }
    play_guard_sinks(target);
    return true;
}

static bool make_listeners(struct play *play)
{
    for (uint32_t i = 0; i < play->target_count; i++) {
        struct play_target *target = &play->targets[i];
        if (!target->here)
            continue;
        target->env = play_env(play, play->scenario->nodes[target->node].name);
        if (!make_sinks(target) || !play_target_make(target))
            return false;
    }
    return true;
}

struct play *play_create(const struct scenario *scenario, const struct play_options *options,
                         struct diag *diag, char why[PLAY_WHY_BYTES])
{
    struct play *play = memory_new(sizeof *play);
    why[0] = '\0';
    play->options = *options;
    play->scenario = scenario;
    play->loop = loop_create();
    CHECK(play->loop != NULL);
    fabric_init(&play->fabric, scenario);
    observe_init(&play->observe, &play->fabric, scenario->workload_count,
                 &(struct observe_wishes){0});
    play->probe = play->observe.probe;
    if (options->role == PLAY_TARGET) /* the other half of a command is at the peer */
        play->probe.target_io = probe_none.target_io;
    play->zero = options->lead;
    play_places_find(play, diag);
    play_access_prepare(play);
    play_survey(play, diag);
    if (!diag_failed(diag)) /* prepared last, because it creates files */
        play_target_prepare(play, diag);
    if (diag_failed(diag)) {
        play_free(play);
        return NULL;
    }
    const bool open = open_devices(play, why);
    if (!open || !make_listeners(play) || !play_agree_listen(play)) {
        if (open)
            snprintf(why, PLAY_WHY_BYTES, "no connection can be listened for: %s",
                     strerror(errno != 0 ? errno : EIO));
        play_free(play);
        return NULL;
    }
    play_survey_devices(play, diag);
    play_target_keep(play);
    play_hosts_init(play);
    play_faults_init(play);
    return play;
}

/* ------------------------------------------------------------------ time */

/* True if a target without local hosts has had hosts and then none for a while. */
static bool is_deserted(struct play *play, time_ps *alone_since)
{
    const struct verbs_real_counters counters = play_counters(play);
    const time_ps now = loop_now(play->loop);
    if (play->options.serve || counters.accepts == 0 || counters.open > 0)
        *alone_since = TIME_NEVER;
    else if (*alone_since == TIME_NEVER)
        *alone_since = now;
    return *alone_since != TIME_NEVER && now - *alone_since >= quiet;
}

bool play_stopped(const struct play *play)
{
    return stop_asked() != 0 || play->gone;
}

static bool is_over(struct play *play, time_ps last, time_ps *alone_since)
{
    if (play_stopped(play) || record_error(play->record) != NULL)
        return true;
    if (play->options.role == PLAY_TARGET)
        return is_deserted(play, alone_since);
    return play_hosts_attend(play) || loop_now(play->loop) >= last;
}

static void play_slices(struct play *play)
{
    const time_ps end = play->zero + play->scenario->duration;
    const time_ps drain = play->scenario->drain;
    const bool endless = play->options.role == PLAY_TARGET || end > TIME_NEVER - drain;
    const time_ps last = endless ? TIME_NEVER : end + drain;
    time_ps alone_since = TIME_NEVER;
    double committed_s = progress_clock_s();
    if (play->options.role != PLAY_TARGET || play->options.foreign)
        play_faults_set(play);
    while (!is_over(play, last, &alone_since)) {
        loop_run(play->loop, time_earlier(loop_now(play->loop) + slice, last));
        loop_touch(play->loop);
        if (play->agreed.joined > 0 && play->zero != play->agreed.last_zero) {
            play->zero = play->agreed.last_zero;
            play_faults_set(play);
        }
        const bool due = progress_clock_s() - committed_s >= commit_s;
        committed_s = due ? progress_clock_s() : committed_s;
        record_reached(play->record, loop_now(play->loop));
        record_tick(play->record, due);
    }
    play->cut_short = stop_asked() != 0 || play->options.role == PLAY_TARGET;
}

static double cpu_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void play_and_record(struct play *play)
{
    if (!play_record_open(play))
        return;
    play->wall_s = progress_clock_s();
    play->cpu_s = cpu_clock_s();
    play_slices(play);
    play->wall_s = progress_clock_s() - play->wall_s;
    play->cpu_s = cpu_clock_s() - play->cpu_s;
    if (record_error(play->record) == NULL)
        play_record_finish(play);
    if (play->gone)
        snprintf(play->error, sizeof play->error, "the RDMA device was removed");
    if (record_error(play->record) != NULL)
        snprintf(play->error, sizeof play->error, "%s", record_error(play->record));
}

bool play_run(struct play *play)
{
    struct stop former;
    stop_catch(&former);
    loop_begin(play->loop);
    if (play_agree_ask(play))
        play_and_record(play);
    stop_release(&former);
    stop_forget(); /* the run ended as requested, so its result counts */
    return play->error[0] == '\0';
}

static void close_device(void *self, struct verbs_device *device)
{
    (void)self;
    verbs_real_close(device);
}

bool play_free(struct play *play)
{
    play_hosts_fini(play);
    play_faults_fini(play);
    play_agree_fini(play);
    for (uint32_t i = 0; i < play->target_count; i++) {
        play_target_drop(&play->targets[i]);
        for (uint32_t n = 0; n < NICS_MAX; n++)
            if (play->targets[i].sinks[n] != NULL)
                rdma_sink_destroy(play->targets[i].sinks[n]);
    }
    each_device(play, close_device, NULL);
    free(play->devices);
    free(play->targets);
    free(play->stores);
    const bool well = play->record == NULL || record_close(play->record);
    result_free(&play->result);
    free(play->stats);
    observe_fini(&play->observe);
    fabric_fini(&play->fabric);
    loop_free(play->loop);
    free(play);
    return well;
}
