/* SPDX-License-Identifier: Apache-2.0
 * content - sectors with a header. */
#include "bridge/bytes/content.h"

#include "nvme/wire/spec.h"

#include <endian.h>
#include <string.h>

enum { TAG_AT = 4, OFFSET_AT = 8, TAG_END = 8 };

static const unsigned char magic[4] = {'s', 'g', 'l', 's'};

static void make_sector(unsigned char sector[CONTENT_SECTOR_BYTES])
{
    memcpy(sector, magic, sizeof magic);
    for (unsigned i = CONTENT_HEADER_BYTES; i < CONTENT_SECTOR_BYTES; i++)
        sector[i] = (unsigned char)(i * 167 + 13);
}

static void put_header(unsigned char *sector, uint32_t tag, uint64_t offset)
{
    const uint32_t tag_le = htole32(tag);
    const uint64_t offset_le = htole64(offset);
    memcpy(sector + TAG_AT, &tag_le, sizeof tag_le);
    memcpy(sector + OFFSET_AT, &offset_le, sizeof offset_le);
}

void content_fill(unsigned char *bytes, uint32_t length, uint32_t tag)
{
    unsigned char sector[CONTENT_SECTOR_BYTES];
    make_sector(sector);
    for (uint32_t at = 0; at < length; at += CONTENT_SECTOR_BYTES) {
        const uint32_t left = length - at;
        put_header(sector, tag, at);
        memcpy(bytes + at, sector, left < CONTENT_SECTOR_BYTES ? left : CONTENT_SECTOR_BYTES);
    }
}

/* Information in one sector. */
struct reading {
    uint32_t tag;
    uint64_t offset;
    bool sound, written, whole; /* whole: it has an offset */
};

static bool all_zero(const unsigned char *bytes, uint32_t length)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

static struct reading read_sector(const unsigned char *bytes, uint32_t length,
                                  enum content_depth depth, const unsigned char *pattern)
{
    struct reading reading = {.whole = length >= CONTENT_HEADER_BYTES};
    const uint32_t header = reading.whole ? CONTENT_HEADER_BYTES : TAG_END;
    reading.written = memcmp(bytes, magic, sizeof magic) == 0;
    if (!reading.written) {
        reading.sound = all_zero(bytes, depth == CONTENT_FULL ? length : header);
        return reading;
    }
    uint32_t tag;
    memcpy(&tag, bytes + TAG_AT, sizeof tag);
    reading.tag = le32toh(tag);
    if (reading.whole) {
        memcpy(&reading.offset, bytes + OFFSET_AT, sizeof reading.offset);
        reading.offset = le64toh(reading.offset);
    }
    reading.sound = depth != CONTENT_FULL || !reading.whole ||
                    memcmp(bytes + CONTENT_HEADER_BYTES, pattern + CONTENT_HEADER_BYTES,
                           length - CONTENT_HEADER_BYTES) == 0;
    return reading;
}

/* True if the sector continues the previous one. Offsets restart with each command of an I/O. */
static bool follows(const struct reading *last, const struct reading *next)
{
    return !last->written || !next->written || !next->whole || last->tag != next->tag ||
           next->offset == 0 || next->offset == last->offset + CONTENT_SECTOR_BYTES;
}

uint32_t content_read(const unsigned char *bytes, uint32_t length, enum content_depth depth,
                      bool *sound)
{
    unsigned char pattern[CONTENT_SECTOR_BYTES];
    struct reading last = {0};
    bool mixed = false;
    *sound = true;
    make_sector(pattern);
    for (uint32_t at = 0; at < length && length - at >= TAG_END; at += CONTENT_SECTOR_BYTES) {
        const uint32_t left = length - at;
        const uint32_t size = left < CONTENT_SECTOR_BYTES ? left : CONTENT_SECTOR_BYTES;
        const struct reading next = read_sector(bytes + at, size, depth, pattern);
        if (!next.sound || (at > 0 && !follows(&last, &next)))
            *sound = false;
        mixed |= at > 0 && next.tag != last.tag;
        last = next;
        if (depth == CONTENT_FIRST)
            break;
    }
    return mixed || !*sound ? NVME_CONTENT_MIXED : last.tag;
}
