/* SPDX-License-Identifier: Apache-2.0
 * tcp_target - a target's connection, for the files that share it. */
#ifndef STORMGLASS_NVME_TCP_TCP_TARGET_H
#define STORMGLASS_NVME_TCP_TCP_TARGET_H

#include "nvme/tcp/tcp_private.h"

struct tcp_capsule {
    struct nvme_capsule capsule; /* first member */
    unsigned char sqe[NVME_SQE_BYTES];
    struct nvme_buffer bytes; /* for data that the target reads; length 0: not mapped */
    struct nvme_buffer bulk;  /* for I/O data */
    struct tcp_capsule *next; /* in the free list, and in that of all */
    struct tcp_capsule *older;
};

/* A command that has begun. */
struct target_slot {
    struct nvme_transfer *transfer; /* NULL: none */
    unsigned char cqe[NVME_CQE_BYTES];
    uint32_t asked;   /* by R2T so far */
    uint32_t fetched; /* H2CData so far */
    uint32_t r2ts;    /* outstanding */
    time_ps asked_at; /* of the last R2T */
    uint16_t cid;
    uint16_t next; /* slot: in the list of answered commands */
    bool fetches, answered;
};

enum { NO_SLOT = UINT16_MAX };

struct target_conn {
    struct nvme_transport_conn base;
    struct nvme_transport_target user;
    struct nvme_transport_request request;
    struct target_slot *slots;
    struct tcp_capsule *free, *newest; /* newest: of all */
    struct tcp_capsule *arriving;
    uint32_t slot_count, capsule_count, capsules_out;
    uint32_t limit, begun; /* commands that may be, and that are, without a response on its way */
    time_ps accepted_at;
    uint32_t in_capsule;
    uint32_t r2ts;           /* that a command may have outstanding: MAXR2T */
    enum nvme_memory memory; /* of I/O data */
    uint8_t digests, host_pda;
    uint16_t qid; /* by a Connect that succeeded; 0 before */
    uint16_t first_answered, last_answered;
    bool accepted, connected, no_flow_control;
};

static inline struct target_conn *target_of(struct nvme_transport_conn *conn)
{
    return (struct target_conn *)(void *)conn;
}

static inline const struct target_conn *const_target_of(const struct nvme_transport_conn *conn)
{
    return (const struct target_conn *)(const void *)conn;
}

/* tcp_r2t.c: a PDU with data of a write begins, and ends.  False: a fault. */
bool nvme_tcp_begin_data(struct target_conn *conn, struct tcp_arriving *from,
                         struct nvme_pdu_fault *fault);
void nvme_tcp_end_data(struct target_conn *conn, const struct nvme_pdu *pdu);

#endif
