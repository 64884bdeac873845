/* SPDX-License-Identifier: Apache-2.0
 * bottleneck - estimates gains. */
#include "replay/explain/bottleneck_private.h"

#include <stdio.h>

enum {
    TENTH = 100000,      /* increase of a resource in an estimate: 10 % */
    NEARLY_ALL = 850000, /* share of traffic that counts as all: the rest are requests and ACKs */
    LEAST_LOST = 20000,  /* less lost time counts as none */
    QUEUE_SHARE = 5,     /* at least 1/5 of outstanding I/Os wait for the limit */
    SHARPNESS = 4,       /* exponent of utilization: 90 % already limits partly */
    HELD_LINK = 850000,  /* from this utilization, throttled queue pairs are limited by the link */
    HELD_GAIN = 800000,  /* usable spare capacity without throttling */
};

static const char *const names[] = {
#define RESOURCE(ID, word, about) [BOTTLENECK_##ID] = (word),
#define PART(ID, about)
#include "base/opt_part.def"
#undef PART
#undef RESOURCE
};

const char *bottleneck_word(enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_UNKNOWN ? "unknown" : names[resource];
}

const char *bottleneck_label(enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_ASKED ? "offered load" : bottleneck_word(resource);
}

static int64_t part(int64_t a, int64_t b)
{
    return (int64_t)((__int128)a * b / PPM);
}

static bool is_station(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    return resource <= BOTTLENECK_HOST_CPU &&
           (resource != BOTTLENECK_RECEIVER || input->slow_by_nature);
}

/* Relative to the time without think time. */
static int64_t while_active(const struct bottleneck_input *input, int64_t used)
{
    return input->thinking >= PPM ? 0 : min_i64(used * PPM / (PPM - input->thinking), PPM);
}

static int64_t saturation(int64_t used)
{
    int64_t value = min_i64(used, PPM);
    for (int i = SHARPNESS; i > 1; i /= 2)
        value = part(value, value);
    return value;
}

/* Segments of a window arrive at a core in a burst: some wait there even if it is mostly idle. And
 * a core takes what has arrived as one batch: in front of a full link it is busy with small ones,
 * which cost more. */
static bool is_bursty(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_HOST_CPU && input->by_tcp_cores;
}

/* Share of the time in which the affected pairs of hosts could do nothing. */
static int64_t outage(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    const struct bottleneck_use *use = &input->uses[resource];
    return min_i64(part(use->used, min_i64(use->covers, PPM)), PPM);
}

/* Useful work only: retransmissions do not count as utilization of a link or receiver, nor does a
 * target's work for a lost controller. */
static int64_t useful_share(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    const int64_t used = min_i64(input->uses[resource].used, PPM);
    switch (resource) {
    case BOTTLENECK_LINK:
    case BOTTLENECK_RECEIVER:
        return part(used, PPM - min_i64(input->resent, PPM));
    case BOTTLENECK_MEDIA:
    case BOTTLENECK_TARGET_CPU:
        return min_i64(used, PPM - input->away);
    default:
        return used;
    }
}

/* A resource with almost no queue gains nothing, however busy it is: it works ahead, or another
 * station in series limits its input. Of two saturated stations, the one with the longer queue is
 * the bottleneck. */
static int64_t with_queue(int64_t value, int64_t waiting)
{
    return part(min_i64(value, QUEUE_SHARE * waiting), PPM - PPM / 10 + min_i64(waiting, PPM) / 10);
}

/* Time waiting for outstanding READs. If congestion control throttles their responses, more READs
 * would be throttled as well. */
static int64_t reads_waited(const struct bottleneck_input *input)
{
    return part(min_i64(input->uses[BOTTLENECK_READS].used, PPM),
                PPM - min_i64(input->uses[BOTTLENECK_CONGESTION].used, PPM));
}

/* Queues that are not counted: a host CPU does not work ahead, and responses that it has not
 * processed wait for it; TCP keeps data that a full link does not take in its send buffers. */
static bool has_hidden_queue(const struct bottleneck_input *input,
                             enum bottleneck_resource resource)
{
    return input->uses[resource].used >= BOTTLENECK_FULL &&
           (resource == BOTTLENECK_HOST_CPU || (resource == BOTTLENECK_LINK && input->by_tcp));
}

/* Bytes of TCP that cross PCIe cross a link as well, so that the less busy of the two waits for the
 * other. */
static bool waits_for_link(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_PCIE && input->by_tcp &&
           input->uses[resource].used < input->uses[BOTTLENECK_LINK].used;
}

/* How strongly throughput follows the station's rate. A faster link also sends more
 * retransmissions, so it gains less. */
static int64_t elasticity(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    const struct bottleneck_use *use = &input->uses[resource];
    int64_t value = saturation(while_active(input, use->used));
    if (waits_for_link(input, resource))
        return 0;
    if (resource == BOTTLENECK_RECEIVER || resource == BOTTLENECK_RNIC ||
        resource == BOTTLENECK_PCIE ||
        resource == BOTTLENECK_COMPLETIONS) /* none of these works ahead */
        return value;
    if (resource == BOTTLENECK_LINK && useful_share(input, resource) >= HELD_LINK)
        value = max_i64(value, input->uses[BOTTLENECK_CONGESTION].used);
    if (resource == BOTTLENECK_LINK && use->used < BOTTLENECK_FULL) /* not waiting for the link */
        value -= part(min_i64(value, PPM), reads_waited(input)) / 2;
    value = with_queue(min_i64(value, PPM), has_hidden_queue(input, resource)
                                                ? max_i64(use->waiting, PPM / QUEUE_SHARE)
                                                : use->waiting);
    const struct bottleneck_use *link = &input->uses[BOTTLENECK_LINK];
    if (is_bursty(input, resource) && link->used >= BOTTLENECK_FULL)
        value = part(value, PPM - min_i64(link->covers, PPM));
    return resource == BOTTLENECK_LINK || is_bursty(input, resource)
               ? value
               : max_i64(value, min_i64(use->waiting, use->used));
}

/* No queue: the drive is flushing its write cache. */
static bool works_ahead(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    return resource == BOTTLENECK_MEDIA && input->uses[resource].waiting == 0;
}

/* Spare capacity of the busiest station, plus the traffic that does not pass it. No station reaches
 * 100 %: sometimes all outstanding I/Os are elsewhere. */
static int64_t spare_capacity(const struct bottleneck_input *input)
{
    const bool away = outage(input, BOTTLENECK_RECOVERY) >= BOTTLENECK_AWAY_LEAST;
    int64_t least_room = PPM * PPM;
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++) {
        if (!is_station(input, i) || input->uses[i].used == 0 || works_ahead(input, i))
            continue;
        const int64_t part_of = min_i64(input->uses[i].covers, PPM);
        const int64_t covers = part_of >= NEARLY_ALL && !away ? PPM : part_of;
        const int64_t there =
            max_i64(BOTTLENECK_FULL * PPM / max_i64(useful_share(input, i), 1) - PPM, 0);
        least_room = min_i64(least_room, part(covers, there) + PPM - covers);
    }
    return least_room;
}

/* Rejected requests are repeated immediately and take their share of a saturated link or receiver,
 * although few seem to wait. */
static int64_t repeated_share(const struct bottleneck_input *input,
                              enum bottleneck_resource resource)
{
    const struct bottleneck_use *uses = input->uses;
    const bool full = uses[BOTTLENECK_LINK].used >= BOTTLENECK_FULL ||
                      (input->slow_by_nature && uses[BOTTLENECK_RECEIVER].used >= BOTTLENECK_FULL);
    return full && resource == BOTTLENECK_CREDIT && uses[resource].used > 0 ? input->resent : 0;
}

static int64_t gain_of_lost_time(const struct bottleneck_input *input,
                                 enum bottleneck_resource resource)
{
    const int64_t lost = min_i64(
        max_i64(input->uses[resource].used, repeated_share(input, resource)), PPM - PPM / 100);
    if (lost < LEAST_LOST)
        return 0;
    return min_i64(PPM * PPM / (PPM - lost) - PPM, spare_capacity(input));
}

/* A station that is saturated whenever it is available has no spare capacity, even if its average
 * utilization is half. */
static int64_t room_between_outages(const struct bottleneck_input *input)
{
    const int64_t out =
        max_i64(outage(input, BOTTLENECK_RECOVERY), outage(input, BOTTLENECK_PAUSES));
    return max_i64(part(spare_capacity(input) + PPM, PPM - out) - PPM, 0);
}

/* The share of outstanding I/Os that do not wait at any station. */
static int64_t unqueued_share(const struct bottleneck_input *input, bool in_bursts)
{
    int64_t waiting = 0, busiest = 0;
    for (enum bottleneck_resource i = 0; i < BOTTLENECK_RESOURCES; i++) {
        if (!is_station(input, i))
            continue;
        if (i != BOTTLENECK_LINK && !(in_bursts && is_bursty(input, i)))
            waiting += input->uses[i].waiting;
        busiest = max_i64(busiest, part(elasticity(input, i), input->uses[i].covers));
    }
    return PPM - part(max_i64(min_i64(waiting, PPM), busiest), PPM - input->thinking);
}

/* Gain of 10 % more than `number`, at least one more; 0: number unknown. */
static int64_t gain_of_depth(const struct bottleneck_input *input, int64_t number)
{
    const int64_t after = max_i64(number + 1, number + part(number, TENTH));
    const int64_t more = number > 0 ? after * PPM / number - PPM : TENTH;
    return min_i64(part(more, unqueued_share(input, false)), room_between_outages(input));
}

/* Gain of 10 % more of a window of TCP. */
static int64_t gain_of_window(const struct bottleneck_input *input, int64_t used)
{
    const int64_t gain =
        min_i64(part(TENTH, unqueued_share(input, true)), room_between_outages(input));
    return part(gain, used);
}

/* The queue depth exceeds the entries of a submission queue. */
static bool is_cut(const struct bottleneck_input *input)
{
    return input->entries > 0 && input->depth > input->entries;
}

/* By how much the depth may grow. */
static int64_t entries_left(const struct bottleneck_input *input)
{
    if (input->entries == 0 || input->depth == 0)
        return PPM * PPM;
    return max_i64(input->entries * PPM / input->depth - PPM, 0);
}

/* More outstanding I/Os only help as far as no other limit keeps them from being sent. */
static int64_t not_stopped(const struct bottleneck_input *input)
{
    const int64_t throttled = input->by_tcp ? input->uses[BOTTLENECK_CONGESTION].used : 0;
    return max_i64(PPM - throttled - reads_waited(input) - input->uses[BOTTLENECK_FENCE].used -
                       input->uses[BOTTLENECK_WINDOW].used -
                       input->uses[BOTTLENECK_DELAYED_ACK].used -
                       input->uses[BOTTLENECK_STREAM].used - input->uses[BOTTLENECK_BUFFERS].used -
                       input->uses[BOTTLENECK_WRS].used - input->uses[BOTTLENECK_LIMIT].used -
                       input->uses[BOTTLENECK_WORKLOAD_LIMIT].used,
                   0);
}

/* Gain if the service time at the station is 10 % shorter. */
static int64_t gain_of_service(int64_t serving)
{
    return PPM * PPM / (PPM - part(min_i64(serving, PPM), TENTH * 10 / 11)) - PPM;
}

/* Gain without throttling. Other lost time stays lost: faster traffic is dropped and retransmitted
 * as before, and rejected if receives are already short. */
static int64_t gain_unthrottled(const struct bottleneck_input *input)
{
    const int64_t refused = gain_of_lost_time(input, BOTTLENECK_CREDIT);
    const int64_t alone =
        min_i64(gain_of_lost_time(input, BOTTLENECK_CONGESTION), room_between_outages(input));
    const int64_t gain = refused > 0 ? min_i64(alone, refused) : alone;
    const int64_t kept = PPM - min_i64(input->uses[BOTTLENECK_LOSS].used, PPM);
    const bool fills = useful_share(input, BOTTLENECK_LINK) >= HELD_LINK;
    return part(part(gain, kept), fills ? HELD_GAIN : PPM);
}

static int64_t gain_alone(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    const struct bottleneck_use *use = &input->uses[resource];
    switch (resource) {
    case BOTTLENECK_LINK:
    case BOTTLENECK_MEDIA:
    case BOTTLENECK_RNIC:
    case BOTTLENECK_PCIE:
    case BOTTLENECK_COMPLETIONS:
    case BOTTLENECK_TARGET_CPU:
    case BOTTLENECK_HOST_CPU:
        if (input->few && use->used < PPM / 2) /* few I/Os, and nothing delays them */
            return 0;
        return max_i64(part(part(TENTH, elasticity(input, resource)), min_i64(use->covers, PPM)),
                       input->asked > 0 ? 0 : gain_of_service(use->serving));
    case BOTTLENECK_RECEIVER:
        return input->slow_by_nature ? part(TENTH, elasticity(input, resource))
                                     : gain_of_lost_time(input, resource);
    case BOTTLENECK_PAUSES: /* if the link is saturated, pauses do not matter */
        return useful_share(input, BOTTLENECK_LINK) >= BOTTLENECK_FULL &&
                       input->uses[BOTTLENECK_LINK].covers >= NEARLY_ALL
                   ? 0
                   : part(gain_of_lost_time(input, resource), min_i64(use->covers, PPM));
    case BOTTLENECK_RECOVERY:
        return part(gain_of_lost_time(input, resource), min_i64(use->covers, PPM));
    case BOTTLENECK_CONGESTION: /* TCP without a congestion window does not exist */
        return input->by_tcp ? gain_of_window(input, use->used) : gain_unthrottled(input);
    case BOTTLENECK_CREDIT:
    case BOTTLENECK_LOSS:
    case BOTTLENECK_DELAYED_ACK:
    case BOTTLENECK_STREAM:
        return gain_of_lost_time(input, resource);
    case BOTTLENECK_READS: /* instead of the depth, as far as I/Os wait for READs */
        return part(gain_of_depth(input, input->reads), reads_waited(input));
    case BOTTLENECK_FENCE: /* one more in addition to the single one allowed */
        return part(gain_of_depth(input, 1), use->used);
    case BOTTLENECK_WINDOW:
        return input->by_tcp ? gain_of_window(input, use->used)
                             : part(gain_of_depth(input, input->window), use->used);
    case BOTTLENECK_BUFFERS:
    case BOTTLENECK_WRS:
        return part(part(gain_of_depth(input, 0), use->used), min_i64(use->covers, PPM));
    case BOTTLENECK_LIMIT:
    case BOTTLENECK_WORKLOAD_LIMIT:
        return part(part(TENTH, use->used), min_i64(use->covers, PPM));
    case BOTTLENECK_QUEUE_SIZE:
        return use->used > 0 && (is_cut(input) || use->used >= PPM / 2)
                   ? part(gain_of_depth(input, input->entries), not_stopped(input))
                   : 0;
    case BOTTLENECK_DEPTH: /* depth beyond the entries of a queue has no effect */
        return input->few ? 0
                          : min_i64(part(gain_of_depth(input, input->depth), not_stopped(input)),
                                    entries_left(input));
    case BOTTLENECK_ASKED:
    case BOTTLENECK_RESOURCES:
        break;
    }
    return 0;
}

/* Think time does not get shorter when something else gets faster, but with more depth more I/Os
 * are issued at once. */
static int64_t gain_beside_thinking(const struct bottleneck_input *input,
                                    enum bottleneck_resource resource)
{
    const bool more = resource == BOTTLENECK_DEPTH || resource == BOTTLENECK_QUEUE_SIZE;
    return resource == BOTTLENECK_ASKED
               ? part(TENTH, input->thinking)
               : part(gain_alone(input, resource), PPM - (more ? 0 : input->thinking));
}

/* An open loop never exceeds its offered load. */
static int64_t gain_of(const struct bottleneck_input *input, enum bottleneck_resource resource)
{
    const int64_t gain = gain_beside_thinking(input, resource);
    return input->asked > 0 ? min_i64(gain, max_i64(input->asked - PPM, 0)) : gain;
}

enum { GAIN_LEAST = PPM / 100 /* smaller gains count as none */ };

/* All offered load was completed, possibly late. */
static bool has_all(const struct bottleneck_input *input)
{
    return input->idle || input->satisfied;
}

static int64_t gain_of_all(const struct bottleneck_input *const *inputs, uint32_t count,
                           enum bottleneck_resource resource, const struct bottleneck_input **most)
{
    __int128 sum = 0, weights = 0, largest = -1;
    for (uint32_t i = 0; i < count; i++) {
        const struct bottleneck_input *input = inputs[i];
        const __int128 gain =
            has_all(input) ? 0 : (__int128)gain_of(input, resource) * input->weight;
        sum += gain;
        weights += input->weight;
        if (gain > largest) {
            largest = gain;
            *most = input;
        }
    }
    return weights == 0 ? 0 : (int64_t)(sum / weights);
}

/* A workload with bounded offered load that completes all of it is limited by that, even if
 * utilization is unknown. */
static bool is_unknown(const struct bottleneck_input *const *inputs, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (inputs[i]->uncounted && !inputs[i]->few && !has_all(inputs[i]))
            return true;
    return false;
}

void bottleneck_of_all(const struct bottleneck_input *const *inputs, uint32_t count,
                       struct bottleneck *found)
{
    static const struct bottleneck_input none = {.idle = true};
    const struct bottleneck_input *whose = count > 0 ? inputs[0] : &none;
    if (is_unknown(inputs, count)) {
        *found = (struct bottleneck){.resource = BOTTLENECK_UNKNOWN,
                                     .text = "unknown: a measured run does not count what its "
                                             "links, CPUs and media did; run the same "
                                             "scenario in the model to see it"};
        return;
    }
    *found = (struct bottleneck){.resource = BOTTLENECK_ASKED, .gain = GAIN_LEAST};
    for (enum bottleneck_resource i = 0; i <= BOTTLENECK_ASKED; i++) {
        const struct bottleneck_input *most = whose;
        const int64_t gain = gain_of_all(inputs, count, i, &most);
        if (gain <= found->gain)
            continue;
        found->resource = i;
        found->gain = gain;
        whose = most;
    }
    if (found->resource == BOTTLENECK_ASKED)
        found->gain = 0;
    if (whose->idle)
        snprintf(found->text, sizeof found->text, "offered load: no I/O was issued");
    else
        bottleneck_write(whose, found);
}

void bottleneck_find(const struct bottleneck_input *input, struct bottleneck *found)
{
    struct bottleneck_input alone = *input;
    alone.weight = 1;
    bottleneck_of_all(&(const struct bottleneck_input *){&alone}, 1, found);
}
