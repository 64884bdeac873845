/* SPDX-License-Identifier: Apache-2.0
 * bhs - iSCSI protocol data units as they travel.
 *
 *   basic header segment (48) | header digest | data segment | pad to 4 | data digest
 *
 * All PDUs share one layout; the fields have other names in each of them (RFC 7143, 11):
 *   flags     byte 1: F in bit 7, the rest belongs to the opcode
 *   byte2     SCSI Response: response; Login: highest version; Reject: reason; Logout: response
 *   byte3     SCSI Response, Data-In: status; Login: version
 *   lun       bytes 8 to 15; Login: ISID and TSIH
 *   tag       bytes 20 to 23: Target Transfer Tag, Referenced Task Tag; SCSI Command: Expected Data
 *             Transfer Length; Login and Logout Request: CID in the upper half
 *   sn        bytes 24 to 27: CmdSN of an initiator, StatSN of a target
 *   expected  bytes 28 to 31: ExpStatSN of an initiator, ExpCmdSN of a target
 *   max       bytes 32 to 35: MaxCmdSN of a target
 *   data_sn   bytes 36 to 39: DataSN, R2TSN, ExpDataSN; Login Response: status class and detail
 *   offset    bytes 40 to 43: Buffer Offset; Logout Response: Time2Wait and Time2Retain
 *   count     bytes 44 to 47: Residual Count, Desired Data Transfer Length
 *   cdb       bytes 32 to 47 of a SCSI Command
 * The reader is strict about lengths and opcodes. Limits that depend on tasks are the transport's.
 * Additional header segments are not supported.
 * Source: RFC 7143, 11; include/scsi/iscsi_proto.h of Linux 6.1.
 * Errors: a reading function returns false and fills in the fault. */
#ifndef STORMGLASS_NVME_ISCSI_BHS_H
#define STORMGLASS_NVME_ISCSI_BHS_H

#include "base/big_endian.h"

#include <stdbool.h>
#include <stdint.h>

enum iscsi_opcode {
    ISCSI_NOP_OUT = 0x00,
    ISCSI_COMMAND = 0x01,
    ISCSI_TASK = 0x02, /* Task Management Function Request */
    ISCSI_LOGIN = 0x03,
    ISCSI_TEXT = 0x04,
    ISCSI_DATA_OUT = 0x05,
    ISCSI_LOGOUT = 0x06,
    ISCSI_NOP_IN = 0x20,
    ISCSI_RESPONSE = 0x21,
    ISCSI_TASK_RESPONSE = 0x22,
    ISCSI_LOGIN_RESPONSE = 0x23,
    ISCSI_DATA_IN = 0x25,
    ISCSI_LOGOUT_RESPONSE = 0x26,
    ISCSI_R2T = 0x31,
    ISCSI_ASYNC = 0x32,
    ISCSI_REJECT = 0x3F,
};

enum {
    ISCSI_BHS_BYTES = 48,
    ISCSI_DIGEST_BYTES = 4,
    ISCSI_CDB_BYTES = 16,
    ISCSI_LENGTH_MAX = 0xFFFFFF, /* DataSegmentLength has 24 bits */
    ISCSI_TEXT_MAX = 8192, /* data of Login PDUs: the MaxRecvDataSegmentLength before any is set */
    ISCSI_OPCODE = 0x3F,
    ISCSI_IMMEDIATE = 0x40, /* byte 0: immediate delivery */
    ISCSI_FINAL = 0x80,     /* byte 1 */
};

/* Byte 1 of the opcodes, besides F. */
enum {
    ISCSI_COMMAND_READ = 0x40,
    ISCSI_COMMAND_WRITE = 0x20,
    ISCSI_COMMAND_SIMPLE = 0x01, /* task attribute */
    ISCSI_DATA_STATUS = 0x01,    /* Data-In: S */
    ISCSI_UNDERFLOW = 0x02,      /* Data-In, SCSI Response: U */
    ISCSI_OVERFLOW = 0x04,       /* Data-In, SCSI Response: O */
    ISCSI_LOGIN_TRANSIT = 0x80,
    ISCSI_LOGIN_CONTINUE = 0x40,
    ISCSI_STAGE_SECURITY = 0,
    ISCSI_STAGE_OPERATIONAL = 1,
    ISCSI_STAGE_FULL = 3,
    ISCSI_TASK_ABORT = 1,
    ISCSI_LOGOUT_SESSION = 0,
};

/* Reject reasons, RFC 7143 11.17.1. */
enum iscsi_reject {
    ISCSI_REJECT_NONE = 0, /* not on the wire */
    ISCSI_REJECT_DIGEST = 0x02,
    ISCSI_REJECT_PROTOCOL = 0x04,
    ISCSI_REJECT_UNSUPPORTED = 0x05,
    ISCSI_REJECT_FIELD = 0x09,
};

enum { ISCSI_PORT = 3260 }; /* IANA: iscsi-target */

#define ISCSI_TAG_NONE UINT32_C(0xFFFFFFFF)

struct iscsi_pdu {
    uint8_t opcode; /* enum iscsi_opcode */
    bool immediate;
    uint8_t flags, byte2, byte3;
    uint8_t ahs;     /* TotalAHSLength, words */
    uint32_t length; /* of the data segment, without pad */
    uint64_t lun;
    uint32_t itt; /* Initiator Task Tag */
    uint32_t tag, sn, expected, max, data_sn, offset, count;
    unsigned char cdb[ISCSI_CDB_BYTES];
};

enum { ISCSI_WHY_BYTES = 128 };

struct iscsi_fault {
    uint8_t reason; /* enum iscsi_reject */
    char why[ISCSI_WHY_BYTES];
};

const char *iscsi_pdu_name(uint8_t opcode);

static inline uint32_t iscsi_pad(uint32_t length)
{
    return (4 - length % 4) % 4;
}

void iscsi_pdu_encode(const struct iscsi_pdu *pdu, unsigned char bytes[ISCSI_BHS_BYTES]);

/* most: the receiver's MaxRecvDataSegmentLength. */
bool iscsi_pdu_decode(struct iscsi_pdu *pdu, const unsigned char bytes[ISCSI_BHS_BYTES],
                      bool from_initiator, uint32_t most, struct iscsi_fault *fault);

/* Fills in a fault; returns false. */
__attribute__((format(printf, 3, 4))) bool
iscsi_fail_with(struct iscsi_fault *fault, enum iscsi_reject reason, const char *format, ...);

/* Serial numbers, RFC 1982: a - b. */
static inline int32_t iscsi_apart(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

#endif
