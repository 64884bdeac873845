/* SPDX-License-Identifier: Apache-2.0
 * capsule - submission and completion queue entries on the wire.
 * Source: base 4.2 (SQE), 4.6 (CQE), 4.4 (SGL); Fabrics 2.2 and 2.4 (keyed SGL). The dwords CDW10
 * to 15 are kept as numbers; the helpers below extract command-specific fields. Metadata and CDW2,
 * 3 are always 0. Errors: none; any 64 bytes decode, the target checks the fields. */
#ifndef STORMGLASS_NVME_WIRE_CAPSULE_H
#define STORMGLASS_NVME_WIRE_CAPSULE_H

#include "nvme/wire/spec.h"

#include <stdint.h>

struct nvme_sgl {
    uint64_t address; /* in-capsule: offset after the SQE */
    uint32_t length;  /* keyed: 24 bits */
    uint32_t key;
    uint8_t type; /* enum nvme_sgl_type, or the received value */
};

struct nvme_command {
    uint8_t opcode, flags;
    uint16_t cid;
    uint32_t nsid; /* in a Fabrics command the low byte is the FCTYPE */
    struct nvme_sgl sgl;
    uint32_t cdw10, cdw11, cdw12, cdw13, cdw14, cdw15;
};

struct nvme_response {
    uint64_t result;
    uint16_t sqhd, sqid, cid;
    uint16_t status; /* excluding the phase bit: SCT<<8 | SC, More, DNR */
};

void nvme_capsule_encode_command(const struct nvme_command *command,
                                 unsigned char bytes[NVME_SQE_BYTES]);
void nvme_capsule_decode_command(struct nvme_command *command,
                                 const unsigned char bytes[NVME_SQE_BYTES]);
void nvme_capsule_encode_response(const struct nvme_response *response,
                                  unsigned char bytes[NVME_CQE_BYTES]);
void nvme_capsule_decode_response(struct nvme_response *response,
                                  const unsigned char bytes[NVME_CQE_BYTES]);

static inline uint8_t nvme_capsule_fctype(const struct nvme_command *command)
{
    return (uint8_t)command->nsid;
}

/* NVME_DATA_OUT | NVME_DATA_IN, from the opcode's own bits. */
static inline unsigned nvme_capsule_direction(const struct nvme_command *command)
{
    const unsigned code =
        command->opcode == NVME_FABRICS ? nvme_capsule_fctype(command) : command->opcode;
    return code & (NVME_DATA_OUT | NVME_DATA_IN);
}

/* Read and Write, base 6.9 and 6.15. */
static inline uint64_t nvme_capsule_lba(const struct nvme_command *command)
{
    return (uint64_t)command->cdw11 << 32 | command->cdw10;
}

static inline uint32_t nvme_capsule_blocks(const struct nvme_command *command)
{
    return (command->cdw12 & 0xFFFF) + 1;
}

/* Get Log Page, base 5.14: length in bytes from NUMDL and NUMDU (0's based dwords). */
static inline uint64_t nvme_capsule_log_bytes(const struct nvme_command *command)
{
    const uint64_t dwords =
        ((uint64_t)(command->cdw11 & 0xFFFF) << 16 | command->cdw10 >> 16) + UINT64_C(1);
    return dwords * 4;
}

static inline uint64_t nvme_capsule_log_offset(const struct nvme_command *command)
{
    return (uint64_t)command->cdw13 << 32 | command->cdw12;
}

#endif
