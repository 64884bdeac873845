/* SPDX-License-Identifier: Apache-2.0
 * watch - looks again and again at counters and logs, and reports which patterns begin and end.
 * A pattern is a suspect of triage that is strong enough to be called a fault, or overload where
 * triage calls the whole overload.  Both ends of a cable are one place.
 * The state is one JSON file: what the last look saw (incident_past.h), and the patterns that it
 * found.  A pattern ends when new counters of its device do not show it any more; without new
 * counters it lasts.
 * Limits:  of the state, those of json_tree.h: watch_state_values.
 * Names are bytes, which JSON cannot have: other bytes than printable UTF-8, and %, are written as
 * %XX.
 * Owner:   watch_state_free, watch_look_free.  Errors: located messages in diag. */
#ifndef STORMGLASS_REPLAY_INCIDENT_WATCH_H
#define STORMGLASS_REPLAY_INCIDENT_WATCH_H

#include "replay/incident/triage.h"
#include "scenarios/format/tree.h"
#include "scenarios/incident/incident_past.h"

struct watch_pattern {
    enum suspect_kind kind;
    const char *device, *port, *peer, *peer_port; /* as in struct triage_suspect */
    const char *since;                            /* time of the look that found it first */
};

struct watch_state {
    struct arena arena;
    const char **of; /* files, folders and devices that it is the state of */
    size_t of_count;
    const char *last; /* time of the last look */
    struct incident_past past;
    struct watch_pattern *patterns;
    size_t pattern_count;
};

/* The state that a file holds.  False when the diag holds an error. */
bool watch_state_read(struct watch_state *state, const struct tree_file *file, struct diag *diag);
void watch_state_free(struct watch_state *state);

/* A name as the state has it.  Owner: free(). */
char *watch_state_name(const char *name);

struct watch_look {
    struct arena arena;
    const char *time;
    const struct triage_suspect **began; /* of the triage */
    size_t began_count;
    const struct watch_pattern **ended; /* of the state before */
    size_t ended_count;
    struct watch_pattern *patterns; /* that last or began */
    size_t pattern_count;
};

/* Compares a look with the state before it, whose past the incident was read with.  `time`: of the
 * look.  Without an earlier look nothing began. */
void watch_compare(struct watch_look *look, const struct watch_state *state,
                   const struct incident *incident, const struct triage *triage, const char *time);
void watch_look_free(struct watch_look *look);

/* Counters of one port and time are one object. */
bool watch_state_same_port(const struct incident_past_number *a,
                           const struct incident_past_number *b);
/* The number of JSON values of the state after that look: the reader takes TREE_NODES_MAX. */
size_t watch_state_values(const struct watch_look *look, const struct watch_state *state,
                          const struct incident *incident);

#endif
