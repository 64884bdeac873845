/* SPDX-License-Identifier: Apache-2.0
 * fuzz_blktrace - any bytes as records of blktrace, queued and issued.
 * What is read is an iolog that can be read.
 * Reads: scenarios/trace/blktrace.c */
#include "base/check.h"
#include "scenarios/trace/blktrace.h"
#include "scenarios/trace/iolog.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void is_iolog(struct arena *arena, const struct trace *trace, struct diag *diag)
{
    char *text;
    size_t size;
    struct trace again;
    FILE *out = open_memstream(&text, &size);
    CHECK(out != NULL);
    iolog_write(out, trace);
    CHECK(fclose(out) == 0);
    CHECK(iolog_read(arena, tree_hold(arena, "again.log", text, size), &again, diag));
    CHECK(again.count == trace->count && again.ios[0].at == 0);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    for (int issued = 0; issued < 2; issued++) {
        struct arena arena = {0};
        struct trace trace;
        const struct tree_file *file =
            tree_hold(&arena, "fuzz.bin", size == 0 ? "" : (const char *)data, size);
        const struct blktrace_ask ask = {.files = &file, .count = 1, .issued = issued == 1};
        diag = (struct diag){0};
        const bool good = blktrace_read(&arena, &ask, &trace, &diag);
        CHECK(good == !diag_failed(&diag));
        if (good)
            is_iolog(&arena, &trace, &diag);
        arena_free(&arena);
    }
    return 0;
}
