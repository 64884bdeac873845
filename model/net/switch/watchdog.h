/* SPDX-License-Identifier: Apache-2.0
 * watchdog - a switch's PFC watchdog: finds queues that pauses hold for too long, and frees them.
 * Source:  SONiC: sonic-swss orchagent pfc_detect_mellanox.lua, pfc_detect_broadcom.lua,
 *          pfc_restore.lua, pfcwdorch.cpp, pfcactionhandler.cpp; sonic-utilities pfcwd/main.py.
 *
 * One event per switch and polling interval reads the counters of every lossless queue of every
 * port with PFC (802.3x PAUSE is not its business).  A queue that satisfies the rule in every poll
 * for the detection time is in a storm:
 *   drop     what waits in it, comes for it, or comes in by its port in its priority is dropped,
 *            and pauses do not stop it;
 *   forward  pauses do not stop it;
 *   alert    it is reported, and nothing else.
 * It is restored when no PFC frame of its priority came for the restoration time, XON or XOFF
 * (swss#4581); under alert in the first poll in which the rule does not hold.
 *
 * Polls lie on a grid from `watchdog-start`; `watchdog-jitter` delays each by itself.
 * Not modelled: the time between a poll's reads and its action, ports that SONiC leaves out, the
 * pauses that SONiC no longer sends by a port in a storm, and that one sample may never make a
 * storm (Broadcom since 2026).
 * Owner: the switch.  Units: ps, bytes.  Clock: now is passed in. */
#ifndef STORMGLASS_NET_SWITCH_WATCHDOG_H
#define STORMGLASS_NET_SWITCH_WATCHDOG_H

#include "net/switch/switch.h"

#define WATCHDOG_ACTIONS(X) X(OFF, "off") X(DROP, "drop") X(FORWARD, "forward") X(ALERT, "alert")

#define X(name, word) WATCHDOG_##name,
enum watchdog_action { WATCHDOG_ACTIONS(X) };
#undef X

/* What a poll reads of a queue: SONiC's counters of the same meaning. */
struct watchdog_sample {
    int64_t waiting;    /* SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES */
    uint64_t tx_frames; /* SAI_QUEUE_STAT_PACKETS */
    uint64_t rx_pauses; /* SAI_PORT_STAT_PFC_n_RX_PKTS: XOFF and XON */
    time_ps paused_ps;  /* SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US */
    time_ps held_since; /* of the pause that runs, or TIME_NEVER: SAI_QUEUE_ATTR_PAUSE_STATUS and
                            SAI_PORT_STAT_PFC_n_ON2OFF_RX_PKTS in one */
};

/* When a queue is in a storm: mellanox since 2026, with the tolerance of swss#4784; as of
 * swss#3036; before it; broadcom since swss#1111. */
#define WATCHDOG_RULE_WORDS(X)                                                                     \
    X(MELLANOX, "mellanox")                                                                        \
    X(MELLANOX_2024, "mellanox-2024")                                                              \
    X(MELLANOX_2023, "mellanox-2023") X(BROADCOM, "broadcom")

#define X(name, word) WATCHDOG_##name,
enum watchdog_rule { WATCHDOG_RULE_WORDS(X) WATCHDOG_RULES };
#undef X

/* True when the two samples, `elapsed` apart, look like a storm; `poll` is the interval as it is
 * configured. */
bool watchdog_is_storm(enum watchdog_rule rule, const struct watchdog_sample *last,
                       const struct watchdog_sample *now, time_ps elapsed, time_ps poll);

struct watchdog_queue {
    struct watchdog_sample last;
    time_ps left;        /* of the detection or the restoration time */
    bool known;          /* `last` may be compared with */
    bool stormed;        /* PFC_WD_STATUS */
    uint64_t storms;     /* PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED */
    uint64_t restored;   /* PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED */
    uint64_t tx_passed;  /* PFC_WD_QUEUE_STATS_TX_PACKETS: in storms, up to the last poll */
    uint64_t tx_dropped; /* PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS */
    uint64_t rx_passed;  /* PFC_WD_QUEUE_STATS_RX_PACKETS: the same of the port in the priority */
    uint64_t rx_dropped; /* PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS */
    uint64_t tx_seen, rx_seen; /* counted in tx_passed and rx_passed, or before the storm */
};

struct watchdog {
    time_ps detection, restoration, poll, jitter;
    enum watchdog_action action;
    enum watchdog_rule rule;
    time_ps due;       /* the next poll's place in the grid */
    time_ps polled_at; /* TIME_NEVER: not yet */
    struct rng delays;
    uint8_t *condemned;            /* of each port: mask of priorities that are dropped */
    struct watchdog_queue *queues; /* port * PRIORITIES + priority */
};

/* SONiC's scaling: times grow with every 32 ports that there are more. */
time_ps watchdog_scaled(time_ps base, int64_t ports, time_ps most);

/* As written, or as SONiC starts them for so many ports. */
struct watchdog_times {
    time_ps detection, restoration, poll;
};
struct watchdog_times watchdog_times(const struct switch_params *params, uint16_t port_count);

/* NULL when the action is off: then nothing is posted and nothing costs anything. */
struct watchdog *watchdog_new(const struct switch_params *params, uint16_t port_count);
void watchdog_free(struct watchdog *watchdog);

/* Posts the first poll. */
void watchdog_start(struct swtch *swtch, uint8_t event);

/* A poll is due: looks at every queue, and posts the next. */
void watchdog_poll(struct swtch *swtch, uint8_t event, time_ps now);

/* True when a frame on its way to `egress` must be dropped, and counts it; only called while
 * swtch->condemned is not 0. */
bool watchdog_takes(struct swtch *swtch, const struct frame *frame, uint16_t egress);

void watchdog_audit(const struct swtch *swtch);

#endif
