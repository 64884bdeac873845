/* SPDX-License-Identifier: Apache-2.0
 * run_laws_end - what is left when a run is over.
 *   - what entered a cable left it, or was lost on it: frames and bytes; the same of a switch
 *   - all is at rest again, as it was in the beginning: memory, pauses, frames
 *   - what is issued is completed, failed or under way; once all faults are over, nothing is under
 *     way: everything alive completes or fails
 *   - without loss nothing is missed and nothing sent again; what is to be lossless is
 *   - nothing is faster than light and wires: no command */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"
#include "net/port/credits.h"
#include "rnic/host/rnic.h"
#include "scenarios/data/fault.h"

#include <stdlib.h>

/* ------------------------------------------------------------------ frames and bytes */

/* Updates and primitives of a link with credits, which do not go beyond it. */
static struct run_laws_loss credits_of_link(const struct port *port, bool received)
{
    struct run_laws_loss sum = {0};
    for (int i = 0; port->credits != NULL && i < PRIORITIES; i++)
        sum.frames +=
            received ? port->credits->lanes[i].updates_rx : port->credits->lanes[i].updates_tx;
    if (port->credits != NULL)
        sum.bytes = sum.frames * port_credits_bytes(port);
    return sum;
}

static struct run_laws_loss sent_by(const struct port *port)
{
    struct run_laws_loss sum = {0};
    for (int i = 0; i < PRIORITIES; i++) {
        sum.frames += port->prios[i].tx_frames;
        sum.bytes += port->prios[i].tx_bytes;
    }
    return sum;
}

static struct run_laws_loss taken_by(const struct port *port)
{
    struct run_laws_loss sum = credits_of_link(port, true);
    sum.frames += port->pfc_frames_rx;
    sum.bytes += port->pfc_frames_rx * WIRE_PFC_BYTES;
    for (int i = 0; i < PRIORITIES; i++) {
        sum.frames += port->prios[i].rx_frames;
        sum.bytes += port->prios[i].rx_bytes;
    }
    return sum;
}

/* Both directions together: a port that drops does not say in which one. */
static void check_cable(struct run_laws *laws, const struct scenario_link *link)
{
    struct run_laws_loss in = {0}, out = {0};
    for (int end = 0; end < 2; end++) {
        const struct port *port = world_port(laws->world, link->node[end], link->port[end]);
        const struct run_laws_loss *lost =
            &laws->on_cable[run_laws_slot(link->node[end], link->port[end])];
        in.frames += sent_by(port).frames;
        in.bytes += sent_by(port).bytes;
        out.frames += taken_by(port).frames + lost->frames;
        out.bytes += taken_by(port).bytes + lost->bytes;
    }
    if (in.frames != out.frames || in.bytes != out.bytes)
        run_laws_break(laws, "%s: %llu frames went in and %llu came out", link->name,
                       (unsigned long long)in.frames, (unsigned long long)out.frames);
}

static void check_switch(struct run_laws *laws, const struct swtch *swtch)
{
    uint64_t in = 0, out = laws->in_switch[swtch->node.id].frames;
    for (uint16_t p = 0; p < swtch->port_count; p++) {
        const struct port *port = &swtch->ports[p];
        in += taken_by(port).frames - port->pfc_frames_rx - credits_of_link(port, true).frames;
        out += sent_by(port).frames - port->pfc_frames_tx - credits_of_link(port, false).frames;
    }
    if (in != out)
        run_laws_break(laws, "%s: %llu frames went in and %llu came out", swtch->node.name,
                       (unsigned long long)in, (unsigned long long)out);
}

/* ------------------------------------------------------------------ rest */

static void check_memory(struct run_laws *laws, const struct swtch *swtch)
{
    const struct buffer *buffer = &swtch->buffer;
    bool rests = buffer->used == 0 && buffer->headroom_used == 0 && buffer->egress.used == 0;
    for (unsigned i = 0; i < 2; i++)
        rests = rests && buffer->pools[i].shared_used == 0 && !buffer->pools[i].tight;
    for (uint32_t i = 0; i < buffer->group_count; i++) {
        const struct buffer_group *group = &buffer->groups[i];
        rests = rests && group->used == 0 && group->headroom_used == 0 && !group->xoff;
        if (!buffer->egress.tight)
            rests = rests && group->ample == group->ample_at_ease;
    }
    if (!rests)
        run_laws_break(laws, "%s: it is empty, and its memory is not as it was", swtch->node.name);
}

static void check_port(struct run_laws *laws, const char *name, const struct port *port)
{
    if ((port->asserted | port->wanted | port->paused | port->held | port->pfc_due | port->ready) !=
        0)
        run_laws_break(laws, "%s port %u: all has ended, and a pause has not", name, port->index);
    for (unsigned i = 0; i < PRIORITIES; i++)
        if (port->prios[i].bytes != 0 || port->prios[i].cells != 0)
            run_laws_break(laws, "%s port %u: its queue is not empty", name, port->index);
}

static void check_rest(struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        check_memory(laws, swtch);
        for (uint16_t p = 0; p < swtch->port_count; p++)
            check_port(laws, swtch->node.name, &swtch->ports[p]);
    }
    for (uint32_t i = 0; i < world->scenario->endpoint_count; i++) {
        const struct rnic *rnic = world->rnics[i];
        check_port(laws, rnic->port.node->name, &rnic->port);
        if (rnic->rx.held != 0 || rnic->rx.over)
            run_laws_break(laws, "%s: its receive buffer is not empty", rnic->port.node->name);
    }
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        if (world->executors[0].frames.blobs[i].taken != 0)
            run_laws_break(laws, "%u pieces of payload belong to no frame",
                           world->executors[0].frames.blobs[i].taken);
}

static bool is_stuck(const struct world *world)
{
    for (uint32_t i = 0; i < world->deadlocks.count; i++)
        if (world->deadlocks.found[i].gone == TIME_NEVER)
            return true;
    return false;
}

/* Nothing stands in the way of anything for ever. */
static bool is_alive(const struct run_laws *laws)
{
    return laws->over && !is_stuck(laws->world) && !laws->terms.slow_hosts && !laws->terms.software;
}

/* ------------------------------------------------------------------ operations */

/* No timer ends it, no path leads there, whatever is tried again, or it may be that slow. */
static bool waits_for_ever(const struct run_laws *laws)
{
    const struct scenario *scenario = laws->scenario;
    if (laws->causes[PROBE_DROP_MTU] + laws->causes[PROBE_DROP_TTL] +
            laws->causes[PROBE_DROP_NO_ROUTE] >
        0)
        return true;
    for (uint32_t i = 0; i < laws->world->workload_count; i++)
        if (laws->world->stats[i].reconnects > 1) /* what it does takes longer than it may */
            return true;
    if (run_laws_qp_is_slow(laws))
        return true;
    /* A lost segment of TCP waits for a timer of 200 ms or more (Linux tcp.h TCP_RTO_MIN), a lost
     * SYN for 1 s (TCP_TIMEOUT_INIT): longer than the drain of what is drawn. */
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (scenario->workloads[i].by_tcp)
            return true;
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct rnic_params *rnic = scenario->nodes[i].host->rnic;
        if (rnic->timeout == 0 || rnic->timeout > 12)
            return true;
        /* Swift's window falls to a packet in 1,000 round trips where its target is less than what
         * the path alone takes: it goes on, and nothing says within which time. */
        if (scenario->nodes[i].host->cc->on_ack != NULL)
            return true;
    }
    return false;
}

/* What a host sent is what a target takes. */
static void check_data(struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t i = 0; i < world->host_count; i++)
        if (world->targets[i] != NULL && nvme_target_stats(world->targets[i])->damaged > 0)
            run_laws_break(laws, "%s: %llu writes came as other data than was sent",
                           world->scenario->nodes[i].name,
                           (unsigned long long)nvme_target_stats(world->targets[i])->damaged);
}

static void check_operations(struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t i = 0; i < world->workload_count; i++) {
        const struct workload_stats *stats = &world->stats[i];
        const uint64_t left = world_outstanding(world, i);
        if (stats->issued != stats->completed + stats->failed + left)
            run_laws_break(laws, "%s: %llu issued, %llu completed, %llu failed, %llu under way",
                           stats->name, (unsigned long long)stats->issued,
                           (unsigned long long)stats->completed, (unsigned long long)stats->failed,
                           (unsigned long long)left);
        if (stats->corrupt > 0 && !laws->terms.data_lost)
            run_laws_break(laws, "%s: %llu reads returned what was not written", stats->name,
                           (unsigned long long)stats->corrupt);
        if (stats->latency.count > stats->completed)
            run_laws_break(laws, "%s: more latencies than operations", stats->name);
        if (left > 0 && is_alive(laws) && !waits_for_ever(laws)) {
            char text[160];
            world_describe(world, i, text, sizeof text);
            run_laws_break(laws, "%s: everything is alive, and %llu neither complete nor fail (%s)",
                           stats->name, (unsigned long long)left, text);
        }
    }
}

/* ------------------------------------------------------------------ loss */

struct sums {
    uint64_t retransmitted, naks, missed, duplicates, timeouts, rnr, implied;
};

static struct sums sum_up(const struct world *world)
{
    struct sums sums = {0};
    for (uint32_t i = 0; i < world->scenario->endpoint_count; i++) {
        const struct rnic_counters *counters = &world->rnics[i]->counters;
        sums.retransmitted += counters->retransmitted_packets;
        sums.naks += counters->naks + counters->naks_sent;
        sums.missed += counters->out_of_sequence;
        sums.duplicates += counters->duplicate_requests;
        sums.timeouts += counters->timeouts;
        sums.rnr += counters->rnr_naks_sent;
        sums.implied += counters->implied_naks;
    }
    return sums;
}

/* Frames of a flow may be lost, or come by another way than those before them. */
static bool ways_change(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct scenario_fault *fault = &scenario->faults[i];
        if ((fault->ops->breaks(fault->params) & FAULT_DISTURBS_FLOWS) != 0)
            return true;
    }
    return false;
}

static bool acks_overtake(const struct scenario *scenario)
{
    for (uint32_t i = 0; i < scenario->host_count; i++) {
        const struct rnic_params *rnic = scenario->nodes[i].host->rnic;
        if (rnic->ack_dscp != RNIC_AUTO || rnic->ack_priority != RNIC_AUTO)
            return true;
    }
    return false;
}

static void check_no_loss(struct run_laws *laws)
{
    uint64_t drops = 0;
    for (int i = 0; i < PROBE_DROP_CAUSE_COUNT; i++)
        drops += laws->causes[i];
    if (drops > 0 || ways_change(laws->scenario) || laws->terms.software ||
        acks_overtake(laws->scenario))
        return;
    const struct sums sums = sum_up(laws->world);
    if (sums.timeouts + sums.rnr == 0 &&
        sums.retransmitted + sums.naks + sums.missed + sums.duplicates + sums.implied > 0)
        run_laws_break(laws,
                       "nothing was lost: %llu packets sent again, %llu NAKs, %llu out of "
                       "sequence, %llu duplicates",
                       (unsigned long long)sums.retransmitted, (unsigned long long)sums.naks,
                       (unsigned long long)sums.missed, (unsigned long long)sums.duplicates);
}

/* Both ends of a cable speak of the same pauses, and in time. */
static bool agree(const struct world *world, const struct port *port)
{
    const struct port *peer = world_port(world, port->peer_node, port->peer_port);
    const time_ps quanta = port_quanta_ps(peer, (uint32_t)port->params.pfc_quanta);
    return port->params.flow_control == peer->params.flow_control &&
           port->params.flow_control != PORT_FLOW_NONE && port->enabled == UINT8_MAX &&
           peer->enabled == UINT8_MAX && port->rate.bps == peer->rate.bps &&
           port->params.pfc_refresh +
                   2 * units_transfer_ps((uint64_t)port->largest + 200, port->rate.bps) <
               quanta;
}

/* Everybody has the same priority for each DSCP. */
static bool classes_agree(const struct run_laws *laws)
{
    const struct world *world = laws->world;
    for (uint32_t s = 0; s < world->switch_count; s++)
        for (uint32_t h = 0; h < world->host_count; h++)
            for (unsigned dscp = 0; dscp < DSCPS; dscp++)
                if (world->switches[s]->priority_of_tos[dscp << 2] !=
                    world->hosts[h]->rnics[0]->priority_of_dscp[dscp])
                    return false;
    for (uint32_t i = 0; i < laws->scenario->workload_count; i++)
        if (laws->scenario->workloads[i].class.priority_set)
            return false;
    for (uint32_t i = 0; i < laws->scenario->host_count; i++) {
        const struct rnic_params *rnic = laws->scenario->nodes[i].host->rnic;
        if (rnic->ack_priority != RNIC_AUTO || rnic->cnp_priority != 6 || rnic->cnp_dscp != 48 ||
            rnic->soft.software || rnic->priority != rnic->dscp >> 3)
            return false;
    }
    return true;
}

static bool is_lossless(const struct run_laws *laws)
{
    const struct world *world = laws->world;
    if (!laws->terms.pauses_sound || laws->terms.watchdogs || !classes_agree(laws))
        return false;
    for (uint32_t i = 0; i < world->switch_count; i++) {
        const struct swtch *swtch = world->switches[i];
        const struct switch_params *params = &swtch->params;
        if (params->headroom != SWITCH_HEADROOM_AUTO ||
            params->headroom_pool != SWITCH_HEADROOM_POOL_NONE ||
            params->egress_limit != SWITCH_EGRESS_LIMIT_NONE ||
            params->smallest_frame > WIRE_LEAST_BYTES + 4)
            return false;
        for (uint16_t p = 0; p < swtch->port_count; p++)
            if (laws->scenario->nodes[swtch->node.id].ports[p].link != SCENARIO_NO_LINK &&
                !agree(world, &swtch->ports[p]))
                return false;
    }
    return true;
}

static void check_lossless(struct run_laws *laws)
{
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < laws->world->switch_count; i++)
        dropped += laws->world->switches[i]->counters.dropped_lossless;
    if (dropped > 0 && is_lossless(laws))
        run_laws_break(laws, "%llu frames of lossless classes were dropped",
                       (unsigned long long)dropped);
}

/* ------------------------------------------------------------------ light */

static time_ps *least(const struct run_laws *laws, uint32_t from, uint32_t to)
{
    return &laws->light[from * laws->scenario->node_count + to];
}

/* Floyd and Warshall: frames take whatever way, so the least of all. */
void run_laws_end_light(struct run_laws *laws)
{
    const struct scenario *scenario = laws->scenario;
    const uint32_t count = scenario->node_count;
    laws->light = memory_zeroed((size_t)count * count, sizeof *laws->light);
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            *least(laws, a, b) = a == b ? 0 : TIME_NEVER / 4;
    for (uint32_t i = 0; i < scenario->link_count; i++) {
        const struct scenario_link *link = &scenario->links[i];
        for (int end = 0; end < 2; end++) {
            const struct port *port = world_port(laws->world, link->node[end], link->port[end]);
            time_ps *known = least(laws, link->node[end], link->node[!end]);
            if (port->arrival_delay < *known)
                *known = port->arrival_delay;
        }
    }
    for (uint32_t via = 0; via < count; via++)
        for (uint32_t a = 0; a < count; a++)
            for (uint32_t b = 0; b < count; b++)
                if (*least(laws, a, via) + *least(laws, via, b) < *least(laws, a, b))
                    *least(laws, a, b) = *least(laws, a, via) + *least(laws, via, b);
}

time_ps run_laws_light(const struct run_laws *laws, uint32_t from, uint32_t to)
{
    return *least(laws, from, to);
}

uint32_t run_laws_node_of_ip(const struct run_laws *laws, uint32_t ip)
{
    for (uint32_t i = 0; i < laws->scenario->host_count; i++)
        if (ip - rnic_ip(laws->scenario->nodes[i].endpoint) < laws->scenario->nodes[i].port_count)
            return i;
    return UINT32_MAX;
}

void run_laws_end_io(struct run_laws *laws, const struct probe_host_io *io)
{
    const uint32_t host = run_laws_node_of_ip(laws, io->host_ip);
    const uint32_t target = run_laws_node_of_ip(laws, io->target_ip);
    if (host == UINT32_MAX || target == UINT32_MAX || io->status != 0)
        return;
    uint64_t fastest = 1; /* of its NICs */
    const time_ps light = *least(laws, host, target) + *least(laws, target, host);
    for (uint16_t p = 0; p < laws->scenario->nodes[host].port_count; p++) {
        const struct port *port = world_port(laws->world, host, p);
        fastest = port->rate.bps > fastest ? port->rate.bps : fastest;
    }
    const time_ps wire = run_laws_moves(io) ? units_transfer_ps(io->bytes, fastest) : 0;
    if (io->response_at - io->posted_at < light + wire)
        run_laws_break(laws,
                       "a command of %u B took %lld ps from %s to %s and back, and light %lld",
                       io->bytes, (long long)(io->response_at - io->posted_at),
                       laws->scenario->nodes[host].name, laws->scenario->nodes[target].name,
                       (long long)(light + wire));
    if (io->issued_at > io->posted_at || io->posted_at > io->response_at ||
        io->response_at > io->completed_at)
        run_laws_break(laws, "a command's moments are out of order");
}

/* A WRITE or SEND over iWARP completes once its bytes are in the send buffer. */
static void check_light(struct run_laws *laws, uint32_t number)
{
    const struct scenario_workload *workload = &laws->scenario->workloads[number];
    if (scenario_completes_early(workload))
        return;
    const struct hist *latency = &laws->world->stats[number].latency;
    time_ps bound = TIME_NEVER;
    for (uint32_t i = 0; i < workload->pair_count; i++) {
        const struct scenario_pair *pair = &workload->pairs[i];
        bound = time_earlier(bound, *least(laws, pair->from, pair->to) +
                                        *least(laws, pair->to, pair->from));
    }
    if (latency->count > 0 && workload->pair_count > 0 && latency->min < bound)
        run_laws_break(laws, "%s: a latency of %lld ps, and light takes %lld",
                       laws->world->stats[number].name, (long long)latency->min, (long long)bound);
}

/* Messages that a slow pace leaves for later have frames on their way whenever one looks. */
static bool is_done(const struct run_laws *laws)
{
    for (uint32_t i = 0; i < laws->world->workload_count; i++)
        if (world_outstanding(laws->world, i) > 0)
            return false;
    return true;
}

/* ------------------------------------------------------------------ all of it */

void run_laws_end_judge(struct run_laws *laws)
{
    const struct world *world = laws->world;
    const bool empty = world->executors[0].frames.frames.taken == 0;
    check_operations(laws);
    check_data(laws);
    check_no_loss(laws);
    check_lossless(laws);
    for (uint32_t i = 0; i < world->workload_count; i++)
        check_light(laws, i);
    if (laws->closing && is_alive(laws) && !waits_for_ever(laws))
        run_laws_close_judge(laws);
    if (!empty && is_alive(laws) && is_done(laws) && run_laws_is_closed(laws))
        run_laws_break(laws, "everything is alive, and %u frames are nowhere",
                       world->executors[0].frames.frames.taken);
    for (uint32_t i = 0; empty && i < laws->scenario->link_count; i++)
        check_cable(laws, &laws->scenario->links[i]);
    for (uint32_t i = 0; empty && i < world->switch_count; i++)
        check_switch(laws, world->switches[i]);
    if (empty && is_alive(laws))
        check_rest(laws);
}
