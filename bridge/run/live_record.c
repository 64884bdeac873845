/* SPDX-License-Identifier: Apache-2.0
 * live_record - the result of a measured run.
 * The tables are those of a simulated run, so that every reader of one can read the other. The
 * table `measured` distinguishes them and describes the devices. */
#include "bridge/run/live_private.h"

#include "base/plural.h"
#include "replay/database/record_schema.h"
#include "replay/record/collect.h"
#include "replay/record/record_end.h"
#include "replay/run/expect_eval.h"
#include "scenarios/embedded.h"
#include "scenarios/fabric/routing.h"
#include "scenarios/load/expect.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

bool live_record_open(struct live_run *run)
{
    const struct record_options options = {
        .path = run->options.path,
        .level = run->options.level,
        .until = TIME_NEVER,
        .threads = 1,
        .version = stormglass_version,
    };
    run->record = record_open(&options, run->scenario, run->error);
    run->observe.record = run->record;
    return run->record != NULL;
}

static void write_text(struct store *store, const char *name, const char *value)
{
    RECORD_ROW(store, measured, .name = STORE_T(name), .value = STORE_T(value));
}

static void write_number(struct store *store, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    write_text(store, name, text);
}

static void write_target_counters(struct store *store, const struct live_run *run)
{
    struct nvme_target_stats sum = {0};
    bool any = false;
    for (uint32_t i = 0; i < run->target_count; i++) {
        if (run->targets[i].nvme == NULL)
            continue;
        const struct nvme_target_stats *stats = nvme_target_stats(run->targets[i].nvme);
        sum.reads += stats->reads;
        sum.writes += stats->writes;
        sum.errors += stats->errors;
        any = true;
    }
    if (!any)
        return;
    write_number(store, "target_reads", sum.reads);
    write_number(store, "target_writes", sum.writes);
    write_number(store, "target_errors", sum.errors);
}

/* Writes one address, or HOST=ADDRESS for each target. */
static void write_peers(struct store *store, const struct live_run *run)
{
    char text[1024] = "", ip[NIC_ADDRESSES_BYTES];
    size_t used = 0;
    for (uint32_t i = 0; i < run->target_count && used < sizeof text; i++) {
        const struct live_target *target = &run->targets[i];
        const char *host = run->scenario->nodes[target->node].name;
        nic_addresses_write(&target->nics, ip);
        if (run->target_count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", i > 0 ? "," : "",
                                     host, ip);
        else
            used += (size_t)snprintf(text, sizeof text, "%s", ip);
    }
    write_text(store, "peer", text);
}

static void write_measured(const struct live_run *run)
{
    static const char *const roles[] = {"", "host", "target", "both"};
    static const char *const depths[] = {"first", "tags", "full"};
    struct store *store = record_store(run->record);
    char address[NIC_ADDRESSES_BYTES], agreement[160], faults[512];
    struct utsname kernel;
    nic_addresses_write(&run->options.address, address);
    write_text(store, "role", roles[run->options.role]);
    live_devices_describe(run, write_text, write_number, store);
    if (uname(&kernel) == 0) {
        write_text(store, "kernel", kernel.release);
        write_text(store, "machine", kernel.machine);
    }
    write_text(store, "clock", "CLOCK_MONOTONIC");
    write_text(store, "address", address);
    if (run->options.role != LIVE_TARGET)
        write_peers(store, run);
    live_agree_describe(run, agreement, sizeof agreement);
    write_text(store, "agreement", agreement);
    if (live_agree_round_trip(run) >= 0)
        write_number(store, "agreement_way_ps", (uint64_t)live_agree_round_trip(run));
    live_survey_faults(run, faults, sizeof faults);
    if (faults[0] != '\0')
        write_text(store, "faults_outside", faults);
    write_text(store, "verify", depths[run->options.depth]);
    write_text(store, "completion", run->options.busy ? "polling" : "events");
    write_number(store, "lead_ps", (uint64_t)run->zero);
    write_target_counters(store, run);
}

/* An instance that never began to measure would not appear in the results. */
static void fail_unconnected(const struct live_run *run, struct result *result)
{
    for (uint32_t i = 0; i < run->scenario->workload_count; i++) {
        const struct scenario_workload *about = &run->scenario->workloads[i];
        const uint32_t all = run->entries[i].count;
        if (run->entries[i].instances != NULL && run->stats[i].begun < all)
            result_fail(result, "%s: %u of %u %s %s not connected in time", about->name,
                        all - run->stats[i].begun, all, plural(all, "instance", "instances"),
                        plural(all, "was", "were"));
    }
}

static bool all_elsewhere(const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++)
        if (!result->workloads[i].elsewhere)
            return false;
    return true;
}

/* Quantities that the bridge does not measure on real devices are neither passed nor failed. */
static void leave_undecided(const struct scenario *scenario, struct result *result)
{
    for (uint32_t i = 0; i < result->expectation_count; i++) {
        const struct expectation *expectation = &scenario->expectations[i];
        struct result_expectation *verdict = &result->expectations[i];
        const enum expect_basis basis = expect_basis(expectation->quantity);
        const bool unmeasured = (result->unmeasured >> basis & 1) != 0;
        if (expectation->workload == EXPECT_WHOLE_RUN && !verdict->held &&
            (unmeasured || all_elsewhere(result)))
            verdict->unjudged = true;
    }
}

/* Expectations about workloads in other processes are left to those. */
static void judge_expectations(const struct live_run *run, struct result *result)
{
    const struct scenario *scenario = run->scenario;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        result->workloads[i].elsewhere = run->entries[i].count == 0;
        result->workloads[i].stalled &= !result->workloads[i].elsewhere;
    }
    expect_eval(scenario, result, run->cut_short);
    leave_undecided(scenario, result);
    for (uint32_t i = 0; i < result->expectation_count; i++) {
        const uint32_t workload = scenario->expectations[i].workload;
        if (workload == EXPECT_WHOLE_RUN || run->entries[workload].count > 0)
            continue;
        result->expectations[i].held = false;
        result->expectations[i].unjudged = true;
        snprintf(result->expectations[i].actual, sizeof result->expectations[i].actual,
                 "run elsewhere");
    }
    fail_unconnected(run, result);
}

static bool member_of(const void *player, uint32_t workload, uint32_t number,
                      struct workload_delivered *delivered)
{
    const struct live_run *run = player;
    const struct live_entry *entry = &run->entries[workload];
    if (entry->instances == NULL || number >= entry->count)
        return false;
    const struct live_instance *instance = &entry->instances[number];
    *delivered = instance->ops->delivered(instance->workload);
    return true;
}

/* States that still last are counted up to now. */
static void close_states(struct live_run *run, time_ps now, time_ps end)
{
    for (uint32_t i = 0; i < run->scenario->workload_count; i++) {
        const struct live_entry *entry = &run->entries[i];
        for (uint32_t n = 0; entry->instances != NULL && n < entry->count; n++)
            if (entry->instances[n].ops->close != NULL)
                entry->instances[n].ops->close(entry->instances[n].workload, now, end);
    }
}

void live_record_finish(struct live_run *run)
{
    const time_ps now = loop_now(run->loop);
    const time_ps end = run->zero + run->scenario->duration;
    close_states(run, now, time_earlier(now, end));
    observe_finish(&run->observe, now);
    struct route_table *routes = routing_compute(run->scenario, NULL);
    const struct collect collect = {
        .scenario = run->scenario,
        .stats = run->stats,
        .routes = routes,
        .observe = &run->observe,
        .member = member_of,
        .player = run,
        .now = now,
        .window_end = now < end ? now : end,
        .cut = run->cut_short,
        .until = run->cut_short ? now : TIME_NEVER,
    };
    struct result *result = &run->result;
    *result = (struct result){
        .scenario = run->scenario->name,
        .version = stormglass_version,
        .seed = run->scenario->seed,
        .threads = 1,
        .status = run->gone        ? "failed"
                  : run->cut_short ? "interrupted"
                                   : "complete",
    };
    collect_result(&collect, result);
    if (run->options.role != LIVE_TARGET)
        judge_expectations(run, result);
    record_end(run->record, &collect, result);
    routing_free(run->scenario, routes);
    write_measured(run);
    record_wall(run->record, "wall_s", run->wall_s);
    record_wall(run->record, "cpu_s", run->cpu_s);
    record_wall(run->record, "started_unix_s", (double)time(NULL) - run->wall_s);
    record_tick(run->record, true);
}

bool live_refused(const struct live_run *run)
{
    return run->refused;
}

const char *live_error(const struct live_run *run)
{
    return run->error;
}

const struct result *live_result(const struct live_run *run)
{
    return &run->result;
}

struct store *live_store(const struct live_run *run)
{
    return record_store(run->record);
}

struct workload_stats *live_stats(struct live_run *run, uint32_t workload)
{
    return &run->stats[workload];
}

struct verbs_device *live_device(const struct live_run *run)
{
    return run->devices[0].device;
}

uint64_t live_unsound(const struct live_run *run)
{
    return live_counts(run).unsound;
}
