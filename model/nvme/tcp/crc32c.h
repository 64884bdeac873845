/* SPDX-License-Identifier: Apache-2.0
 * crc32c - the digest of NVMe/TCP headers and data.
 * Castagnoli polynomial 1EDC6F41h, reflected, initial value and final XOR of all ones.
 * Source: RFC 3720 12.1 and B.4; NVMe/TCP 1.0, 3.3.1.1. */
#ifndef STORMGLASS_NVME_TCP_CRC32C_H
#define STORMGLASS_NVME_TCP_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC; 0 begins one. */
uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t length);

#endif
