/* SPDX-License-Identifier: Apache-2.0
 * run_laws_marks - congestion notification, from the marked frames that reach hosts.
 *   - only what its sender's algorithm wants marked is marked, and by switches
 *   - a CNP answers a mark of its queue pair: there are no more than marks, nor than one each
 *     cnp-interval since the first
 *   - a queue pair whose packets were marked hears of it, where nothing keeps marks or CNPs away
 *   - a host has heard of no more CNPs than have reached it
 * Source: Zhu et al., SIGCOMM 2015, 3.1; RFC 3168. */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "rnic/host/lag.h"
#include "tcp/tcp.h"

#include <stdlib.h>

enum { PAIRS = 4096 };

/* Packets one way; the CNPs go the other. */
struct marked {
    uint32_t from, to, qpn, back_qpn; /* endpoints; QPN at `to`, and at `from` */
    uint64_t marks, cnps;
    uint64_t unsure; /* marks for one that had gone when it was looked for */
    time_ps first;
};

struct run_laws_marks {
    struct marked list[PAIRS];
    uint32_t count;
    uint64_t came[RUN_LAWS_NODES]; /* CNPs, by endpoint */
    bool lossy[RUN_LAWS_NODES];    /* a host that lost what had reached it, by endpoint */
    bool whole;                    /* all pairs are known */
};

struct run_laws_marks *run_laws_marks_new(void)
{
    struct run_laws_marks *marks = memory_zeroed(1, sizeof *marks);
    marks->whole = true;
    return marks;
}

void run_laws_marks_free(struct run_laws_marks *marks)
{
    free(marks);
}

void run_laws_marks_pair(struct run_laws *laws, const struct run_laws_pair *pair)
{
    struct run_laws_marks *marks = laws->marks;
    marks->whole &= marks->count + 2 <= PAIRS;
    for (unsigned from = 0; from < 2 && marks->whole; from++)
        marks->list[marks->count++] = (struct marked){
            .from = pair->endpoint[from],
            .to = pair->endpoint[!from],
            .qpn = pair->qpn[!from],
            .back_qpn = pair->qpn[from],
        };
}

static const struct cc_ops *algorithm(const struct run_laws *laws, uint32_t endpoint)
{
    return run_laws_rnic(laws, endpoint)->cc_site.ops;
}

/* TIME_NEVER: none are sent. */
static time_ps interval(const struct run_laws *laws, uint32_t endpoint)
{
    const struct cc_site *site = &run_laws_rnic(laws, endpoint)->cc_site;
    return site->ops->cnp_interval == NULL ? TIME_NEVER : site->ops->cnp_interval(site->params);
}

/* The newest: queue pair numbers come again after long. */
static struct marked *find(const struct run_laws *laws, uint32_t from, uint32_t to, uint32_t qpn)
{
    for (uint32_t i = laws->marks->count; i-- > 0;) {
        struct marked *marked = &laws->marks->list[i];
        if (marked->qpn == qpn && marked->from == from && marked->to == to)
            return marked;
    }
    return NULL;
}

static struct marked *find_back(const struct run_laws *laws, const struct frame *cnp)
{
    for (uint32_t i = laws->marks->count; i-- > 0;) {
        struct marked *marked = &laws->marks->list[i];
        if (marked->back_qpn == cnp->qpn && marked->from == cnp->destination &&
            marked->to == cnp->source)
            return marked;
    }
    return NULL;
}

/* Of a queue pair that is not there yet, or no more, nobody hears; of a frame that waits in a
 * receive buffer it is not known yet. */
static bool is_taken(const struct run_laws *laws, const struct frame *frame)
{
    struct rnic *rnic = run_laws_rnic(laws, frame->destination);
    if (laws->terms.slow_hosts)
        return true;
    const struct qp *qp =
        rnic == NULL ? NULL : rnic_find_qp(lag_owner(rnic, frame->qpn), frame->qpn);
    return qp != NULL && (qp->state == IBV_QPS_RTR || qp->state == IBV_QPS_RTS) &&
           qp->flow.destination == frame->source;
}

static bool tcp_wants_ecn(const struct tcp_params *params)
{
    return params->ecn != TCP_ECN_OFF || tcp_cc_list[params->congestion_control]->wants_ecn;
}

/* Whether the sender may mark this packet as ECN-capable (ECT). */
static bool wants_ecn(const struct run_laws *laws, const struct frame *frame)
{
    if (frame->opcode != FRAME_TCP)
        return algorithm(laws, frame->source)->wants_ecn;
    for (uint32_t i = 0; i < laws->scenario->host_count; i++) {
        const struct scenario_node *node = &laws->scenario->nodes[i];
        if (frame->source >= node->endpoint && frame->source - node->endpoint < node->port_count)
            return tcp_wants_ecn(node->host->tcp);
    }
    return false;
}

void run_laws_marks_came(struct run_laws *laws, const struct frame *frame, time_ps now)
{
    if (frame->opcode == FRAME_CNP && frame->destination < RUN_LAWS_NODES)
        laws->marks->came[frame->destination]++;
    if ((frame->tos & ECN_CE) != ECN_CE)
        return;
    if (!wants_ecn(laws, frame))
        run_laws_break(laws, "a packet of endpoint %u is marked, which wants none to be",
                       frame->source);
    struct marked *marked = find(laws, frame->source, frame->destination, frame->qpn);
    if (marked == NULL)
        return;
    if (marked->marks + marked->unsure == 0)
        marked->first = now;
    if (is_taken(laws, frame))
        marked->marks++;
    else
        marked->unsure++;
}

void run_laws_marks_leaves(struct run_laws *laws, const struct frame *frame, time_ps now)
{
    if ((frame->tos & ECN_CE) == ECN_CE)
        run_laws_break(laws, "a packet leaves endpoint %u marked", frame->source);
    struct marked *marked = frame->opcode == FRAME_CNP ? find_back(laws, frame) : NULL;
    if (marked == NULL)
        return;
    const time_ps apart = interval(laws, marked->to);
    marked->cnps++;
    if (marked->cnps > marked->marks + marked->unsure)
        run_laws_break(laws, "QP 0x%06x of endpoint %u: a CNP to it, and no mark of its packets",
                       marked->back_qpn, marked->from);
    if (apart > 0 && (time_ps)(marked->cnps - 1) > (now - marked->first) / apart)
        run_laws_break(laws, "QP 0x%06x of endpoint %u: CNPs to it sooner than each interval",
                       marked->back_qpn, marked->from);
}

void run_laws_marks_lost(struct run_laws *laws, const struct probe_drop *drop)
{
    const struct scenario_node *node = &laws->scenario->nodes[drop->node];
    for (uint32_t i = 0; node->kind == SCENARIO_HOST && i < node->port_count; i++)
        laws->marks->lossy[(node->endpoint + i) % RUN_LAWS_NODES] = true;
}

/* By all members of a link aggregate, whose address the first has. */
static uint64_t cnps_handled(const struct rnic *rnic)
{
    uint64_t sum = rnic->lag == NULL ? rnic->counters.cnps_handled : 0;
    for (uint32_t i = 0; rnic->lag != NULL && rnic->lag->members[0] == rnic && i < rnic->lag->count;
         i++)
        sum += rnic->lag->members[i]->counters.cnps_handled;
    return sum;
}

void run_laws_marks_judge(struct run_laws *laws)
{
    const struct run_laws_marks *marks = laws->marks;
    const struct run_laws_terms *terms = &laws->terms;
    const bool told = laws->closing && laws->over && !terms->links_fail && !terms->crashes &&
                      !terms->software && !terms->slow_hosts;
    if (!marks->whole || run_laws_path_overflows(laws))
        return;
    for (uint32_t i = 0; told && i < marks->count; i++) {
        const struct marked *marked = &marks->list[i];
        const bool heard = marked->cnps > 0 || marks->lossy[marked->to % RUN_LAWS_NODES];
        if (marked->marks > 0 && !heard && interval(laws, marked->to) != TIME_NEVER)
            run_laws_break(laws, "QP 0x%06x of endpoint %u: marked, and hears of nothing",
                           marked->back_qpn, marked->from);
    }
    for (uint32_t endpoint = 0; endpoint < laws->scenario->endpoint_count; endpoint++) {
        const struct rnic *rnic = laws->world->rnics[endpoint];
        const uint64_t handled = cnps_handled(rnic);
        run_laws_path_take(laws, rnic->port.node->id, laws->world->engine.now);
        if (endpoint < RUN_LAWS_NODES && handled > marks->came[endpoint])
            run_laws_break(laws, "endpoint %u handled %llu CNPs, and %llu came", endpoint,
                           (unsigned long long)handled, (unsigned long long)marks->came[endpoint]);
    }
}
