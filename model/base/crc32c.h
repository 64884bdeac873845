/* SPDX-License-Identifier: Apache-2.0
 * crc32c - the digest of headers and data in NVMe/TCP and iSCSI, and the CRC of iWARP's FPDUs.
 * Castagnoli polynomial 1EDC6F41h, reflected, initial value and final XOR of all ones.
 * Source: RFC 7143 13.1, RFC 3720 B.4; RFC 5044 4.4; NVMe/TCP 1.0, 3.3.1.1. */
#ifndef STORMGLASS_BASE_CRC32C_H
#define STORMGLASS_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Continues a CRC; 0 begins one. */
uint32_t crc32c(uint32_t crc, const unsigned char *bytes, size_t length);

/* What `words` equal words of 4 bytes do to a CRC, whatever their value: powers of x modulo the
 * polynomial. */
struct crc32c_run {
    uint32_t words;
    uint32_t power; /* x^(32 * words) */
    uint32_t sum;   /* x^32 + x^64 + ... + power */
};

struct crc32c_run crc32c_run_of(uint32_t words);
/* Continues a CRC by a run of `word`, whose first byte is its most significant one. */
uint32_t crc32c_repeat(uint32_t crc, const struct crc32c_run *run, uint32_t word);

#endif
