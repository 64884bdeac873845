/* SPDX-License-Identifier: Apache-2.0
 * member_figures - compares the results of a workload's members.
 * A member's rate is its payload over the time from its first issue to its last completion. A
 * member cut off by a fault or failure counts until the end of the measured part; over its own
 * short lifetime, its rate would look like that of the others. Fairness is Jain's index (Jain, Chiu
 * and Hawe, DEC TR-301, 1984): 1 if all rates are equal, 1/n if one member has everything.
 * A member that has completed its configured count is a flow. Its flow completion time is that same
 * time. Its slowdown is this time relative to the ideal time on an empty path: all bits at the
 * slowest link's rate, plus the time of one frame and its ACK. If message sizes are drawn from a
 * distribution, each message is a flow, from when it was due. */
#ifndef STORMGLASS_REPLAY_RECORD_MEMBER_FIGURES_H
#define STORMGLASS_REPLAY_RECORD_MEMBER_FIGURES_H

#include "scenarios/fabric/routing.h"
#include "scenarios/workload/workload.h"

struct member_spread {
    int64_t mean, p50, p99, max;
};

/* pFabric's size classes (Alizadeh et al., SIGCOMM 2013, 5.4): up to 100 KB, up to 10 MB, above. */
enum { MEMBER_SMALL, MEMBER_MEDIUM, MEMBER_LARGE, MEMBER_BINS };

struct member_figures {
    int64_t jain_ppm;            /* 0: fewer than two members */
    int64_t least_bps, most_bps; /* rates of members */
    int64_t cut_off;             /* number of members that were cut off */
    uint32_t first_cut_off;      /* first member that was cut off, and when */
    time_ps cut_off_at;
    int64_t flows;            /* number of completed flows */
    struct member_spread fct; /* ps */
    int64_t slowdowns;        /* flows with a known slowdown: those of rdma-* kinds */
    struct member_spread slowdown_ppm;
    /* Messages of drawn sizes, each a flow, in one size class. */
    struct member_bin {
        int64_t flows;
        struct member_spread fct, slowdown_ppm;
    } bins[MEMBER_BINS];
};

struct member_fabric {
    const struct scenario *scenario;
    const struct route_table *routes; /* by node */
    const uint32_t *first_port;       /* by node; ports of all nodes in one array */
    time_ps end;                      /* of the measured part of the run */
    bool cut;                         /* run cut off: operations may still complete */
};

/* The time that a member's rate refers to. A member was cut off if its controller or a queue pair
 * failed permanently, or if it had outstanding or failed operations and none completed until the
 * end of its time. */
struct member_life {
    time_ps until; /* from its first issue on; equals it where completions give no rate */
    bool cut_off;
    time_ps cut_off_at; /* its last completion, or its first issue */
};

struct member_life member_life(const struct scenario_workload *about,
                               const struct workload_member *member, time_ps end, bool cut);

/* `members` by pair and copy; NULL: never started. */
struct member_figures member_figures(const struct member_fabric *fabric, uint32_t workload,
                                     const struct workload_member *const *members);

/* The ideal time of a member's `bytes` in messages, from posting to the last ACK; 0: no path. */
time_ps member_ideal(const struct member_fabric *fabric, const struct scenario_workload *workload,
                     uint32_t member, uint64_t bytes, uint64_t message, bool read);

#endif
