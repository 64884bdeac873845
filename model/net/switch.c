/* SPDX-License-Identifier: Apache-2.0
 * switch - the way of a frame through a switch.
 *
 *   arrival -> priority by DSCP -> egress port by route and ECMP -> giant?
 *           -> memory (drop, XOFF) -> ECN mark
 *           -> wire at once if nothing waits before it, else egress queue -> scheduler
 *           -> room given back (XON) -> wire
 *
 * Each stage is a function below, in this order.  A frame that can leave at once costs one event;
 * a frame that must wait is sent by the port's KICK.
 *
 * Cut-through: the frame's header arrives first, and its bits keep coming at the ingress rate.  It
 * may leave while they come unless the egress wire is faster, which would run dry: then it waits
 * for its last bit (CUT_WAIT). */
#include "net/switch.h"

#include <stdio.h>
#include <stdlib.h>

enum switch_event { SWITCH_EVENT_CUT_WAIT = NET_EVENT_FIRST_OWN };

/* Bytes that a cut-through switch must see: Ethernet 14, IPv4 20, UDP 8, BTH 12, and 10 of what
 * follows. */
enum { CUT_THROUGH_BYTES = 64, DWRR_QUANTUM = 512, WEIGHT_MAX = 100 };

#define FIELD(name) offsetof(struct switch_params, name)
#define WEIGHT(n)                                                                                  \
    {                                                                                              \
        "weight-" #n, OPT_INT, FIELD(weight[n]), "0", "0", "100", NULL,                            \
            "Share of priority " #n                                                                \
            " among the weighted ones; 0: strict, highest priority first.",                        \
            "IEEE 802.1Q-2018 37 (ETS)"                                                            \
    }

const struct opt switch_opts[] = {
    {"buffer", OPT_SIZE, FIELD(buffer), "32MiB", "16KiB", "8GiB", NULL,
     "Packet memory that all ports share.", "assumed: a 100G leaf of 2018 to 2022"},
    {"ports", OPT_INT, FIELD(ports), "32", "1", "1024", NULL,
     "Ports that reserved room and headroom are set aside for; more if more are linked.", "own"},
    {"reserved", OPT_SIZE, FIELD(reserved), "0B", "0B", "16MiB", NULL,
     "Memory of each (ingress port, priority) that no other may use.", "SONiC BUFFER_PROFILE size"},
    {"policy", OPT_CHOICE, FIELD(policy), "dynamic", NULL, NULL, "dynamic|static",
     "How the shared memory is divided.", "Choudhury and Hahne 1998; SIGCOMM 2015 section 4"},
    {"alpha", OPT_PERCENT, FIELD(alpha), "100%", "0.1%", "12800%", NULL,
     "Dynamic policy: a lossless group may use alpha times the free shared memory.",
     "SONiC dynamic_th 0; DCQCN paper beta 8 is 800%"},
    {"alpha-lossy", OPT_PERCENT, FIELD(alpha_lossy), "100%", "0.1%", "12800%", NULL,
     "Dynamic policy: the same for lossy groups and egress queues.", "assumed: as alpha"},
    {"xoff", OPT_SIZE, FIELD(xoff), "96KiB", "0B", "1GiB", NULL,
     "Static policy: bytes of a group at which its sender is paused.", "assumed"},
    {"xon-offset", OPT_SIZE, FIELD(xon_offset), "8400B", "0B", "1GiB", NULL,
     "Bytes below the pause threshold at which the sender may go on.",
     "SIGCOMM 2015 section 4: two MTU"},
    {"headroom", OPT_SIZE, FIELD(headroom), "auto", "0B", "1GiB", "auto",
     "Room of each lossless group above its threshold, for what is still under way.",
     "auto: IEEE 802.1Q-2018 annex N for the link"},
    {"pfc-priorities", OPT_MASK, FIELD(pfc_priorities), "3", NULL, "0,1,2,3,4,5,6,7", NULL,
     "The lossless priorities, such as [3]; none: every priority may drop.",
     "common use: RoCE in priority 3"},
    {"ecn-kmin", OPT_SIZE, FIELD(ecn_kmin), "400KB", "0B", "1GiB", NULL,
     "Egress queue at which marking begins.",
     "HPCC artifact: 100 KB for each 25 Gb/s of link rate"},
    {"ecn-kmax", OPT_SIZE, FIELD(ecn_kmax), "1600KB", "0B", "1GiB", NULL,
     "Egress queue at which every packet is marked; 0: no marking.",
     "HPCC artifact: 400 KB for each 25 Gb/s of link rate"},
    {"ecn-pmax", OPT_PERCENT, FIELD(ecn_pmax), "20%", "0%", "100%", NULL,
     "Marking probability just below kmax.", "HPCC artifact: 0.2"},
    {"ecn-mark", OPT_CHOICE, FIELD(ecn_at), "enqueue", NULL, NULL, "enqueue|dequeue",
     "Which moment's queue decides.", "RFC 3168; SONiC test plan: dequeue-based marking"},
    {"latency", OPT_TIME, FIELD(latency), "300ns", "0ns", "100us", NULL,
     "From a frame's last bit (cut-through: its header) to the packet memory.",
     "measured by others: about 270 ns a pass through an SX6030"},
    {"forwarding", OPT_CHOICE, FIELD(forwarding), "store-and-forward", NULL, NULL,
     "store-and-forward|cut-through", "When a frame may leave.", "IEEE 802.1D; vendors' documents"},
    {"ecmp-seed", OPT_INT, FIELD(ecmp_seed), "auto", "0", "4294967295", "auto",
     "Seed of the path hash; auto: each switch its own. Equal seeds in two tiers polarize.", "own"},
    WEIGHT(0),
    WEIGHT(1),
    WEIGHT(2),
    WEIGHT(3),
    WEIGHT(4),
    WEIGHT(5),
    WEIGHT(6),
    WEIGHT(7),
    {0},
};

static struct swtch *switch_of(struct node *node)
{
    return (struct swtch *)(void *)node;
}

/* ------------------------------------------------------------------ drops */

struct refusal {
    enum probe_drop_cause cause;
    uint16_t egress;
    const struct buffer_group *group; /* NULL: not for want of buffer */
};

static void drop(struct swtch *swtch, uint32_t handle, const struct refusal *why, time_ps now)
{
    const struct frame *frame = frame_at(swtch->frames, handle);
    const struct buffer_group *group = why->group;
    const bool lossless = group != NULL && (swtch->lossless & 1u << frame->priority) != 0;
    const struct probe_drop dropped = {
        .at = now,
        .node = swtch->node.id,
        .port = frame->in_port,
        .priority = frame->priority,
        .cause = (uint8_t)why->cause,
        .lossless = lossless,
        .egress = why->egress,
        .frame_bytes = frame->bytes,
        .occupancy = group == NULL ? 0 : group->shared_used,
        .threshold = group == NULL ? 0 : buffer_threshold(&swtch->buffer),
        .headroom = group == NULL ? 0 : group->headroom_used,
        .headroom_limit = group == NULL ? 0 : group->headroom,
    };
    swtch->counters.dropped[why->cause]++;
    swtch->counters.dropped_lossless += lossless;
    swtch->port_counters[frame->in_port].dropped[why->cause]++;
    swtch->probe->drop(swtch->probe->self, &dropped);
    frame_give(swtch->frames, handle);
}

/* ------------------------------------------------------------------ memory and pauses */

static struct buffer_group *group_of(struct swtch *swtch, const struct frame *frame)
{
    return &swtch->buffer.groups[frame->in_port * PRIORITIES + frame->priority];
}

static struct probe_pause edge(struct swtch *swtch, const struct frame *frame, uint16_t egress,
                               time_ps now)
{
    return (struct probe_pause){
        .at = now,
        .node = swtch->node.id,
        .port = frame->in_port,
        .priority = frame->priority,
        .egress = egress,
        .occupancy = group_of(swtch, frame)->shared_used,
        .threshold = buffer_threshold(&swtch->buffer),
    };
}

static bool admit(struct swtch *swtch, const struct frame *frame, uint16_t egress, time_ps now)
{
    const bool lossless = (swtch->lossless & 1u << frame->priority) != 0;
    const struct port_queue *queue = &swtch->ports[egress].queues[frame->priority];
    if (!lossless && !buffer_queue_may_grow(&swtch->buffer, queue->bytes))
        return false;
    switch (buffer_admit(&swtch->buffer, group_of(swtch, frame), frame->bytes)) {
    case BUFFER_REFUSE:
        return false;
    case BUFFER_ADMIT_XOFF: {
        struct probe_pause why = edge(swtch, frame, egress, now);
        why.xoff = true;
        port_pfc_assert(&swtch->ports[frame->in_port], frame->priority, &why);
        return true;
    }
    case BUFFER_ADMIT:
        return true;
    }
    return false;
}

static void release(struct swtch *swtch, const struct frame *frame, uint16_t egress, time_ps now)
{
    if (LIKELY(!buffer_release(&swtch->buffer, group_of(swtch, frame), frame->bytes)))
        return;
    const struct probe_pause why = edge(swtch, frame, egress, now);
    port_pfc_release(&swtch->ports[frame->in_port], frame->priority, &why);
}

/* ------------------------------------------------------------------ ECN */

/* Probability 0 up to kmin, rising to pmax at kmax, 1 above (DCQCN paper, figure 5). */
static void mark(struct swtch *swtch, struct frame *frame, const struct port *egress)
{
    const struct switch_params *params = &swtch->params;
    const int64_t queue = egress->queues[frame->priority].bytes;
    const unsigned ecn = frame->tos & 3u;
    if (queue <= params->ecn_kmin || params->ecn_kmax == 0 || ecn == ECN_NOT_ECT || ecn == ECN_CE)
        return;
    const uint64_t over = (uint64_t)(queue - params->ecn_kmin);
    const uint64_t span = (uint64_t)(params->ecn_kmax - params->ecn_kmin);
    if (queue < params->ecn_kmax &&
        !rng_chance(&swtch->marking, over * (uint64_t)params->ecn_pmax, span * (uint64_t)PPM))
        return;
    frame->tos |= ECN_CE;
    swtch->counters.ecn_marked++;
    swtch->port_counters[egress->index].ecn_marked[frame->priority]++;
}

/* ------------------------------------------------------------------ scheduling */

/* Deficit round robin among the weighted priorities of `mask` (Shreedhar and Varghese, SIGCOMM
 * 1995): a queue's turn adds its quantum once, and lasts while the deficit covers its first frame.
 * */
static uint8_t weighted_pick(const struct swtch *swtch, struct port *port, unsigned mask)
{
    for (;;) {
        const uint8_t turn = port->turn;
        struct port_queue *queue = &port->queues[turn];
        if ((mask & 1u << turn) != 0) {
            const struct frame *first = frame_at(port->frames, queue->head);
            if (queue->deficit >= first->bytes) {
                queue->deficit -= first->bytes;
                return turn;
            }
        }
        port->turn = (uint8_t)((turn + 1) % PRIORITIES);
        if ((mask & 1u << port->turn) != 0)
            port->queues[port->turn].deficit +=
                (uint32_t)swtch->params.weight[port->turn] * DWRR_QUANTUM;
    }
}

static uint32_t take(struct port *port, uint8_t allowed, time_ps now)
{
    struct swtch *swtch = switch_of(port->node);
    const unsigned mask = port->ready & allowed;
    const unsigned strict = mask & swtch->strict;
    if (mask == 0)
        return POOL_NONE;
    const uint8_t priority =
        strict != 0 ? (uint8_t)(31 - __builtin_clz(strict)) : weighted_pick(swtch, port, mask);
    const uint32_t handle = port_shift(port, priority);
    struct frame *frame = frame_at(swtch->frames, handle);
    if (port->queues[priority].bytes == 0)
        port->queues[priority].deficit = 0;
    if (swtch->params.ecn_at == 1)
        mark(swtch, frame, port);
    release(swtch, frame, port->index, now);
    return handle;
}

/* ------------------------------------------------------------------ forwarding */

static void enqueue(struct swtch *swtch, uint32_t handle, uint16_t egress, time_ps now)
{
    struct frame *frame = frame_at(swtch->frames, handle);
    struct port *port = &swtch->ports[egress];
    if (swtch->params.ecn_at == 0)
        mark(swtch, frame, port);
    /* Never straight back: giving the room back may make an XON due on the port it came by. */
    if (LIKELY(egress != frame->in_port) && port_is_free(port, frame->priority, now)) {
        release(swtch, frame, egress, now);
        port_send(port, handle, now);
        return;
    }
    port_append(port, handle);
    int64_t *peak = &swtch->port_counters[egress].queue_peak[frame->priority];
    if (port->queues[frame->priority].bytes > *peak)
        *peak = port->queues[frame->priority].bytes;
    port_kick(port, now);
}

static void forward(struct swtch *swtch, uint32_t handle, time_ps now)
{
    struct frame *frame = frame_at(swtch->frames, handle);
    const uint16_t egress =
        route_pick(&swtch->routes, frame->destination, frame->entropy, swtch->ecmp_seed);
    struct refusal why = {.egress = egress};
    if (UNLIKELY(egress == UINT16_MAX)) {
        why.cause = PROBE_DROP_NO_ROUTE;
    } else if (UNLIKELY(frame->ttl-- <= 1)) {
        why.cause = PROBE_DROP_TTL;
    } else if (UNLIKELY(port_is_giant(&swtch->ports[egress], frame))) {
        why.cause = PROBE_DROP_MTU;
    } else if (LIKELY(admit(swtch, frame, egress, now))) {
        enqueue(swtch, handle, egress, now);
        return;
    } else {
        why.cause = PROBE_DROP_BUFFER;
        why.group = group_of(swtch, frame);
    }
    drop(swtch, handle, &why, now);
}

/* True when the frame's bits come slower than its way out would send them. */
static bool must_wait(const struct swtch *swtch, const struct frame *frame)
{
    if (swtch->params.forwarding == 0 || frame->bytes <= CUT_THROUGH_BYTES)
        return false;
    const uint16_t egress =
        route_pick(&swtch->routes, frame->destination, frame->entropy, swtch->ecmp_seed);
    return egress != UINT16_MAX &&
           swtch->ports[egress].rate.bps > swtch->ports[frame->in_port].rate.bps;
}

static void on_arrival(struct swtch *swtch, const struct event *event)
{
    const uint32_t handle = (uint32_t)event->argument;
    struct port *port = &swtch->ports[event->port];
    struct frame *frame = frame_at(swtch->frames, handle);
    if (LIKELY(!frame_is_mac_control(frame)))
        frame->priority = swtch->priority_of_dscp[frame->tos >> 2];
    if (UNLIKELY(!port_receive(port, handle, event->at)))
        return;
    if (UNLIKELY(must_wait(swtch, frame))) {
        const uint64_t rest = frame->bytes - (uint64_t)CUT_THROUGH_BYTES;
        node_post(&swtch->node, swtch->node.id, event->at + units_transfer_ps(rest, port->rate.bps),
                  SWITCH_EVENT_CUT_WAIT, event->port, handle);
        return;
    }
    forward(swtch, handle, event->at);
}

static void on_event(struct node *node, const struct event *event)
{
    struct swtch *swtch = switch_of(node);
    if (LIKELY(event->kind == NET_EVENT_ARRIVAL))
        on_arrival(swtch, event);
    else if (event->kind == SWITCH_EVENT_CUT_WAIT)
        forward(swtch, (uint32_t)event->argument, event->at);
    else
        port_on_event(&swtch->ports[event->port], event);
}

/* ------------------------------------------------------------------ making */

static uint8_t strict_mask(const struct switch_params *params)
{
    unsigned mask = 0;
    for (unsigned i = 0; i < PRIORITIES; i++)
        mask |= params->weight[i] == 0 ? 1u << i : 0;
    return (uint8_t)mask;
}

void switch_init(struct swtch *swtch, struct engine *engine, const char *name,
                 const struct switch_params *params, uint16_t port_count,
                 const struct port_params *port_params, struct frame_pool *frames,
                 const struct probe *probe)
{
    *swtch = (struct swtch){
        .frames = frames,
        .port_count = port_count,
        .lossless = (uint8_t)params->pfc_priorities,
        .strict = strict_mask(params),
        .ecmp_seed = params->ecmp_seed == SWITCH_ECMP_SEED_OWN
                         ? hash_text(name, hash_mix(engine->seed))
                         : hash_mix((uint64_t)params->ecmp_seed),
        .params = *params,
        .marking = rng_stream(engine->seed, name, "ecn"),
        .probe = probe,
    };
    engine_add(engine, &swtch->node, &switch_node_ops, name);
    swtch->ports = calloc(port_count, sizeof *swtch->ports);
    swtch->port_counters = calloc(port_count, sizeof *swtch->port_counters);
    swtch->buffer.groups = calloc((size_t)port_count * PRIORITIES, sizeof *swtch->buffer.groups);
    CHECK(swtch->ports != NULL && swtch->port_counters != NULL && swtch->buffer.groups != NULL);
    for (uint16_t i = 0; i < port_count; i++)
        port_init(&swtch->ports[i], &swtch->node, i, &port_params[i], frames, probe, take);
    for (unsigned dscp = 0; dscp < 64; dscp++)
        swtch->priority_of_dscp[dscp] = (uint8_t)(dscp >> 3);
}

void switch_fini(struct swtch *swtch)
{
    route_table_fini(&swtch->routes);
    free(swtch->ports);
    free(swtch->port_counters);
    free(swtch->buffer.groups);
}

struct port_ingress switch_ingress(const struct swtch *swtch)
{
    return (struct port_ingress){
        .latency = swtch->params.latency,
        .cut_through = swtch->params.forwarding == 1 ? CUT_THROUGH_BYTES : 0,
    };
}

int64_t switch_headroom_needed(const struct swtch *swtch, const struct port *port)
{
    const int64_t own_frame = port->params.mtu + WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
    const int64_t peer_frame = port->peer_mtu + WIRE_ETHERNET_BYTES + WIRE_GAP_BYTES;
    const time_ps loop = 2 * port->propagation + port->peer_response + swtch->params.latency;
    const int64_t in_loop = (int64_t)units_bytes_in(loop, port->rate.bps) + 1;
    return in_loop + own_frame + WIRE_PFC_BYTES + WIRE_GAP_BYTES + 2 * peer_frame;
}

static int64_t lossless_headroom(const struct swtch *swtch, uint16_t port)
{
    if (swtch->params.headroom != SWITCH_HEADROOM_AUTO)
        return swtch->params.headroom;
    return switch_headroom_needed(swtch, &swtch->ports[port]);
}

/* Sets the groups' limits; returns the room of all of them together, and of the ports that are not
 * linked but that the memory is carved for: so a port more changes nothing for the others. */
static int64_t set_aside(struct swtch *swtch)
{
    const int64_t lossless = __builtin_popcount(swtch->lossless);
    const int64_t ports =
        swtch->params.ports > swtch->port_count ? swtch->params.ports : swtch->port_count;
    int64_t sum = 0, most = 0;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        const int64_t headroom = lossless_headroom(swtch, i);
        sum += headroom * lossless;
        most = headroom > most ? headroom : most;
        for (unsigned p = 0; p < PRIORITIES; p++)
            if ((swtch->lossless & 1u << p) != 0)
                swtch->buffer.groups[i * PRIORITIES + p].headroom = headroom;
    }
    return sum + (ports - swtch->port_count) * most * lossless +
           ports * PRIORITIES * swtch->params.reserved;
}

bool switch_carve(struct swtch *swtch, char *why, size_t size)
{
    const struct switch_params *params = &swtch->params;
    const int64_t aside = set_aside(swtch);
    if (aside >= params->buffer) {
        snprintf(why, size,
                 "%s: reserved room and headroom take %lld bytes, the packet memory has %lld",
                 swtch->node.name, (long long)aside, (long long)params->buffer);
        return false;
    }
    struct buffer *buffer = &swtch->buffer;
    buffer->policy = buffer_policies[params->policy];
    buffer->total = params->buffer;
    buffer->shared_size = params->buffer - aside;
    buffer->reserved = params->reserved;
    buffer->alpha_lossless = params->alpha;
    buffer->alpha_lossy = params->alpha_lossy;
    buffer->static_threshold = params->xoff;
    buffer->xon_offset = params->xon_offset;
    buffer->group_count = (uint32_t)swtch->port_count * PRIORITIES;
    return true;
}

static void audit(const struct node *node)
{
    const struct swtch *swtch = (const struct swtch *)(const void *)node;
    buffer_audit(&swtch->buffer);
    int64_t queued = 0;
    for (uint16_t i = 0; i < swtch->port_count; i++) {
        port_audit(&swtch->ports[i]);
        for (unsigned p = 0; p < PRIORITIES; p++)
            queued += swtch->ports[i].queues[p].bytes;
    }
    CHECK(queued == swtch->buffer.used); /* what is charged is what waits */
}

const struct node_ops switch_node_ops = {.name = "switch", .on_event = on_event, .audit = audit};
