/* SPDX-License-Identifier: Apache-2.0
 * rnic_pair - two hosts back to back, what they sent and what their protocols heard. */
#ifndef STORMGLASS_TESTS_RNIC_PAIR_H
#define STORMGLASS_TESTS_RNIC_PAIR_H

#include "base/drop.h"
#include "rnic/host/host.h"

enum { PAIR_LOG = 20000, PAIR_WCS = 4096, PAIR_CMS = 16, PAIR_SERVICE = 4420 };

struct pair_frame {
    time_ps at;
    uint8_t side, opcode, flags, tos;
    uint16_t bytes, payload;
    uint32_t psn, aeth, length;
    bool lost;
};

struct pair_end {
    struct pair *pair;
    struct verbs_device *device;
    struct verbs_conn *conn;
    struct ibv_wc wcs[PAIR_WCS];
    time_ps wc_at[PAIR_WCS];
    unsigned wc_count;
    enum rdma_cm_event_type cms[PAIR_CMS];
    int statuses[PAIR_CMS];
    unsigned cm_count;
    unsigned overruns;         /* IBV_EVENT_CQ_ERR */
    uint8_t private_data[256]; /* of the last event that had some */
};

struct pair {
    struct engine engine;
    struct frame_pool frames;
    struct host hosts[2];
    struct machine machine; /* of both, where the RNICs are software */
    struct rnic *rnics[2];
    struct pair_end ends[2]; /* 0 connects, 1 listens */
    struct probe probe;
    struct pair_frame *log;
    unsigned log_count;
    unsigned drops[PROBE_DROP_CAUSE_COUNT], lossless_drops;
    unsigned pauses;
    /* True: this frame is to be lost on the wire. */
    bool (*lose)(struct pair *pair, const struct pair_frame *frame);
    /* True: it arrives marked, as by a congested switch. */
    bool (*mark)(struct pair *pair, const struct pair_frame *frame);
    unsigned seen; /* for lose() and mark() to count with */
    uint64_t lose_state;
    bool refuse;              /* the listener rejects */
    bool tolerant;            /* and what cannot be accepted too: else it dies of that */
    struct verbs_class class; /* that end 0 connects in */
};

/* Parameters to change between pair_presets and pair_make. */
struct pair_params {
    struct port_params port;
    struct rnic_params rnic;
    const char *cc;
    const struct cc_ops *ops; /* of the test's own, without parameters; NULL: as `cc` says */
    uint64_t seed;
};

void pair_presets(struct pair_params *params);
struct pair *pair_make(const struct pair_params *params);
void pair_free(struct pair *pair);

/* Listens and connects; ends with both established unless the test has it otherwise. */
void pair_connect(struct pair *pair);
void pair_run(struct pair *pair, time_ps span);

/* One more connection, which takes the place of the last one in both ends. */
void pair_connect_more(struct pair *pair);

/* A pair that is connected, with these parameters and else presets; its log is empty. */
struct pair *pair_of(int64_t path_mtu, int64_t ack_interval);

/* CHECKs that the n-th completion of the side is this one. */
void pair_expect_wc(const struct pair *pair, int side, unsigned n, enum ibv_wc_status status,
                    enum ibv_wc_opcode opcode);

/* The next PSN from end 0 to end 1. */
void pair_set_psn(struct pair *pair, uint32_t psn);

struct verbs_mr *pair_mr(struct pair *pair, int side, uint32_t length, enum verbs_memory memory);
int pair_post(struct pair *pair, int side, enum ibv_wr_opcode opcode, struct verbs_mr *local,
              const struct verbs_mr *remote, unsigned flags);
int pair_recv(struct pair *pair, int side, struct verbs_mr *mr);

/* Frames of an opcode that a side sent: how many, and the n-th from 0 (NULL: none). */
unsigned pair_count(const struct pair *pair, int side, uint8_t opcode);
const struct pair_frame *pair_nth(const struct pair *pair, int side, uint8_t opcode, unsigned n);

#endif
