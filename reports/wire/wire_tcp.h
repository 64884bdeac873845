/* SPDX-License-Identifier: Apache-2.0
 * wire_tcp - the TCP segments of a capture as PDUs of NVMe/TCP or iSCSI.
 * One side of a connection is a stream: segments are put in order by their sequence numbers, bytes
 * that were sent again count once, and PDUs are split by their lengths. Data is skipped, so that a
 * capture may have truncated it. A stream that begins before the capture, or of which the capture
 * lost header bytes or a segment, has no PDUs from there on, and `lost` has the reason.
 * Of iSCSI, the text of a Login is kept. Digests are skipped, without a check.
 * Source: RFC 9293; NVMe/TCP Transport Specification 1.0 (nvme/tcp/pdu.h decodes); RFC 7143
 * (nvme/iscsi/bhs.h decodes).
 * Owner: wire_stream_fini. Errors: PDUs that break the protocol are reported with the reason. */
#ifndef STORMGLASS_REPORTS_WIRE_WIRE_TCP_H
#define STORMGLASS_REPORTS_WIRE_WIRE_TCP_H

#include "nvme/iscsi/text.h"
#include "nvme/tcp/pdu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wire_segment {
    uint32_t ip[2];   /* source, destination */
    uint16_t port[2]; /* likewise */
    uint32_t seq;
    bool syn, ack, fin;
    uint32_t length; /* of the payload */
    const uint8_t *bytes;
    size_t count; /* bytes of the payload that were captured */
};

/* Reads sequence number and flags of a TCP header, RFC 9293 3.1.  Returns its length with options;
 * 0: it is truncated. */
size_t wire_segment_head(const uint8_t *tcp, size_t count, struct wire_segment *segment);

/* False: not TCP over IPv4, or the headers are truncated. */
bool wire_segment_parse(const uint8_t *bytes, size_t count, struct wire_segment *segment);

/* A segment that came before the one that it follows. */
struct wire_early {
    struct wire_early *next;
    uint32_t seq, length, count;
    uint8_t bytes[];
};

struct wire_stream {
    bool begun;
    const char *lost; /* why no further PDUs are read; NULL: they are */
    uint32_t next;    /* sequence number */
    struct wire_early *early;
    uint32_t early_bytes;
    struct nvme_pdu_rules rules; /* of iSCSI only from_host */
    bool iscsi;
    bool header_digest, data_digest; /* of iSCSI; the reader sets them after the Login */
    struct iscsi_text *text;         /* of the Login PDU that arrives; NULL: none does */
    uint32_t text_bytes;             /* of it in all */
    struct iscsi_pdu login;          /* its header */
    unsigned char head[NVME_PDU_BEFORE_MAX];
    uint32_t have, wanted; /* bytes of the header */
    uint64_t skip;         /* bytes until the next PDU */
};

/* A PDU whose header, and text of a Login, is complete; NULL: the stream breaks the protocol, and
 * has no more PDUs. */
struct wire_pdu_reader {
    void (*on_pdu)(void *self, const struct nvme_pdu *pdu, const char *fault);
    /* The same for iSCSI. text: of a Login, otherwise empty. */
    void (*on_iscsi)(void *self, const struct iscsi_pdu *pdu, const struct iscsi_text *text,
                     const char *fault);
    void *self;
};

/* The side that sent this SYN begins. */
void wire_stream_begin(struct wire_stream *stream, uint32_t syn, bool from_host, bool iscsi);
void wire_stream_take(struct wire_stream *stream, const struct wire_segment *segment,
                      const struct wire_pdu_reader *reader);
/* Learns from ICReq and ICResp what the PDUs of both streams of a connection, the host's first, are
 * like: ICResp fixes digests and alignments of both directions, ICReq offered the host's. */
void wire_streams_learn(struct wire_stream streams[2], const struct nvme_pdu *pdu);
/* Without further segments: those that are held wait for one that was not captured. */
void wire_stream_end(struct wire_stream *stream);
void wire_stream_fini(struct wire_stream *stream);

#endif
