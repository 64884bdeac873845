/* SPDX-License-Identifier: Apache-2.0
 * tool_fio_terse - reads fio's --output-format=terse (--minimal), versions 3 to 5: one line per
 * job.
 *   3;fio-3.36;job;GROUP;ERROR;READ..;WRITE..;[TRIM..;]USR%;SYS%;CTX;MAJF;MINF;DEPTHS..
 * A direction has 41 fields, in version 5 47. The line has neither block size nor iodepth: the size
 * is derived from bandwidth and IOPS, the depth from the shares of depths (1, 2, 4 .. 64 and more)
 * and from IOPS times latency.
 * Source: fio stat.c (show_thread_status_terse_all), HOWTO "Terse output". */
#include "base/units.h"
#include "replay/readings/fio_result.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    FIELD_GROUP = 3,
    FIELD_ERROR = 4,
    FIELD_FIRST = 5, /* of reads */
    /* Offsets within a direction. */
    FIELD_BANDWIDTH = 1,
    FIELD_IOPS = 2,
    FIELD_CLAT_MEAN = 10,
    FIELD_PERCENTILES = 12,
    FIELD_LAT_MEAN = 34,
    PERCENTILES = 20,
    DEPTHS = 7,
    FIELDS_MAX = 256
};

struct terse {
    const struct tool_file *file;
    struct lines lines;
    const char *fields[FIELDS_MAX];
    size_t lengths[FIELDS_MAX];
    int count;
    int width;      /* fields per direction */
    int directions; /* 2, or 3 with trims */
};

static void cut(struct terse *terse)
{
    const char *at = terse->lines.text;
    terse->count = 0;
    while (terse->count < FIELDS_MAX) {
        const size_t length = strcspn(at, ";\r\n");
        terse->fields[terse->count] = at;
        terse->lengths[terse->count++] = length;
        if (at[length] != ';')
            break;
        at += length + 1;
    }
}

/* A field as a number, also "1.5%"; 0 with step 0 and a message if it is not one. */
static struct reading_number number_at(const struct terse *terse, int field)
{
    struct reading_number number = {0, 0};
    const char *text = terse->fields[field];
    size_t length = terse->lengths[field];
    length -= length > 0 && text[length - 1] == '%';
    if (!reading_number_parse(text, length, &number)) {
        tool_say(terse->file, DIAG_ERROR, &terse->lines, text, length > 0 ? length : 1,
                 "field %d: expected a number such as 12 or 0.99", field + 1);
        return (struct reading_number){0, 0};
    }
    return number;
}

/* The median, otherwise the mean, in ps. */
static struct reading_number latency_at(const struct terse *terse, int first)
{
    for (int i = 0; i < PERCENTILES; i++) {
        const int field = first + FIELD_PERCENTILES + i;
        const char *text = terse->fields[field], *equals = strchr(text, '=');
        struct reading_number median;
        if (strncmp(text, "50.0", 4) == 0 && equals != NULL &&
            reading_number_parse(equals + 1, terse->lengths[field] - (size_t)(equals + 1 - text),
                                 &median) &&
            median.value > 0)
            return reading_number_times(median, (double)PS_PER_US);
    }
    return reading_number_times(number_at(terse, first + FIELD_CLAT_MEAN), (double)PS_PER_US);
}

/* Block size from KiB/s and IOPS, both rounded down. */
static int64_t bytes_at(const struct terse *terse, int first, double iops)
{
    const double bandwidth = number_at(terse, first + FIELD_BANDWIDTH).value * 1024;
    const double bytes = bandwidth / iops;
    for (int64_t power = 512; power <= 64 * 1048576; power *= 2)
        if (bytes > 0.97 * (double)power && bytes < 1.03 * (double)power)
            return power;
    return bytes < 1e9 ? 512 * llround(bytes / 512) : 0;
}

struct outstanding {
    int64_t depth, jobs;
};

/* `under_way` is the total of all jobs by Little's law. The shares of depths give the range of a
 * single job: most of them between `low` and 2 * low - 1, or more for the last share. */
static struct outstanding outstanding_of(const struct terse *terse, double under_way)
{
    const int first = FIELD_FIRST + terse->directions * terse->width + 5;
    double most = 0;
    int64_t low = 1;
    for (int i = 0; i < DEPTHS; i++) {
        const double share = number_at(terse, first + i).value;
        if (share > most) {
            most = share;
            low = INT64_C(1) << i;
        }
    }
    if (low == 64)
        while ((double)low < 0.8 * under_way && low < 65536)
            low *= 2;
    const int64_t jobs = under_way < 1e6 ? llround(under_way / (double)low) : 1;
    return (struct outstanding){low, jobs > 1 ? jobs : 1};
}

static double under_way_at(const struct terse *terse, int first)
{
    return number_at(terse, first + FIELD_IOPS).value *
           number_at(terse, first + FIELD_LAT_MEAN).value / 1e6;
}

static void take_job(struct terse *terse)
{
    const int cpu = FIELD_FIRST + terse->directions * terse->width;
    const int starts[] = {FIELD_FIRST, FIELD_FIRST + terse->width};
    const struct outstanding outstanding =
        outstanding_of(terse, under_way_at(terse, starts[0]) + under_way_at(terse, starts[1]));
    struct reading_number iops[2];
    for (int i = 0; i < 2; i++)
        iops[i] = number_at(terse, starts[i] + FIELD_IOPS);
    for (int i = 0; i < 2 && !diag_failed(terse->file->diag); i++) {
        if (iops[i].value <= 0)
            continue;
        const char *at = terse->fields[starts[i] + FIELD_IOPS];
        struct fio_result result = {
            .where = lines_place(&terse->lines, at, strcspn(at, ";")),
            .write = i == 1,
            .bytes = bytes_at(terse, starts[i], iops[i].value),
            .depth = outstanding.depth,
            .jobs = outstanding.jobs,
            .iops = iops[i],
            .latency = latency_at(terse, starts[i]),
            .usr = number_at(terse, cpu),
            .sys = number_at(terse, cpu + 1),
        };
        result.all_iops = result.iops;
        result.all_iops.value += iops[1 - i].value;
        if (!diag_failed(terse->file->diag))
            fio_result_add(terse->file, &result);
    }
}

/* Parses "3;fio-": the version, or 0. */
static int version_of(const char *text)
{
    return text[0] >= '1' && text[0] <= '9' && strncmp(text + 1, ";fio-", 5) == 0 ? text[0] - '0'
                                                                                  : 0;
}

static void take_line(struct terse *terse)
{
    const char *text = terse->lines.text;
    const int version = version_of(text);
    if (version == 0)
        return;
    if (version < 3 || version > 5) {
        tool_say(terse->file, DIAG_ERROR, &terse->lines, text, 1,
                 "terse version %d: expected 3, 4 or 5 (fio --terse-version)", version);
        return;
    }
    cut(terse);
    terse->width = version == 5 ? 47 : 41;
    terse->directions = version == 3 ? 2 : 3;
    const int needed = FIELD_FIRST + terse->directions * terse->width + 5 + DEPTHS;
    if (terse->count < needed) {
        tool_say(terse->file, DIAG_ERROR, &terse->lines, terse->fields[terse->count - 1], 1,
                 "fields of the line: expected %d or more, found %d: it is cut", needed,
                 terse->count);
        return;
    }
    if (number_at(terse, FIELD_ERROR).value > 0)
        tool_say(terse->file, DIAG_WARNING, &terse->lines, terse->fields[FIELD_ERROR], 1,
                 "the job failed: it is left out");
    else
        take_job(terse);
}

static void read_output(const struct tool_file *file)
{
    struct terse *terse = arena_take(&file->readings->arena, sizeof *terse);
    *terse = (struct terse){.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&terse->lines, &file->readings->arena))
        take_line(terse);
}

static const char *const fio_terse_marks[] = {"3;fio-", "4;fio-", "5;fio-", NULL};

const struct tool tool_fio_terse = {
    .word = "fio",
    .about = "the same with --output-format=terse",
    .marks = fio_terse_marks,
    .read = read_output,
};
