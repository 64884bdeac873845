/* SPDX-License-Identifier: Apache-2.0
 * content - a queue of stream data: pieces of tagged bulk data and of real bytes, by stream offset.
 * Send buffers, receive buffers.  Adjacent real bytes are one piece, and so is adjacent bulk data
 * with the same tag.
 * Owner: content_fini.  Memory grows with the most that was ever queued. */
#ifndef STORMGLASS_TCP_CONTENT_H
#define STORMGLASS_TCP_CONTENT_H

#include <stdbool.h>
#include <stdint.h>

struct content_piece {
    uint64_t start, end; /* stream offsets */
    uint64_t at;         /* real: place of its first byte among all real bytes */
    uint32_t tag;
    bool real;
};

struct content {
    struct content_piece *pieces; /* ring of `room`, a power of two */
    uint32_t first, count, room;
    uint64_t begin, end;  /* offsets of the queued data */
    unsigned char *bytes; /* ring of `byte_room`, a power of two */
    uint64_t byte_begin, byte_end;
    uint64_t byte_room;
};

void content_init(struct content *content, uint64_t begin);
void content_fini(struct content *content);

void content_add_bulk(struct content *content, uint64_t length, uint32_t tag);
void content_add_real(struct content *content, const unsigned char *bytes, uint64_t length);

/* Removes everything before the offset. */
void content_drop(struct content *content, uint64_t upto);

static inline const struct content_piece *content_piece(const struct content *content,
                                                        uint32_t index)
{
    return &content->pieces[(content->first + index) & (content->room - 1)];
}

/* Index of the piece that holds the byte at the offset, which is queued. */
uint32_t content_find(const struct content *content, uint64_t offset);

/* Copies real bytes [from, from + length) of a real piece. */
void content_copy(const struct content *content, const struct content_piece *piece, uint64_t from,
                  unsigned char *into, uint64_t length);

#endif
