/* SPDX-License-Identifier: Apache-2.0
 * blktrace - reads records of Linux's block layer about a device.
 * The input is binary records of blktrace(8), in either byte order: the files per processor of
 * `blktrace -o`, or the single file of `blkparse -d`. fio also reads them, but does not convert
 * them to an iolog, and its fio-btrace2fio keeps only statistics without times.
 * Requests are used either as queued (what applications requested, as in fio) or as issued (what
 * the device got: merged, split, and delayed by its queue). A queued write with a preceding flush
 * becomes a flush and a write. Times are relative to the first I/O.
 * Left out with a note: discards, commands that bypass the file system, I/Os larger than
 * TRACE_IO_BYTES_MAX or without data. Writes with FUA become plain writes and are reported.
 *   Source:  linux/blktrace_api.h; block/blktrace.c of Linux 6.1 (bits set by each operation).
 *   Limits:  those of trace.h, and of a file (tree.h).  Owner: the arena.
 *   Errors:  messages in diag; places in these binary files are byte offsets. */
#ifndef STORMGLASS_SCENARIOS_TRACE_BLKTRACE_H
#define STORMGLASS_SCENARIOS_TRACE_BLKTRACE_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

struct blktrace_ask {
    const struct tree_file *const *files;
    size_t count;
    bool issued;        /* use requests as issued instead of as queued */
    const char *device; /* "259,0"; NULL: all devices, each a file of the trace */
};

/* False if an error was added to diag. */
bool blktrace_read(struct arena *arena, const struct blktrace_ask *ask, struct trace *out,
                   struct diag *diag);

#endif
