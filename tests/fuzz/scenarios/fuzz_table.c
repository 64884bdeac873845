/* SPDX-License-Identifier: Apache-2.0
 * fuzz_table - any bytes as a table of I/Os or blkparse's text.
 * Reads: scenarios/trace/table*.c scenarios/trace/trace.c */
#include "base/check.h"
#include "scenarios/trace/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_as(const uint8_t *data, size_t size, bool issued)
{
    static struct diag diag;
    struct arena arena = {0};
    struct trace trace = {0};
    const struct trace_ask ask = {.issued = issued};
    diag = (struct diag){0};
    const char *text = arena_text(&arena, size == 0 ? "" : (const char *)data, size);
    const bool fine = trace_read(&arena, tree_hold(&arena, "in", text, size), &ask, &trace, &diag);
    CHECK(fine == !diag_failed(&diag));
    CHECK(!fine || trace.count > 0);
    time_ps before = 0;
    for (uint32_t i = 0; fine && i < trace.count; i++) {
        const struct trace_io *io = &trace.ios[i];
        CHECK(io->at >= before && io->at <= 2 * TRACE_TIME_MAX);
        CHECK(io->offset >= 0 && io->offset <= TRACE_OFFSET_MAX);
        CHECK(io->file < trace.file_count && io->op < TRACE_OPS);
        CHECK((io->op == TRACE_FLUSH) == (io->bytes == 0));
        before = io->at;
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as(data, size, false);
    read_as(data, size, true);
    return 0;
}
