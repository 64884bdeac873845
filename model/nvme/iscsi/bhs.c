/* SPDX-License-Identifier: Apache-2.0
 * bhs - one layout for all PDUs, and a table of the opcodes. */
#include "nvme/iscsi/bhs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct kind {
    const char *name;
    uint8_t opcode;
    bool from_initiator;
    bool has_data;
} kinds[] = {
    {"NOP-Out", ISCSI_NOP_OUT, true, true},
    {"SCSI Command", ISCSI_COMMAND, true, true},
    {"Task Management Request", ISCSI_TASK, true, false},
    {"Login Request", ISCSI_LOGIN, true, true},
    {"Text Request", ISCSI_TEXT, true, true},
    {"Data-Out", ISCSI_DATA_OUT, true, true},
    {"Logout Request", ISCSI_LOGOUT, true, false},
    {"NOP-In", ISCSI_NOP_IN, false, true},
    {"SCSI Response", ISCSI_RESPONSE, false, true},
    {"Task Management Response", ISCSI_TASK_RESPONSE, false, false},
    {"Login Response", ISCSI_LOGIN_RESPONSE, false, true},
    {"Data-In", ISCSI_DATA_IN, false, true},
    {"Logout Response", ISCSI_LOGOUT_RESPONSE, false, false},
    {"R2T", ISCSI_R2T, false, false},
    {"Asynchronous Message", ISCSI_ASYNC, false, true},
    {"Reject", ISCSI_REJECT, false, true},
};

static const struct kind *kind_of(uint8_t opcode)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].opcode == opcode)
            return &kinds[i];
    return NULL;
}

const char *iscsi_pdu_name(uint8_t opcode)
{
    const struct kind *kind = kind_of(opcode);
    return kind != NULL ? kind->name : "PDU of an unknown opcode";
}

bool iscsi_fail_with(struct iscsi_fault *fault, enum iscsi_reject reason, const char *format, ...)
{
    va_list list;
    fault->reason = (uint8_t)reason;
    va_start(list, format);
    vsnprintf(fault->why, sizeof fault->why, format, list);
    va_end(list);
    return false;
}

void iscsi_pdu_encode(const struct iscsi_pdu *pdu, unsigned char bytes[ISCSI_BHS_BYTES])
{
    memset(bytes, 0, ISCSI_BHS_BYTES);
    bytes[0] = (unsigned char)(pdu->opcode | (pdu->immediate ? ISCSI_IMMEDIATE : 0));
    bytes[1] = pdu->flags;
    bytes[2] = pdu->byte2;
    bytes[3] = pdu->byte3;
    bytes[4] = pdu->ahs;
    big_put(bytes + 5, 3, pdu->length);
    big_put(bytes + 8, 8, pdu->lun);
    big_put(bytes + 16, 4, pdu->itt);
    big_put(bytes + 20, 4, pdu->tag);
    big_put(bytes + 24, 4, pdu->sn);
    big_put(bytes + 28, 4, pdu->expected);
    if (pdu->opcode == ISCSI_COMMAND) {
        memcpy(bytes + 32, pdu->cdb, ISCSI_CDB_BYTES);
        return;
    }
    big_put(bytes + 32, 4, pdu->max);
    big_put(bytes + 36, 4, pdu->data_sn);
    big_put(bytes + 40, 4, pdu->offset);
    big_put(bytes + 44, 4, pdu->count);
}

static void decode_fields(struct iscsi_pdu *pdu, const unsigned char bytes[ISCSI_BHS_BYTES])
{
    *pdu = (struct iscsi_pdu){
        .opcode = bytes[0] & ISCSI_OPCODE,
        .immediate = (bytes[0] & ISCSI_IMMEDIATE) != 0,
        .flags = bytes[1],
        .byte2 = bytes[2],
        .byte3 = bytes[3],
        .ahs = bytes[4],
        .length = (uint32_t)big_get(bytes + 5, 3),
        .lun = big_get(bytes + 8, 8),
        .itt = (uint32_t)big_get(bytes + 16, 4),
        .tag = (uint32_t)big_get(bytes + 20, 4),
        .sn = (uint32_t)big_get(bytes + 24, 4),
        .expected = (uint32_t)big_get(bytes + 28, 4),
    };
    if (pdu->opcode == ISCSI_COMMAND) {
        memcpy(pdu->cdb, bytes + 32, ISCSI_CDB_BYTES);
        return;
    }
    pdu->max = (uint32_t)big_get(bytes + 32, 4);
    pdu->data_sn = (uint32_t)big_get(bytes + 36, 4);
    pdu->offset = (uint32_t)big_get(bytes + 40, 4);
    pdu->count = (uint32_t)big_get(bytes + 44, 4);
}

/* F is 0 only in data that continues, in a command whose unsolicited data follows, and in a Login
 * that stays in its stage. */
static bool may_continue(uint8_t opcode)
{
    return opcode == ISCSI_DATA_OUT || opcode == ISCSI_DATA_IN || opcode == ISCSI_COMMAND ||
           opcode == ISCSI_LOGIN || opcode == ISCSI_LOGIN_RESPONSE || opcode == ISCSI_TEXT;
}

bool iscsi_pdu_decode(struct iscsi_pdu *pdu, const unsigned char bytes[ISCSI_BHS_BYTES],
                      bool from_initiator, uint32_t most, struct iscsi_fault *fault)
{
    decode_fields(pdu, bytes);
    const struct kind *kind = kind_of(pdu->opcode);
    if (kind == NULL || kind->from_initiator != from_initiator)
        return iscsi_fail_with(fault, ISCSI_REJECT_UNSUPPORTED,
                               "opcode %02Xh (byte 0): expected a PDU of %s", pdu->opcode,
                               from_initiator ? "an initiator" : "a target");
    if (pdu->ahs != 0)
        return iscsi_fail_with(fault, ISCSI_REJECT_FIELD,
                               "%s: TotalAHSLength (byte 4) is %u, expected 0", kind->name,
                               pdu->ahs);
    const uint32_t limit = kind->has_data ? most : 0;
    if (pdu->length > limit)
        return iscsi_fail_with(fault, ISCSI_REJECT_PROTOCOL,
                               "%s: DataSegmentLength (byte 5) is %u B, expected at most %u B",
                               kind->name, pdu->length, limit);
    if ((pdu->flags & ISCSI_FINAL) == 0 && !may_continue(pdu->opcode))
        return iscsi_fail_with(fault, ISCSI_REJECT_FIELD, "%s: F (byte 1) is 0, expected 1",
                               kind->name);
    return true;
}
