/* SPDX-License-Identifier: Apache-2.0
 * pi - the guard, the tuple, the checks. */
#include "nvme/wire/pi.h"

#include "base/big_endian.h"

enum { POLYNOMIAL = 0x8BB7 };

uint16_t nvme_pi_guard(const unsigned char *bytes, size_t length)
{
    unsigned crc = 0;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned)bytes[i] << 8;
        for (unsigned bit = 0; bit < 8; bit++)
            crc = (crc & 0x8000) != 0 ? crc << 1 ^ POLYNOMIAL : crc << 1;
        crc &= 0xFFFF;
    }
    return (uint16_t)crc;
}

void nvme_pi_encode(const struct nvme_pi *pi, unsigned char bytes[NVME_PI_BYTES])
{
    big_put(bytes, 2, pi->guard);
    big_put(bytes + 2, 2, pi->application);
    big_put(bytes + 4, 4, pi->reference);
}

void nvme_pi_decode(struct nvme_pi *pi, const unsigned char bytes[NVME_PI_BYTES])
{
    pi->guard = big_get16(bytes);
    pi->application = big_get16(bytes + 2);
    pi->reference = big_get32(bytes + 4);
}

/* 5.2.2.3: with type 1 the initial reference tag must be the LBA; with type 3 there is nothing to
 * check. */
uint16_t nvme_pi_judge_command(const struct nvme_command *command, unsigned type)
{
    const bool refers = (command->cdw12 & NVME_PI_CHK_REF) != 0;
    const bool made = (command->cdw12 & NVME_PI_ACT) != 0;
    const bool other = command->cdw14 != (uint32_t)nvme_capsule_lba(command);
    const bool wrong = type == NVME_PI_TYPE3   ? refers
                       : type == NVME_PI_TYPE1 ? other && (refers || made)
                                               : false;
    return wrong ? NVME_STATUS_INVALID_PROTECTION | NVME_STATUS_DNR : NVME_STATUS_OK;
}

/* 5.2.2.3: this application tag, with type 3 both tags all ones, disables the checks. */
static bool is_unchecked(unsigned type, const struct nvme_pi *pi)
{
    return pi->application == NVME_PI_UNCHECKED &&
           (type != NVME_PI_TYPE3 || pi->reference == UINT32_MAX);
}

uint16_t nvme_pi_check(const struct nvme_command *command, unsigned type, uint32_t at,
                       const struct nvme_pi *pi, uint16_t guard)
{
    const uint32_t mask = command->cdw15 >> 16;
    if (is_unchecked(type, pi))
        return NVME_STATUS_OK;
    if ((command->cdw12 & NVME_PI_CHK_GUARD) != 0 && pi->guard != guard)
        return NVME_STATUS_GUARD_CHECK;
    if ((command->cdw12 & NVME_PI_CHK_APP) != 0 &&
        (pi->application & mask) != (nvme_pi_application(command) & mask))
        return NVME_STATUS_APPLICATION_CHECK;
    if ((command->cdw12 & NVME_PI_CHK_REF) != 0 && type != NVME_PI_TYPE3 &&
        pi->reference != nvme_pi_reference(command, type, at))
        return NVME_STATUS_REFERENCE_CHECK;
    return NVME_STATUS_OK;
}
