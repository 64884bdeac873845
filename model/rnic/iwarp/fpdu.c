/* SPDX-License-Identifier: Apache-2.0
 * fpdu - headers of MPA, DDP and RDMAP. */
#include "rnic/iwarp/fpdu.h"

#include "base/big_endian.h"

#include <string.h>

/* Control bits of DDP (byte 2) and of RDMAP (byte 3). */
enum {
    DDP_TAGGED = 0x80,
    DDP_LAST = 0x40,
    DDP_VERSION = 1,
    DDP_VERSION_MASK = 3,
    RDMAP_VERSION = 1 << 6,
    RDMAP_VERSION_MASK = 3 << 6,
    RDMAP_OPCODE_MASK = 0xF
};

static uint32_t queue_of(enum iwarp_opcode opcode)
{
    return opcode == IWARP_READ_REQUEST ? IWARP_QUEUE_READ
           : opcode == IWARP_TERMINATE  ? IWARP_QUEUE_TERMINATE
                                        : IWARP_QUEUE_SEND;
}

uint32_t iwarp_payload_max(enum iwarp_opcode opcode, uint32_t segment)
{
    const uint32_t around = iwarp_head_bytes(opcode) + IWARP_CRC_BYTES;
    const uint32_t whole = segment & ~UINT32_C(3);
    return whole > around ? whole - around : 4;
}

/* ---- headers ---- */

uint32_t iwarp_fpdu_encode(const struct iwarp_fpdu *fpdu, unsigned char *to)
{
    const bool tagged = iwarp_is_tagged(fpdu->opcode);
    const uint32_t bytes = iwarp_head_bytes(fpdu->opcode);
    big_put(to, 2, bytes - IWARP_LENGTH_BYTES + fpdu->payload);
    to[2] = (unsigned char)((tagged ? DDP_TAGGED : 0) | (fpdu->last ? DDP_LAST : 0) | DDP_VERSION);
    to[3] = (unsigned char)(RDMAP_VERSION | (int)fpdu->opcode);
    big_put(to + 4, 4, fpdu->stag);
    if (tagged) {
        big_put(to + 8, 8, fpdu->offset);
    } else {
        big_put(to + 8, 4, fpdu->queue);
        big_put(to + 12, 4, fpdu->msn);
        big_put(to + 16, 4, fpdu->offset);
    }
    return bytes;
}

bool iwarp_fpdu_begin(const unsigned char prefix[IWARP_PREFIX_BYTES], uint32_t *head_bytes,
                      struct iwarp_fault *fault)
{
    const bool tagged = (prefix[2] & DDP_TAGGED) != 0;
    const unsigned opcode = prefix[3] & RDMAP_OPCODE_MASK;
    const unsigned type = tagged ? 1 : 2;
    if ((prefix[2] & DDP_VERSION_MASK) != DDP_VERSION)
        return iwarp_fail_with(fault, IWARP_LAYER_DDP, type, tagged ? 4 : 6,
                               "the DDP version is not 1");
    if ((prefix[3] & RDMAP_VERSION_MASK) != RDMAP_VERSION)
        return iwarp_fail_with(fault, IWARP_LAYER_RDMAP, 2, 5, "the RDMAP version is not 1");
    if (opcode >= IWARP_OPCODES || iwarp_is_tagged((enum iwarp_opcode)opcode) != tagged)
        return iwarp_fail_with(fault, IWARP_LAYER_RDMAP, 2, 6, "unexpected RDMAP opcode");
    *head_bytes = iwarp_head_bytes((enum iwarp_opcode)opcode);
    if (big_get16(prefix) + (uint32_t)IWARP_LENGTH_BYTES < *head_bytes)
        return iwarp_fail_with(fault, IWARP_LAYER_MPA, 0, 3, "the FPDU is shorter than its header");
    return true;
}

bool iwarp_fpdu_decode(struct iwarp_fpdu *fpdu, const unsigned char *from,
                       struct iwarp_fault *fault)
{
    uint32_t bytes;
    if (!iwarp_fpdu_begin(from, &bytes, fault))
        return false;
    *fpdu = (struct iwarp_fpdu){
        .opcode = (enum iwarp_opcode)(from[3] & RDMAP_OPCODE_MASK),
        .last = (from[2] & DDP_LAST) != 0,
        .payload = big_get16(from) + (uint32_t)IWARP_LENGTH_BYTES - bytes,
        .stag = big_get32(from + 4),
    };
    if (iwarp_is_tagged(fpdu->opcode)) {
        fpdu->offset = big_get(from + 8, 8);
        return true;
    }
    fpdu->queue = big_get32(from + 8);
    fpdu->msn = big_get32(from + 12);
    fpdu->offset = big_get32(from + 16);
    if (fpdu->queue != queue_of(fpdu->opcode))
        return iwarp_fail_with(fault, IWARP_LAYER_DDP, 2, 1, "the queue does not fit the opcode");
    return true;
}

/* ---- READ request ---- */

void iwarp_read_encode(const struct iwarp_read *read, unsigned char to[IWARP_READ_BYTES])
{
    big_put(to, 4, read->sink);
    big_put(to + 4, 8, read->sink_address);
    big_put(to + 12, 4, read->length);
    big_put(to + 16, 4, read->source);
    big_put(to + 20, 8, read->source_address);
}

void iwarp_read_decode(struct iwarp_read *read, const unsigned char from[IWARP_READ_BYTES])
{
    *read = (struct iwarp_read){.sink = big_get32(from),
                                .length = big_get32(from + 12),
                                .source = big_get32(from + 16),
                                .sink_address = big_get(from + 4, 8),
                                .source_address = big_get(from + 20, 8)};
}

/* ---- Terminate ---- */

/* HdrCt bits: DDP segment length, DDP header, RDMAP header (of a READ request). */
enum { HAS_LENGTH = 0x80, HAS_DDP = 0x40, HAS_RDMAP = 0x20 };

uint32_t iwarp_terminate_encode(const struct iwarp_fault *fault, const unsigned char *head,
                                uint32_t head_bytes, unsigned char to[IWARP_TERMINATE_MAX])
{
    const bool has = head != NULL && head_bytes > 0;
    const bool reads = head_bytes == IWARP_UNTAGGED_BYTES + IWARP_READ_BYTES;
    to[0] = (unsigned char)(fault->layer << 4 | fault->type);
    to[1] = fault->code;
    to[2] = (unsigned char)(has ? HAS_LENGTH | HAS_DDP | (reads ? HAS_RDMAP : 0) : 0);
    to[3] = 0;
    if (!has)
        return IWARP_TERMINATE_BYTES;
    memcpy(to + IWARP_TERMINATE_BYTES, head, head_bytes);
    return IWARP_TERMINATE_BYTES + head_bytes;
}

bool iwarp_terminate_decode(struct iwarp_fault *fault, const unsigned char *from, uint32_t length)
{
    if (length < IWARP_TERMINATE_BYTES)
        return false;
    *fault = (struct iwarp_fault){
        .layer = from[0] >> 4, .type = from[0] & 0xF, .code = from[1], .why = NULL};
    return true;
}

const char *iwarp_terminate_words(const struct iwarp_fault *fault)
{
    switch (fault->layer) {
    case IWARP_LAYER_RDMAP:
        return fault->type == 1 ? "the peer terminated the stream: RDMAP protection error"
                                : "the peer terminated the stream: RDMAP operation error";
    case IWARP_LAYER_DDP:
        return fault->type == 1 ? "the peer terminated the stream: DDP tagged buffer error"
                                : "the peer terminated the stream: DDP untagged buffer error";
    default:
        return "the peer terminated the stream: MPA error";
    }
}

/* ---- MPA connection frames ---- */

enum {
    MPA_MARKERS = 0x80,
    MPA_CRC = 0x40,
    MPA_REJECT = 0x20,
    MPA_ENHANCED = 0x10, /* RFC 6581 */
    MPA_KEY_BYTES = 16,
    MPA_DEPTH_MASK = 0x3FFF
};

static const char request_key[] = "MPA ID Req Frame", reply_key[] = "MPA ID Rep Frame";

uint32_t iwarp_mpa_encode(const struct iwarp_mpa *mpa,
                          unsigned char to[IWARP_MPA_BYTES + IWARP_MPA_ENHANCED_BYTES])
{
    const uint32_t more = mpa->enhanced ? IWARP_MPA_ENHANCED_BYTES : 0;
    memcpy(to, mpa->reply ? reply_key : request_key, MPA_KEY_BYTES);
    to[16] = (unsigned char)((mpa->markers ? MPA_MARKERS : 0) | (mpa->crc ? MPA_CRC : 0) |
                             (mpa->reject ? MPA_REJECT : 0) | (mpa->enhanced ? MPA_ENHANCED : 0));
    to[17] = mpa->enhanced ? 2 : 1;
    big_put(to + 18, 2, mpa->private_len + more);
    if (mpa->enhanced) {
        big_put(to + 20, 2, mpa->ird & MPA_DEPTH_MASK);
        big_put(to + 22, 2, mpa->ord & MPA_DEPTH_MASK);
    }
    return IWARP_MPA_BYTES + more;
}

int32_t iwarp_mpa_begin(const unsigned char from[IWARP_MPA_BYTES], bool reply)
{
    const uint32_t length = big_get16(from + 18);
    if (memcmp(from, reply ? reply_key : request_key, MPA_KEY_BYTES) != 0 ||
        length > IWARP_MPA_PRIVATE_MAX)
        return -1;
    return (int32_t)length;
}

bool iwarp_mpa_decode(struct iwarp_mpa *mpa, const unsigned char *from, const char **why)
{
    const uint32_t length = big_get16(from + 18);
    *mpa = (struct iwarp_mpa){
        .reply = memcmp(from, reply_key, MPA_KEY_BYTES) == 0,
        .markers = (from[16] & MPA_MARKERS) != 0,
        .crc = (from[16] & MPA_CRC) != 0,
        .reject = (from[16] & MPA_REJECT) != 0,
        .enhanced = from[17] == 2 && (from[16] & MPA_ENHANCED) != 0,
        .private_len = (uint16_t)length,
    };
    if (from[17] != 1 && from[17] != 2)
        *why = "the MPA revision is neither 1 nor 2";
    else if (mpa->markers)
        *why = "the peer needs MPA markers";
    else if (mpa->enhanced && length < IWARP_MPA_ENHANCED_BYTES)
        *why = "the MPA frame has no IRD and ORD";
    else
        *why = NULL;
    if (*why == NULL && mpa->enhanced) {
        mpa->ird = big_get16(from + 20) & MPA_DEPTH_MASK;
        mpa->ord = big_get16(from + 22) & MPA_DEPTH_MASK;
        mpa->private_len = (uint16_t)(length - IWARP_MPA_ENHANCED_BYTES);
    }
    return *why == NULL;
}
