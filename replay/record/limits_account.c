/* SPDX-License-Identifier: Apache-2.0
 * limits_account - sums over one workload or all, and the sentence. */
#include "replay/record/collect_private.h"

#include "replay/breakdown/breakdown.h"
#include "replay/database/words.h"

#include <stdio.h>

enum { ALL = -1 };

/* A part of at least this size is mentioned: it supports the verdict or explains why there is
 * another one. */
static const double notable = 0.1;

/* The waits that a resource causes: service and waiting for it. A saturated link and a slow
 * receiver pause and mark traffic, so paused or throttled traffic may wait for them. */
static const struct {
    enum breakdown_part part;
    enum bottleneck_resource resource;
} makes[] = {
    {BREAKDOWN_QUEUED, BOTTLENECK_LINK},
    {BREAKDOWN_SERIALISATION, BOTTLENECK_LINK},
    {BREAKDOWN_PAUSED, BOTTLENECK_LINK},
    {BREAKDOWN_HELD, BOTTLENECK_LINK},
    {BREAKDOWN_RECEIVER, BOTTLENECK_RECEIVER},
    {BREAKDOWN_PAUSED, BOTTLENECK_RECEIVER},
    {BREAKDOWN_QUEUED, BOTTLENECK_RECEIVER},
    {BREAKDOWN_HELD, BOTTLENECK_RECEIVER},
    {BREAKDOWN_RNIC_ENGINE, BOTTLENECK_RNIC},
    {BREAKDOWN_PCIE, BOTTLENECK_PCIE},
    {BREAKDOWN_COMPLETION, BOTTLENECK_COMPLETIONS},
    {BREAKDOWN_MEDIA, BOTTLENECK_MEDIA},
    {BREAKDOWN_MEDIA_WAIT, BOTTLENECK_MEDIA},
    {BREAKDOWN_TARGET_CPU, BOTTLENECK_TARGET_CPU},
    {BREAKDOWN_TARGET_WAIT, BOTTLENECK_TARGET_CPU},
    {BREAKDOWN_BUFFERS, BOTTLENECK_BUFFERS},
    {BREAKDOWN_WRS, BOTTLENECK_WRS},
    {BREAKDOWN_LIMIT, BOTTLENECK_LIMIT},
    {BREAKDOWN_HOST_CPU, BOTTLENECK_HOST_CPU},
    {BREAKDOWN_PAUSED, BOTTLENECK_PAUSES},
    {BREAKDOWN_RNR, BOTTLENECK_CREDIT},
    {BREAKDOWN_HELD, BOTTLENECK_CONGESTION},
    {BREAKDOWN_RETRANSMISSION, BOTTLENECK_LOSS},
    {BREAKDOWN_RECONNECTING, BOTTLENECK_RECOVERY},
    {BREAKDOWN_STALLED, BOTTLENECK_RECOVERY},
    {BREAKDOWN_ORDER, BOTTLENECK_LOSS},
    {BREAKDOWN_RETRANSMISSION, BOTTLENECK_RECOVERY},
    {BREAKDOWN_WINDOW, BOTTLENECK_READS},
    {BREAKDOWN_WINDOW, BOTTLENECK_FENCE},
    {BREAKDOWN_WINDOW, BOTTLENECK_WINDOW},
    {BREAKDOWN_WINDOW, BOTTLENECK_DELAYED_ACK},
    {BREAKDOWN_HELD, BOTTLENECK_DELAYED_ACK},
    {BREAKDOWN_QUEUED, BOTTLENECK_STREAM},
    {BREAKDOWN_WINDOW, BOTTLENECK_STREAM},
    {BREAKDOWN_WORKLOAD_LIMIT, BOTTLENECK_WORKLOAD_LIMIT},
    {BREAKDOWN_DEPTH, BOTTLENECK_QUEUE_SIZE},
};

/* Over TCP in addition: its cores are the host's at both ends, and a loss leaves a small congestion
 * window. */
static bool is_made_by_tcp(enum breakdown_part part, enum bottleneck_resource resource)
{
    return ((part == BREAKDOWN_TARGET_CPU || part == BREAKDOWN_TARGET_WAIT) &&
            resource == BOTTLENECK_HOST_CPU) ||
           (part == BREAKDOWN_HELD && resource == BOTTLENECK_LOSS);
}

static bool is_made_by(enum breakdown_part part, enum bottleneck_resource resource, bool by_tcp)
{
    if (by_tcp && is_made_by_tcp(part, resource))
        return true;
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++)
        if (makes[i].part == part && makes[i].resource == resource)
            return true;
    return resource == BOTTLENECK_DEPTH || resource == BOTTLENECK_ASKED; /* all waits */
}

/* Times of the operations of one workload, or of all. */
struct sums {
    const struct collect *collect;
    int64_t workload; /* index, or ALL */
    double ps[BREAKDOWN_PARTS], whole;
    bool by_tcp; /* any of them */
};

static void add_sum(struct sums *sums, uint32_t workload)
{
    sums->by_tcp |= sums->collect->scenario->workloads[workload].by_tcp;
    for (int i = 0; i < BREAKDOWN_OPERATIONS; i++) {
        const struct breakdown_sum *sum =
            breakdown_of(sums->collect->observe->waits, workload, (enum breakdown_operation)i);
        for (int k = 0; sum != NULL && k < BREAKDOWN_PHASES * BREAKDOWN_PARTS; k++)
            sums->ps[k % BREAKDOWN_PARTS] +=
                (double)sum->ps[k / BREAKDOWN_PARTS][k % BREAKDOWN_PARTS];
        sums->whole += sum == NULL ? 0 : (double)sum->latency_ps;
    }
}

/* The largest wait that the resource causes; BREAKDOWN_PARTS if all are zero. */
static enum breakdown_part largest(const struct sums *sums, enum bottleneck_resource resource)
{
    enum breakdown_part found = BREAKDOWN_PARTS;
    for (enum breakdown_part i = 0; i < BREAKDOWN_PARTS; i++)
        if (is_made_by(i, resource, sums->by_tcp) && sums->ps[i] > 0 &&
            (found == BREAKDOWN_PARTS || sums->ps[i] > sums->ps[found]))
            found = i;
    return found;
}

static __int128 time_at(const struct breakdown_place_sum *place, enum breakdown_part part)
{
    return part == BREAKDOWN_PAUSED ? place->paused_ps : place->queued_ps;
}

/* " at leaf1:p3": the place with most of that part, if the part has places. */
static void say_place(const struct sums *sums, enum breakdown_part part, char *text, size_t size)
{
    uint32_t count;
    const struct breakdown_place_sum *places =
        breakdown_places(sums->collect->observe->waits, &count);
    const struct breakdown_place_sum *most = NULL;
    *text = '\0';
    for (uint32_t i = 0; i < count && (part == BREAKDOWN_PAUSED || part == BREAKDOWN_QUEUED); i++)
        if ((sums->workload == ALL || places[i].workload == sums->workload) &&
            time_at(&places[i], part) > (most == NULL ? 0 : time_at(most, part)))
            most = &places[i];
    if (most == NULL)
        return;
    const struct explain_fabric *fabric = sums->collect->observe->fabric;
    const uint32_t node = fabric->node_of[most->port];
    const uint16_t port = (uint16_t)(most->port - fabric->first_port[node]);
    const struct scenario_port *about = &sums->collect->scenario->nodes[node].ports[port];
    if (about->name != NULL)
        snprintf(text, size, ", most at %.60s:%.30s", fabric->names[node], about->name);
    else
        snprintf(text, size, ", most at %.60s:p%u", fabric->names[node], port);
}

static struct words share_of(const struct sums *sums, enum breakdown_part part)
{
    return words_percent(sums->ps[part], sums->whole);
}

static bool has_credits(const struct sums *sums)
{
    const struct scenario *scenario = sums->collect->scenario;
    if (sums->workload == ALL)
        return !scenario_has_kind(scenario, SCENARIO_ETHERNET);
    return scenario_kind_of(scenario, &scenario->workloads[sums->workload]) != SCENARIO_ETHERNET;
}

static const char *part_words(const struct sums *sums, enum breakdown_part part)
{
    return breakdown_part_words_of(part, has_credits(sums));
}

/* "queued, most at leaf1:p3: 42% of an operation's time". */
static void write_phrase(const struct sums *sums, struct bottleneck *found)
{
    const enum breakdown_part own = largest(sums, found->resource);
    const enum breakdown_part most = largest(sums, BOTTLENECK_ASKED);
    const enum breakdown_part first = own == BREAKDOWN_PARTS ? most : own;
    char place[120];
    if (most == BREAKDOWN_PARTS)
        return;
    say_place(sums, first, place, sizeof place);
    const int length =
        snprintf(found->account, sizeof found->account, "%s%s: %s of an operation's time",
                 part_words(sums, first), place, share_of(sums, first).text);
    if (first == most || sums->ps[first] >= notable * sums->whole)
        return;
    say_place(sums, most, place, sizeof place);
    snprintf(found->account + length, sizeof found->account - (size_t)length,
             "; the largest part is %s%s with %s", part_words(sums, most), place,
             share_of(sums, most).text);
}

static void find_confidence(const struct collect *collect, uint32_t index,
                            struct result_limit *limit)
{
    const enum bottleneck_resource resource = limit->found.resource;
    if (resource >= BOTTLENECK_RESOURCES)
        return;
    const struct bottleneck_use *use = &limit->input.uses[resource];
    const struct confidence_place place = {resource, use->node, use->station};
    confidence_find(collect->scenario, &collect->scenario->workloads[index], &place,
                    &limit->confidence);
}

void limits_account(const struct collect *collect, struct result *result)
{
    struct sums all = {.collect = collect, .workload = ALL};
    for (uint32_t i = 0; i < result->workload_count; i++)
        find_confidence(collect, i, &result->limits[i]);
    if (!breakdown_is_traced(collect->observe->waits))
        return;
    for (uint32_t i = 0; i < result->workload_count; i++) {
        struct sums sums = {.collect = collect, .workload = i};
        add_sum(&sums, i);
        add_sum(&all, i);
        write_phrase(&sums, &result->limits[i].found);
    }
    write_phrase(&all, &result->limit);
}
