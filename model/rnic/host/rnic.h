/* SPDX-License-Identifier: Apache-2.0
 * rnic - an RDMA NIC with one port.
 * Gives its port the next frame when the wire is free: control frames and acknowledgements first,
 * then the queue pairs in turn.  A frame is built only when it can leave, so a pause, a NAK or a
 * rate cut takes effect at once and nothing is queued twice.
 * Source:  IBTA Vol 1 ch. 9 and annex A17 (RoCEv2).  Owner: a host.  Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_HOST_RNIC_H
#define STORMGLASS_RNIC_HOST_RNIC_H

#include "base/env.h"
#include "net/port/port.h"
#include "rnic/cc/cc.h"
#include "rnic/cm/cm.h"
#include "rnic/host/rx_buffer.h"
#include "rnic/pipeline/pipeline_params.h"
#include "rnic/qp/mr.h"
#include "rnic/qp/qp.h"
#include "rnic/qp/recovery.h"
#include "rnic/soft/soft_params.h"

/* Kinds of event of a host beside the ports'. */
enum rnic_event {
    RNIC_EVENT_DOORBELL = NET_EVENT_FIRST_OWN, /* argument: QPN << 32 | producer index */
    RNIC_EVENT_WAKE, /* argument: QPN << 32, which is frame 0 to who fetches frames; it may send */
    RNIC_EVENT_TIMEOUT,    /* argument: QPN; the local ACK timer may have run out */
    RNIC_EVENT_COMPLETION, /* argument: index of the completion */
    RNIC_EVENT_DRAIN,      /* the receive buffer's head is out */
    RNIC_EVENT_MAD,        /* argument: frame handle */
    RNIC_EVENT_DATA_CAME,  /* argument: communication ID; data established the connection */
    RNIC_EVENT_FIRST_OWN,  /* the host's own start here, up to the next */
    RNIC_EVENT_STALL = 32, /* argument: priority; its pause may have lasted too long */
    RNIC_EVENT_TRANSMIT,   /* a software RNIC's transmit timer is over */
    RNIC_EVENT_ENGINE,     /* argument: QPN, or 0; the message engine is free for it, or at all */
    RNIC_EVENT_TX_ENGINE,  /* a packet of data may leave, as far as the pipeline goes */
    RNIC_EVENT_SRQ_LIMIT,  /* argument: index of the shared receive queue */
    RNIC_EVENT_REACTION,   /* argument: QPN; its NAK is made, or followed */
    RNIC_EVENT_CQE,        /* argument: index of the completion, which is in its queue */
    RNIC_EVENT_CQ,         /* argument: step << 32 | slot of the connection */
    RNIC_EVENT_CQ_ERROR,   /* argument: slot of the connection, whose queue overran */
    RNIC_EVENT_LAST_WQE    /* argument: generation << 32 | slot of the connection */
};

struct rnic_params {
    int64_t path_mtu, path_mtu_agreement;
    int64_t timeout, accept_timeout, timeout_spread, retry_count, rnr_retry, min_rnr_timer;
    int64_t ack_interval, ack_coalescing;
    int64_t loss_recovery; /* index into recovery_list */
    int64_t nak_delay, retransmit_delay, rnr_timer_step;
    int64_t adaptive, adaptive_timeout, adaptive_tries; /* ACK timers */
    int64_t bdp_cap, rto_low, rto_low_packets;
    int64_t max_rd_atomic;
    int64_t tx_delay, rx_delay, read_delay;
    int64_t dscp, priority, accept_dscp, ack_dscp, ack_priority, cnp_dscp, cnp_priority;
    int64_t weight[PRIORITIES]; /* 0: strict, highest first; else share among the weighted */
    int64_t ttl;
    int64_t rx_buffer, rx_xoff, rx_xon, drain;
    int64_t pfc, pfc_priorities; /* mask; RNIC_AUTO: the data priority */
    int64_t pfc_watchdog;
    int64_t cm_timeout, cm_retries, ca_ack_delay;
    int64_t address_timeout; /* of address resolution for a connection */
    int64_t udp_source_port; /* RNIC_UDP_ */
    int64_t lag;             /* enum rnic_lag */
    int64_t lag_seed;        /* RNIC_AUTO: its own */
    int64_t card_ports;      /* RNICs of the host that share a pipeline */
    int64_t loopback_rate;   /* bits per second, of inner ports; RNIC_AUTO: the link's */
    int64_t migreq;
    int64_t context_cost, resolve_cost, qp_create_cost, qp_modify_cost, qp_destroy_cost;
    int64_t command_slots; /* CM_COMMAND_SLOTS at most */
    int64_t clock_offset;  /* ppm, fast */
    int64_t line_rate;     /* of the link that the values are for; RNIC_AUTO: any */
    struct pipeline_params pipeline;
    struct soft_params soft;
};

extern const struct opt rnic_opts[];

#define RNIC_MTU_AGREEMENTS(X)                                                                     \
    X(REQUEST, "request")                                                                          \
    X(SMALLER, "smaller")                                                                          \
    X(REFUSE, "refuse")                                                                            \
    X(OWN, "own")
#define X(name, word) RNIC_MTU_##name,
enum { RNIC_MTU_AGREEMENTS(X) }; /* path_mtu_agreement */
#undef X

#define RNIC_UDP_SOURCES(X)                                                                        \
    X(QUEUE_PAIRS, "queue-pairs")                                                                  \
    X(FLOW_LABEL, "flow-label")                                                                    \
    X(QUEUE_PAIR, "queue-pair")
#define X(name, word) RNIC_UDP_##name,
enum { RNIC_UDP_SOURCES(X) }; /* udp_source_port */
#undef X

#define RNIC_LAGS(X)                                                                               \
    X(NONE, "none")                                                                                \
    X(QUEUE_AFFINITY, "queue-affinity")                                                            \
    X(LAYER2, "layer2")                                                                            \
    X(LAYER2_3, "layer2+3")                                                                        \
    X(LAYER3_4, "layer3+4")
#define X(name, word) RNIC_LAG_##name,
enum rnic_lag { RNIC_LAGS(X) };
#undef X

/* Path MTU in a REQ of `active`, and of the queue pair that `passive` makes for it.  `passive` may
 * be NULL where nothing is known of it. */
static inline int64_t rnic_asked_mtu(const struct rnic_params *active,
                                     const struct rnic_params *passive)
{
    const bool smaller = active->path_mtu_agreement == RNIC_MTU_SMALLER && passive != NULL &&
                         passive->path_mtu < active->path_mtu;
    return smaller ? passive->path_mtu : active->path_mtu;
}

static inline int64_t rnic_taken_mtu(const struct rnic_params *passive, int64_t asked)
{
    return passive->path_mtu_agreement == RNIC_MTU_OWN ? passive->path_mtu : asked;
}

static inline bool rnic_refuses_mtu(const struct rnic_params *passive, int64_t asked)
{
    return passive->path_mtu_agreement == RNIC_MTU_REFUSE && asked > passive->path_mtu;
}

enum { RNIC_AUTO = -1 };                        /* rx_xoff, rx_xon, ack_dscp, ... */
enum { RNIC_UNLIMITED = 0, RNIC_STOPPED = -1 }; /* drain */

/* Code of the ACK timeout where the RNIC accepts a REQ that asks for one. */
static inline uint8_t rnic_accept_timeout(const struct rnic_params *passive, int64_t asked)
{
    return (uint8_t)(passive->accept_timeout == RNIC_AUTO ? asked : passive->accept_timeout);
}

/* Names of mlx5's ethtool and hw_counters where it has them. */
struct rnic_counters {
    uint64_t messages, message_bytes;           /* sent and acknowledged, READs included */
    uint64_t received_messages, received_bytes; /* SENDs and WRITEs completed, READ data taken */
    uint64_t read_requests, write_requests;     /* rx_read_requests, rx_write_requests */
    uint64_t retransmitted_packets;             /* of requests; roce_adp_retrans counts events */
    uint64_t timeouts;                          /* local_ack_timeout_err */
    uint64_t naks;                              /* sequence NAKs received: packet_seq_err */
    uint64_t naks_sent;                         /* of them, sent by this side */
    uint64_t implied_naks;                      /* implied_nak_seq_err */
    uint64_t rnr_naks;                          /* received: rnr_nak_retry_err */
    uint64_t rnr_naks_sent;                     /* out_of_buffer */
    uint64_t out_of_sequence;                   /* out_of_sequence */
    uint64_t duplicate_requests;                /* duplicate_request */
    uint64_t remote_errors;           /* req_remote_access_errors, req_remote_invalid_request */
    uint64_t retries_exceeded;        /* req_transport_retries_exceeded */
    uint64_t cq_overruns;             /* completion queues, each event of it: IBV_EVENT_CQ_ERR */
    uint64_t qp_errors;               /* queue pairs that failed, without orderly ends */
    uint64_t completion_errors;       /* req_cqe_error, resp_cqe_error */
    uint64_t acks_sent, acks_merged;  /* merged: overtaken while they waited for the wire */
    uint64_t ecn_marked;              /* np_ecn_marked_roce_packets */
    uint64_t cnps_sent, cnps_handled; /* np_cnp_sent, rp_cnp_handled */
    uint64_t rx_buffer_drops;         /* rx_discards_phy */
    uint64_t rx_out_of_buffer;        /* of a software RNIC: rx_out_of_buffer */
    uint64_t stall_warnings;          /* tx_pause_storm_warning_events */
    uint64_t stalls;                  /* tx_pause_storm_error_events */
    uint64_t stray;                   /* packets for no queue pair, or one that takes none */
    uint64_t posted_sends, posted_receives; /* work requests */
    uint64_t finished_sends,
        finished_receives; /* completed, flushed, or dropped with their queue pair */
};

struct rnic_list {
    uint32_t head, tail; /* QP indices */
};

/* What waits to be sent in one priority. */
struct rnic_class {
    struct rnic_list ready;   /* QPs with requests or READ responses */
    struct rnic_list answers; /* QPs with an ACK or NAK */
    int32_t credit;           /* of the weighted scheduler; below 0: overdrawn */
    int32_t quantum;          /* bytes that a turn adds */
};

struct rnic_completion {
    struct ibv_wc wc;
    struct verbs_conn *conn;
    uint32_t next; /* of its queue, or POOL_NONE */
    uint32_t bulk; /* bytes of data that came with it, of a software RNIC's */
};

/* Why frames that arrive do not take the fast path; 0: they may. */
enum rnic_rx_odd {
    RNIC_RX_BUFFERED = 1 << 0, /* they go through the receive buffer */
    RNIC_RX_HEARS = 1 << 1,    /* the congestion control hears of ACKs */
    RNIC_RX_REACTS = 1 << 2,   /* the queue pairs have a struct reaction */
};

/* Whether frames find a way from one endpoint to another and back, as links, power and routes are
 * now; those change between events only.  reaches NULL: they always do. */
struct rnic_fabric {
    const void *self;
    bool (*reaches)(const void *self, uint32_t from, uint32_t to);
};

struct rnic {
    struct port port; /* first: the port's source finds its RNIC by it */

    /* what every packet touches */
    alignas(64) struct qp *qp_slots; /* of qps: a slot that was never used has QPN 0 */
    uint32_t *ready_ports;           /* the host's mask of ports to serve when its event ends */
    struct cc_site cc_site;          /* congestion control */
    uint32_t qpn_base;
    uint32_t qp_mask; /* one less than the slots, a power of two of them */
    uint32_t endpoint;
    uint16_t ack_interval;
    uint8_t strict;   /* mask of priorities that are served before the weighted ones */
    uint8_t drr_next; /* deficit round robin: the priority that is served next */
    uint8_t ecn;      /* of data: ECT(0) when the congestion control wants marks */
    uint8_t cnp_priority, cnp_tos, ttl;
    bool ack_coalescing;
    uint8_t rx_odd;           /* enum rnic_rx_odd */
    uint8_t completion_event; /* RNIC_EVENT_COMPLETION or RNIC_EVENT_CQE */
    bool arbitrates; /* the port's source is arbiter_next, not a pipeline's or a software RNIC's */
    uint8_t side;    /* of its pipeline, which the first one of a card owns */
    bool carry;      /* it sends for other members of its aggregate, or they for it */
    struct rnic_class classes[PRIORITIES];
    alignas(64) uint8_t priority_of_dscp[DSCPS];

    struct pool qps;
    struct rx_buffer rx;
    struct rnic_counters counters;

    const struct recovery_ops *recovery;
    struct selective **selective; /* by slot, of selective repeat; or NULL */
    uint32_t selective_room;
    struct reaction **reactions; /* by slot, where one is wanted; or NULL */
    uint32_t reaction_room;
    struct verbs_srq **srqs; /* shared receive queues, NULL where one was destroyed; or NULL */
    uint32_t srq_count, srq_room;
    time_ps cnp_interval; /* TIME_NEVER: no CNPs are sent */
    struct slab completions;
    struct mr_table *mrs;
    struct mr_table own_mrs;
    struct cm cm;
    const struct env *env;
    struct pipeline *pipeline; /* NULL: its silicon limits nothing, or it has none */
    struct soft *soft;         /* NULL: hardware */
    struct cqs *cqs;           /* NULL: software polls */
    struct lag *lag;           /* NULL: its port is alone */
    struct rnic_fabric fabric; /* as it is now */
    struct rnic *const *peers; /* by endpoint, for verbs_ops.arrived; NULL: nobody asks */
    struct rnic_params params;
    struct rng timers; /* how late each is, by what it is of: nothing is drawn in turn */
    alignas(8) unsigned char cc_params[CC_PARAMS_MAX];
};

struct machine;

/* What an RNIC is made from. */
struct rnic_site {
    struct node *node;
    uint16_t index; /* of the RNIC, and its port, in the host */
    uint32_t endpoint;
    uint32_t *ready_ports;
    const struct env *env;
    struct frame_pool *frames;
    const struct port_params *port_params;
    const struct rnic_params *params;
    const struct cc_ops *cc;
    const void *cc_params;
    const uint8_t *priority_of_dscp; /* as rnic_map_dscp gives; NULL: what the rows alone say */
    struct rnic *card;               /* whose pipeline it shares; NULL: none but its own */
    struct machine *machine;         /* whose processor a software RNIC needs; or NULL */
};

/* What priority each DSCP has at a host's own port: DSCP >> 3, then the rows' pairs, then the
 * host's own map (DSCPS entries, RNIC_DSCP_UNSAID where it says nothing; or NULL). */
void rnic_map_dscp(const struct rnic_params *params, const uint8_t *own, uint8_t map[DSCPS]);

enum { RNIC_DSCP_UNSAID = UINT8_MAX };

/* The priorities that a host's receive buffer pauses, as a mask. */
static inline uint8_t rnic_lossless(const struct rnic_params *params, const uint8_t map[DSCPS])
{
    if (!params->pfc)
        return 0;
    return (uint8_t)(params->pfc_priorities == RNIC_AUTO ? 1u << map[params->dscp]
                                                         : (unsigned)params->pfc_priorities);
}

void rnic_init(struct rnic *rnic, const struct rnic_site *site);
void rnic_fini(struct rnic *rnic);

void rnic_on_event(struct rnic *rnic, const struct event *event);
void rnic_audit(const struct rnic *rnic);

/* Faults.  Drain: bits per second, RNIC_UNLIMITED or RNIC_STOPPED.  Storm: the peer is paused
 * without end. */
void rnic_set_drain(struct rnic *rnic, int64_t bps, time_ps now);
void rnic_set_storm(struct rnic *rnic, uint8_t priority, bool on, time_ps now);

/* IPv4 address of an endpoint: 10.0.0.1 is endpoint 0. */
#define RNIC_FIRST_IP UINT32_C(0x0A000001)

static inline uint32_t rnic_ip(uint32_t endpoint)
{
    return RNIC_FIRST_IP + endpoint;
}

/* ------------------------------------------------------------------ for the parts of the RNIC */

enum { TOS_DSCP = 0xFC }; /* the bits of a traffic class octet that are not ECN's, RFC 3168 */

static inline uint8_t rnic_tos(int64_t dscp)
{
    return (uint8_t)(dscp << 2);
}

enum { RNIC_QP_BITS = 16, RNIC_QP_MAX = 1 << RNIC_QP_BITS, RNIC_QP_FEW = 4 };

/* The queue pairs have come to lie elsewhere. */
void rnic_place_qps(struct rnic *rnic);

/* Queues a control frame before the data of its priority. */
void rnic_send_control(struct rnic *rnic, uint32_t handle);

/* Delivers a completion after rx-delay. */
void rnic_complete(struct rnic *rnic, struct qp *qp, const struct ibv_wc *wc, time_ps now);

/* Hands a completion to its user. */
void rnic_deliver(struct rnic *rnic, uint32_t index);

/* Hands a frame that port and receive buffer have let through to the transport; takes it over. */
void rnic_transport(struct rnic *rnic, uint32_t handle, time_ps now);

/* Where the queue pair is, if there is one. */
static inline struct qp *rnic_qp_slot(const struct rnic *rnic, uint32_t qpn)
{
    return &rnic->qp_slots[(qpn ^ rnic->qpn_base) & rnic->qp_mask];
}

/* NULL: no such queue pair, or no longer. */
static inline struct qp *rnic_find_qp(const struct rnic *rnic, uint32_t qpn)
{
    struct qp *qp = rnic_qp_slot(rnic, qpn);
    return LIKELY(qp->qpn == qpn && qpn != 0) ? qp : NULL;
}

static inline uint32_t rnic_qp_index(const struct rnic *rnic, const struct qp *qp)
{
    return (qp->qpn ^ rnic->qpn_base) & (RNIC_QP_MAX - 1);
}

/* Fetches the queue pair's hot lines but for the first, which is looked at now. */
static inline void rnic_prefetch(const struct qp *qp)
{
    __builtin_prefetch(&qp->epsn);
    __builtin_prefetch(&qp->timeout_due);
}

/* A mark that comes so soon after a CNP, or where none are sent, is counted only. */
static inline bool rnic_only_counts_mark(const struct rnic *rnic, const struct qp *qp, time_ps now)
{
    return rnic->cnp_interval == TIME_NEVER || now < qp->cnp_next;
}

static inline void rnic_set_rx_odd(struct rnic *rnic, enum rnic_rx_odd reason, bool on)
{
    rnic->rx_odd = (uint8_t)(on ? rnic->rx_odd | reason : rnic->rx_odd & ~(unsigned)reason);
}

static inline time_ps rnic_now(const struct rnic *rnic)
{
    return node_now(rnic->port.node);
}

static INLINE void rnic_post(struct rnic *rnic, time_ps at, enum rnic_event kind, uint64_t argument)
{
    struct node *node = rnic->port.node;
    node_post(node, node->id, at, (uint8_t)kind, rnic->port.index, argument);
}

/* Bit of ready_ports: the host is within an event, and will serve them when it ends. */
#define RNIC_HOST_BUSY (UINT32_C(1) << 31)

static inline void rnic_want_dequeue(struct rnic *rnic)
{
    *rnic->ready_ports |= UINT32_C(1) << rnic->port.index;
}

#endif
