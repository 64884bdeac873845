/* SPDX-License-Identifier: Apache-2.0
 * headroom_play - the test bench: a switch and four end nodes.
 * Ties: in the worst case the reverse frame precedes the deciding frame, and a frame of the sender
 * precedes the pause that stops it. Both depend on the ranks of the nodes, which must be reverse <
 * sender < switch; a seed with that order is searched. */
#include "net/trial/headroom_play.h"

#include "net/port/port_inline.h"
#include "net/switch/buffer_static.h"
#include "net/switch/switch.h"

#include <stdio.h>

enum { SENDER, REVERSE, FILLER, SINK, ENDS };
enum { EVENT_BEGIN = NET_EVENT_FIRST_OWN };
enum { CLASS = 3, OTHER_CLASS = 0 };

/* The class's share at which the pause is decided, in largest frames; this is also the free memory
 * that the reverse frame needs. */
enum { SHARE_FRAMES = 4 };

/* Propagation delay of the links to the other end nodes. */
static const time_ps short_delay = PS_PER_NS;

struct end {
    struct node node;
    struct port port;
    struct frame_pool *frames;
    const int64_t *sizes; /* sizes, used in turn */
    unsigned size_count;
    uint64_t left, sent;
    uint8_t priority;
    uint32_t destination;
};

struct stage {
    struct engine engine;
    struct swtch swtch;
    struct end ends[ENDS];
    struct probe probe;
    struct headroom_play *play;
    time_ps begin;       /* when the sender's first frame begins */
    int64_t share;       /* bytes of the class when the pause is decided */
    uint64_t crossing;   /* number of the deciding frame */
    int64_t to_crossing; /* wire bytes before the deciding frame */
    int64_t reverse_size, filler_size;
};

/* ------------------------------------------------------------------ an end node */

static uint32_t make_frame(struct end *end)
{
    const uint32_t handle = frame_take(end->frames);
    const int64_t bytes = end->sizes[end->sent % end->size_count];
    *frame_at(end->frames, handle) = (struct frame){
        .bytes = (uint16_t)bytes,
        .payload = (uint16_t)(bytes > WIRE_ROCE_BYTES ? bytes - WIRE_ROCE_BYTES : 0),
        .opcode = FRAME_RC_WRITE_MIDDLE,
        .priority = end->priority,
        .tos = (uint8_t)(end->priority << 5), /* DSCP 8 * priority: the class selector */
        .ttl = 64,
        .destination = end->destination,
        .psn = (uint32_t)end->sent,
        .blob = POOL_NONE,
    };
    end->sent++;
    end->left--;
    return handle;
}

static uint32_t source(struct port *port, uint8_t allowed, time_ps now)
{
    (void)now;
    struct end *end = (struct end *)(void *)port->node;
    if ((port->ready & allowed) == 0)
        return POOL_NONE;
    const uint32_t handle = make_frame(end);
    if (end->left == 0)
        port->ready = 0;
    return handle;
}

static void on_event(struct node *node, const struct event *event)
{
    struct end *end = (struct end *)(void *)node;
    const uint32_t handle = (uint32_t)event->argument;
    if (event->kind == EVENT_BEGIN) {
        end->port.ready = (uint8_t)(1u << end->priority);
        port_dequeue(&end->port, event->at);
    } else if (event->kind != NET_EVENT_ARRIVAL) {
        port_on_event(&end->port, event);
    } else if (port_receive(&end->port, node, event, frame_at(end->frames, handle))) {
        frame_give(end->frames, handle);
    }
}

static void audit(const struct node *node)
{
    port_audit(&((const struct end *)(const void *)node)->port);
}

static const struct node_ops end_ops = {.name = "end", .on_event = on_event, .audit = audit};

static void begin_sending(struct end *end, uint64_t frames, time_ps at)
{
    end->left = frames;
    node_post(&end->node, end->node.id, at, EVENT_BEGIN, 0, 0);
}

/* ------------------------------------------------------------------ the switch */

/* The memory is sized for the test, independent of headroom. Dynamic, alpha 1: the threshold is the
 * free memory, one cell above the share until the filler's frame occupies it. */
static struct switch_params params_of(const struct stage *stage)
{
    const struct headroom_link *link = stage->play->link;
    const int64_t aside = ENDS * stage->play->headroom;
    struct switch_params params;
    switch_presets(&params);
    params.ports = ENDS;
    params.pfc_priorities = 1 << CLASS;
    params.headroom = stage->play->headroom;
    params.latency = link->latency;
    params.ecn_kmax = 0;
    params.alpha = params.alpha_lossy = PPM;
    params.cell = link->cell;
    if (link->dynamic)
        switch_choose_policy(&params, "dynamic");
    else
        *(struct buffer_static_params *)switch_choose_policy(&params, "static") =
            (struct buffer_static_params){.xoff = stage->share};
    params.buffer = aside + 2 * stage->share +
                    (link->dynamic ? link->cell : SHARE_FRAMES * headroom_charge(link, UINT16_MAX));
    return params;
}

static void make_routes(struct stage *stage)
{
    struct route_link links[ENDS];
    const uint8_t forwards[ENDS + 1] = {1};
    uint32_t nodes[ENDS];
    const uint16_t ports[ENDS] = {0};
    for (uint16_t i = 0; i < ENDS; i++) {
        links[i] = (struct route_link){0, i + 1u, i, 0};
        nodes[i] = i + 1u;
    }
    const struct route_graph graph = {ENDS + 1, links, ENDS, forwards, nodes, ports, ENDS};
    struct route_table tables[ENDS + 1] = {0};
    route_compute(&graph, tables);
    stage->swtch.routes = tables[0];
}

/* Ports of the switch. */
static void make_ports(const struct headroom_link *link, struct port_params here[ENDS])
{
    opt_presets(port_opts, &here[SENDER]);
    here[SENDER].rate = link->rate;
    here[SENDER].delay = link->propagation;
    here[SENDER].fec = PORT_FEC_NONE; /* included in the propagation delay */
    here[SENDER].mtu = link->mtu;
    here[SENDER].pfc_response = 0;
    for (unsigned i = SENDER + 1; i < ENDS; i++) {
        here[i] = here[SENDER];
        here[i].delay = short_delay;
        here[i].mtu = link->mtu > link->peer_mtu ? link->mtu : link->peer_mtu;
    }
}

static void make_ends(struct stage *stage, const struct port_params *here)
{
    static const char *const names[ENDS] = {"sender", "reverse", "filler", "sink"};
    static const uint32_t destinations[ENDS] = {SINK, SENDER, SINK, SENDER};
    const struct headroom_play *play = stage->play;
    const int64_t *const sizes[ENDS] = {play->frames, &stage->reverse_size, &stage->filler_size,
                                        &stage->reverse_size};
    for (unsigned i = 0; i < ENDS; i++) {
        struct end *end = &stage->ends[i];
        struct port_params params = here[i];
        if (i == SENDER) {
            params.mtu = play->link->peer_mtu;
            params.pfc_response = play->link->response;
        }
        *end = (struct end){
            .frames = play->pool,
            .sizes = sizes[i],
            .size_count = i == SENDER ? play->frame_count : 1,
            .priority = i == REVERSE ? OTHER_CLASS : CLASS,
            .destination = destinations[i],
        };
        engine_add(&stage->engine, &end->node, &end_ops, names[i]);
        port_init(&end->port, &end->node, 0, &params, play->pool, &probe_none, source);
        port_join(&stage->swtch.ports[i], switch_ingress(&stage->swtch), &end->port,
                  (struct port_ingress){0});
    }
}

/* ------------------------------------------------------------------ the deciding moment */

static void on_pause(void *self, const struct probe_pause *pause)
{
    struct stage *stage = self;
    if (pause->port == SENDER && pause->xoff && !pause->refresh)
        stage->play->decided = pause->at;
}

static time_ps wire_ps(const struct stage *stage, int64_t bytes)
{
    struct wire_rate rate = wire_rate((uint64_t)stage->play->link->rate);
    return wire_rate_take(&rate, (uint64_t)bytes);
}

/* Determines the deciding frame: the first that brings the class's share to the required bytes, or
 * the next one when the threshold is to fall. */
static void find_deciding_frame(struct stage *stage)
{
    const struct headroom_play *play = stage->play;
    const struct headroom_link *link = play->link;
    const int64_t mtu = link->mtu > link->peer_mtu ? link->mtu : link->peer_mtu;
    const int64_t largest = mtu + WIRE_ETHERNET_BYTES;
    const int64_t enough = SHARE_FRAMES * headroom_charge(link, largest);
    int64_t before = 0; /* wire bytes of these frames, without the last */
    while (stage->share < enough) {
        const int64_t bytes = play->frames[stage->crossing++ % play->frame_count];
        before = stage->to_crossing;
        stage->share += headroom_charge(link, bytes);
        stage->to_crossing += bytes + WIRE_GAP_BYTES;
    }
    if (link->dynamic)
        stage->crossing++;
    else
        stage->to_crossing = before;
    stage->reverse_size = link->mtu + WIRE_ETHERNET_BYTES;
    stage->filler_size = largest;
    stage->begin = 2 * PS_PER_US + link->latency + wire_ps(stage, 4 * UINT16_MAX);
}

static void stage_open(struct stage *stage, struct headroom_play *play)
{
    *stage = (struct stage){.probe = probe_none, .play = play};
    stage->probe.self = stage;
    stage->probe.pause = on_pause;
    find_deciding_frame(stage);
    struct port_params here[ENDS];
    make_ports(play->link, here);
    const struct switch_params params = params_of(stage);
    engine_init(&stage->engine, play->seed);
    switch_init(&stage->swtch, &stage->engine, "switch", &params, ENDS, here, play->pool,
                &stage->probe);
    make_routes(stage);
    make_ends(stage, here);
    char why[160];
    CHECK(switch_carve(&stage->swtch, why, sizeof why));
    engine_start(&stage->engine);
}

static void stage_close(struct stage *stage)
{
    switch_fini(&stage->swtch);
    engine_fini(&stage->engine);
    frame_pool_clear(stage->play->pool);
}

/* Ranks reverse < sender < switch, see the top of the file. */
static bool is_worst_order(const struct stage *stage)
{
    const uint64_t sender = stage->ends[SENDER].node.next_order;
    return stage->ends[REVERSE].node.next_order < sender && sender < stage->swtch.node.next_order;
}

/* When an end node must begin sending for its frame to be in the memory at `at`. */
static time_ps to_be_in(const struct stage *stage, int64_t bytes, time_ps at)
{
    return at - stage->play->link->latency - short_delay -
           wire_ps(stage, bytes + WIRE_PREAMBLE_BYTES);
}

static void run_stage(struct stage *stage)
{
    const struct headroom_play *play = stage->play;
    const struct headroom_link *link = play->link;
    const int64_t deciding = play->frames[(stage->crossing - 1) % play->frame_count];
    const time_ps decided = stage->begin +
                            wire_ps(stage, stage->to_crossing + deciding + WIRE_PREAMBLE_BYTES) +
                            link->propagation + link->latency;
    const struct probe_pause block = {.at = 0, .priority = CLASS, .xoff = true};
    port_pfc_assert(&stage->ends[SINK].port, CLASS, &block);
    begin_sending(&stage->ends[SENDER], UINT64_MAX, stage->begin);
    if (link->dynamic)
        begin_sending(&stage->ends[FILLER], 1, to_be_in(stage, stage->filler_size, decided - 1));
    if (play->reverse != HEADROOM_NO_REVERSE)
        begin_sending(&stage->ends[REVERSE], 1,
                      to_be_in(stage, stage->reverse_size, play->decided - play->reverse));
    const time_ps loop = 2 * link->propagation + link->response + 2 * link->latency;
    engine_run(&stage->engine, decided + loop + wire_ps(stage, 4 * UINT16_MAX));
}

void headroom_play(struct headroom_play *play)
{
    struct stage stage;
    stage_open(&stage, play);
    while (!is_worst_order(&stage)) {
        stage_close(&stage);
        play->seed++;
        stage_open(&stage, play);
    }
    run_stage(&stage);
    play->drops = stage.swtch.counters.dropped_lossless;
    play->frames_after = stage.ends[SENDER].sent - stage.crossing;
    stage.swtch.node.ops->audit(&stage.swtch.node);
    stage_close(&stage);
}
