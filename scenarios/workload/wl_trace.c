/* SPDX-License-Identifier: Apache-2.0
 * wl_trace - replays the I/Os of a trace file at their recorded times.
 * A storage workload (wl_nvme.c) whose script takes its I/Os from a trace (wl_replay.h) instead of
 * drawing them. The file is an iolog of fio, a table of I/Os or blkparse's text (table.h). */
#include "base/plural.h"
#include "scenarios/trace/table.h"
#include "scenarios/workload/wl_nvme.h"

#include <inttypes.h>
#include <stddef.h>

#define FIELD(name) offsetof(struct wl_nvme_params, name)

static const struct opt rows[] = {
    {"speed", OPT_PERCENT, FIELD(replay.speed), "100%", "1%", "100000%", NULL,
     "Replay speed: with 200%, each I/O is issued at half its recorded "
     "time.",
     "fio replay_time_scale", OPT_ACTS(ASKED, ANY, TRACE)},
    {"timing", OPT_CHOICE, FIELD(replay.timing), "recorded", NULL, NULL,
     OPT_WORDS(WL_REPLAY_TIMINGS),
     "When I/Os are issued: at the times in the trace, or as soon as queue-depth has room (asap). "
     "A trace without times is always replayed asap.",
     "fio replay_no_stall", OPT_ACTS(ASKED, ANY, TRACE)},
    {"queue-depth", OPT_INT, FIELD(queue_depth), "1024", "1", "65535", NULL,
     "Maximum I/Os outstanding in each I/O queue of an instance; further I/Os wait, and the wait "
     "counts as latency.",
     "assumed: large enough to rarely matter", OPT_SCALES(DEPTH, LESS, TRACE)},
    {"queues", OPT_INT, FIELD(queues), "1", "1", "1024", NULL,
     "I/O queues of the controller, used round robin; the target may grant fewer. If not set, "
     "nvme.queues of its hosts applies.",
     "nvme-cli --nr-io-queues", OPT_ACTS(DEPTH, LESS, TRACE)},
    {"split", OPT_CHOICE, FIELD(replay.split), "copy", NULL, NULL, OPT_WORDS(WL_REPLAY_SPLITS),
     "Part of the trace that each instance replays: the whole trace (copy); its share of the I/Os, "
     "round robin (turns); or its share of the trace's files, round robin (file).",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"loop", OPT_INT, FIELD(replay.loop), "1", "0", "1000000000", NULL,
     "Number of times that the trace is replayed; 0: until `stop`.", "fio loops",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"skip", OPT_TIME, FIELD(replay.skip), "0s", "0s", "1000000s", NULL,
     "Time in the trace at which the replay starts.", "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"beyond", OPT_CHOICE, FIELD(replay.beyond), "refuse", NULL, NULL, OPT_WORDS(WL_REPLAY_BEYONDS),
     "I/Os beyond the used part of the namespace: the workload fails, or they are folded into it, "
     "modulo its size.",
     "own", OPT_ACTS(ASKED, ANY, TRACE)},
    {"size", OPT_SIZE, FIELD(size), "0B", "0B", "1PiB", NULL,
     "Bytes of the namespace that are used; 0: all.", "fio size", OPT_ACTS(ASKED, ANY, TRACE)},
    {"offset", OPT_SIZE, FIELD(offset), "0B", "0B", "1PiB", NULL,
     "Start of the used part of the namespace: the trace's offset 0.", "fio offset",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"namespace", OPT_INT, FIELD(name_space), "0", "0", "1024", NULL,
     "Number of the namespace, from 1; 0 spreads the instances over all of them.", "own",
     OPT_ACTS(ASKED, ANY, TRACE)},
    {"warm-up", OPT_TIME, FIELD(warm_up), "0s", "0s", "1h", NULL,
     "Time after the start that is not measured: rates include only later completions, latencies "
     "only I/Os issued later.",
     "fio ramp_time", OPT_ACTS(ASKED, ANY, TRACE)},
    {"linger", OPT_TIME, FIELD(linger), "0s", "0s", "1h", NULL,
     "Idle time between the last I/O or admin command of an instance and its end, at which "
     "nvme.shutdown disconnects it.",
     "as between nvme connect and nvme disconnect", OPT_ACTS(ASKED, ANY, TRACE)},
    {0},
};

/* Reports the part of the trace that is after the end of the run. */
static void tell_reach(const struct wl_replay_params *replay, const struct workload_file *file)
{
    const struct diag_place place = {.file = file->file->name};
    const uint64_t reach = wl_replay_reach(replay, file->stop - file->start);
    if (reach < replay->trace->count)
        diag_add(file->diag, DIAG_NOTE, place, NULL,
                 "'%.64s' replays %" PRIu64 " of its %" PRIu32 " %s: the others are before skip, "
                 "or due after it has stopped",
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
