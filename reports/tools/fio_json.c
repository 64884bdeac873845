/* SPDX-License-Identifier: Apache-2.0
 * fio_json - the workloads of a run in the format of fio.
 * Source: fio 3.33, stat.c (show_thread_status_json, add_ddir_status_json), HOWTO, "JSON output".
 * Keys such as "99.000000" contain dots, so that this is written without struct json. */
#include "reports/tools/fio_json.h"

#include "base/memory.h"
#include "reports/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KIB = 1024, DEPTH_LEVELS = 7 };

/* Commands with a latency in [from, below), or of `from` alone. ps. */
struct bucket {
    int64_t from, below, count;
};

struct latencies {
    struct bucket *buckets;
    uint32_t count, room;
    int64_t total, min, max;
    double mean, deviation;
};

struct direction {
    const char *name;
    bool present;
    double bytes, ios, iops, bytes_per_s; /* rates as in run --json */
    double runtime_ms;
    struct latencies latencies;
};

struct job {
    const char *name; /* all texts are valid during the job's row */
    int64_t workload, completed, failed, depth;
    bool sequential;
    double bytes, share_read; /* of the bytes */
    struct direction directions[2];
    double host_cpu; /* percent of one core */
};

/* ---- latencies ---- */

/* Means of buckets are off by less than 1/256 (base/hist.h). */
static double middle(const struct latencies *latencies, const struct bucket *bucket)
{
    const double at = bucket->from == bucket->below
                          ? (double)bucket->from
                          : ((double)bucket->from + (double)bucket->below) / 2;
    return fmin(fmax(at, (double)latencies->min), (double)latencies->max);
}

static void summarize(struct latencies *latencies)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < latencies->count; i++) {
        const struct bucket *bucket = &latencies->buckets[i];
        const double at = middle(latencies, bucket);
        latencies->total += bucket->count;
        sum += at * (double)bucket->count;
    }
    if (latencies->total == 0)
        return;
    latencies->mean = sum / (double)latencies->total;
    for (uint32_t i = 0; i < latencies->count; i++) {
        const double off = middle(latencies, &latencies->buckets[i]) - latencies->mean;
        squares += off * off * (double)latencies->buckets[i].count;
    }
    latencies->deviation = sqrt(squares / (double)latencies->total);
}

static void read_buckets(struct latencies *latencies, struct store_statement *rows)
{
    while (store_step(rows)) {
        latencies->buckets = memory_grown(latencies->buckets, latencies->count, &latencies->room,
                                          sizeof *latencies->buckets);
        latencies->buckets[latencies->count++] = (struct bucket){
            store_int(rows, "from_ps"), store_int(rows, "below_ps"), store_int(rows, "count")};
    }
    store_finish(rows);
    if (latencies->count == 0)
        return;
    if (latencies->max == 0) {
        latencies->min = latencies->buckets[0].from;
        latencies->max = latencies->buckets[latencies->count - 1].from;
    }
    summarize(latencies);
}

/* Each command, if all were recorded; otherwise the histogram of the workload. */
static void read_latencies(struct latencies *latencies, struct store *store, int64_t workload,
                           const char *operation, bool recorded)
{
    struct store_statement *rows = store_prepare(
        store, recorded ? "SELECT completed_ps-issued_ps AS from_ps, completed_ps-issued_ps AS"
                          " below_ps, count(*) AS count FROM io WHERE workload=?1 AND operation=?2"
                          " AND status=0 GROUP BY 1 ORDER BY 1"
                        : "SELECT from_ps, below_ps, count FROM latency WHERE workload=?1"
                          " ORDER BY from_ps");
    if (rows == NULL)
        return;
    store_bind(rows, 1, STORE_I(workload));
    if (recorded)
        store_bind(rows, 2, STORE_T(operation));
    read_buckets(latencies, rows);
}

static double latency_at(const struct latencies *latencies, double percent)
{
    const double wanted = ceil((double)latencies->total * percent / 100);
    int64_t below = 0;
    for (uint32_t i = 0; i < latencies->count; i++) {
        below += latencies->buckets[i].count;
        if ((double)below >= wanted)
            return middle(latencies, &latencies->buckets[i]);
    }
    return 0;
}

/* ---- a job ---- */

static void share_out(struct job *job, const struct store_statement *rows, bool read)
{
    struct direction *direction = &job->directions[read ? 0 : 1];
    const double share = read ? job->share_read : 1 - job->share_read;
    const double window_s = (double)store_int(rows, "window_ps") * 1e-12;
    direction->name = read ? "read" : "write";
    direction->present = share > 0 && job->completed > 0;
    if (!direction->present)
        return;
    direction->bytes = job->bytes * share;
    direction->ios = (double)job->completed * share;
    direction->iops = store_real(rows, "iops") * share;
    const double own_bps = store_real(rows, read ? "read_bps" : "write_bps");
    direction->bytes_per_s = (own_bps > 0 ? own_bps : store_real(rows, "goodput_bps") * share) / 8;
    direction->runtime_ms = window_s * 1e3;
}

static struct job job_of(const struct store_statement *rows)
{
    struct job job = {
        .name = store_text(rows, "name"),
        .workload = store_int(rows, "workload"),
        .completed = store_int(rows, "completed"),
        .failed = store_int(rows, "failed"),
        .bytes = (double)store_int(rows, "bytes"),
        .depth = store_int(rows, "depth"),
        .sequential = strcmp(store_text(rows, "pattern"), "sequential") == 0,
    };
    const double read = (double)store_int(rows, "bytes_read");
    const double window_ps = (double)store_int(rows, "window_ps");
    job.share_read = job.bytes > 0 ? read / job.bytes : 0;
    job.host_cpu = window_ps > 0 ? (double)store_int(rows, "cpu_host_ps") / window_ps * 100 : 0;
    share_out(&job, rows, true);
    share_out(&job, rows, false);
    return job;
}

static void read_directions(struct job *job, struct store *store,
                            const struct store_statement *rows, bool recorded)
{
    for (int i = 0; i < 2; i++) {
        struct direction *direction = &job->directions[i];
        if (!direction->present)
            continue;
        struct latencies *latencies = &direction->latencies;
        if (!recorded) {
            latencies->min = store_int(rows, "latency_min_ps");
            latencies->max = store_int(rows, "latency_max_ps");
        }
        read_latencies(latencies, store, job->workload, direction->name, recorded);
        if (recorded && latencies->total > 0)
            direction->ios = (double)latencies->total;
    }
}

/* ---- output ---- */

static int64_t nearest_ns(int64_t ps)
{
    return ps / 1000 + (ps % 1000 >= 500);
}

static void write_times(FILE *out, const char *name, const struct latencies *latencies,
                        bool percentiles)
{
    static const double percents[] = {1,  5,  10, 20, 30,   40,   50,    60,   70,
                                      80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99};
    fprintf(out,
            "        \"%s\": {\"min\": %" PRId64 ", \"max\": %" PRId64
            ", \"mean\": %f, \"stddev\": %f, \"N\": %" PRId64,
            name, nearest_ns(latencies->min), nearest_ns(latencies->max), latencies->mean / 1e3,
            latencies->deviation / 1e3, latencies->total);
    if (percentiles && latencies->total > 0) {
        fputs(", \"percentile\": {", out);
        for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++)
            fprintf(out, "%s\"%f\": %.0f", i == 0 ? "" : ", ", percents[i],
                    round(latency_at(latencies, percents[i]) / 1e3));
        fputc('}', out);
    }
    fputs("},\n", out);
}

/* Rates were not sampled, so that their means are those of the run. */
static void write_direction(FILE *out, const struct direction *direction)
{
    static const struct latencies none;
    const double bw = floor(direction->bytes_per_s / KIB);
    fprintf(out,
            "      \"%s\": {\n        \"io_bytes\": %.0f, \"io_kbytes\": %.0f, \"bw_bytes\": %.0f, "
            "\"bw\": %.0f, \"iops\": %f,\n        \"runtime\": %.0f, \"total_ios\": %.0f, "
            "\"short_ios\": 0, \"drop_ios\": 0,\n",
            direction->name, direction->bytes, floor(direction->bytes / KIB),
            direction->bytes_per_s, bw, direction->iops, ceil(direction->runtime_ms),
            direction->ios);
    write_times(out, "slat_ns", &none, false);
    write_times(out, "clat_ns", &direction->latencies, true);
    write_times(out, "lat_ns", &direction->latencies, false);
    fprintf(out,
            "        \"bw_min\": %.0f, \"bw_max\": %.0f, \"bw_agg\": %f, \"bw_mean\": %f, "
            "\"bw_dev\": 0.0, \"bw_samples\": 0,\n        \"iops_min\": %.0f, \"iops_max\": %.0f, "
            "\"iops_mean\": %f, \"iops_stddev\": 0.0, \"iops_samples\": 0\n      },\n",
            bw, bw, direction->present ? 100.0 : 0.0, bw, direction->iops, direction->iops,
            direction->iops);
}

/* Percent of all commands with a latency in [low, high) ns. */
static double share_between(const struct job *job, double low, double high)
{
    double found = 0, all = 0;
    for (int i = 0; i < 2; i++) {
        const struct direction *direction = &job->directions[i];
        const struct latencies *latencies = &direction->latencies;
        if (latencies->total == 0)
            continue;
        const double weight = direction->ios / (double)latencies->total;
        all += direction->ios;
        for (uint32_t k = 0; k < latencies->count; k++) {
            const double at = middle(latencies, &latencies->buckets[k]) / 1e3;
            if (at >= low && at < high)
                found += (double)latencies->buckets[k].count * weight;
        }
    }
    return all > 0 ? found / all * 100 : 0;
}

/* "latency_us": {"2": ..}: shares below each bound, and from the bound before it on. */
static void write_shares(FILE *out, const struct job *job, const char *unit, double ns)
{
    static const int bounds[] = {2, 4, 10, 20, 50, 100, 250, 500, 750, 1000};
    const bool last = strcmp(unit, "ms") == 0;
    double low = ns == 1 ? 0 : ns;
    fprintf(out, "      \"latency_%s\": {", unit);
    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
        fprintf(out, "%s\"%d\": %f", i == 0 ? "" : ", ", bounds[i],
                share_between(job, low, bounds[i] * ns));
        low = bounds[i] * ns;
    }
    if (last)
        fprintf(out, ", \"2000\": %f, \">=2000\": %f", share_between(job, low, 2 * low),
                share_between(job, 2 * low, INFINITY));
    fputs("},\n", out);
}

static void write_levels(FILE *out, const char *name, const char *const levels[DEPTH_LEVELS],
                         int full)
{
    fprintf(out, "      \"%s\": {", name);
    for (int i = 0; i < DEPTH_LEVELS; i++)
        fprintf(out, "%s\"%s\": %f", i == 0 ? "" : ", ", levels[i], i == full ? 100.0 : 0.0);
    fputs("},\n", out);
}

/* The queue is assumed to be full, as that of a benchmark; every command is submitted alone. */
static void write_depth(FILE *out, const struct job *job)
{
    static const char *const levels[] = {"1", "2", "4", "8", "16", "32", ">=64"};
    static const char *const batches[] = {"0", "4", "8", "16", "32", "64", ">=64"};
    int level = 0;
    while (level < DEPTH_LEVELS - 1 && job->depth >= INT64_C(2) << level)
        level++;
    const bool any = job->completed > 0;
    write_levels(out, "iodepth_level", levels, any ? level : -1);
    write_levels(out, "iodepth_submit", batches, any ? 1 : -1);
    write_levels(out, "iodepth_complete", batches, any ? 1 : -1);
}

static void write_options(FILE *out, const struct job *job)
{
    const char *rw = job->share_read >= 1 ? "read" : job->share_read > 0 ? "rw" : "write";
    fputs("      \"job options\": {\"name\": ", out);
    json_string(out, job->name);
    fprintf(out, ", \"rw\": \"%s%s\", \"bs\": \"%.0f\", \"iodepth\": \"%" PRId64
            "\", \"numjobs\": \"1\"",
            job->sequential ? "" : "rand", rw,
            job->completed > 0 ? job->bytes / (double)job->completed : 0,
            job->depth > 0 ? job->depth : 1);
    if (job->share_read > 0 && job->share_read < 1)
        fprintf(out, ", \"rwmixread\": \"%.0f\"", job->share_read * 100);
    fputs("},\n", out);
}

static void write_job(FILE *out, const struct job *job, int number)
{
    static const struct direction trim = {.name = "trim"};
    const double ms = fmax(job->directions[0].runtime_ms, job->directions[1].runtime_ms);
    fputs(number == 0 ? "    {\n      \"jobname\": " : ",\n    {\n      \"jobname\": ", out);
    json_string(out, job->name);
    fprintf(out, ",\n      \"groupid\": %d, \"error\": %d, \"eta\": 0, \"elapsed\": %.0f,\n",
            number, job->failed > 0 ? 5 : 0, ceil(ms / 1e3)); /* EIO */
    write_options(out, job);
    write_direction(out, &job->directions[0]);
    write_direction(out, &job->directions[1]);
    write_direction(out, &trim);
    fputs("      \"sync\": {\"total_ios\": 0, \"lat_ns\": {\"min\": 0, \"max\": 0, \"mean\": 0.0, "
          "\"stddev\": 0.0, \"N\": 0}},\n",
          out);
    fprintf(out,
            "      \"job_runtime\": %.0f, \"usr_cpu\": 0.0, \"sys_cpu\": %f, \"ctx\": 0, "
            "\"majf\": 0, \"minf\": 0,\n",
            ceil(ms), job->host_cpu);
    write_depth(out, job);
    write_shares(out, job, "ns", 1);
    write_shares(out, job, "us", 1e3);
    write_shares(out, job, "ms", 1e6);
    fprintf(out,
            "      \"latency_depth\": %" PRId64 ", \"latency_target\": 0, \"latency_percentile\": "
            "100.0, \"latency_window\": 0\n    }",
            job->depth > 0 ? job->depth : 1);
}

static void write_jobs(struct store *store, FILE *out)
{
    const bool recorded =
        store_ask_int(store, "SELECT count(*) FROM meta WHERE record IN ('ios', 'packets')", 0) > 0;
    struct store_statement *rows = store_prepare(
        store, "SELECT workload, name, completed, failed, bytes, bytes_read, window_ps, iops,"
               " goodput_bps, latency_min_ps, latency_max_ps, cpu_host_ps,"
               " (SELECT value FROM setting WHERE path='workloads.'||name||'.queue-depth')"
               " AS depth, (SELECT value FROM setting WHERE path='workloads.'||name||'.pattern')"
               " AS pattern, (SELECT value FROM result WHERE path='workloads['||workload||"
               "'].goodput_read_bps') AS read_bps, (SELECT value FROM result WHERE"
               " path='workloads['||workload||'].goodput_write_bps') AS write_bps"
               " FROM workload ORDER BY workload");
    for (int number = 0; rows != NULL && store_step(rows); number++) {
        struct job job = job_of(rows);
        read_directions(&job, store, rows, recorded);
        write_job(out, &job, number);
        free(job.directions[0].latencies.buckets);
        free(job.directions[1].latencies.buckets);
    }
    store_finish(rows);
}

bool fio_json(struct store *store, FILE *out)
{
    char version[64];
    store_ask_text(store, "SELECT version FROM meta", version, sizeof version);
    fprintf(out,
            "{\n  \"fio version\": \"fio-3.33 (stormglass %s)\",\n  \"timestamp\": 0,\n"
            "  \"timestamp_ms\": 0,\n  \"time\": \"Thu Jan  1 00:00:00 1970\",\n"
            "  \"global options\": {\"ioengine\": \"stormglass\"},\n  \"jobs\": [\n",
            version);
    write_jobs(store, out);
    fputs("\n  ]\n}\n", out);
    return store_error(store) == NULL && ferror(out) == 0;
}
