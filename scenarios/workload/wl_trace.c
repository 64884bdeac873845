/* SPDX-License-Identifier: Apache-2.0
 * wl_trace - replays the I/Os of a trace file at their recorded times.
 * A storage workload (wl_nvme.c) whose script takes its I/Os from a trace (wl_replay.h) instead of
 * drawing them. The file is an iolog of fio, a table of I/Os or blkparse's text (table.h). */
#include "base/plural.h"
#include "scenarios/trace/table.h"
#include "scenarios/workload/wl_nvme.h"

#include <inttypes.h>

#define FIELD(name) WL_NVME_FIELD(name)

static const struct opt rows[] = {
    {"speed", OPT_PERCENT, FIELD(replay.speed), "100%", "1%", "100000%", NULL,
     "Replay speed. At 200%, the time between two I/Os is half the recorded time.",
     "fio replay_time_scale", OPT_ACTS(ASKED, ANY, TRACE)},
    {"timing", OPT_CHOICE, FIELD(replay.timing), "recorded", NULL, NULL,
     OPT_WORDS(WL_REPLAY_TIMINGS),
     "When each I/O is issued. recorded: at its time in the trace; asap: as soon as fewer than "
     "queue-depth I/Os are outstanding. A trace without times is always replayed asap.",
     "fio replay_no_stall", OPT_ACTS(ASKED, ANY, TRACE)},
    {"queue-depth", OPT_INT, FIELD(queue_depth), "1024", "1", "65535", NULL,
     "Maximum number of outstanding I/Os in each I/O queue of an instance. Further I/Os wait, and "
     "the wait counts as latency.",
     "assumed: large enough to rarely matter", OPT_SCALES(DEPTH, LESS, TRACE)},
    WL_NVME_QUEUE_ROWS,
    {"split", OPT_CHOICE, FIELD(replay.split), "copy", NULL, NULL, OPT_WORDS(WL_REPLAY_SPLITS),
     "Part of the trace that each instance replays. copy: the whole trace; turns: the I/Os are "
     "divided among the instances in turn; file: the files in the trace are divided among them in "
     "turn.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"loop", OPT_INT, FIELD(replay.loop), "1", "0", "1000000000", NULL,
     "Number of times that the trace is replayed; 0: until `stop`.", "fio loops",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"skip", OPT_TIME, FIELD(replay.skip), "0s", "0s", "1000000s", NULL,
     "Time in the trace at which the replay starts; earlier I/Os are skipped.", "own",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"beyond", OPT_CHOICE, FIELD(replay.beyond), "refuse", NULL, NULL, OPT_WORDS(WL_REPLAY_BEYONDS),
     "How to replay an I/O that reaches beyond the used part of the namespace. refuse: it is an "
     "error; fold: its offset is taken modulo the size of the part.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"size", OPT_SIZE, FIELD(size), "0B", "0B", "1PiB", NULL,
     "Size of the part of the namespace that the replay uses; 0: all of the namespace from "
     "`offset`.",
     "fio size", OPT_ACTS(ASKED, ANY, TRACE)},
    {"offset", OPT_SIZE, FIELD(offset), "0B", "0B", "1PiB", NULL,
     "Offset in the namespace that corresponds to offset 0 in the trace.", "fio offset",
     OPT_ACTS(ASKED, ANY, TRACE)},
    WL_NVME_NAMESPACE_ROW,
    WL_NVME_WARM_UP_ROW,
    WL_NVME_LINGER_ROW,
    {0},
};

/* Reports the part of the trace that is after the end of the run. */
static void tell_reach(const struct wl_replay_params *replay, const struct workload_file *file)
{
    const struct diag_place place = {.file = file->file->name};
    const uint64_t reach = wl_replay_reach(replay, file->stop - file->start);
    if (reach < replay->trace->count)
        diag_add(file->diag, DIAG_NOTE, place, NULL,
                 "'%.64s' replays %" PRIu64 " of its %" PRIu32 " %s: the others are before skip "
                 "or after the end of the workload",
                 file->workload, reach, replay->trace->count,
                 plural(replay->trace->count, "I/O", "I/Os"));
}

/* Checks that are possible before a target has reported its namespaces. */
static bool fits_namespace(const struct wl_nvme_params *params, const struct workload_file *file)
{
    const int64_t left = file->room - params->offset;
    const int64_t room = params->size > 0 && params->size < left ? params->size : left;
    const struct wl_replay_params *replay = &params->replay;
    if (file->room == 0 || replay->beyond == WL_REPLAY_FOLD || replay->sums.end <= room)
        return true;
    diag_add(file->diag, DIAG_ERROR, (struct diag_place){.file = file->file->name}, NULL,
             "'%.64s' reaches byte %" PRId64 " but has room for %" PRId64
             ": use a larger namespace, or beyond: fold",
             file->workload, replay->sums.end, room > 0 ? room : 0);
    return false;
}

static bool read_file(void *params, const struct workload_file *file)
{
    struct wl_replay_params *replay = &((struct wl_nvme_params *)params)->replay;
    struct trace *trace = arena_take(file->arena, sizeof *trace);
    if (!trace_read(file->arena, file->file, NULL, trace, file->diag))
        return false;
    if (!trace->timed)
        replay->timing = WL_REPLAY_ASAP;
    replay->trace = trace;
    replay->sums = trace_sums(trace);
    replay->instances = file->instances;
    tell_reach(replay, file);
    return fits_namespace(params, file);
}

const struct workload_ops wl_trace = {
    .name = "trace",
    .about = "the reads, writes and flushes of a trace (fio, blkparse, CSV), at its times",
    .opts = rows,
    .read_file = read_file,
    WL_NVME_OPS,
};
