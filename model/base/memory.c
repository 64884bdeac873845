/* SPDX-License-Identifier: Apache-2.0
 * memory - tables of fixed or growing size. */
#include "base/memory.h"

#include "base/quantity.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXIT_NOT_CARRIED_OUT = 3 };

/* A process that simulates many runs (calibrate, plan) would return its memory to the system after
 * each run and allocate it again: a sixth of the cost of small runs. */
#ifdef __GLIBC__
enum { KEPT_BYTES = 64 << 20, AHEAD_BYTES = 256 << 10 };

__attribute__((constructor)) static void keep_memory(void)
{
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
    mallopt(M_TOP_PAD, AHEAD_BYTES);
}
#endif

_Noreturn void memory_out(size_t bytes, const char *what)
{
    char size[QUANTITY_TEXT_BYTES + 2] = "";
    if (bytes > 0 && (uint64_t)bytes <= INT64_MAX) {
        memcpy(size, ": ", sizeof ": ");
        quantity_format(QUANTITY_SIZE, (int64_t)bytes, size + 2, sizeof size - 2);
    }
    fprintf(stderr, "stormglass: out of memory%s%s%s\n", size, what == NULL ? "" : " for ",
            what == NULL ? "" : what);
    exit(EXIT_NOT_CARRIED_OUT);
}

/* Bytes of `count` items; SIZE_MAX on overflow, which no allocator can satisfy. */
static size_t bytes_of(size_t count, size_t bytes)
{
    size_t all;
    return __builtin_mul_overflow(count, bytes, &all) ? SIZE_MAX : all;
}

static void *require_memory(void *memory, size_t bytes)
{
    if (memory == NULL)
        memory_out(bytes, NULL);
    return memory;
}

void *memory_new(size_t bytes)
{
    return require_memory(calloc(1, bytes > 0 ? bytes : 1), bytes);
}

void *memory_zeroed(size_t count, size_t bytes)
{
    return require_memory(calloc(count > 0 ? count : 1, bytes), bytes_of(count, bytes));
}

void *memory_aligned_or_null(size_t count, size_t bytes, size_t alignment)
{
    const size_t all = bytes_of(count, bytes);
    void *memory = aligned_alloc(alignment, all);
    return memory == NULL ? NULL : memset(memory, 0, all);
}

void *memory_aligned(size_t count, size_t bytes, size_t alignment)
{
    return require_memory(memory_aligned_or_null(count, bytes, alignment), bytes_of(count, bytes));
}

void *memory_resized(void *items, size_t count, size_t bytes)
{
    const size_t all = bytes_of(count, bytes);
    return require_memory(realloc(items, all > 0 ? all : 1), all);
}

enum { FIRST_ROOM = 8 };

void *memory_grown(void *items, uint32_t count, uint32_t *room, size_t bytes)
{
    if (count < *room)
        return items;
    /* In hostile builds a short array has no spare item, so that a sanitizer detects the first
     * access beyond its end. */
    const uint32_t more = *room == 0 ? FIRST_ROOM : *room * 2;
    *room = STORMGLASS_HOSTILE && count < FIRST_ROOM ? count + 1 : more;
    return memory_resized(items, *room, bytes);
}

char *memory_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return memcpy(memory_resized(NULL, bytes, 1), text, bytes);
}

FILE *memory_stream(char **text, size_t *length)
{
    return require_memory(open_memstream(text, length), BUFSIZ);
}

void memory_stream_end(FILE *stream)
{
    const int failed = ferror(stream);
    if (fclose(stream) != 0 || failed)
        memory_out(0, NULL);
}

void *memory_range(size_t bytes)
{
    void *range = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

/* Growing ranges begin at multiples of this distance, in 64-bit address space, between the
 * program's own mappings and those that the kernel places. */
#if UINTPTR_MAX > UINT32_MAX
static const uintptr_t slot_bytes = (uintptr_t)1 << 40;
enum { FIRST_SLOT = 20, LAST_SLOT = 79 };
#else
static const uintptr_t slot_bytes = 1 << 28;
enum { FIRST_SLOT = 0, LAST_SLOT = -1 };
#endif

/* Maps exactly at `place`, provided nothing is mapped there. */
static bool range_at(void *place, size_t bytes)
{
    void *range = mmap(place, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (range != MAP_FAILED && range != place)
        munmap(range, bytes); /* kernels without MAP_FIXED_NOREPLACE treat the address as a hint */
    return range == place;
}

void *memory_range_roomy(size_t bytes)
{
    for (int slot = FIRST_SLOT; slot <= LAST_SLOT; slot++) {
        void *place = (void *)(slot_bytes * (uintptr_t)slot);
        if (range_at(place, bytes))
            return place;
    }
    return memory_range(bytes);
}

bool memory_range_resize(void *range, size_t before, size_t after)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t from = (before + page - 1) / page * page, to = (after + page - 1) / page * page;
    unsigned char *bytes = range;
    if (to > from)
        return range_at(bytes + from, to - from);
    return to == from || munmap(bytes + to, from - to) == 0;
}

void memory_range_free(void *range, size_t bytes)
{
    munmap(range, bytes);
}
