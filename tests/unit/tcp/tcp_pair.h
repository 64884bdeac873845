/* SPDX-License-Identifier: Apache-2.0
 * tcp_pair - two TCPs with a wire of the test's own between them: a queue, a rate, a delay, and
 * frames that are lost, doubled, delayed or marked as the test says. */
#ifndef STORMGLASS_TESTS_TCP_PAIR_H
#define STORMGLASS_TESTS_TCP_PAIR_H

#include "base/env.h"
#include "base/probe.h"
#include "engine/engine.h"
#include "tcp/tcp_private.h"

enum { TCP_PAIR_LOG = 1 << 18, TCP_PAIR_PORT = 4420 };

struct tcp_pair_frame {
    time_ps at;
    uint64_t seq, ack; /* offsets */
    uint32_t payload;
    uint16_t bytes;
    uint8_t side, flags, options, tos;
    uint8_t ace, accecn; /* AE, CWR, ECE; enum of segment.h */
    bool again, lost;
};

struct tcp_pair;

/* What happens to a frame. */
struct tcp_pair_fate {
    bool lose, twice, mark;
    time_ps late; /* it arrives so much later, and others overtake it */
};

struct tcp_pair_side {
    struct node node; /* first */
    struct tcp_pair *pair;
    struct port port;
    struct env env;
    struct tcp *tcp;
    struct tcp_params params;
    time_ps wire_free;
    uint64_t queued;      /* bytes in front of the wire */
    uint64_t queue_most;  /* a frame beyond it is dropped; 0: no limit */
    uint64_t queue_drops; /* by that limit */
    uint64_t mark_above;  /* bytes; 0: none are marked */
    struct stream_conn *conn;
    unsigned connected, readable, writable, closed, accepted;
    int error;
    uint64_t to_send, sent; /* bulk data */
    uint32_t tag;
    uint64_t got;
    uint32_t expected; /* tag; 0: any */
    bool reads;        /* at once */
};

struct tcp_pair {
    struct engine engine;
    struct frame_pool frames;
    struct probe probe;
    struct tcp_pair_side sides[2];
    time_ps delay;
    int64_t rate;
    struct tcp_pair_frame *log;
    unsigned log_count;
    unsigned seen; /* for fate() to count with */
    struct rng rng;
    uint64_t per_million; /* likewise */
    struct tcp_pair_fate (*fate)(struct tcp_pair *pair, const struct tcp_pair_frame *frame);
};

/* 100 Gb/s, MTU 1500, costs of cores 0; delay one way. */
struct tcp_pair *tcp_pair_new(time_ps delay);
/* Creates both TCPs from the sides' params, and connects them. */
void tcp_pair_connect(struct tcp_pair *pair);
void tcp_pair_start(struct tcp_pair *pair); /* only listens */
void tcp_pair_run(struct tcp_pair *pair, time_ps span);
void tcp_pair_free(struct tcp_pair *pair);
struct stream_user tcp_pair_user(struct tcp_pair_side *side);

/* Side 0 sends that much bulk data as fast as its buffer takes it. */
void tcp_pair_send(struct tcp_pair *pair, int side, uint64_t bytes, uint32_t tag);
struct stream_info tcp_pair_info(const struct tcp_pair *pair, int side);

/* Frames that a side sent with payload, or without: how many. */
unsigned tcp_pair_count(const struct tcp_pair *pair, int side, bool payload);
const struct tcp_pair_frame *tcp_pair_nth(const struct tcp_pair *pair, int side, bool payload,
                                          unsigned n);

static inline struct tcp_conn *tcp_pair_conn(const struct tcp_pair *pair, int side)
{
    return (struct tcp_conn *)(void *)pair->sides[side].conn;
}

#endif
