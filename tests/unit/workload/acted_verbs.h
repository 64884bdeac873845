/* SPDX-License-Identifier: Apache-2.0
 * acted_verbs - verbs that are acted: a connection is a pair of ends, a message takes a fixed time,
 * and SENDs need a receive or are tried again.  Both ends live on one stage. */
#ifndef STORMGLASS_TESTS_UNIT_WORKLOAD_ACTED_VERBS_H
#define STORMGLASS_TESTS_UNIT_WORKLOAD_ACTED_VERBS_H

#include "scenarios/workload/wl_rdma.h"
#include "tests/unit/workload/stage.h"

struct acted {
    struct stage *stage;
    time_ps service, post_cost, post_spread;
    struct verbs_user listener;
    bool listening, rejects;
    uint64_t posted, fails_at, dies_at;
    enum ibv_wr_opcode last_opcode;
    uint32_t last_rkey;
    uint64_t last_addr;
    uint32_t mrs, most_receives, tried_again;
    time_ps taken_at[64],
        put_at[64]; /* receives: when a message took one, and when one was posted */
    uint32_t taken, put;
    struct verbs_conn *conns;
};

extern struct acted acted;
extern const struct verbs_ops acted_verbs;

struct play {
    struct stage stage;
    struct wl_rdma_params params;
    struct workload_stats stats;
    struct workload_site site;
    const struct workload_ops *kind;
    struct workload *workload;
    struct rdma_sink *sink;
    int idle;
};

/* A workload of the kind, 1 MiB a message, from 1 ms to 11 ms; a message takes 100 us. */
struct play *acted_begin(const char *kind);
void acted_run(struct play *play, time_ps until);
void acted_end(struct play *play);

#endif
