/* SPDX-License-Identifier: Apache-2.0
 * zip - what the program needs of zlib: a check sum, and what gzip packed.
 * The only place with zlib.h.
 * Owner: who calls frees.  Errors: a sentence. */
#ifndef STORMGLASS_REPLAY_FILES_ZIP_H
#define STORMGLASS_REPLAY_FILES_ZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { ZIP_WHY_BYTES = 200 };

/* CRC-32 of IEEE 802.3, continued; the first is continued from zip_crc_start. */
uint32_t zip_crc_start(void);
uint32_t zip_crc(uint32_t crc, const void *bytes, size_t count);

/* The first byte of what gzip writes. */
enum { ZIP_MAGIC = 0x1f };

/* Unpacks a gzip stream, its members one behind the other.  Where the stream is cut, what was
 * unpacked so far.  NULL and why: it is no gzip stream, or unpacks to more than `most` bytes. */
char *zip_unpack(FILE *in, size_t most, size_t *count, char why[ZIP_WHY_BYTES]);

#endif
