/* SPDX-License-Identifier: Apache-2.0
 * table - tables of I/Os, as collections of traces have them, and blkparse's text.
 * A table has an I/O a line, in columns that a row of table_format.def names, or that its first
 * line names (SNIA's CSV: Timestamp,Response,IOType,LUN,Offset,Size).  blkparse's lines are taken
 * as its binary records are (blktrace.h): what was queued, or what was issued.
 * Times begin with the first I/O; lines may be out of order.  Left out with a note at the first of
 * each: I/Os other than reads and writes, of no bytes, or larger than TRACE_IO_BYTES_MAX.
 * Limits:  those of trace.h; TABLE_LINE_MAX a line.
 * Owner:   the arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_TRACE_TABLE_H
#define STORMGLASS_SCENARIOS_TRACE_TABLE_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

enum { TABLE_LINE_MAX = 1024 };

struct trace_ask {
    bool issued;        /* of blkparse: requests as they were issued, not as they were queued */
    const char *device; /* of blkparse: "259,0"; NULL: all, each a file of the trace */
};

/* What the file is by its first lines: "MSR Cambridge", "blkparse", ..; NULL: no table. */
const char *table_kind(const struct tree_file *file);

/* A table, or an iolog of fio (iolog.h).  `ask` may be NULL.  False when the diag got an error. */
bool trace_read(struct arena *arena, const struct tree_file *file, const struct trace_ask *ask,
                struct trace *out, struct diag *diag);

#endif
