/* SPDX-License-Identifier: Apache-2.0
 * member_figures - what the members of a workload got, beside each other.
 * A member's rate is its payload over the time from its first issue to its last completion.  A
 * member that was cut off by a fault or a failure counts until the end of the measured part: over
 * its own short life its rate would look like that of the others.  How equal the rates are is
 * Jain's index (Jain, Chiu and Hawe, DEC TR-301, 1984), 1 when all are the
 * same and 1/n when one has all.  A member that was asked for a count and did it is a flow: its
 * completion time is that same time, its slowdown that over the time that it would take alone,
 * its path empty: every bit at the slowest link's rate, and what one frame and its ACK need.  Where
 * the sizes of messages are drawn each message is a flow, from when it was due. */
#ifndef STORMGLASS_REPLAY_RECORD_MEMBER_FIGURES_H
#define STORMGLASS_REPLAY_RECORD_MEMBER_FIGURES_H

#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

struct member_spread {
    int64_t mean, p50, p99, max;
};

/* pFabric's classes (Alizadeh et al., SIGCOMM 2013, 5.4): up to 100 KB, up to 10 MB, above. */
enum { MEMBER_SMALL, MEMBER_MEDIUM, MEMBER_LARGE, MEMBER_BINS };

struct member_figures {
    int64_t jain_ppm;            /* 0: fewer than two members */
    int64_t least_bps, most_bps; /* rates */
    int64_t cut_off;             /* members that were cut off */
    uint32_t first_cut_off;      /* the member that was cut off first, and when */
    time_ps cut_off_at;
    int64_t flows;            /* that were completed */
    struct member_spread fct; /* ps */
    int64_t slowdowns;        /* flows of which it is known: those of rdma-* kinds */
    struct member_spread slowdown_ppm;
    /* Of messages whose sizes were drawn, which are flows each, by their size. */
    struct member_bin {
        int64_t flows;
        struct member_spread fct, slowdown_ppm;
    } bins[MEMBER_BINS];
};

struct member_fabric {
    const struct scenario *scenario;
    const struct route_table *routes; /* by node */
    const uint32_t *first_port;       /* by node, in one row of all ports */
    time_ps end;                      /* of the measured part of the run */
    bool cut;                         /* the run was: what is under way may still complete */
};

/* The time that a member's rate is over.  It was cut off if its controller or a queue pair failed
 * for good, or if it still had operations under way, or some failed, and none completed to the end
 * of its time. */
struct member_life {
    time_ps until; /* from its first issue */
    bool cut_off;
    time_ps cut_off_at; /* its last completion, or its first issue */
};

struct member_life member_life(const struct scenario_workload *about,
                               const struct workload_member *member, time_ps end, bool cut);

/* `members` by pair and copy; NULL: one that never began. */
struct member_figures member_figures(const struct member_fabric *fabric, uint32_t workload,
                                     const struct workload_member *const *members);

/* What `bytes` of a member in messages would need alone, from posting to the last ACK; 0: there is
 * no path. */
time_ps member_ideal(const struct member_fabric *fabric, const struct scenario_workload *workload,
                     uint32_t member, uint64_t bytes, uint64_t message, bool read);

#endif
