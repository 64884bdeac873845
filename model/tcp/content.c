/* SPDX-License-Identifier: Apache-2.0
 * content - two rings: pieces, and the real bytes of the pieces that have some. */
#include "tcp/content.h"

#include "base/check.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PIECES = 4, FIRST_BYTES = 256 };

void content_init(struct content *content, uint64_t begin)
{
    *content = (struct content){.begin = begin, .end = begin};
}

void content_fini(struct content *content)
{
    free(content->pieces);
    free(content->bytes);
    content_init(content, 0);
}

static struct content_piece *piece_at(struct content *content, uint32_t index)
{
    return &content->pieces[(content->first + index) & (content->room - 1)];
}

static void grow_pieces(struct content *content)
{
    const uint32_t room = content->room == 0 ? FIRST_PIECES : 2 * content->room;
    struct content_piece *pieces = memory_zeroed(room, sizeof *pieces);
    for (uint32_t i = 0; i < content->count; i++)
        pieces[i] = *content_piece(content, i);
    free(content->pieces);
    content->pieces = pieces;
    content->first = 0;
    content->room = room;
}

static struct content_piece *last_piece(struct content *content)
{
    return content->count == 0 ? NULL : piece_at(content, content->count - 1);
}

static void add_piece(struct content *content, uint64_t length, uint32_t tag, bool real)
{
    if (content->count == content->room)
        grow_pieces(content);
    *piece_at(content, content->count++) = (struct content_piece){
        .start = content->end,
        .end = content->end + length,
        .at = content->byte_end,
        .tag = tag,
        .real = real,
    };
}

void content_add_bulk(struct content *content, uint64_t length, uint32_t tag)
{
    struct content_piece *last = last_piece(content);
    if (length == 0)
        return;
    if (last != NULL && !last->real && last->tag == tag)
        last->end += length;
    else
        add_piece(content, length, tag, false);
    content->end += length;
}

/* Copies into or out of the ring of bytes; `place` counts all real bytes. */
static void copy_in(struct content *content, uint64_t place, const unsigned char *bytes,
                    uint64_t length)
{
    const uint64_t at = place & (content->byte_room - 1);
    const uint64_t whole = content->byte_room - at;
    const size_t first = (size_t)(length < whole ? length : whole);
    memcpy(content->bytes + at, bytes, first);
    memcpy(content->bytes, bytes + first, (size_t)length - first);
}

static void copy_out(const struct content *content, uint64_t place, unsigned char *into,
                     uint64_t length)
{
    const uint64_t at = place & (content->byte_room - 1);
    const uint64_t whole = content->byte_room - at;
    const size_t first = (size_t)(length < whole ? length : whole);
    memcpy(into, content->bytes + at, first);
    memcpy(into + first, content->bytes, (size_t)length - first);
}

static void grow_bytes(struct content *content, uint64_t needed)
{
    const uint64_t used = content->byte_end - content->byte_begin;
    uint64_t room = content->byte_room == 0 ? FIRST_BYTES : content->byte_room;
    while (room < needed)
        room *= 2;
    unsigned char *bytes = memory_zeroed((size_t)room, 1);
    if (used > 0)
        copy_out(content, content->byte_begin, bytes, used);
    free(content->bytes);
    content->bytes = bytes;
    content->byte_room = room;
    for (uint32_t i = 0; i < content->count; i++)
        piece_at(content, i)->at -= content->byte_begin;
    content->byte_begin = 0;
    content->byte_end = used;
}

void content_add_real(struct content *content, const unsigned char *bytes, uint64_t length)
{
    struct content_piece *last = last_piece(content);
    if (length == 0)
        return;
    if (content->byte_end - content->byte_begin + length > content->byte_room)
        grow_bytes(content, content->byte_end - content->byte_begin + length);
    if (last != NULL && last->real)
        last->end += length;
    else
        add_piece(content, length, 0, true);
    copy_in(content, content->byte_end, bytes, length);
    content->byte_end += length;
    content->end += length;
}

void content_drop(struct content *content, uint64_t upto)
{
    CHECK(content->begin <= upto && upto <= content->end);
    while (content->count > 0) {
        struct content_piece *first = piece_at(content, 0);
        const uint64_t stop = first->end < upto ? first->end : upto;
        if (first->real) {
            content->byte_begin += stop - first->start;
            first->at += stop - first->start;
        }
        first->start = stop;
        if (stop < first->end)
            break;
        content->first = (content->first + 1) & (content->room - 1);
        content->count--;
    }
    content->begin = upto;
}

uint32_t content_find(const struct content *content, uint64_t offset)
{
    uint32_t low = 0, high = content->count;
    CHECK(content->begin <= offset && offset < content->end);
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (content_piece(content, middle)->start <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void content_copy(const struct content *content, const struct content_piece *piece, uint64_t from,
                  unsigned char *into, uint64_t length)
{
    CHECK(piece->real && piece->start <= from && from + length <= piece->end);
    if (length > 0)
        copy_out(content, piece->at + (from - piece->start), into, length);
}
