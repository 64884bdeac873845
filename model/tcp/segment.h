/* SPDX-License-Identifier: Apache-2.0
 * segment - a TCP segment over IPv4 as a frame: sizes, flags, options.
 * Content of a segment: one piece of bulk data is frame->content alone.  Anything else is in the
 * blob: SACK blocks (left and right edge, 32 bits each), the three counters of the AccECN option
 * (32 bits each), then one word of 8 bytes for each piece (its length with SEGMENT_REAL, its tag),
 * then the real bytes of all pieces.
 * Source: RFC 9293 3.1, RFC 7323 (window scale, timestamps), RFC 2018 (SACK), RFC 3168 (ECE, CWR),
 * RFC 9768 3.2 (AE, AccECN).
 * Options are padded as Linux does (net/ipv4/tcp_output.c, tcp_options_write). */
#ifndef STORMGLASS_TCP_SEGMENT_H
#define STORMGLASS_TCP_SEGMENT_H

#include "net/frame/frame.h"
#include "tcp/accecn.h"

enum {
    SEGMENT_ETHERNET = 18, /* header 14, FCS 4 */
    SEGMENT_IPV4 = 20,
    SEGMENT_TCP = 20,
    SEGMENT_TIMESTAMPS = 12,
    SEGMENT_SACK = 4, /* of the option without blocks */
    SEGMENT_SACK_BLOCK = 8,
    SEGMENT_SACK_BLOCKS = 3, /* at most, next to timestamps */
    SEGMENT_MSS_OPTION = 4,
    SEGMENT_SACK_PERMITTED = 4, /* 2 bytes in the place of padding if there are timestamps */
    SEGMENT_WINDOW_SCALE = 4,
    SEGMENT_LEAST = 64, /* IEEE 802.3: shorter frames are padded */
    SEGMENT_PIECE = 8,
    SEGMENT_COUNTERS = 12, /* of the AccECN option, in the blob */
};

enum segment_flags {
    SEGMENT_FIN = 1 << 0,
    SEGMENT_SYN = 1 << 1,
    SEGMENT_RST = 1 << 2,
    SEGMENT_PSH = 1 << 3,
    SEGMENT_ACK = 1 << 4,
    SEGMENT_ECE = 1 << 6,
    SEGMENT_CWR = 1 << 7,
};

/* frame->tcp_options: SACK blocks in the two low bits; a SYN has the window scale in the four high
 * bits, SEGMENT_NO_SCALE if it lacks the option. */
enum {
    SEGMENT_BLOCKS = 3,
    SEGMENT_HAS_TIMESTAMPS = 1 << 2,
    SEGMENT_HAS_SACK_PERMITTED = 1 << 3,
    SEGMENT_SCALE_SHIFT = 4,
    SEGMENT_NO_SCALE = 15,
};

/* frame->tcp_accecn: the flag before CWR, the option, and from the third bit on the number of its
 * counters. */
enum {
    SEGMENT_AE = 1 << 0,
    SEGMENT_HAS_ACCECN = 1 << 1,
    SEGMENT_FIELDS_SHIFT = 2,
};

#define SEGMENT_REAL UINT32_C(0x80000000)

static inline uint8_t segment_ace(const struct frame *frame)
{
    return (uint8_t)((frame->tcp_accecn & SEGMENT_AE) << 2 | frame->tcp_flags >> 6);
}

static inline void segment_set_ace(struct frame *frame, uint8_t ace)
{
    const unsigned mask = SEGMENT_ECE | SEGMENT_CWR;
    frame->tcp_flags = (uint8_t)((frame->tcp_flags & ~mask) | ((unsigned)ace << 6 & mask));
    frame->tcp_accecn = (uint8_t)((frame->tcp_accecn & ~SEGMENT_AE) | ace >> 2);
}

/* Bytes of the AccECN option beside the other options. */
static inline uint32_t segment_accecn_bytes(uint8_t flags, uint8_t options, uint8_t accecn)
{
    const bool sack = (flags & SEGMENT_SYN) == 0 && (options & SEGMENT_BLOCKS) > 0;
    if ((accecn & SEGMENT_HAS_ACCECN) == 0)
        return 0;
    return accecn_option_bytes(accecn >> SEGMENT_FIELDS_SHIFT, sack ? 2 : 0);
}

/* Bytes of the blob before the content. */
static inline uint32_t segment_blob_head(const struct frame *frame)
{
    return (uint32_t)(frame->tcp_options & SEGMENT_BLOCKS) * SEGMENT_SACK_BLOCK +
           ((frame->tcp_accecn & SEGMENT_HAS_ACCECN) != 0 ? (uint32_t)SEGMENT_COUNTERS : 0);
}

/* Bytes of options. */
static inline uint32_t segment_options(uint8_t flags, uint8_t options)
{
    const bool stamps = (options & SEGMENT_HAS_TIMESTAMPS) != 0;
    const uint32_t blocks = options & SEGMENT_BLOCKS;
    uint32_t bytes = stamps ? SEGMENT_TIMESTAMPS : 0;
    if ((flags & SEGMENT_SYN) == 0)
        return bytes + (blocks > 0 ? SEGMENT_SACK + blocks * SEGMENT_SACK_BLOCK : 0);
    bytes += SEGMENT_MSS_OPTION;
    if ((options & SEGMENT_HAS_SACK_PERMITTED) != 0 && !stamps)
        bytes += SEGMENT_SACK_PERMITTED;
    if (options >> SEGMENT_SCALE_SHIFT != SEGMENT_NO_SCALE)
        bytes += SEGMENT_WINDOW_SCALE;
    return bytes;
}

/* L2 bytes of a segment. */
static inline uint16_t segment_bytes(uint8_t flags, uint8_t options, uint8_t accecn,
                                     uint32_t payload)
{
    const uint32_t bytes = SEGMENT_ETHERNET + SEGMENT_IPV4 + SEGMENT_TCP +
                           segment_options(flags, options) +
                           segment_accecn_bytes(flags, options, accecn) + payload;
    return (uint16_t)(bytes < SEGMENT_LEAST ? SEGMENT_LEAST : bytes);
}

/* The TCP header with its options as it is on the wire, without checksum, and behind it the payload
 * as far as it has real bytes: all of it up to the last of them, bulk data as its tag. `room`: of
 * `bytes`. Returns the number of bytes. */
uint32_t segment_encode(const struct frame *frame, const unsigned char *blob, unsigned char *bytes,
                        uint32_t room);

#endif
