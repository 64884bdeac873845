/* SPDX-License-Identifier: Apache-2.0
 * incident_diff - counters of an incident beside those of a run that replays it.
 * Reads the object that stormglass import counters wrote.  A port of the incident is the run's port
 * that the caller says, else that which port_counters_find finds by its name.
 * An incident lasts minutes and a replay milliseconds: when the caller says how long the incident
 * lasted, its counts are taken for the time of the run before they are compared.
 * Limits: INCIDENT_DIFF_BYTES_MAX a file, and those of json_tree.h.
 * Owner: incident_diff_free.  Errors: messages in diag. */
#ifndef STORMGLASS_REPLAY_COMPARE_INCIDENT_DIFF_H
#define STORMGLASS_REPLAY_COMPARE_INCIDENT_DIFF_H

#include "base/units.h"
#include "replay/database/port_counters.h"
#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"

struct incident_map {
    const char *from, *to; /* port of the incident, port of the run */
};

struct incident_diff_ask {
    const char *file;
    const char *text; /* NULL: the file is read */
    size_t length;
    const struct incident_map *maps;
    uint32_t map_count;
    time_ps lasted; /* 0: counts are compared as they are */
    time_ps run_lasted;
};

/* A counter that both have, and of which one at least is not zero. */
struct incident_row {
    const char *port, *run_port, *name;
    const char *unit;
    int64_t incident, replay;
    double expected; /* incident, for the time of the run */
    int orders;      /* of magnitude that the replay is above (positive) or below; 0: within one */
    bool one_sided;  /* the one is zero, or would be, the other is not */
};

/* What could not be compared, and why. */
enum incident_apart { INCIDENT_NO_PORT, INCIDENT_NO_COUNTER, INCIDENT_APARTS };
struct incident_left {
    enum incident_apart why;
    const char *name;        /* of the port, or of the counter */
    uint32_t count;          /* counters of that port, ports with that counter */
    struct diag_place place; /* of the first */
};

struct incident_diff {
    struct arena arena;
    struct incident_row *rows; /* those that disagree most first */
    size_t row_count;
    struct incident_left *left; /* those that moved; by name */
    size_t left_count;
    uint32_t ports; /* compared */
    uint32_t agree; /* rows within an order of magnitude */
    bool scaled;
};

enum { INCIDENT_DIFF_BYTES_MAX = 32 * 1024 * 1024 };

/* Less than this on both sides is not worth a word. */
enum { INCIDENT_NOISE = 10 };

bool incident_diff(struct incident_diff *diff, const struct port_counters *counters,
                   const struct incident_diff_ask *ask, struct diag *diag);
/* Nothing of the incident is in the run: no port, or no counter that moved. */
static inline bool incident_diff_is_empty(const struct incident_diff *diff)
{
    return diff->row_count == 0 && (diff->ports == 0 || diff->left_count > 0);
}

void incident_diff_free(struct incident_diff *diff);

#endif
