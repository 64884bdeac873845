/* SPDX-License-Identifier: Apache-2.0
 * trace - I/Os of block devices with their times.
 * Readers of trace files create it (iolog.h, blktrace.h, table.h); a workload of kind trace replays
 * it.
 * Units: ps from the beginning of the trace, bytes. Owner: the arena that the reader was given. */
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
    TRACE_IO_BYTES_MAX = 64 << 20, /* size of one I/O, like the block-size of kind nvme */
};
#define TRACE_OFFSET_MAX (INT64_C(1) << 50)
#define TRACE_TIME_MAX   (INT64_C(1000000) * PS_PER_S)

enum trace_op { TRACE_READ, TRACE_WRITE, TRACE_FLUSH, TRACE_OPS };

struct trace_io {
    time_ps at;
    int64_t offset; /* a flush has neither offset nor bytes */
    uint32_t bytes;
    uint16_t file; /* index in the trace's files */
    uint8_t op;    /* enum trace_op */
};

struct trace {
    struct trace_io *ios; /* ordered by time */
    uint32_t count;
    uint32_t file_count;
    const char **files; /* files or devices, in the order of their first lines */
    bool timed;         /* false: the file has no times, so all are 0 */
};

/* Totals of the I/Os. */
struct trace_sums {
    uint64_t ios[TRACE_OPS], bytes[TRACE_OPS];
    int64_t end;      /* largest offset + bytes */
    uint32_t largest; /* bytes of the largest I/O */
    time_ps last;     /* time of the last I/O */
};
struct trace_sums trace_sums(const struct trace *trace);

/* Sorts by time; I/Os with equal times keep their order. */
void trace_sort(struct trace *trace, struct arena *arena);

/* Returns the index of the file of that name, which is added (with a copy of the name) if it is
 * new; TRACE_FILES_MAX if there is no room. Start with zeroed files. */
struct trace_files {
    struct arena *arena;
    const char **names;
    uint32_t count;
    uint16_t *slots; /* hash table; 0: empty, else 1 + index */
};
uint32_t trace_file(struct trace_files *files, const char *name, size_t length);

#endif
