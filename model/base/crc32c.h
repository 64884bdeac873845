/* SPDX-License-Identifier: Apache-2.0
 * crc32c - the digest of headers and data in NVMe/TCP and iSCSI.
 * Castagnoli polynomial 1EDC6F41h, reflected, initial value and final XOR of all ones.
 * Source: RFC 7143 13.1, RFC 3720 B.4; NVMe/TCP 1.0, 3.3.1.1. */
#ifndef STORMGLASS_BASE_CRC32C_H
#define STORMGLASS_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC; 0 begins one. */
uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t length);

#endif
