/* SPDX-License-Identifier: Apache-2.0
 * pdu_net_private - what the files of the net of PDUs share.
 * pdu_net.c        PDUs on their way, and what each side hears
 * pdu_transport.c  the table: what hosts and targets call */
#ifndef STORMGLASS_TESTS_PDU_NET_PRIVATE_H
#define STORMGLASS_TESTS_PDU_NET_PRIVATE_H

#include "tests/unit/nvme/pdu_net.h"

struct pdu_transport {
    struct nvme_transport base;
    struct pdu_net *net;
    struct nvme_transport_listener listener;
    uint32_t ip;
};

/* A host's command that is under way. */
struct slot {
    struct nvme_buffer *data;
    uint32_t bytes;
    uint16_t cid;
    bool busy;
};

struct held_capsule {
    struct nvme_capsule capsule; /* first */
    struct nvme_buffer data;
    struct held_capsule *next;
    unsigned char sqe[NVME_SQE_BYTES];
};

struct nvme_transport_conn {
    struct pdu_net *net;
    struct pdu_transport *transport; /* until it is closed */
    struct nvme_transport_conn *peer, *next;
    struct nvme_transport_host host;
    struct nvme_transport_target target;
    struct slot *slots;               /* a host's, by tag */
    struct nvme_transfer **transfers; /* a target's, by slot */
    struct held_capsule *capsules;    /* that the target has */
    uint32_t number, in_capsule, begun;
    uint16_t entries;
    bool is_host;
    bool ended;  /* nothing is to be told any more but its end */
    bool closed; /* nothing at all */
};

struct pdu {
    struct nvme_transport_conn *to;
    enum pdu_type type;
    uint16_t cid, slot;
    uint32_t at, length, content;
    unsigned char head[NVME_SQE_BYTES];
    unsigned char *bytes; /* of the data; NULL: a tag stands for them */
    bool last, spoiled;
    bool own; /* to the side that sent it: it never was on the wire */
};

static inline struct pdu_transport *pdu_net_of(struct nvme_transport *transport)
{
    return (struct pdu_transport *)(void *)transport;
}

void pdu_net_send(struct nvme_transport_conn *to, const struct pdu *like,
                  const struct nvme_buffer *data);
/* To oneself: what has no PDU. */
void pdu_net_send_own(struct nvme_transport_conn *conn, enum pdu_type type, uint16_t slot);
/* Data as PDUs of at most so many bytes. */
void pdu_net_send_data(struct nvme_transport_conn *to, struct pdu like, uint32_t length,
                       const struct nvme_buffer *data, uint32_t most);

#endif
