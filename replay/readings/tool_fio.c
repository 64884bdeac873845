/* SPDX-License-Identifier: Apache-2.0
 * tool_fio - reads fio's normal output.
 *   rr: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) .., ioengine=libaio, iodepth=32
 *   rr: (groupid=0, jobs=2): err= 0: pid=890: Mon Nov 23 10:03:38 2026
 *     read: IOPS=75.1k, BW=4694MiB/s (4922MB/s)(145GiB/31576msec)
 *       clat (usec): min=45, max=2149, avg=825.18, stdev=32.49
 *        | 50.00th=[  306], ..
 *     cpu          : usr=1.00%, sys=8.85%, ctx=137
 * Before version 3: bs=4K-4K/4K-4K/4K-4K, and "read : io=.., bw=.., iops=1234, runtime=..". */
#include "replay/readings/fio_result.h"

#include <string.h>

enum { JOBS_MAX = 64, NAME_BYTES = 64 };

struct job {
    char name[NAME_BYTES];
    int64_t bytes[2]; /* of a read, of a write */
    int64_t depth;
    bool range; /* a range of sizes */
};

struct scan {
    const struct tool_file *file;
    struct lines lines;
    struct job jobs[JOBS_MAX];
    int count;
    struct job unsaid;     /* stands for a job without a description */
    const struct job *now; /* the job of the current result; NULL: none, or it failed */
    int64_t many;          /* number of its jobs */
    bool mixed;            /* its group has other results */
    struct fio_result results[2];
    bool there[2];
    bool writes;    /* the last direction was write */
    double percent; /* ps per unit of the percentiles */
    size_t seen;    /* results, including ignored ones */
};

/* ------------------------------------------------------------------ numbers with units */

/* The text after a word anywhere in the line, or NULL. */
static const char *text_after(const struct scan *scan, const char *word)
{
    const char *at = strstr(scan->lines.text, word);
    return at == NULL ? NULL : at + strlen(word) + strspn(at + strlen(word), " ");
}

static void expected(const struct scan *scan, const char *at, const char *what)
{
    tool_say(scan->file, DIAG_ERROR, &scan->lines, at, strcspn(at, " ,"), "expected %s", what);
}

static bool take_number(const struct scan *scan, const char *at, double unit,
                        struct reading_number *number)
{
    const size_t length = strspn(at, "0123456789.");
    if (!reading_number_parse(at, length, number)) {
        expected(scan, at, "a number such as 12 or 0.99");
        return false;
    }
    /* fio abbreviates: 75.1k, 2.1M */
    const double suffix = at[length] == 'k' ? 1e3 : at[length] == 'M' ? 1e6 : 1;
    *number = reading_number_times(*number, suffix * unit);
    return true;
}

/* "4096B", "64.0KiB", "4K": bytes, or 0. */
static int64_t bytes_at(const char *at)
{
    struct reading_number number;
    const size_t length = strspn(at, "0123456789.");
    if (!reading_number_parse(at, length, &number) || number.value > 1e9)
        return 0;
    const double unit = at[length] == 'K' ? 1024 : at[length] == 'M' ? 1048576 : 1;
    return (int64_t)(number.value * unit);
}

/* The unit in "(nsec):", "(usec)", "(msec)"; 0 if there is none. */
static double unit_at(const char *at)
{
    return strncmp(at, "(nsec)", 6) == 0   ? 1e3
           : strncmp(at, "(usec)", 6) == 0 ? 1e6
           : strncmp(at, "(msec)", 6) == 0 ? 1e9
                                           : 0;
}

/* ------------------------------------------------------------------ jobs */

static const struct job *find_job(const struct scan *scan, const char *name, size_t length)
{
    for (int i = 0; i < scan->count; i++)
        if (strlen(scan->jobs[i].name) == length && strncmp(scan->jobs[i].name, name, length) == 0)
            return &scan->jobs[i];
    return NULL;
}

static void take_job(struct scan *scan, const char *name, size_t length)
{
    const char *sizes = text_after(scan, "bs="), *write = text_after(scan, "(W)");
    const char *depth = text_after(scan, "iodepth=");
    if (scan->count == JOBS_MAX || length >= NAME_BYTES) {
        expected(scan, name, "at most 64 jobs, with names of at most 63 characters");
        return;
    }
    struct job *job = &scan->jobs[scan->count++];
    *job = (struct job){.depth = 1};
    memcpy(job->name, name, length);
    if (sizes != NULL) {
        sizes += strncmp(sizes, "(R) ", 4) == 0 ? 4 : 0;
        job->bytes[0] = job->bytes[1] = bytes_at(sizes);
        const char *to = strchr(sizes, '-');
        job->range = to != NULL && bytes_at(to + 1) != job->bytes[0];
        const char *old = strchr(sizes, '/');
        if (write != NULL || (old != NULL && old < sizes + strcspn(sizes, ", ")))
            job->bytes[1] = bytes_at(write != NULL ? write : old + 1);
    }
    if (job->bytes[0] == 0 || job->bytes[1] == 0)
        expected(scan, sizes == NULL ? name : sizes, "bs= with the size of an I/O");
    if (depth != NULL && tool_count(depth, 1000000, &job->depth) == 0)
        expected(scan, depth, "iodepth= with a number up to 1000000");
}

/* The data of a job are complete when the next one begins or the file ends. */
static void end_result(struct scan *scan)
{
    for (int i = 0; i < 2; i++)
        if (scan->there[i]) {
            struct fio_result *result = &scan->results[i];
            result->all_iops = result->iops;
            result->all_iops.value += scan->there[1 - i] ? scan->results[1 - i].iops.value : 0;
            fio_result_add(scan->file, result);
        }
    scan->there[0] = scan->there[1] = false;
    scan->now = NULL;
}

/* Number of results in the group; its jobs run at the same time. */
static int results_of_group(const struct scan *scan)
{
    const char *group = strstr(scan->lines.text, "(groupid=");
    const size_t length = strcspn(group, ",") + 1;
    char words[NAME_BYTES] = "";
    int count = 0;
    if (length >= sizeof words)
        return 1;
    memcpy(words, group, length);
    for (const char *at = scan->file->file->text; (at = strstr(at, words)) != NULL; at++)
        count++;
    return count;
}

static void begin_result(struct scan *scan, const char *name, size_t length)
{
    const char *many = text_after(scan, "jobs="), *error = text_after(scan, "err=");
    end_result(scan);
    scan->seen++;
    scan->now = find_job(scan, name, length);
    scan->mixed = results_of_group(scan) > 1;
    if (many == NULL || tool_count(many, 1000000, &scan->many) == 0 || scan->many < 1)
        expected(scan, name, "jobs= with a number from 1 to 1000000");
    if (scan->now == NULL)
        scan->now = &scan->unsaid;
    if (error == NULL || strncmp(error, "0", 1) == 0)
        return;
    tool_say(scan->file, DIAG_WARNING, &scan->lines, error, 1, "the job failed: it is left out");
    scan->now = NULL;
}

/* ------------------------------------------------------------------ figures */

/* BW=4694MiB/s divided by the rate, if that is almost a power of two. */
static int64_t bytes_of_rate(const struct scan *scan, double iops)
{
    const char *now = text_after(scan, "BW="), *at = now != NULL ? now : text_after(scan, "bw=");
    struct reading_number number;
    const size_t length = at == NULL ? 0 : strspn(at, "0123456789.");
    if (length == 0 || !reading_number_parse(at, length, &number))
        return 0;
    const double unit = at[length] == 'G'   ? 1073741824
                        : at[length] == 'M' ? 1048576
                        : at[length] == 'K' ? 1024
                                            : 1;
    const double bytes = number.value * unit / iops;
    for (int64_t power = 512; power <= 64 * 1048576; power *= 2)
        if (bytes > 0.97 * (double)power && bytes < 1.03 * (double)power)
            return power;
    return 0;
}

static void take_direction(struct scan *scan, bool write)
{
    const char *iops = text_after(scan, "IOPS="), *old = text_after(scan, "iops=");
    const char *at = iops != NULL ? iops : old;
    struct fio_result *result = &scan->results[write];
    if (at == NULL) {
        expected(scan, scan->lines.text, "IOPS= in this line: it is cut");
        return;
    }
    *result = (struct fio_result){.where = lines_place(&scan->lines, at, strcspn(at, " ,")),
                                  .write = write,
                                  .bytes = scan->now->bytes[write],
                                  .depth = scan->now->depth,
                                  .jobs = scan->many,
                                  .mixed = scan->mixed};
    scan->writes = write;
    if (scan->now->range) {
        tool_say(scan->file, DIAG_WARNING, &scan->lines, at, strcspn(at, " ,"),
                 "I/Os of many sizes are not read: the job is left out");
        return;
    }
    scan->there[write] = take_number(scan, at, 1, &result->iops);
    if (scan->there[write] && result->bytes == 0)
        result->bytes = bytes_of_rate(scan, result->iops.value);
    if (scan->there[write] && result->bytes == 0)
        expected(scan, at, "a line of this job above it, with bs= and iodepth=");
}

/* The mean, until a median is found. */
static void take_latency(struct scan *scan)
{
    const char *clat = text_after(scan, "clat "), *average = text_after(scan, "avg=");
    const char *median = text_after(scan, " 50.00th=["),
               *list = text_after(scan, "clat percentiles ");
    struct reading_number *latency = &scan->results[scan->writes].latency;
    if (list != NULL)
        scan->percent = unit_at(list);
    else if (clat != NULL && unit_at(clat) > 0 && average != NULL)
        take_number(scan, average, unit_at(clat), latency);
    else if (median != NULL && scan->percent > 0)
        take_number(scan, median, scan->percent, latency);
}

/* CPU use of both directions. */
static void take_cpu(struct scan *scan)
{
    const char *usr = text_after(scan, "usr="), *sys = text_after(scan, "sys=");
    struct reading_number user, system;
    if (usr == NULL || sys == NULL) {
        expected(scan, scan->lines.text, "usr= and sys= in this line: it is cut");
        return;
    }
    if (!take_number(scan, usr, 1, &user) || !take_number(scan, sys, 1, &system))
        return;
    for (int i = 0; i < 2; i++) {
        scan->results[i].usr = user;
        scan->results[i].sys = system;
    }
}

/* The last line of a result, since version 2.0.8. */
static void take_depth(struct scan *scan)
{
    const char *depth = text_after(scan, "depth=");
    int64_t number;
    if (depth == NULL || tool_count(depth, 1000000, &number) == 0)
        return;
    for (int i = 0; i < 2; i++)
        if (scan->results[i].depth == 0)
            scan->results[i].depth = number;
}

static void read_line(struct scan *scan)
{
    const char *text = scan->lines.text, *word = text + strspn(text, " \t>|");
    const char *job = strstr(word, ": (g="), *result = strstr(word, ": (groupid=");
    if (job != NULL)
        take_job(scan, word, (size_t)(job - word));
    else if (result != NULL)
        begin_result(scan, word, (size_t)(result - word));
    if (scan->now == NULL)
        return;
    if (strncmp(word, "read: ", 6) == 0 || strncmp(word, "read : ", 7) == 0)
        take_direction(scan, false);
    else if (strncmp(word, "write: ", 7) == 0)
        take_direction(scan, true);
    else if (strncmp(word, "cpu ", 4) == 0)
        take_cpu(scan);
    else if (strncmp(word, "latency ", 8) == 0)
        take_depth(scan);
    else if (scan->there[scan->writes])
        take_latency(scan);
}

static void read_output(const struct tool_file *file)
{
    struct scan *scan = arena_take(&file->readings->arena, sizeof *scan);
    *scan = (struct scan){.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&scan->lines, &file->readings->arena))
        read_line(scan);
    const bool cut = scan->now != NULL && !scan->now->range && !scan->there[0] && !scan->there[1];
    end_result(scan);
    if ((scan->seen == 0 || cut) && !diag_failed(file->diag))
        tool_cut(file, "expected the results of fio's jobs, with IOPS=: the file is cut");
}

static const char *const fio_marks[] = {": (groupid=", ": (g=", NULL};

const struct tool tool_fio = {
    .word = "fio",
    .about = "fio",
    .marks = fio_marks,
    .read = read_output,
};
