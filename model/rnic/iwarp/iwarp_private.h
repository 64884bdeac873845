/* SPDX-License-Identifier: Apache-2.0
 * iwarp_private - declarations shared by the files of iWARP.
 *   fpdu.c           bytes of FPDUs and of MPA frames
 *   iwarp.c          verbs table, device, memory, work requests
 *   iwarp_conn.c     connections: MPA request and reply, end
 *   iwarp_send.c     messages as FPDUs
 *   iwarp_receive.c  FPDUs as messages
 *   iwarp_srq.c      shared receive queues */
#ifndef STORMGLASS_RNIC_IWARP_IWARP_PRIVATE_H
#define STORMGLASS_RNIC_IWARP_IWARP_PRIVATE_H

#include "base/crc32c.h"
#include "base/probe.h"
#include "rnic/iwarp/fpdu.h"
#include "rnic/iwarp/iwarp.h"
#include "rnic/mr.h"

struct iwarp_listener {
    struct verbs_device *device;
    struct iwarp_listener *next;
    struct verbs_user user;
    uint16_t port; /* of TCP */
};

enum { IWARP_RUNS = 4 };

struct verbs_device {
    struct iwarp_site site;
    struct iwarp_params params;
    struct mr_table mrs;
    struct iwarp_listener *listeners;
    struct verbs_srq *srqs;
    struct verbs_conn *conns;
    struct verbs_conn *dead;            /* destroyed, with wake-ups of timers under way */
    uint32_t numbers;                   /* of queue pairs so far */
    struct crc32c_run runs[IWARP_RUNS]; /* of bulk data of several lengths */
};

/* A send request, until its completion. */
struct iwarp_wqe {
    uint64_t wr_id, remote_address;
    enum ibv_wr_opcode opcode;
    uint32_t key; /* of the remote region, or to invalidate */
    uint32_t length, sge_count;
    struct mr_sge sges[MR_SGES];
    bool signaled, done;
};

/* A posted receive. */
struct iwarp_receive {
    uint64_t wr_id;
    uint32_t length, sge_count;
    struct mr_sge sges[MR_SGES];
};

/* A READ of the peer. */
struct iwarp_answer {
    struct mr_sge source;
    uint32_t sink;
    uint64_t sink_address;
};

/* A ring of items with a fixed room. */
struct iwarp_ring {
    uint32_t head, tail, room;
};

static inline uint32_t iwarp_ring_count(const struct iwarp_ring *ring)
{
    return ring->tail - ring->head;
}

struct verbs_srq {
    struct verbs_device *device;
    struct verbs_srq *next;
    struct verbs_srq_user user;
    struct iwarp_ring ring;
    struct iwarp_receive *items;
    uint32_t limit;     /* 0: not armed */
    struct timer timer; /* reports the limit */
    bool destroyed;
};

/* The FPDU that is leaving. */
struct iwarp_sending {
    struct iwarp_fpdu fpdu;
    const struct mr_sge *sges; /* of its payload, which begins at `at` of the message */
    uint32_t sge_count, at;
    unsigned char head[IWARP_HEAD_MAX];
    unsigned char tail[3 + IWARP_CRC_BYTES];
    uint32_t head_bytes, payload, tail_bytes; /* head_bytes 0: nothing */
    uint32_t sent;
};

enum iwarp_phase { IWARP_IN_PREFIX, IWARP_IN_HEAD, IWARP_IN_PAYLOAD, IWARP_IN_TAIL };

/* The FPDU that is arriving. */
struct iwarp_arriving {
    enum iwarp_phase phase;
    uint32_t bytes; /* of this phase */
    struct iwarp_fpdu fpdu;
    unsigned char head[IWARP_UNTAGGED_BYTES];
    uint32_t head_bytes;
    unsigned char own[IWARP_TERMINATE_MAX]; /* payload of READ requests and Terminates */
    struct mr_sge sges[MR_SGES];            /* destination of other payload, from `at` */
    uint32_t sge_count, at;
    unsigned char tail[3 + IWARP_CRC_BYTES];
    uint32_t content; /* tag of the bulk data so far */
    bool has_content;
};

enum iwarp_state {
    IWARP_CONNECTING, /* the MPA reply has not arrived */
    IWARP_STRANGER,   /* accepted by TCP, the MPA request has not arrived */
    IWARP_ASKED,      /* neither accepted nor rejected */
    IWARP_OPEN,
    IWARP_OVER
};

struct verbs_conn {
    struct verbs_device *device;
    struct verbs_conn *next;
    struct stream_conn *stream; /* NULL: destroyed */
    struct verbs_user user;
    enum iwarp_state state;
    uint32_t number, peer_ip;
    time_ps cpu; /* of the stream that was destroyed */
    int busy;    /* calls in progress that go on after its user was called, who may destroy it */
    bool crc;
    bool ended;   /* the stream has ended */
    bool parting; /* closed by this side's user, who has not heard of the end */
    uint16_t ird, ord;

    struct iwarp_wqe *sq; /* [head, begun): sent or being sent, without completion; then waiting */
    struct iwarp_ring sends;
    uint32_t begun;
    struct iwarp_receive *rq;
    struct iwarp_ring receives;
    struct iwarp_answer *answers;
    struct iwarp_ring reads_served;
    uint32_t *reads; /* places in `sq` of READs without response */
    struct iwarp_ring reads_issued;
    uint32_t read_at; /* bytes of the first one that have arrived */
    uint32_t *line;   /* messages to send, in order: places in `sq`, or IWARP_ANSWER */
    struct iwarp_ring lined;
    uint32_t answered;  /* answers that have begun */
    struct ibv_wc *wcs; /* completions to be delivered */
    uint32_t wc_count, wc_room;

    uint32_t sent_msn[IWARP_QUEUES], got_msn[IWARP_QUEUES];
    uint32_t message_at;        /* bytes of the message that is leaving */
    uint32_t segment;           /* EMSS */
    uint32_t received;          /* bytes of the SEND that is arriving */
    uint64_t bulk_in, bulk_out; /* bulk data received; passed to the stream */
    struct iwarp_sending sending;
    struct iwarp_arriving arriving;
    unsigned char mpa[IWARP_MPA_MAX]; /* frame that arrives; before, the one to be sent */
    uint32_t mpa_bytes;
    struct timer later, limit;
    bool established; /* to be reported */
    bool failed;      /* likewise: a fault, after the completions before it */
    bool terminated;  /* by the peer, which needs no Terminate */
};

#define IWARP_ANSWER UINT32_MAX

static inline const struct stream_ops *iwarp_streams(const struct verbs_conn *conn)
{
    return conn->device->site.streams;
}

static inline uint32_t iwarp_min(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* iwarp.c */
/* Continues a CRC by bulk data as it travels: its tag, over and over. */
uint32_t iwarp_crc_bulk(struct verbs_device *device, uint32_t crc, uint32_t content,
                        uint32_t length);
void iwarp_complete(struct verbs_conn *conn, const struct ibv_wc *wc);
/* The request is done; reports it and those after it that were done earlier. */
void iwarp_send_done(struct verbs_conn *conn, uint32_t place);
void iwarp_mark(const struct verbs_conn *conn, enum probe_stream_kind kind, uint32_t bytes);
void iwarp_free_dead(struct verbs_device *device, bool all);
/* Posts one receive: 0, or an errno value. */
int iwarp_ring_receive(const struct verbs_device *device, struct iwarp_receive *items,
                       struct iwarp_ring *ring, const struct ibv_recv_wr *wr);

/* iwarp_conn.c */
struct verbs_conn *iwarp_connect(struct verbs_device *device, const struct verbs_peer *peer,
                                 const struct ibv_qp_cap *cap, const struct rdma_conn_param *param,
                                 const struct verbs_user *user);
int iwarp_listen(struct verbs_device *device, uint16_t port, const struct verbs_user *user);
void iwarp_unlisten(struct verbs_device *device, uint16_t port);
int iwarp_prepare(struct verbs_conn *conn, const struct ibv_qp_cap *cap,
                  const struct verbs_user *user);
int iwarp_accept(struct verbs_conn *conn, const struct rdma_conn_param *param);
int iwarp_reject(struct verbs_conn *conn, const void *private_data, uint8_t private_len);
void iwarp_disconnect(struct verbs_conn *conn);
void iwarp_destroy(struct verbs_conn *conn);
/* Calls to users are made soon, not from within a call of theirs. */
void iwarp_later(struct verbs_conn *conn);
/* A fault: sends a Terminate, and ends the connection soon. */
void iwarp_fail(struct verbs_conn *conn, const struct iwarp_fault *fault);

/* iwarp_send.c */
/* Begins requests that may begin, and sends what the stream takes. */
void iwarp_flush(struct verbs_conn *conn);
void iwarp_answer_read(struct verbs_conn *conn, const struct iwarp_answer *answer);
void iwarp_send_terminate(struct verbs_conn *conn, const struct iwarp_fault *fault);

/* iwarp_receive.c */
void iwarp_receive(struct verbs_conn *conn);

/* iwarp_srq.c */
struct verbs_srq *iwarp_create_srq(struct verbs_device *device, uint32_t max_wr,
                                   const struct verbs_srq_user *user);
int iwarp_post_srq_recv(struct verbs_srq *srq, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad);
void iwarp_arm_srq(struct verbs_srq *srq, uint32_t limit);
void iwarp_destroy_srq(struct verbs_srq *srq);
/* Moves the oldest shared receive to the connection; false: none is left, or it has none. */
bool iwarp_take_shared(struct verbs_conn *conn);
/* The connection has ended. */
void iwarp_give_back(struct verbs_conn *conn);
void iwarp_free_srqs(struct verbs_device *device, bool all);

#endif
