/* SPDX-License-Identifier: Apache-2.0
 * mail - filling and emptying a mailbox. */
#include "net/frame/mail.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void mail_init(struct mail *mail, const uint32_t *side)
{
    *mail = (struct mail){.side = side};
    mail->boxes[0].earliest = mail->boxes[1].earliest = TIME_NEVER;
}

void mail_fini(struct mail *mail)
{
    for (int i = 0; i < 2; i++) {
        free(mail->boxes[i].events);
        free(mail->boxes[i].bytes);
        free(mail->boxes[i].frames);
    }
    *mail = (struct mail){0};
}

/* Stores the bytes and returns their position, counted from 1. */
static uint64_t add_bytes(struct mail_box *box, const unsigned char *bytes, uint32_t count)
{
    const size_t at = box->byte_count;
    while (at + count > box->byte_room) {
        box->byte_room = box->byte_room == 0 ? FRAME_BLOB_MAX : 2 * box->byte_room;
        box->bytes = memory_resized(box->bytes, box->byte_room, 1);
    }
    memcpy(box->bytes + at, bytes, count);
    box->byte_count += count;
    CHECK(at < UINT32_MAX);
    return at + 1;
}

/* The blob's handle stays in the frame because it encodes the size. */
static NOINLINE uint64_t move_blob(struct mail_box *box, struct frame_pool *from,
                                   const struct frame *frame)
{
    const uint64_t at = add_bytes(box, frame_blob(from, frame), frame_blob_kept(frame));
    frame_blob_give(from, frame->blob);
    return at;
}

void mail_send(struct mail *mail, struct frame_pool *from, const struct event *event)
{
    struct mail_box *box = &mail->boxes[*mail->side];
    const struct frame *frame = frame_at(from, (uint32_t)event->argument);
    box->events = memory_grown(box->events, box->count, &box->room, sizeof *box->events);
    struct event *sent = &box->events[box->count++];
    *sent = *event;
    if (UNLIKELY(frame->blob != POOL_NONE))
        sent->argument |= move_blob(box, from, frame) << 32;
    if (event->at < box->earliest)
        box->earliest = event->at;
    pool_part_with(&from->frames, 1);
    mail->owed--;
}

static NOINLINE void take_bytes(const struct mail_box *box, struct event *event,
                                struct frame_pool *to)
{
    struct frame *frame = frame_at(to, (uint32_t)event->argument);
    const uint32_t count = frame_blob_kept(frame);
    frame->blob = POOL_NONE;
    memcpy(frame_blob_take(to, frame, count), box->bytes + (event->argument >> 32) - 1, count);
    event->argument = (uint32_t)event->argument;
}

/* Returns as many free frames as were received in excess of those sent. */
static void return_free_frames(struct mail *back, struct frame_pool *from)
{
    struct mail_box *box = &back->boxes[*back->side];
    for (; back->owed > 0; back->owed--) {
        box->frames =
            memory_grown(box->frames, box->frame_count, &box->frame_room, sizeof *box->frames);
        box->frames[box->frame_count++] = pool_take(&from->frames);
        pool_part_with(&from->frames, 1);
    }
}

void mail_receive(struct mail *mail, struct mail *back, struct frame_pool *to,
                  struct engine *engine)
{
    struct mail_box *box = &mail->boxes[*back->side ^ 1];
    const uint32_t count = box->count, frames = box->frame_count;
    pool_receive(&to->frames, count + frames);
    for (uint32_t i = 0; i < count; i++) {
        struct event *event = &box->events[i];
        if (UNLIKELY(event->argument >> 32 != 0))
            take_bytes(box, event, to);
        engine_insert(engine, event);
    }
    for (uint32_t i = 0; i < frames; i++)
        pool_give(&to->frames, box->frames[i]);
    box->count = box->frame_count = 0;
    box->byte_count = 0;
    box->earliest = TIME_NEVER;
    back->owed += count + frames;
    return_free_frames(back, to);
}

time_ps mail_earliest(const struct mail *mail)
{
    return mail->boxes[*mail->side].earliest;
}
