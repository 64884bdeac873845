/* SPDX-License-Identifier: Apache-2.0
 * conduct - the same commands for targets of each identity, and what each is to answer. */
#ifndef STORMGLASS_TESTS_CONDUCT_H
#define STORMGLASS_TESTS_CONDUCT_H

#include "tests/unit/nvme/raw_host.h"

enum {
    DNR = NVME_STATUS_DNR,
    MORE = NVME_STATUS_MORE,
    HELD = NVME_STATUS_TRANSPORT, /* no response comes */
    OWN = NVME_TARGET_IS_OWN,
    NVMET = NVME_TARGET_IS_NVMET,
    SPDK = NVME_TARGET_IS_SPDK,
    IDENTITIES = 3,
    ENABLE = NVME_CC_IOSQES | NVME_CC_IOCQES | NVME_CC_ENABLE,
};

extern struct raw_host raw;

/* A command, and the answers by identity. */
struct row {
    const char *what;
    uint8_t opcode;
    uint32_t nsid, length, cdw10, cdw11, cdw12;
    uint16_t status[IDENTITIES];
    uint64_t result[IDENTITIES];
};

void conduct_start(int identity);
uint16_t conduct_property(unsigned queue, enum nvme_fctype type, uint32_t offset, bool wide,
                          uint32_t value);
uint64_t conduct_property_value(uint32_t offset, bool wide); /* by the admin queue */
void conduct_check(unsigned queue, const struct row *row, int identity);
/* Of each identity a target that is enabled, with one I/O queue. */
void conduct_check_all(unsigned queue, const struct row *rows, unsigned count);

#define CHECK_ALL(queue, rows) conduct_check_all(queue, rows, sizeof(rows) / sizeof(rows)[0])

/* NUMD of so many bytes, in CDW10. */
static inline uint32_t numd(uint32_t bytes)
{
    return (bytes / 4 - 1) << 16;
}

#endif
