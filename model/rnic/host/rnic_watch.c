/* SPDX-License-Identifier: Apache-2.0
 * rnic_watch - maps states of a queue pair to reasons for waiting. */
#include "rnic/host/rnic_watch.h"

#include "rnic/host/arbiter.h"
#include "rnic/pipeline/pipeline.h"
#include "rnic/qp/requester.h"
#include "rnic/qp/responder.h"

static struct probe_flow flow_from(const struct rnic *rnic, const struct qp *qp)
{
    return (struct probe_flow){rnic->endpoint, qp->qpn, qp->flow.destination, qp->flow.qpn};
}

static struct probe_flow flow_to(const struct rnic *rnic, const struct qp *qp)
{
    return (struct probe_flow){qp->flow.destination, qp->flow.qpn, rnic->endpoint, qp->qpn};
}

NOINLINE void rnic_watch_report_work(const struct rnic *rnic, const struct qp *qp,
                                     enum probe_work_kind kind, unsigned operation, bool good,
                                     time_ps now)
{
    const struct probe *probe = rnic->env->probe;
    const bool peers = kind == PROBE_WORK_ASKED || kind == PROBE_WORK_TAKEN;
    if (probe->work == NULL)
        return;
    const struct probe_work work = {
        .at = now,
        .heard_at = rnic->soft != NULL ? now : now + rnic->params.rx_delay,
        .flow = peers ? flow_to(rnic, qp) : flow_from(rnic, qp),
        .psn = psn_add(qp->una_psn, PSN_MASK),
        .kind = (uint8_t)kind,
        .operation = (uint8_t)operation,
        .good = good,
        .by_interrupt = rnic->cqs != NULL,
    };
    probe->work(probe->self, &work);
}

/* What a queue pair that may send is waiting for. */
static enum probe_hold_state sending_state(const struct rnic *rnic, const struct qp *qp,
                                           time_ps now)
{
    static const uint8_t states[] = {
        [PIPELINE_FREE] = PROBE_HOLD_WIRE,
        [PIPELINE_ENGINE] = PROBE_HOLD_ENGINE,
        [PIPELINE_PCIE] = PROBE_HOLD_PCIE,
    };
    if ((qp->flags & QP_SOFT) != 0)
        return PROBE_HOLD_SOFTWARE;
    return rnic->pipeline == NULL ? PROBE_HOLD_WIRE
                                  : (enum probe_hold_state)states[pipeline_holds(rnic, now)];
}

/* For a requester that has something to send. */
static enum probe_hold_state request_state(const struct rnic *rnic, const struct qp *qp,
                                           time_ps now)
{
    if (!requester_ready(qp))
        return PROBE_HOLD_WINDOW;
    if ((qp->flags & QP_RNR_WAIT) != 0 && qp->rnr_until > now)
        return PROBE_HOLD_RNR;
    if ((qp->flags & QP_FULL) != 0 || qp->paced_until > now ||
        ((qp->flags & QP_FLIGHT) != 0 && qp->pacer.flight->paced_until > now))
        return PROBE_HOLD_CONGESTION;
    return sending_state(rnic, qp, now);
}

static enum probe_hold_state response_state(const struct rnic *rnic, const struct qp *qp,
                                            time_ps now)
{
    if (qp->paced_until > now)
        return PROBE_HOLD_CONGESTION;
    return (qp->flags & QP_SOFT) == 0 && responder_due(qp) > now ? PROBE_HOLD_RNIC
                                                                 : sending_state(rnic, qp, now);
}

static bool may_go(enum probe_hold_state state)
{
    return state == PROBE_HOLD_WIRE || state >= PROBE_HOLD_SOFTWARE;
}

/* Of requester and responder, the state of the one that may send, else the requester's. */
static enum probe_hold_state state_of(const struct rnic *rnic, const struct qp *qp, time_ps now)
{
    const bool request = qp->sq_cur != qp->sq_visible || (qp->flags & QP_TX_ACTIVE) != 0;
    const bool respond = (qp->flags & QP_RESPOND) != 0;
    if (!request && !respond)
        return rnic->pipeline != NULL && pipeline_waits(rnic, qp) ? PROBE_HOLD_ENGINE
                                                                  : PROBE_HOLD_NOTHING;
    const enum probe_hold_state response =
        respond ? response_state(rnic, qp, now) : PROBE_HOLD_NOTHING;
    if (!request || may_go(response))
        return response;
    return request_state(rnic, qp, now);
}

NOINLINE void rnic_watch_report_hold(const struct rnic *rnic, struct qp *qp, time_ps now)
{
    const struct probe *probe = rnic->env->probe;
    if (probe->hold == NULL)
        return;
    const uint8_t state = (uint8_t)state_of(rnic, qp, now);
    if (state == qp->reported_hold)
        return;
    qp->reported_hold = state & 0x7Fu;
    const struct probe_hold hold = {.at = now, .flow = flow_from(rnic, qp), .state = state};
    probe->hold(probe->self, &hold);
}
