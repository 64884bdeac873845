/* SPDX-License-Identifier: Apache-2.0
 * eventlog - watches the engine, and names events. */
#include "replay/run/eventlog.h"

#include "base/memory.h"

#include <stdlib.h>

static void note_frame(struct eventlog_event *note, const struct frame_pool *pool,
                       const struct frame *frame)
{
    note->opcode = frame->opcode;
    note->bytes = frame->bytes;
    if (frame_is_mac_control(frame))
        return;
    note->source = frame->source;
    note->destination = frame->destination;
    note->qpn = frame->qpn;
    note->psn = frame->psn;
    if (frame->opcode == FRAME_TCP)
        note->segment =
            segment_note(frame, frame->blob == POOL_NONE ? NULL : frame_blob(pool, frame));
}

static bool is_kept(const struct eventlog *log, const struct node *node)
{
    return log->only == UINT32_MAX || log->only == node->id;
}

struct eventlog_event eventlog_note(const struct world *world, const struct event *event)
{
    struct eventlog_event note = {
        .at = event->at, .node = event->node, .port = event->port, .kind = event->kind};
    /* afterwards the node owns the frame and may free it */
    if (event->kind == NET_EVENT_ARRIVAL) {
        const struct frame_pool *pool = world_frames(world, event->node);
        note_frame(&note, pool, frame_at(pool, (uint32_t)event->argument));
    }
    return note;
}

static void before(void *self, struct node *node, const struct event *event)
{
    struct eventlog *log = self;
    if (!is_kept(log, node))
        return;
    log->events = memory_grown(log->events, log->count, &log->room, sizeof *log->events);
    log->events[log->count++] = eventlog_note(log->world, event);
}

/* Data chained between two events (a workload that starts) count with the later one. */
static void after(void *self, struct node *node, const struct event *event)
{
    (void)event;
    struct eventlog *log = self;
    if (is_kept(log, node))
        log->events[log->count - 1].meaning = node->digest;
    node->digest = 0;
}

static void find_hosts(struct eventlog *log)
{
    const struct scenario *scenario = log->world->scenario;
    uint32_t count = 0, room = 0;
    for (uint32_t i = 0; i < scenario->node_count; i++)
        for (uint16_t port = 0;
             scenario->nodes[i].kind == SCENARIO_HOST && port < scenario->nodes[i].port_count;
             port++) {
            log->host_of = memory_grown(log->host_of, count, &room, sizeof *log->host_of);
            log->host_of[count++] = i;
        }
}

void eventlog_begin(struct eventlog *log, struct world *world)
{
    *log = (struct eventlog){.world = world, .only = UINT32_MAX};
    find_hosts(log);
}

void eventlog_init(struct eventlog *log, struct world *world)
{
    eventlog_begin(log, world);
    log->watch = (struct engine_watch){.self = log, .before = before, .after = after};
    world->engine.watch = &log->watch;
    for (uint32_t i = 0; i < world->engine.node_count; i++)
        world->engine.nodes[i]->digest = 0;
}

void eventlog_fini(struct eventlog *log)
{
    log->world->engine.watch = NULL;
    free(log->host_of);
    free(log->events);
    *log = (struct eventlog){0};
}

void eventlog_clear(struct eventlog *log)
{
    log->count = 0;
}

bool eventlog_equal(const struct eventlog_event *a, const struct eventlog_event *b)
{
    return a->at == b->at && a->meaning == b->meaning && a->port == b->port && a->kind == b->kind &&
           a->opcode == b->opcode && a->source == b->source && a->destination == b->destination &&
           a->qpn == b->qpn && a->psn == b->psn && a->bytes == b->bytes;
}

/* ------------------------------------------------------------------ texts */

/* For kinds that every node with ports has; "" for kinds of a node type. */
static const char *net_words(uint8_t kind)
{
    switch ((enum net_event)kind) {
    case NET_EVENT_ARRIVAL:
        return "a frame arrives";
    case NET_EVENT_DEQUEUE:
        return "selects the next frame to send";
    case NET_EVENT_PFC_ACT:
        return "a pause takes effect";
    case NET_EVENT_PAUSE_END:
        return "a pause expires";
    case NET_EVENT_PFC_REFRESH:
        return "refreshes a pause";
    case NET_EVENT_CREDIT_TICK:
        return "periodic credit updates";
    case NET_EVENT_CREDIT_FREE:
        return "a receive buffer becomes free";
    case NET_EVENT_FIRST_OWN:
        break;
    }
    return "";
}

/* "" if it is not an RNIC's kind. */
static const char *rnic_words(uint8_t kind)
{
    switch ((enum rnic_event)kind) {
    case RNIC_EVENT_DOORBELL:
        return "a doorbell";
    case RNIC_EVENT_WAKE:
        return "a queue pair may send again";
    case RNIC_EVENT_TIMEOUT:
        return "ACK timeout of a queue pair";
    case RNIC_EVENT_COMPLETION:
        return "a completion reaches the host";
    case RNIC_EVENT_DRAIN:
        return "a frame is drained from the RX buffer";
    case RNIC_EVENT_MAD:
        return "a CM message is read";
    case RNIC_EVENT_DATA_CAME:
        return "data establishes a connection";
    case RNIC_EVENT_STALL:
        return "checks the length of a pause";
    case RNIC_EVENT_TRANSMIT:
        return "the transmit timer";
    case RNIC_EVENT_ENGINE:
        return "the RNIC may begin a message";
    case RNIC_EVENT_TX_ENGINE:
        return "the RNIC has the next packet's data";
    case RNIC_EVENT_SRQ_LIMIT:
        return "few receives are left in a shared receive queue";
    case RNIC_EVENT_REACTION:
        return "the RNIC sends a NAK, or follows one";
    case RNIC_EVENT_CQE:
        return "a completion is in its queue";
    case RNIC_EVENT_CQ:
        return "an interrupt or a poll of a completion queue";
    case RNIC_EVENT_CQ_ERROR:
        return "a completion queue overran";
    case RNIC_EVENT_LAST_WQE:
        return "a queue pair that failed takes no more shared receives";
    case RNIC_EVENT_FIRST_OWN:
        break;
    }
    return "";
}

static const char *host_words(uint8_t kind)
{
    switch ((enum host_event)kind) {
    case HOST_EVENT_TIMER:
        return "a host timer";
    case HOST_EVENT_PROCESSOR:
        return "the CPU is free";
    }
    const char *words = rnic_words(kind);
    return *words == '\0' ? "an event" : words;
}

/* The switch's own kinds are private to it: the rest of a frame arrives, the lifetime of a frame
 * ends, the watchdog polls. */
static const char *switch_words(uint8_t kind)
{
    return kind == NET_EVENT_FIRST_OWN ? "a cut-through frame may leave"
           : kind >= EVENT_QUIET       ? "the lifetime of a frame may be over"
                                       : "the PFC watchdog polls";
}

static const char *words_of(const struct eventlog *log, const struct eventlog_event *event)
{
    const char *words = net_words(event->kind);
    if (*words != '\0')
        return words;
    return log->world->scenario->nodes[event->node].kind == SCENARIO_HOST
               ? host_words(event->kind)
               : switch_words(event->kind);
}

static const char *what_of(const struct eventlog *log, const struct eventlog_event *event,
                           struct arena *arena)
{
    const struct scenario_node *nodes = log->world->scenario->nodes;
    if (event->bytes == 0)
        return words_of(log, event);
    if (event->opcode == FRAME_PFC || event->opcode == FRAME_PAUSE || event->opcode == FRAME_CREDIT)
        return arena_format(arena, "%s arrives", frame_opcode_name(event->opcode));
    const char *from = nodes[log->host_of[event->source]].name;
    const char *to = nodes[log->host_of[event->destination]].name;
    if (event->opcode == FRAME_TCP)
        return arena_format(
            arena, "%s from %s to %s arrives (%s, %u B)", frame_opcode_name(event->opcode), from,
            to, segment_words(event->qpn, event->psn, &event->segment).text, event->bytes);
    return arena_format(arena, "%s from %s to %s arrives (QP %u, PSN %u, %u B)",
                        frame_opcode_name(event->opcode), from, to, event->qpn, event->psn,
                        event->bytes);
}

struct eventlog_reported eventlog_tell(const struct eventlog *log,
                                       const struct eventlog_event *event, struct arena *arena)
{
    return (struct eventlog_reported){
        .at = event->at,
        .port = arena_format(
            arena, "%s",
            scenario_port_name(&log->world->scenario->nodes[event->node], event->port).text),
        .what = what_of(log, event, arena),
    };
}
