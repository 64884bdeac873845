/* SPDX-License-Identifier: Apache-2.0
 * import_trace - stormglass import iolog, and import blktrace.
 * Both write an iolog of version 3 for a workload of kind trace, to -o or standard output. They
 * print on standard error what the trace contains, and the line of a scenario that replays it. */
#include "cli/prepare/import.h"

#include "base/memory.h"
#include "base/plural.h"
#include "scenarios/trace/blktrace.h"
#include "scenarios/trace/iolog.h"
#include "scenarios/trace/table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct import {
    struct arena arena;
    struct diag *diag;
    const struct tree_file **files;
    size_t count;
};

static void describe_trace(const struct trace *trace)
{
    const struct trace_sums sums = trace_sums(trace);
    fprintf(stderr,
            "%" PRIu64 " %s of %" PRIu64 " B, %" PRIu64 " %s of %" PRIu64 " B, %" PRIu64
            " %s, in %.6f s; %" PRIu32 " file%s, up to byte %" PRId64 "\n",
            sums.ios[TRACE_READ], plural(sums.ios[TRACE_READ], "read", "reads"),
            sums.bytes[TRACE_READ], sums.ios[TRACE_WRITE],
            plural(sums.ios[TRACE_WRITE], "write", "writes"), sums.bytes[TRACE_WRITE],
            sums.ios[TRACE_FLUSH], plural(sums.ios[TRACE_FLUSH], "flush", "flushes"),
            (double)sums.last / PS_PER_S, trace->file_count, plural(trace->file_count, "", "s"),
            sums.end);
    fputs("to use it in a scenario: - {name: trace, kind: trace, file: FILE, from: HOST, to: "
          "TARGET}\n",
          stderr);
}

static void read_files(struct import *import, const struct cli_args *args)
{
    import->files = arena_array(&import->arena, (size_t)args->operand_count, sizeof *import->files);
    for (int i = 1; i < args->operand_count; i++) {
        const struct tree_file *file = tree_read(&import->arena, args->operands[i], import->diag);
        if (file != NULL)
            import->files[import->count++] = file;
    }
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* Appends the I/Os of one log to those of the others. If there are several logs, the file names of
 * each get the log's name as a prefix, so that a workload can distinguish them. */
static void append_trace(struct import *import, struct trace_files *files, const struct trace *one,
                         const struct tree_file *log, struct trace *all)
{
    for (uint32_t i = 0; i < one->count; i++) {
        struct trace_io io = one->ios[i];
        const char *name = one->files[io.file];
        if (import->count > 1)
            name = arena_format(&import->arena, "%.100s:%.150s", base_name(log->name), name);
        const uint32_t file = trace_file(files, name, strlen(name));
        if (file == TRACE_FILES_MAX || all->count == TRACE_IOS_MAX) {
            diag_add(import->diag, DIAG_ERROR, (struct diag_place){.file = log->name}, NULL,
                     "more than %d files or %d I/Os in total", TRACE_FILES_MAX, TRACE_IOS_MAX);
            return;
        }
        io.file = (uint16_t)file;
        all->ios[all->count++] = io;
    }
}

static void join_logs(struct import *import, const struct trace_ask *ask, struct trace *all)
{
    struct trace_files files = {.arena = &import->arena};
    struct trace *logs = arena_array(&import->arena, import->count, sizeof *logs);
    uint64_t count = 0;
    for (size_t i = 0; i < import->count; i++) {
        trace_read(&import->arena, import->files[i], ask, &logs[i], import->diag);
        count += logs[i].count;
    }
    if (diag_failed(import->diag))
        return;
    count = count < TRACE_IOS_MAX ? count : TRACE_IOS_MAX;
    *all = (struct trace){.ios = arena_array(&import->arena, count, sizeof *all->ios)};
    for (size_t i = 0; i < import->count && !diag_failed(import->diag); i++)
        append_trace(import, &files, &logs[i], import->files[i], all);
    trace_sort(all, &import->arena);
    all->files = files.names;
    all->file_count = files.count;
}

static void write_iolog(FILE *out, const void *trace)
{
    iolog_write(out, trace);
}

static int finish(struct import *import, const struct cli_args *args, const struct trace *trace)
{
    int code = CLI_USAGE;
    diag_print(import->diag, stderr);
    if (!diag_failed(import->diag)) {
        code = cli_output_write(args, 1, write_iolog, trace);
        describe_trace(trace);
    }
    free(import->diag);
    arena_free(&import->arena);
    return code;
}

/* Reads iologs and tables. */
static int take_text(const struct cli_args *args)
{
    struct import import = {.diag = memory_zeroed(1, sizeof(struct diag))};
    struct trace trace = {0};
    const struct trace_ask ask = {.issued = cli_given(args, "issued"),
                                  .device = cli_value(args, "device")};
    read_files(&import, args);
    if (!diag_failed(import.diag))
        join_logs(&import, &ask, &trace);
    return finish(&import, args, &trace);
}

static int take_blktrace(const struct cli_args *args)
{
    struct import import = {.diag = memory_zeroed(1, sizeof(struct diag))};
    struct trace trace = {0};
    read_files(&import, args);
    const struct blktrace_ask ask = {
        .files = import.files,
        .count = import.count,
        .issued = cli_given(args, "issued"),
        .device = cli_value(args, "device"),
    };
    const struct trace_ask text = {.issued = ask.issued, .device = ask.device};
    const bool binary = import.count == 0 || table_kind(import.files[0]) == NULL;
    if (!diag_failed(import.diag) && binary)
        blktrace_read(&import.arena, &ask, &trace, import.diag);
    else if (!diag_failed(import.diag))
        join_logs(&import, &text, &trace);
    return finish(&import, args, &trace);
}

const struct import_kind import_iolog = {
    "iolog", "writes one merged fio iolog for a workload of kind trace", take_text, {NULL}};
const struct import_kind import_trace = {"trace",
                                         "tables of I/Os (MSR Cambridge, SNIA CSV, SPC, AliCloud, "
                                         "Tencent, FIU) or blkparse text; writes an iolog",
                                         take_text,
                                         {"device", "issued"}};
const struct import_kind import_blktrace = {
    "blktrace",
    "blktrace records or blkparse text; writes one fio iolog for a workload of kind trace",
    take_blktrace,
    {"device", "issued"}};
