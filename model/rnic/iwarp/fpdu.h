/* SPDX-License-Identifier: Apache-2.0
 * fpdu - iWARP as it travels: FPDUs of MPA with the headers of DDP and RDMAP, and the frames that
 * begin an MPA connection. Integers are big-endian, except the CRC.
 *   ULPDU length (2)  DDP and RDMAP control (2)
 *   tagged (WRITE, READ response): STag (4)  tagged offset (8)
 *   untagged (SEND, READ request, Terminate): STag to invalidate (4)  QN (4)  MSN (4)  MO (4)
 *   payload, padded to a multiple of 4 with the headers, then CRC32C (4); the CRC is 0 if not used
 * Source: RFC 5040 4, 5041 4, 5044 4 and 7, 6581 9. Not modeled: markers, which Linux siw does not
 * use either. */
#ifndef STORMGLASS_RNIC_IWARP_FPDU_H
#define STORMGLASS_RNIC_IWARP_FPDU_H

#include <stdbool.h>
#include <stdint.h>

/* RFC 5040 4.1 */
enum iwarp_opcode {
    IWARP_WRITE,
    IWARP_READ_REQUEST,
    IWARP_READ_RESPONSE,
    IWARP_SEND,
    IWARP_SEND_INVALIDATE,
    IWARP_SEND_SE, /* with a solicited event */
    IWARP_SEND_SE_INVALIDATE,
    IWARP_TERMINATE,
    IWARP_OPCODES
};

/* The queues of untagged messages. */
enum { IWARP_QUEUE_SEND, IWARP_QUEUE_READ, IWARP_QUEUE_TERMINATE, IWARP_QUEUES };

enum {
    IWARP_PREFIX_BYTES = 4, /* ULPDU length and control: the kind of header follows from these */
    IWARP_LENGTH_BYTES = 2,
    IWARP_TAGGED_BYTES = 16, /* all headers, with the ULPDU length */
    IWARP_UNTAGGED_BYTES = 20,
    IWARP_READ_BYTES = 28,     /* payload of a READ request */
    IWARP_TERMINATE_BYTES = 4, /* control field of a Terminate */
    IWARP_TERMINATE_MAX = 52,  /* with the headers in error: 2 + 18 + 28 */
    IWARP_CRC_BYTES = 4,
    IWARP_HEAD_MAX = IWARP_UNTAGGED_BYTES + IWARP_TERMINATE_MAX
};

struct iwarp_fpdu {
    enum iwarp_opcode opcode;
    bool last;
    uint32_t payload;
    uint32_t stag;   /* tagged: of the memory; SEND_INVALIDATE: to invalidate */
    uint64_t offset; /* tagged: address; untagged: MO */
    uint32_t queue, msn;
};

/* Where a fault was found, as a Terminate reports it (RFC 5040 4.8, 5041 7.1, 5044 8). */
struct iwarp_fault {
    uint8_t layer, type, code;
    const char *why;
};

enum { IWARP_LAYER_RDMAP, IWARP_LAYER_DDP, IWARP_LAYER_MPA };

static inline bool iwarp_fail_with(struct iwarp_fault *fault, unsigned layer, unsigned type,
                                   unsigned code, const char *why)
{
    *fault = (struct iwarp_fault){(uint8_t)layer, (uint8_t)type, (uint8_t)code, why};
    return false;
}

static inline bool iwarp_is_tagged(enum iwarp_opcode opcode)
{
    return opcode == IWARP_WRITE || opcode == IWARP_READ_RESPONSE;
}

static inline uint32_t iwarp_head_bytes(enum iwarp_opcode opcode)
{
    return iwarp_is_tagged(opcode) ? IWARP_TAGGED_BYTES : IWARP_UNTAGGED_BYTES;
}

/* Bytes of padding behind headers and payload. */
static inline uint32_t iwarp_pad(uint32_t payload)
{
    return -payload & 3;
}

/* Most payload of an FPDU that fits into a segment of so many bytes (RFC 5044 3: EMSS). */
uint32_t iwarp_payload_max(enum iwarp_opcode opcode, uint32_t segment);

/* Encodes the headers, iwarp_head_bytes; returns their number. */
uint32_t iwarp_fpdu_encode(const struct iwarp_fpdu *fpdu, unsigned char *to);
/* Bytes of all headers, from the prefix; false: a fault. */
bool iwarp_fpdu_begin(const unsigned char prefix[IWARP_PREFIX_BYTES], uint32_t *head_bytes,
                      struct iwarp_fault *fault);
bool iwarp_fpdu_decode(struct iwarp_fpdu *fpdu, const unsigned char *from,
                       struct iwarp_fault *fault);

/* The payload of a READ request. */
struct iwarp_read {
    uint32_t sink, length, source; /* STags */
    uint64_t sink_address, source_address;
};

void iwarp_read_encode(const struct iwarp_read *read, unsigned char to[IWARP_READ_BYTES]);
void iwarp_read_decode(struct iwarp_read *read, const unsigned char from[IWARP_READ_BYTES]);

/* The payload of a Terminate; the headers of the FPDU in error follow the control field, if they
 * are given. Returns the number of bytes. */
uint32_t iwarp_terminate_encode(const struct iwarp_fault *fault, const unsigned char *head,
                                uint32_t head_bytes, unsigned char to[IWARP_TERMINATE_MAX]);
/* False: shorter than a control field. */
bool iwarp_terminate_decode(struct iwarp_fault *fault, const unsigned char *from, uint32_t length);
/* The layer that a Terminate blames. */
const char *iwarp_terminate_words(const struct iwarp_fault *fault);

/* ---- the frames that begin a connection ---- */

enum {
    IWARP_MPA_BYTES = 20,
    IWARP_MPA_ENHANCED_BYTES = 4, /* IRD and ORD before the private data (RFC 6581 9) */
    IWARP_MPA_PRIVATE_MAX = 512,
    IWARP_MPA_MAX = IWARP_MPA_BYTES + IWARP_MPA_PRIVATE_MAX,
    IWARP_DEPTH_MAX = 0x3FFF
};

struct iwarp_mpa {
    bool reply, markers, crc, reject;
    bool enhanced;        /* revision 2 with IRD and ORD */
    uint16_t ird, ord;    /* READs that this side serves, and issues */
    uint16_t private_len; /* without IRD and ORD; encoded: follows the frame */
};

/* Bytes of the frame without private data. */
uint32_t iwarp_mpa_encode(const struct iwarp_mpa *mpa,
                          unsigned char to[IWARP_MPA_BYTES + IWARP_MPA_ENHANCED_BYTES]);
/* Bytes of private data, with IRD and ORD, that follow the first IWARP_MPA_BYTES; negative: no
 * frame of this kind. */
int32_t iwarp_mpa_begin(const unsigned char from[IWARP_MPA_BYTES], bool reply);
/* Decodes a whole frame. False: revision 1 or 2 is expected, and no markers. */
bool iwarp_mpa_decode(struct iwarp_mpa *mpa, const unsigned char *from, const char **why);

#endif
