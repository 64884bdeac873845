/* SPDX-License-Identifier: Apache-2.0
 * watchdog - the PFC watchdog of a switch: finds queues that are paused for too long and frees
 * them.
 * Source: SONiC: sonic-swss orchagent pfc_detect_mellanox.lua, pfc_detect_broadcom.lua,
 * pfc_restore.lua, pfcwdorch.cpp, pfcactionhandler.cpp; sonic-utilities pfcwd/main.py.
 * One event per switch and polling interval reads the counters of every lossless queue of every
 * port with PFC (802.3x PAUSE is out of scope). A queue that satisfies the rule in every poll for
 * the detection time is in a storm:
 *   drop     its queued frames, new frames for it, and frames received by its port in its priority
 *            are dropped, and pauses do not stop it;
 *   forward  pauses do not stop it;
 *   alert    the storm is only reported.
 * It is restored when no PFC frame of its priority, XON or XOFF, has been received for the
 * restoration time (swss#4581); under alert at the first poll that does not satisfy the rule.
 * Polls are on a grid from `watchdog-start`; `watchdog-jitter` delays each independently. Not
 * modeled: the time between a poll's reads and its action, ports that SONiC excludes, the
 * suppression of PFC frames by a port in a storm, and that a single sample may never cause a storm
 * (Broadcom since 2026). Owner: the switch. Units: ps, bytes. Clock: now is passed in. */
#ifndef STORMGLASS_NET_SWITCH_WATCHDOG_H
#define STORMGLASS_NET_SWITCH_WATCHDOG_H

#include "net/switch/switch.h"

#define WATCHDOG_ACTIONS(X) X(OFF, "off") X(DROP, "drop") X(FORWARD, "forward") X(ALERT, "alert")

#define X(name, word) WATCHDOG_##name,
enum watchdog_action { WATCHDOG_ACTIONS(X) };
#undef X

/* Counters of a queue read by a poll, with the corresponding SONiC names. */
struct watchdog_sample {
    int64_t waiting;    /* SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES */
    uint64_t tx_frames; /* SAI_QUEUE_STAT_PACKETS */
    uint64_t rx_pauses; /* SAI_PORT_STAT_PFC_n_RX_PKTS: XOFF and XON */
    time_ps paused_ps;  /* SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US */
    time_ps held_since; /* start of the present pause, or TIME_NEVER: combines
                         * SAI_QUEUE_ATTR_PAUSE_STATUS and SAI_PORT_STAT_PFC_n_ON2OFF_RX_PKTS */
};

/* Storm rules: mellanox since 2026, with the tolerance of swss#4784; as of swss#3036; before
 * swss#3036; broadcom since swss#1111. */
#define WATCHDOG_RULE_WORDS(X)                                                                     \
    X(MELLANOX, "mellanox")                                                                        \
    X(MELLANOX_2024, "mellanox-2024")                                                              \
    X(MELLANOX_2023, "mellanox-2023") X(BROADCOM, "broadcom")

#define X(name, word) WATCHDOG_##name,
enum watchdog_rule { WATCHDOG_RULE_WORDS(X) WATCHDOG_RULES };
#undef X

/* True when two samples, `elapsed` apart, indicate a storm; `poll` is the configured interval. */
bool watchdog_is_storm(enum watchdog_rule rule, const struct watchdog_sample *last,
                       const struct watchdog_sample *now, time_ps elapsed, time_ps poll);

struct watchdog_queue {
    struct watchdog_sample last;
    time_ps left;        /* remaining detection or restoration time */
    bool known;          /* `last` is valid for comparison */
    bool stormed;        /* PFC_WD_STATUS */
    uint64_t storms;     /* PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED */
    uint64_t restored;   /* PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED */
    uint64_t tx_passed;  /* PFC_WD_QUEUE_STATS_TX_PACKETS: in storms, up to the last poll */
    uint64_t tx_dropped; /* PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS */
    uint64_t rx_passed;  /* PFC_WD_QUEUE_STATS_RX_PACKETS: received by the port in the priority */
    uint64_t rx_dropped; /* PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS */
    uint64_t tx_seen, rx_seen; /* already counted in tx_passed and rx_passed, or from before the
                                * storm */
};

struct watchdog {
    time_ps detection, restoration, poll, jitter;
    enum watchdog_action action;
    enum watchdog_rule rule;
    time_ps due;       /* grid time of the next poll */
    time_ps polled_at; /* TIME_NEVER: no poll yet */
    struct rng delays;
    uint8_t *condemned;            /* by port: mask of priorities being dropped */
    struct watchdog_queue *queues; /* indexed by port * PRIORITIES + priority */
};

/* SONiC's scaling: times grow by `base` for every further 32 ports. */
time_ps watchdog_scaled(time_ps base, int64_t ports, time_ps most);

/* Configured times, or SONiC's defaults for that many ports. */
struct watchdog_times {
    time_ps detection, restoration, poll;
};
struct watchdog_times watchdog_times(const struct switch_params *params, uint16_t port_count);

/* Returns NULL when the action is off: nothing is posted, at no cost. */
struct watchdog *watchdog_new(const struct switch_params *params, uint16_t port_count);
void watchdog_free(struct watchdog *watchdog);

/* Posts the first poll. */
void watchdog_start(struct swtch *swtch, uint8_t event);

/* Handles a due poll: checks every queue and posts the next poll. */
void watchdog_poll(struct swtch *swtch, uint8_t event, time_ps now);

/* True when a frame for `egress` must be dropped; counts it. Only called while swtch->condemned is
 * not 0. */
bool watchdog_takes(struct swtch *swtch, const struct frame *frame, uint16_t egress);

void watchdog_audit(const struct swtch *swtch);

#endif
