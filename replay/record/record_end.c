/* SPDX-License-Identifier: Apache-2.0
 * record_end - writes results as rows. */
#include "replay/record/record_end.h"

#include "base/check.h"
#include "base/drop.h"
#include "base/memory.h"
#include "replay/explain/explain_words.h"
#include "replay/explain/paths.h"
#include "replay/record/record_deadlocks.h"
#include "replay/record/record_events.h"
#include "replay/record/record_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROOTS_MAX = 32, PATHS_PER_ROOT = 256 };

static void write_latency(struct store *store, uint32_t workload, const struct hist *hist)
{
    for (unsigned bucket = 0; bucket < HIST_BUCKETS; bucket++)
        if (hist->buckets[bucket] > 0)
            RECORD_ROW(store, latency, .workload = STORE_I(workload),
                       .from_ps = STORE_I(hist_floor(bucket)),
                       .below_ps = STORE_I(hist_floor(bucket + 1)),
                       .count = STORE_I(hist->buckets[bucket]));
}

/* NULL if it is undefined. */
static struct store_value real_of(const struct result_workload *workload, const char *path)
{
    struct result_ratio value;
    const bool found = result_of_workload(workload, path, &value);
    CHECK(found);
    return value.denominator == 0 ? STORE_N
                                  : STORE_F((double)value.numerator / (double)value.denominator);
}

static struct store_value whole_of(const struct result_workload *workload, const char *path)
{
    const struct store_value real = real_of(workload, path);
    return real.type == STORE_NULL ? STORE_N : STORE_I(real.real);
}

static void write_workload(struct store *store, const struct collect *collect,
                           const struct result *result, uint32_t index)
{
    const struct scenario_workload *about = &collect->scenario->workloads[index];
    const struct workload_stats *stats = &collect->stats[index];
    const struct result_workload *workload = &result->workloads[index];
    char waiting[256] = "";
    if (workload->unfinished > 0 && collect->world != NULL)
        world_describe(collect->world, index, waiting, sizeof waiting);
    RECORD_ROW(
        store, workload, .workload = STORE_I(index), .name = STORE_T(about->name),
        .kind = STORE_T(about->ops->name), .pairs = STORE_I(about->pair_count * about->copies),
        .start_ps = STORE_I(about->start), .stop_ps = STORE_I(about->stop),
        .issued = STORE_I(workload->issued), .completed = STORE_I(workload->completed),
        .failed = STORE_I(workload->failed), .unfinished = STORE_I(workload->unfinished),
        .corrupt = STORE_I(workload->corrupt), .missed = STORE_I(workload->missed),
        .window_ps = STORE_I(workload->window_ps), .bytes = STORE_I(workload->bytes),
        .bytes_read = STORE_I(workload->bytes_read),
        .bytes_written = STORE_I(workload->bytes_written), .iops = real_of(workload, "iops"),
        .goodput_bps = real_of(workload, "goodput_bps"),
        .no_rates = workload->no_rates[0] == '\0' ? STORE_N : STORE_T(workload->no_rates),
        .latency_note = workload->latency_note == NULL ? STORE_N : STORE_T(workload->latency_note),
        .latency_mean_ps = real_of(workload, "latency_ns.mean"),
        .latency_min_ps = whole_of(workload, "latency_ns.min"),
        .latency_p50_ps = whole_of(workload, "latency_ns.p50"),
        .latency_p99_ps = whole_of(workload, "latency_ns.p99"),
        .latency_p99_9_ps = whole_of(workload, "latency_ns.p99_9"),
        .latency_max_ps = whole_of(workload, "latency_ns.max"),
        .cpu_host_ps = workload->cpu_known ? STORE_I(workload->cpu_host_ps) : STORE_N,
        .cpu_target_ps = workload->cpu_known ? STORE_I(workload->cpu_target_ps) : STORE_N,
        .first_issue_ps = workload->issued > 0 ? STORE_I(stats->first_issue) : STORE_N,
        .last_completion_ps = workload->completed > 0 ? STORE_I(stats->last_completion) : STORE_N,
        .waiting = waiting[0] == '\0' ? STORE_N : STORE_T(waiting));
}

static struct store_value known(int64_t value)
{
    return value == STEADY_UNKNOWN ? STORE_N : STORE_I(value);
}

static void write_steady(struct store *store, uint32_t index, const struct steady *steady)
{
    RECORD_ROW(store, steady, .workload = STORE_I(index), .settled = STORE_I(steady->settled),
               .from_ps = STORE_I(steady->from), .until_ps = STORE_I(steady->until),
               .reason = steady->settled ? STORE_N : STORE_T(steady->why),
               .needs_ps = known(steady->needs), .needs_at_least_ps = known(steady->least),
               .remedy = steady->set[0] == '\0' ? STORE_N : STORE_T(steady->set),
               .goodput_bps = STORE_I(steady->goodput_bps.value),
               .goodput_half = known(steady->goodput_bps.half), .iops = STORE_I(steady->iops.value),
               .iops_half = known(steady->iops.half), .mean_ps = known(steady->mean.value),
               .mean_half = known(steady->mean.half), .p50_ps = known(steady->p50.value),
               .p50_half = known(steady->p50.half), .p99_ps = known(steady->p99.value),
               .p99_half = known(steady->p99.half), .p99_9_ps = known(steady->p99_9.value));
}

static void write_workloads(struct store *store, const struct collect *collect,
                            const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        write_workload(store, collect, result, i);
        write_latency(store, i, result->workloads[i].latency);
        if (result->workloads[i].steady.known)
            write_steady(store, i, &result->workloads[i].steady);
    }
}

struct path_rows {
    struct store *store;
    const struct explain_fabric *fabric;
    uint32_t workload;
    uint8_t priority;
    uint32_t *written; /* by key: last workload written with it, counted from 1 */
};

static void write_hop(void *self, uint32_t port)
{
    struct path_rows *rows = self;
    uint32_t *written = &rows->written[port * EXPLAIN_PRIORITIES + rows->priority];
    if (*written == rows->workload + 1)
        return;
    *written = rows->workload + 1;
    const uint32_t node = rows->fabric->node_of[port];
    RECORD_ROW(rows->store, workload_way, .workload = STORE_I(rows->workload),
               .node = STORE_I(node), .port = STORE_I(port - rows->fabric->first_port[node]),
               .priority = STORE_I(rows->priority));
}

static void write_workload_paths(struct store *store, const struct collect *collect)
{
    const struct scenario *scenario = collect->scenario;
    if (!RECORD_KEEPS(store, workload_way))
        return;
    struct paths paths;
    paths_init(&paths, scenario, collect->routes, collect->observe->fabric);
    struct path_rows rows = {.store = store, .fabric = paths.fabric};
    rows.written = memory_zeroed((size_t)paths.fabric->first_port[paths.fabric->node_count] *
                                     EXPLAIN_PRIORITIES,
                                 sizeof *rows.written);
    for (rows.workload = 0; rows.workload < scenario->workload_count; rows.workload++) {
        const struct scenario_workload *workload = &scenario->workloads[rows.workload];
        for (uint32_t k = 0; k < workload->pair_count && k < PATHS_PAIRS_MAX; k++) {
            const struct scenario_pair *pair = &workload->pairs[k];
            rows.priority = paths_priority(&paths, workload, pair);
            paths_of_pair(&paths, workload, pair, write_hop, &rows);
        }
    }
    free(rows.written);
    paths_fini(&paths);
}

/* `workload` NULL: the run's own. */
static void write_limit(struct store *store, struct store_value workload,
                        const struct bottleneck *found)
{
    RECORD_ROW(store, bottleneck, .workload = workload,
               .kind = STORE_T(bottleneck_word(found->resource)), .text = STORE_T(found->text),
               .account = found->account[0] == '\0' ? STORE_N : STORE_T(found->account),
               .gain_ppm = STORE_I(found->gain));
}

static void write_uses(struct store *store, uint32_t workload, const struct bottleneck_input *input)
{
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++) {
        const struct bottleneck_use *use = &input->uses[i];
        if (use->used > 0)
            RECORD_ROW(store, resource_use, .workload = STORE_I(workload),
                       .resource = STORE_T(bottleneck_word(i)), .place = STORE_T(use->where),
                       .span_ps = STORE_I(input->span), .used_ppm = STORE_I(use->used),
                       .waiting_ppm = STORE_I(use->waiting), .covers_ppm = STORE_I(use->covers));
    }
}

static void write_limits(struct store *store, const struct result *result)
{
    write_limit(store, STORE_N, &result->limit);
    for (uint32_t i = 0; i < result->workload_count; i++) {
        write_limit(store, STORE_I(i), &result->limits[i].found);
        write_uses(store, i, &result->limits[i].input);
    }
}

static void write_recovery(struct store *store, const struct result *result)
{
    for (uint32_t i = 0; i < result->workload_count; i++) {
        const struct result_workload *of = &result->workloads[i];
        if (of->losses > 0 || of->retried > 0 || of->failovers > 0)
            RECORD_ROW(store, recovery, .workload = STORE_I(i), .lost = STORE_I(of->losses),
                       .attempts = STORE_I(of->attempts), .reconnected = STORE_I(of->reconnects),
                       .given_up = STORE_I(of->given_up), .requeued = STORE_I(of->requeued),
                       .without_service_ps = STORE_I(of->without_service_ps),
                       .retried = STORE_I(of->retried), .failovers = STORE_I(of->failovers),
                       .gap_ps = STORE_I(of->gap_ps), .recovery_ps = STORE_I(of->path_recovery_ps),
                       .degraded_ps = STORE_I(of->degraded_ps));
    }
}

static void write_stages(struct store *store, const struct observe *observe)
{
    for (uint32_t i = 0; i < observe->workload_count * BREAKDOWN_NVME_OPERATIONS; i++) {
        const uint32_t workload = i / BREAKDOWN_NVME_OPERATIONS;
        const enum breakdown_operation operation =
            (enum breakdown_operation)(i % BREAKDOWN_NVME_OPERATIONS);
        const struct breakdown_stage_sum *sum =
            breakdown_stage_sum(observe->waits, workload, operation);
        for (int k = 0; k < BREAKDOWN_STAGES && sum->count > 0; k++)
            RECORD_ROW(store, stage, .workload = STORE_I(workload),
                       .operation = STORE_T(breakdown_operation_key(operation)),
                       .position = STORE_I(k),
                       .stage = STORE_T(breakdown_stage_name((enum breakdown_stage)k)),
                       .count = STORE_I(sum->count), .sum_ps = STORE_I(sum->sum_ps[k]),
                       .max_ps = STORE_I(sum->max_ps[k]));
    }
}

static void write_drops(struct store *store, const struct observe *observe)
{
    for (uint32_t i = 0; i < observe->drop_count; i++) {
        const struct observe_drops *drops = &observe->drops[i];
        RECORD_ROW(store, dropped, .node = STORE_I(drops->node), .port = STORE_I(drops->port),
                   .priority = STORE_I(drops->priority),
                   .cause = STORE_T(probe_drops[drops->cause].word),
                   .lossless = STORE_I(drops->lossless), .frames = STORE_I(drops->frames),
                   .controls = STORE_I(drops->controls), .bytes = STORE_I(drops->bytes),
                   .first_ps = STORE_I(drops->first), .last_ps = STORE_I(drops->last));
    }
}

static uint32_t local_port(const struct explain_fabric *fabric, uint32_t port)
{
    return port - fabric->first_port[fabric->node_of[port]];
}

static void write_paths(struct store *store, const struct explain *explain)
{
    const struct explain_fabric *fabric = explain->fabric;
    uint32_t of_root = 0, root = EXPLAIN_NONE;
    for (uint32_t i = 0; i < explain->path_count; i++) {
        const struct explain_path *path = &explain->paths[i];
        of_root = path->root == root ? of_root + 1 : 0;
        root = path->root;
        if (root < ROOTS_MAX && of_root < PATHS_PER_ROOT)
            RECORD_ROW(store, pause_path, .root = STORE_I(root), .hops = STORE_I(path->hops),
                       .node = STORE_I(fabric->node_of[path->port]),
                       .port = STORE_I(local_port(fabric, path->port)),
                       .held_ps = STORE_I(path->held_ps));
    }
}

static void write_victims(struct store *store, const struct harm *harm)
{
    for (uint32_t i = 0; i < harm->cause_count; i++)
        for (uint32_t k = 0; k < harm->causes[i].victim_count; k++) {
            const struct harm_victim *victim = &harm->causes[i].victims[k];
            const uint32_t root = harm->causes[i].root;
            RECORD_ROW(
                store, victim, .cause = STORE_I(i), .workload = STORE_I(victim->workload),
                .node = STORE_I(victim->node), .root = root < ROOTS_MAX ? STORE_I(root) : STORE_N,
                .class = STORE_T(harm_class_word(victim->class)), .lost_ppm = STORE_I(victim->lost),
                .failed = STORE_I(victim->failed), .held_ps = STORE_I(victim->paused));
        }
}

static void write_roots(struct store *store, const struct explain *explain)
{
    const struct explain_fabric *fabric = explain->fabric;
    for (uint32_t i = 0; i < explain->root_count && i < ROOTS_MAX; i++) {
        const struct explain_root *root = &explain->roots[i];
        const uint32_t node = fabric->node_of[root->port];
        char text[RESULT_SENTENCE_BYTES];
        explain_root_words(explain, i, text, sizeof text);
        RECORD_ROW(
            store, pause_root, .position = STORE_I(i), .node = STORE_I(node),
            .port = fabric->is_host[node] ? STORE_N : STORE_I(local_port(fabric, root->port)),
            .priority = STORE_I(root->priority), .kind = STORE_T(explain_kind_name(root->kind)),
            .held_ps = STORE_I(root->held_ps), .direct_ps = STORE_I(root->direct_ps),
            .text = STORE_T(text));
    }
}

static void write_verdict(struct store *store, const struct result *result)
{
    for (uint32_t i = 0; i < result->expectation_count; i++)
        RECORD_ROW(store, expectation, .position = STORE_I(i),
                   .text = STORE_T(result->expectations[i].text),
                   .held = result->expectations[i].unjudged ? STORE_N
                                                            : STORE_I(result->expectations[i].held),
                   .actual = STORE_T(result->expectations[i].actual));
    struct arena scratch = {0};
    for (size_t i = 0; i < result->warnings.count; i++) {
        const struct check_finding *warning = &result->warnings.findings[i];
        const char *remedy = warning->remedy.text;
        RECORD_ROW(store, warning, .position = STORE_I(i), .rule = STORE_T(warning->rule),
                   .text = STORE_T(warning->text),
                   .remedy = remedy == NULL ? STORE_N : STORE_T(remedy),
                   .sets = STORE_T(remedy_lines(&warning->remedy, &scratch)));
    }
    arena_free(&scratch);
    for (uint32_t i = 0; i < result->failure_count; i++)
        RECORD_ROW(store, failure, .text = STORE_T(result->failures[i]));
}

static void write_item(void *self, const struct result_item *item)
{
    struct store_value value = STORE_N;
    if (item->type == RESULT_TEXT)
        value = STORE_T(item->text);
    else if (item->type == RESULT_REAL)
        value = STORE_F(item->real);
    else if (item->type != RESULT_NULL)
        value = STORE_I(item->integer);
    RECORD_ROW((struct store *)self, result, .path = STORE_T(item->path), .value = value,
               .type = STORE_T(result_type_name(item->type)));
}

static void write_result(struct store *store, const struct result *result)
{
    result_emit(result, write_item, store);
}

static void write_digests(struct store *store, const struct engine *engine)
{
    if (!RECORD_KEEPS(store, node))
        return;
    struct store_statement *update = store_prepare(store, "UPDATE node SET digest=? WHERE node=?");
    for (uint32_t i = 0; i < engine->node_count; i++) {
        char digest[32];
        snprintf(digest, sizeof digest, "%016" PRIx64, engine->nodes[i]->digest);
        STORE_INSERT(update, STORE_T(digest), STORE_I(i));
    }
    store_finish(update);
}

static void write_status(struct store *store, const struct collect *collect,
                         const struct result *result)
{
    char digest[DIGEST_TEXT_BYTES];
    digest_format(&result->digest, digest);
    struct store_statement *update =
        store_prepare(store, "UPDATE meta SET status=?, digest=?, simulated_ps=?, drain_ps=?,"
                             " until_ps=?");
    STORE_INSERT(update, STORE_T(result->status), STORE_T(digest),
                 STORE_I(result->totals.simulated_ps), STORE_I(result->totals.drain_ps),
                 collect->until == TIME_NEVER ? STORE_N : STORE_I(collect->until));
    store_finish(update);
}

void record_wall(struct record *record, const char *name, double value)
{
    RECORD_ROW(record_store(record), wall, .name = STORE_T(name), .value = STORE_F(value));
}

/* Data that only the simulator has. */
static void write_model(struct record *record, const struct collect *collect)
{
    const struct world *world = collect->world;
    struct store *store = record_store(record);
    record_counters(store, world, collect->now, record_is_brief(record));
    if (record_level_of(record) >= RECORD_COUNTERS)
        record_flows(store, world);
    record_connections(store, world);
    record_members(record, collect);
    record_deadlocks(store, world->scenario, &world->deadlocks);
    write_digests(store, &world->engine);
}

void record_end(struct record *record, const struct collect *collect, const struct result *result)
{
    struct store *store = record_store(record);
    const struct explain *explain = &collect->observe->explain;
    if (collect->world != NULL)
        write_model(record, collect);
    record_events(store, collect);
    write_workloads(store, collect, result);
    write_workload_paths(store, collect);
    write_recovery(store, result);
    write_limits(store, result);
    write_stages(store, collect->observe);
    record_waits(record, collect);
    write_drops(store, collect->observe);
    write_roots(store, explain);
    write_paths(store, explain);
    write_victims(store, &result->harm);
    write_verdict(store, result);
    write_result(store, result);
    write_status(store, collect, result);
    record_reached(record, collect->now);
    record_tick(record, true);
}
