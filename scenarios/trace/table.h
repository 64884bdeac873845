/* SPDX-License-Identifier: Apache-2.0
 * table - tables of I/Os from trace collections, and blkparse's text output.
 * A table has one I/O per line, in columns given by a row of table_format.def or by its first line
 * (SNIA's CSV: Timestamp,Response,IOType,LUN,Offset,Size). Lines of blkparse are used like its
 * binary records (blktrace.h): as queued, or as issued.
 * Times are relative to the first I/O; lines may be out of order. Left out, with a note at the
 * first of each: I/Os other than reads and writes, without data, or larger than TRACE_IO_BYTES_MAX.
 *   Limits:  those of trace.h; TABLE_LINE_MAX per line.
 *   Owner:   the arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_TRACE_TABLE_H
#define STORMGLASS_SCENARIOS_TRACE_TABLE_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

enum { TABLE_LINE_MAX = 1024 };

struct trace_ask {
    bool issued;        /* blkparse: use requests as issued instead of as queued */
    const char *device; /* blkparse: "259,0"; NULL: all devices, each a file of the trace */
};

/* Kind of the file by its first lines: "MSR Cambridge", "blkparse", ..; NULL: not a table. */
const char *table_kind(const struct tree_file *file);

/* Reads a table, or an iolog of fio (iolog.h). `ask` may be NULL. False if an error was added to
 * diag. */
bool trace_read(struct arena *arena, const struct tree_file *file, const struct trace_ask *ask,
                struct trace *out, struct diag *diag);

#endif
