/* SPDX-License-Identifier: Apache-2.0
 * zip - checksums and gzip decompression.
 * The only file that includes zlib.h.
 * Owner: the caller frees results. Errors: a message. */
#ifndef STORMGLASS_REPLAY_FILES_ZIP_H
#define STORMGLASS_REPLAY_FILES_ZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ZIP_WHY_BYTES = 200 };

/* CRC-32 of IEEE 802.3, computed incrementally from zip_crc_start. */
uint32_t zip_crc_start(void);
uint32_t zip_crc(uint32_t crc, const void *bytes, size_t count);

/* First byte of a gzip stream. */
enum { ZIP_MAGIC = 0x1f };

/* Unpacks a gzip stream with all its members. A truncated stream returns what could be unpacked.
 * Returns NULL and `why` if it is not a gzip stream or unpacks to more than `most` bytes. */
char *zip_unpack(FILE *in, size_t most, size_t *count, char why[ZIP_WHY_BYTES]);

#endif
