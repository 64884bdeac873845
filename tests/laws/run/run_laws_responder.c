/* SPDX-License-Identifier: Apache-2.0
 * run_laws_responder - what a responder says, held against what reached it: the rules of
 * run_laws_transport.c. */
#include "tests/laws/run/run_laws_flow.h"

#include "rnic/host/rnic.h"
#include "rnic/qp/responder.h"

void run_laws_responder_came(struct run_laws_flow *flow, const struct frame *frame, time_ps now)
{
    const uint32_t end = psn_add(frame->psn, run_laws_psns_of(flow, frame));
    for (uint32_t psn = frame->psn; psn != end; psn = psn_add(psn, 1)) {
        struct run_laws_sent *sent = run_laws_sent_at(flow, psn);
        if (sent != NULL)
            sent->delivered = true;
    }
    if (psn_diff(end, flow->newest) > 0)
        flow->newest = end;
    const uint32_t before = flow->arrivals.epsn;
    const uint32_t epsn = run_laws_arrivals_add(&flow->arrivals, frame->psn, end);
    if (epsn != before)
        flow->is_naked = false, flow->gap_at = 0;
    if (flow->gap_at == 0 && psn_diff(frame->psn, epsn) > 0)
        flow->gap_at = now;
    flow->priority = frame->priority;
    if (frame->psn == epsn || frame->psn == flow->naked)
        flow->is_naked = false;
}

static void check_sack(struct run_laws *laws, const struct run_laws_flow *flow, uint32_t missing,
                       uint32_t came)
{
    const struct run_laws_sent *sent = run_laws_sent_at(flow, came);
    if (psn_diff(came, missing) <= 0 || (sent != NULL && !sent->delivered))
        RUN_LAWS_BREAK(laws, flow, came, "is said to have come early, and has not");
}

/* An answer counts the messages that are complete up to the PSN that it acknowledges, however long
 * it has waited for the wire: IBTA Vol 1 9.7.7. */
static void check_msn(struct run_laws *laws, const struct run_laws_flow *flow,
                      const struct frame *frame)
{
    const uint32_t syndrome = frame->aeth >> 24;
    const bool positive = syndrome < RESPONDER_RNR;
    if (!positive && syndrome > RESPONDER_NAK_SEQUENCE)
        return;
    const uint32_t psn = positive ? frame->psn : psn_add(frame->psn, PSN_MASK);
    const struct run_laws_sent *sent = run_laws_sent_at(flow, psn);
    if (sent != NULL && sent->msn != (frame->aeth & PSN_MASK))
        RUN_LAWS_BREAK(laws, flow, psn, "is acknowledged with the MSN of another");
}

void run_laws_responder_answers(struct run_laws *laws, struct run_laws_flow *flow,
                                const struct frame *frame)
{
    const uint32_t syndrome = frame->aeth >> 24, psn = frame->psn;
    const bool positive = syndrome < RESPONDER_RNR;
    const struct run_laws_sent *sent = run_laws_sent_at(flow, psn);
    const struct rnic_params *own = &run_laws_rnic(laws, flow->to)->params;
    if (laws->terms.selective && positive && sent != NULL && !sent->delivered)
        RUN_LAWS_BREAK(laws, flow, psn, "is acknowledged, and has not come");
    check_msn(laws, flow, frame);
    if ((frame->flags & FRAME_SACK) != 0)
        check_sack(laws, flow, psn, frame->rkey);
    if (laws->terms.selective)
        return;
    if (positive && psn_diff(psn, flow->arrivals.epsn) >= 0)
        RUN_LAWS_BREAK(laws, flow, psn, "is acknowledged, and has not come");
    if (!positive && syndrome < RESPONDER_NAK_SEQUENCE) {
        /* It waits behind other work, or is looked at again when the packet comes meanwhile. */
        const bool waits = !flow->exact || !own->ack_coalescing;
        if (!run_laws_arrivals_refuse(&flow->arrivals, psn, waits))
            RUN_LAWS_BREAK(laws, flow, psn, "is refused once more than it has come");
        flow->naked = psn;
        flow->is_naked = true;
    }
    if (syndrome != RESPONDER_NAK_SEQUENCE || laws->terms.go_back_0)
        return;
    if (psn_diff(psn, flow->arrivals.epsn) > 0)
        RUN_LAWS_BREAK(laws, flow, psn, "is missed, and something before it is missing");
    if (psn_diff(flow->newest, psn) <= 0)
        RUN_LAWS_BREAK(laws, flow, psn, "is missed, and nothing after it has come");
    /* Without coalescing what was said may wait for its turn, and the packet comes meanwhile. */
    if (flow->exact && own->ack_coalescing && psn != flow->arrivals.epsn)
        RUN_LAWS_BREAK(laws, flow, psn, "is missed, and has come");
    if (flow->exact && flow->is_naked && flow->naked == psn)
        RUN_LAWS_BREAK(laws, flow, psn, "is missed twice");
    flow->is_naked = true;
    flow->naked = psn;
}

void run_laws_responder_reads(struct run_laws *laws, const struct run_laws_flow *flow,
                              const struct frame *frame)
{
    const struct run_laws_sent *sent = run_laws_sent_at(flow, frame->psn);
    if (sent == NULL)
        return;
    if (sent->opcode != FRAME_RC_READ_REQUEST || !sent->delivered) {
        RUN_LAWS_BREAK(laws, flow, frame->psn, "a response to no READ that has come");
        return;
    }
    const uint32_t before = (uint32_t)psn_diff(frame->psn, sent->first_psn) * flow->mtu;
    const uint32_t left = sent->length - before;
    if (frame->payload != (left < flow->mtu ? left : flow->mtu))
        RUN_LAWS_BREAK(laws, flow, frame->psn, "a response of another size than was asked for");
}
