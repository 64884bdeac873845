/* SPDX-License-Identifier: Apache-2.0
 * run_laws_path - the last piece of each frame's path: what a host sends is held against all that
 * has reached it by then, and what is on its way to a host reaches it when its last bit does. */
#include "tests/laws/run/run_laws_private.h"

#include "base/memory.h"

#include <stdlib.h>

enum { QUEUE = 4096, SLACK_PS = 8 };

struct run_laws_path {
    struct queue {
        struct run_laws_delivery *list;
        uint32_t first, last;
    } queues[RUN_LAWS_NODES]; /* by endpoint */
    bool overflow;            /* more is on its way than is kept: nobody knows any more */
};

struct run_laws_path *run_laws_path_new(void)
{
    return memory_zeroed(1, sizeof(struct run_laws_path));
}

void run_laws_path_free(struct run_laws_path *way)
{
    for (uint32_t i = 0; i < RUN_LAWS_NODES; i++)
        free(way->queues[i].list);
    free(way);
}

bool run_laws_path_overflows(const struct run_laws *laws)
{
    return laws->way->overflow;
}

static void take_deliveries(struct run_laws *laws, uint32_t endpoint, time_ps until)
{
    struct queue *queue = &laws->way->queues[endpoint];
    while (queue->first != queue->last && queue->list[queue->first % QUEUE].at <= until) {
        const struct run_laws_delivery *came = &queue->list[queue->first++ % QUEUE];
        if (came->is_mad)
            run_laws_cm_came(laws, came);
        else
            run_laws_transport_came(laws, &came->frame, came->at);
        run_laws_marks_came(laws, &came->frame, came->at);
    }
}

void run_laws_path_take(struct run_laws *laws, uint32_t node, time_ps now)
{
    const struct scenario_node *host = &laws->scenario->nodes[node];
    for (uint32_t i = 0; i < host->port_count; i++)
        take_deliveries(laws, host->endpoint + i, now + SLACK_PS);
}

/* The last hop: the frame will be at a host, unless it is lost there. */
static void put_on_way(struct run_laws *laws, const struct probe_frame *sent)
{
    const struct port *port = world_port(laws->world, sent->node, sent->port);
    const struct scenario_node *host = &laws->scenario->nodes[port->peer_node];
    const uint32_t endpoint =
        host->endpoint + laws->scenario->nodes[sent->node].ports[sent->port].peer_port;
    if (host->kind != SCENARIO_HOST)
        return;
    struct queue *queue = &laws->way->queues[endpoint];
    if (queue->list == NULL)
        queue->list = memory_zeroed(QUEUE, sizeof *queue->list);
    if (queue->last - queue->first == QUEUE)
        take_deliveries(laws, endpoint, sent->at);
    if (queue->last - queue->first == QUEUE) {
        laws->way->overflow = true;
        return;
    }
    /* What follows the last bit of a frame: on Ethernet the gap without the preamble. */
    const uint32_t around = port_gap_bytes(&port->params);
    const time_ps gap = units_transfer_ps(
        around - (port->params.kind == PORT_ETHERNET ? WIRE_PREAMBLE_BYTES : 0), port->rate.bps);
    struct run_laws_delivery *delivery = &queue->list[queue->last++ % QUEUE];
    *delivery = (struct run_laws_delivery){
        .at = sent->at + sent->wire_ps - gap + port->arrival_delay, .frame = *sent->frame};
    if (sent->frame->opcode == FRAME_UD_SEND_ONLY && sent->head_bytes >= CM_MAD_BYTES)
        delivery->is_mad = cm_mad_decode(sent->head, &delivery->mad);
}

static void leaves_host(struct run_laws *laws, const struct probe_frame *sent)
{
    const struct frame *frame = sent->frame;
    struct cm_mad mad;
    if (frame->source < RUN_LAWS_NODES)
        laws->left[frame->source][frame->priority] = sent->at;
    run_laws_path_take(laws, sent->node, sent->at);
    run_laws_marks_leaves(laws, frame, sent->at);
    if (frame->opcode != FRAME_UD_SEND_ONLY)
        run_laws_transport_leaves(laws, frame, sent->at);
    else if (sent->head_bytes >= CM_MAD_BYTES && cm_mad_decode(sent->head, &mad))
        run_laws_cm_sent(laws, frame->source, frame->destination, &mad, sent->at);
}

void run_laws_path_frame(struct run_laws *laws, const struct probe_frame *sent)
{
    const struct port *port = world_port(laws->world, sent->node, sent->port);
    if (frame_is_mac_control(sent->frame) || laws->way->overflow)
        return;
    if (laws->scenario->nodes[sent->node].kind == SCENARIO_HOST)
        leaves_host(laws, sent);
    const bool corrupt = (sent->frame->flags & FRAME_CORRUPT) != 0;
    const struct port *peer = world_port(laws->world, port->peer_node, port->peer_port);
    if (!sent->lost && !corrupt && sent->frame->bytes <= port_largest_frame(&peer->params))
        put_on_way(laws, sent);
}
