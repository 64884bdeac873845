/* SPDX-License-Identifier: Apache-2.0
 * fc_iu - encodes and decodes information units and link services. */
#include "nvme/fc/fc_iu.h"

#include "base/big_endian.h"
#include "base/check.h"

#include <string.h>

enum { FORMAT_ID = 0xFD, FC_ID = 0x28 }; /* NVME_CMD_FORMAT_ID, FC_TYPE_NVME */

void fc_command_encode(const struct fc_command *command, unsigned char bytes[FC_COMMAND_BYTES])
{
    memset(bytes, 0, FC_COMMAND_BYTES);
    bytes[0] = FORMAT_ID;
    bytes[1] = FC_ID;
    big_put(bytes + 2, 2, FC_COMMAND_BYTES / 4);
    bytes[7] = command->flags;
    big_put(bytes + 8, 8, command->connection);
    big_put(bytes + 16, 4, command->csn);
    big_put(bytes + 20, 4, command->length);
    memcpy(bytes + 24, command->sqe, NVME_SQE_BYTES);
}

bool fc_command_decode(struct fc_command *command, const unsigned char *bytes, size_t count)
{
    if (count != FC_COMMAND_BYTES || bytes[0] != FORMAT_ID || bytes[1] != FC_ID ||
        big_get16(bytes + 2) != FC_COMMAND_BYTES / 4)
        return false;
    command->flags = bytes[7] & (FC_COMMAND_WRITE | FC_COMMAND_READ);
    command->connection = big_get(bytes + 8, 8);
    command->csn = big_get32(bytes + 16);
    command->length = big_get32(bytes + 20);
    memcpy(command->sqe, bytes + 24, NVME_SQE_BYTES);
    return command->flags != (FC_COMMAND_WRITE | FC_COMMAND_READ);
}

void fc_extended_encode(const struct fc_extended *extended, unsigned char bytes[FC_EXTENDED_BYTES])
{
    memset(bytes, 0, FC_EXTENDED_BYTES);
    bytes[0] = extended->status;
    big_put(bytes + 2, 2, FC_EXTENDED_BYTES / 4);
    big_put(bytes + 4, 4, extended->rsn);
    big_put(bytes + 8, 4, extended->moved);
    memcpy(bytes + 16, extended->cqe, NVME_CQE_BYTES);
}

bool fc_extended_decode(struct fc_extended *extended, const unsigned char *bytes, size_t count)
{
    if (count != FC_EXTENDED_BYTES || big_get16(bytes + 2) != FC_EXTENDED_BYTES / 4)
        return false;
    extended->status = bytes[0];
    extended->rsn = big_get32(bytes + 4);
    extended->moved = big_get32(bytes + 8);
    memcpy(extended->cqe, bytes + 16, NVME_CQE_BYTES);
    return true;
}

void fc_xfer_rdy_encode(const struct fc_xfer_rdy *ready, unsigned char bytes[FC_XFER_RDY_BYTES])
{
    big_put(bytes, 4, ready->offset);
    big_put(bytes + 4, 4, ready->length);
    big_put(bytes + 8, 4, 0);
}

bool fc_xfer_rdy_decode(struct fc_xfer_rdy *ready, const unsigned char *bytes, size_t count)
{
    if (count != FC_XFER_RDY_BYTES)
        return false;
    ready->offset = big_get32(bytes);
    ready->length = big_get32(bytes + 4);
    return true;
}

/* ------------------------------------------------------------------ link services */

/* Descriptors: tag 4, length 4 of what follows. */
enum {
    TAG_REQUEST = 1,
    TAG_REJECT = 2,
    TAG_CREATE_ASSOCIATION = 3,
    TAG_CREATE_CONNECTION = 4,
    TAG_DISCONNECT = 5,
    TAG_CONNECTION = 6,
    TAG_ASSOCIATION = 7,
};

enum {
    LS_HEAD = 8,
    REQUEST_BYTES = 16,
    REJECT_BYTES = 16,
    ASSOCIATION_BYTES = 16,
    CREATE_ASSOCIATION_BYTES = FC_LS_MOST - LS_HEAD,
    CREATE_CONNECTION_BYTES = 56,
    DISCONNECT_BYTES = 24,
};

/* Where the fields of a descriptor that creates something are. */
enum { RATIO_AT = 8, QID_AT = 48, SQSIZE_AT = 50 };

static unsigned char *put_descriptor(unsigned char *at, uint32_t tag, uint32_t bytes)
{
    memset(at, 0, bytes);
    big_put(at, 4, tag);
    big_put(at + 4, 4, bytes - 8);
    return at + bytes;
}

static unsigned char *put_id(unsigned char *at, uint32_t tag, uint64_t id)
{
    big_put(put_descriptor(at, tag, ASSOCIATION_BYTES) - 8, 8, id);
    return at + ASSOCIATION_BYTES;
}

static unsigned char *put_create(unsigned char *at, const struct fc_ls *ls, uint32_t tag,
                                 uint32_t bytes)
{
    unsigned char *end = put_descriptor(at, tag, bytes);
    big_put(at + RATIO_AT, 2, ls->ersp_ratio);
    big_put(at + QID_AT, 2, ls->qid); /* Create Association: a controller, any: 0xFFFF */
    big_put(at + SQSIZE_AT, 2, ls->sqsize);
    return end;
}

static unsigned char *put_answer(unsigned char *at, const struct fc_ls *ls)
{
    unsigned char *end = put_descriptor(at, TAG_REQUEST, REQUEST_BYTES);
    at[8] = ls->answers;
    if (ls->kind == FC_LS_REJECT) {
        at = end;
        end = put_descriptor(at, TAG_REJECT, REJECT_BYTES);
        at[9] = ls->reason;
        return end;
    }
    if (ls->answers == FC_LS_CREATE_ASSOCIATION)
        end = put_id(end, TAG_ASSOCIATION, ls->association);
    if (ls->answers != FC_LS_DISCONNECT)
        end = put_id(end, TAG_CONNECTION, ls->connection);
    return end;
}

uint32_t fc_ls_encode(const struct fc_ls *ls, unsigned char bytes[FC_LS_MOST])
{
    unsigned char *end = bytes + LS_HEAD;
    memset(bytes, 0, LS_HEAD);
    bytes[0] = ls->kind;
    switch (ls->kind) {
    case FC_LS_CREATE_ASSOCIATION:
        end = put_create(end, ls, TAG_CREATE_ASSOCIATION, CREATE_ASSOCIATION_BYTES);
        break;
    case FC_LS_CREATE_CONNECTION:
        end = put_id(end, TAG_ASSOCIATION, ls->association);
        end = put_create(end, ls, TAG_CREATE_CONNECTION, CREATE_CONNECTION_BYTES);
        break;
    case FC_LS_DISCONNECT:
        end = put_id(end, TAG_ASSOCIATION, ls->association);
        end = put_descriptor(end, TAG_DISCONNECT, DISCONNECT_BYTES);
        break;
    default:
        end = put_answer(end, ls);
    }
    const uint32_t length = (uint32_t)(end - bytes);
    CHECK(length <= FC_LS_MOST);
    big_put(bytes + 4, 4, length - LS_HEAD);
    return length;
}

/* What is left to decode. */
struct rest {
    const unsigned char *at;
    size_t count;
};

/* The next descriptor, or NULL if it has another tag or size. */
static const unsigned char *take(struct rest *rest, uint32_t tag, uint32_t bytes)
{
    const unsigned char *at = rest->at;
    if (rest->count < bytes || big_get32(at) != tag || big_get32(at + 4) != bytes - 8)
        return NULL;
    rest->at += bytes;
    rest->count -= bytes;
    return at;
}

static bool take_id(struct rest *rest, uint32_t tag, uint64_t *id)
{
    const unsigned char *at = take(rest, tag, ASSOCIATION_BYTES);
    if (at != NULL)
        *id = big_get(at + 8, 8);
    return at != NULL;
}

static bool take_create(struct rest *rest, struct fc_ls *ls, uint32_t tag, uint32_t bytes)
{
    const unsigned char *at = take(rest, tag, bytes);
    if (at == NULL)
        return false;
    ls->ersp_ratio = big_get16(at + RATIO_AT);
    ls->qid = big_get16(at + QID_AT);
    ls->sqsize = big_get16(at + SQSIZE_AT);
    return true;
}

static bool take_answer(struct rest *rest, struct fc_ls *ls)
{
    const unsigned char *at = take(rest, TAG_REQUEST, REQUEST_BYTES);
    if (at == NULL)
        return false;
    ls->answers = at[8];
    if (ls->kind == FC_LS_REJECT) {
        at = take(rest, TAG_REJECT, REJECT_BYTES);
        ls->reason = at == NULL ? 0 : at[9];
        return at != NULL;
    }
    if (ls->answers == FC_LS_CREATE_ASSOCIATION &&
        !take_id(rest, TAG_ASSOCIATION, &ls->association))
        return false;
    return ls->answers == FC_LS_DISCONNECT || take_id(rest, TAG_CONNECTION, &ls->connection);
}

bool fc_ls_decode(struct fc_ls *ls, const unsigned char *bytes, size_t count)
{
    *ls = (struct fc_ls){0};
    if (count < LS_HEAD || count > FC_LS_MOST || big_get32(bytes + 4) != count - LS_HEAD)
        return false;
    struct rest rest = {bytes + LS_HEAD, count - LS_HEAD};
    ls->kind = bytes[0];
    switch (ls->kind) {
    case FC_LS_CREATE_ASSOCIATION:
        return take_create(&rest, ls, TAG_CREATE_ASSOCIATION, CREATE_ASSOCIATION_BYTES);
    case FC_LS_CREATE_CONNECTION:
        return take_id(&rest, TAG_ASSOCIATION, &ls->association) &&
               take_create(&rest, ls, TAG_CREATE_CONNECTION, CREATE_CONNECTION_BYTES);
    case FC_LS_DISCONNECT:
        return take_id(&rest, TAG_ASSOCIATION, &ls->association) &&
               take(&rest, TAG_DISCONNECT, DISCONNECT_BYTES) != NULL;
    case FC_LS_ACCEPT:
    case FC_LS_REJECT:
        return take_answer(&rest, ls);
    default:
        return false;
    }
}
