/* SPDX-License-Identifier: Apache-2.0
 * trace - what somebody asked of block devices, and when.
 * Readers of trace files make one (iolog.h, blktrace.h); a workload of kind trace plays it.
 * Units: ps from the beginning of the trace, bytes.  Owner: the arena that the reader was given. */
#ifndef STORMGLASS_SCENARIOS_TRACE_TRACE_H
#define STORMGLASS_SCENARIOS_TRACE_TRACE_H

#include "base/units.h"
#include "scenarios/format/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TRACE_IOS_MAX = 4000000,
    TRACE_FILES_MAX = 1024,
    TRACE_NAME_MAX = 255,
    TRACE_IO_BYTES_MAX = 64 << 20, /* of one I/O, as the block-size of kind nvme */
};
#define TRACE_OFFSET_MAX (INT64_C(1) << 50)
#define TRACE_TIME_MAX   (INT64_C(1000000) * PS_PER_S)

enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_FLUSH, TRACE_OPS };

struct trace_io {
    time_ps at;
    int64_t offset; /* a flush has neither offset nor bytes */
    uint32_t bytes;
    uint16_t file; /* index among the trace's */
    uint8_t op;    /* enum trace_op */
};

struct trace {
    struct trace_io *ios; /* in the order of their times */
    uint32_t count;
    uint32_t file_count;
    const char **files; /* files or devices, in the order of their first line */
    bool timed;         /* false: the file has no times, all are 0 */
};

/* What I/Os come to. */
struct trace_sums {
    uint64_t ios[TRACE_OPS], bytes[TRACE_OPS];
    int64_t end;      /* the greatest offset + bytes */
    uint32_t largest; /* I/O */
    time_ps last;     /* when the last one begins */
};
struct trace_sums trace_sums(const struct trace *trace);

/* By their times; those of the same time stay in their order. */
void trace_sort(struct trace *trace, struct arena *arena);

/* Index of the file of that name, which is added when it is new (the name is copied), or
 * TRACE_FILES_MAX when there is no room.  Begin with zeroed files. */
struct trace_files {
    struct arena *arena;
    const char **names;
    uint32_t count;
    uint16_t *slots; /* hashed, 0: empty, else 1 + index */
};
uint32_t trace_file(struct trace_files *files, const char *name, size_t length);

#endif
