/* SPDX-License-Identifier: Apache-2.0
 * mail - frames in flight from the nodes of one executor to those of another.
 * When the receiving node runs on another executor, the frame passes to that executor in place; its
 * event goes into a mailbox, to which its real bytes are copied. A mail has one writer and one
 * reader, who never use the same of its two boxes at a time: each executor switches its `side` at
 * the begin of a window, so within a window all write the boxes of that side and read those of the
 * other. The event keeps its time and order key, so the result is independent of its path.
 * Mostly each frame is answered by another. Otherwise the receiver returns free frames, so that no
 * executor runs out of them.
 * Owner: the world, one mail for each ordered pair of executors. */
#ifndef STORMGLASS_NET_FRAME_MAIL_H
#define STORMGLASS_NET_FRAME_MAIL_H

#include "engine/engine.h"
#include "net/frame/frame.h"

#include <stdalign.h>

struct mail_box {
    /* The argument is the frame handle and, above its 32 bits, the position of its real bytes,
     * counted from 1. The frame encodes their number. */
    alignas(128) struct event *events;
    uint32_t count, room;
    unsigned char *bytes;
    size_t byte_count, byte_room;
    time_ps earliest; /* time of the earliest of the events; TIME_NEVER: none */
    uint32_t *frames; /* handles of free frames */
    uint32_t frame_count, frame_room;
};

struct mail {
    struct mail_box boxes[2];
    const uint32_t *side; /* the box being written; points to the sender's side */
    int64_t owed;         /* at the sender: frames received minus frames sent */
};

void mail_init(struct mail *mail, const uint32_t *side);
void mail_fini(struct mail *mail);

/* Sends the event and the frame in its argument. */
void mail_send(struct mail *mail, struct frame_pool *from, const struct event *event);

/* Called by the receiver after switching its side: takes out everything sent before. `back` is its
 * mail to the sender. */
void mail_receive(struct mail *mail, struct mail *back, struct frame_pool *to,
                  struct engine *engine);

/* Between windows: time of the earliest event sent since the sides were switched; TIME_NEVER:
 * none. */
time_ps mail_earliest(const struct mail *mail);

#endif
