/* SPDX-License-Identifier: Apache-2.0
 * tcp_watch - what observers see of a connection, and the messages of the protocol above that it
 * has not sent yet. Nothing that TCP does depends on them. Known are messages that the user marks
 * (stream_ops.mark). Clock: none. Owner: tcp_messages_fini. */
#ifndef STORMGLASS_TCP_TCP_WATCH_H
#define STORMGLASS_TCP_TCP_WATCH_H

#include "base/probe.h"
#include "base/units.h"
#include "tcp/tcp.h"

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct tcp_conn;

struct tcp_message {
    uint64_t end;   /* offset behind the bytes that are in the send buffer */
    uint32_t bytes; /* of its payload, all parts */
    uint16_t parts, buffered;
    bool open; /* the next part continues it */
};

struct tcp_messages {
    struct tcp_message *list;
    uint32_t first, filling, count, room; /* filling: the first one not wholly in the send buffer */
    uint64_t start;                       /* offset at which the first one begins */
};

void tcp_messages_fini(struct tcp_conn *conn);

/* Reports for the time accounting; nothing happens without it. */
void tcp_watch_open(const struct tcp_conn *conn);
/* The state of sending may have changed. */
void tcp_watch_hold(struct tcp_conn *conn, time_ps now);
void tcp_watch_arrived(const struct tcp_conn *conn, const struct frame *frame, time_ps now);
/* Segments under way, options and times since the last data. */
void tcp_watch_info(const struct tcp_conn *conn, struct stream_info *info);
struct tcp_view tcp_watch_view(struct tcp_conn *conn, time_ps now);
/* Counts the connection by what it waits for. */
void tcp_watch_look(const struct tcp_conn *conn, struct tcp_look *look, time_ps now);
/* The batch is processed; before it, all bytes up to that offset were received. */
void tcp_watch_delivered(const struct tcp_conn *conn, uint64_t before, time_ps now);
/* The next so many bytes that the user reads are decrypted. */
void tcp_watch_decrypted(const struct tcp_conn *conn, uint32_t bytes, time_ps now);
/* The user has queued a message with so many bytes of payload, buffered it, or read one. */
void tcp_watch_mark(struct tcp_conn *conn, enum probe_stream_kind kind, uint32_t bytes);

#endif
