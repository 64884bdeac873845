/* SPDX-License-Identifier: Apache-2.0
 * reaction - delays of a card in handling a loss. */
#include "rnic/qp/reaction.h"

#include "base/memory.h"
#include "rnic/host/arbiter.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"

#include <stdlib.h>
#include <string.h>

bool reaction_is_wanted(const struct rnic *rnic)
{
    const struct rnic_params *params = &rnic->params;
    return (params->nak_delay > 0 || params->retransmit_delay > 0 || params->adaptive != 0) &&
           !rnic->recovery->selective && !params->soft.software;
}

static struct reaction *reaction_of(const struct rnic *rnic, const struct qp *qp)
{
    return (qp->flags & QP_REACTS) == 0 ? NULL : rnic->reactions[rnic_qp_index(rnic, qp)];
}

static bool adapts(const struct rnic *rnic, const struct qp *qp)
{
    return rnic->params.adaptive != 0 && qp->ack_timeout > 0;
}

static time_ps first_timeout(const struct rnic *rnic, const struct qp *qp)
{
    return time_earlier(rnic->params.adaptive_timeout, qp_ack_timeout(qp));
}

/* ------------------------------------------------------------------ creation and end */

void reaction_begin(struct rnic *rnic, struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    if (index >= rnic->reaction_room) {
        const uint32_t room = rnic->qp_mask + 1;
        struct reaction **grown = memory_zeroed(room, sizeof *grown);
        if (rnic->reaction_room > 0)
            memcpy(grown, rnic->reactions, rnic->reaction_room * sizeof *grown);
        free(rnic->reactions);
        rnic->reactions = grown;
        rnic->reaction_room = room;
    }
    struct reaction *own = memory_new(sizeof *own);
    *own = (struct reaction){.nak_at = TIME_NEVER, .retransmit_at = TIME_NEVER};
    rnic->reactions[index] = own;
    qp->flags |= QP_REACTS;
    if (adapts(rnic, qp))
        qp->timeout = first_timeout(rnic, qp);
}

void reaction_drop(struct rnic *rnic, struct qp *qp)
{
    struct reaction *own = reaction_of(rnic, qp);
    own->nak_at = own->retransmit_at = TIME_NEVER;
}

void reaction_end(struct rnic *rnic, struct qp *qp)
{
    const uint32_t index = rnic_qp_index(rnic, qp);
    free(rnic->reactions[index]);
    rnic->reactions[index] = NULL;
}

void reaction_fini(struct rnic *rnic)
{
    for (uint32_t i = 0; i < rnic->reaction_room; i++)
        free(rnic->reactions[i]);
    free(rnic->reactions);
}

/* ------------------------------------------------------------------ NAKs */

bool reaction_delays_nak(struct rnic *rnic, struct qp *qp, uint32_t missing, time_ps now)
{
    struct reaction *own = reaction_of(rnic, qp);
    if (own == NULL || rnic->params.nak_delay == 0)
        return false;
    own->nak_at = now + rnic->params.nak_delay;
    own->nak_psn = missing;
    rnic_post(rnic, own->nak_at, RNIC_EVENT_REACTION, qp->qpn);
    return true;
}

void reaction_caught_up(const struct rnic *rnic, const struct qp *qp)
{
    reaction_of(rnic, qp)->nak_at = TIME_NEVER;
}

bool reaction_delays_retransmission(struct rnic *rnic, struct qp *qp, uint32_t psn, time_ps now)
{
    struct reaction *own = reaction_of(rnic, qp);
    if (own == NULL || rnic->params.retransmit_delay == 0)
        return false;
    own->retransmit_at = now + rnic->params.retransmit_delay;
    own->retransmit_psn = psn;
    rnic_post(rnic, own->retransmit_at, RNIC_EVENT_REACTION, qp->qpn);
    return true;
}

void reaction_on_event(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct reaction *own = reaction_of(rnic, qp);
    if (own == NULL || qp->state != IBV_QPS_RTS)
        return;
    if (own->nak_at == now) {
        own->nak_at = TIME_NEVER;
        responder_nak(rnic, qp, own->nak_psn);
    }
    if (own->retransmit_at != now)
        return;
    own->retransmit_at = TIME_NEVER;
    if (own->retransmit_psn == qp->una_psn && qp_outstanding(qp))
        requester_retry(rnic, qp, qp->una_psn, now);
}

/* ------------------------------------------------------------------ timers */

void reaction_progressed(struct rnic *rnic, struct qp *qp)
{
    struct reaction *own = reaction_of(rnic, qp);
    if (own->waited == 0)
        return;
    own->waited = 0;
    own->tries = 0;
    qp->timeout = first_timeout(rnic, qp);
    qp->timeout_pending = false; /* the pending event is too late, so an earlier one is posted */
}

void reaction_timer_posted(struct rnic *rnic, struct qp *qp, time_ps at)
{
    reaction_of(rnic, qp)->timer_at = at;
}

bool reaction_timer_is_stale(const struct rnic *rnic, const struct qp *qp, time_ps now)
{
    return !qp->timeout_pending || reaction_of(rnic, qp)->timer_at != now;
}

static void lengthen(const struct rnic *rnic, struct qp *qp, struct reaction *own)
{
    own->waited += qp->timeout;
    if (++own->tries < rnic->params.adaptive_tries)
        return;
    own->tries = 0;
    qp->timeout = time_earlier(2 * qp->timeout, qp_ack_timeout(qp));
}

bool reaction_on_timeout(struct rnic *rnic, struct qp *qp, time_ps now)
{
    struct reaction *own = reaction_of(rnic, qp);
    own->retransmit_at = TIME_NEVER;
    if (!adapts(rnic, qp))
        return false;
    lengthen(rnic, qp, own);
    if (own->waited >= qp_ack_timeout(qp) * qp->retry_count)
        requester_give_up(rnic, qp, now);
    else
        requester_again(rnic, qp, qp->una_psn, now);
    return true;
}

void reaction_audit(const struct rnic *rnic, const struct qp *qp)
{
    const struct reaction *own = reaction_of(rnic, qp);
    const time_ps now = rnic_now(rnic);
    CHECK(own->nak_at >= now && own->retransmit_at >= now);
    CHECK(qp->timeout <= qp_ack_timeout(qp));
    CHECK(!adapts(rnic, qp) || qp->timeout >= first_timeout(rnic, qp));
    CHECK(!adapts(rnic, qp) || own->waited > 0 || qp->timeout == first_timeout(rnic, qp));
    CHECK(!qp_outstanding(qp) || qp->timeout == 0 || own->timer_at >= now);
}
