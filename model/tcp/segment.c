/* SPDX-License-Identifier: Apache-2.0
 * segment - a segment as the bytes of the wire, for captures.
 * Source: RFC 9293 3.1; order and padding of options as Linux's tcp_options_write. */
#include "tcp/segment.h"

enum {
    NOP = 1,
    MSS = 2,
    WINDOW_SCALE = 3,
    SACK_PERMITTED = 4,
    SACK = 5,
    TIMESTAMPS = 8,
    ACCECN1 = 174, /* order 1: EE1B, ECEB, EE0B */
};

struct writer {
    unsigned char *bytes;
    uint32_t count, room;
};

static void put(struct writer *to, uint64_t value, int bytes)
{
    for (int i = bytes - 1; i >= 0 && to->count < to->room; i--)
        to->bytes[to->count++] = (unsigned char)(value >> (8 * i));
}

static void put_timestamps(struct writer *to, const struct frame *frame)
{
    put(to, TIMESTAMPS, 1);
    put(to, 10, 1);
    put(to, frame->ts_value, 4);
    put(to, frame->ts_echo, 4);
}

/* The option without its padding, which follows it. Returns the bytes of padding. */
static uint32_t put_accecn(struct writer *to, const struct frame *frame, const unsigned char *blob)
{
    const uint32_t fields = frame->tcp_accecn >> SEGMENT_FIELDS_SHIFT;
    const uint32_t length = 2 + 3 * fields;
    put(to, ACCECN1 << 8 | length, 2);
    for (uint32_t i = 0; i < fields; i++) {
        uint32_t counter;
        memcpy(&counter, blob + i * sizeof counter, sizeof counter);
        put(to, counter, 3);
    }
    return (4 - length % 4) % 4;
}

static void put_padding(struct writer *to, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        put(to, NOP, 1);
}

static bool has_accecn(const struct frame *frame)
{
    return (frame->tcp_accecn & SEGMENT_HAS_ACCECN) != 0;
}

static void put_syn_options(struct writer *to, const struct frame *frame, const unsigned char *blob)
{
    const bool stamps = (frame->tcp_options & SEGMENT_HAS_TIMESTAMPS) != 0;
    const bool sack = (frame->tcp_options & SEGMENT_HAS_SACK_PERMITTED) != 0;
    const unsigned scale = frame->tcp_options >> SEGMENT_SCALE_SHIFT;
    put(to, MSS << 24 | 4 << 16 | frame->mss, 4);
    if (sack || stamps) {
        put(to, sack ? SACK_PERMITTED << 8 | 2 : NOP << 8 | NOP, 2);
        if (!stamps)
            put(to, NOP << 8 | NOP, 2);
    }
    if (stamps)
        put_timestamps(to, frame);
    if (has_accecn(frame))
        put_padding(to, put_accecn(to, frame, blob));
    if (scale != SEGMENT_NO_SCALE)
        put(to, NOP << 24 | WINDOW_SCALE << 16 | 3 << 8 | scale, 4);
}

static void put_options(struct writer *to, const struct frame *frame, const unsigned char *blob)
{
    const uint32_t blocks = frame->tcp_options & SEGMENT_BLOCKS;
    if ((frame->tcp_options & SEGMENT_HAS_TIMESTAMPS) != 0) {
        put(to, NOP << 8 | NOP, 2);
        put_timestamps(to, frame);
    }
    uint32_t padding = blocks > 0 ? 2 : 0; /* of SACK; a part of the option may take its place */
    if (has_accecn(frame)) {
        const uint32_t rest = put_accecn(to, frame, blob + blocks * SEGMENT_SACK_BLOCK);
        const bool shared = padding > 0 && 4 - rest <= padding && rest > 0;
        padding = shared ? padding - (4 - rest) : padding + rest;
    }
    put_padding(to, padding);
    if (blocks == 0)
        return;
    put(to, SACK << 8 | (2 + blocks * SEGMENT_SACK_BLOCK), 2);
    for (uint32_t i = 0; i < 2 * blocks; i++) {
        uint32_t edge;
        memcpy(&edge, blob + i * sizeof edge, sizeof edge);
        put(to, edge, 4);
    }
}

static void put_payload(struct writer *to, const struct frame *frame, const unsigned char *map)
{
    uint32_t count = 0, word[2];
    for (uint32_t bytes = 0; bytes < frame->payload; count++) {
        memcpy(word, map + (size_t)count * SEGMENT_PIECE, sizeof word);
        bytes += word[0] & ~SEGMENT_REAL;
    }
    const unsigned char *real = map + (size_t)count * SEGMENT_PIECE;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(word, map + (size_t)i * SEGMENT_PIECE, sizeof word);
        const uint32_t length = word[0] & ~SEGMENT_REAL;
        for (uint32_t k = 0; k < length; k++)
            put(to, (word[0] & SEGMENT_REAL) != 0 ? *real++ : word[1] >> (24 - 8 * (k % 4)), 1);
    }
}

uint32_t segment_encode(const struct frame *frame, const unsigned char *blob, unsigned char *bytes,
                        uint32_t room)
{
    struct writer to = {.bytes = bytes, .room = room};
    const uint32_t length =
        SEGMENT_TCP + segment_options(frame->tcp_flags, frame->tcp_options) +
        segment_accecn_bytes(frame->tcp_flags, frame->tcp_options, frame->tcp_accecn);
    put(&to, frame->qpn, 4);
    put(&to, frame->psn, 4);
    put(&to, frame->tcp_ack, 4);
    put(&to, length / 4 << 4 | (frame->tcp_accecn & SEGMENT_AE), 1);
    put(&to, frame->tcp_flags, 1);
    put(&to, frame->window, 2);
    put(&to, 0, 4); /* checksum, urgent pointer */
    if ((frame->tcp_flags & SEGMENT_SYN) != 0)
        put_syn_options(&to, frame, blob);
    else
        put_options(&to, frame, blob);
    if (frame->payload > 0 && frame->blob_bytes > segment_blob_head(frame))
        put_payload(&to, frame, blob + segment_blob_head(frame));
    return to.count;
}
