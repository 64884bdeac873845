/* SPDX-License-Identifier: Apache-2.0
 * eventlog - what the nodes of a world executed, event by event.
 * For people who look on, not for runs: a world with a log has no digest (engine_watch).  An event
 * is kept as what can be held against another run: when, where, of what kind, which frame, and what
 * the model chained into the digest while it went on.  Handles, pointers and ranks are left out.
 * Memory grows with what is kept; eventlog_clear lets it be used again.
 * Owner: eventlog_fini, before the world is freed.  Clock: virtual time. */
#ifndef STORMGLASS_REPLAY_RUN_EVENTLOG_H
#define STORMGLASS_REPLAY_RUN_EVENTLOG_H

#include "scenarios/format/arena.h"
#include "scenarios/world/world.h"

struct eventlog_event {
    time_ps at;
    uint64_t meaning; /* what was chained: frames received, completions, states */
    uint32_t node;    /* of its own world */
    uint16_t port;
    uint8_t kind;
    uint8_t opcode; /* of the frame that it is about; with bytes 0 there is none */
    uint32_t source, destination, qpn, psn;
    uint16_t bytes;
};

struct eventlog {
    struct world *world;
    struct engine_watch watch;
    uint32_t *host_of; /* by endpoint: its node */
    struct eventlog_event *events;
    uint32_t count, room;
    uint32_t only; /* keeps the events of this node; UINT32_MAX: of all */
};

/* Before the world's first event; the log stays where it is. */
void eventlog_init(struct eventlog *log, struct world *world);
void eventlog_fini(struct eventlog *log);

/* For a watch of one's own: a log that sees nothing by itself and leaves digests alone, for
 * eventlog_tell; and what is to be known of an event that is about to be executed. */
void eventlog_begin(struct eventlog *log, struct world *world);
struct eventlog_event eventlog_note(const struct world *world, const struct event *event);
void eventlog_clear(struct eventlog *log);

/* The same, wherever it was executed. */
bool eventlog_equal(const struct eventlog_event *a, const struct eventlog_event *b);

/* An event for people. */
struct eventlog_reported {
    time_ps at;
    const char *port; /* leaf0:p3 */
    const char *what; /* "RC_SEND_ONLY host3 > host0, QP 17, PSN 5, 1090 B arrives" */
};

struct eventlog_reported eventlog_tell(const struct eventlog *log,
                                       const struct eventlog_event *event, struct arena *arena);

#endif
