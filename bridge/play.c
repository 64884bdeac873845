/* SPDX-License-Identifier: Apache-2.0
 * play - devices, target, workloads, time. */
#include "bridge/play_private.h"

#include "base/check.h"
#include "replay/fabric.h"
#include "replay/progress.h"
#include "scenarios/fio.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const time_ps slice = 50 * PS_PER_MS; /* Ctrl-C answers within it */
static const time_ps quiet = PS_PER_S;       /* a target without hosts ends after it */
static const double commit_s = 1.0;

static volatile sig_atomic_t stop_asked;

static void ask_to_stop(int signal_number)
{
    (void)signal_number;
    stop_asked = 1;
}

static void on_idle(void *self)
{
    struct play_instance *instance = self;
    CHECK(!instance->idle && instance->play->busy > 0);
    instance->idle = true;
    if (--instance->play->busy == 0)
        loop_stop(instance->play->loop);
}

static void on_removed(void *self)
{
    struct play *play = self;
    play->gone = true;
    loop_stop(play->loop);
}

/* The portable core cannot go on, and what it holds cannot be given back. */
static void on_fatal(void *self, const char *why)
{
    (void)self;
    fprintf(stderr, "stormglass-bridge: %s\n", why);
    exit(3);
}

/* ------------------------------------------------------------------ what can be played */

static void refuse(struct diag *diag, const struct scenario_workload *workload, const char *why)
{
    diag_add(diag, DIAG_ERROR, workload->place, NULL, "the bridge cannot play '%s': %s",
             workload->name, why);
}

static void survey(struct play *play, struct diag *diag)
{
    play->target_node = UINT32_MAX;
    for (uint32_t i = 0; i < play->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &play->scenario->workloads[i];
        const struct fio_job *job = workload->job;
        if (job != NULL && i != workload->first_job)
            refuse(diag, workload, "its fio file has several jobs");
        for (uint32_t p = 0; p < workload->pair_count; p++) {
            const uint32_t to = workload->pairs[p].to;
            if (play->target_node == UINT32_MAX)
                play->target_node = to;
            if (to != play->target_node) {
                refuse(diag, workload, "it goes to another host than the first workload");
                break;
            }
        }
        play->instance_count += workload->pair_count * workload->copies;
    }
    if (play->target_node == UINT32_MAX)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "the bridge has nothing to play: the scenario has no workload");
}

/* ------------------------------------------------------------------ devices and the target */

static struct env env_of(struct play *play, const char *owner)
{
    return (struct env){.ops = &loop_env_ops,
                        .world = play->loop,
                        .probe = &play->probe,
                        .seed = play->scenario->seed,
                        .owner = owner};
}

static bool open_devices(struct play *play)
{
    const struct play_options *options = &play->options;
    struct verbs_real_site site = {
        .calls = options->calls,
        .loop = play->loop,
        .ip = options->address,
        .any = options->any,
        .busy = options->busy,
        .depth = options->depth,
        .on_removed = on_removed,
        .on_fatal = on_fatal,
        .self = play,
    };
    struct verbs_device *first = verbs_real_open(&site);
    if ((options->role & PLAY_HOST) != 0)
        play->host_device = first;
    else
        play->target_device = first;
    if (first == NULL || options->role != PLAY_BOTH)
        return first != NULL;
    site.ip = options->peer;
    play->target_device = site.ip == options->address ? first : verbs_real_open(&site);
    return play->target_device != NULL;
}

static uint32_t namespaces_of(const struct scenario_host *host)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < host->namespace_count; i++)
        count += host->namespaces[i].count;
    return count;
}

static bool make_target(struct play *play)
{
    const struct scenario_node *node = &play->scenario->nodes[play->target_node];
    const uint32_t count = namespaces_of(node->host);
    struct nvme_target_params params = *node->host->nvme_target;
    if (count == 0)
        return true;
    struct nvme_target_namespace *list = calloc(count, sizeof *list);
    CHECK(list != NULL);
    uint32_t made = 0;
    for (uint32_t i = 0; i < node->host->namespace_count; i++)
        for (uint32_t n = 0; n < node->host->namespaces[i].count; n++)
            list[made++] = (struct nvme_target_namespace){
                .params = *node->host->namespaces[i].params,
                .media = node->host->namespaces[i].media,
                .media_params = node->host->namespaces[i].media_params};
    params.command_cost = 0;
    const struct nvme_target_site site = {
        .env = &play->target_env,
        .verbs = &verbs_real,
        .device = play->target_device,
        .params = &params,
        .namespaces = list,
        .namespace_count = count,
    };
    play->target = nvme_target_create(&site);
    free(list);
    return play->target != NULL;
}

static bool make_listeners(struct play *play)
{
    bool raw = false;
    if ((play->options.role & PLAY_TARGET) == 0)
        return true;
    play->target_env = env_of(play, play->scenario->nodes[play->target_node].name);
    for (uint32_t i = 0; i < play->scenario->workload_count; i++)
        raw |= !play->scenario->workloads[i].ops->needs_nvme_target;
    if (raw)
        play->sink = rdma_sink_create(&play->target_env, &verbs_real, play->target_device);
    return make_target(play) && (!raw || play->sink != NULL);
}

/* ------------------------------------------------------------------ workloads */

static time_ps earlier(time_ps a, time_ps b)
{
    return a < b ? a : b;
}

static void make_instance(struct play *play, struct play_instance *instance, uint32_t index,
                          uint32_t number)
{
    const struct scenario_workload *workload = &play->scenario->workloads[index];
    const uint32_t pair = number / workload->copies;
    const struct scenario_node *from = &play->scenario->nodes[workload->pairs[pair].from];
    const time_ps lead = play->options.lead, end = lead + play->scenario->duration;
    const time_ps delay = workload->job != NULL ? workload->job->start_delay : 0;
    time_ps stop = earlier(lead + workload->stop, end);
    const time_ps start = earlier(lead + workload->start + delay, stop);
    if (workload->job != NULL && workload->job->runtime < stop - start)
        stop = start + workload->job->runtime;
    instance->play = play;
    instance->ops = workload->ops;
    instance->env = env_of(play, from->name);
    instance->nvme = *from->host->nvme_host;
    instance->nvme.submit_cost = instance->nvme.complete_cost = 0;
    const struct workload_site site = {
        .env = &instance->env,
        .verbs = &verbs_real,
        .device = play->host_device,
        .target_ip = play->options.peer,
        .class = workload->class,
        .workload = index,
        .instance = pair,
        .copy = number % workload->copies,
        .serial = (uint32_t)(instance - play->instances) + 1,
        .params = workload->params,
        .nvme_params = &instance->nvme,
        .start = start,
        .stop = stop,
        .stats = &play->world->stats[index],
        .on_idle = on_idle,
        .on_idle_self = instance,
    };
    instance->workload = workload->ops->create(&site);
}

static void make_instances(struct play *play)
{
    uint32_t made = 0;
    if ((play->options.role & PLAY_HOST) == 0)
        play->instance_count = 0;
    play->busy = play->instance_count;
    play->instances = calloc(play->instance_count + 1, sizeof *play->instances);
    CHECK(play->instances != NULL);
    for (uint32_t i = 0; i < play->scenario->workload_count && made < play->instance_count; i++) {
        const struct scenario_workload *workload = &play->scenario->workloads[i];
        for (uint32_t n = 0; n < workload->pair_count * workload->copies; n++)
            make_instance(play, &play->instances[made++], i, n);
    }
}

struct play *play_create(const struct scenario *scenario, const struct play_options *options,
                         struct diag *diag, int *device_errno)
{
    struct play *play = calloc(1, sizeof *play);
    CHECK(play != NULL);
    play->options = *options;
    play->scenario = scenario;
    play->loop = loop_create();
    CHECK(play->loop != NULL);
    fabric_init(&play->fabric, scenario);
    observe_init(&play->observe, &play->fabric, scenario->workload_count, false);
    play->probe = play->observe.probe;
    if (options->role == PLAY_TARGET) /* the other half of a command is at the peer */
        play->probe.target_io = probe_none.target_io;
    survey(play, diag);
    if (!diag_failed(diag))
        play->world = world_build(scenario, &play->observe.probe, diag);
    if (play->world == NULL) {
        play_free(play);
        return NULL;
    }
    if (!open_devices(play) || !make_listeners(play)) {
        *device_errno = errno != 0 ? errno : EIO;
        play_free(play);
        return NULL;
    }
    make_instances(play);
    return play;
}

/* ------------------------------------------------------------------ time */

static uint32_t hosts_here(const struct play *play)
{
    return verbs_real_counters(play->target_device)->open;
}

/* True when a target that is alone has had hosts, and has none any more for a while. */
static bool deserted(struct play *play, time_ps *alone_since)
{
    const struct verbs_real_counters *counters = verbs_real_counters(play->target_device);
    const time_ps now = loop_now(play->loop);
    if (play->options.serve || counters->accepts == 0 || hosts_here(play) > 0)
        *alone_since = TIME_NEVER;
    else if (*alone_since == TIME_NEVER)
        *alone_since = now;
    return *alone_since != TIME_NEVER && now - *alone_since >= quiet;
}

static bool is_over(struct play *play, time_ps last, time_ps *alone_since)
{
    if (stop_asked || play->gone || record_error(play->record) != NULL)
        return true;
    if (play->options.role == PLAY_TARGET)
        return deserted(play, alone_since);
    return play->busy == 0 || loop_now(play->loop) >= last;
}

static void play_slices(struct play *play)
{
    const time_ps end = play->options.lead + play->scenario->duration;
    const time_ps drain = play->scenario->drain;
    const bool endless = play->options.role == PLAY_TARGET || end > TIME_NEVER - drain;
    const time_ps last = endless ? TIME_NEVER : end + drain;
    time_ps alone_since = TIME_NEVER;
    loop_begin(play->loop);
    double committed_s = progress_clock_s();
    for (uint32_t i = 0; i < play->instance_count; i++) {
        loop_touch(play->loop);
        play->instances[i].ops->start(play->instances[i].workload);
    }
    while (!is_over(play, last, &alone_since)) {
        loop_run(play->loop, earlier(loop_now(play->loop) + slice, last));
        loop_touch(play->loop);
        const bool due = progress_clock_s() - committed_s >= commit_s;
        committed_s = due ? progress_clock_s() : committed_s;
        record_tick(play->record, due);
    }
    play->cut_short = stop_asked || play->options.role == PLAY_TARGET;
}

static double cpu_clock_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool play_run(struct play *play)
{
    struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
    struct sigaction interrupt, terminate;
    if (!play_record_open(play))
        return false;
    sigemptyset(&action.sa_mask);
    stop_asked = 0;
    sigaction(SIGINT, &action, &interrupt);
    sigaction(SIGTERM, &action, &terminate);
    play->wall_s = progress_clock_s();
    play->cpu_s = cpu_clock_s();
    play_slices(play);
    play->wall_s = progress_clock_s() - play->wall_s;
    play->cpu_s = cpu_clock_s() - play->cpu_s;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGTERM, &terminate, NULL);
    if (record_error(play->record) == NULL)
        play_record_finish(play);
    if (play->gone)
        snprintf(play->error, sizeof play->error, "the RDMA device was removed");
    if (record_error(play->record) != NULL)
        snprintf(play->error, sizeof play->error, "%s", record_error(play->record));
    return play->error[0] == '\0';
}

bool play_free(struct play *play)
{
    for (uint32_t i = 0; play->instances != NULL && i < play->instance_count; i++)
        play->instances[i].ops->destroy(play->instances[i].workload);
    free(play->instances);
    if (play->target != NULL)
        nvme_target_destroy(play->target);
    if (play->sink != NULL)
        rdma_sink_destroy(play->sink);
    if (play->host_device != NULL)
        verbs_real_close(play->host_device);
    if (play->target_device != NULL && play->target_device != play->host_device)
        verbs_real_close(play->target_device);
    const bool well = play->record == NULL || record_close(play->record);
    result_free(&play->result);
    world_free(play->world);
    observe_fini(&play->observe);
    fabric_fini(&play->fabric);
    loop_free(play->loop);
    free(play);
    return well;
}
