/* SPDX-License-Identifier: Apache-2.0
 * blktrace - what Linux's block layer recorded of a device.
 * Reads the binary records of blktrace(8), as `blktrace -o` leaves them in a file for each
 * processor and `blkparse -d` in one, in either byte order.  fio reads them too, but writes no
 * iolog of them, and its fio-btrace2fio keeps their statistics and not their times.
 * Taken are requests as they were queued (what was asked for, as fio takes them), or as they were
 * issued (what the device got: merged, split, and held back by its queue).  A queued write that
 * asks for a flush first is a flush and a write.  Times begin with the first I/O.
 * Left out with a note: discards, commands that bypass the file system, I/Os larger than
 * TRACE_IO_BYTES_MAX or of no bytes; that a write has to reach the medium (FUA) is reported.
 * Source:  linux/blktrace_api.h; block/blktrace.c of Linux 6.1 for which bits an operation sets.
 * Limits:  those of trace.h, and of a file (tree.h).  Owner: the arena.
 * Errors:  messages in diag; places in a file without lines are given in bytes. */
#ifndef STORMGLASS_SCENARIOS_TRACE_BLKTRACE_H
#define STORMGLASS_SCENARIOS_TRACE_BLKTRACE_H

#include "scenarios/format/tree.h"
#include "scenarios/trace/trace.h"

struct blktrace_ask {
    const struct tree_file *const *files;
    size_t count;
    bool issued;        /* requests as they were issued, not as they were queued */
    const char *device; /* "259,0"; NULL: all, each a file of the trace */
};

/* False when the diag got an error. */
bool blktrace_read(struct arena *arena, const struct blktrace_ask *ask, struct trace *out,
                   struct diag *diag);

#endif
