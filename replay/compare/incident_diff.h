/* SPDX-License-Identifier: Apache-2.0
 * incident_diff - compares counters of an incident with those of a run that reproduces it.
 * Reads the JSON object written by `stormglass import counters`, or an incident in memory. A port
 * of the incident maps to the run's port that the caller names, otherwise to the one that
 * port_counters_find finds under its name, or to the only port of its node. An incident lasts
 * minutes and a run milliseconds: if the caller gives the duration of the incident, its counts are
 * scaled to the duration of the run.
 * Limits: INCIDENT_DIFF_BYTES_MAX per file, and those of json_tree.h.
 * Owner: incident_diff_free. Errors: messages in diag. */
#ifndef STORMGLASS_REPLAY_COMPARE_INCIDENT_DIFF_H
#define STORMGLASS_REPLAY_COMPARE_INCIDENT_DIFF_H

#include "base/units.h"
#include "replay/database/port_counters.h"
#include "scenarios/format/arena.h"
#include "scenarios/format/diag.h"

struct incident;

struct incident_map {
    const char *from, *to; /* port of the incident, port of the run */
};

struct incident_diff_ask {
    const char *file;
    const char *text; /* NULL: read the file */
    size_t length;
    const struct incident *incident; /* NULL: its counters are in the text or the file */
    const struct incident_map *maps;
    uint32_t map_count;
    time_ps lasted; /* ps; 0: compare counts unscaled */
    time_ps run_lasted;
};

/* A counter that both have and that is nonzero in at least one. */
struct incident_row {
    const char *port, *run_port, *name;
    const char *unit;
    size_t index; /* of the counter in the incident or its file */
    int64_t incident, replay;
    double expected; /* incident, scaled to the run's duration */
    int orders;      /* orders of magnitude above (> 0) or below; 0: within one */
    bool is_peak;    /* a maximum, which does not grow with time */
    double score;    /* incident_score.h; a maximum has none */
    bool one_sided;  /* one value is zero (or rounds to it), the other is not */
};

/* Counters that could not be compared, and why. */
enum incident_apart { INCIDENT_NO_PORT, INCIDENT_NO_COUNTER, INCIDENT_APARTS };
struct incident_left {
    enum incident_apart why;
    const char *name;        /* of the port or of the counter */
    uint32_t count;          /* counters of that port, or ports with that counter */
    struct diag_place place; /* of the first one */
};

struct incident_diff {
    struct arena arena;
    struct incident_row *rows; /* largest disagreement first */
    size_t row_count;
    struct incident_left *left; /* only counters that changed; by name */
    size_t left_count;
    uint32_t ports; /* number compared */
    uint32_t agree; /* rows within one order of magnitude */
    bool scaled;
    double score; /* of the run: incident_score.h; 0 is the best */
    double scale; /* of the incident's counts in the score; fitted unless `scaled` */
};

enum { INCIDENT_DIFF_BYTES_MAX = 32 * 1024 * 1024 };

/* If both values are below this, the difference is not reported. */
enum { INCIDENT_NOISE = 10 };

bool incident_diff(struct incident_diff *diff, const struct port_counters *counters,
                   const struct incident_diff_ask *ask, struct diag *diag);
/* True if no port matches or no counter changed. */
static inline bool incident_diff_is_empty(const struct incident_diff *diff)
{
    return diff->row_count == 0 && (diff->ports == 0 || diff->left_count > 0);
}

void incident_diff_free(struct incident_diff *diff);

#endif
