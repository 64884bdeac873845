/* SPDX-License-Identifier: Apache-2.0
 * content - a content tag as real bytes, and back.
 * Each 512 bytes, little-endian: "sgls", the tag in 4 bytes, the offset from the begin of what was
 * sent in 8 bytes, then a fixed pattern.  A reader may see a part of what was written, so offsets
 * must only follow one another within one tag.  A sector of zeros is one that was never written:
 * tag 0, as in the model.
 * Left out: the last sector of less than 8 bytes carries no tag and is not looked at. */
#ifndef STORMGLASS_BRIDGE_BYTES_CONTENT_H
#define STORMGLASS_BRIDGE_BYTES_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

enum { CONTENT_SECTOR_BYTES = 512, CONTENT_HEADER_BYTES = 16 };

/* How much of what arrives is looked at. */
enum content_depth {
    CONTENT_FIRST, /* the first sector's tag */
    CONTENT_TAGS,  /* tag and offset of every sector */
    CONTENT_FULL   /* every byte */
};

void content_fill(unsigned char *bytes, uint32_t length, uint32_t tag);

/* The tag of all of it, or NVME_CONTENT_MIXED: several tags, or bytes that nobody of ours wrote;
 * then *sound is false. */
uint32_t content_read(const unsigned char *bytes, uint32_t length, enum content_depth depth,
                      bool *sound);

#endif
