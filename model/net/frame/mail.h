/* SPDX-License-Identifier: Apache-2.0
 * mail - frames on their way from the nodes of one executor to those of another.
 * A frame whose receiver is run by another executor becomes that one's, where it lies; its event
 * goes into a box, and its real bytes are copied there.  One writes and one reads a mail, and never
 * the same of its two boxes: each executor changes its `side` where it begins a window, so in a
 * window all have the same and write the box of that side, and read the other before.  The event
 * keeps its time and its place in the order, so nobody can tell which way it came.
 *
 * Frames are mostly answered by as many.  Where they are not the receiver sends others back that
 * are free, so that nobody runs out of them.
 * Owner: the world, one mail for each ordered pair of executors. */
#ifndef STORMGLASS_NET_FRAME_MAIL_H
#define STORMGLASS_NET_FRAME_MAIL_H

#include "engine/engine.h"
#include "net/frame/frame.h"

#include <stdalign.h>

struct mail_box {
    /* The argument is the frame and, above its 32 bits, where its real bytes are, counted from 1;
     * how many, the frame knows. */
    alignas(128) struct event *events;
    uint32_t count, room;
    unsigned char *bytes;
    size_t byte_count, byte_room;
    time_ps earliest; /* of the events; TIME_NEVER: none */
    uint32_t *frames; /* free ones */
    uint32_t frame_count, frame_room;
};

struct mail {
    struct mail_box boxes[2];
    const uint32_t *side; /* of the boxes, that is written: the sender's */
    int64_t owed;         /* by the sender: frames more than it has sent that it was sent */
};

void mail_init(struct mail *mail, const uint32_t *side);
void mail_fini(struct mail *mail);

/* Puts in the event and the frame that is its argument. */
void mail_send(struct mail *mail, struct frame_pool *from, const struct event *event);

/* By the receiver, who has changed its side: takes out all that was sent before.  `back` is its
 * mail to the sender. */
void mail_receive(struct mail *mail, struct mail *back, struct frame_pool *to,
                  struct engine *engine);

/* Between windows: the earliest event that was sent since the sides changed; TIME_NEVER: none. */
time_ps mail_earliest(const struct mail *mail);

#endif
