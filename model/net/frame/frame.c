/* SPDX-License-Identifier: Apache-2.0
 * frame - opcode names, sizes and blobs. */
#include "net/frame/frame.h"

#include "base/memory.h"

enum { FRAMES_MAX = 1 << 25 };

static const struct {
    const char *name;
    uint32_t bytes, most;
} sizes[FRAME_BLOB_SIZES] = {
    [FRAME_BLOB_SMALL] = {"capsules", 64, 1 << 24},
    [FRAME_BLOB_MEDIUM] = {"MADs", WIRE_MAD_BYTES, 1 << 22},
    [FRAME_BLOB_LARGE] = {"data blobs", FRAME_BLOB_MAX, 1 << 18},
};

/* One row per opcode, indexed by its value; opcodes that the model does not send have no name. */
static const struct {
    const char *name;
    uint8_t extension;
} opcodes[256] = {
#define X(name, value, extension) [value] = {#name, extension},
    FRAME_OPCODES(X)
#undef X
};

unsigned frame_extension_bytes(uint8_t opcode)
{
    return opcodes[opcode].extension;
}

const char *frame_opcode_name(uint8_t opcode)
{
    return opcodes[opcode].name != NULL ? opcodes[opcode].name : "reserved";
}

bool frame_has_reth(uint8_t opcode)
{
    return opcode == FRAME_RC_WRITE_FIRST || opcode == FRAME_RC_WRITE_ONLY ||
           opcode == FRAME_RC_WRITE_ONLY_IMM || opcode == FRAME_RC_READ_REQUEST;
}

bool frame_has_aeth(uint8_t opcode)
{
    return opcode == FRAME_RC_READ_RESPONSE_FIRST || opcode == FRAME_RC_READ_RESPONSE_LAST ||
           opcode == FRAME_RC_READ_RESPONSE_ONLY || opcode == FRAME_RC_ACKNOWLEDGE;
}

bool frame_has_ieth(uint8_t opcode)
{
    return opcode == FRAME_RC_SEND_LAST_INV || opcode == FRAME_RC_SEND_ONLY_INV;
}

bool frame_has_immediate(uint8_t opcode)
{
    return opcode == FRAME_RC_SEND_LAST_IMM || opcode == FRAME_RC_SEND_ONLY_IMM ||
           opcode == FRAME_RC_WRITE_LAST_IMM || opcode == FRAME_RC_WRITE_ONLY_IMM;
}

uint32_t frame_blob_bytes(const struct frame *frame)
{
    if (frame->blob == POOL_NONE)
        return 0;
    switch (frame->opcode) {
    case FRAME_RC_SEND_FIRST:
    case FRAME_RC_SEND_MIDDLE:
    case FRAME_RC_SEND_LAST:
    case FRAME_RC_SEND_ONLY:
    case FRAME_RC_SEND_LAST_IMM:
    case FRAME_RC_SEND_ONLY_IMM:
    case FRAME_RC_SEND_LAST_INV:
    case FRAME_RC_SEND_ONLY_INV:
    case FRAME_UD_SEND_ONLY:
        return frame->length;
    case FRAME_TCP:
        return frame->blob_bytes;
    default:
        return frame->payload;
    }
}

void frame_pool_init(struct frame_pool *pool)
{
    frame_pool_init_several(&pool, 1);
}

void frame_pool_init_several(struct frame_pool *const *pools, uint32_t count)
{
    struct pool *first = &pools[0]->frames;
    pool_init_parts(first, "frames", sizeof(struct frame), FRAMES_MAX, count);
    for (uint32_t n = 0; n < count; n++) {
        if (n > 0)
            pool_init_part(&pools[n]->frames, first, n);
        pool_use_huge_pages(&pools[n]->frames);
        pools[n]->telemetry = NULL;
        for (int i = 0; i < FRAME_BLOB_SIZES; i++)
            pool_init(&pools[n]->blobs[i], sizes[i].name, sizes[i].bytes, sizes[i].most);
    }
}

void frame_pool_use_telemetry(struct frame_pool *const *pools, uint32_t count)
{
    const size_t bytes = (size_t)pools[0]->frames.most * sizeof(struct telemetry);
    struct telemetry *telemetry = memory_range(bytes);
    if (telemetry == NULL)
        memory_out(bytes, "telemetry of frames");
    for (uint32_t n = 0; n < count; n++) {
        pool_stay(&pools[n]->frames);
        pools[n]->telemetry = telemetry;
    }
}

void frame_pool_fini(struct frame_pool *pool)
{
    if (pool->telemetry != NULL && pool->frames.parts > 0)
        memory_range_free(pool->telemetry, (size_t)pool->frames.most * sizeof(struct telemetry));
    pool->telemetry = NULL;
    pool_fini(&pool->frames);
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        pool_fini(&pool->blobs[i]);
}

void frame_pool_clear(struct frame_pool *pool)
{
    pool_clear(&pool->frames);
    for (int i = 0; i < FRAME_BLOB_SIZES; i++)
        pool_clear(&pool->blobs[i]);
}

unsigned char *frame_blob_take(struct frame_pool *pool, struct frame *frame, uint32_t bytes)
{
    CHECK(frame->blob == POOL_NONE && bytes > 0 && bytes <= FRAME_BLOB_MAX);
    uint32_t size = FRAME_BLOB_SMALL;
    while (bytes > sizes[size].bytes)
        size++;
    frame->blob = size << FRAME_BLOB_SHIFT | pool_take(&pool->blobs[size]);
    return frame_blob(pool, frame);
}

static uint32_t index_of(uint32_t blob)
{
    return blob & ((1u << FRAME_BLOB_SHIFT) - 1);
}

unsigned char *frame_blob(const struct frame_pool *pool, const struct frame *frame)
{
    CHECK(frame->blob != POOL_NONE);
    return pool_at(&pool->blobs[frame->blob >> FRAME_BLOB_SHIFT], index_of(frame->blob));
}

uint32_t frame_blob_kept(const struct frame *frame)
{
    CHECK(frame->blob != POOL_NONE);
    const uint32_t bytes = frame_blob_bytes(frame),
                   room = sizes[frame->blob >> FRAME_BLOB_SHIFT].bytes;
    return bytes < room ? bytes : room;
}

void frame_blob_give(struct frame_pool *pool, uint32_t blob)
{
    pool_give(&pool->blobs[blob >> FRAME_BLOB_SHIFT], index_of(blob));
}
