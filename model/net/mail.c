/* SPDX-License-Identifier: Apache-2.0
 * mail - into the box, and out of it. */
#include "net/mail.h"

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
        free(mail->boxes[i].items);
        free(mail->boxes[i].bytes);
    }
    *mail = (struct mail){0};
}

static void add_bytes(struct mail_box *box, const unsigned char *bytes, uint32_t count)
{
    while (box->byte_count + count > box->byte_room) {
        box->byte_room = box->byte_room == 0 ? FRAME_BLOB_MAX : 2 * box->byte_room;
        box->bytes = realloc(box->bytes, box->byte_room);
        CHECK(box->bytes != NULL);
    }
    memcpy(box->bytes + box->byte_count, bytes, count);
    box->byte_count += count;
}

void mail_send(struct mail *mail, struct frame_pool *from, const struct event *event)
{
    struct mail_box *box = &mail->boxes[*mail->side];
    const uint32_t handle = (uint32_t)event->argument;
    const struct frame *frame = frame_at(from, handle);
    box->items = memory_grown(box->items, box->count, &box->room, sizeof *box->items);
    box->items[box->count++] =
        (struct mail_item){.event = *event, .frame = *frame, .bytes = box->byte_count};
    if (frame->blob != POOL_NONE)
        add_bytes(box, frame_blob(from, frame), frame_blob_kept(frame));
    if (event->at < box->earliest)
        box->earliest = event->at;
    frame_give(from, handle);
}

static void take_out(const struct mail_box *box, const struct mail_item *item,
                     struct frame_pool *to, struct engine *engine)
{
    const uint32_t handle = frame_take(to);
    struct frame *frame = frame_at(to, handle);
    struct event event = item->event;
    *frame = item->frame;
    if (frame->blob != POOL_NONE) {
        const uint32_t bytes = frame_blob_kept(frame);
        frame->blob = POOL_NONE;
        memcpy(frame_blob_take(to, frame, bytes), box->bytes + item->bytes, bytes);
    }
    event.argument = handle;
    engine_insert(engine, &event);
}

void mail_receive(struct mail *mail, uint32_t side, struct frame_pool *to, struct engine *engine)
{
    struct mail_box *box = &mail->boxes[side ^ 1];
    for (uint32_t i = 0; i < box->count; i++)
        take_out(box, &box->items[i], to, engine);
    box->count = 0;
    box->byte_count = 0;
    box->earliest = TIME_NEVER;
}

time_ps mail_earliest(const struct mail *mail)
{
    return mail->boxes[*mail->side].earliest;
}
