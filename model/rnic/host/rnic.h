/* SPDX-License-Identifier: Apache-2.0
 * rnic - an RDMA NIC with one port.
 * Supplies the next frame when the wire is free: control frames and acknowledgments first, then the
 * queue pairs in turn. A frame is built only when it can leave, so a pause, a NAK or a rate cut
 * takes effect at once and nothing is queued twice.
 * Source: IBTA Vol 1 ch. 9 and annex A17 (RoCEv2). Owner: a host. Clock: now is passed in. */
#ifndef STORMGLASS_RNIC_HOST_RNIC_H
#define STORMGLASS_RNIC_HOST_RNIC_H

#include "base/env.h"
#include "net/port/port.h"
#include "rnic/cc/cc.h"
#include "rnic/cm/cm.h"
#include "rnic/host/rx_buffer.h"
#include "rnic/mr.h"
#include "rnic/pipeline/pipeline_params.h"
#include "rnic/qp/qp.h"
#include "rnic/qp/recovery.h"
#include "rnic/soft/soft_params.h"

/* Event kinds of a host in addition to those of its ports. */
enum rnic_event {
    RNIC_EVENT_DOORBELL = NET_EVENT_FIRST_OWN, /* argument: QPN << 32 | producer index */
    RNIC_EVENT_WAKE,    /* argument: QPN << 32 (the low half, 0, is prefetched as a frame handle);
                      * the QP may send */
    RNIC_EVENT_TIMEOUT, /* argument: QPN; the local ACK timer may have expired */
    RNIC_EVENT_COMPLETION, /* argument: index of the completion */
    RNIC_EVENT_DRAIN,      /* the frame at the head of the receive buffer has been drained */
    RNIC_EVENT_MAD,        /* argument: frame handle */
    RNIC_EVENT_DATA_CAME,  /* argument: communication ID; data has established the connection */
    RNIC_EVENT_FIRST_OWN,  /* event kinds of the host start here, up to the next */
    RNIC_EVENT_STALL = 32, /* argument: priority; its pause may have lasted too long */
    RNIC_EVENT_TRANSMIT,   /* transmit timer of a software RNIC */
    RNIC_EVENT_ENGINE,     /* argument: QPN, or 0; the message engine is free for it, or in
                            * general */
    RNIC_EVENT_TX_ENGINE,  /* the pipeline allows a data packet to leave */
    RNIC_EVENT_SRQ_LIMIT,  /* argument: index of the shared receive queue */
    RNIC_EVENT_REACTION,   /* argument: QPN; its NAK is generated, or its reaction to one ends */
    RNIC_EVENT_CQE,        /* argument: index of the completion, which is now in its queue */
    RNIC_EVENT_CQ,         /* argument: step << 32 | slot of the connection */
    RNIC_EVENT_CQ_ERROR,   /* argument: slot of the connection whose queue overran */
    RNIC_EVENT_LAST_WQE    /* argument: generation << 32 | slot of the connection */
};

struct rnic_params {
    int64_t path_mtu, path_mtu_agreement;
    int64_t timeout, accept_timeout, timeout_spread, retry_count, rnr_retry, min_rnr_timer;
    int64_t ack_interval, ack_coalescing, ack_each_message;
    int64_t loss_recovery; /* index in recovery_list */
    int64_t nak_delay, retransmit_delay, rnr_timer_step;
    int64_t adaptive, adaptive_timeout, adaptive_tries; /* adaptive retransmission: ACK timers */
    int64_t bdp_cap, rto_low, rto_low_packets;
    int64_t max_rd_atomic;
    int64_t tx_delay, rx_delay, read_delay;
    int64_t dscp, priority, accept_dscp, ack_dscp, ack_priority, cnp_dscp, cnp_priority;
    int64_t weight[PRIORITIES]; /* 0: strict, highest first; else weight among the weighted
                                 * priorities */
    int64_t ttl;
    int64_t rx_buffer, rx_xoff, rx_xon, drain;
    int64_t pfc, pfc_priorities; /* mask; RNIC_AUTO: the data priority */
    int64_t pfc_watchdog;
    int64_t cm_timeout, cm_retries, ca_ack_delay;
    int64_t address_timeout; /* ps, for address resolution of a connection */
    int64_t roce_version;    /* 1 or 2 */
    int64_t priority_tag;    /* RoCE v1: frames have a VLAN tag, with their priority */
    int64_t grh;             /* InfiniBand: packets have a GRH */
    int64_t link;            /* enum port_kind; not a row: that of the whole fabric */
    int64_t udp_source_port; /* enum RNIC_UDP_... */
    int64_t lag;             /* enum rnic_lag */
    int64_t lag_seed;        /* RNIC_AUTO: a seed of its own */
    int64_t card_ports;      /* number of the host's RNICs that share a pipeline */
    int64_t loopback_rate;   /* bits per second of inner ports; RNIC_AUTO: the link's rate */
    int64_t migreq;
    int64_t context_cost, resolve_cost, qp_create_cost, qp_modify_cost, qp_destroy_cost;
    int64_t command_slots; /* at most CM_COMMAND_SLOTS */
    int64_t clock_offset;  /* ppm, positive: fast */
    int64_t line_rate;     /* link rate for which the values are meant; RNIC_AUTO: any */
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
enum { RNIC_MTU_AGREEMENTS(X) }; /* values of path_mtu_agreement */
#undef X

#define RNIC_UDP_SOURCES(X)                                                                        \
    X(QUEUE_PAIRS, "queue-pairs")                                                                  \
    X(FLOW_LABEL, "flow-label")                                                                    \
    X(QUEUE_PAIR, "queue-pair")
#define X(name, word) RNIC_UDP_##name,
enum { RNIC_UDP_SOURCES(X) }; /* values of udp_source_port */
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

/* Path MTU in a REQ of `active`; rnic_agreed_mtu: of the queue pair that `passive` creates for it.
 * `passive` may be NULL when it is unknown. */
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

enum { RNIC_AUTO = -1 };                        /* for rx_xoff, rx_xon, ack_dscp and others */
enum { RNIC_UNLIMITED = 0, RNIC_STOPPED = -1 }; /* values of drain */

/* ACK timeout code that the RNIC uses when it accepts a REQ with the given one. */
static inline uint8_t rnic_accept_timeout(const struct rnic_params *passive, int64_t asked)
{
    return (uint8_t)(passive->accept_timeout == RNIC_AUTO ? asked : passive->accept_timeout);
}

/* The trailing comments give the names of mlx5's ethtool and hw_counters, where they exist. */
struct rnic_counters {
    uint64_t messages, message_bytes;           /* sent and acknowledged, including READs */
    uint64_t received_messages, received_bytes; /* completed SENDs and WRITEs, received READ data */
    uint64_t read_requests, write_requests;     /* rx_read_requests, rx_write_requests */
    uint64_t retransmitted_packets;             /* requests; roce_adp_retrans counts events */
    uint64_t timeouts;                          /* local_ack_timeout_err */
    uint64_t naks;                              /* sequence NAKs received: packet_seq_err */
    uint64_t naks_sent;                         /* sequence NAKs sent by this side */
    uint64_t implied_naks;                      /* implied_nak_seq_err */
    uint64_t rnr_naks;                          /* received; rnr_nak_retry_err */
    uint64_t rnr_naks_sent;                     /* out_of_buffer */
    uint64_t out_of_sequence;                   /* out_of_sequence */
    uint64_t duplicate_requests;                /* duplicate_request */
    uint64_t remote_errors;           /* req_remote_access_errors, req_remote_invalid_request */
    uint64_t retries_exceeded;        /* req_transport_retries_exceeded */
    uint64_t cq_overruns;             /* overruns of completion queues, IBV_EVENT_CQ_ERR */
    uint64_t qp_errors;               /* queue pairs that failed, excluding orderly disconnects */
    uint64_t completion_errors;       /* req_cqe_error, resp_cqe_error */
    uint64_t acks_sent, acks_merged;  /* merged: superseded while waiting for the wire */
    uint64_t ecn_marked;              /* np_ecn_marked_roce_packets */
    uint64_t cnps_sent, cnps_handled; /* np_cnp_sent, rp_cnp_handled */
    uint64_t rx_buffer_drops;         /* rx_discards_phy */
    uint64_t rx_out_of_buffer;        /* software RNIC; rx_out_of_buffer */
    uint64_t stall_warnings;          /* tx_pause_storm_warning_events */
    uint64_t stalls;                  /* tx_pause_storm_error_events */
    uint64_t stray;                   /* packets for no queue pair, or for one that does not
                                       * accept packets */
    uint64_t posted_sends, posted_receives; /* work requests */
    uint64_t finished_sends,
        finished_receives; /* completed, flushed, or discarded with their queue pair */
};

/* The class of frames that a host sends with this priority, in InfiniBand the service level: their
 * ToS octet, or what takes its place in the RoCE version of the parameters. */
static inline struct packet_class rnic_class(const struct rnic_params *params, uint8_t priority,
                                             uint8_t tos)
{
    const bool v1 = params->roce_version == 1;
    struct packet_class class = {priority, tos};
    if (params->link == PORT_INFINIBAND)
        class.tos = frame_ib_tos(priority);
    else if (v1)
        class.tos = frame_v1_tos(params->priority_tag != 0, priority);
    return class;
}

/* Bytes of a frame of the class without extension headers and payload, from the first header to the
 * last checksum. */
static inline uint32_t rnic_frame_bytes(const struct rnic_params *params, uint8_t tos)
{
    if (params->link == PORT_INFINIBAND)
        return params->grh ? WIRE_IB_BYTES + WIRE_GRH_BYTES : WIRE_IB_BYTES;
    return WIRE_ROCE_BYTES + frame_v1_more(tos);
}

static inline int64_t rnic_header_bytes(const struct rnic_params *params)
{
    return rnic_frame_bytes(params, rnic_class(params, 0, 0).tos);
}

/* The same with preamble and gap. */
static inline int64_t rnic_overhead_bytes(const struct rnic_params *params)
{
    return rnic_header_bytes(params) + (params->link == PORT_INFINIBAND ? 0 : WIRE_GAP_BYTES);
}

/* Headers that the MTU of a link counts in addition to the payload. */
static inline int64_t rnic_mtu_headers(const struct rnic_params *params)
{
    return params->link == PORT_INFINIBAND ? 0 : rnic_header_bytes(params) - WIRE_ETHERNET_BYTES;
}

/* Whether an RNIC's frames with this ToS octet have a DSCP and a UDP source port. */
static inline bool rnic_has_ip(const struct rnic_params *params, uint8_t tos)
{
    return params->link == PORT_ETHERNET && !frame_is_v1(tos);
}

struct rnic_list {
    uint32_t head, tail; /* QP indices */
};

/* Data waiting to be sent in one priority. */
struct rnic_class {
    struct rnic_list ready;   /* QPs with requests or READ responses */
    struct rnic_list answers; /* QPs with an ACK or NAK */
    int32_t credit;           /* bytes, of the weighted scheduler; below 0: overdrawn */
    int32_t quantum;          /* bytes added per turn */
};

struct rnic_completion {
    struct ibv_wc wc;
    struct verbs_conn *conn;
    uint32_t next; /* next in its queue, or POOL_NONE */
    uint32_t bulk; /* bytes of data in the message, for a software RNIC */
};

/* Reasons for arriving frames to leave the fast path; 0: none. */
enum rnic_rx_odd {
    RNIC_RX_BUFFERED = 1 << 0, /* frames pass through the receive buffer */
    RNIC_RX_HEARS = 1 << 1,    /* the congestion control processes ACKs */
    RNIC_RX_REACTS = 1 << 2,   /* queue pairs have a struct reaction */
    RNIC_RX_CREDITS = 1 << 3,  /* a frame's credits go back when its buffer is free */
};

/* Whether frames can get from one endpoint to another and back with the present links, power and
 * routes, which change only between events. reaches NULL: always. */
struct rnic_fabric {
    const void *self;
    bool (*reaches)(const void *self, uint32_t from, uint32_t to);
};

struct rnic {
    struct port port; /* first member: the port's source casts it to its RNIC */

    /* touched by every packet */
    alignas(64) struct qp *qp_slots; /* slots of qps; an unused slot has QPN 0 */
    uint32_t *ready_ports;           /* the host's mask of ports to serve at the end of its event */
    struct cc_site cc_site;          /* congestion control */
    uint32_t qpn_base;
    uint32_t qp_mask; /* number of slots, a power of two, minus one */
    uint32_t endpoint;
    uint16_t ack_interval;
    uint8_t strict;   /* mask of priorities served before the weighted ones */
    uint8_t drr_next; /* weighted scheduler: priority whose turn it is */
    uint8_t ecn;      /* ECN field of data packets: ECT(0) when the congestion control uses marks */
    uint8_t cnp_priority, cnp_tos, ttl;
    bool ack_coalescing, ack_each_message;
    uint8_t rx_odd;           /* enum rnic_rx_odd */
    uint8_t completion_event; /* RNIC_EVENT_COMPLETION or RNIC_EVENT_CQE */
    bool arbitrates; /* the port's source is arbiter_next, not that of a pipeline or software
                      * RNIC */
    uint8_t side;    /* its side of the pipeline, which the first RNIC of a card owns */
    bool carry;      /* it sends for other members of its aggregate, or they for it */
    struct rnic_class classes[PRIORITIES];
    alignas(64) uint8_t priority_of_tos[FRAME_TOS_VALUES]; /* of arriving frames */
    uint8_t priority_of_dscp[DSCPS];

    struct pool qps;
    struct rx_buffer rx;
    struct rnic_counters counters;

    const struct recovery_ops *recovery;
    struct selective **selective; /* by slot, for selective repeat; or NULL */
    uint32_t selective_room;
    struct reaction **reactions; /* by slot, where needed; or NULL */
    uint32_t reaction_room;
    struct verbs_srq **srqs; /* shared receive queues, NULL where destroyed; or NULL */
    uint32_t srq_count, srq_room;
    time_ps cnp_interval; /* TIME_NEVER: no CNPs are sent */
    bool becn_in_acks;    /* ACKs return marks of requests in place of CNPs */
    struct slab completions;
    struct mr_table *mrs;
    struct mr_table own_mrs;
    struct cm cm;
    const struct env *env;
    struct pipeline *pipeline; /* NULL: no pipeline limits, or a software RNIC */
    struct soft *soft;         /* NULL: hardware */
    struct cqs *cqs;           /* NULL: software polls without cost */
    struct lag *lag;           /* NULL: not in an aggregate */
    struct tcp *tcp;           /* TCP of the port; NULL: none */
    struct fc *fc;             /* N_Port of the port; NULL: no Fibre Channel */
    struct rnic_fabric fabric; /* present reachability */
    struct rnic *const *peers; /* by endpoint, for verbs_ops.arrived; NULL: not available */
    struct rnic_params params;
    struct rng timers; /* random lateness of timers, by what each is for, independent of the
                        * order of draws */
    alignas(8) unsigned char cc_params[CC_PARAMS_MAX];
};

struct fc;
struct machine;
struct tcp;

/* Parameters for creating an RNIC. */
struct rnic_site {
    struct node *node;
    uint16_t index; /* index of the RNIC and its port in the host */
    uint32_t endpoint;
    uint32_t *ready_ports;
    const struct env *env;
    struct frame_pool *frames;
    const struct port_params *port_params;
    const struct rnic_params *params;
    const struct cc_ops *cc;
    const void *cc_params;
    const uint8_t *priority_of_dscp; /* as from rnic_map_dscp; NULL: from the rows alone */
    struct rnic *card;               /* RNIC whose pipeline it shares; NULL: its own */
    struct machine *machine;         /* machine whose processor a software RNIC uses; or NULL */
};

/* Priority of each DSCP at a host's own port: DSCP >> 3, overridden by the rows' pairs, then by the
 * host's own map (DSCPS entries, RNIC_DSCP_UNSAID for no override; or NULL). */
void rnic_map_dscp(const struct rnic_params *params, const uint8_t *own, uint8_t map[DSCPS]);

enum { RNIC_DSCP_UNSAID = UINT8_MAX };

/* Mask of the priorities that a host's receive buffer pauses. */
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

/* Fault injection. Drain: bits per second, RNIC_UNLIMITED or RNIC_STOPPED. Storm: pauses the peer
 * permanently. */
void rnic_set_drain(struct rnic *rnic, int64_t bps, time_ps now);
void rnic_set_storm(struct rnic *rnic, uint8_t priority, bool on, time_ps now);

/* IPv4 address of an endpoint: 10.0.0.1 is endpoint 0. */
#define RNIC_FIRST_IP UINT32_C(0x0A000001)

static inline uint32_t rnic_ip(uint32_t endpoint)
{
    return RNIC_FIRST_IP + endpoint;
}

/* ------------------------------------------------------------------ for parts of the RNIC */

enum { TOS_DSCP = 0xFC }; /* the bits of a traffic class octet other than ECN, RFC 3168 */

static inline uint8_t rnic_tos(int64_t dscp)
{
    return (uint8_t)(dscp << 2);
}

enum { RNIC_QP_BITS = 16, RNIC_QP_MAX = 1 << RNIC_QP_BITS, RNIC_QP_FEW = 4 };

/* Call when the queue pairs have moved in memory. */
void rnic_place_qps(struct rnic *rnic);

/* Queues a control frame ahead of the data of its priority. */
void rnic_send_control(struct rnic *rnic, uint32_t handle);

/* Delivers a completion after rx-delay. */
void rnic_complete(struct rnic *rnic, struct qp *qp, const struct ibv_wc *wc, time_ps now);

/* Passes a completion to its user. */
void rnic_deliver(struct rnic *rnic, uint32_t index);

/* Returns the credits of a frame that has left the receive buffer, if the link has credits. */
void rnic_return_credits(struct rnic *rnic, struct frame_head frame, time_ps now);

/* Passes a frame that has cleared port and receive buffer to the transport, which consumes it. */
void rnic_transport(struct rnic *rnic, uint32_t handle, time_ps now);

/* The slot in which the queue pair must be, if it exists. */
static inline struct qp *rnic_qp_slot(const struct rnic *rnic, uint32_t qpn)
{
    return &rnic->qp_slots[(qpn ^ rnic->qpn_base) & rnic->qp_mask];
}

/* NULL: the queue pair does not exist, or no longer. */
static inline struct qp *rnic_find_qp(const struct rnic *rnic, uint32_t qpn)
{
    struct qp *qp = rnic_qp_slot(rnic, qpn);
    return LIKELY(qp->qpn == qpn && qpn != 0) ? qp : NULL;
}

static inline uint32_t rnic_qp_index(const struct rnic *rnic, const struct qp *qp)
{
    return (qp->qpn ^ rnic->qpn_base) & (RNIC_QP_MAX - 1);
}

/* Prefetches the queue pair's frequently used cache lines except the first, which is read at
 * once. */
static inline void rnic_prefetch(const struct qp *qp)
{
    __builtin_prefetch(&qp->epsn);
    __builtin_prefetch(&qp->timeout_due);
}

/* A CE mark is only counted, without a CNP, soon after the previous CNP or when no CNPs are
 * sent. */
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

/* Bit of ready_ports: the host is handling an event and will serve the ports at its end. */
#define RNIC_HOST_BUSY (UINT32_C(1) << 31)

/* The class of packets of a service level: the host's SL to VL table gives the virtual lane. */
static inline struct packet_class rnic_sl_class(const struct rnic *rnic, int64_t service_level)
{
    const uint8_t tos = frame_ib_tos((unsigned)service_level % FRAME_SERVICE_LEVELS);
    return (struct packet_class){rnic->priority_of_tos[tos], tos};
}

/* The same of a connection: its service level is its priority, or that of the host. */
static inline struct packet_class rnic_ib_class(const struct rnic *rnic,
                                                const struct verbs_class *wanted)
{
    return rnic_sl_class(rnic, wanted->priority_set ? wanted->priority : rnic->params.priority);
}

static inline void rnic_want_dequeue(struct rnic *rnic)
{
    *rnic->ready_ports |= UINT32_C(1) << rnic->port.index;
}

#endif
