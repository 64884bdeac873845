/* SPDX-License-Identifier: Apache-2.0
 * segment_words - a TCP segment in words, for logs of events.
 * A PDU of NVMe/TCP is recognized by its header, at the beginning of real bytes on the port of
 * NVMe: a log knows nothing of the stream before the segment. With TLS nothing is recognized. */
#ifndef STORMGLASS_REPLAY_RUN_SEGMENT_WORDS_H
#define STORMGLASS_REPLAY_RUN_SEGMENT_WORDS_H

#include "net/frame/frame.h"

#include <stdint.h>

enum { SEGMENT_WORDS_BYTES = 160 };

/* What a log keeps of a segment, besides its ports and its sequence number. */
struct segment_note {
    uint32_t ack;
    uint8_t flags;   /* enum segment_flags */
    const char *pdu; /* that begins in it; NULL: none */
};

/* blob: of the frame; NULL: it has none. */
struct segment_note segment_note(const struct frame *frame, const unsigned char *blob);

/* "port 32768 to 4420, seq 269157990, ack 574581090, PSH ACK, ICReq" */
struct segment_text {
    char text[SEGMENT_WORDS_BYTES];
};
struct segment_text segment_words(uint32_t ports, uint32_t seq, const struct segment_note *note);

#endif
