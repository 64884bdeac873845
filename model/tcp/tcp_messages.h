/* SPDX-License-Identifier: Apache-2.0
 * tcp_messages - the messages of the protocol above that a connection has not sent yet.
 * For observers only: nothing that TCP does depends on them. Known are messages that the user marks
 * (stream_ops.mark). Clock: none. Owner: tcp_messages_fini. */
#ifndef STORMGLASS_TCP_TCP_MESSAGES_H
#define STORMGLASS_TCP_TCP_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

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

struct tcp_conn;
void tcp_messages_fini(struct tcp_conn *conn);

#endif
