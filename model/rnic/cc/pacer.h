/* SPDX-License-Identifier: Apache-2.0
 * pacer - limits a queue pair to the rate and the window of its congestion control.
 * A fluid model: a frame adds its bits to the debt, time pays the debt at the current rate, and the
 * next frame waits until it is paid. When the algorithm's timer expires during the wait, the rest
 * is paid at the new rate, so the wait is exact. Up to one maximum frame of credit is kept while
 * others use the wire; otherwise two queue pairs at half the line rate could not fill it. For an
 * algorithm whose gap is fixed when a frame leaves, the debt counts as paid at the end of the gap,
 * before the rate changes. The window and the outstanding bytes are in the flight, which exists
 * only for algorithms that process ACKs.
 * Units: debt 10^-12 bit, so that rate x picoseconds is exact. Owner: the queue pair. Clock: now is
 * passed in. No events: the time of the next frame is valid until a frame leaves or the algorithm
 * gets a signal. */
#ifndef STORMGLASS_RNIC_CC_PACER_H
#define STORMGLASS_RNIC_CC_PACER_H

#include "rnic/cc/flight.h"

#include <assert.h>
#include <stdalign.h>

/* Returned instead of the next frame's time: the queue pair sends at line rate, without limit. */
#define PACER_UNLIMITED ((time_ps)-1)

struct pacer {
    /* touched by each departing frame */
    uint64_t rate;
    time_ps timer;      /* as in struct cc_flow */
    int64_t bytes_left; /* as in struct cc_flow */
    int64_t debt;       /* sent but not paid yet; negative: credit */
    time_ps debt_at;    /* time of `debt`, in the future only for a fixed gap; TIME_NEVER: no
                         * debt and no limit */

    union { /* the algorithm's state or a pointer to it */
        alignas(8) unsigned char state[CC_STATE_BYTES];
        struct flight *flight; /* for an algorithm with on_ack */
    };
};

#define PACER_DEBT_PER_BIT PS_PER_S
/* The largest RoCE frame, including its gap. */
#define PACER_CREDIT_MAX (INT64_C(4200) * 8 * PACER_DEBT_PER_BIT)
#define PACER_WIRE_GAP   20 /* preamble 8 and gap 12, IEEE 802.3: they count as well */

/* packet_bytes: size of the queue pair's full packets. */
void pacer_init(struct pacer *pacer, const struct cc_site *site, uint32_t packet_bytes);
void pacer_fini(struct pacer *pacer, const struct cc_site *site);

/* Begins limiting an unlimited queue pair; returns when the next frame may leave. */
static inline time_ps pacer_begin(struct pacer *pacer, time_ps now)
{
    pacer->debt = 0;
    pacer->debt_at = now;
    return now;
}

/* Reports a CNP to an algorithm that has on_cnp; returns when the next frame may leave, at or
 * before now: at once. */
time_ps pacer_on_cnp(struct pacer *pacer, const struct cc_site *site, time_ps now);

/* Reports an ACK, or a NAK or timeout, for a queue pair with a flight; returns as above, or
 * PACER_UNLIMITED. The ACK's byte counts are filled in from the flight. */
time_ps pacer_on_ack(struct pacer *pacer, const struct cc_site *site, struct cc_ack *ack,
                     time_ps now);
time_ps pacer_on_nak(struct pacer *pacer, const struct cc_site *site, enum cc_nak why, time_ps now);

/* CHECKs the algorithm's state between two events. */
void pacer_audit(const struct pacer *pacer, const struct cc_site *site, time_ps now);

/* State for reports. */
struct cc_view pacer_view(const struct pacer *pacer, const struct cc_site *site, time_ps now);

/* ------------------------------------------------------------------ a departing frame */

static inline bool pacer_is_limited(const struct pacer *pacer)
{
    return pacer->debt_at != TIME_NEVER;
}

static inline bool pacer_gap_is_fixed(const struct cc_site *site)
{
    return site->ops->gap_is_fixed != NULL && site->ops->gap_is_fixed(site->params);
}

/* Pays the debt at the current rate up to `until`. */
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

/* When the debt is paid at the current rate. */
static inline time_ps pacer_paid_at(const struct pacer *pacer)
{
    if (pacer->debt <= 0)
        return pacer->debt_at;
    return pacer->debt_at + (time_ps)(((uint64_t)pacer->debt + pacer->rate - 1) / pacer->rate);
}

/* When the debt is paid, if the algorithm's timer changes the rate before. */
time_ps pacer_paid_later(const struct pacer *pacer, const struct cc_site *site);

/* For a pacer that is up to date. */
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

/* pacer_sent when the algorithm's timer or byte count is due. */
time_ps pacer_sent_due(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                       time_ps now);

/* A frame of `bytes` of a limited queue pair has left; returns when the next one may, at or before
 * now: at once; or PACER_UNLIMITED. */
static inline time_ps pacer_sent(struct pacer *pacer, const struct cc_site *site, uint32_t bytes,
                                 time_ps now)
{
    if (UNLIKELY(pacer->timer <= now || pacer->bytes_left <= bytes))
        return pacer_sent_due(pacer, site, bytes, now);
    pacer_owe(pacer, bytes, now);
    return pacer_after_frame(pacer, site);
}

#endif
