/* SPDX-License-Identifier: Apache-2.0
 * zip - uses of zlib. */
#include "replay/files/zip.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

enum { CHUNK = 65536, GZIP_WINDOW = 15 + 16 };

uint32_t zip_crc_start(void)
{
    return (uint32_t)crc32(0, Z_NULL, 0);
}

uint32_t zip_crc(uint32_t crc, const void *bytes, size_t count)
{
    return (uint32_t)crc32(crc, bytes, (uInt)count);
}

struct unpacking {
    FILE *in;
    z_stream stream;
    uint8_t chunk[CHUNK];
    char *out;
    size_t count, room, most;
};

static void make_room(struct unpacking *unpacking)
{
    if (unpacking->room - unpacking->count >= CHUNK)
        return;
    unpacking->room = 2 * unpacking->room + 2 * CHUNK;
    unpacking->out = memory_resized(unpacking->out, unpacking->room, 1);
}

/* Unpacks the bytes read so far; returns Z_BUF_ERROR if more are needed. */
static int unpack_chunk(struct unpacking *unpacking)
{
    z_stream *stream = &unpacking->stream;
    int state = Z_OK;
    while (stream->avail_in > 0 && unpacking->count <= unpacking->most) {
        make_room(unpacking);
        const size_t room = unpacking->room - unpacking->count;
        stream->next_out = (Bytef *)unpacking->out + unpacking->count;
        stream->avail_out = (uInt)(room < CHUNK ? room : CHUNK);
        const uInt before = stream->avail_out;
        state = inflate(stream, Z_NO_FLUSH);
        unpacking->count += before - stream->avail_out;
        if (state == Z_STREAM_END)
            state = inflateReset(stream); /* another gzip member may follow */
        if (state != Z_OK)
            return state;
    }
    return state;
}

/* Returns false if it is not a gzip stream from the first byte on. */
static bool unpack_all(struct unpacking *unpacking)
{
    size_t got;
    while (unpacking->count <= unpacking->most &&
           (got = fread(unpacking->chunk, 1, CHUNK, unpacking->in)) > 0) {
        unpacking->stream.next_in = unpacking->chunk;
        unpacking->stream.avail_in = (uInt)got;
        const int state = unpack_chunk(unpacking);
        if (state != Z_OK && state != Z_BUF_ERROR)
            return unpacking->count > 0;
    }
    return unpacking->count > 0;
}

char *zip_unpack(FILE *in, size_t most, size_t *count, char why[ZIP_WHY_BYTES])
{
    struct unpacking *unpacking = memory_zeroed(1, sizeof *unpacking);
    unpacking->in = in;
    unpacking->most = most;
    bool good = inflateInit2(&unpacking->stream, GZIP_WINDOW) == Z_OK && unpack_all(unpacking);
    if (!good)
        snprintf(why, ZIP_WHY_BYTES, "expected a gzip stream");
    if (good && unpacking->count > most) {
        snprintf(why, ZIP_WHY_BYTES, "unpacks to more than %zu MiB", most >> 20);
        good = false;
    }
    inflateEnd(&unpacking->stream);
    char *out = unpacking->out;
    *count = unpacking->count;
    free(unpacking);
    if (!good) {
        free(out);
        out = NULL;
    }
    return out;
}
