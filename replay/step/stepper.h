/* SPDX-License-Identifier: Apache-2.0
 * stepper - a world that stops after any event, and says what happened.
 * The stepper watches the engine and chains each event as the engine does, so that its digests are
 * those of an ordinary run.  It has two kinds of position: just after an event, before anything
 * that happens between events (a workload that begins, a fault), or when all is done up to and
 * including a moment.  The state at a position does not depend on the stops on the way to it.
 * Owner: stepper_free.  The scenario outlives it.  Clock: virtual time. */
#ifndef STORMGLASS_REPLAY_STEP_STEPPER_H
#define STORMGLASS_REPLAY_STEP_STEPPER_H

#include "replay/run/eventlog.h"
#include "replay/step/step_checks.h"
#include "replay/step/step_condition.h"

enum { STEP_CONDITIONS = 32, STEP_RECENT = 1024, STEP_WHAT_BYTES = 192 };

struct step_position {
    uint64_t events; /* executed */
    time_ps now;     /* of the last of them; between events: the moment that all is done up to */
    bool between;
};

/* Where to go.  Whatever comes first ends the move. */
struct step_goal {
    uint64_t events; /* stop just after the event of this number, from 1; UINT64_MAX: none */
    time_ps until;   /* stop when all is done up to this moment; TIME_NEVER: none */
    uint64_t slice;  /* stop after so many events, for the caller to look up; UINT64_MAX */
    uint64_t hits;   /* stop after so many events that a condition is true of; 0: count them */
    uint32_t condition_count;
    struct step_condition conditions[STEP_CONDITIONS];
};

enum step_end {
    STEP_AT_HIT,
    STEP_AT_EVENT,
    STEP_AT_TIME,
    STEP_AT_SLICE,
    STEP_AT_END, /* the run is over */
};

struct step_moved {
    enum step_end end;
    struct step_position position;
    uint64_t hits;              /* events on the way that a condition is true of */
    uint32_t conditions;        /* mask: those of the last of them */
    char what[STEP_WHAT_BYTES]; /* happened in it, in words; may be empty */
    /* Since the run's begin, of a run that is held against a stored one. */
    uint32_t checked;    /* checkpoints that were equal */
    time_ps differs_at;  /* the first that was not; TIME_NEVER: all were */
    uint32_t differs_in; /* node */
};

struct stepper;

/* NULL and messages in diag when the scenario cannot be built.  `checks`: those of the stored run;
 * NULL: there is none. */
struct stepper *stepper_new(const struct scenario *scenario, const struct step_checks *checks,
                            struct diag *diag);
void stepper_free(struct stepper *stepper);

/* A goal that lies behind is reached at once. */
void stepper_move(struct stepper *stepper, const struct step_goal *goal, struct step_moved *moved);

struct step_position stepper_position(const struct stepper *stepper);
const struct world *stepper_world(const struct stepper *stepper);
struct digest stepper_digest(const struct stepper *stepper);

/* The endpoint's host. */
uint32_t stepper_host_of(const struct stepper *stepper, uint32_t endpoint);

/* Since when a port has had to stop; TIME_NEVER: it has not. */
time_ps stepper_paused_since(const struct stepper *stepper, uint32_t node, uint16_t port,
                             uint8_t priority);

/* The last events, at most `count` and STEP_RECENT, the oldest first; the number of the first. */
uint32_t stepper_recent(const struct stepper *stepper, uint32_t count, struct arena *arena,
                        struct eventlog_reported *reported, uint64_t *first);

/* True when the goal's event or moment does not lie before the position. */
bool step_position_reaches(const struct step_position *from, const struct step_goal *goal);

#endif
