/* SPDX-License-Identifier: Apache-2.0
 * content - converts a content tag to real bytes and back.
 * Each 512 bytes, little-endian: "sgls", the tag in 4 bytes, the offset from the beginning of the
 * data in 8 bytes, then a fixed pattern. A reader may see a part of what was written, so offsets
 * must only be consecutive within one tag. A sector of zeros was never written: tag 0, as in the
 * model.
 * Limitation: a last sector of less than 8 bytes has no tag and is not checked. */
#ifndef STORMGLASS_BRIDGE_BYTES_CONTENT_H
#define STORMGLASS_BRIDGE_BYTES_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTENT_SECTOR_BYTES = 512, CONTENT_HEADER_BYTES = 16 };

/* How much of the received data is checked. */
enum content_depth {
    CONTENT_FIRST, /* the first sector's tag */
    CONTENT_TAGS,  /* tag and offset of every sector */
    CONTENT_FULL   /* every byte */
};

void content_fill(unsigned char *bytes, uint32_t length, uint32_t tag);
/* The same for a part of the data, which begins `at` bytes from its beginning. */
void content_fill_part(unsigned char *bytes, uint32_t length, uint32_t tag, uint64_t at);

/* Tag of the data, or NVME_CONTENT_MIXED: several tags, or foreign bytes; then *sound is false. */
uint32_t content_read(const unsigned char *bytes, uint32_t length, enum content_depth depth,
                      bool *sound);

/* Data that arrives in parts, in order. All zero at first; a part at another place than the end of
 * the previous one begins anew. */
struct content_reader {
    uint64_t end;        /* of the previous part */
    uint64_t offset;     /* as written in the last sector that has one, */
    uint64_t place;      /* and the place of this sector */
    uint32_t tag;        /* of the last sector */
    bool known, written; /* there is a last sector; it has a tag */
};

/* As content_read. The rest of a sector that was split takes the tag of the previous part. */
uint32_t content_read_part(struct content_reader *reader, const unsigned char *bytes,
                           uint32_t length, uint64_t at, enum content_depth depth, bool *sound);

#endif
