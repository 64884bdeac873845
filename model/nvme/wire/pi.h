/* SPDX-License-Identifier: Apache-2.0
 * pi - protection information: what travels and is kept with a block, and who checks what of it.
 * Eight bytes, big-endian: a guard of the block's bytes, an application tag, a reference tag.
 * Source: NVM Command Set 1.0, 5.2 (base 1.4, 8.3); T10 SBC-4, 4.22; the names follow
 * include/linux/t10-pi.h and nvme.h of Linux 6.1.  Not modelled: 32 and 64 bit guards, storage
 * tags, metadata of more than eight bytes, or apart from its blocks.  Errors: none. */
#ifndef STORMGLASS_NVME_WIRE_PI_H
#define STORMGLASS_NVME_WIRE_PI_H

#include "nvme/wire/capsule.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    NVME_PI_BYTES = 8,
    NVME_PI_TYPE1 = 1, /* the reference tag is the LBA, */
    NVME_PI_TYPE2 = 2, /* or begins where the host says, */
    NVME_PI_TYPE3 = 3, /* or is not checked */
    NVME_PI_TYPES = 4,
    NVME_PI_UNCHECKED = 0xFFFF, /* an application tag whose block is not checked */
};

/* PRINFO in CDW12 of reads, writes, comparisons and Write Zeroes. */
#define NVME_PI_ACT       (UINT32_C(1) << 29) /* the controller inserts and strips */
#define NVME_PI_CHK_GUARD (UINT32_C(1) << 28)
#define NVME_PI_CHK_APP   (UINT32_C(1) << 27)
#define NVME_PI_CHK_REF   (UINT32_C(1) << 26)

/* Identify Namespace: DPC, DPS, FLBAS, MC. */
enum {
    NVME_DPC_TYPES = 7,
    NVME_DPC_FIRST = 1 << 3, /* in the first bytes of metadata */
    NVME_DPC_LAST = 1 << 4,
    NVME_DPS_TYPE = 7,
    NVME_FLBAS_EXTENDED = 1 << 4, /* metadata behind each block's data */
    NVME_MC_EXTENDED = 1,
};

struct nvme_pi {
    uint32_t reference;
    uint16_t guard, application;
};

/* CRC-16/T10-DIF: polynomial 8BB7h, from 0, nothing reflected; 0 of no bytes. */
uint16_t nvme_pi_guard(const unsigned char *bytes, size_t length);

void nvme_pi_encode(const struct nvme_pi *pi, unsigned char bytes[NVME_PI_BYTES]);
void nvme_pi_decode(struct nvme_pi *pi, const unsigned char bytes[NVME_PI_BYTES]);

/* The tag that the block `at` blocks behind the first is to have. */
static inline uint32_t nvme_pi_reference(const struct nvme_command *command, unsigned type,
                                         uint32_t at)
{
    return type == NVME_PI_TYPE3 ? command->cdw14 : command->cdw14 + at;
}

static inline uint16_t nvme_pi_application(const struct nvme_command *command)
{
    return (uint16_t)command->cdw15;
}

/* Bytes that travel behind each block that a command of this namespace moves. */
static inline uint32_t nvme_pi_travels(const struct nvme_command *command, unsigned type)
{
    return type == 0 || (command->cdw12 & NVME_PI_ACT) != 0 ? 0 : NVME_PI_BYTES;
}

/* NVME_STATUS_OK, or why the command is not one for namespaces of the type. */
uint16_t nvme_pi_judge_command(const struct nvme_command *command, unsigned type);

/* A block's tuple, as its command asks it to be checked: NVME_STATUS_OK or what is wrong.
 * guard: of the block's bytes as they are. */
uint16_t nvme_pi_check(const struct nvme_command *command, unsigned type, uint32_t at,
                       const struct nvme_pi *pi, uint16_t guard);

#endif
