/* SPDX-License-Identifier: Apache-2.0
 * pi - protection information: its format in a block, and its checks.
 * Eight bytes, big-endian: a guard over the block's bytes, an application tag, a reference tag.
 * Source: NVM Command Set 1.0, 5.2 (base 1.4, 8.3); T10 SBC-4, 4.22; the names follow
 * include/linux/t10-pi.h and nvme.h of Linux 6.1. Not modeled: 32 and 64 bit guards, storage tags,
 * metadata of more than eight bytes or separate from its blocks. Errors: none. */
#ifndef STORMGLASS_NVME_WIRE_PI_H
#define STORMGLASS_NVME_WIRE_PI_H

#include "nvme/wire/capsule.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    NVME_PI_BYTES = 8,
    NVME_PI_TYPE1 = 1, /* the reference tag is the LBA */
    NVME_PI_TYPE2 = 2, /* the reference tag counts up from the host's initial value */
    NVME_PI_TYPE3 = 3, /* the reference tag is not checked */
    NVME_PI_TYPES = 4,
    NVME_PI_UNCHECKED = 0xFFFF, /* application tag that disables the checks of a block */
};

/* PRINFO in CDW12 of reads, writes, comparisons and Write Zeroes. */
#define NVME_PI_ACT       (UINT32_C(1) << 29) /* the controller inserts and strips the tuple */
#define NVME_PI_CHK_GUARD (UINT32_C(1) << 28)
#define NVME_PI_CHK_APP   (UINT32_C(1) << 27)
#define NVME_PI_CHK_REF   (UINT32_C(1) << 26)

/* Identify Namespace: DPC, DPS, FLBAS, MC. */
enum {
    NVME_DPC_TYPES = 7,
    NVME_DPC_FIRST = 1 << 3, /* in the first bytes of metadata */
    NVME_DPC_LAST = 1 << 4,
    NVME_DPS_TYPE = 7,
    NVME_FLBAS_EXTENDED = 1 << 4, /* metadata follows each block's data */
    NVME_MC_EXTENDED = 1,
};

struct nvme_pi {
    uint32_t reference;
    uint16_t guard, application;
};

/* CRC-16/T10-DIF: polynomial 8BB7h, initial value 0, not reflected; 0 for no bytes. */
uint16_t nvme_pi_guard(const unsigned char *bytes, size_t length);

void nvme_pi_encode(const struct nvme_pi *pi, unsigned char bytes[NVME_PI_BYTES]);
void nvme_pi_decode(struct nvme_pi *pi, const unsigned char bytes[NVME_PI_BYTES]);

/* The expected reference tag of block `at` of the command, counted from 0. */
static inline uint32_t nvme_pi_reference(const struct nvme_command *command, unsigned type,
                                         uint32_t at)
{
    return type == NVME_PI_TYPE3 ? command->cdw14 : command->cdw14 + at;
}

static inline uint16_t nvme_pi_application(const struct nvme_command *command)
{
    return (uint16_t)command->cdw15;
}

/* Bytes of metadata transferred with each block by a command of this namespace. */
static inline uint32_t nvme_pi_travels(const struct nvme_command *command, unsigned type)
{
    return type == 0 || (command->cdw12 & NVME_PI_ACT) != 0 ? 0 : NVME_PI_BYTES;
}

/* NVME_STATUS_OK, or why the command is invalid for namespaces of this type. */
uint16_t nvme_pi_judge_command(const struct nvme_command *command, unsigned type);

/* Checks a block's tuple as the command requests: NVME_STATUS_OK or the failed check. guard:
 * computed over the block's present bytes. */
uint16_t nvme_pi_check(const struct nvme_command *command, unsigned type, uint32_t at,
                       const struct nvme_pi *pi, uint16_t guard);

#endif
