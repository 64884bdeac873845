/* SPDX-License-Identifier: Apache-2.0
 * pdu - byte offsets of PDUs, and the checks of a received header. */
#include "nvme/tcp/pdu.h"

#include "base/crc32c.h"
#include "nvme/wire/wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FLAGS_AT = 1, HLEN_AT = 2, PDO_AT = 3, PLEN_AT = 4, BODY_AT = 8 };
enum { PFV_AT = 8, PDA_AT = 10, DGST_AT = 11, LIMIT_AT = 12 };
enum { FES_AT = 8, FEI_AT = 10 };
enum { CID_AT = 8, TTAG_AT = 10, OFFSET_AT = 12, LENGTH_AT = 16 };

enum direction { TO_CONTROLLER = 1, TO_HOST = 2 };

/* One row for each PDU type. */
static const struct kind {
    const char *name;
    uint8_t header;    /* HLEN; 0: there is no such PDU */
    uint8_t direction; /* that it may travel in */
    uint8_t flags;     /* besides those of digests */
    bool digest;       /* it may have a header digest */
    bool data;         /* it may carry data */
} kinds[] = {
    [NVME_PDU_ICREQ] = {"ICReq", NVME_PDU_IC_BYTES, TO_CONTROLLER, 0, false, false},
    [NVME_PDU_ICRESP] = {"ICResp", NVME_PDU_IC_BYTES, TO_HOST, 0, false, false},
    [NVME_PDU_H2C_TERM] = {"H2CTermReq", NVME_PDU_SHORT_BYTES, TO_CONTROLLER, 0, false, true},
    [NVME_PDU_C2H_TERM] = {"C2HTermReq", NVME_PDU_SHORT_BYTES, TO_HOST, 0, false, true},
    [NVME_PDU_COMMAND] = {"CapsuleCmd", NVME_PDU_COMMAND_BYTES, TO_CONTROLLER, 0, true, true},
    [NVME_PDU_RESPONSE] = {"CapsuleResp", NVME_PDU_SHORT_BYTES, TO_HOST, 0, true, false},
    [NVME_PDU_H2C_DATA] = {"H2CData", NVME_PDU_SHORT_BYTES, TO_CONTROLLER, NVME_PDU_LAST, true,
                           true},
    [NVME_PDU_C2H_DATA] = {"C2HData", NVME_PDU_SHORT_BYTES, TO_HOST,
                           NVME_PDU_LAST | NVME_PDU_SUCCESS, true, true},
    [NVME_PDU_R2T] = {"R2T", NVME_PDU_SHORT_BYTES, TO_HOST, 0, true, false},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

bool nvme_pdu_fail(struct nvme_pdu_fault *fault, enum nvme_pdu_fes fes, uint32_t fei,
                   const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(fault->why, sizeof fault->why, format, list);
    va_end(list);
    fault->fes = (uint16_t)fes;
    fault->fei = fei;
    return false;
}

const char *nvme_pdu_name(uint8_t type)
{
    return type < KINDS && kinds[type].header > 0 ? kinds[type].name : "PDU of an unknown type";
}

const char *nvme_pdu_fes_name(uint16_t fes, bool from_host)
{
    static const char *const names[] = {
        [NVME_FES_HEADER_FIELD] = "Invalid PDU Header Field",
        [NVME_FES_SEQUENCE] = "PDU Sequence Error",
        [NVME_FES_HEADER_DIGEST] = "Header Digest Error",
        [NVME_FES_OUT_OF_RANGE] = "Data Transfer Out of Range",
        [NVME_FES_PARAMETER] = "Unsupported Parameter",
    };
    if (fes == NVME_FES_LIMIT)
        return from_host ? "R2T Limit Exceeded" : "Data Transfer Limit Exceeded";
    return fes < sizeof names / sizeof names[0] && names[fes] != NULL ? names[fes] : "unknown";
}

static bool is_data(uint8_t type)
{
    return type == NVME_PDU_H2C_DATA || type == NVME_PDU_C2H_DATA;
}

bool nvme_pdu_is_term(uint8_t type)
{
    return type == NVME_PDU_H2C_TERM || type == NVME_PDU_C2H_TERM;
}

static bool is_ic(uint8_t type)
{
    return type == NVME_PDU_ICREQ || type == NVME_PDU_ICRESP;
}

bool nvme_pdu_has_data(const struct nvme_pdu *pdu)
{
    return kinds[pdu->type].data && pdu->length > 0;
}

/* ---- writing ---- */

static void encode_body(const struct nvme_pdu *pdu, unsigned char *bytes)
{
    switch (pdu->type) {
    case NVME_PDU_ICREQ:
    case NVME_PDU_ICRESP:
        wire_put16(bytes + PFV_AT, pdu->version);
        bytes[PDA_AT] = pdu->pda;
        bytes[DGST_AT] = pdu->digests;
        wire_put32(bytes + LIMIT_AT, pdu->limit);
        break;
    case NVME_PDU_H2C_TERM:
    case NVME_PDU_C2H_TERM:
        wire_put16(bytes + FES_AT, pdu->fes);
        wire_put32(bytes + FEI_AT, pdu->fei);
        break;
    case NVME_PDU_COMMAND:
        memcpy(bytes + BODY_AT, pdu->entry, NVME_SQE_BYTES);
        break;
    case NVME_PDU_RESPONSE:
        memcpy(bytes + BODY_AT, pdu->entry, NVME_CQE_BYTES);
        break;
    default:
        wire_put16(bytes + CID_AT, pdu->cid);
        if (pdu->type != NVME_PDU_C2H_DATA) /* reserved there */
            wire_put16(bytes + TTAG_AT, pdu->ttag);
        wire_put32(bytes + OFFSET_AT, pdu->at);
        wire_put32(bytes + LENGTH_AT, pdu->length);
    }
}

uint32_t nvme_pdu_encode(const struct nvme_pdu *pdu, const struct nvme_pdu_format *format,
                         unsigned char bytes[NVME_PDU_BEFORE_MAX])
{
    const struct kind *kind = &kinds[pdu->type];
    const bool digest = kind->digest && format->header_digest;
    const bool data = nvme_pdu_has_data(pdu);
    const bool data_digest = data && kind->digest && format->data_digest;
    uint32_t before = kind->header + (digest ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0);
    memset(bytes, 0, NVME_PDU_BEFORE_MAX);
    if (data && kind->digest) {
        const uint32_t unit = (format->pda + 1u) * 4;
        before = (before + unit - 1) / unit * unit;
        bytes[PDO_AT] = (unsigned char)before;
    }
    bytes[0] = pdu->type;
    bytes[FLAGS_AT] = (unsigned char)((pdu->flags & kind->flags) | (digest ? NVME_PDU_HDGST : 0) |
                                      (data_digest ? NVME_PDU_DDGST : 0));
    bytes[HLEN_AT] = kind->header;
    wire_put32(bytes + PLEN_AT, before + (data ? pdu->length : 0) +
                                    (data_digest ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0));
    encode_body(pdu, bytes);
    if (digest)
        wire_put32(bytes + kind->header, crc32c(0, bytes, kind->header));
    return before;
}

/* ---- reading: the common header ---- */

static bool check_order(uint8_t type, const struct nvme_pdu_rules *rules,
                        struct nvme_pdu_fault *fault)
{
    const enum direction direction = rules->from_host ? TO_CONTROLLER : TO_HOST;
    if (type >= KINDS || (kinds[type].direction & direction) == 0)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, 0,
                             "PDU type %02Xh (byte 0): not one that a %s sends", type,
                             rules->from_host ? "host" : "controller");
    if (is_ic(type) && rules->initialized)
        return nvme_pdu_fail(fault, NVME_FES_SEQUENCE, 0, "second %s", kinds[type].name);
    if (!is_ic(type) && !nvme_pdu_is_term(type) && !rules->initialized)
        return nvme_pdu_fail(fault, NVME_FES_SEQUENCE, 0, "%s before %s", kinds[type].name,
                             rules->from_host ? "ICReq" : "ICResp");
    return true;
}

static bool check_flags(const struct kind *kind, uint8_t flags, bool has_data,
                        const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault)
{
    const unsigned digests =
        (kind->digest && rules->format.header_digest ? NVME_PDU_HDGST : 0) |
        (kind->digest && rules->format.data_digest && has_data ? NVME_PDU_DDGST : 0);
    const unsigned got = flags & (NVME_PDU_HDGST | NVME_PDU_DDGST);
    const bool success = (flags & kind->flags & NVME_PDU_SUCCESS) != 0;
    if (got != digests)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, FLAGS_AT,
                             "%s: digest flags %Xh (byte 1), but %Xh were negotiated", kind->name,
                             got, digests);
    if (success && (flags & NVME_PDU_LAST) == 0)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, FLAGS_AT,
                             "%s: SUCCESS without LAST_PDU (byte 1)", kind->name);
    return true;
}

static bool check_offset(const struct kind *kind, uint32_t header, const unsigned char *bytes,
                         const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault)
{
    const uint32_t unit = (rules->format.pda + 1u) * 4, pdo = bytes[PDO_AT];
    if (pdo < header || pdo % unit != 0)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PDO_AT,
                             "%s: PDO %u (byte 3), expected a multiple of %u of at least %u",
                             kind->name, pdo, unit, header);
    return true;
}

static bool check_header(const struct kind *kind, const unsigned char *bytes,
                         struct nvme_pdu_fault *fault)
{
    if (bytes[HLEN_AT] == kind->header)
        return true;
    return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, HLEN_AT, "%s: HLEN %u (byte 2), expected %u",
                         kind->name, bytes[HLEN_AT], kind->header);
}

static bool check_lengths(const struct kind *kind, uint32_t header, const unsigned char *bytes,
                          struct nvme_pdu_fault *fault)
{
    const uint32_t plen = wire_get32(bytes + PLEN_AT);
    const bool term = nvme_pdu_is_term(bytes[0]);
    const uint32_t digest =
        (bytes[FLAGS_AT] & NVME_PDU_DDGST) != 0 ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0;
    if (term && (plen < header || plen > header + NVME_PDU_TERM_DATA_MAX))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PLEN_AT,
                             "%s: PLEN %u (byte 4), expected 24 to 152", kind->name, plen);
    if (!kind->data && plen != header)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PLEN_AT,
                             "%s: PLEN %u (byte 4), expected %u", kind->name, plen, header);
    if (plen < header || (is_data(bytes[0]) && plen == header))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PLEN_AT,
                             "%s: PLEN %u (byte 4), expected more than %u", kind->name, plen,
                             header);
    if (!term && plen > header && plen <= bytes[PDO_AT] + digest)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PLEN_AT,
                             "%s: PLEN %u (byte 4), expected more than PDO %u", kind->name, plen,
                             bytes[PDO_AT]);
    return true;
}

uint32_t nvme_pdu_header_bytes(const unsigned char bytes[NVME_PDU_COMMON_BYTES],
                               const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault)
{
    if (!check_order(bytes[0], rules, fault))
        return 0;
    const struct kind *kind = &kinds[bytes[0]];
    const bool digest = kind->digest && rules->format.header_digest;
    const uint32_t header = kind->header + (digest ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0);
    const bool has_data = kind->data && wire_get32(bytes + PLEN_AT) > header;
    /* The first wrong field counts. */
    if (!check_flags(kind, bytes[FLAGS_AT], has_data, rules, fault) ||
        !check_header(kind, bytes, fault))
        return 0;
    if (has_data && !nvme_pdu_is_term(bytes[0]) && !check_offset(kind, header, bytes, rules, fault))
        return 0;
    return check_lengths(kind, header, bytes, fault) ? header : 0;
}

/* ---- reading: the rest ---- */

static bool decode_ic(struct nvme_pdu *pdu, const unsigned char *bytes,
                      struct nvme_pdu_fault *fault)
{
    pdu->version = wire_get16(bytes + PFV_AT);
    pdu->pda = bytes[PDA_AT];
    pdu->digests = bytes[DGST_AT];
    pdu->limit = wire_get32(bytes + LIMIT_AT);
    const char *name = kinds[pdu->type].name;
    if (pdu->version != 0)
        return nvme_pdu_fail(fault, NVME_FES_PARAMETER, PFV_AT, "%s: PFV %u (byte 8), expected 0",
                             name, pdu->version);
    if (pdu->pda > NVME_PDU_PDA_MAX)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, PDA_AT,
                             "%s: data alignment %u (byte 10), expected 0 to %d", name, pdu->pda,
                             NVME_PDU_PDA_MAX);
    if (pdu->type == NVME_PDU_ICRESP && (pdu->limit < NVME_PDU_H2C_DATA_MIN || pdu->limit % 4 != 0))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, LIMIT_AT,
                             "%s: MAXH2CDATA %u (byte 12), expected a multiple of 4 of at least %d",
                             name, pdu->limit, NVME_PDU_H2C_DATA_MIN);
    return true;
}

static bool decode_transfer(struct nvme_pdu *pdu, const unsigned char *bytes, uint32_t carried,
                            struct nvme_pdu_fault *fault)
{
    const char *name = kinds[pdu->type].name;
    pdu->cid = wire_get16(bytes + CID_AT);
    pdu->ttag = pdu->type == NVME_PDU_C2H_DATA ? 0 : wire_get16(bytes + TTAG_AT);
    pdu->at = wire_get32(bytes + OFFSET_AT);
    pdu->length = wire_get32(bytes + LENGTH_AT);
    if (pdu->type == NVME_PDU_R2T && pdu->length == 0)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, LENGTH_AT,
                             "R2T: R2TL 0 (byte 16), expected data");
    if (pdu->type != NVME_PDU_R2T && pdu->length != carried)
        return nvme_pdu_fail(fault, NVME_FES_HEADER_FIELD, LENGTH_AT,
                             "%s: DATAL %u (byte 16), but the data of the PDU take %u B", name,
                             pdu->length, carried);
    return true;
}

bool nvme_pdu_decode(struct nvme_pdu *pdu, const unsigned char *bytes,
                     const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault)
{
    const struct kind *kind = &kinds[bytes[0]];
    const bool digest = kind->digest && rules->format.header_digest;
    const uint32_t header = kind->header + (digest ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0);
    const uint32_t plen = wire_get32(bytes + PLEN_AT);
    const uint32_t trailer =
        (bytes[FLAGS_AT] & NVME_PDU_DDGST) != 0 ? (uint32_t)NVME_PDU_DIGEST_BYTES : 0;
    const bool has_data = kind->data && plen > header;
    *pdu = (struct nvme_pdu){.type = bytes[0], .flags = bytes[FLAGS_AT]};
    if (digest && wire_get32(bytes + kind->header) != crc32c(0, bytes, kind->header))
        return nvme_pdu_fail(fault, NVME_FES_HEADER_DIGEST, wire_get32(bytes + kind->header),
                             "%s: header digest %08X, computed %08X", kind->name,
                             wire_get32(bytes + kind->header), crc32c(0, bytes, kind->header));
    pdu->before = has_data && !nvme_pdu_is_term(pdu->type) ? bytes[PDO_AT] : header;
    pdu->length = has_data ? plen - pdu->before - trailer : 0;
    switch (pdu->type) {
    case NVME_PDU_ICREQ:
    case NVME_PDU_ICRESP:
        return decode_ic(pdu, bytes, fault);
    case NVME_PDU_H2C_TERM:
    case NVME_PDU_C2H_TERM:
        pdu->fes = wire_get16(bytes + FES_AT);
        pdu->fei = wire_get32(bytes + FEI_AT);
        return true;
    case NVME_PDU_COMMAND:
        memcpy(pdu->entry, bytes + BODY_AT, NVME_SQE_BYTES);
        return true;
    case NVME_PDU_RESPONSE:
        memcpy(pdu->entry, bytes + BODY_AT, NVME_CQE_BYTES);
        return true;
    default:
        return decode_transfer(pdu, bytes, pdu->length, fault);
    }
}
