/* SPDX-License-Identifier: Apache-2.0
 * rnic_flight - connects queue pairs, their flights and their pacers. */
#include "rnic/host/rnic_flight.h"

#include "rnic/qp/packet.h"
#include "rnic/qp/selective.h"

static void update_full_flag(struct rnic *rnic, struct qp *qp)
{
    qp->flags &= (uint16_t)~QP_FULL;
    if (flight_is_full(qp->pacer.flight) ||
        ((qp->flags & QP_SELECTIVE) != 0 && selective_is_full(rnic, qp)))
        qp->flags |= QP_FULL;
}

/* Applies the pacer's result for the next request. */
static void pace(struct rnic *rnic, struct qp *qp, time_ps until)
{
    qp->pacer.flight->paced_until = until;
    qp->flags &= (uint16_t)~QP_LIMITED;
    if (until != PACER_UNLIMITED)
        qp->flags |= QP_LIMITED;
    update_full_flag(rnic, qp);
}

void rnic_flight_begin(struct rnic *rnic, struct qp *qp, time_ps now)
{
    pacer_fini(&qp->pacer, &rnic->cc_site); /* the packet size is only known now */
    pacer_init(&qp->pacer, &rnic->cc_site, qp->data.bytes);
    const bool limited = qp->pacer.rate < rnic->cc_site.line_bps;
    qp->flags |= QP_FLIGHT;
    pace(rnic, qp, limited ? pacer_begin(&qp->pacer, now) : PACER_UNLIMITED);
}

void rnic_flight_sent(struct rnic *rnic, struct qp *qp, struct frame *frame, time_ps now)
{
    if (rnic->cc_site.ops->wants_telemetry) {
        frame->flags |= FRAME_TELEMETRY;
        frame->bytes += TELEMETRY_BYTES;
        telemetry_clear(frame_telemetry(rnic->port.frames, frame));
    }
    const bool again = (frame->flags & FRAME_RESENT) != 0;
    flight_sent(qp->pacer.flight, frame->psn, frame->bytes, again, now);
    update_full_flag(rnic, qp);
}

void rnic_flight_charge(struct rnic *rnic, struct qp *qp, const struct frame *frame, time_ps now)
{
    if (!packet_is_response(frame))
        pace(rnic, qp, pacer_sent(&qp->pacer, &rnic->cc_site, frame->bytes, now));
}

void rnic_flight_landed(struct rnic *rnic, struct qp *qp)
{
    flight_acknowledge(qp->pacer.flight, qp->una_psn);
    update_full_flag(rnic, qp);
}

void rnic_flight_back(struct rnic *rnic, struct qp *qp)
{
    flight_go_back(qp->pacer.flight, qp->next_psn);
    update_full_flag(rnic, qp);
}

/* Computes the hops from the TTL, assuming that the peer uses the same initial TTL. */
void rnic_flight_acknowledged(struct rnic *rnic, struct qp *qp, const struct frame *frame,
                              time_ps now)
{
    struct cc_ack ack = {
        .rtt = flight_rtt(qp->pacer.flight, frame->psn, now),
        .hops = (uint8_t)(frame->ttl < rnic->ttl ? rnic->ttl - frame->ttl : 0),
        .ecn_echo = (frame->flags & FRAME_BECN) != 0,
    };
    if ((frame->flags & FRAME_TELEMETRY) != 0)
        ack.telemetry = frame_telemetry(rnic->port.frames, frame);
    pace(rnic, qp, pacer_on_ack(&qp->pacer, &rnic->cc_site, &ack, now));
}

void rnic_flight_refused(struct rnic *rnic, struct qp *qp, enum cc_nak why, time_ps now)
{
    pace(rnic, qp, pacer_on_nak(&qp->pacer, &rnic->cc_site, why, now));
}
