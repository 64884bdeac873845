/* SPDX-License-Identifier: Apache-2.0
 * accecn - the arithmetic of accurate ECN: negotiation, the ACE counter, the option's counters.
 * A receiver counts packets with CE (cep) and the bytes of each ECN codepoint.  The flags AE, CWR
 * and ECE of every segment return the three low bits of cep (ACE), an option returns 24 bits of
 * each byte counter.  No connection, no clock: tcp_accecn.c applies it.
 * Source: RFC 9768 3 and A.1, A.2; Linux 7.0 include/net/tcp_ecn.h, net/ipv4/tcp_input.c
 * (__tcp_accecn_process, tcp_accecn_process_option), tcp_output.c (tcp_options_fit_accecn). */
#ifndef STORMGLASS_TCP_ACCECN_H
#define STORMGLASS_TCP_ACCECN_H

#include <stdbool.h>
#include <stdint.h>

enum ecn_mode { ECN_MODE_NONE, ECN_MODE_CLASSIC, ECN_MODE_ACCURATE };

/* The flags AE, CWR and ECE as one number: of a SYN, or the counter of a later segment. */
enum {
    ACE_MASK = 7,
    ACE_SYN_CLASSIC = 3,
    ACE_SYN_ACCURATE = 7,
    ACE_SYNACK_CLASSIC = 1,
    ACCECN_CEP_FIRST = 5, /* so that a zeroed field is noticed */
};

/* The fields of the option in its order 1 (kind 174), which Linux sends. */
enum accecn_field { ACCECN_E1B, ACCECN_CEB, ACCECN_E0B, ACCECN_FIELDS };

/* Byte counters begin at 1, 0 and 1. */
static inline uint32_t accecn_first_bytes(unsigned field)
{
    return field == ACCECN_CEB ? 0 : 1;
}

/* ------------------------------------------------------------------ handshake */

/* The mode of a server that accepts what is allowed, by the flags of the SYN. */
enum ecn_mode accecn_mode_of_syn(uint8_t ace, bool may_classic, bool may_accurate);
/* The mode of a client whose SYN had the flags `asked`, by those of the SYN/ACK. */
enum ecn_mode accecn_mode_of_synack(uint8_t ace, uint8_t asked);
/* The flags that return the ECN field of a SYN, or of a SYN/ACK. */
uint8_t accecn_reflect(uint8_t ecn);
/* The ECN field that such flags return; -1: they return none. */
int accecn_reflected(uint8_t ace);
/* RFC 3168 18: what the network may do to an ECN field. */
bool accecn_is_valid_change(uint8_t sent, uint8_t received);

/* ------------------------------------------------------------------ feedback */

/* Further data of the sender about an ACK that carries an ACE field. */
struct accecn_ack {
    uint32_t packets, bytes; /* newly delivered */
    bool bytes_known;        /* the option, or an estimate of it, says how many bytes had CE: */
    uint32_t marked_bytes;
    bool orderly;         /* SACK, or nothing is lost: `packets` is exact */
    bool often_stretched; /* ACKs usually acknowledge many segments */
    uint32_t mss;
};

/* The number of packets with CE that the ACK adds to `cep`, taking the safest likely case if the
 * three bits may have wrapped. */
uint32_t accecn_new_marks(uint8_t ace, uint64_t cep, const struct accecn_ack *ack);

/* The difference of a 24-bit field to a counter; negative: an older one. */
int32_t accecn_difference(uint32_t field, uint64_t counter);

/* ------------------------------------------------------------------ option space */

enum { ACCECN_OPTION_SPACE = 40 };

/* Places an option with at least `least` fields after `used` bytes of other options, of which
 * `blocks` SACK blocks with their two bytes of padding are a part.  It may take the place of the
 * third SACK block. */
struct accecn_place {
    bool fits;
    uint8_t fields, blocks;
};
struct accecn_place accecn_place_option(uint32_t used, uint8_t blocks, uint8_t least);

/* Bytes by which a header with `blocks` SACK blocks grows by an option of so many fields.
 * `padding`: bytes of other options' padding that it may use. */
uint32_t accecn_option_bytes(uint8_t fields, uint32_t padding);

#endif
