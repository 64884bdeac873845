/* SPDX-License-Identifier: Apache-2.0
 * play_record - the result of a measured run.
 * The tables are those of a simulated run, so that every reader of one can read the other. The
 * table `measured` distinguishes them and describes the devices. */
#include "bridge/play/play_private.h"

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

bool play_record_open(struct play *play)
{
    const struct record_options options = {
        .path = play->options.path,
        .level = play->options.level,
        .until = TIME_NEVER,
        .threads = 1,
        .version = stormglass_version,
    };
    play->record = record_open(&options, play->scenario, play->error);
    play->observe.record = play->record;
    return play->record != NULL;
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

static void write_counters(struct store *store, const struct play *play)
{
    const struct verbs_real_counters counters = play_counters(play);
    struct nvme_target_stats sum = {0};
    bool any = false;
#define X(member, name) write_number(store, name, counters.member);
    VERBS_REAL_COUNTERS(X)
#undef X
    for (uint32_t i = 0; i < play->target_count; i++) {
        if (play->targets[i].nvme == NULL)
            continue;
        const struct nvme_target_stats *stats = nvme_target_stats(play->targets[i].nvme);
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
static void write_peers(struct store *store, const struct play *play)
{
    char text[1024] = "", ip[PLACES_NICS_BYTES];
    size_t used = 0;
    for (uint32_t i = 0; i < play->target_count && used < sizeof text; i++) {
        const struct play_target *target = &play->targets[i];
        const char *host = play->scenario->nodes[target->node].name;
        places_write_nics(&target->nics, ip);
        if (play->target_count > 1)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", i > 0 ? "," : "",
                                     host, ip);
        else
            used += (size_t)snprintf(text, sizeof text, "%s", ip);
    }
    write_text(store, "peer", text);
}

static void write_measured(const struct play *play)
{
    static const char *const roles[] = {"", "host", "target", "both"};
    static const char *const depths[] = {"first", "tags", "full"};
    struct store *store = record_store(play->record);
    const struct ibv_device_attr *attributes = verbs_real_attributes(play_device(play));
    char address[PLACES_NICS_BYTES], agreement[160], faults[512];
    struct utsname kernel;
    places_write_nics(&play->options.address, address);
    write_text(store, "role", roles[play->options.role]);
    write_text(store, "device", verbs_real_name(play_device(play)));
    write_text(store, "firmware", attributes->fw_ver);
    write_number(store, "vendor_id", attributes->vendor_id);
    write_number(store, "vendor_part_id", attributes->vendor_part_id);
    if (uname(&kernel) == 0) {
        write_text(store, "kernel", kernel.release);
        write_text(store, "machine", kernel.machine);
    }
    write_text(store, "clock", "CLOCK_MONOTONIC");
    write_text(store, "address", address);
    if (play->options.role != PLAY_TARGET)
        write_peers(store, play);
    play_agree_words(play, agreement, sizeof agreement);
    write_text(store, "agreement", agreement);
    if (play_agree_round_trip(play) >= 0)
        write_number(store, "agreement_way_ps", (uint64_t)play_agree_round_trip(play));
    play_survey_faults(play, faults, sizeof faults);
    if (faults[0] != '\0')
        write_text(store, "faults_outside", faults);
    write_text(store, "verify", depths[play->options.depth]);
    write_text(store, "completion", play->options.busy ? "polling" : "events");
    write_number(store, "lead_ps", (uint64_t)play->zero);
    write_counters(store, play);
}

/* An instance that never began to measure would not appear in the results. */
static void fail_unconnected(const struct play *play, struct result *result)
{
    for (uint32_t i = 0; i < play->scenario->workload_count; i++) {
        const struct scenario_workload *about = &play->scenario->workloads[i];
        const uint32_t all = play->entries[i].count;
        if (play->entries[i].instances != NULL && play->stats[i].begun < all)
            result_fail(result, "%s: %u of %u %s %s not connected in time", about->name,
                        all - play->stats[i].begun, all, plural(all, "instance", "instances"),
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
static void judge_expectations(const struct play *play, struct result *result)
{
    const struct scenario *scenario = play->scenario;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        result->workloads[i].elsewhere = play->entries[i].count == 0;
        result->workloads[i].stalled &= !result->workloads[i].elsewhere;
    }
    expect_eval(scenario, result, play->cut_short);
    leave_undecided(scenario, result);
    for (uint32_t i = 0; i < result->expectation_count; i++) {
        const uint32_t workload = scenario->expectations[i].workload;
        if (workload == EXPECT_WHOLE_RUN || play->entries[workload].count > 0)
            continue;
        result->expectations[i].held = false;
        result->expectations[i].unjudged = true;
        snprintf(result->expectations[i].actual, sizeof result->expectations[i].actual,
                 "run elsewhere");
    }
    fail_unconnected(play, result);
}

static bool member_of(const void *player, uint32_t workload, uint32_t number,
                      struct workload_delivered *delivered)
{
    const struct play *play = player;
    const struct play_entry *entry = &play->entries[workload];
    if (entry->instances == NULL || number >= entry->count)
        return false;
    const struct play_instance *instance = &entry->instances[number];
    *delivered = instance->ops->delivered(instance->workload);
    return true;
}

/* States that still last are counted up to now. */
static void close_states(struct play *play, time_ps now, time_ps end)
{
    for (uint32_t i = 0; i < play->scenario->workload_count; i++) {
        const struct play_entry *entry = &play->entries[i];
        for (uint32_t n = 0; entry->instances != NULL && n < entry->count; n++)
            if (entry->instances[n].ops->close != NULL)
                entry->instances[n].ops->close(entry->instances[n].workload, now, end);
    }
}

void play_record_finish(struct play *play)
{
    const time_ps now = loop_now(play->loop);
    const time_ps end = play->zero + play->scenario->duration;
    close_states(play, now, time_earlier(now, end));
    observe_finish(&play->observe, now);
    struct route_table *routes = routing_compute(play->scenario, NULL);
    const struct collect collect = {
        .scenario = play->scenario,
        .stats = play->stats,
        .routes = routes,
        .observe = &play->observe,
        .member = member_of,
        .player = play,
        .now = now,
        .window_end = now < end ? now : end,
        .cut = play->cut_short,
        .until = play->cut_short ? now : TIME_NEVER,
    };
    struct result *result = &play->result;
    *result = (struct result){
        .scenario = play->scenario->name,
        .version = stormglass_version,
        .seed = play->scenario->seed,
        .threads = 1,
        .status = play->gone        ? "failed"
                  : play->cut_short ? "interrupted"
                                    : "complete",
    };
    collect_result(&collect, result);
    if (play->options.role != PLAY_TARGET)
        judge_expectations(play, result);
    record_end(play->record, &collect, result);
    routing_free(play->scenario, routes);
    write_measured(play);
    record_wall(play->record, "wall_s", play->wall_s);
    record_wall(play->record, "cpu_s", play->cpu_s);
    record_wall(play->record, "started_unix_s", (double)time(NULL) - play->wall_s);
    record_tick(play->record, true);
}

bool play_refused(const struct play *play)
{
    return play->refused;
}

const char *play_error(const struct play *play)
{
    return play->error;
}

const struct result *play_result(const struct play *play)
{
    return &play->result;
}

struct store *play_store(const struct play *play)
{
    return record_store(play->record);
}

struct workload_stats *play_stats(struct play *play, uint32_t workload)
{
    return &play->stats[workload];
}

struct verbs_device *play_device(const struct play *play)
{
    return play->devices[0].device;
}

uint64_t play_unsound(const struct play *play)
{
    return play_counters(play).unsound;
}
