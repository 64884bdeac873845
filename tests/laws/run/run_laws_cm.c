/* SPDX-License-Identifier: Apache-2.0
 * run_laws_cm - connection management, from its messages on wires.
 *   - a message is sent again no more often than cm-retries says, unchanged, and not after its
 *     answer; a REQ that comes again is answered by the same REP
 *   - each DREQ that came is answered, and each REP by an RTU
 *   - a connection that waits has a timer; the table of requests holds the passive ones
 * Source: IBTA Vol 1 ch. 12. */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"

#include <stdlib.h>
#include <string.h>

enum { TALKS = 4096, STILL_ON_WAY = 1, GENERATIONS = 256 };

/* One connection, by what its two sides say. */
struct talk {
    uint32_t endpoint[2], id[2]; /* active, passive */
    struct cm_mad req, rep;
    unsigned reqs, reps, rtus;                /* sent */
    unsigned reqs_came, reps_came, rtus_came; /* at the other side */
    unsigned reqs_after, reps_after;          /* sent after their answer had come */
    unsigned dreqs[2], dreqs_came[2], dreps[2], dreps_came[2]; /* by who asks */
    unsigned dreqs_after[2];
    bool answered, rejected;
    bool anew; /* by one that knows nothing of the answer before */
};

struct run_laws_cm {
    struct talk *talks;
    uint32_t count;
};

struct run_laws_cm *run_laws_cm_new(const struct run_laws *laws)
{
    (void)laws;
    struct run_laws_cm *cm = memory_zeroed(1, sizeof *cm);
    cm->talks = memory_zeroed(TALKS, sizeof *cm->talks);
    return cm;
}

void run_laws_cm_free(struct run_laws_cm *cm)
{
    free(cm->talks);
    free(cm);
}

/* ------------------------------------------------------------------ whose message it is */

static struct talk *talk_of_active(const struct run_laws_cm *cm, uint32_t active, uint32_t passive,
                                   uint32_t id)
{
    for (uint32_t i = cm->count; i-- > 0;) {
        struct talk *talk = &cm->talks[i];
        if (talk->endpoint[0] == active && talk->endpoint[1] == passive && talk->id[0] == id)
            return talk;
    }
    return NULL;
}

static struct talk *talk_of_passive(const struct run_laws_cm *cm, uint32_t passive, uint32_t active,
                                    uint32_t id)
{
    for (uint32_t i = cm->count; i-- > 0;) {
        struct talk *talk = &cm->talks[i];
        if (talk->answered && talk->endpoint[0] == active && talk->endpoint[1] == passive &&
            talk->id[1] == id)
            return talk;
    }
    return NULL;
}

/* By the identifier of the side that speaks; `side` is who it is. */
static struct talk *talk_of(const struct run_laws_cm *cm, uint32_t speaker, uint32_t other,
                            uint32_t local_id, unsigned *side)
{
    struct talk *talk = talk_of_active(cm, speaker, other, local_id);
    *side = talk == NULL;
    return talk != NULL ? talk : talk_of_passive(cm, speaker, other, local_id);
}

static int64_t retries_of(const struct run_laws *laws, uint32_t endpoint)
{
    return run_laws_rnic(laws, endpoint)->params.cm_retries;
}

#define BREAK(laws, talk, what)                                                                    \
    run_laws_break(laws, "connection 0x%08x of endpoint %u to %u: " what, (talk)->id[0],           \
                   (talk)->endpoint[0], (talk)->endpoint[1])

/* What reaches a host is known to it at once. */
static bool is_prompt(const struct run_laws *laws)
{
    return !laws->terms.software && !laws->terms.slow_hosts && !laws->terms.links_fail;
}

/* Nor does what a host says wait there for the end of a pause. */
static bool is_swift(const struct run_laws *laws)
{
    return is_prompt(laws) && laws->edges == 0;
}

/* ------------------------------------------------------------------ what is sent */

static void req_sent(struct run_laws *laws, uint32_t from, uint32_t to, const struct cm_mad *req)
{
    struct run_laws_cm *cm = laws->cm;
    struct talk *talk = talk_of_active(cm, from, to, req->local_id);
    if (talk == NULL || talk->req.tid != req->tid) {
        if (talk != NULL && cm->count < GENERATIONS)
            BREAK(laws, talk, "its identifier is another's too soon");
        if (cm->count == TALKS)
            return;
        talk = &cm->talks[cm->count++];
        *talk = (struct talk){.endpoint = {from, to}, .id = {req->local_id}, .req = *req};
    }
    if (req->qpn != talk->req.qpn || req->starting_psn != talk->req.starting_psn)
        BREAK(laws, talk, "another REQ under the same identifier");
    talk->reqs_after += talk->reps_came > 0 || talk->rejected;
    if (++talk->reqs > retries_of(laws, from) + 1)
        BREAK(laws, talk, "more REQs than there are retries");
    if (talk->reqs_after > STILL_ON_WAY && is_swift(laws))
        BREAK(laws, talk, "a REQ after its answer");
}

static void pair_up(struct run_laws *laws, const struct talk *talk)
{
    const struct run_laws_pair pair = {
        .endpoint = {talk->endpoint[0], talk->endpoint[1]},
        .qpn = {talk->req.qpn, talk->rep.qpn},
        /* With which its receiver begins: each says what it will receive first. */
        .psn = {talk->rep.starting_psn, talk->req.starting_psn},
        .retries = talk->req.retry_count,
        .rnr_retries = {talk->rep.rnr_retry, talk->req.rnr_retry},
        .timeout = {talk->req.ack_timeout,
                    rnic_accept_timeout(&run_laws_rnic(laws, talk->endpoint[1])->params,
                                        talk->req.ack_timeout)},
        .mtu = qp_mtu_bytes((enum ibv_mtu)talk->req.mtu),
    };
    run_laws_transport_pair(laws, &pair);
    run_laws_marks_pair(laws, &pair);
}

static void rep_sent(struct run_laws *laws, uint32_t from, uint32_t to, const struct cm_mad *rep)
{
    struct talk *talk = talk_of_active(laws->cm, to, from, rep->remote_id);
    if (talk == NULL || talk->reqs_came == 0) {
        run_laws_break(laws, "endpoint %u sends a REP to no REQ that came", from);
        return;
    }
    const bool anew =
        (laws->terms.crashes || !is_swift(laws)) && rep->local_id != talk->rep.local_id;
    if (!talk->answered || anew) { /* the one that had answered is no more */
        talk->anew = talk->answered;
        talk->answered = true;
        talk->id[1] = rep->local_id;
        talk->rep = *rep;
        pair_up(laws, talk);
    } else if (rep->local_id != talk->rep.local_id || rep->qpn != talk->rep.qpn ||
               rep->starting_psn != talk->rep.starting_psn) {
        BREAK(laws, talk, "two different REPs");
    }
    talk->reps_after += talk->rtus_came > 0;
    if (++talk->reps > retries_of(laws, from) + talk->reqs_came && is_swift(laws))
        BREAK(laws, talk, "more REPs than there are retries");
    if (talk->reps_after > talk->reqs_came + STILL_ON_WAY && is_swift(laws))
        BREAK(laws, talk, "a REP after its RTU");
}

static void dreq_sent(struct run_laws *laws, uint32_t from, uint32_t to, const struct cm_mad *dreq)
{
    unsigned side;
    struct talk *talk = talk_of(laws->cm, from, to, dreq->local_id, &side);
    if (talk == NULL)
        return;
    if (talk->id[!side] != dreq->remote_id && talk->answered && is_swift(laws))
        BREAK(laws, talk, "a DREQ for another connection");
    talk->dreqs_after[side] += talk->dreps_came[side] > 0;
    if (++talk->dreqs[side] > retries_of(laws, from) + 2)
        BREAK(laws, talk, "more DREQs than there are retries");
    if (talk->dreqs_after[side] > STILL_ON_WAY + 1 && is_swift(laws))
        BREAK(laws, talk, "a DREQ after its answer");
}

void run_laws_cm_sent(struct run_laws *laws, uint32_t from, uint32_t to, const struct cm_mad *mad,
                      time_ps now)
{
    struct talk *talk;
    unsigned side;
    (void)now;
    switch ((enum cm_attribute)mad->attribute) {
    case CM_REQ:
        req_sent(laws, from, to, mad);
        break;
    case CM_REP:
        rep_sent(laws, from, to, mad);
        break;
    case CM_RTU:
        talk = talk_of_active(laws->cm, from, to, mad->local_id);
        if (talk == NULL || talk->reps_came == 0)
            run_laws_break(laws, "endpoint %u sends an RTU to no REP that came", from);
        else
            talk->rtus++;
        break;
    case CM_DREQ:
        dreq_sent(laws, from, to, mad);
        break;
    case CM_DREP:
        talk = talk_of(laws->cm, to, from, mad->remote_id, &side);
        if (talk != NULL && ++talk->dreps[side] > talk->dreqs_came[side])
            BREAK(laws, talk, "a DREP to no DREQ that came");
        break;
    case CM_REJ:
        break;
    }
}

/* ------------------------------------------------------------------ what came */

void run_laws_cm_came(struct run_laws *laws, const struct run_laws_delivery *came)
{
    const uint32_t from = came->frame.source, to = came->frame.destination;
    const struct cm_mad *mad = &came->mad;
    unsigned side;
    struct talk *talk = mad->attribute == CM_DREP
                            ? talk_of(laws->cm, to, from, mad->remote_id, &side)
                            : talk_of(laws->cm, from, to, mad->local_id, &side);
    if (mad->attribute == CM_REP || mad->attribute == CM_REJ) /* maybe of one that is no more */
        talk = talk_of_active(laws->cm, to, from, mad->remote_id);
    if (mad->attribute == CM_REJ) {
        if (talk != NULL)
            talk->rejected = true;
        return;
    }
    if (talk == NULL)
        return;
    switch ((enum cm_attribute)mad->attribute) {
    case CM_REQ:
        talk->reqs_came++;
        break;
    case CM_REP:
        talk->reps_came++;
        break;
    case CM_RTU:
        talk->rtus_came++;
        break;
    case CM_DREQ:
        talk->dreqs_came[side]++;
        break;
    case CM_DREP:
        talk->dreps_came[side]++;
        break;
    case CM_REJ:
        break;
    }
}

/* ------------------------------------------------------------------ the end */

static void judge_conns(struct run_laws *laws, const struct rnic *rnic)
{
    const struct cm *cm = &rnic->cm;
    uint32_t passive = 0;
    for (uint32_t i = 0; i < cm->conns.used; i++) {
        const struct verbs_conn *conn = slab_at(&cm->conns, i);
        passive += conn->taken && conn->passive;
        if (!conn->taken || conn->destroyed)
            continue;
        const bool waits = conn->state == CM_REQ_SENT || conn->state == CM_REP_SENT ||
                           conn->state == CM_DREQ_SENT || conn->state >= CM_RESOLVING;
        if (waits && conn->timer.due == TIME_NEVER)
            run_laws_break(laws, "%s: a connection waits for an answer and no timer runs",
                           rnic->port.node->name);
        if (!waits && conn->timer.due != TIME_NEVER)
            run_laws_break(laws, "%s: a connection's timer runs for nothing",
                           rnic->port.node->name);
    }
    if (passive != cm->request_count)
        run_laws_break(laws, "%s: %u connections are passive, the table of requests holds %u",
                       rnic->port.node->name, passive, cm->request_count);
}

void run_laws_cm_judge(struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->scenario->endpoint_count; i++)
        judge_conns(laws, laws->world->rnics[i]);
    const bool exact = is_prompt(laws) && laws->causes[PROBE_DROP_RX_BUFFER] == 0 &&
                       laws->world->executors[0].frames.frames.taken == 0;
    for (uint32_t i = 0; exact && i < laws->cm->count; i++) {
        const struct talk *talk = &laws->cm->talks[i];
        if (talk->dreps[0] != talk->dreqs_came[0] || talk->dreps[1] != talk->dreqs_came[1])
            BREAK(laws, talk, "a DREQ without a DREP");
        /* Without the first RTU it may have been given up before; one answers all that come while
         * the queue pair is being made ready. */
        const bool at_once = laws->world->rnics[talk->endpoint[0]]->params.qp_modify_cost == 0;
        if (at_once && !talk->anew && talk->rtus > 0 && talk->reps_came > talk->rtus &&
            talk->dreqs[0] + talk->dreqs_came[1] == 0)
            BREAK(laws, talk, "a REP without an RTU");
    }
}
