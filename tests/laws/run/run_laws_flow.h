/* SPDX-License-Identifier: Apache-2.0
 * run_laws_flow - requests of a reliable connection one way, and their answers. */
#ifndef RUN_LAWS_FLOW_H
#define RUN_LAWS_FLOW_H

#include "tests/laws/run/run_laws_arrivals.h"
#include "tests/laws/run/run_laws_private.h"

#include "rnic/psn.h"

enum { RUN_LAWS_SENT = 8192 };

/* What was sent first under a PSN: of a READ, under each that its responses take. */
struct run_laws_sent {
    uint32_t psn, first_psn;
    uint64_t address;
    uint32_t length, content;
    uint32_t msn; /* messages that end with it or before */
    uint16_t payload;
    uint8_t opcode;
    bool known, delivered, solicits;
};

/* Requests one way, and their answers. */
struct run_laws_flow {
    uint32_t from, to, qpn, back_qpn; /* endpoints; QPN at `to`, and at `from` */
    uint32_t mtu;
    uint8_t retries, rnr_retries;
    bool begun, exact, read;
    uint32_t next, high, una;
    uint32_t messages; /* that end below high, READs included */
    uint8_t timeout;   /* code of the ACK timer */
    uint32_t newest;   /* at the responder: one past the newest that came */
    uint32_t naked;    /* PSN of the last NAK, while the packet has not come */
    bool is_naked;
    time_ps gap_at; /* since then a packet after the expected one has come; 0: none */
    uint8_t priority;
    time_ps restarted;   /* of the ACK timer: it has not begun to run before */
    uint64_t expiries;   /* how often it can have run out */
    time_ps reported_at; /* the last answer that counted came */
    time_ps rnr_until;
    unsigned reasons, rnr_reasons; /* to go back */
    unsigned tries, rnr_tries;     /* without progress */
    struct run_laws_sent *sent;
    struct run_laws_arrivals arrivals;
};

#define RUN_LAWS_BREAK(laws, flow, psn, what)                                                      \
    run_laws_break(laws, "QP 0x%06x of endpoint %u, PSN %u: " what, (flow)->back_qpn,              \
                   (flow)->from, psn)

static inline struct run_laws_sent *run_laws_sent_at(const struct run_laws_flow *flow, uint32_t psn)
{
    struct run_laws_sent *sent = &flow->sent[psn % RUN_LAWS_SENT];
    return sent->known && sent->psn == psn ? sent : NULL;
}

static inline uint32_t run_laws_psns_of(const struct run_laws_flow *flow, const struct frame *frame)
{
    return frame->opcode == FRAME_RC_READ_REQUEST ? psn_count(frame->length, flow->mtu) : 1;
}

/* A request reached the responder. */
void run_laws_responder_came(struct run_laws_flow *flow, const struct frame *frame, time_ps now);

/* The responder sends an ACK or NAK, or a READ response. */
void run_laws_responder_answers(struct run_laws *laws, struct run_laws_flow *flow,
                                const struct frame *frame);
void run_laws_responder_reads(struct run_laws *laws, const struct run_laws_flow *flow,
                              const struct frame *frame);

#endif
