/* SPDX-License-Identifier: Apache-2.0
 * qp - a reliable connected (RC) queue pair.
 * State of the requester, the responder and the completer, with the frequently used cache lines
 * first: a packet within a message touches the first line and one more, at either end.
 * Source: IBTA Vol 1 ch. 9 (transport), 10.3 (states). Not modeled: atomics, UC, SQD. Indices of
 * work requests are free-running; a ring's slot is the masked index. */
#ifndef STORMGLASS_RNIC_QP_QP_H
#define STORMGLASS_RNIC_QP_QP_H

#include "net/frame/frame.h"
#include "rnic/cc/pacer.h"
#include "rnic/mr.h"
#include "rnic/psn.h"
#include "rnic/qp/held_acks.h"

#include <assert.h>
#include <stdalign.h>

struct rnic;
struct soft_qp;

enum qp_flags {
    QP_LISTED = 1 << 0,         /* on a ready list */
    QP_TX_ACTIVE = 1 << 1,      /* a message is in progress */
    QP_TX_BYTES = 1 << 2,       /* the message begins with real bytes */
    QP_BLOCKED = 1 << 3,        /* the next WQE waits for a completion: ORD, fence, LOCAL_INV */
    QP_RNR_WAIT = 1 << 4,       /* waiting until rnr_until */
    QP_LIMITED = 1 << 5,        /* limited by congestion control */
    QP_READ_GAP = 1 << 6,       /* a READ response was lost and requested again */
    QP_RESPOND = 1 << 7,        /* READ responses are due */
    QP_REQUESTED_LAST = 1 << 8, /* the last packet sent was a request */
    QP_SOFT = 1 << 9,           /* software RNIC: its own tasks send */
    QP_AGAIN = 1 << 10,         /* next_psn was sent before: it differs from high_psn */
    QP_ARBITRATED = 1 << 11,    /* its data shares the wire by weights, or passes a pipeline */
    QP_FLIGHT = 1 << 12,    /* its congestion control processes ACKs, so its packets are recorded */
    QP_FULL = 1 << 13,      /* the window has no space for another packet */
    QP_SELECTIVE = 1 << 14, /* it has a struct selective */
    QP_REACTS = 1 << 15,    /* it has a struct reaction */
};

enum qp_rx_flags {
    QP_RX_NAKED = 1 << 0,      /* the present gap has been NAKed */
    QP_RX_ANSWER = 1 << 1,     /* an ACK or NAK waits in the answer slot */
    QP_RX_LISTED = 1 << 2,     /* on the list of QPs with an answer */
    QP_RX_FIRST_DATA = 1 << 3, /* the first request packet establishes the connection */
    QP_RX_MARKED = 1 << 4,     /* a packet was marked, and no ACK has reported it yet */
    QP_RX_HELD = 1 << 5,       /* packets ahead of sequence are being kept */
};

enum qp_tx_kind {
    QP_TX_SEND,
    QP_TX_SEND_INV,
    QP_TX_SEND_IMM,
    QP_TX_WRITE,
    QP_TX_WRITE_IMM,
    QP_TX_KINDS
};

/* The opcode that continues the message in progress. */
enum qp_rx_kind {
    QP_RX_IDLE = UINT8_MAX,
    QP_RX_SEND = FRAME_RC_SEND_MIDDLE,
    QP_RX_WRITE = FRAME_RC_WRITE_MIDDLE
};

struct qp_wqe {
    uint64_t wr_id;
    uint64_t remote_address;
    struct mr_sge sges[MR_SGES];
    uint32_t rkey; /* of the remote region, or rkey to invalidate */
    uint32_t length;
    uint32_t first_psn, packets; /* valid once started */
    uint32_t content;            /* tag of the bulk part */
    uint32_t real_bytes;         /* number of real bytes at the start */
    uint32_t immediate;
    uint8_t opcode;     /* enum ibv_wr_opcode */
    uint8_t send_flags; /* enum ibv_send_flags; QP_WQE_DRAINS */
    uint8_t sge_count;
    bool started;
};

/* Flag of send_flags: waits until everything before it is complete. */
enum { QP_WQE_DRAINS = 1 << 7 };

struct qp_receive {
    uint64_t wr_id;
    struct mr_sge sges[MR_SGES];
    uint32_t length;
    uint32_t sge_count;
};

/* A READ being answered by the responder. */
struct qp_read {
    struct mr *mr;
    time_ps ready_at;
    uint32_t offset;       /* of the next response, in the region */
    uint32_t left;         /* bytes left */
    uint32_t response_psn; /* of the next response */
    uint32_t msn;          /* MSN of the READ: later messages do not count in its responses */
    uint32_t packets;      /* responses left */
    bool begun;            /* the first response has left */
    bool again;            /* a duplicate request */
    uint8_t serial;        /* of its region when the request arrived */
};

enum { QP_HOLD_UNREPORTED = 0x7F };

struct qp {
    /* PSN of the next request packet to send. Written by the requester, fast_path_make (the middle
     * of a message), qp_connect and qp_to_error. The first two cache lines are prefetched
     * together. */
    alignas(128) uint32_t next_psn;
    uint32_t high_psn; /* one more than the highest PSN ever sent */
    /* Oldest unacknowledged PSN; of a READ: the next response. Written by the completer and
     * fast_path_acknowledge, by recovery_ops.go_back, by qp_connect and qp_to_error. */
    uint32_t una_psn;
    uint32_t tx_offset, tx_length, tx_content;
    uint32_t next_ready;
    uint32_t qpn;
    struct flow_key flow;   /* to the peer */
    struct frame_head data; /* head of a packet within the message */
    uint16_t mtu;
    uint16_t since_ack; /* packets since the last AckReq */
    uint8_t ttl;
    uint8_t state;  /* enum ibv_qp_state */
    uint16_t flags; /* enum qp_flags */

    /* Expected PSN of the next request. Written by the responder, fast_path_take (the middle of a
     * message) and qp_connect. */
    alignas(64) uint32_t epsn;
    uint32_t msn;
    uint32_t rx_offset, rx_limit; /* of the message in progress */
    struct frame_head rx_next;    /* head of a packet that continues it; opcode: enum qp_rx_kind */
    struct frame_head ack;
    uint32_t rx_first_psn;
    uint32_t next_answer;
    uint32_t read_head, read_tail;
    uint8_t rx_flags; /* enum qp_rx_flags */
    uint8_t answer_syndrome;
    uint8_t generation; /* generation of the QPN in this slot */
    uint8_t rx_serial;  /* of rx_mr when the WRITE arrived */
    uint32_t rx_base;   /* offset of a WRITE in its region */
    struct mr *rx_mr;   /* region of a WRITE; NULL for an empty one */

    /* completions and timers */
    alignas(64) time_ps timeout_due;
    time_ps timeout;     /* 0: none */
    time_ps wake_at;     /* TIME_NEVER: no wake-up pending */
    time_ps paced_until; /* congestion control allows sending from then on; 0: no limit so far */
    uint32_t sq_cur;     /* current or next WQE */
    uint32_t sq_visible; /* doorbell rung up to here */
    uint32_t sq_head, sq_tail;
    uint32_t una_end;    /* an ACK before this PSN completes nothing; equal to una_psn: check the
                          * oldest send */
    uint16_t reads_out;  /* READs issued and not completed */
    uint16_t read_limit; /* ORD */
    uint8_t retry_left, rnr_left, retry_count, rnr_retry;
    bool timeout_pending : 1;  /* no timer event need be posted: one is pending, or there is no
                               * timeout */
    uint8_t reported_hold : 7; /* enum probe_hold_state last reported, or QP_HOLD_UNREPORTED */
    uint8_t read_resources;    /* IRD */
    uint8_t tx_kind;           /* enum qp_tx_kind */
    uint8_t ack_timeout;       /* code of the local ACK timeout, see qp_ack_timeout */

    alignas(64) struct pacer pacer; /* congestion control */

    struct qp_wqe *sq;
    struct qp_receive *rq;
    struct qp_read *reads; /* NULL until needed */
    struct held_acks held;
    struct verbs_conn *conn;
    time_ps cnp_next; /* time before which no CNP is sent */
    time_ps rnr_until;
    struct soft_qp *soft; /* NULL: hardware RNIC */
    uint32_t rq_head, rq_tail;
    uint32_t sq_mask, rq_mask, read_mask;
    uint32_t sq_room, rq_room; /* requested sizes */
    uint32_t answer_psn;       /* PSN of the ACK or NAK in the answer slot; its MSN is
                                * held.answer_msn */
};

static_assert(offsetof(struct qp, epsn) == 64 && offsetof(struct qp, timeout_due) == 128 &&
                  offsetof(struct qp, pacer) == 192,
              "a line to send from, a line to receive into, a line to wait in");
static_assert(sizeof(struct qp) == 384, "six lines, whose pairs are fetched together");

/* The parameters agreed when connecting. */
struct qp_connection {
    uint32_t peer, peer_qpn; /* endpoint and QPN */
    uint32_t send_psn, receive_psn;
    uint32_t mtu, flow_label;
    uint8_t read_limit, read_resources;
    uint8_t ack_timeout; /* exponent code, see qp_timeout_of */
    uint8_t retry_count, rnr_retry;
    bool first_data_establishes;
};

/* May move the RNIC's other queue pairs in memory: keep the connection, which points to its queue
 * pair, or the QPN. */
struct qp *qp_create(struct rnic *rnic, const struct ibv_qp_cap *cap, struct verbs_conn *conn);
void qp_destroy(struct rnic *rnic, struct qp *qp);

/* Whether one more is within the requested size; if so its slot is allocated. The rings grow as
 * requests are posted, so a queue that never fills reuses a few cache lines. */
bool qp_may_post_send(struct qp *qp);
bool qp_may_post_receive(struct qp *qp);

/* INIT to RTR to RTS. */
void qp_connect(struct rnic *rnic, struct qp *qp, const struct qp_connection *with);

/* Allocates the ring of READs to answer, which most queue pairs never need. */
void qp_expect_reads(struct qp *qp);

/* Moves to ERR: posted work requests complete with WR_FLUSH_ERR. */
void qp_to_error(struct rnic *rnic, struct qp *qp, time_ps now);

/* Fails the oldest send with the status, then the queue pair. */
void qp_fail_send(struct rnic *rnic, struct qp *qp, enum ibv_wc_status status, time_ps now);

bool qp_edge_is_legal(enum ibv_qp_state from, enum ibv_qp_state to);
const char *qp_state_name(enum ibv_qp_state state);

/* Conversion of a path MTU code to bytes and back; 0: invalid. */
uint32_t qp_mtu_bytes(enum ibv_mtu mtu);
enum ibv_mtu qp_mtu_code(uint32_t bytes);

/* Local ACK timeout code to time, IBTA Vol 1 9.7.6.1.3; 0: no timer. */
static inline time_ps qp_timeout_of(int64_t code)
{
    return code == 0 ? 0 : (4096 * PS_PER_NS) << code;
}

/* RNR timer code to time, IBTA Vol 1 table 45. */
time_ps qp_rnr_time(unsigned code);

/* UDP source port derived from a flow label, for any queue pair. */
uint16_t qp_port_of_label(uint32_t label);

/* UDP source port of a pair of QPNs; the source port according to the RNIC's setting, with the
 * REQ's flow label; and the hash of the 5-tuple that ECMP uses. */
uint16_t qp_udp_source_port(uint32_t local_qpn, uint32_t remote_qpn);
uint16_t qp_udp_source_of(const struct rnic *rnic, uint32_t local_qpn, uint32_t remote_qpn,
                          uint32_t flow_label);
uint32_t qp_entropy(uint32_t source_ip, uint32_t destination_ip, uint16_t source_port);

/* Recovers the UDP source port from a 5-tuple hash. */
uint16_t qp_entropy_port(uint32_t entropy, uint32_t source_ip, uint32_t destination_ip);

void qp_audit(const struct rnic *rnic, const struct qp *qp);

static inline struct qp_wqe *qp_wqe(const struct qp *qp, uint32_t index)
{
    return &qp->sq[index & qp->sq_mask];
}

/* LOCAL_INV waits for everything before it, as in rxe. */
static inline bool qp_waits_for_all(const struct qp *qp, const struct qp_wqe *wqe)
{
    return qp->sq_head != qp->sq_cur &&
           (wqe->opcode == IBV_WR_LOCAL_INV || (wqe->send_flags & QP_WQE_DRAINS) != 0);
}

/* The ACK timeout agreed when connecting; 0: no timer. qp->timeout may temporarily be shorter. */
static inline time_ps qp_ack_timeout(const struct qp *qp)
{
    return qp_timeout_of(qp->ack_timeout);
}

static inline bool qp_outstanding(const struct qp *qp)
{
    return qp->una_psn != qp->high_psn;
}

#endif
