/* SPDX-License-Identifier: Apache-2.0
 * wire_trace - the connections of a capture, and what each side sent, as text.
 * A frame belongs to a connection if the capture contains its CM REQ, or the SYN of NVMe/TCP or
 * iSCSI; other frames are only counted. The messages of these two are their PDUs. A stream consists
 * of one side's messages of one kind in the order of the capture: within a stream the protocol
 * determines the order, between streams timing does. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_TRACE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_TRACE_H

#include "reports/wire/capture.h"
#include "reports/wire/wire_words.h"

enum { WIRE_STREAMS = WIRE_SIDES * WIRE_KINDS };

struct wire_line {
    size_t words;    /* offset in the trace's text */
    uint32_t number; /* of the frame in the capture */
    uint32_t connection;
    uint8_t stream;
};

struct wire_trace {
    struct wire_connection *connections; /* in the order of their REQs */
    struct wire_line *lines;             /* by connection, then stream, then capture order */
    uint32_t
        *firsts; /* by connection * WIRE_STREAMS + stream: its first line; one more at the end */
    char *text;
    uint32_t connection_count, line_count;
    uint32_t strays; /* frames without a captured REQ or SYN of their connection */
    uint32_t others; /* frames that are neither RoCEv2 nor NVMe/TCP nor iSCSI */
    uint32_t frames; /* total number */
    uint32_t lost;   /* sides of connections whose PDUs end early (wire_lost) */
    /* Reasons why frames may be strays or others. */
    uint32_t cut;      /* frames truncated in the file, */
    uint32_t kept;     /* and the bytes kept of the longest one */
    uint32_t ipv6;     /* IPv6 frames, which are not decoded */
    uint32_t odd;      /* frames with an EtherType that may contain IP, */
    uint16_t odd_type; /* and the first such EtherType */
    char note[320];    /* on the whole file, or empty */
};

/* Returns NULL and the reason on failure; takes over the capture. */
struct wire_trace *wire_trace_read(struct capture *capture, char why[CAPTURE_WHY_BYTES]);
void wire_trace_free(struct wire_trace *trace);

static inline unsigned wire_stream(enum wire_side from, enum wire_kind kind)
{
    return (unsigned)from * WIRE_KINDS + (unsigned)kind;
}

const char *wire_side_name(unsigned stream); /* "host" */
const char *wire_kind_name(unsigned stream); /* "requests" */

/* A stream of a connection: its first line and the number of lines. */
static inline const struct wire_line *wire_trace_stream(const struct wire_trace *trace,
                                                        uint32_t connection, unsigned stream,
                                                        uint32_t *count)
{
    const uint32_t *first = &trace->firsts[connection * WIRE_STREAMS + stream];
    *count = first[1] - first[0];
    return trace->lines + first[0];
}

static inline const char *wire_trace_words(const struct wire_trace *trace,
                                           const struct wire_line *line)
{
    return trace->text + line->words;
}

/* wire_lost.c: the sides of connections whose PDUs end early. */
void wire_lost_text(const struct wire_trace *trace, char mark, FILE *out);
void wire_lost_json(const struct wire_trace *trace, FILE *out);

/* Writes every frame of a connection as text, stream by stream. */
void wire_trace_print(const struct wire_trace *trace, FILE *out);

#endif
