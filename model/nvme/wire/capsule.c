/* SPDX-License-Identifier: Apache-2.0
 * capsule - byte offsets of queue entries. */
#include "nvme/wire/capsule.h"

#include "nvme/wire/wire.h"

#include <string.h>

/* The type in byte 15 distinguishes the two layouts: a keyed block has a length of 3 bytes and a
 * key of 4. */
enum { SGL_AT = 24, SGL_TYPE_AT = 15, SGL_KEYED = 0x4 };

static void encode_sgl(const struct nvme_sgl *sgl, unsigned char *at)
{
    wire_put64(at, sgl->address);
    at[SGL_TYPE_AT] = sgl->type;
    if (sgl->type >> 4 == SGL_KEYED) {
        wire_put(at + 8, 3, sgl->length);
        wire_put32(at + 11, sgl->key);
    } else {
        wire_put32(at + 8, sgl->length);
    }
}

static void decode_sgl(struct nvme_sgl *sgl, const unsigned char *at)
{
    sgl->address = wire_get64(at);
    sgl->type = at[SGL_TYPE_AT];
    const int keyed = sgl->type >> 4 == SGL_KEYED;
    sgl->length = (uint32_t)wire_get(at + 8, keyed ? 3 : 4);
    sgl->key = keyed ? wire_get32(at + 11) : 0;
}

void nvme_capsule_encode_command(const struct nvme_command *command,
                                 unsigned char bytes[NVME_SQE_BYTES])
{
    memset(bytes, 0, NVME_SQE_BYTES);
    bytes[0] = command->opcode;
    bytes[1] = command->flags;
    wire_put16(bytes + 2, command->cid);
    wire_put32(bytes + 4, command->nsid);
    encode_sgl(&command->sgl, bytes + SGL_AT);
    const uint32_t words[] = {command->cdw10, command->cdw11, command->cdw12,
                              command->cdw13, command->cdw14, command->cdw15};
    for (unsigned i = 0; i < 6; i++)
        wire_put32(bytes + 40 + (size_t)4 * i, words[i]);
}

void nvme_capsule_decode_command(struct nvme_command *command,
                                 const unsigned char bytes[NVME_SQE_BYTES])
{
    *command = (struct nvme_command){
        .opcode = bytes[0],
        .flags = bytes[1],
        .cid = wire_get16(bytes + 2),
        .nsid = wire_get32(bytes + 4),
        .cdw10 = wire_get32(bytes + 40),
        .cdw11 = wire_get32(bytes + 44),
        .cdw12 = wire_get32(bytes + 48),
        .cdw13 = wire_get32(bytes + 52),
        .cdw14 = wire_get32(bytes + 56),
        .cdw15 = wire_get32(bytes + 60),
    };
    decode_sgl(&command->sgl, bytes + SGL_AT);
}

void nvme_capsule_encode_response(const struct nvme_response *response,
                                  unsigned char bytes[NVME_CQE_BYTES])
{
    wire_put64(bytes, response->result);
    wire_put16(bytes + 8, response->sqhd);
    wire_put16(bytes + 10, response->sqid);
    wire_put16(bytes + 12, response->cid);
    wire_put16(bytes + 14, (uint16_t)(response->status << 1)); /* bit 0: phase, 0 in Fabrics */
}

void nvme_capsule_decode_response(struct nvme_response *response,
                                  const unsigned char bytes[NVME_CQE_BYTES])
{
    *response = (struct nvme_response){
        .result = wire_get64(bytes),
        .sqhd = wire_get16(bytes + 8),
        .sqid = wire_get16(bytes + 10),
        .cid = wire_get16(bytes + 12),
        .status = (uint16_t)(wire_get16(bytes + 14) >> 1),
    };
}
