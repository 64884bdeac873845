/* SPDX-License-Identifier: Apache-2.0
 * watchdog - polling, storms, restoration.
 * One queue, detection time and polling interval both 200 ms:
 *   pauses       |=============================================|
 *   polls     '------------'------------'------------'---------+--'------------'
 *             left: 200    200          storm                     pauses came   restored
 *                          the interval                           within it
 *                          was not paused
 *                          as a whole
 * `left` corresponds to time_left of the scripts. `known` follows which scripts delete or keep the
 * last sample: the Mellanox script deletes it at a storm, so that the first poll afterwards only
 * records. */
#include "net/switch/watchdog.h"

#include "base/memory.h"
#include "base/note_text.h"
#include "net/switch/switch_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SCALE_PORTS = 32 }; /* pfcwd/main.py DEFAULT_PORT_NUM */

static const time_ps base_time = 200 * PS_PER_MS;          /* pfcwd/main.py DEFAULT_..._TIME */
static const time_ps most_poll = 1000 * PS_PER_MS;         /* MAX_POLL_INTERVAL_TIME */
static const time_ps most_detection = 5000 * PS_PER_MS;    /* pfcwdorch.cpp PFC_WD_..._MAX */
static const time_ps most_restoration = 60000 * PS_PER_MS; /* pfcwdorch.cpp PFC_WD_..._MAX */

/* ------------------------------------------------------------------ rules */

static bool waits_and_sends_nothing(const struct watchdog_sample *last,
                                    const struct watchdog_sample *now)
{
    return now->waiting > 0 && now->tx_frames == last->tx_frames;
}

/* True when pauses blocked more than `per_cent` of the interval. */
static bool share_paused(const struct watchdog_sample *last, const struct watchdog_sample *now,
                         time_ps interval, int per_cent)
{
    return (now->paused_ps - last->paused_ps) * 100 > interval * per_cent;
}

/* swss#3036: packets wait, none was sent, and pauses blocked more than 99 % of the interval. */
static bool mellanox(const struct watchdog_sample *last, const struct watchdog_sample *now,
                     time_ps interval)
{
    return waits_and_sends_nothing(last, now) && share_paused(last, now, interval, 99);
}

/* Packets wait, none was sent, and PFC frames were received; or no packets wait, none was sent, and
 * pauses blocked more than 80 % of the interval. */
static bool mellanox_2023(const struct watchdog_sample *last, const struct watchdog_sample *now,
                          time_ps interval)
{
    if (now->waiting > 0)
        return waits_and_sends_nothing(last, now) && now->rx_pauses > last->rx_pauses;
    return now->tx_frames == last->tx_frames && share_paused(last, now, interval, 80);
}

/* swss#1111: PFC frames were received, and one pause lasted from poll to poll. */
static bool broadcom(const struct watchdog_sample *last, const struct watchdog_sample *now,
                     time_ps interval)
{
    (void)interval;
    return now->rx_pauses > last->rx_pauses && now->held_since != TIME_NEVER &&
           now->held_since == last->held_since;
}

struct rule {
    bool (*holds)(const struct watchdog_sample *last, const struct watchdog_sample *now,
                  time_ps interval);
    bool elapsed;  /* uses the elapsed time instead of the configured interval */
    bool forgets;  /* a storm invalidates the last sample */
    int tolerance; /* percentage of the detection time that may be missing at the end */
};

static const struct rule rules[WATCHDOG_RULES] = {
    [WATCHDOG_MELLANOX] = {mellanox, true, true, 1},
    [WATCHDOG_MELLANOX_2024] = {mellanox, true, true, 0},
    [WATCHDOG_MELLANOX_2023] = {mellanox_2023, false, true, 0},
    [WATCHDOG_BROADCOM] = {broadcom, false, false, 0},
};

bool watchdog_is_storm(enum watchdog_rule rule, const struct watchdog_sample *last,
                       const struct watchdog_sample *now, time_ps elapsed, time_ps poll)
{
    CHECK(rule < WATCHDOG_RULES);
    return rules[rule].holds(last, now, rules[rule].elapsed ? elapsed : poll);
}

/* ------------------------------------------------------------------ creation and start */

time_ps watchdog_scaled(time_ps base, int64_t ports, time_ps most)
{
    const time_ps scaled = base * (ports <= SCALE_PORTS ? 1 : (ports - 1) / SCALE_PORTS + 1);
    return scaled < most ? scaled : most;
}

static time_ps written_or_scaled(int64_t written, int64_t ports, time_ps most)
{
    return written != SWITCH_WATCHDOG_AUTO ? written : watchdog_scaled(base_time, ports, most);
}

struct watchdog_times watchdog_times(const struct switch_params *params, uint16_t port_count)
{
    const int64_t ports = params->ports > port_count ? params->ports : port_count;
    return (struct watchdog_times){
        .detection = written_or_scaled(params->watchdog_detection, ports, most_detection),
        .restoration = written_or_scaled(params->watchdog_restoration, ports, most_restoration),
        .poll = written_or_scaled(params->watchdog_poll, ports, most_poll),
    };
}

struct watchdog *watchdog_new(const struct switch_params *params, uint16_t port_count)
{
    if (params->watchdog == WATCHDOG_OFF)
        return NULL;
    struct watchdog *watchdog = memory_new(sizeof *watchdog);
    const struct watchdog_times times = watchdog_times(params, port_count);
    *watchdog = (struct watchdog){
        .detection = times.detection,
        .restoration = times.restoration,
        .poll = times.poll,
        .jitter = params->watchdog_jitter,
        .action = (enum watchdog_action)params->watchdog,
        .rule = (enum watchdog_rule)params->watchdog_rule,
        .polled_at = TIME_NEVER,
        .condemned = memory_zeroed(port_count, sizeof *watchdog->condemned),
        .queues = memory_zeroed((size_t)port_count * PRIORITIES, sizeof *watchdog->queues),
    };
    for (uint32_t i = 0; i < (uint32_t)port_count * PRIORITIES; i++)
        watchdog->queues[i].left = watchdog->detection;
    return watchdog;
}

void watchdog_free(struct watchdog *watchdog)
{
    if (watchdog == NULL)
        return;
    free(watchdog->condemned);
    free(watchdog->queues);
    free(watchdog);
}

/* Posts the next poll of the grid, or the first later one whose delayed time is not in the past, so
 * that a late loop returns to the grid. */
static void post_poll(struct swtch *swtch, uint8_t event, time_ps now)
{
    struct watchdog *watchdog = swtch->watchdog;
    const time_ps delay = watchdog->jitter == 0
                              ? 0
                              : (time_ps)rng_below(&watchdog->delays, (uint64_t)watchdog->jitter);
    while (watchdog->due + delay < now)
        watchdog->due += watchdog->poll;
    node_post(&swtch->node, swtch->node.id, watchdog->due + delay, event, 0, 0);
    watchdog->due += watchdog->poll;
}

void watchdog_start(struct swtch *swtch, uint8_t event)
{
    struct watchdog *watchdog = swtch->watchdog;
    if (watchdog == NULL)
        return;
    const uint64_t seed = swtch->node.engine->seed;
    struct rng phase = rng_stream(seed, swtch->node.name, "watchdog");
    watchdog->delays = rng_stream(seed, swtch->node.name, "watchdog-jitter");
    watchdog->due = swtch->params.watchdog_start != SWITCH_WATCHDOG_AUTO
                        ? swtch->params.watchdog_start
                        : (time_ps)rng_below(&phase, (uint64_t)watchdog->poll);
    post_poll(swtch, event, node_now(&swtch->node));
}

/* ------------------------------------------------------------------ actions on a storm */

/* A queue during a poll. */
struct watch {
    struct swtch *swtch;
    struct watchdog *watchdog;
    struct watchdog_queue *queue;
    struct port *port;
    uint8_t priority;
    struct watchdog_sample sample;
    time_ps now, elapsed;
};

static void report_storm(const struct watch *watch, bool storm)
{
    char text[200];
    const char *name = watch->swtch->node.name;
    const struct watchdog *watchdog = watch->watchdog;
    snprintf(text, sizeof text, "PFC watchdog: %s%s:p%u priority %u (%s %s, watchdog-poll %s)",
             storm ? "storm on " : "restored ", name, watch->port->index, watch->priority,
             storm ? "watchdog-detection" : "watchdog-restoration",
             note_time(storm ? watchdog->detection : watchdog->restoration).text,
             note_time(watchdog->poll).text);
    watch->swtch->probe->note(watch->swtch->probe->self, watch->now, name, text);
    node_digest(&watch->swtch->node,
                (uint64_t)watch->port->index << 8 | watch->priority | (storm ? 128 : 0));
}

static void set_condemned(struct swtch *swtch, uint16_t port, uint8_t priority, bool on)
{
    const uint8_t bit = (uint8_t)(1u << priority);
    uint8_t *condemned = swtch->watchdog->condemned;
    condemned[port] = (uint8_t)(on ? condemned[port] | bit : condemned[port] & ~bit);
    swtch->condemned = 0;
    for (uint16_t i = 0; i < swtch->port_count; i++)
        swtch->condemned |= condemned[i];
    swtch->careful = swtch->special || swtch->condemned != 0;
}

/* The queue is emptied before its pause is lifted, so that none of its frames is sent. */
static void begin_storm(const struct watch *watch)
{
    struct watchdog_queue *queue = watch->queue;
    const enum watchdog_action action = watch->watchdog->action;
    queue->known = queue->known && !rules[watch->watchdog->rule].forgets;
    if (queue->stormed)
        return; /* alert only: already reported */
    queue->stormed = true;
    queue->storms++;
    report_storm(watch, true);
    if (action == WATCHDOG_ALERT)
        return;
    queue->left = watch->watchdog->restoration;
    if (action == WATCHDOG_DROP) {
        set_condemned(watch->swtch, watch->port->index, watch->priority, true);
        queue->tx_dropped += switch_flush(watch->swtch, watch->port, watch->priority, watch->now);
    }
    port_ignore_pauses(watch->port, watch->priority, true, watch->now);
}

static void end_storm(const struct watch *watch)
{
    struct watchdog_queue *queue = watch->queue;
    queue->stormed = false;
    queue->restored++;
    queue->left = watch->watchdog->detection;
    report_storm(watch, false);
    if (watch->watchdog->action == WATCHDOG_ALERT)
        return;
    queue->known = false;
    if (watch->watchdog->action == WATCHDOG_DROP)
        set_condemned(watch->swtch, watch->port->index, watch->priority, false);
    port_ignore_pauses(watch->port, watch->priority, false, watch->now);
}

bool watchdog_takes(struct swtch *swtch, const struct frame *frame, uint16_t egress)
{
    struct watchdog *watchdog = swtch->watchdog;
    const unsigned bit = 1u << frame->priority;
    if ((watchdog->condemned[egress] & bit) != 0)
        watchdog->queues[egress * PRIORITIES + frame->priority].tx_dropped++;
    else if ((watchdog->condemned[frame->in_port] & bit) != 0)
        watchdog->queues[frame->in_port * PRIORITIES + frame->priority].rx_dropped++;
    else
        return false;
    return true;
}

/* ------------------------------------------------------------------ polls */

static struct watchdog_sample read_counters(const struct port *port, uint8_t priority, time_ps now)
{
    const struct port_pauses *pauses = &port->pauses[priority];
    /* MAC control frames are sent as priority 7 but are not packets of that queue. */
    const uint64_t control = priority == PRIORITIES - 1 ? port->pfc_frames_tx : 0;
    return (struct watchdog_sample){
        .waiting = port->prios[priority].bytes,
        .tx_frames = port->prios[priority].tx_frames - control,
        .rx_pauses = pauses->rx_xoff + pauses->rx_xon,
        .paused_ps = port_held_ps(port, priority, now),
        .held_since = pauses->held_since,
    };
}

/* pfc_detect_*.lua */
static void detect_storm(const struct watch *watch)
{
    const struct watchdog *watchdog = watch->watchdog;
    const struct rule *rule = &rules[watchdog->rule];
    struct watchdog_queue *queue = watch->queue;
    const bool compare = queue->known;
    const struct watchdog_sample last = queue->last;
    queue->last = watch->sample;
    queue->known = true;
    if (!compare)
        return;
    if (!watchdog_is_storm(watchdog->rule, &last, &watch->sample, watch->elapsed, watchdog->poll)) {
        queue->left = watchdog->detection;
        if (queue->stormed)
            end_storm(watch);
        return;
    }
    const time_ps charge = rule->elapsed ? watch->elapsed : watchdog->poll;
    if (queue->left > charge + watchdog->detection / 100 * rule->tolerance) {
        queue->left -= charge;
        return;
    }
    queue->left = watchdog->detection;
    begin_storm(watch);
}

/* pfc_restore.lua */
static void restore_queue(const struct watch *watch)
{
    struct watchdog_queue *queue = watch->queue;
    const bool compare = queue->known;
    const bool quiet = watch->sample.rx_pauses == queue->last.rx_pauses;
    queue->last = watch->sample;
    queue->known = true;
    if (!compare)
        return;
    if (!quiet)
        queue->left = watch->watchdog->restoration;
    else if (queue->left > watch->watchdog->poll)
        queue->left -= watch->watchdog->poll;
    else
        end_storm(watch);
}

/* Counts frames that passed since the last poll of a queue in a storm. */
static void count_passed(const struct watch *watch, bool storm)
{
    struct watchdog_queue *queue = watch->queue;
    const uint64_t tx = watch->sample.tx_frames;
    const uint64_t rx = watch->port->prios[watch->priority].rx_frames - queue->rx_dropped;
    if (storm) {
        queue->tx_passed += tx - queue->tx_seen;
        queue->rx_passed += rx - queue->rx_seen;
    }
    queue->tx_seen = tx;
    queue->rx_seen = rx;
}

static void poll_queue(const struct watch *watch)
{
    count_passed(watch, watch->queue->stormed);
    if (watch->queue->stormed && watch->watchdog->action != WATCHDOG_ALERT)
        restore_queue(watch);
    else
        detect_storm(watch);
}

static void poll_port(struct watch *watch)
{
    const struct port *port = watch->port;
    const bool by_priority = port->params.flow_control == PORT_FLOW_PFC;
    const unsigned watched = by_priority ? watch->swtch->lossless & port->enabled : 0u;
    for (uint8_t i = 0; i < PRIORITIES; i++) {
        watch->queue = &watch->watchdog->queues[port->index * PRIORITIES + i];
        if ((watched & 1u << i) == 0 && !watch->queue->stormed)
            continue;
        watch->priority = i;
        watch->sample = read_counters(port, i, watch->now);
        poll_queue(watch);
    }
}

void watchdog_poll(struct swtch *swtch, uint8_t event, time_ps now)
{
    struct watchdog *watchdog = swtch->watchdog;
    struct watch watch = {
        .swtch = swtch,
        .watchdog = watchdog,
        .now = now,
        .elapsed = watchdog->polled_at == TIME_NEVER ? watchdog->poll : now - watchdog->polled_at,
    };
    watchdog->polled_at = now;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        watch.port = &swtch->ports[i];
        poll_port(&watch);
    }
    post_poll(swtch, event, now + 1);
}

void watchdog_audit(const struct swtch *swtch)
{
    const struct watchdog *watchdog = swtch->watchdog;
    unsigned condemned = 0;
    for (uint16_t i = 0; watchdog != NULL && i < swtch->port_count; i++) {
        condemned |= watchdog->condemned[i];
        for (unsigned p = 0; p < PRIORITIES; p++) {
            const struct watchdog_queue *queue = &watchdog->queues[i * PRIORITIES + p];
            const bool dropping = (watchdog->condemned[i] & 1u << p) != 0;
            CHECK(queue->storms == queue->restored + queue->stormed);
            CHECK(dropping == (queue->stormed && watchdog->action == WATCHDOG_DROP));
            CHECK(!dropping || swtch->ports[i].prios[p].bytes == 0);
        }
    }
    CHECK(condemned == swtch->condemned);
    CHECK(swtch->careful == (swtch->special || condemned != 0));
}
