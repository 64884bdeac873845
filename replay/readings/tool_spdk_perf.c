/* SPDX-License-Identifier: Apache-2.0
 * tool_spdk_perf - reads the table of SPDK's spdk_nvme_perf.
 *                                                              Latency(us)
 *   Device Information                  :    IOPS   MiB/s  Average     min     max
 *   RDMA (addr:.. subnqn:..) NSID 1 from core  2: 410000.00 1601.56 78.05 11.20 902.33
 *   Total                               : ...
 * The table has neither queue depth nor I/O type. They come from the command (-q, -w) if it
 * precedes the table; otherwise the depth is IOPS times latency, and I/Os are assumed to be READs.
 * Source: SPDK 24.09, app/spdk_nvme_perf/perf.c (print_performance). */
#include "base/units.h"
#include "replay/readings/fio_result.h"

#include <math.h>
#include <string.h>

enum { COLUMN_IOPS, COLUMN_MIB, COLUMN_AVERAGE, COLUMN_MIN, COLUMN_MAX, COLUMNS };

struct perf {
    const struct tool_file *file;
    struct lines lines;
    bool headed;
    bool named;               /* a command contained -w */
    struct fio_result result; /* of the table */
    double under_way, mib;
    size_t tables;
    int64_t depth; /* -q; 0: not given */
};

static bool is_command(const struct perf *perf)
{
    return strstr(perf->lines.text, "nvme_perf") != NULL ||
           strstr(perf->lines.text, "/perf ") != NULL;
}

/* The value of a single-letter option, or NULL. */
static const char *option_of(const struct perf *perf, const char *option)
{
    const char *at = strstr(perf->lines.text, option);
    return at == NULL ? NULL : at + strlen(option) + strspn(at + strlen(option), " =");
}

static void take_command(struct perf *perf)
{
    const char *depth = option_of(perf, " -q"), *kind = option_of(perf, " -w");
    if (depth != NULL)
        tool_count(depth, 1000000, &perf->depth);
    if (kind == NULL)
        return;
    perf->named = true;
    perf->result.write = strncmp(kind, "write", 5) == 0 || strncmp(kind, "randwrite", 9) == 0;
    perf->result.mixed = strncmp(kind, "rw", 2) == 0 || strncmp(kind, "randrw", 6) == 0;
}

static bool take_columns(const struct perf *perf, const char *text,
                         struct reading_number columns[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) {
        text += strspn(text, " \t");
        const size_t length = strcspn(text, " \t\r\n");
        if (!reading_number_parse(text, length, &columns[i])) {
            tool_say(perf->file, DIAG_ERROR, &perf->lines, text, length > 0 ? length : 1,
                     "expected IOPS, MiB/s and the average, least and greatest latency in us: the "
                     "line is cut");
            return false;
        }
        text += length;
    }
    return true;
}

static void begin_table(struct perf *perf)
{
    perf->headed = true;
    perf->tables++;
    perf->result.jobs = 0;
    perf->result.iops = (struct reading_number){0, 0};
    perf->under_way = perf->mib = 0;
}

static void take_row(struct perf *perf, const char *core)
{
    const char *colon = strchr(core, ':');
    struct reading_number columns[COLUMNS];
    if (colon == NULL || !take_columns(perf, colon + 1, columns))
        return;
    if (perf->result.jobs++ == 0)
        perf->result.where = lines_place(&perf->lines, colon + 1 + strspn(colon + 1, " "), 1);
    perf->result.iops.value += columns[COLUMN_IOPS].value;
    perf->result.iops.step += columns[COLUMN_IOPS].step;
    perf->mib += columns[COLUMN_MIB].value;
    perf->under_way += columns[COLUMN_IOPS].value * columns[COLUMN_AVERAGE].value / 1e6;
    perf->result.latency.step = columns[COLUMN_AVERAGE].step * (double)PS_PER_US;
}

static void end_table(struct perf *perf)
{
    struct fio_result *result = &perf->result;
    perf->headed = false;
    if (result->jobs == 0 || result->iops.value <= 0)
        return;
    const double depth = perf->under_way / (double)result->jobs;
    result->all_iops = result->iops;
    const double blocks = perf->mib * 1048576 / result->iops.value / 512;
    result->bytes = blocks < 1e6 ? 512 * llround(blocks) : 0;
    result->depth = perf->depth > 0 ? perf->depth : depth > 1 && depth < 1e6 ? llround(depth) : 1;
    result->latency.value = perf->under_way / result->iops.value * (double)PS_PER_S;
    if (!perf->named)
        diag_add(perf->file->diag, DIAG_WARNING, result->where, NULL,
                 "the table does not say what was read or written: taken for reads; put the "
                 "command line (-q, -w) above it");
    fio_result_add(perf->file, result);
}

static void take_line(struct perf *perf)
{
    const char *text = perf->lines.text, *core = strstr(text, " from core ");
    if (strstr(text, "Device Information") != NULL)
        begin_table(perf);
    else if (perf->headed && strncmp(text + strspn(text, " >\t"), "Total", 5) == 0)
        end_table(perf);
    else if (perf->headed && core != NULL)
        take_row(perf, core);
    else if (is_command(perf))
        take_command(perf);
}

static void read_output(const struct tool_file *file)
{
    struct perf *perf = arena_take(&file->readings->arena, sizeof *perf);
    *perf = (struct perf){.file = file, .lines = {.file = file->file}};
    while (file->diag->errors < DIAG_MAX && lines_next(&perf->lines, &file->readings->arena))
        take_line(perf);
    if (perf->headed)
        end_table(perf);
    if (perf->result.jobs == 0 && !diag_failed(file->diag))
        tool_cut(file, "expected a line \"... from core N: ...\" below the heading of "
                       "spdk_nvme_perf: the file is cut");
}

static const char *const spdk_perf_marks[] = {"Device Information", NULL};

const struct tool tool_spdk_perf = {
    .word = "spdk_nvme_perf",
    .about = "spdk_nvme_perf",
    .marks = spdk_perf_marks,
    .read = read_output,
};
