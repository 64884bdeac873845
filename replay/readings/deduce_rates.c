/* SPDX-License-Identifier: Apache-2.0
 * deduce_rates - parameters from message rates.
 * perftest posts and polls on one core. With one queue pair, the core's time per message cannot be
 * distinguished from its engine's; it counts as the core's unless more queue pairs are faster. A
 * rate limited by the link or PCIe is only an upper bound of the time per message. */
#include "base/units.h"
#include "replay/readings/deduce_private.h"
#include "rnic/pipeline/pcie.h"

#include <string.h>

/* full: share of its rate at which a link counts as saturated; freed: factor by which the model
 * gets faster without a cost that is the limit; lower: below this ratio, something else is the
 * limit. */
static const double full = 0.96, freed = 1.1, lower = 0.9;

enum { PCIE_HEADERS = 24, LARGE = 64 * 1024 };

static int64_t qps_of(const struct reading *reading)
{
    return reading->work.qps > 0 ? reading->work.qps : 1;
}

/* The rate of one end; bidirectional tests report the sum. */
static struct reading_number rate_of(const struct reading *reading)
{
    return reading_number_times(reading->rate, reading->work.both_ways ? 0.5 : 1);
}

static double goodput_of(const struct reading *reading)
{
    return rate_of(reading).value * 8 * (double)reading->work.bytes;
}

static double wire_of(const struct deduced *deduced, const struct reading *reading)
{
    return goodput_of(reading) / deduce_payload_share(deduced, &reading->work);
}

static bool is_full(const struct deduced *deduced, const struct reading *reading)
{
    return wire_of(deduced, reading) > full * (double)deduced->rate;
}

/* ------------------------------------------------------------------ fastest readings */

enum { ONE_QP = 1, MANY_QPS = 2, POST_LIST = 4, ANY = ONE_QP | MANY_QPS | POST_LIST };

static bool is_among(const struct reading *reading, bool read, unsigned of)
{
    const unsigned is = reading->work.post_list > 1 ? POST_LIST
                        : qps_of(reading) > 1       ? MANY_QPS
                                                    : ONE_QP;
    return reading->kind == READING_RATE && (reading->work.verb == READING_READ) == read &&
           (is & of) != 0;
}

static const struct reading *fastest(const struct deduced *deduced, bool read, unsigned of)
{
    const struct readings *readings = deduced->readings;
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        if (is_among(reading, read, of) &&
            (best == NULL || rate_of(reading).value > rate_of(best).value))
            best = reading;
    }
    return best;
}

/* Time between two messages in ps, and its uncertainty from the printed digits. */
static struct deduce_word interval(const struct reading *reading, const char *how)
{
    const struct reading_number rate = rate_of(reading);
    const double time = (double)PS_PER_S / rate.value;
    return (struct deduce_word){reading, time, time * rate.step / 2 / rate.value, how};
}

/* ------------------------------------------------------------------ posting */

/* The cost is the limit if the model is faster without it. */
static bool is_limit(struct deduced *deduced, enum deduce_parameter which,
                     const struct reading *reading)
{
    struct deduced_parameter *parameter = &deduced->parameters[which];
    const int64_t kept = parameter->value;
    if (is_full(deduced, reading) || !deduce_can_play(deduced, reading))
        return false;
    parameter->value = 0;
    const double without = deduce_play(deduced, reading);
    parameter->value = kept;
    return without > freed * rate_of(reading).value;
}

static void know_or_bound(struct deduced *deduced, enum deduce_parameter which,
                          const struct reading *reading, const char *how)
{
    if (is_limit(deduced, which, reading))
        deduce_know(deduced, which, interval(reading, how));
    else
        deduce_at_most(deduced, which, interval(reading, "possibly limited by another resource"));
}

/* Used only if there are no other readings: READs may also be limited by their queue pair's
 * outstanding READs. */
static void posting_reads(struct deduced *deduced)
{
    const struct reading *read = fastest(deduced, true, ONE_QP | MANY_QPS);
    if (read != NULL)
        know_or_bound(deduced, DEDUCE_POST_COST, read,
                      "one core, only READs: WRITEs may be faster");
}

static void posting(struct deduced *deduced)
{
    const struct reading *one = fastest(deduced, false, ONE_QP);
    const struct reading *many = fastest(deduced, false, MANY_QPS);
    const bool gain = one != NULL && many != NULL && rate_of(many).value > rate_of(one).value;
    const struct reading *best = one == NULL || gain ? many : one;
    if (best == NULL) {
        posting_reads(deduced);
        return;
    }
    const bool apart = gain && rate_of(many).value > freed * rate_of(one).value;
    know_or_bound(
        deduced, DEDUCE_POST_COST, best,
        one == NULL || many == NULL || apart
            ? "measured with one core and one queue pair, whose engine may be the limit instead"
            : "measured with one core; more queue pairs are not faster");
    if (apart && !is_full(deduced, one))
        deduce_know(deduced, DEDUCE_QP_MESSAGE_COST,
                    interval(one, "measured with one queue pair; more queue pairs are faster"));
    else if (one != NULL)
        deduce_at_most(deduced, DEDUCE_QP_MESSAGE_COST,
                       interval(one, "measured with one queue pair"));
}

/* ------------------------------------------------------------------ engines */

static void packets(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        const int64_t mtu =
            reading->work.mtu > 0 ? reading->work.mtu : deduced->parameters[DEDUCE_PATH_MTU].value;
        if (reading->kind != READING_RATE)
            continue;
        const double each = (double)((reading->work.bytes + mtu - 1) / mtu);
        struct deduce_word word = interval(reading, "the measured packet rate");
        word.value /= each;
        word.spread /= each;
        deduce_at_most(deduced, DEDUCE_TX_PACKET_COST, word);
        deduce_at_most(deduced, DEDUCE_RX_PACKET_COST, word);
    }
}

static void engines(struct deduced *deduced)
{
    const struct reading *message = fastest(deduced, false, ANY);
    const struct reading *read = fastest(deduced, true, ANY);
    if (message != NULL)
        deduce_at_most(deduced, DEDUCE_MESSAGE_COST,
                       interval(message, "the measured message rate"));
    if (read != NULL)
        deduce_at_most(deduced, DEDUCE_READ_COST, interval(read, "the measured message rate"));
    packets(deduced);
}

/* ------------------------------------------------------------------ link and PCIe */

static void deduce_link(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        if ((reading->kind == READING_RATE || reading->kind == READING_IO) &&
            (best == NULL || wire_of(deduced, reading) > wire_of(deduced, best)))
            best = reading;
    }
    if (best == NULL)
        return;
    const double wire = wire_of(deduced, best);
    if (wire > 1.02 * (double)deduced->rate)
        deduce_conflict(deduced, best, NULL,
                        "%.1f Gb/s with headers exceed the link rate of %.0f Gb/s: give --rate, "
                        "or another --base",
                        wire / 1e9, (double)deduced->rate / 1e9);
    deduce_at_least(deduced, DEDUCE_LINE_RATE,
                    (struct deduce_word){best, wire, wire * best->rate.step / 2 / best->rate.value,
                                         is_full(deduced, best)
                                             ? "the link was saturated, with headers"
                                             : "the measured throughput, with headers"});
}

/* What PCIe carries without per-packet overhead; 0 if unknown. */
static double pcie_most(const struct deduced *deduced)
{
    const struct deduced_parameter *parameters = deduced->parameters;
    if (parameters[DEDUCE_PCIE_GENERATION].state != DEDUCE_KNOWN ||
        parameters[DEDUCE_PCIE_LANES].state != DEDUCE_KNOWN)
        return 0;
    const double payload = (double)parameters[DEDUCE_PCIE_PAYLOAD].value;
    return (double)pcie_raw_bps(parameters[DEDUCE_PCIE_GENERATION].value,
                                parameters[DEDUCE_PCIE_LANES].value) *
           payload / (payload + PCIE_HEADERS);
}

static void pcie(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    const double most = pcie_most(deduced);
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        if (reading->kind == READING_RATE && reading->work.bytes >= LARGE &&
            (best == NULL || goodput_of(reading) > goodput_of(best)))
            best = reading;
    }
    if (best == NULL || !(most > 0))
        return;
    const double share = goodput_of(best) / most;
    struct deduce_word word = {best, (double)PPM * (1 - share),
                               (double)PPM * share * best->rate.step / 2 / best->rate.value,
                               "large messages do not saturate the link"};
    if (share > 1.01)
        deduce_conflict(deduced, best, deduced->parameters[DEDUCE_PCIE_LANES].from,
                        "%.1f Gb/s exceed PCIe generation %lld x%lld (%.1f Gb/s)",
                        goodput_of(best) / 1e9,
                        (long long)deduced->parameters[DEDUCE_PCIE_GENERATION].value,
                        (long long)deduced->parameters[DEDUCE_PCIE_LANES].value, most / 1e9);
    else if (!is_full(deduced, best) && share > lower)
        deduce_know(deduced, DEDUCE_PCIE_OVERHEAD, word);
    else {
        word.how = "the measured throughput over PCIe";
        deduce_at_most(deduced, DEDUCE_PCIE_OVERHEAD, word);
    }
}

void deduce_rates(struct deduced *deduced)
{
    deduce_link(deduced);
    pcie(deduced);
    engines(deduced);
    posting(deduced);
}

/* ------------------------------------------------------------------ concurrent tests */

/* Adds the first line of that work from each file. */
static bool adds_up(const struct reading *sum, const struct reading *other,
                    const struct readings *readings)
{
    const struct reading *first = readings->list;
    while (!deduce_same_work(first, other) || strcmp(first->where.file, other->where.file) != 0)
        first++;
    return first == other && deduce_same_work(sum, other);
}

static void add_sum(struct deduced *deduced, const struct reading *one)
{
    const struct readings *readings = deduced->readings;
    struct reading sum = *one;
    sum.work.cores = 1;
    for (const struct reading *other = one + 1; other < readings->list + readings->count; other++)
        if (adds_up(one, other, readings)) {
            sum.rate.value += other->rate.value;
            sum.rate.step += other->rate.step;
            sum.work.cores++;
        }
    if (sum.work.cores == 1)
        return;
    sum.work.qps = qps_of(one) * sum.work.cores;
    struct reading *new = arena_push(&deduced->arena, (void **)(void *)&deduced->sums,
                                     &deduced->sum_count, sizeof *new);
    *new = sum;
}

static bool is_first_of_work(const struct readings *readings, const struct reading *reading)
{
    const struct reading *first = readings->list;
    while (!deduce_same_work(first, reading))
        first++;
    return first == reading;
}

/* If cores can post more than the card processes, the rest is its engine's time, provided that the
 * cores are known. */
static void engine_of(struct deduced *deduced, const struct reading *sum)
{
    const enum deduce_parameter which =
        sum->work.verb == READING_READ ? DEDUCE_READ_COST : DEDUCE_MESSAGE_COST;
    const bool cores_known = deduced->parameters[DEDUCE_POST_COST].state == DEDUCE_KNOWN;
    if (cores_known && is_limit(deduced, which, sum))
        deduce_know(deduced, which, interval(sum, "more cores in parallel than saturate it"));
    else
        deduce_at_most(deduced, which, interval(sum, "several cores in parallel"));
}

void deduce_together(struct deduced *deduced)
{
    const struct readings *readings = deduced->readings;
    for (size_t i = 0; i < readings->count; i++)
        if (readings->list[i].kind == READING_RATE &&
            is_first_of_work(readings, &readings->list[i]))
            add_sum(deduced, &readings->list[i]);
    for (size_t i = 0; i < deduced->sum_count; i++)
        engine_of(deduced, &deduced->sums[i]);
}
