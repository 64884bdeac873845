/* SPDX-License-Identifier: Apache-2.0
 * notification - CNPs, or BECN in ACKs. */
#include "rnic/host/notification.h"

#include "rnic/host/arbiter.h"
#include "rnic/qp/packet.h"

void notification_send(struct rnic *rnic, struct qp *qp, const struct frame *marked, time_ps now)
{
    const bool in_ack = rnic->becn_in_acks && !packet_is_response(marked);
    rnic->counters.ecn_marked++;
    if (in_ack || rnic->cc_site.ops->echoes_ecn)
        qp->rx_flags |= QP_RX_MARKED;
    if (in_ack || rnic_only_counts_mark(rnic, qp, now))
        return;
    const struct packet_class class = {rnic->cnp_priority, rnic->cnp_tos};
    struct frame *frame;
    const uint32_t handle = packet_start(rnic, qp, FRAME_CNP, class, &frame);
    frame->bytes = packet_bytes(qp, FRAME_CNP, 0);
    frame->psn = 0;
    frame->flags = FRAME_BECN;
    qp->cnp_next = now + rnic->cnp_interval;
    rnic->counters.cnps_sent++;
    rnic_send_control(rnic, handle);
}

void notification_becn(struct rnic *rnic, struct qp *qp, time_ps now)
{
    if (rnic->cc_site.ops->on_cnp != NULL)
        arbiter_limit(qp, pacer_on_cnp(&qp->pacer, &rnic->cc_site, now));
}
