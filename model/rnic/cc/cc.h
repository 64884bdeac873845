/* SPDX-License-Identifier: Apache-2.0
 * cc - the plug-in interface of congestion control: one file and one line in cc.def per algorithm.
 * An algorithm reacts to the signals that a queue pair gets from the network (a CNP, an ACK with
 * its round-trip time, ECN echo and telemetry, a NAK, bytes sent, its own timer) with a rate and a
 * window. The pacer enforces both: an algorithm does not deal with waiting frames, debts or
 * wake-ups.
 * Contract.
 *   Hooks     each may be NULL: no action, and no state is kept for it.
 *   Flow      a hook gets a struct cc_flow with the values in force, and writes the new values
 *             into it; it owns `state`, everything else is read-only.
 *   Units     bits per second, bytes of frames from Ethernet header to FCS, picoseconds.
 *   Limits    rate_bps in 1 .. line_bps; at line_bps the limit ends after the next frame, and
 *             with it the calls of on_sent and on_timer, until a hook sets a lower rate.
 *             A packet of a SEND or WRITE may leave while the unacknowledged bytes are below the
 *             window. One packet may always be outstanding, so that no window blocks forever, and
 *             only a lower rate spaces packets further apart. A window is above 0.
 *             READ responses are not acknowledged. An algorithm without on_ack limits their
 *             rate; one with on_ack does not limit them, because its signals are about requests
 *             and without these it would never learn that it may resume.
 *   Cost      a queue pair that was never limited costs nothing. An algorithm with on_ack
 *             requests an ACK with each packet, records send times, and has its state in separate
 *             memory; the frames of its RNIC take the general path. Others pay nothing for it.
 *   ACKs      are reported in order, each newly acknowledged byte once. An ACK may cover several
 *             packets, and may be lost. A retransmitted packet has no round-trip time; a packet
 *             given up after a timeout that turns out to have arrived is not reported.
 *   Time      is passed in and never runs backwards. No events: the pacer calls on_timer when it
 *             next runs, as if at the timer's time, and on a copy of the state to compute when a
 *             debt will be paid. A hook must therefore depend only on its arguments and change
 *             nothing else.
 *   Errors    none: parameters are checked as rows, and a hook cannot fail.
 *   Determinism  integers only; no memory of its own, no random numbers, no global state.
 *   Owner     the state is in the queue pair, or in memory that it owns; zeroed before init. */
#ifndef STORMGLASS_RNIC_CC_CC_H
#define STORMGLASS_RNIC_CC_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum {
    CC_STATE_BYTES = 40,      /* for an algorithm without on_ack */
    CC_ACK_STATE_BYTES = 512, /* for an algorithm with on_ack */
    CC_PARAMS_MAX = 256
};

#define CC_NO_WINDOW UINT64_MAX

struct cc_ops;
struct telemetry;

/* Shared by all queue pairs of an RNIC. */
struct cc_site {
    const struct cc_ops *ops;
    uint64_t line_bps;
    const void *params; /* filled in by the rows of the algorithm */
};

/* The view of a queue pair for its algorithm. */
struct cc_flow {
    const struct cc_site *site;
    void *state;
    uint64_t rate_bps;     /* maximum rate of frames, including preamble and gap */
    time_ps timer;         /* time of the next on_timer; TIME_NEVER: none */
    int64_t bytes_left;    /* bytes to send until on_sent is called; below 1 during the call */
    uint64_t window;       /* bytes; CC_NO_WINDOW; always so without on_ack */
    uint32_t packet_bytes; /* size of a full packet of the queue pair; with on_ack */
};

/* Information from an ACK. */
struct cc_ack {
    uint32_t bytes, packets;           /* newly acknowledged */
    uint64_t acked;                    /* total bytes acknowledged */
    uint64_t sent;                     /* total bytes sent, acknowledged or outstanding */
    time_ps rtt;                       /* of the acknowledged packet; 0: unknown */
    uint8_t hops;                      /* number of switches on the path, from the TTL */
    bool ecn_echo;                     /* a packet since the previous ACK was marked */
    const struct telemetry *telemetry; /* of the acknowledged packet; NULL: none */
};

/* Why packets are retransmitted. */
enum cc_nak {
    CC_NAK_SEQUENCE, /* loss, reported by the receiver or seen as a missing READ response */
    CC_NAK_RNR,      /* no receive was posted: not a network condition */
    CC_NAK_TIMEOUT   /* no response */
};

/* For reports, at a given time. */
struct cc_view {
    uint64_t rate_bps, target_bps;
    uint64_t alpha_ppm;
};

/* The link layer whose signals an algorithm needs: ECN of IP or telemetry, or FECN and BECN. */
enum cc_link { CC_ANY_LINK, CC_ETHERNET, CC_INFINIBAND };

struct cc_ops {
    const char *name;
    const char *about;
    const char *source;
    const struct opt *opts;
    size_t params_bytes;
    size_t state_bytes;   /* at most CC_STATE_BYTES, with on_ack CC_ACK_STATE_BYTES */
    enum cc_link link;
    bool wants_ecn;       /* data packets are ECT(0); on InfiniBand, they may get FECN */
    bool echoes_ecn;      /* at the receiver: ACKs echo CE marks (with on_ack) */
    bool wants_telemetry; /* switches add it to SENDs and WRITEs, ACKs return it (with on_ack) */

    /* At the notification point: minimum time between two CNPs of a queue pair. NULL: no CNPs. */
    time_ps (*cnp_interval)(const void *params);

    /* At the notification point: true: marks of SENDs and WRITEs are returned as BECN of the next
     * ACK in place of CNPs, and each such ACK calls on_cnp at the sender. NULL: false. */
    bool (*becn_in_acks)(const void *params);

    /* True: the gap after a frame is computed from the rate at which the frame left, even if the
     * rate changes during the gap. NULL: a gap follows the rate at each moment. */
    bool (*gap_is_fixed)(const void *params);

    /* On entry of both hooks: line rate, no timer and no byte count unless the hook sets them. */
    void (*init)(struct cc_flow *flow);
    void (*on_cnp)(struct cc_flow *flow, time_ps now);

    void (*on_ack)(struct cc_flow *flow, const struct cc_ack *ack, time_ps now);

    /* Before anything is retransmitted. What the NAK acknowledges is reported with the next ACK. */
    void (*on_nak)(struct cc_flow *flow, enum cc_nak why, time_ps now);

    /* Must set bytes_left again. */
    void (*on_sent)(struct cc_flow *flow, time_ps now);

    /* flow->timer is due at or before `until`. The hook must advance it, directly beyond `until`
     * when it no longer changes the rate. */
    void (*on_timer)(struct cc_flow *flow, time_ps until);

    /* Called for a copy whose timer is up to date; the view already contains the rate, also as the
     * target. */
    void (*observe)(struct cc_flow *flow, time_ps now, struct cc_view *view);

    /* Invariants between two events of a queue pair that is limited or has a window; NULL: only
     * those common to all algorithms. The timer may be overdue, because the pacer runs on
     * demand. */
    void (*audit)(const struct cc_flow *flow, time_ps now);
};

/* A name for use in scenarios: an algorithm, or one with other defaults. */
struct cc_setting {
    const char *opt, *value;
};

struct cc_preset {
    const char *name;
    const char *about;
    const struct cc_ops *ops;
    const struct cc_setting *settings; /* NULL, or ends with an opt of NULL */
    int64_t line_bps;                  /* link rate for which its rate steps are scaled; 0: any */
};

extern const struct cc_preset cc_list[]; /* ends with a name of NULL */

const struct cc_preset *cc_find(const char *name);

/* Sets the algorithm's parameters to the preset's values. */
void cc_presets(const struct cc_preset *preset, void *params);

/* Whether two names stand for the same algorithm with the same values. */
bool cc_is_same(const struct cc_preset *a, const struct cc_preset *b);

#endif
