/* SPDX-License-Identifier: Apache-2.0
 * stream_stub - one stream whose received bytes are those of the fuzzer. Each program has one: the
 * functions are of its own translation unit. What it sends is counted and dropped. */
#ifndef STORMGLASS_TESTS_FUZZ_STREAM_STUB_H
#define STORMGLASS_TESTS_FUZZ_STREAM_STUB_H

#include "base/check.h"
#include "tcp/stream.h"

#include <string.h>

enum { IP = 1, SENT_MAX = 1 << 20 };

struct stream_conn {
    struct stream_user user;
    const uint8_t *bytes;
    size_t left, ready; /* bytes to arrive, and of these: arrived */
    uint32_t sent;
    bool closed;
};

static struct stream_conn stream;
static struct stream_listener streams_listener;

static bool stream_listen(struct stream_device *device, uint16_t port,
                          const struct stream_listener *listener)
{
    (void)device, (void)port;
    streams_listener = *listener;
    return true;
}

static void stream_unlisten(struct stream_device *device, uint16_t port)
{
    (void)device, (void)port;
}

static struct stream_conn *stream_connect(struct stream_device *device,
                                          const struct stream_peer *peer,
                                          const struct stream_user *with)
{
    (void)device, (void)peer;
    stream.user = *with;
    return &stream;
}

static uint32_t stream_send(struct stream_conn *conn, const struct stream_piece *piece)
{
    CHECK(!conn->closed && piece->length > 0);
    conn->sent += piece->length;
    return conn->sent < SENT_MAX ? piece->length : 0;
}

static uint32_t take(struct stream_conn *conn, uint32_t most)
{
    const uint32_t taken = conn->ready < most ? (uint32_t)conn->ready : most;
    conn->ready -= taken;
    conn->left -= taken;
    return taken;
}

static uint32_t stream_read(struct stream_conn *conn, unsigned char *bytes, uint32_t most)
{
    const uint8_t *from = conn->bytes;
    const uint32_t taken = take(conn, most);
    if (taken > 0)
        memcpy(bytes, from, taken);
    conn->bytes += taken;
    return taken;
}

static uint32_t stream_read_bulk(struct stream_conn *conn, uint32_t most, uint32_t offset,
                                 uint32_t *content)
{
    const uint32_t taken = take(conn, most);
    (void)offset;
    *content = conn->bytes == NULL ? 0 : 7;
    conn->bytes += taken;
    return taken;
}

static bool stream_ended(const struct stream_conn *conn)
{
    return conn->left == 0;
}

static void stream_close(struct stream_conn *conn)
{
    conn->closed = true;
}

static void stream_info(const struct stream_conn *conn, struct stream_info *info)
{
    (void)conn;
    *info = (struct stream_info){0};
}

static uint32_t stream_ip(const struct stream_device *device)
{
    (void)device;
    return IP;
}

/* The members of a struct stream_ops. */
#define STREAM_STUB_OPS                                                                            \
    .name = "fuzz", .listen = stream_listen, .unlisten = stream_unlisten,                          \
    .connect = stream_connect, .send = stream_send, .read = stream_read,                           \
    .read_bulk = stream_read_bulk, .ended = stream_ended, .close = stream_close,                   \
    .reset = stream_close, .destroy = stream_close, .info = stream_info, .local_ip = stream_ip

#endif
