/* SPDX-License-Identifier: Apache-2.0
 * tcp_accecn - ECN of a connection: negotiation, and accurate feedback in both directions. */
#ifndef STORMGLASS_TCP_TCP_ACCECN_H
#define STORMGLASS_TCP_TCP_ACCECN_H

#include "net/frame/frame.h"
#include "tcp/accecn.h"

struct tcp_conn;
struct tcp_round;

struct tcp_accecn {
    /* handshake */
    uint8_t sent, seen; /* ECN field of the own SYN or SYN/ACK, of the peer's latest one */
    bool repeated;      /* the client's SYN came again */
    bool reflects;      /* the next ACK returns the ECN field of the SYN/ACK */
    bool begins;        /* the present segment ends the handshake: its ACE is no counter */
    bool no_ect;        /* the path changes ECN fields, or the handshake fell back */
    bool ignores;       /* the peer's counter is not to be trusted */
    bool option_seen;   /* the peer sends the option, so this side may */

    /* as a receiver */
    uint64_t cep, bytes[ACCECN_FIELDS];
    uint8_t last;    /* ECN field of the last packet */
    uint8_t pending; /* packets with CE since the last segment sent */
    uint8_t least;   /* fields that the next option must have */
    uint8_t demand;  /* so many of the next segments carry the option */
    bool ack_now;    /* data is acknowledged at once until an ACK leaves */
    time_ps option_at;

    /* as a sender */
    uint64_t delivered_cep, delivered_bytes[ACCECN_FIELDS];
    uint32_t packets_average; /* for each ACK, 64-fold */
    uint8_t estimate;         /* 1 + the field that bytes count for if an ACK lacks the option */
    bool moved;               /* the present segment has a newer timestamp */
};

/* The flags AE, CWR and ECE of the next SYN or SYN/ACK. */
uint8_t tcp_ecn_syn_flags(const struct tcp_conn *conn);
/* Finishes a SYN or SYN/ACK: flags, ECN field, option. */
void tcp_ecn_finish_syn(struct tcp_conn *conn, struct frame *frame, time_ps now);
/* The peer's SYN or SYN/ACK; `first`: the first SYN of the connection. */
void tcp_ecn_read_syn(struct tcp_conn *conn, const struct frame *frame, bool first);
/* A SYN or SYN/ACK that came again. */
void tcp_accecn_read_again(struct tcp_conn *conn, const struct frame *frame);
/* The segment that ends the handshake at the server. */
void tcp_accecn_end_handshake(struct tcp_conn *conn, const struct frame *frame);

/* The fields of a segment that is not a SYN. */
void tcp_accecn_finish(struct tcp_conn *conn, struct frame *frame);
/* Chooses the option of such a segment beside its other options and `blocks` SACK blocks, of which
 * it returns how many stay; the option's counters belong into the blob. */
uint8_t tcp_accecn_place(const struct tcp_conn *conn, struct frame *frame, uint8_t blocks,
                         time_ps now);
void tcp_accecn_write(struct tcp_conn *conn, const struct frame *frame, unsigned char *blob,
                      time_ps now);
/* Measures the payload of full segments that are sent now. */
void tcp_accecn_measure(struct tcp_conn *conn, time_ps now);

/* Counts the ECN field of an acceptable segment. */
void tcp_accecn_receive(struct tcp_conn *conn, const struct frame *frame, time_ps now);
/* The peer's counters: how many segments with CE are new. */
uint32_t tcp_accecn_on_ack(struct tcp_conn *conn, const struct frame *frame,
                           const struct tcp_round *round);

#endif
