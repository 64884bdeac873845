/* SPDX-License-Identifier: Apache-2.0
 * wire_tcp - segments, their order, PDUs. */
#include "reports/wire/wire_tcp.h"

#include "base/big_endian.h"
#include "base/memory.h"
#include "nvme/wire/wire.h"
#include "reports/wire/wire.h"

#include <stdlib.h>
#include <string.h>

enum {
    IP_HEADER = 20,
    TCP_HEADER = 20,
    ETHERTYPE_IPV4 = 0x0800,
    PROTOCOL_TCP = 6,
    FIN = 1,
    SYN = 2,
    ACK = 16,
    EARLY_MAX = 4 << 20, /* bytes; beyond it the missing segment was not captured */
    EARLY_COST = 256     /* so that few segments wait, however short they are */
};

/* ---- segments ---- */

size_t wire_segment_head(const uint8_t *tcp, size_t count, struct wire_segment *segment)
{
    const size_t length = count < TCP_HEADER ? 0 : (tcp[12] >> 4) * 4u;
    if (length < TCP_HEADER || length > count)
        return 0;
    segment->seq = big_get32(tcp + 4);
    segment->fin = (tcp[13] & FIN) != 0;
    segment->syn = (tcp[13] & SYN) != 0;
    segment->ack = (tcp[13] & ACK) != 0;
    return length;
}

bool wire_segment_parse(const uint8_t *bytes, size_t count, struct wire_segment *segment)
{
    uint16_t type;
    const size_t ip_at = wire_skip_ethernet(bytes, count, &type);
    if (ip_at == 0 || type != ETHERTYPE_IPV4 || count < ip_at + IP_HEADER)
        return false;
    const uint8_t *ip = bytes + ip_at;
    const size_t header = (ip[0] & 0xFu) * 4, total = big_get16(ip + 2);
    if (ip[0] >> 4 != 4 || header < IP_HEADER || ip[9] != PROTOCOL_TCP ||
        (big_get16(ip + 6) & 0x3FFF) != 0 || count < ip_at + header + TCP_HEADER)
        return false;
    const size_t own = wire_segment_head(ip + header, count - ip_at - header, segment);
    const size_t before = header + own;
    if (own == 0 || total < before)
        return false;
    const size_t captured = count - ip_at - before, length = total - before;
    segment->ip[0] = big_get32(ip + 12);
    segment->ip[1] = big_get32(ip + 16);
    segment->port[0] = big_get16(ip + header);
    segment->port[1] = big_get16(ip + header + 2);
    segment->length = (uint32_t)length;
    segment->bytes = ip + before;
    segment->count = captured < length ? captured : length;
    return true;
}

/* ---- PDUs ---- */

static const struct iscsi_text no_text;

static void fail(struct wire_stream *stream, const char *why, const struct wire_pdu_reader *reader)
{
    stream->lost = "a PDU breaks the protocol";
    if (stream->iscsi)
        reader->on_iscsi(reader->self, NULL, &no_text, why);
    else
        reader->on_pdu(reader->self, NULL, why);
}

/* Bytes of an iSCSI PDU after its header, or after the text of a Login. */
static uint64_t rest_of(const struct wire_stream *stream, const struct iscsi_pdu *pdu, bool text)
{
    const bool data_digest = stream->data_digest && pdu->length > 0;
    const uint32_t digests = (uint32_t)ISCSI_DIGEST_BYTES * (stream->header_digest + data_digest);
    return iscsi_pad(pdu->length) + (text ? 0 : pdu->length + digests);
}

static void end_text(struct wire_stream *stream, const struct wire_pdu_reader *reader)
{
    struct iscsi_text *text = stream->text;
    stream->text = NULL;
    stream->skip = rest_of(stream, &stream->login, true);
    reader->on_iscsi(reader->self, &stream->login, text, NULL);
    free(text);
}

static void end_bhs(struct wire_stream *stream, const struct wire_pdu_reader *reader)
{
    struct iscsi_fault fault = {0};
    struct iscsi_pdu pdu;
    if (!iscsi_pdu_decode(&pdu, stream->head, stream->rules.from_host, ISCSI_LENGTH_MAX, &fault)) {
        fail(stream, fault.why, reader);
        return;
    }
    stream->have = 0;
    const bool login = pdu.opcode == ISCSI_LOGIN || pdu.opcode == ISCSI_LOGIN_RESPONSE;
    if (login && pdu.length > 0 && pdu.length <= ISCSI_TEXT_MAX) {
        stream->text = memory_zeroed(1, sizeof *stream->text);
        stream->text_bytes = pdu.length;
        stream->login = pdu;
        return;
    }
    stream->skip = rest_of(stream, &pdu, false);
    reader->on_iscsi(reader->self, &pdu, &no_text, NULL);
}

/* The header, or its first 8 bytes, are complete. */
static void end_header(struct wire_stream *stream, const struct wire_pdu_reader *reader)
{
    struct nvme_pdu_fault fault = {0};
    struct nvme_pdu pdu;
    if (stream->wanted == NVME_PDU_COMMON_BYTES) {
        stream->wanted = nvme_pdu_header_bytes(stream->head, &stream->rules, &fault);
        if (stream->wanted == 0)
            fail(stream, fault.why, reader);
        return;
    }
    if (!nvme_pdu_decode(&pdu, stream->head, &stream->rules, &fault)) {
        fail(stream, fault.why, reader);
        return;
    }
    stream->skip = wire_get32(stream->head + 4) - stream->wanted;
    stream->have = 0;
    stream->wanted = NVME_PDU_COMMON_BYTES;
    reader->on_pdu(reader->self, &pdu, NULL);
}

/* The part of a header, or of a text, that arrives next: its place and the bytes that it lacks. */
static uint32_t wanted_part(struct wire_stream *stream, unsigned char **to)
{
    if (stream->text != NULL) {
        *to = (unsigned char *)stream->text->bytes + stream->text->length;
        return stream->text_bytes - stream->text->length;
    }
    *to = stream->head + stream->have;
    return stream->wanted - stream->have;
}

static void end_part(struct wire_stream *stream, const struct wire_pdu_reader *reader)
{
    if (stream->text != NULL)
        end_text(stream, reader);
    else if (stream->iscsi)
        end_bhs(stream, reader);
    else
        end_header(stream, reader);
}

static void take_bytes(struct wire_stream *stream, const uint8_t *bytes, size_t count,
                       uint32_t length, const struct wire_pdu_reader *reader)
{
    for (uint32_t at = 0; at < length && stream->lost == NULL;) {
        const uint32_t left = length - at;
        if (stream->skip > 0) {
            const uint32_t skipped = stream->skip < left ? (uint32_t)stream->skip : left;
            stream->skip -= skipped;
            at += skipped;
            continue;
        }
        unsigned char *to;
        const uint32_t rest = wanted_part(stream, &to);
        const uint32_t part = rest < left ? rest : left;
        if (at + part > count) { /* truncated in the file */
            stream->lost = "the file has only a part of a PDU header";
            return;
        }
        memcpy(to, bytes + at, part);
        at += part;
        if (stream->text != NULL)
            stream->text->length += part;
        else
            stream->have += part;
        if (part == rest)
            end_part(stream, reader);
    }
}

/* ---- order ---- */

static const char gap[] = "a segment was not captured";

static void keep_early(struct wire_stream *stream, const struct wire_segment *segment)
{
    struct wire_early **link = &stream->early;
    if (stream->early_bytes > EARLY_MAX) {
        stream->lost = gap;
        return;
    }
    while (*link != NULL && (int32_t)((*link)->seq - segment->seq) <= 0)
        link = &(*link)->next;
    struct wire_early *early = memory_zeroed(1, sizeof *early + segment->count);
    early->next = *link;
    early->seq = segment->seq;
    early->length = segment->length;
    early->count = (uint32_t)segment->count;
    memcpy(early->bytes, segment->bytes, segment->count);
    stream->early_bytes += segment->length + (uint32_t)EARLY_COST;
    *link = early;
}

/* Takes what is new of a segment that does not leave a gap. */
static void take_ordered(struct wire_stream *stream, uint32_t seq, const uint8_t *bytes,
                         size_t count, uint32_t length, const struct wire_pdu_reader *reader)
{
    const uint32_t old = stream->next - seq;
    if (old >= length)
        return;
    stream->next += length - old;
    take_bytes(stream, bytes + (old < count ? old : count), old < count ? count - old : 0,
               length - old, reader);
}

void wire_stream_begin(struct wire_stream *stream, uint32_t syn, bool from_host, bool iscsi)
{
    wire_stream_fini(stream);
    *stream = (struct wire_stream){.begun = true,
                                   .next = syn + 1,
                                   .rules = {.from_host = from_host},
                                   .iscsi = iscsi,
                                   .wanted = iscsi ? (uint32_t)ISCSI_BHS_BYTES
                                                   : (uint32_t)NVME_PDU_COMMON_BYTES};
}

void wire_stream_take(struct wire_stream *stream, const struct wire_segment *segment,
                      const struct wire_pdu_reader *reader)
{
    if (stream->lost != NULL || segment->length == 0)
        return;
    if (!stream->begun) {
        stream->lost = "its SYN was not captured";
        return;
    }
    if ((int32_t)(segment->seq - stream->next) > 0) {
        keep_early(stream, segment);
        return;
    }
    take_ordered(stream, segment->seq, segment->bytes, segment->count, segment->length, reader);
    while (stream->early != NULL && (int32_t)(stream->early->seq - stream->next) <= 0) {
        struct wire_early *early = stream->early;
        stream->early = early->next;
        stream->early_bytes -= early->length + (uint32_t)EARLY_COST;
        take_ordered(stream, early->seq, early->bytes, early->count, early->length, reader);
        free(early);
    }
}

void wire_streams_learn(struct wire_stream streams[2], const struct nvme_pdu *pdu)
{
    struct nvme_pdu_rules *host = &streams[0].rules, *target = &streams[1].rules;
    if (pdu->type == NVME_PDU_ICREQ) {
        host->initialized = true;
        target->format.pda = pdu->pda;
    } else if (pdu->type == NVME_PDU_ICRESP) {
        target->initialized = true;
        host->format.pda = pdu->pda;
        host->format.header_digest = target->format.header_digest =
            (pdu->digests & NVME_PDU_DGST_HEADER) != 0;
        host->format.data_digest = target->format.data_digest =
            (pdu->digests & NVME_PDU_DGST_DATA) != 0;
    }
}

void wire_stream_end(struct wire_stream *stream)
{
    if (stream->lost == NULL && stream->early != NULL)
        stream->lost = gap;
}

void wire_stream_fini(struct wire_stream *stream)
{
    free(stream->text);
    stream->text = NULL;
    while (stream->early != NULL) {
        struct wire_early *next = stream->early->next;
        free(stream->early);
        stream->early = next;
    }
}
