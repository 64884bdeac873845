/* SPDX-License-Identifier: Apache-2.0
 * fit - suspects of an incident as runs: which change of the fabric explains the counters.
 * Each of the first suspects becomes a change of the scenario with at most one magnitude and one
 * beginning (fit_kind.def).  The magnitude is searched on a logarithmic scale, coarse then fine: it
 * is one number, a run costs seconds, and counters of short runs are whole numbers whose steps
 * would mislead a method that needs derivatives (least_squares.h).  The beginning needs no runs of
 * its own: counters of a part of the incident with the fault and the rest without it add up.
 * The score is that of stormglass diff (incident_score.h).
 * A run represents the whole incident: milliseconds with the rates of minutes.
 * Each run ends after a number of events, not of seconds, and so do all runs together
 * (FIT_EVENTS_MAX): no answer depends on the machine.
 * Owner: fit_free. */
#ifndef STORMGLASS_REPLAY_INCIDENT_FIT_H
#define STORMGLASS_REPLAY_INCIDENT_FIT_H

#include "base/units.h"
#include "replay/incident/triage.h"

enum fit_kind {
#define KIND(id, name, low, high, is_fault, words) FIT_##id,
#include "replay/incident/fit_kind.def"
#undef KIND
    FIT_KINDS
};

enum {
    FIT_HYPOTHESES_MAX = 12,
    FIT_REMEDIES_MAX = 4,
    FIT_SEPARATORS_MAX = 3,
    FIT_TEXT_BYTES = 240
};

/* Events of all runs of a fit: those that the budget does not pay for are left out. */
#define FIT_EVENTS_MAX UINT64_C(600000000)

struct fit_hypothesis {
    enum fit_kind kind;
    const char *device; /* as the scenario calls it; NULL: of no place */
    const char *port;   /* "leaf0:p3", or NULL */
    const char *peer;   /* at the other end of its cable, or NULL */
    int priority;
    int64_t rate;                       /* of the link, bits per second */
    int place;                          /* port of the triage's map, or TRIAGE_NO_PORT */
    double value;                       /* fitted magnitude, 0: it has none */
    bool measured;                      /* value and share are those of counters, not of runs */
    double share;                       /* of the incident with the fault */
    double score;                       /* of the run; 0 is the best */
    double prior;                       /* score of the triage */
    double rank;                        /* of both */
    bool ran;                           /* false: no run was possible */
    const char *set;                    /* path=value of the change, "" where nothing changes */
    const char *words;                  /* "slow receiver at host3" */
    const char *magnitude;              /* "drains 9.8 of 25 Gb/s", or "" */
    size_t suspect;                     /* of the triage; SIZE_MAX: of none */
    int64_t *replay;                    /* counters of the run */
    int64_t received, drops, paused_ps; /* of the run; bytes at other hosts */
};

struct fit_separator {
    const char *host, *port, *counter;
    int64_t incident;      /* count, scaled to the run */
    int64_t replay, other; /* of the first hypothesis and the other one */
    double gain;           /* of score */
};

struct fit_remedy {
    const char *words, *set;
    bool ran;
    int64_t received, drops, paused_ps;
};

struct fit {
    struct arena arena;
    struct fit_hypothesis hypotheses[FIT_HYPOTHESES_MAX]; /* best first */
    uint32_t count;
    bool confirmed;    /* the first one is clearly better than the others and than no change */
    double lead_least; /* of scores: less says nothing */
    uint32_t alike;    /* hypotheses after the first that explain the counters as well */
    struct fit_separator
        separators[FIT_SEPARATORS_MAX]; /* counters that decided, or would decide */
    uint32_t separator_count;
    struct fit_remedy remedies[FIT_REMEDIES_MAX];
    uint32_t remedy_count;
    bool healthy_ran;         /* a run of the remedies' traffic without a fault */
    int64_t healthy_received; /* of that run */
    const char **assumptions;
    size_t assumption_count;
    const char **sets; /* path=value: the fabric with the traffic and the first hypothesis */
    uint32_t set_count;
    uint32_t runs;
    uint64_t events;
    bool is_cut;              /* FIT_EVENTS_MAX left out runs: unlikely suspects, fine magnitudes */
    time_ps lasts;            /* of each run */
    int64_t incident_s;       /* what it represents */
    char why[FIT_TEXT_BYTES]; /* why nothing was run; empty: it was */
};

/* False: nothing was run, see `why`.  `seconds`: duration of the incident; 0: by the dates of its
 * samples. */
bool fit_make(struct fit *fit, const struct incident *incident, const struct triage *triage,
              int64_t seconds);
void fit_free(struct fit *fit);

const char *fit_kind_name(enum fit_kind kind);

#endif
