/* SPDX-License-Identifier: Apache-2.0
 * wire_trace - the connections of a capture and what each side of them said, in words.
 * A frame is of a connection when its CM REQ is in the capture; of others only the number is kept.
 * Streams are one side's messages of one kind, in the order of the capture: within a stream the
 * protocol decides the order, between streams time does. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_TRACE_H
#define STORMGLASS_REPORTS_WIRE_WIRE_TRACE_H

#include "reports/wire/capture.h"
#include "reports/wire/wire_words.h"

enum { WIRE_STREAMS = WIRE_SIDES * WIRE_KINDS };

struct wire_line {
    size_t words;    /* where they begin in the trace's text */
    uint32_t number; /* of the frame in the capture */
    uint32_t connection;
    uint8_t stream;
};

struct wire_trace {
    struct wire_connection *connections; /* in the order of their REQs */
    struct wire_line *lines;             /* by connection, then stream, then as captured */
    uint32_t
        *firsts; /* of each stream, by connection * WIRE_STREAMS + stream; one more at the end */
    char *text;
    uint32_t connection_count, line_count;
    uint32_t strays; /* RoCE frames of no connection whose REQ was captured */
    uint32_t others; /* no RoCEv2 */
    uint32_t frames; /* in all */
    /* Why frames may be among the strays or the others. */
    uint32_t cut;      /* the file does not have all of them ... */
    uint32_t kept;     /* ... of the longest so many bytes */
    uint32_t ipv6;     /* RoCEv2 or not: IPv6 is not read */
    uint32_t odd;      /* of an EtherType that may hide IP ... */
    uint16_t odd_type; /* ... the first of them */
    char note[320];    /* on the whole file, or empty */
};

/* NULL and why; takes the capture over. */
struct wire_trace *wire_trace_read(struct capture *capture, char why[CAPTURE_WHY_BYTES]);
void wire_trace_free(struct wire_trace *trace);

static inline unsigned wire_stream(enum wire_side from, enum wire_kind kind)
{
    return (unsigned)from * WIRE_KINDS + (unsigned)kind;
}

const char *wire_side_name(unsigned stream); /* "host" */
const char *wire_kind_name(unsigned stream); /* "requests" */

/* A stream of a connection: its first line and how many there are. */
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

/* Every frame of a connection in words, stream by stream. */
void wire_trace_print(const struct wire_trace *trace, FILE *out);

#endif
