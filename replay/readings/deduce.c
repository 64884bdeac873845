/* SPDX-License-Identifier: Apache-2.0
 * deduce - parameters deduced from readings, and the final comparison with the model. */
#include "replay/readings/deduce.h"

#include "base/check.h"
#include "replay/readings/deduce_private.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    FIGURES_MAX = 256,       /* compared with the model at the end */
    PACKET_OVERHEAD = 82,    /* Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and
                                 gap 20 */
    IB_PACKET_OVERHEAD = 26, /* LRH 8, BTH 12, ICRC 4, VCRC 2 bytes */
    SENTENCE_BYTES = 256
};

/* Two figures of the same work, or a figure and the model's, contradict each other if they differ
 * by more. */
static const double apart = 0.05;

/* ------------------------------------------------------------------ texts */

/* Benchmarks do not repeat to more digits. */
static double four_digits(double value)
{
    double unit = 1;
    while (fabs(value) / unit >= 10000)
        unit *= 10;
    return nearbyint(value / unit) * unit;
}

int64_t deduce_bounded(const struct opt *row, double value)
{
    char why[OPT_WHY_BYTES];
    int64_t least = 0, most = INT64_MAX / 2;
    if (row->min != NULL)
        CHECK(opt_parse(row, row->min, &least, why));
    if (row->max != NULL)
        CHECK(opt_parse(row, row->max, &most, why));
    if (!(value > (double)least))
        return least;
    return value < (double)most ? llround(value) : most;
}

static void set_origin(struct deduced_parameter *parameter, struct deduce_word word)
{
    parameter->from = word.from;
    parameter->how = word.how;
    parameter->spread = word.spread;
    parameter->measured = true;
    parameter->evidence = "inferred";
}

void deduce_know(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word)
{
    struct deduced_parameter *parameter = &deduced->parameters[which];
    set_origin(parameter, word);
    parameter->state = DEDUCE_KNOWN;
    parameter->value = deduce_bounded(parameter->row, four_digits(word.value));
    parameter->evidence = "measured";
}

void deduce_at_most(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word)
{
    struct deduced_parameter *parameter = &deduced->parameters[which];
    const int64_t bound = deduce_bounded(parameter->row, four_digits(word.value));
    if (parameter->state == DEDUCE_KNOWN ||
        (parameter->state == DEDUCE_AT_MOST && bound >= parameter->bound))
        return;
    set_origin(parameter, word);
    parameter->state = DEDUCE_AT_MOST;
    parameter->bound = bound;
    parameter->value = parameter->base < bound ? parameter->base : bound;
}

void deduce_at_least(struct deduced *deduced, enum deduce_parameter which, struct deduce_word word)
{
    struct deduced_parameter *parameter = &deduced->parameters[which];
    const int64_t bound = deduce_bounded(parameter->row, four_digits(word.value));
    if (parameter->state == DEDUCE_KNOWN ||
        (parameter->state == DEDUCE_AT_LEAST && bound <= parameter->bound))
        return;
    set_origin(parameter, word);
    parameter->state = DEDUCE_AT_LEAST;
    parameter->bound = bound;
}

void deduce_conflict(struct deduced *deduced, const struct reading *one,
                     const struct reading *other, const char *format, ...)
{
    char text[SENTENCE_BYTES];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct deduced_conflict *conflict =
        arena_push(&deduced->arena, (void **)(void *)&deduced->conflicts, &deduced->conflict_count,
                   sizeof *conflict);
    *conflict = (struct deduced_conflict){one, other, arena_format(&deduced->arena, "%s", text)};
}

double deduce_payload_share(const struct deduced *deduced, const struct reading_work *work)
{
    const int64_t mtu = work->mtu > 0 ? work->mtu : deduced->parameters[DEDUCE_PATH_MTU].value;
    const int64_t packets = (work->bytes + mtu - 1) / mtu;
    const int64_t overhead = work->infiniband ? IB_PACKET_OVERHEAD : PACKET_OVERHEAD;
    return (double)work->bytes / (double)(work->bytes + packets * overhead);
}

/* ------------------------------------------------------------------ comparison of readings */

bool deduce_same_work(const struct reading *a, const struct reading *b)
{
    const struct reading_work *x = &a->work, *y = &b->work;
    return a->kind == b->kind && x->verb == y->verb && x->bytes == y->bytes && x->qps == y->qps &&
           x->depth == y->depth && x->post_list == y->post_list && x->mtu == y->mtu &&
           x->inline_bytes == y->inline_bytes && x->reads == y->reads &&
           x->both_ways == y->both_ways && x->infiniband == y->infiniband;
}

static struct reading_number figure_of(const struct reading *reading)
{
    return deduce_is_rate(reading) ? reading->rate : reading->latency;
}

static void compare_one(struct deduced *deduced, const struct reading *one)
{
    const struct readings *readings = deduced->readings;
    const struct reading_number a = figure_of(one);
    for (const struct reading *other = one + 1; other < readings->list + readings->count; other++) {
        const struct reading_number b = figure_of(other);
        if (deduce_same_work(one, other) &&
            fabs(a.value - b.value) > apart * fmax(a.value, b.value) + a.step + b.step) {
            deduce_conflict(deduced, one, other, "the same test, but the results differ by %.0f%%",
                            100 * fabs(a.value - b.value) / fmin(a.value, b.value));
            return;
        }
    }
}

static void compare_readings(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++)
        if (readings->list[i].kind == READING_RATE || readings->list[i].kind == READING_LATENCY)
            compare_one(deduced, &readings->list[i]);
}

static void play_all(struct deduced *deduced, const struct reading *list, size_t count)
{
    for (size_t i = 0; i < count && deduced->figure_count < FIGURES_MAX; i++) {
        const struct reading *reading = &list[i];
        if (!deduce_can_play(deduced, reading) || figure_of(reading).value <= 0 ||
            (reading->kind == READING_IO && !deduced->no_drive))
            continue;
        struct deduced_figure *figure =
            arena_push(&deduced->arena, (void **)(void *)&deduced->figures, &deduced->figure_count,
                       sizeof *figure);
        *figure = (struct deduced_figure){
            .reading = reading,
            .is_rate = deduce_is_rate(reading),
            .held_out = deduced->held_out != NULL && deduced->held_out[i],
            .measured = figure_of(reading).value,
            .modelled = deduce_play(deduced, reading),
        };
    }
}

static void deduce_by_rdma(struct deduced *deduced, bool together)
{
    deduce_rates(deduced);
    if (together)
        deduce_together(deduced);
    deduce_latencies(deduced);
}

/* The base is for TCP, but the files are about RDMA only. */
static bool has_no_io(const struct deduced *deduced, struct diag *diag)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++)
        if (readings->list[i].kind == READING_IO)
            return false;
    if (!deduced->tcp || readings->count == 0)
        return false;
    diag_add(diag, DIAG_ERROR, readings->list[0].where, NULL,
             "no I/O over TCP: expected results of fio or spdk_nvme_perf, because the base profile "
             "is for TCP");
    return true;
}

bool deduce(struct deduced *deduced, const struct readings *readings, const struct deduce_ask *ask,
            struct diag *diag)
{
    *deduced = (struct deduced){.readings = readings, .base = ask->base, .no_drive = ask->no_drive};
    if (!deduce_begin(deduced, ask->rate, diag) || has_no_io(deduced, diag))
        return false;
    deduce_settings(deduced);
    if (!deduced->tcp)
        deduce_by_rdma(deduced, ask->together);
    if (deduced->tcp && ask->no_drive)
        deduce_tcp(deduced);
    else
        deduce_ios(deduced);
    compare_readings(deduced);
    play_all(deduced, readings->list, readings->count);
    play_all(deduced, deduced->sums, deduced->sum_count);
    return true;
}

void deduced_free(struct deduced *deduced)
{
    arena_free(&deduced->arena);
    *deduced = (struct deduced){0};
}
