/* SPDX-License-Identifier: Apache-2.0
 * iolog - fio's text format of an I/O trace, read and written.
 * Version 3: a line is "TIME FILE ACTION [OFFSET LENGTH]", with TIME in microseconds from the
 * beginning. Version 2 has no TIME but lines "FILE wait MICROSECONDS 0", whose times add up;
 * without any wait, a version 2 log has no times. sync and datasync are flushes.
 * Left out, with a note at the first of each: trim and sync_file_range, which the simulated host
 * does not send; I/Os without data; wait in version 3, which fio ignores, too. A time before that
 * of the previous line is replaced by it, with a note.
 *   Source:  fio 3.33, HOWTO "Trace file format" and its iolog.c.
 *   Limits:  those of trace.h; IOLOG_LINE_MAX per line.
 *   Owner:   the arena.  Errors: located messages in diag. */
#ifndef STORMGLASS_SCENARIOS_TRACE_IOLOG_H
#define STORMGLASS_SCENARIOS_TRACE_IOLOG_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

enum { IOLOG_LINE_MAX = 1024 };

/* False if an error was added to diag. */
bool iolog_read(struct arena *arena, const struct tree_file *file, struct trace *out,
                struct diag *diag);

/* Writes version 3. Fractions of a microsecond are lost, because the format cannot represent
 * them. */
void iolog_write(FILE *out, const struct trace *trace);

#endif
