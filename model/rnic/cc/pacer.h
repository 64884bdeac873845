/* SPDX-License-Identifier: Apache-2.0
 * pacer - holds a queue pair to the rate and the window that its congestion control sets.
 * A fluid account: a frame adds its bits to the debt, time pays it at the current rate, and sending
 * waits until it is paid.  Where the algorithm's timer falls into the wait, the rest is paid at the
 * rate that the timer will make, so the wait is exact piece by piece.  Up to one maximum frame of
 * credit is kept while others hold the wire; without it, two queue pairs at half the line rate
 * would not fill it.
 * Where the algorithm wants a gap that is fixed when a frame leaves, the debt is taken as paid, as
 * of the end of the gap, before the rate changes.
 * The window and what is under way in it are the flight's, which only a queue pair has whose
 * algorithm hears of ACKs.
 * Units:   debt 10^-12 bit, so that rate x picoseconds is exact.
 * Owner:   the queue pair.  Clock: now is passed in.  No events: what is said of the next frame
 * holds until a frame leaves or the algorithm hears of something. */
#ifndef STORMGLASS_RNIC_CC_PACER_H
#define STORMGLASS_RNIC_CC_PACER_H

#include "rnic/cc/flight.h"

#include <assert.h>
#include <stdalign.h>

/* Instead of the next frame's time: the queue pair sends at line rate, as if there were no
 * congestion control. */
#define PACER_UNLIMITED ((time_ps)-1)

struct pacer {
    /* what a frame that leaves touches */
    uint64_t rate;
    time_ps timer;      /* as struct cc_flow has them */
    int64_t bytes_left; /* likewise */
    int64_t debt;       /* what was sent and not yet paid for by time; negative: credit */
    time_ps debt_at;    /* the debt is as of then, in future only of a gap that is fixed;
                         * TIME_NEVER: there is none, nor a limit */

    union { /* the algorithm's state, or where it is */
        alignas(8) unsigned char state[CC_STATE_BYTES];
        struct flight *flight; /* of one with on_ack */
    };
};

#define PACER_DEBT_PER_BIT PS_PER_S
/* The largest RoCE frame with its gap. */
#define PACER_CREDIT_MAX (INT64_C(4200) * 8 * PACER_DEBT_PER_BIT)
#define PACER_WIRE_GAP   20 /* preamble 8 and gap 12, IEEE 802.3: what the wire carries counts */

/* Of a queue pair whose full packets have so many bytes. */
void pacer_init(struct pacer *pacer, const struct cc_site *site, uint32_t packet_bytes);
void pacer_fini(struct pacer *pacer, const struct cc_site *site);

/* Of one without a limit: it has one from now on.  When the next frame may leave. */
static inline time_ps pacer_begin(struct pacer *pacer, time_ps now)
{
    pacer->debt = 0;
    pacer->debt_at = now;
    return now;
}

/* A CNP has come, of which the algorithm wants to know: when the next frame may leave, at or before
 * now: at once. */
time_ps pacer_on_cnp(struct pacer *pacer, const struct cc_site *site, time_ps now);

/* An ACK has come, or one is overdue or refused, of a queue pair that has a flight: likewise, or
 * PACER_UNLIMITED.  What the flight says of it is filled in. */
time_ps pacer_on_ack(struct pacer *pacer, const struct cc_site *site, struct cc_ack *ack,
                     time_ps now);
time_ps pacer_on_nak(struct pacer *pacer, const struct cc_site *site, enum cc_nak why, time_ps now);

/* What the algorithm's state must be between two events. */
void pacer_audit(const struct pacer *pacer, const struct cc_site *site, time_ps now);

/* What reports say of it. */
struct cc_view pacer_view(const struct pacer *pacer, const struct cc_site *site, time_ps now);

/* ------------------------------------------------------------------ a frame that leaves */

static inline bool pacer_is_limited(const struct pacer *pacer)
{
    return pacer->debt_at != TIME_NEVER;
}

static inline bool pacer_gap_is_fixed(const struct cc_site *site)
{
    return site->ops->gap_is_fixed != NULL && site->ops->gap_is_fixed(site->params);
}

/* Time pays the debt at the current rate. */
static inline void pacer_pay(struct pacer *pacer, time_ps until)
{
    const uint64_t owed = (uint64_t)(pacer->debt + PACER_CREDIT_MAX);
    uint64_t paid;
    if (UNLIKELY(__builtin_mul_overflow(pacer->rate, (uint64_t)(until - pacer->debt_at), &paid) ||
                 paid >= owed))
        pacer->debt = -PACER_CREDIT_MAX;
    else
        pacer->debt -= (int64_t)paid;
    pacer->debt_at = until;
}

/* When the debt is paid, as long as the rate is what it is. */
static inline time_ps pacer_paid_at(const struct pacer *pacer)
{
    if (pacer->debt <= 0)
        return pacer->debt_at;
    return pacer->debt_at + (time_ps)(((uint64_t)pacer->debt + pacer->rate - 1) / pacer->rate);
}

/* When the debt is paid, where the algorithm's timer falls into the wait and changes the rate. */
time_ps pacer_paid_later(const struct pacer *pacer, const struct cc_site *site);

/* Of a pacer that is caught up. */
static inline time_ps pacer_next(const struct pacer *pacer, const struct cc_site *site)
{
    const time_ps paid = pacer_paid_at(pacer);
    return LIKELY(paid < pacer->timer) ? paid : pacer_paid_later(pacer, site);
}

static inline void pacer_owe(struct pacer *pacer, uint32_t bytes, time_ps now)
{
    pacer_pay(pacer, now);
    pacer->debt += (int64_t)(bytes + PACER_WIRE_GAP) * 8 * PACER_DEBT_PER_BIT;
    pacer->bytes_left -= bytes;
}

static inline time_ps pacer_after_frame(struct pacer *pacer, const struct cc_site *site)
{
    if (LIKELY(pacer->rate < site->line_bps))
        return pacer_next(pacer, site);
    pacer->debt_at = TIME_NEVER;
    return PACER_UNLIMITED;
}

/* pacer_sent where the algorithm's timer or its count of bytes falls due. */
time_ps pacer_sent_due(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                       time_ps now);

/* A frame of `bytes` of a limited queue pair has left: when the next may, at or before now: at
 * once; or PACER_UNLIMITED. */
static inline time_ps pacer_sent(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                                 time_ps now)
{
    if (UNLIKELY(pacer->timer <= now || pacer->bytes_left <= bytes))
        return pacer_sent_due(pacer, site, bytes, now);
    pacer_owe(pacer, bytes, now);
    return pacer_after_frame(pacer, site);
}

#endif
