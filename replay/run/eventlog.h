/* SPDX-License-Identifier: Apache-2.0
 * eventlog - the events executed by the nodes of a world.
 * For interactive use, not for runs: a world with a log has no digest (engine_watch). An event is
 * kept in a form that can be compared with another run: time, place, kind, frame, and the data that
 * the model chained into the digest meanwhile. Handles, pointers and ranks are omitted. Memory
 * grows with the kept events; eventlog_clear makes it reusable.
 * Owner: eventlog_fini, before the world is freed. Clock: virtual time. */
#ifndef STORMGLASS_REPLAY_RUN_EVENTLOG_H
#define STORMGLASS_REPLAY_RUN_EVENTLOG_H

#include "replay/run/segment_words.h"
#include "scenarios/format/arena.h"
#include "scenarios/world/world.h"

struct eventlog_event {
    time_ps at;
    uint64_t meaning; /* chained data: frames received, completions, states */
    uint32_t node;    /* in its own world */
    uint16_t port;
    uint8_t kind;
    uint8_t opcode; /* of the event's frame; without a frame, bytes is 0 */
    uint32_t source, destination, qpn, psn;
    uint16_t bytes;
    struct segment_note segment; /* only of TCP */
};

struct eventlog {
    struct world *world;
    struct engine_watch watch;
    uint32_t *host_of; /* by endpoint: its node */
    struct eventlog_event *events;
    uint32_t count, room;
    uint32_t only; /* keep only this node's events; UINT32_MAX: all nodes */
};

/* Call before the world's first event; do not move the log. */
void eventlog_init(struct eventlog *log, struct world *world);
void eventlog_fini(struct eventlog *log);

/* For a caller with its own watch: a log that does not watch and leaves digests alone, to be used
 * with eventlog_tell; and the description of an event about to be executed. */
void eventlog_begin(struct eventlog *log, struct world *world);
struct eventlog_event eventlog_note(const struct world *world, const struct event *event);
void eventlog_clear(struct eventlog *log);

/* Equal except for the world in which they were executed. */
bool eventlog_equal(const struct eventlog_event *a, const struct eventlog_event *b);

/* An event in readable form. */
struct eventlog_reported {
    time_ps at;
    const char *port; /* leaf0:p3 */
    const char *what; /* "RC_SEND_ONLY from host3 to host0 arrives (QP 17, PSN 5, 1090 B)"; of TCP
                       * ports, sequence number, flags and PDU (segment_words.h) */
};

struct eventlog_reported eventlog_tell(const struct eventlog *log,
                                       const struct eventlog_event *event, struct arena *arena);

#endif
