/* SPDX-License-Identifier: Apache-2.0
 * segment_words - flags, and headers of PDUs. */
#include "replay/run/segment_words.h"

#include "nvme/tcp/pdu.h"
#include "nvme/wire/spec.h"
#include "tcp/segment.h"

#include <stdio.h>
#include <string.h>

enum { FLAGS_AT = 1, PDO_AT = 3 };

/* The header itself tells which digests and alignment its connection has. */
static const char *pdu_of(const unsigned char *bytes, bool from_host)
{
    struct nvme_pdu_fault fault;
    const uint8_t before = bytes[PDO_AT];
    const struct nvme_pdu_rules rules = {
        .format = {.header_digest = (bytes[FLAGS_AT] & NVME_PDU_HDGST) != 0,
                   .data_digest = (bytes[FLAGS_AT] & NVME_PDU_DDGST) != 0,
                   .pda = before < 4 ? 0 : (uint8_t)(before / 4 - 1)},
        .from_host = from_host,
        .initialized = bytes[0] != NVME_PDU_ICREQ && bytes[0] != NVME_PDU_ICRESP};
    return nvme_pdu_header_bytes(bytes, &rules, &fault) > 0 ? nvme_pdu_name(bytes[0]) : NULL;
}

/* The first PDU that begins where real bytes begin. `map`: the pieces of the payload. */
static const char *first_pdu(const struct frame *frame, const unsigned char *map, uint32_t room,
                             bool from_host)
{
    uint32_t count = 0, word[2], bytes = 0;
    for (; bytes < frame->payload && (count + 1) * SEGMENT_PIECE <= room; count++) {
        memcpy(word, map + (size_t)count * SEGMENT_PIECE, sizeof word);
        bytes += word[0] & ~SEGMENT_REAL;
    }
    uint32_t at = count * SEGMENT_PIECE;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(word, map + (size_t)i * SEGMENT_PIECE, sizeof word);
        if ((word[0] & SEGMENT_REAL) == 0)
            continue;
        const char *name = at + NVME_PDU_COMMON_BYTES <= room ? pdu_of(map + at, from_host) : NULL;
        if (name != NULL)
            return name;
        at += word[0] & ~SEGMENT_REAL;
    }
    return NULL;
}

struct segment_note segment_note(const struct frame *frame, const unsigned char *blob)
{
    struct segment_note note = {.ack = frame->tcp_ack, .flags = frame->tcp_flags};
    const bool from_host = (frame->qpn & UINT16_MAX) == NVME_TCP_PORT;
    const uint32_t before = segment_blob_head(frame);
    if (blob != NULL && frame->payload > 0 && frame->blob_bytes > before &&
        (from_host || frame->qpn >> 16 == NVME_TCP_PORT))
        note.pdu = first_pdu(frame, blob + before, frame->blob_bytes - before, from_host);
    return note;
}

struct segment_text segment_words(uint32_t ports, uint32_t seq, const struct segment_note *note)
{
    static const struct {
        uint8_t flag;
        const char *name;
    } flags[] = {{SEGMENT_SYN, "SYN"}, {SEGMENT_FIN, "FIN"}, {SEGMENT_RST, "RST"},
                 {SEGMENT_PSH, "PSH"}, {SEGMENT_ACK, "ACK"}, {SEGMENT_ECE, "ECE"},
                 {SEGMENT_CWR, "CWR"}};
    struct segment_text words;
    int used = snprintf(words.text, sizeof words.text, "port %u to %u, seq %u", ports >> 16,
                        ports & UINT16_MAX, seq);
    if ((note->flags & SEGMENT_ACK) != 0)
        used +=
            snprintf(words.text + used, sizeof words.text - (size_t)used, ", ack %u", note->ack);
    const char *between = ", ";
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if ((note->flags & flags[i].flag) != 0) {
            used += snprintf(words.text + used, sizeof words.text - (size_t)used, "%s%s", between,
                             flags[i].name);
            between = " ";
        }
    if (note->pdu != NULL)
        snprintf(words.text + used, sizeof words.text - (size_t)used, ", %s", note->pdu);
    return words;
}
