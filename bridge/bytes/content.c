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

void content_fill_part(unsigned char *bytes, uint32_t length, uint32_t tag, uint64_t at)
{
    unsigned char sector[CONTENT_SECTOR_BYTES];
    make_sector(sector);
    for (uint32_t done = 0; done < length;) {
        const uint32_t into = (uint32_t)((at + done) % CONTENT_SECTOR_BYTES);
        const uint32_t left = length - done, rest = CONTENT_SECTOR_BYTES - into;
        const uint32_t size = left < rest ? left : rest;
        put_header(sector, tag, at + done - into);
        memcpy(bytes + done, sector + into, size);
        done += size;
    }
}

void content_fill(unsigned char *bytes, uint32_t length, uint32_t tag)
{
    content_fill_part(bytes, length, tag, 0);
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

/* True if the sector at `place` continues the previous one. Offsets restart with each command of an
 * I/O. */
static bool follows(const struct content_reader *last, const struct reading *next, uint64_t place)
{
    return !last->known || !last->written || !next->written || !next->whole ||
           last->tag != next->tag || next->offset == 0 ||
           next->offset == last->offset + (place - last->place);
}

static void note_sector(struct content_reader *reader, const struct reading *next, uint64_t place)
{
    reader->known = true;
    reader->written = next->written;
    reader->tag = next->tag;
    if (!next->whole)
        return;
    reader->offset = next->offset;
    reader->place = place;
}

/* Length of what the part has of a sector that began in the previous part. */
static uint32_t length_of_rest(uint64_t at, uint32_t length)
{
    const uint32_t into = (uint32_t)(at % CONTENT_SECTOR_BYTES);
    const uint32_t rest = CONTENT_SECTOR_BYTES - into;
    return into == 0 ? 0 : length < rest ? length : rest;
}

static bool rest_is_sound(const struct content_reader *reader, const unsigned char *bytes,
                          uint32_t length, uint64_t at, const unsigned char *pattern)
{
    const uint32_t into = (uint32_t)(at % CONTENT_SECTOR_BYTES);
    if (length == 0 || into < CONTENT_HEADER_BYTES || !reader->known)
        return true;
    return reader->written ? memcmp(bytes, pattern + into, length) == 0 : all_zero(bytes, length);
}

uint32_t content_read_part(struct content_reader *reader, const unsigned char *bytes,
                           uint32_t length, uint64_t at, enum content_depth depth, bool *sound)
{
    unsigned char pattern[CONTENT_SECTOR_BYTES];
    const uint32_t rest = length_of_rest(at, length);
    if (reader->end != at)
        *reader = (struct content_reader){0};
    make_sector(pattern);
    *sound = depth != CONTENT_FULL || rest_is_sound(reader, bytes, rest, at, pattern);
    bool mixed = rest > 0 && !reader->known;
    for (uint32_t done = rest; done < length && length - done >= TAG_END;
         done += CONTENT_SECTOR_BYTES) {
        const uint32_t left = length - done;
        const uint32_t size = left < CONTENT_SECTOR_BYTES ? left : CONTENT_SECTOR_BYTES;
        const struct reading next = read_sector(bytes + done, size, depth, pattern);
        if (!next.sound || !follows(reader, &next, at + done))
            *sound = false;
        mixed |= done > 0 && next.tag != reader->tag;
        note_sector(reader, &next, at + done);
        if (depth == CONTENT_FIRST)
            break;
    }
    reader->end = at + length;
    return mixed || !*sound ? NVME_CONTENT_MIXED : reader->tag;
}

uint32_t content_read(const unsigned char *bytes, uint32_t length, enum content_depth depth,
                      bool *sound)
{
    struct content_reader reader = {0};
    return content_read_part(&reader, bytes, length, 0, depth, sound);
}
