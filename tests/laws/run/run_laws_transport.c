/* SPDX-License-Identifier: Apache-2.0
 * run_laws_transport - reliable connections, from the frames that leave hosts and reach them.
 * Requester
 *   - its first PSN is the one that connecting settled; new PSNs follow each other without a gap
 *   - what is sent again is the same packet, and nothing that was answered
 *   - it goes back for a reason: a NAK, a lost READ response, or the time of its ACK timer
 *   - no more often without progress than it has retries, and gives up only after that; not before
 *     an RNR wait is over
 * Responder
 *   - acknowledges what reached it, and that only; a NAK names the packet that is missing, an RNR
 *     NAK one that came and was refused
 *   - one NAK for each gap, and no gap without
 *   - READ responses are of READs that reached it
 * Where frames that reach a host may be lost or wait in it (software, slow hosts, links that fail),
 * only what is true of all that could have reached it is held against it; likewise with go-back-0,
 * whose messages begin again.  With selective repeat, what is acknowledged has come, and so has
 * what a NAK says has.  Source: IBTA Vol 1 9.7. */
#include "tests/laws/run/run_laws_flow.h"

#include "base/memory.h"
#include "rnic/host/rnic.h"
#include "rnic/psn.h"
#include "rnic/qp/responder.h"

#include <stdlib.h>

enum { FLOWS = 2048, SLACK_PS = 8 };

struct run_laws_transport {
    struct run_laws_flow *flows[FLOWS];
    uint32_t count;
};

struct run_laws_transport *run_laws_transport_new(void)
{
    return memory_zeroed(1, sizeof(struct run_laws_transport));
}

void run_laws_transport_free(struct run_laws_transport *transport)
{
    for (uint32_t i = 0; i < transport->count; i++) {
        free(transport->flows[i]->sent);
        free(transport->flows[i]);
    }
    free(transport);
}

/* ------------------------------------------------------------------ flows */

static void add_flow(struct run_laws *laws, const struct run_laws_pair *pair, unsigned from)
{
    struct run_laws_transport *transport = laws->transport;
    if (transport->count == FLOWS)
        return;
    struct run_laws_flow *flow = memory_zeroed(1, sizeof *flow);
    const unsigned to = !from;
    *flow = (struct run_laws_flow){
        .from = pair->endpoint[from],
        .to = pair->endpoint[to],
        .qpn = pair->qpn[to],
        .back_qpn = pair->qpn[from],
        .mtu = pair->mtu,
        .retries = pair->retries,
        .rnr_retries = pair->rnr_retries[from],
        .timeout = pair->timeout[from],
        .exact = !laws->terms.software && !laws->terms.slow_hosts && !laws->terms.links_fail &&
                 !laws->terms.go_back_0 && !laws->terms.selective && !laws->terms.reacts &&
                 !laws->terms.refuses,
        .next = pair->psn[from],
        .high = pair->psn[from],
        .una = pair->psn[from],
        .newest = pair->psn[from],
        .arrivals = {.base = pair->psn[from], .epsn = pair->psn[from]},
        .sent = memory_zeroed(RUN_LAWS_SENT, sizeof(struct run_laws_sent)),
    };
    transport->flows[transport->count++] = flow;
}

void run_laws_transport_pair(struct run_laws *laws, const struct run_laws_pair *pair)
{
    for (unsigned from = 0; from < 2; from++)
        add_flow(laws, pair, from);
}

/* Queue pair numbers come again after long: the newest, while it is certain to be known. */
static uint32_t known(const struct run_laws_transport *transport)
{
    return transport->count < FLOWS ? transport->count : 0;
}

static struct run_laws_flow *flow_to(const struct run_laws *laws, uint32_t from, uint32_t to,
                                     uint32_t qpn)
{
    const struct run_laws_transport *transport = laws->transport;
    for (uint32_t i = known(transport); i-- > 0;) {
        struct run_laws_flow *flow = transport->flows[i];
        if (flow->qpn == qpn && flow->to == to && flow->from == from)
            return flow;
    }
    return NULL;
}

/* Whose answers go to that queue pair. */
static struct run_laws_flow *flow_of_answer(const struct run_laws *laws, uint32_t from, uint32_t to,
                                            uint32_t qpn)
{
    const struct run_laws_transport *transport = laws->transport;
    for (uint32_t i = known(transport); i-- > 0;) {
        struct run_laws_flow *flow = transport->flows[i];
        if (flow->back_qpn == qpn && flow->from == to && flow->to == from)
            return flow;
    }
    return NULL;
}

/* ------------------------------------------------------------------ requester */

static bool ends_message(uint8_t opcode)
{
    switch (opcode) {
    case FRAME_RC_SEND_FIRST:
    case FRAME_RC_SEND_MIDDLE:
    case FRAME_RC_WRITE_FIRST:
    case FRAME_RC_WRITE_MIDDLE:
        return false;
    default:
        return true;
    }
}

static void remember(struct run_laws_flow *flow, const struct frame *frame, uint32_t count)
{
    flow->messages += ends_message(frame->opcode);
    for (uint32_t i = 0; i < count && i < RUN_LAWS_SENT; i++) {
        struct run_laws_sent *sent = &flow->sent[psn_add(frame->psn, i) % RUN_LAWS_SENT];
        *sent = (struct run_laws_sent){
            .psn = psn_add(frame->psn, i),
            .first_psn = frame->psn,
            .address = frame->address,
            .length = frame->length,
            .content = frame->content,
            .msn = flow->messages & PSN_MASK,
            .payload = frame->payload,
            .opcode = frame->opcode,
            .known = true,
        };
    }
}

static void check_same(struct run_laws *laws, const struct run_laws_flow *flow,
                       const struct frame *frame)
{
    const struct run_laws_sent *sent = run_laws_sent_at(flow, frame->psn);
    if (sent == NULL)
        return;
    bool same = sent->opcode == frame->opcode && sent->payload == frame->payload &&
                sent->content == frame->content;
    if (frame->opcode == FRAME_RC_READ_REQUEST) {
        const uint32_t skipped = (uint32_t)psn_diff(frame->psn, sent->first_psn) * flow->mtu;
        same = sent->opcode == frame->opcode && frame->address == sent->address + skipped &&
               (frame->length == sent->length - skipped ||
                (laws->terms.selective && frame->length < sent->length - skipped));
    }
    if (!same)
        RUN_LAWS_BREAK(laws, flow, frame->psn, "what is sent again is another packet");
}

static time_ps timeout_of(const struct run_laws_flow *flow)
{
    return flow->timeout == 0 ? TIME_NEVER / 4 : (time_ps)4096000 << flow->timeout;
}

/* The timer begins anew at `from`; until now it may have run out some times. */
static void restart(struct run_laws_flow *flow, time_ps from, time_ps now)
{
    if (flow->una != flow->high && now > flow->restarted)
        flow->expiries += (uint64_t)((now + SLACK_PS - flow->restarted) / timeout_of(flow));
    flow->restarted = from;
}

/* What it answers may be behind what its host sends with another priority. */
static bool waits_its_turn(const struct run_laws *laws, const struct run_laws_flow *flow)
{
    bool waits = false;
    for (unsigned i = 0; i < RUN_LAWS_PRIORITIES; i++)
        waits |= i != flow->priority && laws->left[flow->to][i] >= flow->gap_at;
    return waits;
}

/* From the newest it goes back to an older one. */
static void check_goes_back(struct run_laws *laws, struct run_laws_flow *flow, uint32_t psn,
                            time_ps now)
{
    const bool timer = now + SLACK_PS - flow->restarted >= timeout_of(flow);
    if (flow->exact && !timer && flow->reasons == 0 && flow->rnr_reasons == 0)
        RUN_LAWS_BREAK(laws, flow, psn, "goes back without a reason");
    flow->tries += flow->reasons > 0 || flow->rnr_reasons == 0;
    /* One of them may have been for what was answered before it had its turn. */
    if (flow->exact && flow->tries > flow->retries + 1u)
        RUN_LAWS_BREAK(laws, flow, psn, "goes back more often than it has retries");
    if (flow->exact && timer && flow->reasons == 0 && flow->gap_at > 0 && !flow->is_naked &&
        laws->edges == 0 && !waits_its_turn(laws, flow)) /* no pause holds it up */
        RUN_LAWS_BREAK(laws, flow, psn, "is missing, later ones came, and no NAK was sent");
    flow->reasons = flow->rnr_reasons = 0;
    if (timer) /* when it ran out, which may be long before the packet has its turn */
        restart(flow, flow->restarted + timeout_of(flow), flow->restarted + timeout_of(flow));
}

static void on_request(struct run_laws *laws, struct run_laws_flow *flow, const struct frame *frame,
                       time_ps now)
{
    const uint32_t psn = frame->psn, count = run_laws_psns_of(flow, frame);
    if (psn_diff(psn_add(psn, count), flow->una) >
        RUN_LAWS_SENT) /* of large READs less is remembered */
        flow->exact = false;
    if (psn_diff(psn, flow->high) > 0)
        RUN_LAWS_BREAK(laws, flow, psn, "leaves PSNs out");
    /* What comes just now comes too late. */
    const bool knows = flow->exact && now > flow->reported_at + SLACK_PS;
    if (knows && psn_diff(psn, flow->una) < 0)
        RUN_LAWS_BREAK(laws, flow, psn, "is sent again after it was answered");
    if (knows && flow->rnr_tries > flow->rnr_retries)
        RUN_LAWS_BREAK(laws, flow, psn,
                       "is sent, and the receiver was waited for as often as may be");
    if (knows && !flow->read && now + SLACK_PS < flow->rnr_until)
        RUN_LAWS_BREAK(laws, flow, psn, "is sent before the receiver is to be ready");
    if (flow->una == flow->high)
        restart(flow, now, now);
    const int32_t ahead = psn_diff(psn, flow->next);
    if (ahead < 0)
        check_goes_back(laws, flow, psn, now);
    else if (ahead > 0 && knows && psn != flow->una)
        RUN_LAWS_BREAK(laws, flow, psn, "leaves out what was to be sent again");
    if (psn_diff(psn, flow->high) < 0)
        check_same(laws, flow, frame);
    else
        remember(flow, frame, count);
    flow->read |= frame->opcode == FRAME_RC_READ_REQUEST;
    flow->next = psn_add(psn, count);
    if (psn_diff(flow->next, flow->high) > 0)
        flow->high = flow->next;
}

/* The timer may have run out before: then it goes back, when it has its turn. */
static void advance(struct run_laws_flow *flow, uint32_t una, time_ps now)
{
    if (psn_diff(una, flow->una) <= 0 || psn_diff(una, flow->high) > 0)
        return;
    flow->reasons += now + SLACK_PS - flow->restarted >= timeout_of(flow);
    restart(flow, now, now);
    flow->una = una;
    flow->reported_at = now;
    flow->tries = flow->rnr_tries = 0;
    if (psn_diff(flow->una, flow->next) > 0)
        flow->next = flow->una;
}

/* Up to the first READ that lacks a response. */
static uint32_t before_reads(const struct run_laws_flow *flow, uint32_t upto)
{
    for (uint32_t psn = flow->una; flow->read && psn != upto; psn = psn_add(psn, 1)) {
        const struct run_laws_sent *sent = run_laws_sent_at(flow, psn);
        if (sent != NULL && sent->opcode == FRAME_RC_READ_REQUEST)
            return psn;
    }
    return upto;
}

static void on_ack_came(struct run_laws_flow *flow, const struct frame *frame, time_ps now)
{
    const uint32_t syndrome = frame->aeth >> 24, psn = frame->psn;
    if (psn_diff(psn, flow->una) < 0 || psn_diff(psn, flow->high) >= 0)
        return;
    const bool positive = syndrome < RESPONDER_RNR;
    const uint32_t upto = positive ? psn_add(psn, 1) : psn;
    const uint32_t reach = before_reads(flow, upto);
    advance(flow, reach, now);
    if (reach != upto) {
        flow->reasons++; /* a response was lost */
    } else if (syndrome == RESPONDER_NAK_SEQUENCE) {
        flow->reasons++;
    } else if (!positive && syndrome < RESPONDER_NAK_SEQUENCE) {
        flow->rnr_reasons++;
        flow->reported_at = now;
        flow->rnr_until = now + qp_rnr_time(syndrome & 0x1F);
        restart(flow, flow->rnr_until, now);
        flow->rnr_tries += flow->rnr_retries != 7;
    }
}

static void on_response_came(struct run_laws_flow *flow, const struct frame *frame, time_ps now)
{
    const uint32_t psn = frame->psn;
    if (psn_diff(psn, flow->una) < 0 || psn_diff(psn, flow->high) >= 0)
        return;
    const uint32_t reach = before_reads(flow, psn);
    advance(flow, reach, now);
    if (reach == psn)
        advance(flow, psn_add(psn, 1), now);
    else
        flow->reasons++;
}

/* ------------------------------------------------------------------ frames */

void run_laws_transport_came(struct run_laws *laws, const struct frame *frame, time_ps now)
{
    struct run_laws_flow *flow;
    if (run_laws_is_request(frame->opcode)) {
        flow = flow_to(laws, frame->source, frame->destination, frame->qpn);
        if (flow != NULL)
            run_laws_responder_came(flow, frame, now);
    } else if ((flow = flow_of_answer(laws, frame->source, frame->destination, frame->qpn)) !=
               NULL) {
        if (frame->opcode == FRAME_RC_ACKNOWLEDGE)
            on_ack_came(flow, frame, now);
        else if (run_laws_is_response(frame->opcode))
            on_response_came(flow, frame, now);
    }
}

void run_laws_transport_leaves(struct run_laws *laws, const struct frame *frame, time_ps now)
{
    struct run_laws_flow *flow;
    if (run_laws_is_request(frame->opcode)) {
        flow = flow_to(laws, frame->source, frame->destination, frame->qpn);
        if (flow != NULL)
            on_request(laws, flow, frame, now);
    } else if ((flow = flow_of_answer(laws, frame->source, frame->destination, frame->qpn)) !=
               NULL) {
        if (frame->opcode == FRAME_RC_ACKNOWLEDGE)
            run_laws_responder_answers(laws, flow, frame);
        else if (run_laws_is_response(frame->opcode))
            run_laws_responder_reads(laws, flow, frame);
    }
}

/* A host that loses what reached it: nothing exact is known of its flows any more. */
void run_laws_transport_lost(struct run_laws *laws, const struct probe_drop *drop)
{
    const struct scenario_node *node = &laws->scenario->nodes[drop->node];
    if (node->kind != SCENARIO_HOST || drop->cause == PROBE_DROP_CORRUPT ||
        drop->cause == PROBE_DROP_INJECTED || drop->cause == PROBE_DROP_MTU)
        return;
    for (uint32_t i = 0; i < laws->transport->count; i++) {
        struct run_laws_flow *flow = laws->transport->flows[i];
        if (flow->from - node->endpoint < node->port_count ||
            flow->to - node->endpoint < node->port_count)
            flow->exact = false;
    }
}

/* Whoever gives up has had half of its retries since the last progress: it went back, or has a
 * reason to, or the timer ran out while nothing could be sent, for pauses or for a low rate. */
void run_laws_transport_gave_up(struct run_laws *laws, uint32_t endpoint, uint32_t qpn, time_ps now)
{
    const struct run_laws_flow *flow = NULL;
    for (uint32_t i = 0; i < laws->transport->count; i++)
        if (laws->transport->flows[i]->back_qpn == qpn &&
            laws->transport->flows[i]->from == endpoint)
            flow = laws->transport->flows[i];
    if (flow == NULL || !flow->exact)
        return;
    const time_ps waited = now + SLACK_PS - flow->restarted;
    const uint64_t expiries = waited > 0 ? (uint64_t)(waited / timeout_of(flow)) : 0;
    if (flow->tries + flow->reasons + expiries < (flow->retries + 1u) / 2)
        RUN_LAWS_BREAK(laws, flow, flow->una, "is given up before half of the retries");
}

/* ------------------------------------------------------------------ the end */

/* No timer runs out that has not run. */
static void judge_timeouts(struct run_laws *laws, const struct rnic *rnic)
{
    const struct rnic_counters *counters = &rnic->counters;
    uint64_t expiries = 0;
    for (uint32_t i = 0; i < laws->transport->count; i++) {
        struct run_laws_flow *flow = laws->transport->flows[i];
        if (flow->from != rnic->endpoint)
            continue;
        if (!flow->exact)
            return;
        restart(flow, flow->restarted, laws->world->engine.now);
        expiries += flow->expiries;
    }
    if (counters->timeouts > expiries)
        run_laws_break(laws, "%s: %llu timeouts, and there was time for %llu",
                       rnic->port.node->name, (unsigned long long)counters->timeouts,
                       (unsigned long long)expiries);
}

void run_laws_transport_judge(struct run_laws *laws)
{
    const bool whole = !run_laws_path_overflows(laws) && laws->transport->count < FLOWS;
    uint64_t exceeded = 0;
    for (uint32_t i = 0; i < laws->scenario->endpoint_count; i++)
        exceeded += laws->world->rnics[i]->counters.retries_exceeded;
    if (exceeded != laws->gave_up)
        run_laws_break(laws, "%llu queue pairs gave up, and %llu said so",
                       (unsigned long long)exceeded, (unsigned long long)laws->gave_up);
    for (uint32_t i = 0; whole && i < laws->scenario->endpoint_count; i++)
        judge_timeouts(laws, laws->world->rnics[i]);
}
