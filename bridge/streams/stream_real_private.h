/* SPDX-License-Identifier: Apache-2.0
 * stream_real_private - interfaces between the files of stream_real.
 *   stream_real.c         the device, its listeners, the table
 *   stream_real_conn.c    a connection: its beginning, its end, its events
 *   stream_real_data.c    bytes out and in */
#ifndef STORMGLASS_BRIDGE_STREAMS_STREAM_REAL_PRIVATE_H
#define STORMGLASS_BRIDGE_STREAMS_STREAM_REAL_PRIVATE_H

#include "bridge/streams/stream_real.h"

#include <netinet/in.h>

enum {
    REAL_BUFFER_BYTES = 64 << 10, /* received bytes of a connection */
    REAL_CHUNK_BYTES = 64 << 10,  /* bulk data that is made at once */
};

enum real_stream_state { STREAM_CONNECTING, STREAM_OPEN, STREAM_OVER };

struct stream_conn {
    struct stream_device *device;
    struct stream_conn *next, **link; /* in the device's list */
    struct stream_user user;
    int fd; /* -1: closed */
    struct loop_watch *watch;
    enum real_stream_state state;
    uint32_t peer_ip;
    uint16_t local_port, peer_port;
    bool accepted;
    bool closed;         /* by the user */
    bool peer_ended;     /* its FIN has arrived */
    bool wants_room;     /* a send took less than was offered */
    bool paused;         /* the buffer is full, so the socket is not read */
    int error;           /* to be reported */
    struct timer linger; /* after `close`: resets the connection */
    struct timer over;   /* reports the end, outside of any call */
    unsigned char *buffer;
    uint32_t first, count; /* received and not read */
    struct content_reader reader;
    uint32_t crc;          /* of bulk data that was read */
    uint64_t sent, gotten; /* bytes */
    bool counts_crc;
};

struct real_listener {
    struct stream_device *device;
    struct real_listener *next;
    struct stream_listener user;
    struct loop_watch *watch;
    struct timer resume; /* after the process ran out of descriptors */
    int fd;
    uint16_t port;
};

struct stream_device {
    struct stream_real_site site;
    struct env env;
    struct stream_conn *conns;
    struct real_listener *listeners;
    struct stream_real_counters counters;
    uint32_t accepted; /* current connections that were accepted */
    unsigned char chunk[REAL_CHUNK_BYTES];
};

/* stream_real_conn.c */
struct sockaddr_in stream_real_address(uint32_t ip, uint16_t port);
/* Takes over a connected or connecting socket. */
struct stream_conn *stream_real_conn_new(struct stream_device *device, int fd, uint32_t peer_ip,
                                         uint16_t peer_port);
struct stream_conn *stream_real_conn_connect(struct stream_device *device,
                                             const struct stream_peer *peer,
                                             const struct stream_user *user);
/* An accepted connection begins to receive. */
void stream_real_conn_begin(struct stream_conn *conn);
/* Waits for what the connection needs now. */
void stream_real_conn_watch(struct stream_conn *conn);
/* An error of a call: reported later. */
void stream_real_conn_fail(struct stream_conn *conn, int error);
void stream_real_conn_close(struct stream_conn *conn);
void stream_real_conn_reset(struct stream_conn *conn);
void stream_real_conn_destroy(struct stream_conn *conn);

/* stream_real_data.c */
/* Shows observers that the connection is open. */
void stream_real_show_begin(struct stream_conn *conn);
uint32_t stream_real_send(struct stream_conn *conn, const struct stream_piece *piece);
/* Receives into the buffer; called when the socket is readable. */
void stream_real_receive(struct stream_conn *conn);
uint32_t stream_real_read(struct stream_conn *conn, unsigned char *bytes, uint32_t most);
uint32_t stream_real_read_bulk(struct stream_conn *conn, uint32_t most, uint32_t offset,
                               uint32_t *content);
uint32_t stream_real_bulk_crc(struct stream_device *device, uint32_t content, uint32_t offset,
                              uint32_t length);
uint32_t stream_real_read_crc(struct stream_conn *conn);

#endif
