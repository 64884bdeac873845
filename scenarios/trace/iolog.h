/* SPDX-License-Identifier: Apache-2.0
 * iolog - fio's text of an I/O trace, read and written.
 * Version 3: a line is "TIME FILE ACTION [OFFSET LENGTH]", TIME in microseconds from the beginning;
 * version 2 has no TIME but "FILE wait MICROSECONDS 0" lines, whose times add up.  Without any wait
 * a version 2 log has no times.  sync and datasync are flushes.
 * Left out with a note at the first of each: trim and sync_file_range, which our host does not
 * send; I/Os of no bytes; wait in version 3, where fio too takes none.  A time before the one above
 * it counts as that one, with a note.
 * Source:  fio 3.33, HOWTO "Trace file format" and its iolog.c.
 * Limits:  those of trace.h; IOLOG_LINE_MAX a line.
 * Owner:   the arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_TRACE_IOLOG_H
#define STORMGLASS_SCENARIOS_TRACE_IOLOG_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

enum { IOLOG_LINE_MAX = 1024 };

/* False when the diag got an error. */
bool iolog_read(struct arena *arena, const struct tree_file *file, struct trace *out,
                struct diag *diag);

/* Version 3.  What is below a microsecond is lost: the format has no room for it. */
void iolog_write(FILE *out, const struct trace *trace);

#endif
