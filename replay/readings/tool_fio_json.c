/* SPDX-License-Identifier: Apache-2.0
 * tool_fio_json - reads fio's --output-format=json and json+, also from fio --client
 * ("client_stats").
 *   {"fio version": "fio-3.33", "global options": {..}, "jobs": [{"jobname": "j", "error": 0,
 *    "job options": {"iodepth": "1", "numjobs": "4"}, "read": {"iops": 1.5, "io_bytes": 4096,
 *    "total_ios": 1, "clat_ns": {"mean": 9.5, "percentile": {"50.000000": 9}}}, "write": {..},
 *    "usr_cpu": 1.5, "sys_cpu": 2.5}]}
 * Versions before 3 have "clat", in microseconds, and "io_kbytes" or "io_bytes" in KiB. */
#include "replay/readings/fio_result.h"
#include "scenarios/format/json_tree.h"

#include <math.h>
#include <string.h>

struct document {
    const struct tool_file *file;
    const struct tree_node *global, *jobs, *job;
    bool clients; /* jobs are from fio --client */
};

/* A number of an object. 0 with step 0 if it is missing or invalid (already reported). */
static struct reading_number number_of(const struct document *document, const struct tree_node *map,
                                       const char *key)
{
    struct reading_number number = {0, 0};
    const struct tree_node *node = tree_want(document->file->diag, map, key, TREE_SCALAR);
    if (node != NULL && !reading_number_parse(node->text, strlen(node->text), &number)) {
        tree_error(document->file->diag, node, "%s: expected a number such as 12 or 0.99", key);
        number = (struct reading_number){0, 0};
    }
    return number;
}

/* An integer from the job's options or the global options; 1 by default. */
static int64_t option_of(const struct document *document, const char *key)
{
    const struct tree_node *own = tree_get(tree_get(document->job, "job options"), key);
    const struct tree_node *node = own != NULL ? own : tree_get(document->global, key);
    int64_t number = 1;
    if (node == NULL)
        return 1;
    if (node->kind != TREE_SCALAR || tool_count(node->text, 1000000, &number) == 0 || number < 1)
        tree_error(document->file->diag, node, "%s: expected a number from 1 to 1000000", key);
    return number;
}

/* The median, otherwise the mean. */
static struct reading_number latency_of(const struct document *document,
                                        const struct tree_node *direction)
{
    const struct tree_node *now = tree_want(document->file->diag, direction, "clat_ns", TREE_MAP);
    const struct tree_node *before = tree_want(document->file->diag, direction, "clat", TREE_MAP);
    const struct tree_node *times = now != NULL ? now : before;
    const struct tree_node *percentiles =
        times == NULL ? NULL : tree_want(document->file->diag, times, "percentile", TREE_MAP);
    const double ps = now != NULL ? 1e3 : 1e6;
    const char *key = "mean";
    for (size_t i = 0; percentiles != NULL && i < percentiles->count; i++)
        if (strncmp(percentiles->items[i].key, "50.0", 4) == 0)
            key = percentiles->items[i].key;
    if (times == NULL)
        return (struct reading_number){0, 0};
    return reading_number_times(
        number_of(document, strcmp(key, "mean") == 0 ? times : percentiles, key), ps);
}

/* The other direction's rate, if reported. */
static double other_iops(const struct document *document, bool write)
{
    struct reading_number number = {0, 0};
    const struct tree_node *iops =
        tree_get(tree_get(document->job, write ? "read" : "write"), "iops");
    if (iops != NULL && iops->kind == TREE_SCALAR)
        reading_number_parse(iops->text, strlen(iops->text), &number);
    return number.value;
}

static bool same(const struct tree_node *a, const struct tree_node *b, const char *key)
{
    const struct tree_node *one = tree_get(a, key), *other = tree_get(b, key);
    return one != NULL && other != NULL && one->kind == TREE_SCALAR && other->kind == TREE_SCALAR &&
           strcmp(one->text, other->text) == 0;
}

/* Jobs of several clients (fio --client) have a host and a port. */
static bool same_client(const struct tree_node *a, const struct tree_node *b)
{
    static const char *const keys[] = {"hostname", "port"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (tree_get(a, keys[i]) != NULL && !same(a, b, keys[i]))
            return false;
    return true;
}

/* fio's sum over all clients, which follows them. */
static bool is_sum(const struct document *document, const struct tree_node *job)
{
    const struct tree_node *name = tree_get(job, "jobname");
    return document->clients && name != NULL && name->kind == TREE_SCALAR &&
           strcmp(name->text, "All clients") == 0;
}

/* Number of the client's jobs with the same value of a key, including this one. */
static size_t count_alike(const struct document *document, const char *key)
{
    size_t count = 0;
    for (size_t i = 0; i < document->jobs->count; i++) {
        const struct tree_node *job = document->jobs->items[i].value;
        count += !is_sum(document, job) && same(job, document->job, key) &&
                 same_client(job, document->job);
    }
    return count;
}

/* Without --group_reporting, each job has its own result. */
static int64_t jobs_of(const struct document *document)
{
    return count_alike(document, "jobname") > 1 ? 1 : option_of(document, "numjobs");
}

/* Up to version 2.21 "io_bytes" is in KiB. A comparison with "bw", always in KiB/s, shows which. */
static double bytes_of(const struct document *document, const struct tree_node *direction)
{
    enum { KIB = 1024, BETWEEN = 32 }; /* threshold between the ratios 1 and 1024 */
    const double bytes = number_of(document, direction, "io_bytes").value;
    const double kib = number_of(document, direction, "io_kbytes").value;
    const double moved_kib = number_of(document, direction, "bw").value *
                             number_of(document, direction, "runtime").value / 1e3;
    if (kib > 0)
        return bytes > 0 ? bytes : kib * KIB;
    return bytes < BETWEEN * moved_kib ? bytes * KIB : bytes;
}

static void take_direction(const struct document *document, const char *name)
{
    const struct tree_node *direction =
        tree_want(document->file->diag, document->job, name, TREE_MAP);
    const struct reading_number iops = number_of(document, direction, "iops");
    if (direction == NULL || iops.value <= 0)
        return;
    struct fio_result result = {
        .where = direction->place,
        .write = strcmp(name, "write") == 0,
        .mixed = count_alike(document, "groupid") > 1,
        .depth = option_of(document, "iodepth"),
        .jobs = jobs_of(document),
        .iops = iops,
        .latency = latency_of(document, direction),
        .usr = number_of(document, document->job, "usr_cpu"),
        .sys = number_of(document, document->job, "sys_cpu"),
    };
    const double bytes = bytes_of(document, direction);
    const struct reading_number count = number_of(document, direction, "total_ios");
    result.all_iops = result.iops;
    result.all_iops.value += other_iops(document, result.write);
    if (count.value > 0 && bytes / count.value < 1e9)
        result.bytes = llround(bytes / count.value);
    if (result.bytes < 1 && !diag_failed(document->file->diag))
        tree_error(document->file->diag, direction,
                   "%s: expected io_bytes and total_ios, of which the size of an I/O comes", name);
    if (!diag_failed(document->file->diag))
        fio_result_add(document->file, &result);
}

static void take_job(const struct document *document)
{
    const struct reading_number error = number_of(document, document->job, "error");
    if (error.value > 0) {
        tree_message(document->file->diag, DIAG_WARNING, document->job, document->job->place,
                     "the job failed: it is left out");
        return;
    }
    take_direction(document, "read");
    if (!diag_failed(document->file->diag))
        take_direction(document, "write");
}

/* "client_stats" with --client, else "jobs". */
static const struct tree_node *jobs_in(const struct tool_file *file, const struct tree_node *root)
{
    const char *key = tree_get(root, "client_stats") != NULL ? "client_stats" : "jobs";
    return tree_want(file->diag, root, key, TREE_LIST);
}

static void read_output(const struct tool_file *file)
{
    struct json_repeats repeats = {0};
    const struct tree_node *root =
        json_tree(&file->readings->arena, file->file, &repeats, file->diag);
    const struct tree_node *jobs = root == NULL ? NULL : jobs_in(file, root);
    if (root == NULL)
        return;
    if (jobs == NULL || jobs->count == 0) {
        if (!diag_failed(file->diag))
            tree_error(file->diag, root, "expected jobs or client_stats, as fio writes them");
        return;
    }
    struct document document = {
        .file = file,
        .global = tree_get(root, "global options"),
        .jobs = jobs,
        .clients = tree_get(root, "client_stats") == jobs,
    };
    for (size_t i = 0; i < jobs->count && !diag_failed(file->diag); i++) {
        document.job = jobs->items[i].value;
        if (!is_sum(&document, document.job))
            take_job(&document);
    }
}

static const char *const fio_json_marks[] = {"\"fio version\"", NULL};

const struct tool tool_fio_json = {
    .word = "fio",
    .about = "the same with --output-format=json",
    .json = true,
    .marks = fio_json_marks,
    .read = read_output,
};
