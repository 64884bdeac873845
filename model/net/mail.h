/* SPDX-License-Identifier: Apache-2.0
 * mail - frames on their way from the nodes of one executor to those of another.
 * Each executor has frames of its own.  A frame whose receiver is run by another executor is copied
 * into a box, real bytes and all, and its event with it; the receiver's executor takes a frame of
 * its own for it before its next window.  One writes and one reads a mail, and never the same of
 * its two boxes: each executor changes its `side` where it begins a window, so in a window all have
 * the same and write the box of that side, and read the other before.  The event keeps its time and
 * its place in the order, so nobody can tell which way it came.
 * Owner: the world, one mail for each ordered pair of executors. */
#ifndef STORMGLASS_NET_MAIL_H
#define STORMGLASS_NET_MAIL_H

#include "engine/engine.h"
#include "net/frame.h"

#include <stdalign.h>

struct mail_item {
    struct event event; /* its argument is to be the frame */
    struct frame frame;
    size_t bytes; /* where its real bytes are in the box; how many, the frame knows */
};

struct mail_box {
    alignas(128) struct mail_item *items;
    uint32_t count, room;
    unsigned char *bytes;
    size_t byte_count, byte_room;
    time_ps earliest; /* of the events; TIME_NEVER: none */
};

struct mail {
    struct mail_box boxes[2];
    const uint32_t *side; /* of the boxes, that is written: the sender's */
};

void mail_init(struct mail *mail, const uint32_t *side);
void mail_fini(struct mail *mail);

/* Puts in the event and the frame that is its argument; the frame goes back to its pool. */
void mail_send(struct mail *mail, struct frame_pool *from, const struct event *event);

/* By the receiver, whose side that is: takes out all that was sent on the other. */
void mail_receive(struct mail *mail, uint32_t side, struct frame_pool *to, struct engine *engine);

/* Between windows: the earliest event that was sent since the sides changed; TIME_NEVER: none. */
time_ps mail_earliest(const struct mail *mail);

#endif
