/* SPDX-License-Identifier: Apache-2.0
 * tcp - the TCP of one network port.
 * Segments are frames of the port's fabric, next to those of its RNIC; a protocol uses it through
 * stream.h (tcp_stream_ops), whose struct stream_device is a struct tcp.
 *
 *   send buffer -> segments -> TSO batches -> qdisc -> NIC queue -> wire
 *   wire -> ring of the NIC -> GRO batches -> reassembly -> receive buffer
 *
 * A core executes TCP: each batch takes time, one after another.  All connections of a core share
 * it; with cores 0 each connection has its own.
 * Not modeled: fast open, urgent data, IP fragments, path MTU discovery,
 * keep-alive, memory pressure, SYN queues and cookies, Nagle's algorithm (TCP_NODELAY is set).
 * Source: RFC 9293, 7323, 2018, 2883, 3168, 5681, 6298, 6937, 8985, 9768; where they leave
 * a choice, Linux net/ipv4/tcp_input.c, tcp_output.c, tcp_timer.c, tcp_recovery.c.
 * Owner: the caller of tcp_create.  Clock: the host's. */
#ifndef STORMGLASS_TCP_TCP_H
#define STORMGLASS_TCP_TCP_H

#include "base/env.h"
#include "base/probe.h"
#include "net/frame/frame.h"
#include "net/port/port.h"
#include "tcp/stream.h"
#include "tcp/tcp_cc.h"

#include <stdalign.h>

enum { TCP_FIRST_PORT = 1024 };

/* The values of Linux's tcp_ecn: 0, 2, 1, 3, 5, 4. */
#define TCP_ECNS(X)                                                                                \
    X(OFF, "off")                                                                                  \
    X(PASSIVE, "passive")                                                                          \
    X(ON, "on")                                                                                    \
    X(ACCURATE, "accurate")                                                                        \
    X(ACCURATE_PASSIVE, "accurate-passive")                                                        \
    X(ON_ACCURATE_PASSIVE, "on-accurate-passive")
#define TCP_ECN_OPTIONS(X) X(NEVER, "never") X(MINIMUM, "minimum") X(EVERY, "every-segment")
#define X(name, word)      TCP_ECN_##name,
enum { TCP_ECNS(X) }; /* ecn */
#undef X
#define X(name, word) TCP_ECN_OPTION_##name,
enum { TCP_ECN_OPTIONS(X) }; /* ecn-option */
#undef X

/* The host requests ECN, accurate or classic. */
static inline bool tcp_ecn_requests(int64_t ecn)
{
    return ecn == TCP_ECN_ON || ecn == TCP_ECN_ACCURATE || ecn == TCP_ECN_ON_ACCURATE_PASSIVE;
}

static inline bool tcp_ecn_accepts_accurate(int64_t ecn)
{
    return ecn >= TCP_ECN_ACCURATE;
}

struct tcp_params {
    int64_t congestion_control; /* index in tcp_cc_list */
    int64_t initial_window, reordering;
    int64_t rto_min, rto_initial, rto_max, timer_slack;
    int64_t retries, syn_retries;
    int64_t sack, rack, tlp, frto, prr, timestamps, window_scaling, ecn;
    int64_t ecn_option, ecn_beacon;
    int64_t delayed_ack, quick_acks;
    int64_t send_buffer, send_buffer_max, receive_buffer, receive_buffer_max;
    int64_t slow_start_after_idle;
    int64_t tso_size, gro_size, output_limit, nic_queue;
    int64_t pacing, pacing_slow_start, pacing_avoidance;
    int64_t interrupt_delay, poll_delay, interrupt_cost, wakeup_cost, rx_batch_cost,
        rx_segment_cost, tx_batch_cost;
    int64_t copy_cost, cold_copy_cost, digest_cost; /* ps for each KiB */
    int64_t cache;
    int64_t tls_cost; /* likewise */
    int64_t tls_record_cost, tls_handshake_cost;
    int64_t cores;
    int64_t dscp, time_wait;
    alignas(8) unsigned char cc[TCP_CCS][TCP_CC_PARAMS_MAX];
};

/* The rows over struct tcp_params, those of all congestion controls with them, and the one that
 * ends them: how many.  Fills them in unless `rows` is NULL. */
size_t tcp_rows(struct opt *rows);
extern const struct opt tcp_base_opts[]; /* without those of congestion controls */

/* Cumulative; names are nstat's where it has them (tcp_counters.def). */
struct tcp_counters {
#define TCP_COUNTER(field, name, about) uint64_t field;
#include "tcp/tcp_counters.def"
#undef TCP_COUNTER
};

struct tcp_counter_name {
    const char *name, *about;
};
enum {
#define TCP_COUNTER(field, name, about) TCP_COUNTER_##field,
#include "tcp/tcp_counters.def"
#undef TCP_COUNTER
    TCP_COUNTERS
};
extern const struct tcp_counter_name tcp_counter_names[TCP_COUNTERS];

static inline uint64_t tcp_counter(const struct tcp_counters *counters, unsigned index)
{
    return ((const uint64_t *)(const void *)counters)[index];
}

struct tcp_site {
    struct port *port;
    const struct env *env;
    uint32_t endpoint; /* index of the port in the fabric: its IP address is first_ip + endpoint */
    uint32_t first_ip;
    uint8_t ttl;
    const uint8_t *priority_of_dscp; /* DSCPS entries */
    const struct tcp_params *params;
    void *nic;
    void (*send)(void *nic, uint32_t handle); /* queues a frame at the port */
};

struct tcp *tcp_create(const struct tcp_site *site);
void tcp_destroy(struct tcp *tcp);

/* A segment has arrived; takes the frame over. */
void tcp_receive(struct tcp *tcp, uint32_t handle, time_ps now);

extern const struct stream_ops tcp_stream_ops;

static inline struct stream_device *tcp_device(struct tcp *tcp)
{
    return (struct stream_device *)(void *)tcp;
}

const struct tcp_counters *tcp_counters(const struct tcp *tcp);

/* Time that the cores of the port's connections were busy. */
time_ps tcp_busy(const struct tcp *tcp);

/* Connections and cores of a port at one moment. Cores beyond TCP_LOOK_CORES share entries in
 * turn. */
enum { TCP_LOOK_CORES = 16 };
struct tcp_look {
    uint32_t active; /* have data on the way, or had within half a millisecond */
    uint32_t core;   /* of these, with more work for their core than it does now */
    /* of these, what sending waits for, each in at most one: */
    uint32_t window;     /* the peer's window or the send buffer is full */
    uint32_t congestion; /* the congestion window, pacing, or a batch that waits for an ACK */
    uint32_t loss;       /* repair a loss, or wait for a timeout */
    uint32_t delayed;    /* a limit that only the ACK opens which the peer may delay */
    uint32_t behind;     /* a larger message is sent before a smaller one that waits */
    uint32_t cores[TCP_LOOK_CORES]; /* that ever worked */
    time_ps busy[TCP_LOOK_CORES];   /* time that they worked until now */
};
void tcp_look(const struct tcp *tcp, struct tcp_look *look);

/* A connection as an observer sees it; its figures are those of tcp_stream_ops.info. */
struct tcp_view {
    const struct stream_conn *conn;
    enum probe_hold_state hold; /* what sending waits for; PROBE_HOLD_NOTHING: there is no more */
    bool repairs;               /* a loss */
    const char *timer;          /* "retransmission", "tail loss probe" */
    time_ps timer_due;          /* TIME_NEVER: it is not set */
};
typedef void tcp_viewer(void *self, const struct tcp_view *view);
void tcp_view(const struct tcp *tcp, tcp_viewer *viewer, void *self);

/* Connections that exist. */
uint32_t tcp_connections(const struct tcp *tcp);

void tcp_audit(const struct tcp *tcp);

#endif
