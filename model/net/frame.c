/* SPDX-License-Identifier: Apache-2.0
 * frame - names, sizes and blobs. */
#include "net/frame.h"

enum { FRAMES_MAX = 1 << 25, SMALL_BLOBS_MAX = 1 << 24, LARGE_BLOBS_MAX = 1 << 18 };

/* One row for each opcode, by its value; opcodes that we do not send have no name. */
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
           opcode == FRAME_RC_READ_REQUEST;
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

uint32_t frame_blob_bytes(const struct frame *frame)
{
    if (frame->blob == POOL_NONE)
        return 0;
    switch (frame->opcode) {
    case FRAME_RC_SEND_FIRST:
    case FRAME_RC_SEND_MIDDLE:
    case FRAME_RC_SEND_LAST:
    case FRAME_RC_SEND_ONLY:
    case FRAME_RC_SEND_LAST_INV:
    case FRAME_RC_SEND_ONLY_INV:
    case FRAME_UD_SEND_ONLY:
        return frame->length;
    default:
        return frame->payload;
    }
}

void frame_pool_init(struct frame_pool *pool)
{
    pool_init(&pool->frames, "frames", sizeof(struct frame), FRAMES_MAX);
    pool_use_huge_pages(&pool->frames);
    pool_init(&pool->small, "capsules", FRAME_SMALL_BLOB, SMALL_BLOBS_MAX);
    pool_init(&pool->large, "data blobs", FRAME_LARGE_BLOB, LARGE_BLOBS_MAX);
}

void frame_pool_fini(struct frame_pool *pool)
{
    pool_fini(&pool->frames);
    pool_fini(&pool->small);
    pool_fini(&pool->large);
}

void frame_pool_clear(struct frame_pool *pool)
{
    pool_clear(&pool->frames);
    pool_clear(&pool->small);
    pool_clear(&pool->large);
}

unsigned char *frame_blob_take(struct frame_pool *pool, struct frame *frame, uint32_t bytes)
{
    CHECK(frame->blob == POOL_NONE && bytes > 0 && bytes <= FRAME_LARGE_BLOB);
    frame->blob = bytes <= FRAME_SMALL_BLOB ? pool_take(&pool->small)
                                            : pool_take(&pool->large) | FRAME_BLOB_LARGE;
    return frame_blob(pool, frame);
}

unsigned char *frame_blob(const struct frame_pool *pool, const struct frame *frame)
{
    CHECK(frame->blob != POOL_NONE);
    if ((frame->blob & FRAME_BLOB_LARGE) != 0)
        return pool_at(&pool->large, frame->blob & ~(uint32_t)FRAME_BLOB_LARGE);
    return pool_at(&pool->small, frame->blob);
}

void frame_blob_give(struct frame_pool *pool, uint32_t blob)
{
    if ((blob & FRAME_BLOB_LARGE) != 0)
        pool_give(&pool->large, blob & ~(uint32_t)FRAME_BLOB_LARGE);
    else
        pool_give(&pool->small, blob);
}
