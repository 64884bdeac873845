/* SPDX-License-Identifier: Apache-2.0
 * deduce_play - runs the work of a reading in the model. */
#include "replay/calibrate/benchmark.h"
#include "replay/readings/deduce_private.h"

#include "base/check.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

enum {
    SETS_MAX = DEDUCE_COUNT + 16,
    SET_BYTES = 160,
    PACKETS = 20000, /* approximate packets per run: enough messages, and fast to simulate */
    MESSAGES_MAX = 2000,
    MESSAGES_MIN = 8, /* per queue pair */
    LATENCIES = 40,
    QPS_MAX = 256,
    PACKETS_MAX = 4000000,    /* more would take seconds */
    TCP_PACKETS_MAX = 150000, /* a fit runs each reading hundreds of times */
    TCP_MESSAGES_MAX = 1000,
    TCP_TURNS = 4, /* windows have to open, so each outstanding I/O is repeated */
    DEPTH = 128    /* perftest's default */
};

struct sets {
    char texts[SETS_MAX][SET_BYTES];
    const char *list[SETS_MAX];
    uint32_t count;
};

__attribute__((format(printf, 2, 3))) static void add(struct sets *sets, const char *format, ...)
{
    va_list args;
    CHECK(sets->count < SETS_MAX);
    va_start(args, format);
    vsnprintf(sets->texts[sets->count], SET_BYTES, format, args);
    va_end(args);
    sets->list[sets->count] = sets->texts[sets->count];
    sets->count++;
}

bool deduce_is_rate(const struct reading *reading)
{
    return reading->kind == READING_RATE ||
           (reading->kind == READING_IO && reading->work.depth * reading->work.qps != 1);
}

static int64_t packets_of(const struct reading_work *work)
{
    return work->bytes / (work->mtu > 0 ? work->mtu : 1024) + 1;
}

/* Enough messages for the start not to matter, or for single messages in sequence. */
static int64_t messages_of(const struct reading *reading)
{
    const struct reading_work *work = &reading->work;
    const int64_t packets = packets_of(work), qps = work->qps > 1 ? work->qps : 1;
    const int64_t each = packets < PACKETS / MESSAGES_MIN ? MESSAGES_MIN : 1;
    const int64_t least = qps * each > MESSAGES_MIN ? qps * each : MESSAGES_MIN;
    const int64_t most = deduce_is_rate(reading) ? MESSAGES_MAX : LATENCIES;
    const int64_t messages = PACKETS / packets < most ? PACKETS / packets : most;
    return messages < least ? least : messages;
}

/* The same for TCP. */
static int64_t tcp_messages_of(const struct reading *reading)
{
    const struct reading_work *work = &reading->work;
    const int64_t least = TCP_TURNS * work->depth * work->qps, usual = messages_of(reading);
    const int64_t most = usual < TCP_MESSAGES_MAX ? usual : TCP_MESSAGES_MAX;
    return most > least ? most : least;
}

/* Why I/Os cannot be simulated; NULL: they can. */
static const char *io_obstacle(const struct deduced *deduced, const struct reading *reading)
{
    const struct reading_work *work = &reading->work;
    if (work->mixed)
        return "reads and writes ran together";
    if (work->depth < 1 || work->depth > 1024)
        return "the queue depth is not from 1 to 1024";
    if (work->qps < 1 || work->qps > 128)
        return "the number of jobs is not from 1 to 128";
    if (work->bytes % 512 != 0 || work->bytes > 1024 * 1024)
        return "the block size is not a multiple of 512 B up to 1 MiB";
    if (deduced->tcp && (tcp_messages_of(reading) > BENCHMARK_OPERATIONS_MAX ||
                         tcp_messages_of(reading) * packets_of(work) > TCP_PACKETS_MAX))
        return "too much outstanding data: a fit would take minutes";
    return NULL;
}

const char *deduce_obstacle(const struct deduced *deduced, const struct reading *reading)
{
    return reading->kind == READING_IO ? io_obstacle(deduced, reading) : NULL;
}

bool deduce_can_play(const struct deduced *deduced, const struct reading *reading)
{
    const struct reading_work *work = &reading->work;
    if (reading->kind == READING_IO || deduced->tcp)
        return reading->kind == READING_IO && io_obstacle(deduced, reading) == NULL;
    return (reading->kind == READING_RATE || reading->kind == READING_LATENCY) &&
           work->post_list <= 1 && !work->both_ways && work->qps <= QPS_MAX &&
           work->depth <= 4096 && messages_of(reading) * packets_of(work) <= PACKETS_MAX;
}

static void add_parameters(const struct deduced *deduced, struct sets *sets)
{
    add(sets, "hosts.defaults.%s.profile=%s", deduced->section, deduced->base);
    add(sets, "fabric.host-links.rate=%" PRId64 "bps", deduced->rate);
    for (int i = 0; i < DEDUCE_COUNT; i++) {
        const struct deduced_parameter *parameter = &deduced->parameters[i];
        char text[64];
        if (!parameter->absent)
            opt_format(parameter->row, parameter->value, text, sizeof text);
        if (!parameter->absent && parameter->value != parameter->base)
            add(sets, "hosts.defaults.%s=%s", parameter->path, text);
    }
}

static void add_work(const struct reading *reading, struct sets *sets)
{
    static const char *const kinds[] = {"rdma-write", "rdma-read", "rdma-send"};
    const struct reading_work *work = &reading->work;
    const bool one = reading->kind == READING_LATENCY;
    const bool there_and_back = one && work->verb != READING_READ;
    add(sets, "workloads.0.kind=%s", there_and_back ? "rdma-ping-pong" : kinds[work->verb]);
    add(sets, "workloads.0.message-size=%" PRId64 "B", work->bytes);
    add(sets, "workloads.0.outstanding=%" PRId64, one ? 1 : work->depth > 0 ? work->depth : DEPTH);
    add(sets, "workloads.0.count=%" PRId64, messages_of(reading));
    if (!one && work->qps > 1)
        add(sets, "workloads.0.qps=%" PRId64, work->qps);
    if (work->cores > 1)
        add(sets, "workloads.0.threads=%" PRId64, work->cores);
    if (work->inline_bytes >= 0 && work->inline_bytes <= 1024)
        add(sets, "hosts.defaults.rnic.inline-size=%" PRId64 "B", work->inline_bytes);
}

/* Each job has a queue. */
static void add_io(const struct deduced *deduced, const struct reading *reading, struct sets *sets)
{
    const struct reading_work *work = &reading->work;
    add(sets, "workloads.0.read=%s", work->verb == READING_READ ? "100%" : "0%");
    add(sets, "workloads.0.block-size=%" PRId64 "B", work->bytes);
    add(sets, "workloads.0.queue-depth=%" PRId64, work->depth);
    add(sets, "workloads.0.queues=%" PRId64, work->qps);
    add(sets, "workloads.0.count=%" PRId64,
        deduced->tcp ? tcp_messages_of(reading) : messages_of(reading));
    if (deduced->tcp)
        add(sets, "workloads.0.transport=tcp");
}

double deduce_play(const struct deduced *deduced, const struct reading *reading)
{
    struct sets *sets = memory_new(sizeof *sets);
    struct diag *diag = memory_new(sizeof *diag);
    time_ps figures[BENCHMARK_FIGURE_COUNT] = {0};
    const bool io = reading->kind == READING_IO;
    sets->count = 0;
    add_parameters(deduced, sets);
    if (io)
        add_io(deduced, reading, sets);
    else
        add_work(reading, sets);
    *diag = (struct diag){0};
    struct scenario *scenario =
        benchmark_load(io ? "fio" : "perftest", sets->list, sets->count, diag);
    const uint64_t outstanding = (uint64_t)(reading->work.depth * reading->work.qps);
    const bool steady = deduced->tcp && deduce_is_rate(reading);
    time_ps mean = 0;
    const bool fine =
        scenario != NULL && (steady ? benchmark_steady(scenario, outstanding, &mean, diag)
                                    : benchmark_model(scenario, figures, diag));
    scenario_free(scenario);
    free(diag);
    free(sets);
    if (fine && mean > 0) /* Little's law: always that many are outstanding */
        return (double)outstanding * (double)PS_PER_S / (double)mean;
    if (!fine || figures[BENCHMARK_INTERVAL] <= 0)
        return 0;
    if (deduce_is_rate(reading))
        return (double)PS_PER_S / (double)figures[BENCHMARK_INTERVAL];
    const double median = (double)figures[BENCHMARK_LATENCY];
    return io || reading->work.verb == READING_READ ? median : median / 2;
}
