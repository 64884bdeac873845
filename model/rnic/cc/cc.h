/* SPDX-License-Identifier: Apache-2.0
 * cc - congestion control, a plug-in: one file and one line in cc.def.
 *
 * An algorithm answers what a queue pair hears of the network (a CNP, an ACK with its round-trip
 * time, ECN echo and telemetry, a NAK, bytes that have left, a timer of its own) with a rate and a
 * window.  The pacer holds the queue pair to both: no algorithm knows of frames that wait, of debts
 * or of wake-ups.
 *
 * Contract.
 *   Hooks     each may be NULL: then nothing is done for it, and nothing is kept.
 *   Flow      a hook is handed a struct cc_flow that says what is in force now, and writes into it
 *             what is to be from now on; `state` is its own, all else is only read.
 *   Units     bits per second, bytes of frames from Ethernet header to FCS, picoseconds.
 *   Limits    rate_bps in 1 .. line_bps; at line_bps the limit ends after the next frame, and
 *             with it the calls of on_sent and on_timer, until a hook sets a lower rate.
 *             A packet of a SEND or WRITE may leave while less than the window is not
 *             acknowledged: one may always be under way, so that no window stands still, and only
 *             a lower rate spaces packets further apart.  A window is above 0.
 *             READ responses, which nobody acknowledges, are held to the rate of an algorithm
 *             without on_ack, and to nothing by one with it: what that says is of requests, and
 *             without them it would never hear that it may go on.
 *   Cost      a queue pair that was never limited costs nothing.  Who has on_ack asks for an ACK
 *             with each packet, keeps when it was sent, and has its state in memory of its own; its
 *             RNIC's frames take the general path.  The others pay nothing for it.
 *   ACKs      are heard of in order, each newly acknowledged byte once.  An ACK may stand for
 *             several packets, and be lost.  What was sent again has no round-trip time; what was
 *             given up after a timeout and turns out to have arrived is not reported.
 *   Time      is handed in and never runs back.  No events: the pacer calls on_timer when it next
 *             looks, as if at its time, and on a copy of the state to foresee when a debt is paid.
 *             So a hook depends on nothing but its arguments, and touches nothing else.
 *   Errors    none: parameters are checked as rows, and a hook cannot fail.
 *   Determinism  integers only; no memory of its own, no random numbers, no global state.
 *   Owner     the state lies in the queue pair, or in memory that it owns; zeroed before init. */
#ifndef STORMGLASS_RNIC_CC_CC_H
#define STORMGLASS_RNIC_CC_CC_H

#include "base/opt.h"
#include "base/units.h"

#include <stdbool.h>

enum {
    CC_STATE_BYTES = 40,      /* of an algorithm without on_ack */
    CC_ACK_STATE_BYTES = 512, /* of one with it */
    CC_PARAMS_MAX = 256
};

#define CC_NO_WINDOW UINT64_MAX

struct cc_ops;
struct telemetry;

/* What all queue pairs of an RNIC share. */
struct cc_site {
    const struct cc_ops *ops;
    uint64_t line_bps;
    const void *params; /* as the rows of the algorithm fill them */
};

/* A queue pair, as its algorithm sees it. */
struct cc_flow {
    const struct cc_site *site;
    void *state;
    uint64_t rate_bps;  /* frames leave no faster than this, preamble and gap included */
    time_ps timer;      /* on_timer is called then; TIME_NEVER: not at all */
    int64_t bytes_left; /* on_sent is called when so many bytes more have left, less than 1 then */
    uint64_t window;    /* bytes; CC_NO_WINDOW; without on_ack there is none */
    uint32_t packet_bytes; /* of a full packet of the queue pair; with on_ack */
};

/* What an ACK says. */
struct cc_ack {
    uint32_t bytes, packets;           /* newly acknowledged */
    uint64_t acked;                    /* bytes, in all */
    uint64_t sent;                     /* bytes, in all: those acknowledged and those under way */
    time_ps rtt;                       /* of the packet that it answers; 0: not known */
    uint8_t hops;                      /* switches on its path, by its time to live */
    bool ecn_echo;                     /* a packet since the last ACK was marked */
    const struct telemetry *telemetry; /* of the packet that it answers; NULL: none */
};

/* Why packets are sent again. */
enum cc_nak {
    CC_NAK_SEQUENCE, /* one was lost: the receiver says so, or a READ response that is missing */
    CC_NAK_RNR,      /* the receiver had nothing posted: no matter of the network */
    CC_NAK_TIMEOUT   /* nothing was heard */
};

/* For reports, as of the moment that was asked for. */
struct cc_view {
    uint64_t rate_bps, target_bps;
    uint64_t alpha_ppm;
};

struct cc_ops {
    const char *name;
    const char *about;
    const char *source;
    const struct opt *opts;
    size_t params_bytes;
    size_t state_bytes;   /* at most CC_STATE_BYTES, with on_ack CC_ACK_STATE_BYTES */
    bool wants_ecn;       /* data is sent as ECT(0) */
    bool echoes_ecn;      /* at the receiver: ACKs echo marks (with on_ack) */
    bool wants_telemetry; /* SENDs and WRITEs collect it from switches, ACKs return it (with on_ack)
                           */

    /* At the notification point: least time between two CNPs of one queue pair.  NULL: marked
     * packets are answered with none. */
    time_ps (*cnp_interval)(const void *params);

    /* True: the gap behind a frame is that of the rate at which it left, whatever becomes of the
     * rate meanwhile.  NULL: a gap goes by the rate of each moment. */
    bool (*gap_is_fixed)(const void *params);

    /* Both: the rate is the line's, nothing is timed or counted unless it says so. */
    void (*init)(struct cc_flow *flow);
    void (*on_cnp)(struct cc_flow *flow, time_ps now);

    void (*on_ack)(struct cc_flow *flow, const struct cc_ack *ack, time_ps now);

    /* Before anything is sent again.  What the NAK acknowledges the next ACK tells of. */
    void (*on_nak)(struct cc_flow *flow, enum cc_nak why, time_ps now);

    /* Must set bytes_left anew. */
    void (*on_sent)(struct cc_flow *flow, time_ps now);

    /* flow->timer is due, at or before `until`, and is to be moved on; where that no longer changes
     * the rate, beyond `until` at once. */
    void (*on_timer)(struct cc_flow *flow, time_ps until);

    /* Of a copy whose timer is caught up; the view already has the rate, as target too. */
    void (*observe)(struct cc_flow *flow, time_ps now, struct cc_view *view);

    /* What holds between two events, of a queue pair that is limited or has a window; NULL: no more
     * than of every algorithm.  Its timer may be due: nobody has looked since. */
    void (*audit)(const struct cc_flow *flow, time_ps now);
};

/* A name that a scenario may give: an algorithm, or one with other defaults. */
struct cc_setting {
    const char *opt, *value;
};

struct cc_preset {
    const char *name;
    const char *about;
    const struct cc_ops *ops;
    const struct cc_setting *settings; /* NULL, or ended by an opt of NULL */
    int64_t line_bps; /* of the link that its rate steps are scaled for; 0: any */
};

extern const struct cc_preset cc_list[]; /* ended by a name of NULL */

const struct cc_preset *cc_find(const char *name);

/* Sets the parameters of the algorithm to the preset's values. */
void cc_presets(const struct cc_preset *preset, void *params);

/* Two names of one algorithm with the same values. */
bool cc_is_same(const struct cc_preset *a, const struct cc_preset *b);

#endif
