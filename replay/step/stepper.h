/* SPDX-License-Identifier: Apache-2.0
 * stepper - a world that can stop after any event and report what happened.
 * The stepper watches the engine and chains each event as the engine does, so its digests are those
 * of an ordinary run. There are two kinds of position: just after an event, before anything that
 * happens between events (a workload starts, a fault begins); or after everything up to and
 * including a given time. The state at a position does not depend on stops on the way to it.
 * Owner: stepper_free. The scenario must outlive it. Clock: virtual time. */
#ifndef STORMGLASS_REPLAY_STEP_STEPPER_H
#define STORMGLASS_REPLAY_STEP_STEPPER_H

#include "replay/run/eventlog.h"
#include "replay/step/step_checks.h"
#include "replay/step/step_condition.h"

enum { STEP_CONDITIONS = 32, STEP_RECENT = 1024, STEP_WHAT_BYTES = 192 };

struct step_position {
    uint64_t events; /* number executed */
    time_ps now;     /* last event; between events: all done up to here */
    bool between;
};

/* Goals of a move; whichever is reached first ends it. */
struct step_goal {
    uint64_t events; /* stop just after this event, counted from 1; UINT64_MAX: none */
    time_ps until;   /* stop when everything up to this time is done; TIME_NEVER: none */
    uint64_t slice;  /* return to the caller after so many events, for polling; UINT64_MAX: never */
    uint64_t hits;   /* stop after so many events that meet a condition; 0: only count them */
    uint32_t condition_count;
    struct step_condition conditions[STEP_CONDITIONS];
};

enum step_end {
    STEP_AT_HIT,
    STEP_AT_EVENT,
    STEP_AT_TIME,
    STEP_AT_SLICE,
    STEP_AT_END, /* end of the run */
};

struct step_moved {
    enum step_end end;
    struct step_position position;
    uint64_t hits;              /* events on the way that met a condition */
    uint32_t conditions;        /* bit set: conditions met by the last of them */
    char what[STEP_WHAT_BYTES]; /* description of it; may be empty */
    /* Comparison with a stored run, since the start of the run. */
    uint32_t checked;    /* number of equal checkpoints */
    time_ps differs_at;  /* time of the first different one; TIME_NEVER: none */
    uint32_t differs_in; /* node index */
};

struct stepper;

/* Returns NULL and adds messages to diag if the scenario is invalid. `checks` are those of the
 * stored run; NULL: none. */
struct stepper *stepper_new(const struct scenario *scenario, const struct step_checks *checks,
                            struct diag *diag);
void stepper_free(struct stepper *stepper);

/* A goal before the current position is reached immediately. */
void stepper_move(struct stepper *stepper, const struct step_goal *goal, struct step_moved *moved);

struct step_position stepper_position(const struct stepper *stepper);
const struct world *stepper_world(const struct stepper *stepper);
struct digest stepper_digest(const struct stepper *stepper);

/* The endpoint's host. */
uint32_t stepper_host_of(const struct stepper *stepper, uint32_t endpoint);

/* Since when a port is paused; TIME_NEVER if it is not. */
time_ps stepper_paused_since(const struct stepper *stepper, uint32_t node, uint16_t port,
                             uint8_t priority);

/* Returns the last events, at most `count` and STEP_RECENT, oldest first, and the number of the
 * first one. */
uint32_t stepper_recent(const struct stepper *stepper, uint32_t count, struct arena *arena,
                        struct eventlog_reported *reported, uint64_t *first);

/* True if the goal's event or time is not before the position. */
bool step_position_reaches(const struct step_position *from, const struct step_goal *goal);

#endif
