/* SPDX-License-Identifier: Apache-2.0
 * deduce_latency - parameters from latencies.
 * A delay is the difference between the measurement and the model without that delay. It includes
 * cables, switches and software that the model of two hosts and a cable does not have. */
#include "replay/readings/deduce_private.h"

enum { TURNS = 3 };

/* Shortest messages first; with equal size a WRITE, then the first one. */
static bool is_better(const struct reading *reading, const struct reading *best)
{
    if (best == NULL || reading->work.bytes != best->work.bytes)
        return best == NULL || reading->work.bytes < best->work.bytes;
    return reading->work.verb == READING_WRITE && best->work.verb != READING_WRITE;
}

static const struct reading *shortest(const struct deduced *deduced, bool read)
{
    const struct readings *readings = deduced->readings;
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        if (reading->kind == READING_LATENCY && (reading->work.verb == READING_READ) == read &&
            deduce_can_play(deduced, reading) && is_better(reading, best))
            best = reading;
    }
    return best;
}

/* The measured latency minus the model's without these delays, divided equally. Delays hide each
 * other, so the difference is computed repeatedly. */
static double remaining_delay(struct deduced *deduced, const enum deduce_parameter *which,
                              int count, const struct reading *reading)
{
    double each = 0;
    for (int i = 0; i < TURNS; i++) {
        for (int k = 0; k < count; k++)
            deduced->parameters[which[k]].value =
                deduce_bounded(deduced->parameters[which[k]].row, each);
        each += (reading->latency.value - deduce_play(deduced, reading)) / count;
        if (each < 0)
            break;
    }
    return each;
}

static void too_long(struct deduced *deduced, const struct reading *reading, const char *path)
{
    for (size_t i = 0; i < deduced->conflict_count; i++)
        if (deduced->conflicts[i].one == reading)
            return; /* already reported */
    deduce_conflict(deduced, reading, NULL,
                    "even without %s, the model is slower than this: check --base and the link "
                    "rate",
                    path);
}

static void ends(struct deduced *deduced)
{
    const struct reading *reading = shortest(deduced, false);
    static const enum deduce_parameter both[] = {DEDUCE_TX_DELAY, DEDUCE_RX_DELAY};
    struct deduced_parameter *tx = &deduced->parameters[DEDUCE_TX_DELAY];
    struct deduced_parameter *rx = &deduced->parameters[DEDUCE_RX_DELAY];
    if (reading == NULL)
        return;
    const double each = remaining_delay(deduced, both, 2, reading);
    struct deduce_word word = {
        reading, each, reading->latency.step / 4,
        "half of the time of both ends, since a round trip measures only their sum"};
    deduce_know(deduced, DEDUCE_TX_DELAY, word);
    deduce_know(deduced, DEDUCE_RX_DELAY, word);
    tx->evidence = rx->evidence = "inferred";
    if (each < 0)
        too_long(deduced, reading, "rnic.tx-delay and rnic.rx-delay");
}

/* ------------------------------------------------------------------ PCIe */

static bool is_inline(const struct reading *reading)
{
    return reading->work.bytes <= reading->work.inline_bytes;
}

/* The reading of the same test with the smallest size above the inline size. */
static const struct reading *above_inline(const struct deduced *deduced,
                                          const struct reading *small)
{
    const struct readings *readings = deduced->readings;
    const struct reading *best = NULL;
    for (size_t i = 0; i < readings->count; i++) {
        const struct reading *reading = &readings->list[i];
        if (reading->kind == READING_LATENCY && reading->where.file == small->where.file &&
            reading->work.verb == small->work.verb &&
            reading->work.inline_bytes == small->work.inline_bytes && !is_inline(reading) &&
            deduce_can_play(deduced, reading) &&
            (best == NULL || reading->work.bytes < best->work.bytes))
            best = reading;
    }
    return best;
}

static void pcie_latency(struct deduced *deduced)
{
    const struct reading *small = shortest(deduced, false);
    if (small == NULL || !is_inline(small) ||
        deduced->parameters[DEDUCE_PCIE_GENERATION].value <= 0)
        return;
    const struct reading *large = above_inline(deduced, small);
    if (large == NULL)
        return;
    static const enum deduce_parameter fetch[] = {DEDUCE_PCIE_READ_LATENCY};
    const double takes = remaining_delay(deduced, fetch, 1, large);
    deduce_know(
        deduced, DEDUCE_PCIE_READ_LATENCY,
        (struct deduce_word){large, takes, large->latency.step,
                             "from the first size that is not inline, compared with the shortest"});
    if (takes < 0)
        too_long(deduced, large, "rnic.pcie-read-latency");
}

/* ------------------------------------------------------------------ READs */

static void reads(struct deduced *deduced)
{
    const struct reading *reading = shortest(deduced, true);
    if (reading == NULL)
        return;
    static const enum deduce_parameter answer[] = {DEDUCE_READ_DELAY};
    const double takes = remaining_delay(deduced, answer, 1, reading);
    const bool ends_known = deduced->parameters[DEDUCE_TX_DELAY].state == DEDUCE_KNOWN;
    deduce_know(deduced, DEDUCE_READ_DELAY,
                (struct deduce_word){reading, takes, reading->latency.step,
                                     ends_known
                                         ? "the time of a READ minus the delays of both ends"
                                         : "with the delays of the base profile at both ends"});
    if (!ends_known)
        deduced->parameters[DEDUCE_READ_DELAY].evidence = "inferred";
    if (takes < 0)
        too_long(deduced, reading, "rnic.read-delay");
}

/* RNIC delays and PCIe latency depend on each other if the base has a PCIe latency of its own, so
 * they are computed in turn. */
void deduce_latencies(struct deduced *deduced)
{
    for (int i = 0; i < TURNS; i++) {
        ends(deduced);
        pcie_latency(deduced);
    }
    reads(deduced);
}
