/* SPDX-License-Identifier: Apache-2.0
 * pdu_net - a transport of PDUs in memory, for tests of the command core.
 * It is shaped as NVMe/TCP: nothing is registered and nothing has a key, the Connect command
 * says which queue it is, small writes and every Connect travel in the capsule, larger writes wait
 * for an R2T, reads come as C2HData.  PDUs arrive in order, each after the same time.
 * Left out: padding, digests as numbers (a spoiled PDU is known to be), SUCCESS in C2HData. */
#ifndef STORMGLASS_TESTS_PDU_NET_H
#define STORMGLASS_TESTS_PDU_NET_H

#include "nvme/transport/transport.h"
#include "tests/unit/workload/stage.h"

enum {
    PDU_LOG_MAX = 4096,
    PDU_TRANSPORT_TCP = 3,    /* TRTYPE */
    PDU_SGL = 0x5A,           /* data go by the transport's own means: base 4.4 */
    PDU_ADMIN_CAPSULE = 8192, /* in-capsule data of an admin queue */
    PDU_H2C_MAX = 64 << 10,   /* MAXH2CDATA */
};

#define PDU_DELAY PS_PER_US /* of every PDU */

/* Types as on the wire; TERM stands for the end of the connection too. */
enum pdu_type {
    PDU_IC_REQ = 0,
    PDU_IC_RESP = 1,
    PDU_TERM = 3,
    PDU_COMMAND = 4,
    PDU_RESPONSE = 5,
    PDU_H2C = 6,
    PDU_C2H = 7,
    PDU_R2T = 9,
};

struct pdu_net {
    struct stage *stage;
    struct nvme_transport_conn *conns; /* all there ever were */
    struct nvme_transport *listening;  /* NULL: connections are refused */
    struct pdu_log {
        enum pdu_type type;
        uint32_t length; /* with its header */
    } log[PDU_LOG_MAX];
    uint32_t logged;  /* PDUs ever; the log keeps the first */
    uint32_t open;    /* connections that were not closed */
    uint32_t mapped;  /* buffers that were not given back */
    uint32_t numbers; /* of connections, given so far */
    uint32_t room;    /* commands of a target's queue that there is room for at once; 0: for all */
    bool silent;      /* PDUs are lost from now on, and nobody is told */
    int spoils;       /* the next PDU of this type arrives with a wrong digest; negative: none */
};

void pdu_net_init(struct pdu_net *net, struct stage *stage);
void pdu_net_fini(struct pdu_net *net); /* hosts and targets are gone */

/* One side, with an address of its own. */
struct nvme_transport *pdu_net_transport(struct pdu_net *net, uint32_t ip);

/* Cuts every connection; both sides are told. */
void pdu_net_cut(struct pdu_net *net);

#endif
