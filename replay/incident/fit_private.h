/* SPDX-License-Identifier: Apache-2.0
 * fit_private - what the parts of a fit share.
 * fit_traffic.c estimates flows from the counters, fit_base.c makes the scenario without a fault,
 * fit_hypotheses.c turns suspects into changes, fit_measure.c measures what counters tell of them,
 * fit_runs.c runs them, fit_remedies.c tries prevention, fit.c searches and judges. */
#ifndef STORMGLASS_REPLAY_INCIDENT_FIT_PRIVATE_H
#define STORMGLASS_REPLAY_INCIDENT_FIT_PRIVATE_H

#include "replay/incident/fit.h"
#include "replay/incident/triage_private.h"
#include "replay/run/run.h"

struct fit_flow {
    int from, to; /* nodes; data flows from one to the other */
    double rate;  /* bytes per second on the wire, averaged over the incident or its best part */
    int64_t size; /* of a message */
    bool is_read; /* the receiver fetches the data */
    bool is_open; /* the rate is what the hosts offer; else as much as the fabric carries */
};

struct fit_traffic {
    struct fit_flow *flows;
    size_t count;
    int priority;      /* of the flows */
    double left_share; /* of the bytes: in other priorities */
};

/* Pairs of hosts cannot be seen in counters: the flows with the least assumptions that agree with
 * what each host sends and receives (a gravity model, scaled to both sums by iterative proportional
 * fitting), reduced to the largest flows of each receiver. */
void fit_traffic(struct fit_traffic *traffic, const struct triage_work *work);

/* Bytes per second of a host's port in the interval in which it moved most. */
double fit_rate(const struct triage_work *work, int port, bool sent, int priority);

enum { FIT_SETS_MAX = 16 };

/* The scenario without a fault. */
struct fit_base {
    struct scenario *scenario;
    const char *sets[FIT_SETS_MAX]; /* what was changed of the incident's scenario */
    uint32_t set_count;
    bool unknown_buffers; /* no configuration has them, and switches pause */
    bool own_workloads;   /* the scenario's, not estimated */
    struct fit_traffic traffic;
    const struct triage_work *work;
};
/* Loads the scenario once more with another set. */
bool fit_base_change(struct fit *fit, struct fit_base *base, const char *set);
/* Also sets rates of links of the work where the configuration does not give them. */
bool fit_base_make(struct fit *fit, struct fit_base *base, struct triage_work *work,
                   struct diag *diag);
/* "workloads=[...]": those of the base, but flows of `node` at this part of their rate; 0: without
 * them. */
enum { FIT_NO_NODE = -1, FIT_ALL_NODES = -2 };
const char *fit_workloads(struct arena *arena, const struct fit_base *base, int node, double part);

/* A kind of change: fit_kind.def. */
struct fit_kind_row {
    const char *name;
    double low, high; /* magnitude; 0: it has none */
    bool is_fault;    /* it begins in a run; else it is there in all of it */
    const char *words;
};
extern const struct fit_kind_row fit_kinds[FIT_KINDS];

/* The change as path=value, "" for none; `at`: when a fault begins. */
const char *fit_change(const struct fit *fit, struct arena *arena, const struct fit_base *base,
                       const struct fit_hypothesis *hypothesis, double value, time_ps at);
/* "leaf0:p3": the number of the port in the scenario. */
const char *fit_port_name(struct arena *arena, const struct triage_work *work, int port);
/* "drains 9.8 of 25 Gb/s" */
const char *fit_magnitude(struct arena *arena, const struct fit_hypothesis *hypothesis);

/* Makes the hypotheses of the suspects; the first one is that nothing is wrong. */
void fit_hypotheses(struct fit *fit, const struct fit_base *base, const struct triage *triage);

/* Value and share of a hypothesis where counters measure them.  False: hosts noticed no loss there.
 */
bool fit_measure(const struct fit *fit, const struct triage_work *work,
                 struct fit_hypothesis *hypothesis);

/* One run, and what it showed. */
struct fit_trial {
    const char *const *sets;
    uint32_t set_count;
    const char *except; /* node whose traffic does not count */
};

struct fit_seen {
    bool ran;
    uint64_t events;
    time_ps reached;
    int64_t received, drops, paused_ps; /* received: bytes at hosts */
    int64_t *replay;                    /* by counter of the incident; -1: not compared */
};

/* The changes that are neither NULL nor empty. */
struct fit_trial fit_trial_of(struct arena *arena, const char *first, const char *second,
                              const char *except);

/* All at once.  Results are in the arena of the fit. False: a process of a run ended too early. */
bool fit_runs(struct fit *fit, const struct fit_base *base, const struct incident *incident,
              const struct fit_trial *trials, uint32_t count, struct fit_seen *seen);

enum { FIT_INTERVALS_MAX = 24 };

/* When the fault of a run of the search begins, as a share of it: connections are there then. */
extern const double fit_fault_at;

/* A search: the run without a fault, and what the incident's samples can say. */
struct fit_search {
    struct fit *fit;
    struct fit_base *base;
    const struct incident *incident;
    struct fit_seen nothing;
    uint32_t samples;   /* of most counters */
    uint32_t intervals; /* between samples of the counters; 0 or 1: not several */
    uint32_t edges[FIT_INTERVALS_MAX + 1]; /* the samples between which they are */
    double lengths[FIT_INTERVALS_MAX];     /* in seconds */
    double scale;
    const char *buffers; /* a set that is tried, or NULL */
    bool *compared;      /* by counter of the incident */
};

/* Samples of most counters, and the time between them. */
void fit_find_intervals(struct fit_search *search);
/* Counters that the scenario predicts. */
void fit_find_compared(struct fit_search *search);
/* A counter that one run has and the other one has not is 0 there. */
void fit_zero_missing(const struct fit_search *search, int64_t *replay);
/* The score of the whole incident, as stormglass diff computes it. */
double fit_score_of(const struct fit_search *search, const int64_t *replay);
/* A run with the fault in this part of its time. */
struct fit_with {
    const int64_t *replay;
    double part;
};

/* The score of an interval of which this share has the fault. */
double fit_score_of_share(const struct fit_search *search, const struct fit_with *with,
                          uint32_t interval, double share);
/* The best beginning and end of the fault. */
struct fit_time {
    double score; /* of all intervals */
    double share; /* of the incident that has the fault */
};
struct fit_time fit_time_of(const struct fit_search *search, const struct fit_with *with);
/* Counters of an incident that has the fault in a share of its time. */
void fit_mix(const struct fit_search *search, const struct fit_with *with, double share,
             int64_t *mixed);

/* What would have prevented the harm of the first hypothesis. */
bool fit_remedies(struct fit *fit, const struct fit_base *base, const struct triage_work *work);

#endif
