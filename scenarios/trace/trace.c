/* SPDX-License-Identifier: Apache-2.0
 * trace - I/Os of block devices with their times. */
#include "scenarios/trace/trace.h"

#include "base/check.h"
#include "base/hash.h"

#include <string.h>

struct trace_sums trace_sums(const struct trace *trace)
{
    struct trace_sums sums = {0};
    for (uint32_t i = 0; i < trace->count; i++) {
        const struct trace_io *io = &trace->ios[i];
        sums.ios[io->op]++;
        sums.bytes[io->op] += io->bytes;
        if (io->offset + io->bytes > sums.end)
            sums.end = io->offset + io->bytes;
        if (io->bytes > sums.largest)
            sums.largest = io->bytes;
        sums.last = io->at;
    }
    return sums;
}

/* Merges two sorted halves of `from` into `to`; for equal times, the first half comes first. */
static void merge(const struct trace_io *from, uint32_t middle, uint32_t end, struct trace_io *to)
{
    uint32_t a = 0, b = middle;
    for (uint32_t i = 0; i < end; i++)
        to[i] = b == end || (a < middle && from[a].at <= from[b].at) ? from[a++] : from[b++];
}

void trace_sort(struct trace *trace, struct arena *arena)
{
    struct trace_io *from = trace->ios, *to = arena_array(arena, trace->count + 1, sizeof *to);
    const uint64_t count = trace->count;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * width) {
            const uint64_t left = count - at, end = left < 2 * width ? left : 2 * width;
            merge(from + at, (uint32_t)(width < end ? width : end), (uint32_t)end, to + at);
        }
        struct trace_io *const sorted = to;
        to = from;
        from = sorted;
    }
    trace->ios = from;
}

enum { SLOTS = 4 * TRACE_FILES_MAX };

static void make_slots(struct trace_files *files)
{
    files->names = arena_array(files->arena, TRACE_FILES_MAX, sizeof *files->names);
    files->slots = arena_array(files->arena, SLOTS, sizeof *files->slots);
}

uint32_t trace_file(struct trace_files *files, const char *name, size_t length)
{
    if (files->slots == NULL)
        make_slots(files);
    uint64_t slot = hash_mix(hash_bytes(name, length, 0)) % SLOTS;
    for (; files->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
        const uint32_t index = files->slots[slot] - 1u;
        if (strncmp(files->names[index], name, length) == 0 && files->names[index][length] == '\0')
            return index;
    }
    if (files->count == TRACE_FILES_MAX)
        return TRACE_FILES_MAX;
    files->names[files->count++] = arena_text(files->arena, name, length);
    files->slots[slot] = (uint16_t)files->count;
    return files->count - 1;
}
