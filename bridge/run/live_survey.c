/* SPDX-License-Identifier: Apache-2.0
 * live_survey - features of a scenario that real devices do not have.
 * The bridge applies faults of a target's software, in the process that runs the target. Other
 * faults affect links, switches and devices, which the bridge does not control. They may be applied
 * externally (tc netem, a switch's command line); then the bridge prints which faults, and when. */
#include "bridge/run/live_private.h"

#include "base/plural.h"
#include "replay/database/words.h"
#include "scenarios/check/check.h"
#include "scenarios/data/fault.h"
#include "scenarios/workload/wl_nvme.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

static void add_fault(const struct live_run *run, const struct scenario_fault *fault, char *text,
                      size_t size)
{
    const size_t used = strlen(text);
    const struct scenario_spot *spot = &fault->spots[0];
    if (size - used < 2)
        return;
    const int wrote = snprintf(text + used, size - used, "%s%s at %s", used > 0 ? "; " : "",
                               fault->ops->name, words_time(fault->at).text);
    size_t at = used + (wrote > 0 ? (size_t)wrote : 0);
    if (fault->end != TIME_NEVER && at < size)
        at += (size_t)snprintf(text + at, size - at, " for %s",
                               words_time(fault->end - fault->at).text);
    if (fault->spot_count > 0 && at < size)
        snprintf(text + at, size - at, " on %s%s", run->scenario->nodes[spot->node].name,
                 fault->spot_count > 1 ? " and others" : "");
}

void live_survey_faults(const struct live_run *run, char *text, size_t size)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < run->scenario->fault_count; i++)
        if (run->options.faults_outside)
            add_fault(run, &run->scenario->faults[i], text, size);
}

static void refuse_faults(const struct live_run *run, struct diag *diag)
{
    for (uint32_t i = 0; i < run->scenario->fault_count; i++) {
        const struct scenario_fault *fault = &run->scenario->faults[i];
        if (live_faults_can(run, fault))
            continue;
        diag_add(diag, DIAG_ERROR, fault->place, NULL,
                 "the bridge cannot inject the fault %s: remove it, or inject it by other means "
                 "and use --faults external",
                 fault->ops->name);
    }
}

/* Protection information is modeled with tags; real blocks would have none. */
static void refuse_protection(const struct live_run *run, struct diag *diag)
{
    for (uint32_t i = 0; i < run->scenario->host_count; i++) {
        const struct scenario_host *host = run->scenario->nodes[i].host;
        for (uint32_t n = 0; n < host->namespace_count; n++)
            if (host->namespaces[n].params->pi_type > 0) {
                diag_add(diag, DIAG_ERROR, host->namespaces[n].place, NULL,
                         "the bridge does not store protection information: expected pi-type: 0");
                return;
            }
    }
}

/* An admin queue and the I/O queues of each controller. */
static uint64_t connections_of(const struct scenario_workload *workload,
                               const struct nvme_host_params *host)
{
    const uint64_t queues = (uint64_t)wl_nvme_queues(workload->params, host) + 1;
    const uint32_t paths = workload->paths > 0 ? workload->paths : 1;
    return (uint64_t)workload->copies * workload->turns * paths * queues;
}

/* to: node of a target; UINT32_MAX: all ends that are in this process. */
static uint64_t count_connections(const struct live_run *run, uint32_t to)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < run->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &run->scenario->workloads[i];
        for (uint32_t p = 0; p < workload->pair_count; p++) {
            const struct scenario_pair *pair = &workload->pairs[p];
            const uint32_t ends = (uint32_t)live_here(run, pair->from) + live_here(run, pair->to);
            const struct nvme_host_params *host =
                &run->scenario->nodes[pair->from].host->nvme_host->core;
            count += connections_of(workload, host) * (to == UINT32_MAX ? ends : pair->to == to);
        }
    }
    return count;
}

static void refuse_connections(const struct live_run *run, struct diag *diag)
{
    struct rlimit limit;
    for (uint32_t i = 0; i < run->target_count; i++) {
        const struct live_target *target = &run->targets[i];
        const uint64_t count = count_connections(run, target->node);
        const uint64_t most = (uint64_t)target->nics.count * STREAM_REAL_ACCEPTED_MAX;
        if (target->here && count > most)
            diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                     "queues of the workloads to %s, each a TCP connection: %" PRIu64
                     ", expected at most %" PRIu64,
                     run->scenario->nodes[target->node].name, count, most);
    }
    const uint64_t needed = count_connections(run, UINT32_MAX) + STREAM_REAL_RESERVE;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        needed > limit.rlim_cur)
        diag_add(diag, DIAG_ERROR, (struct diag_place){0}, NULL,
                 "file descriptors for the TCP connections of the workloads: %" PRIu64
                 " needed, the limit is %" PRIu64 " (ulimit -n)",
                 needed, (uint64_t)limit.rlim_cur);
}

/* Reports paths of the model that these addresses do not provide. */
static void note_paths(const struct live_run *run, struct diag *diag)
{
    struct nic_pair list[NICS_PATHS_MAX];
    for (uint32_t i = 0; i < run->scenario->workload_count; i++) {
        const struct scenario_workload *workload = &run->scenario->workloads[i];
        const struct scenario_pair *pair = &workload->pairs[0];
        if (workload->paths == 0 || !live_here(run, pair->from))
            continue;
        const uint32_t there = nics_paths(run->scenario, workload, pair, list);
        const uint32_t wanted = there < workload->paths ? there : workload->paths;
        const uint32_t had = live_nics_paths(run, i, 0);
        if (had < wanted)
            diag_add(diag, DIAG_NOTE, workload->place, NULL,
                     "'%s': %u of its %u %s: give the addresses of all NICs as --address A+A2 and "
                     "--peer B+B2",
                     workload->name, had, wanted, plural(wanted, "path", "paths"));
    }
}

static bool is_named(const char *path, const char *row)
{
    return strcmp(strrchr(path, '.') + 1, row) == 0;
}

static bool is_wish(const char *path)
{
    static const char *const rows[] = {
#define X(member, row) row,
        VERBS_REAL_WISHES(X)
#undef X
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is_named(path, rows[i]))
            return true;
    return false;
}

static bool is_unused_of_nic(const struct live_run *run, const char *path)
{
    if (strstr(path, run->by_tcp ? ".tcp." : ".rnic.") == NULL)
        return false;
    return run->by_tcp ? !is_named(path, "dscp") : !is_wish(path);
}

/* Settings of the fabric, and of RNICs or of TCP, which real hardware and the kernel determine,
 * except those that can be requested. Topologies still provide the names. */
static bool is_without_meaning(const struct live_run *run, const struct scenario_setting *setting)
{
    const bool fabric = strncmp(setting->path, "fabric.", 7) == 0 &&
                        strncmp(setting->path, "fabric.topology.", 16) != 0;
    return setting->where.file != NULL && setting->profile == NULL &&
           (fabric || is_unused_of_nic(run, setting->path));
}

static void note_settings(const struct live_run *run, struct diag *diag)
{
    const struct scenario *scenario = run->scenario;
    char list[320] = "";
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const char *path = scenario->settings[i].path;
        const size_t used = strlen(list);
        if (!is_without_meaning(run, &scenario->settings[i]))
            continue;
        if (used + strlen(path) + sizeof ", " > sizeof list)
            left_out++;
        else
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", path);
    }
    char more[32] = "";
    if (left_out > 0)
        snprintf(more, sizeof more, " and %u more", left_out);
    if (list[0] != '\0')
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, NULL,
                 "the fabric and %s real; these settings are not used: %s%s",
                 run->by_tcp ? "TCP are" : "the RNICs are", list, more);
}

static void note_mtu(const struct live_run *run, const struct verbs_device *device, uint32_t node,
                     struct diag *diag)
{
    const int64_t wanted = run->scenario->nodes[node].host->rnic->path_mtu;
    const int64_t had = verbs_real_path_mtu(device);
    if (had > 0 && wanted > had)
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, NULL,
                 "path MTU is %lld B and not %lld B: the port of %s allows no more", (long long)had,
                 (long long)wanted, verbs_real_name(device));
    else if (wanted < had && run->options.foreign)
        diag_add(diag, DIAG_NOTE, (struct diag_place){0}, NULL,
                 "path MTU is %lld B and not %lld B: peers with other software use the path MTU of "
                 "the port",
                 (long long)had, (long long)wanted);
}

void live_survey_devices(const struct live_run *run, struct diag *diag)
{
    if (run->by_tcp)
        return;
    if ((run->options.role & LIVE_HOST) != 0)
        note_mtu(run, live_device(run), run->scenario->workloads[0].pairs[0].from, diag);
    for (uint32_t i = 0; i < run->target_count && run->options.role == LIVE_TARGET; i++)
        note_mtu(run, live_device_at(run, run->targets[i].nics.ip[0]), run->targets[i].node, diag);
}

void live_survey(const struct live_run *run, struct diag *diag)
{
    if (!run->options.faults_outside)
        refuse_faults(run, diag);
    refuse_protection(run, diag);
    if (run->by_tcp)
        refuse_connections(run, diag);
    note_settings(run, diag);
    if (!diag_failed(diag) && run->options.role != LIVE_TARGET)
        note_paths(run, diag);
    if (!diag_failed(diag)) /* a scenario that the model cannot simulate could not be compared */
        check_memories(run->scenario, diag);
}
