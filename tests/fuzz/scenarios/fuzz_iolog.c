/* SPDX-License-Identifier: Apache-2.0
 * fuzz_iolog - any bytes as a trace of fio.
 * What is read is written and read again, and played for a few steps.
 * Reads: scenarios/trace/iolog.c scenarios/format/lines.c */
#include "base/check.h"
#include "scenarios/trace/iolog.h"
#include "scenarios/workload/wl_script.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* On a device of 1 MiB with blocks of 4 KiB, two instances in turns, without end. */
static void play(const struct trace *trace)
{
    struct wl_nvme_params params = {.queue_depth = 4, .queues = 1};
    params.replay = (struct wl_replay_params){
        .trace = trace,
        .sums = trace_sums(trace),
        .speed = 3 * PPM,
        .beyond = WL_REPLAY_FOLD,
        .split = WL_REPLAY_TURNS,
        .instances = 2,
    };
    const struct wl_region whole = {.bytes = 1 << 20};
    struct wl_region region;
    if (!wl_script_region(&params, 4096, whole, (struct wl_region){0}, &region))
        return;
    struct wl_script script;
    wl_script_init(&script, &params, region, 4, 0, rng_stream(1, "fuzz", "iolog"));
    wl_replay_init(&script.replay, &params.replay, region, 4096, 1, 0);
    int64_t under_way = 0;
    time_ps now = 0;
    for (int i = 0; i < 100; i++) {
        const struct wl_step step = wl_script_next(&script, now, under_way);
        if (step.kind == WL_END)
            return;
        CHECK(step.kind != WL_ISSUE || step.at <= now);
        CHECK(step.io.offset >= 0 && step.io.offset + step.io.bytes <= region.bytes);
        under_way += step.kind == WL_ISSUE;
        under_way -= step.kind == WL_WAIT;
        now = step.kind == WL_SLEEP ? step.at : now + PS_PER_US;
    }
    wl_script_missed(&script, now);
}

static void write_and_read(struct arena *arena, const struct trace *trace, struct diag *diag)
{
    char *text;
    size_t size;
    struct trace again;
    FILE *out = open_memstream(&text, &size);
    CHECK(out != NULL);
    iolog_write(out, trace);
    CHECK(fclose(out) == 0);
    CHECK(iolog_read(arena, tree_hold(arena, "again.log", text, size), &again, diag));
    CHECK(again.count == trace->count);
    CHECK(again.ios[0].at == trace->ios[0].at);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct diag diag;
    struct arena arena = {0};
    struct trace trace;
    diag = (struct diag){0};
    const struct tree_file *file =
        tree_hold(&arena, "fuzz.log", size == 0 ? "" : (const char *)data, size);
    const bool good = iolog_read(&arena, file, &trace, &diag);
    CHECK(good == !diag_failed(&diag));
    if (good) {
        CHECK(trace.count > 0);
        write_and_read(&arena, &trace, &diag);
        play(&trace);
    }
    arena_free(&arena);
    return 0;
}
