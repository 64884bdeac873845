/* SPDX-License-Identifier: Apache-2.0
 * listener - a probe in front of the run's own one.
 * Functions of events that the listener does not hear are those of the other probe behind one call;
 * functions that the other probe does not have stay NULL, because the model skips them. */
#include "replay/run/listener.h"

#include "base/drop.h"
#include "base/memory.h"
#include "net/frame/frame.h"
#include "nvme/wire/spec.h"
#include "replay/database/words.h"
#include "replay/run/segment_words.h"
#include "rnic/host/rnic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIORITIES_HEARD = 8, TEXT_BYTES = 256 };

const char *const listener_words[LISTENER_KINDS] = {
#define X(name, word) word,
    LISTENER_EVENTS(X)
#undef X
};

static bool hears(const struct listening *listening, enum listener_kind kind)
{
    return (listening->listener->kinds >> kind & 1) != 0;
}

static void report_event(struct listening *listening, const struct listener_event *event)
{
    if (atomic_load(&listening->stop) == 0 &&
        !listening->listener->hear(listening->listener->self, event))
        atomic_store(&listening->stop, 1);
}

static struct scenario_port_text port_text(const struct listening *listening, uint32_t node,
                                           uint16_t port)
{
    return scenario_port_name(&listening->scenario->nodes[node], port);
}

static const char *host_name(const struct listening *listening, uint32_t endpoint)
{
    return endpoint < listening->endpoint_count
               ? listening->scenario->nodes[listening->host_of[endpoint]].name
               : "";
}

/* ---- frames and pauses ---- */

static void hear_frame(void *self, const struct probe_frame *probe)
{
    struct listening *listening = self;
    const struct frame *frame = probe->frame;
    char text[TEXT_BYTES];
    if (listening->next->frame != NULL)
        listening->next->frame(listening->next->self, probe);
    if (frame_is_mac_control(frame)) {
        snprintf(text, sizeof text, "%s", frame_opcode_name(frame->opcode));
    } else if (frame->opcode == FRAME_TCP) {
        const struct segment_note note = segment_note(frame, probe->head);
        snprintf(text, sizeof text, "%s from %s to %s (%s)%s", frame_opcode_name(frame->opcode),
                 host_name(listening, frame->source), host_name(listening, frame->destination),
                 segment_words(frame->qpn, frame->psn, &note).text, probe->lost ? ", lost" : "");
    } else {
        snprintf(text, sizeof text, "%s from %s to %s (QP %u, PSN %u)%s",
                 frame_opcode_name(frame->opcode), host_name(listening, frame->source),
                 host_name(listening, frame->destination), frame->qpn, frame->psn,
                 probe->lost ? ", lost" : "");
    }
    report_event(listening, &(struct listener_event){
                                .kind = LISTENER_PACKET,
                                .at = probe->at,
                                .place = port_text(listening, probe->node, probe->port).text,
                                .priority = frame_is_mac_control(frame) ? -1 : frame->priority,
                                .took = probe->wire_ps,
                                .bytes = frame->bytes,
                                .text = text,
                            });
}

static void hear_drop(void *self, const struct probe_drop *drop)
{
    struct listening *listening = self;
    char text[TEXT_BYTES];
    listening->next->drop(listening->next->self, drop);
    snprintf(text, sizeof text, "a frame from %s to %s is dropped: %s",
             host_name(listening, drop->source), host_name(listening, drop->destination),
             probe_drops[drop->cause].word);
    report_event(listening, &(struct listener_event){
                                .kind = LISTENER_DROP,
                                .at = drop->at,
                                .place = port_text(listening, drop->node, drop->port).text,
                                .priority = drop->priority,
                                .took = -1,
                                .bytes = drop->frame_bytes,
                                .text = text,
                            });
}

static void hear_pause(void *self, const struct probe_pause *pause)
{
    struct listening *listening = self;
    const enum listener_kind kind = pause->xoff ? LISTENER_PAUSE : LISTENER_RESUME;
    char text[TEXT_BYTES];
    listening->next->pause(listening->next->self, pause);
    if (pause->refresh || !hears(listening, kind))
        return;
    snprintf(text, sizeof text, "sends %s: %s buffered, threshold %s", pause->xoff ? "XOFF" : "XON",
             words_bytes(pause->occupancy).text, words_bytes(pause->threshold).text);
    report_event(listening, &(struct listener_event){
                                .kind = kind,
                                .at = pause->at,
                                .place = port_text(listening, pause->node, pause->port).text,
                                .priority = pause->priority,
                                .took = -1,
                                .bytes = -1,
                                .text = text,
                            });
}

static void hear_blocked(void *self, const struct probe_blocked *blocked)
{
    struct listening *listening = self;
    const enum listener_kind kind = blocked->blocked ? LISTENER_PAUSED : LISTENER_CONTINUED;
    time_ps *since =
        &listening
             ->since[(listening->first_port[blocked->node] + blocked->port) * PRIORITIES_HEARD +
                     blocked->priority];
    const time_ps began = *since;
    listening->next->blocked(listening->next->self, blocked);
    *since = !blocked->blocked ? TIME_NEVER : began == TIME_NEVER ? blocked->at : began;
    if ((began != TIME_NEVER) == blocked->blocked || !hears(listening, kind))
        return;
    report_event(listening, &(struct listener_event){
                                .kind = kind,
                                .at = blocked->at,
                                .place = port_text(listening, blocked->node, blocked->port).text,
                                .priority = blocked->priority,
                                .took = blocked->blocked ? -1 : blocked->at - began,
                                .bytes = -1,
                                .text = blocked->blocked ? "is paused" : "sends again",
                            });
}

/* ---- commands, messages, states ---- */

static void hear_host_io(void *self, const struct probe_host_io *io)
{
    struct listening *listening = self;
    const bool good = io->status == 0;
    const enum listener_kind kind = good ? LISTENER_COMPLETED : LISTENER_FAILED;
    char text[TEXT_BYTES];
    listening->next->host_io(listening->next->self, io);
    if (!hears(listening, kind))
        return;
    snprintf(text, sizeof text, "%s of %s to %s, status %#x", nvme_opcode_word(io->opcode),
             words_bytes(io->bytes).text, host_name(listening, io->target_ip - RNIC_FIRST_IP),
             io->status);
    report_event(listening, &(struct listener_event){
                                .kind = kind,
                                .at = io->completed_at,
                                .place = host_name(listening, io->host_ip - RNIC_FIRST_IP),
                                .workload = listening->scenario->workloads[io->workload].name,
                                .priority = -1,
                                .took = io->completed_at - io->issued_at,
                                .bytes = io->bytes,
                                .text = text,
                            });
}

static void hear_message(void *self, const struct probe_message *message)
{
    struct listening *listening = self;
    const struct scenario_workload *about = &listening->scenario->workloads[message->workload];
    const struct scenario_pair *pair = &about->pairs[message->member / about->copies];
    const enum listener_kind kind = message->good ? LISTENER_COMPLETED : LISTENER_FAILED;
    char text[TEXT_BYTES];
    if (listening->next->message != NULL)
        listening->next->message(listening->next->self, message);
    if (!hears(listening, kind))
        return;
    snprintf(text, sizeof text, "message to %s", listening->scenario->nodes[pair->to].name);
    report_event(listening, &(struct listener_event){
                                .kind = kind,
                                .at = message->completed_at,
                                .place = listening->scenario->nodes[pair->from].name,
                                .workload = about->name,
                                .priority = -1,
                                .took = message->completed_at - message->issued_at,
                                .bytes = -1,
                                .text = text,
                            });
}

static void hear_state(void *self, const struct probe_state *state)
{
    struct listening *listening = self;
    char text[TEXT_BYTES];
    listening->next->state(listening->next->self, state);
    snprintf(text, sizeof text, "%s from %s by %s to %s", state->machine, state->from, state->event,
             state->to);
    report_event(listening, &(struct listener_event){.kind = LISTENER_STATE,
                                                     .at = state->at,
                                                     .place = state->owner,
                                                     .priority = -1,
                                                     .took = -1,
                                                     .bytes = -1,
                                                     .text = text});
}

static void hear_note(void *self, time_ps at, const char *owner, const char *note)
{
    struct listening *listening = self;
    listening->next->note(listening->next->self, at, owner, note);
    report_event(listening, &(struct listener_event){.kind = LISTENER_NOTE,
                                                     .at = at,
                                                     .place = owner,
                                                     .priority = -1,
                                                     .took = -1,
                                                     .bytes = -1,
                                                     .text = note});
}

void listening_progress(struct listening *listening, time_ps now, time_ps end)
{
    char text[TEXT_BYTES];
    if (!hears(listening, LISTENER_PROGRESS))
        return;
    snprintf(text, sizeof text, "%s of %s", words_time(now).text, words_time(end).text);
    report_event(listening, &(struct listener_event){.kind = LISTENER_PROGRESS,
                                                     .at = now,
                                                     .place = "",
                                                     .priority = -1,
                                                     .took = -1,
                                                     .bytes = -1,
                                                     .text = text});
}

/* ---- events that the listener does not hear ---- */

#define PASSED(X)                                                                                  \
    X(drop)                                                                                        \
    X(pause)                                                                                       \
    X(blocked) X(target_io) X(host_io) X(state) X(frame) X(work) X(hold) X(use) X(message)         \
        X(segment) X(stream)

#define X(name)                                                                                    \
    static void pass_##name(void *self, const struct probe_##name *event)                          \
    {                                                                                              \
        const struct probe *next = ((const struct listening *)self)->next;                         \
        next->name(next->self, event);                                                             \
    }
PASSED(X)
#undef X

static void pass_hop(void *self, const struct probe_hop *hop)
{
    const struct probe *next = ((const struct listening *)self)->next;
    next->hop(next->self, hop);
}

static void pass_ack(void *self, const struct probe_hop *hop)
{
    const struct probe *next = ((const struct listening *)self)->next;
    next->ack(next->self, hop);
}

static void pass_note(void *self, time_ps at, const char *owner, const char *text)
{
    const struct probe *next = ((const struct listening *)self)->next;
    next->note(next->self, at, owner, text);
}

static void set_functions(struct listening *listening)
{
    struct probe *probe = &listening->probe;
    const struct probe *next = listening->next;
    const bool ends = hears(listening, LISTENER_COMPLETED) || hears(listening, LISTENER_FAILED);
    probe->self = listening;
#define X(name) probe->name = next->name == NULL ? NULL : pass_##name;
    PASSED(X)
    X(hop)
    X(ack)
    X(note)
#undef X
    if (hears(listening, LISTENER_PACKET))
        probe->frame = hear_frame;
    if (hears(listening, LISTENER_DROP))
        probe->drop = hear_drop;
    if (hears(listening, LISTENER_PAUSE) || hears(listening, LISTENER_RESUME))
        probe->pause = hear_pause;
    if (hears(listening, LISTENER_PAUSED) || hears(listening, LISTENER_CONTINUED))
        probe->blocked = hear_blocked;
    if (ends)
        probe->host_io = hear_host_io;
    if (ends)
        probe->message = hear_message;
    if (hears(listening, LISTENER_STATE))
        probe->state = hear_state;
    if (hears(listening, LISTENER_NOTE))
        probe->note = hear_note;
}

/* ---- beginning and end ---- */

void listening_init(struct listening *listening, const struct listener *listener,
                    const struct scenario *scenario, const struct probe *next)
{
    uint32_t ports = 0, endpoints = 0, room = 0;
    *listening = (struct listening){.next = next, .listener = listener, .scenario = scenario};
    listening->first_port = memory_zeroed(scenario->node_count, sizeof *listening->first_port);
    for (uint32_t i = 0; i < scenario->node_count; i++) {
        const struct scenario_node *node = &scenario->nodes[i];
        listening->first_port[i] = ports;
        ports += node->port_count;
        for (uint16_t port = 0; node->kind == SCENARIO_HOST && port < node->port_count; port++) {
            listening->host_of =
                memory_grown(listening->host_of, endpoints, &room, sizeof *listening->host_of);
            listening->host_of[endpoints++] = i;
        }
    }
    listening->endpoint_count = endpoints;
    listening->since = memory_zeroed((size_t)ports * PRIORITIES_HEARD, sizeof *listening->since);
    for (size_t i = 0; i < (size_t)ports * PRIORITIES_HEARD; i++)
        listening->since[i] = TIME_NEVER;
    set_functions(listening);
}

void listening_fini(struct listening *listening)
{
    free(listening->host_of);
    free(listening->since);
    free(listening->first_port);
    *listening = (struct listening){0};
}
