/* SPDX-License-Identifier: Apache-2.0
 * wl_rdma - raw RDMA traffic of the rdma-* kinds.
 * An instance opens `qps` queue pairs to the sink of the other host and keeps `outstanding`
 * messages in flight in each, or issues at a rate. Each message is one signaled work request.
 * Latency is from the post (or from the time when it was due) to its completion or, if the sink
 * answers each message with one of the same length, to the answer.
 * The CM private data is big-endian; fields with their sizes in bytes:
 *   REQ  version 1, opcode (enum ibv_wr_opcode, + WL_RDMA_ANSWERED) 1, outstanding 2,
 *        message bytes 4, receives 2, receive limit 2, receive delay in microseconds 4
 *   REP  version 1, zero 3, buffer length 4, buffer address 8, rkey 4
 * Owner: the caller of create. Errors: a queue pair that fails is given up; its messages in flight
 * count as failed. */
#ifndef STORMGLASS_SCENARIOS_WORKLOAD_WL_RDMA_H
#define STORMGLASS_SCENARIOS_WORKLOAD_WL_RDMA_H

#include "scenarios/workload/wl_sizes.h"
#include "scenarios/workload/workload.h"

enum {
    WL_RDMA_VERSION = 2,
    WL_RDMA_ANSWERED = 0x80,   /* the sink answers each message */
    WL_RDMA_SHARED = 0x40,     /* all connections with equal requests share their receives */
    WL_RDMA_GIVES_BACK = 0x10, /* the buffer is deregistered while in use */
    WL_RDMA_NO_RIGHT = 0x20,   /* the buffer is registered without remote access */
    WL_RDMA_OPCODE = 0x0F,
    WL_RDMA_REQ_BYTES = WORKLOAD_REQUEST_BYTES,
    WL_RDMA_REP_BYTES = 20,
    WL_RDMA_MESSAGE_MAX = 1 << 30,  /* IBTA Vol 1 9.7.7 allows 2^31 */
    WL_RDMA_OUTSTANDING_MAX = 4096, /* per queue pair */
    WL_RDMA_RECEIVES_MAX = 2 * WL_RDMA_OUTSTANDING_MAX,
    WL_RDMA_QPS_MAX = 1024
};

/* How messages may access the memory of the other end. */
#define WL_RDMA_ACCESSES(X)                                                                        \
    X(GRANTED, "granted")                                                                          \
    X(WRONG_KEY, "wrong-key")                                                                      \
    X(OUT_OF_RANGE, "out-of-range")                                                                \
    X(WITHOUT_RIGHT, "no-right")                                                                   \
    X(GIVEN_BACK, "given-back")
#define X(name, word) WL_RDMA_##name,
enum wl_rdma_access { WL_RDMA_ACCESSES(X) };
#undef X

struct wl_rdma_params {
    int64_t message_size;
    int64_t sizes;                /* enum wl_sizes_kind */
    const struct wl_sizes *table; /* distribution from the user's file, or NULL */
    int64_t outstanding;          /* messages in flight per queue pair */
    int64_t batch;                /* messages that a queue pair posts together */
    int64_t count;                /* messages per instance; 0: until stop */
    int64_t qps;
    int64_t threads;         /* cores per instance, each with its share of the queue pairs */
    int64_t doorbells;       /* doorbell registers that the threads share; 0: one each */
    time_ps doorbell_cost;   /* per message and other thread at the same doorbell */
    int64_t rate;            /* thousandths of messages per second per instance; 0: closed loop */
    int64_t arrival;         /* enum wl_pace_arrival */
    int64_t receives;        /* receives posted at the other end; 0: twice `outstanding` */
    time_ps receive_delay;   /* delay between a message and the reposting of its receive */
    int64_t shared_receives; /* receives shared by all queue pairs at the other end; 0: one queue
                              * each */
    int64_t receive_limit;   /* of shared receives: repost when fewer are left; 0: each at once */
    int64_t remote_access;   /* enum wl_rdma_access */
    int64_t immediate;       /* messages carry immediate data */
};

/* Request of the initiator to the sink. */
struct wl_rdma_request {
    enum ibv_wr_opcode opcode;
    uint32_t outstanding, message_bytes;
    uint32_t receives; /* at the other end; 0: the sink's default */
    uint32_t receive_delay_us;
    uint32_t receive_limit;
    bool answered, shared;
    bool no_right;   /* the buffer has no remote access */
    bool gives_back; /* the buffer is deregistered while the peer uses it */
};

struct wl_rdma_grant {
    uint32_t length, rkey;
    uint64_t addr;
};

/* The same opcode with immediate data, if there is one. */
static inline enum ibv_wr_opcode wl_rdma_with_immediate(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_SEND         ? IBV_WR_SEND_WITH_IMM
           : opcode == IBV_WR_RDMA_WRITE ? IBV_WR_RDMA_WRITE_WITH_IMM
                                         : opcode;
}

static inline bool wl_rdma_needs_receives(enum ibv_wr_opcode opcode)
{
    return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM ||
           opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

void wl_rdma_encode_request(const struct wl_rdma_request *request, uint8_t *bytes);
bool wl_rdma_decode_request(const uint8_t *bytes, uint8_t length, struct wl_rdma_request *request);
/* A message of this workload is complete when the other end has answered it, with data or a
 * message. */
bool wl_rdma_is_answered(const struct workload_ops *ops, const void *params);
void wl_rdma_encode_grant(const struct wl_rdma_grant *grant, uint8_t *bytes);
bool wl_rdma_decode_grant(const uint8_t *bytes, uint8_t length, struct wl_rdma_grant *grant);

extern const struct opt wl_rdma_opts[];

/* The distribution of message sizes; NULL: all have message_size. */
const struct wl_sizes *wl_rdma_sizes(const struct wl_rdma_params *params);
bool wl_rdma_read_sizes(void *params, const struct workload_file *file);

/* workload_ops.request for a kind with this opcode. */
uint32_t wl_rdma_request(const struct wl_rdma_params *params, enum ibv_wr_opcode opcode,
                         bool answered, uint8_t *bytes);

struct workload *wl_rdma_create(const struct workload_site *site, enum ibv_wr_opcode opcode,
                                bool answered);
void wl_rdma_start(struct workload *workload);
void wl_rdma_stop(struct workload *workload);
time_ps wl_rdma_measure(struct workload *workload, time_ps now);
struct workload_delivered wl_rdma_delivered(const struct workload *workload);
struct workload_delivered wl_rdma_arrived(const struct workload *workload);
uint64_t wl_rdma_outstanding(const struct workload *workload);
void wl_rdma_describe(const struct workload *workload, char *text, size_t size);
const struct workload_member *wl_rdma_member(const struct workload *workload);
struct workload_cpu wl_rdma_cpu(const struct workload *workload, time_ps now);
void wl_rdma_destroy(struct workload *workload);

/* All members of a kind except its name, description and create. */
#define WL_RDMA_OPS                                                                                \
    .opts = wl_rdma_opts, .more_file = "sizes-file", .read_more = wl_rdma_read_sizes,              \
    .params_bytes = sizeof(struct wl_rdma_params), .start = wl_rdma_start, .stop = wl_rdma_stop,   \
    .measure = wl_rdma_measure, .delivered = wl_rdma_delivered, .arrived = wl_rdma_arrived,        \
    .outstanding = wl_rdma_outstanding, .describe = wl_rdma_describe, .member = wl_rdma_member,    \
    .cpu = wl_rdma_cpu, .destroy = wl_rdma_destroy

#endif
