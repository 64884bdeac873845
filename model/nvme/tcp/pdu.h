/* SPDX-License-Identifier: Apache-2.0
 * pdu - NVMe/TCP protocol data units as they travel.
 *
 *   header (HLEN) | HDGST | PAD | data | DDGST
 *                              ^ PDO          ^ PLEN
 *
 * The reader is strict.  A fault has the Fatal Error Status that the specification gives it, the
 * offset of the wrong field, and a sentence that names field, value and expectation.  Limits that
 * depend on commands (tags, offsets, sizes) are the transport's.  Reserved fields are not checked.
 * Source: NVMe/TCP Transport Specification 1.0, 3.3; include/linux/nvme-tcp.h of Linux 6.1.
 * Errors: a reading function returns 0 or false and fills in the fault. */
#ifndef STORMGLASS_NVME_TCP_PDU_H
#define STORMGLASS_NVME_TCP_PDU_H

#include "nvme/wire/spec.h"

#include <stdbool.h>
#include <stdint.h>

enum nvme_pdu_type {
    NVME_PDU_ICREQ = 0,
    NVME_PDU_ICRESP = 1,
    NVME_PDU_H2C_TERM = 2,
    NVME_PDU_C2H_TERM = 3,
    NVME_PDU_COMMAND = 4,
    NVME_PDU_RESPONSE = 5,
    NVME_PDU_H2C_DATA = 6,
    NVME_PDU_C2H_DATA = 7,
    NVME_PDU_R2T = 9,
};

enum nvme_pdu_flag {
    NVME_PDU_HDGST = 1,
    NVME_PDU_DDGST = 2,
    NVME_PDU_LAST = 4,    /* data: the last PDU of its R2T or of its command */
    NVME_PDU_SUCCESS = 8, /* C2HData: no CapsuleResp follows; status 0 */
};

/* Fatal Error Status of H2CTermReq and C2HTermReq. */
enum nvme_pdu_fes {
    NVME_FES_NONE = 0, /* not on the wire */
    NVME_FES_HEADER_FIELD = 1,
    NVME_FES_SEQUENCE = 2,
    NVME_FES_HEADER_DIGEST = 3,
    NVME_FES_OUT_OF_RANGE = 4,
    NVME_FES_LIMIT = 5, /* H2CTermReq: R2Ts; C2HTermReq: data */
    NVME_FES_PARAMETER = 6,
};

enum {
    NVME_PDU_COMMON_BYTES = 8,
    NVME_PDU_IC_BYTES = 128,
    NVME_PDU_SHORT_BYTES = 24, /* data, R2T, CapsuleResp, TermReq */
    NVME_PDU_COMMAND_BYTES = 72,
    NVME_PDU_DIGEST_BYTES = 4,
    NVME_PDU_TERM_DATA_MAX = 128, /* of the header in error */
    NVME_PDU_BEFORE_MAX = 256,    /* header, digest and pad: PDO has 8 bits */
    NVME_PDU_PDA_MAX = 31,
    NVME_PDU_H2C_DATA_MIN = 4096, /* MAXH2CDATA */
    NVME_PDU_DGST_HEADER = 1,     /* bits of DGST in ICReq and ICResp */
    NVME_PDU_DGST_DATA = 2,
};

/* What ICReq and ICResp agreed on for one direction.  All zero before. */
struct nvme_pdu_format {
    bool header_digest, data_digest;
    uint8_t pda; /* data begins at a multiple of (pda + 1) * 4 bytes */
};

struct nvme_pdu {
    uint8_t type;                        /* enum nvme_pdu_type */
    uint8_t flags;                       /* enum nvme_pdu_flag; encoding sets those of digests */
    uint16_t cid;                        /* data, R2T: CCCID */
    uint16_t ttag;                       /* H2CData, R2T */
    uint32_t at;                         /* DATAO, R2TO */
    uint32_t length;                     /* of the data in the PDU; R2T: R2TL */
    uint16_t version;                    /* ICReq, ICResp: PFV */
    uint8_t pda;                         /* ICReq: HPDA; ICResp: CPDA */
    uint8_t digests;                     /* ICReq, ICResp: DGST */
    uint32_t limit;                      /* ICReq: MAXR2T, 0's based; ICResp: MAXH2CDATA */
    uint16_t fes;                        /* TermReq */
    uint32_t fei;                        /* TermReq */
    uint32_t before;                     /* bytes before the data, or of the PDU without data */
    unsigned char entry[NVME_SQE_BYTES]; /* CapsuleCmd: SQE; CapsuleResp: CQE */
};

enum { NVME_PDU_WHY_BYTES = 112 };

struct nvme_pdu_fault {
    uint16_t fes;
    uint32_t fei; /* NVME_FES_HEADER_FIELD, NVME_FES_PARAMETER: offset of the field;
                   * NVME_FES_HEADER_DIGEST: the digest that was received; otherwise 0 */
    char why[NVME_PDU_WHY_BYTES];
};

/* What a receiver expects. */
struct nvme_pdu_rules {
    struct nvme_pdu_format format;
    bool from_host;
    bool initialized; /* ICReq or ICResp was received */
};

const char *nvme_pdu_name(uint8_t type);
bool nvme_pdu_is_term(uint8_t type); /* H2CTermReq or C2HTermReq */
const char *nvme_pdu_fes_name(uint16_t fes, bool from_host);

/* True if the PDU carries data now. */
bool nvme_pdu_has_data(const struct nvme_pdu *pdu);

/* Writes everything before the data; returns its length, which is PDO if there is data. */
uint32_t nvme_pdu_encode(const struct nvme_pdu *pdu, const struct nvme_pdu_format *format,
                         unsigned char bytes[NVME_PDU_BEFORE_MAX]);

/* Length of header and header digest by the common header; 0: a fault. */
uint32_t nvme_pdu_header_bytes(const unsigned char bytes[NVME_PDU_COMMON_BYTES],
                               const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault);

/* Decodes a header of that length whose common header had no fault. */
bool nvme_pdu_decode(struct nvme_pdu *pdu, const unsigned char *bytes,
                     const struct nvme_pdu_rules *rules, struct nvme_pdu_fault *fault);

/* Fills in a fault; returns false. */
__attribute__((format(printf, 4, 5))) bool nvme_pdu_fail(struct nvme_pdu_fault *fault,
                                                         enum nvme_pdu_fes fes, uint32_t fei,
                                                         const char *format, ...);

#endif
